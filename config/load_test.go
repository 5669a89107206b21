package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, text string) (Config, []string) {
	t.Helper()
	file := write(t, "config.toml", text)
	c, problems := Load(Sources{Getenv: env(), File: file})
	var out []string
	for _, p := range problems {
		out = append(out, strings.TrimPrefix(p.Error(), file))
	}
	return c, out
}

func TestEveryDefaultIsValid(t *testing.T) {
	for _, o := range Options() {
		if o.Default == "" {
			continue
		}
		c := defaults()
		if err := o.apply(&c, o.Default); err != nil {
			t.Errorf("%s: default %v", o.Name, err)
		}
	}
	c, problems := Load(Sources{Getenv: env()})
	if len(problems) != 0 || c.BaseURL != DefaultBaseURL || c.MaxRetries != 3 || c.Idle != 10*time.Minute || c.Reasoning != "line" {
		t.Errorf("defaults: %+v %v", c, problems)
	}
}

func TestLayersWinInOrder(t *testing.T) {
	file := write(t, "config.toml", `
model = "file"
effort = "low"
theme = "file"
system = "file"
max_retries = 1
default_profile = "work"
[profile.work]
model = "profile"
effort = "high"
[profile.home]
model = "home"
`)
	settings := write(t, "settings.toml", "theme = \"settings\"\nmodel = \"settings\"\n")
	src := Sources{Getenv: env("WAFER_MODEL", "env"), File: file, Settings: settings, Flags: map[string]string{"system": "flag"}}
	c, problems := Load(src)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := strings.Join([]string{c.Model, c.Effort, c.Theme, c.System, c.Profile, strings.Join(c.Profiles, "+")}, " ")
	if want := "env high settings flag work home+work"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c.MaxRetries != 1 {
		t.Errorf("max_retries %d", c.MaxRetries)
	}
	if !c.Explicit("model") || !c.Explicit("system") || c.Explicit("effort") || c.Explicit("theme") || c.Explicit("idle_timeout") {
		t.Error("Explicit is wrong")
	}
	src.Getenv, src.Profile = env(), "home"
	c, _ = Load(src)
	if c.Model != "home" || c.Profile != "home" || !c.Explicit("model") {
		t.Errorf("named profile: model %q profile %q", c.Model, c.Profile)
	}
	if o := c.Origin("model"); o.Source != file || o.Line != 12 || o.Profile != "home" {
		t.Errorf("origin %+v", o)
	}
}

func TestMistakesAreNamedWithTheirPlace(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"typo", "modle = \"x\"", `:1:1: unknown option "modle"; did you mean "model"?`},
		{"typo in a profile", "[profile.a]\n  efort = \"low\"", `:2:3: unknown option "efort"; did you mean "effort"?`},
		{"unknown table", "[tols]\nx = 1", `:1:2: unknown option "tols"`},
		{"wrong type", "max_retries = \"3\"", `:1:1: max_retries takes a whole number, not text`},
		{"out of range", "max_retries = 30", `:1:1: max_retries takes a whole number from 0 to 10`},
		{"text for a list", "honours_sampling = \"Kimi-K3\"", `:1:1: honours_sampling takes a list, not text`},
		{"a list of something else", "honours_sampling = [1]", `:1:1: honours_sampling takes a list of texts, such as ["a", "b"]`},
		{"a list for a text", "model = [1]", `:1:1: model takes text, not a list`},
		{"choice", "reasoning = \"lines\"", `:1:1: reasoning takes "hidden", "line", "tail" or "full"; did you mean "line"?`},
		{"duration", "idle_timeout = \"10\"", `:1:1: idle_timeout takes a duration such as "90s" or "10m"`},
		{"duplicate", "model = \"a\"\nmodel = \"b\"", `:2:1: model is given twice, first in line 1`},
		{"a key in the file", "api_key = \"sk-SECRET\"", ":1:1: a key does not belong in this file: use `waferchat key set`, key_command or key_env"},
		{"a key as a variable's name", "key_env = \"sk-SECRET\"", `:1:1: key_env takes the name of an environment variable, not the key itself`},
		{"option as a table", "[model]\nx = 1", `:1:2: model is not a table`},
		{"default profile in a profile", "[profile.a]\ndefault_profile = \"b\"", `:2:1: default_profile cannot stand in a profile`},
		{"profile as a value", "profile = \"a\"", `:1:1: profile is a table: write [profile.NAME]; default_profile names the one to use`},
		{"missing profile", "default_profile = \"wrk\"\n[profile.work]", `:1:1: names the profile "wrk", which is not configured; did you mean "work"?`},
		{"bad binding", "[keys]\nsend = 3", `:2:1: send takes a key such as "ctrl+n" or a list of keys, not a whole number`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := load(t, tt.text)
			if len(got) == 0 || got[0] != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
			if strings.Contains(strings.Join(got, ""), "sk-SECRET") {
				t.Error("a value was repeated")
			}
		})
	}
}

func TestTheRestOfABrokenFileStillCounts(t *testing.T) {
	c, problems := load(t, `model = "kept"
theme = = "x"
effort = "low"
<<<<<<< HEAD
max_retries = 2
=======
>>>>>>> other
[profile.broken
model = "must not leak to the top"
[keys]
send = ["ctrl+x", "alt+x"]
quit = "none"
`)
	if c.Model != "kept" || c.Effort != "low" || c.MaxRetries != 2 || c.Theme != "auto" {
		t.Errorf("%+v", c)
	}
	if len(c.Keys["send"]) != 2 || c.Keys["quit"][0] != "none" || c.KeyOrigin("quit").Line != 12 {
		t.Errorf("keys %v", c.Keys)
	}
	for i, prefix := range []string{":2:9: ", ":4:1: ", ":6:1: ", ":7:1: ", ":8:16: "} {
		if i >= len(problems) || !strings.HasPrefix(problems[i], prefix) {
			t.Errorf("problem %d: want %s in %q", i, prefix, problems)
		}
	}
}

func TestABrokenAddressNeverMeansTheDefaultOne(t *testing.T) {
	for name, text := range map[string]string{
		"bad value":       `base_url = "ftp://private"`,
		"wrong type":      `base_url = 3`,
		"syntax":          `base_url = http://private/v1`,
		"typo":            `base_ulr = "http://private/v1"`,
		"table":           "[base_url]\nx = 1",
		"typo in profile": "default_profile = \"a\"\n[profile.a]\nbase_urls = \"http://private\"",
		"missing profile": "default_profile = \"b\"\n[profile.a]\nbase_url = \"http://private\"",
		"broken header":   "default_profile = \"a\"\n[profile.a\nbase_url = \"http://private\"",
		"utf-16":          "\xff\xfeb\x00",
	} {
		t.Run(name, func(t *testing.T) {
			c, problems := load(t, text)
			if len(problems) == 0 {
				t.Error("no problem is reported")
			}
			if name != "utf-16" && c.BaseURL != "" {
				t.Errorf("requests would go to %q", c.BaseURL)
			}
		})
	}
	c, _ := Load(Sources{Getenv: env("WAFER_BASE_URL", "nonsense here", "WAFER_API_KEY", "k")})
	if c.BaseURL != "" || len(c.KeySources(DefaultBaseURL)) != 1 {
		t.Error("a broken WAFER_BASE_URL must close, and its key must stay")
	}
	c, _ = Load(Sources{Getenv: env("WAFER_BASE_URL", "http://127.0.0.1:9/v1"), File: t.TempDir()})
	if c.BaseURL != "http://127.0.0.1:9/v1" {
		t.Errorf("the environment wins over an unreadable file, got %q", c.BaseURL)
	}
}

func TestABrokenZDRCountsAsWanted(t *testing.T) {
	for _, text := range []string{`zdr = "yes"`, `zdr = yes`, `zdr = 1`, `zdr = true`} {
		if c, _ := load(t, text); !c.ZDR {
			t.Errorf("%s is ignored", text)
		}
	}
	if c, problems := load(t, `zdr = false`); c.ZDR || len(problems) > 0 {
		t.Error("zdr = false", problems)
	}
}

func TestUnusualFiles(t *testing.T) {
	if c, problems := load(t, "\xef\xbb\xbfmodel = \"x\"\r\n"); c.Model != "x" || len(problems) > 0 {
		t.Error("BOM and CRLF:", problems)
	}
	if _, problems := load(t, ""); len(problems) > 0 {
		t.Error("an empty file:", problems)
	}
	if _, problems := load(t, "model = \"\xff\""); len(problems) != 1 || !strings.HasPrefix(problems[0], ":1:") {
		t.Error("invalid UTF-8:", problems)
	}
	if c, _ := load(t, "profile = {a = {model = \"m\"}}\ndefault_profile = \"a\""); c.Model != "m" {
		t.Error("inline table")
	}
	dir := t.TempDir()
	_, problems := Load(Sources{Getenv: env(), File: dir})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), dir) {
		t.Error("a directory:", problems)
	}
	_, problems = Load(Sources{Getenv: env(), File: filepath.Join(dir, "missing"), Required: true})
	if len(problems) != 1 || !problems[0].Usage() {
		t.Error("a file that was named but does not exist:", problems)
	}
	_, problems = Load(Sources{Getenv: env(), Profile: "x", Flags: map[string]string{"max_tokens": "0"}})
	if len(problems) != 2 || !problems[0].Usage() || !problems[1].Usage() {
		t.Error("flags:", problems)
	}
}

func TestOpenAIVariablesCountOnlyTogetherAndLast(t *testing.T) {
	pair := []string{"OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "https://api.openai.com/v1"}
	for _, tt := range []struct {
		name, file, want string
		env              []string
	}{
		{"together", "", "https://api.openai.com/v1", pair},
		{"no key", "", DefaultBaseURL, pair[2:]},
		{"no address", "", DefaultBaseURL, pair[:2]},
		{"beside a Wafer key", "", DefaultBaseURL, append([]string{"WAFER_API_KEY", "w"}, pair...)},
		{"below the file", `base_url = "http://127.0.0.1:1/v1"`, "http://127.0.0.1:1/v1", pair},
	} {
		c, _ := Load(Sources{Getenv: env(tt.env...), File: write(t, "config.toml", tt.file)})
		if c.BaseURL != tt.want {
			t.Errorf("%s: %s", tt.name, c.BaseURL)
		}
	}
}

func FuzzLoadNeverPanicsAndKeepsItsPromises(f *testing.F) {
	f.Add("model = \"x\"\n[profile.a]\nzdr = true\n[keys]\nsend = [\"a\"]")
	f.Add("[[profile]]\nx = {a = {b = 1}}\n\"\" = 2\n''' = \n")
	f.Fuzz(func(t *testing.T, text string) {
		l := loader{config: defaults()}
		entries, problems := parseTOML("f", []byte(text))
		l.topLevel(l.check(entries))
		if len(problems) > parseErrors {
			t.Error("too many problems")
		}
	})
}

func TestAListIsWrittenAndShownAsOne(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
	}{
		{"", "Kimi-K3|Qwen3.8-27B"},
		{"honours_sampling = [\n  \"a\",\n  'b',\n]", "a|b"},
		{"honours_sampling = []", ""},
		{"honours_sampling = [\"top\"]\ndefault_profile = \"p\"\n[profile.p]\nhonours_sampling = [\"its own\"]", "its own"},
	} {
		c, problems := load(t, tt.text)
		if got := strings.Join(c.HonoursSampling, "|"); got != tt.want || len(problems) > 0 {
			t.Errorf("%q: %q %v", tt.text, got, problems)
		}
		o, _ := find("honours_sampling")
		again, problems := load(t, "honours_sampling = "+Quote(o, c.Value("honours_sampling")))
		if got := strings.Join(again.HonoursSampling, "|"); got != tt.want || len(problems) > 0 {
			t.Errorf("%q: shown as %q %v", tt.text, got, problems)
		}
	}
}

func TestACertificateFileIsFoundFromTheFileThatNamesIt(t *testing.T) {
	abs := filepath.Join(t.TempDir(), "abs.pem")
	for _, tt := range []struct{ text, profile, want string }{
		{`ca_file = "ca.pem"`, "", "HERE/ca.pem"},
		{`ca_file = "../certs/ca.pem"`, "", "ABOVE/certs/ca.pem"},
		{`ca_file = " ~/certs/ca.pem "`, "", "/home/ann/certs/ca.pem"},
		{`ca_file = "~ca.pem"`, "", "HERE/~ca.pem"},
		{"ca_file = '" + abs + "'", "", abs},
		{`ca_file = ""`, "", ""},
		{"ca_file = \"top.pem\"\n[profile.work]\nca_file = \"work.pem\"\n[profile.bare]", "work", "HERE/work.pem"},
		{"ca_file = \"top.pem\"\n[profile.work]\nca_file = \"work.pem\"\n[profile.bare]", "bare", "HERE/top.pem"},
		{"ca_file = \"top.pem\"\n[profile.off]\nca_file = \"\"", "off", ""},
	} {
		file := write(t, "config.toml", tt.text)
		c, problems := Load(Sources{Getenv: env("HOME", filepath.FromSlash("/home/ann")), File: file, Profile: tt.profile})
		want := strings.NewReplacer("HERE", filepath.Dir(file), "ABOVE", filepath.Dir(filepath.Dir(file))).Replace(filepath.FromSlash(tt.want))
		if c.CAFile != want || len(problems) > 0 {
			t.Errorf("%s: %q, want %q %v", tt.text, c.CAFile, want, problems)
		}
	}
}

func TestASessionsServerIsReachedAsItsProfileSays(t *testing.T) {
	file := write(t, "config.toml", "ca_file = \"top.pem\"\nmodel = \"top\"\n[profile.work]\nca_file = \"work.pem\"\nmodel = \"work\"\nhonours_sampling = [\"x\"]")
	c, _ := Load(Sources{Getenv: env(), File: file})
	work, _ := Load(Sources{Getenv: env(), File: file, Profile: "work"})
	got := c.WithServer(work)
	if filepath.Base(got.CAFile) != "work.pem" || got.Model != "top" || len(got.HonoursSampling) != 1 || got.Origin("ca_file").Line != 4 {
		t.Errorf("%+v", got)
	}
	if filepath.Base(c.CAFile) != "top.pem" || c.Origin("ca_file").Line != 1 {
		t.Error("the first one was changed")
	}
}
