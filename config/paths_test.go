package config

import (
	"errors"
	"strings"
	"testing"
)

func TestPathsFollowTheSystem(t *testing.T) {
	p, err := FindPaths(env("HOME", "/home/u"), "linux")
	if err != nil || p.Config != "/home/u/.config/waferchat/config.toml" || p.Sessions != "/home/u/.local/share/waferchat/sessions.db" ||
		p.Log != "/home/u/.local/state/waferchat/waferchat.log" || p.Models("h:1") != "/home/u/.cache/waferchat/models-h_1.json" {
		t.Errorf("linux: %+v %v", p, err)
	}
	p, err = FindPaths(env("HOME", "/home/u", "XDG_CONFIG_HOME", "/c", "XDG_DATA_HOME", "relative"), "linux")
	if err != nil || p.Config != "/c/waferchat/config.toml" || !strings.HasPrefix(p.Sessions, "/home/u/.local/share") {
		t.Errorf("XDG: %+v %v", p, err)
	}
	p, _ = FindPaths(env("HOME", "/Users/u"), "darwin")
	if p.Config != "/Users/u/Library/Application Support/waferchat/config.toml" || p.Cache != "/Users/u/Library/Caches/waferchat" {
		t.Errorf("macOS: %+v", p)
	}
	if _, err = FindPaths(env(), "linux"); !errors.Is(err, ErrNoHome) {
		t.Error("no home:", err)
	}
	p, err = FindPaths(env("XDG_CONFIG_HOME", "/a", "XDG_DATA_HOME", "/b", "XDG_STATE_HOME", "/c", "XDG_CACHE_HOME", "/d"), "linux")
	if err != nil || p.Data != "/b/waferchat" {
		t.Error("XDG without HOME:", err)
	}
	if p = p.WithData("/x"); p.Sessions != "/x/sessions.db" || p.Demo != "/x/sessions-demo.db" {
		t.Errorf("data dir: %+v", p)
	}
	if p = p.WithConfig("/y/my.toml"); p.Config != "/y/my.toml" || p.Settings != "/y/settings.toml" {
		t.Errorf("config: %+v", p)
	}
	if m := p.Models("../../etc"); strings.Contains(m[len(p.Cache)+1:], "/") {
		t.Errorf("a host leaves the cache directory: %s", m)
	}
}

func TestSettingsAreKeptOneByOne(t *testing.T) {
	text, err := WithSetting(nil, "theme", `a "b" \ c`)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = WithSetting(text, "max_retries", "5"); err != nil {
		t.Fatal(err)
	}
	if text, err = WithSetting(text, "system", "two\nlines\x01"); err != nil {
		t.Fatal(err)
	}
	c, problems := Load(Sources{Getenv: env(), Settings: write(t, "settings.toml", string(text))})
	if len(problems) > 0 || c.Theme != `a "b" \ c` || c.MaxRetries != 5 || c.System != "two\nlines\x01" {
		t.Errorf("%s\n%v %+v", text, problems, c)
	}
	if text, err = WithSetting(text, "honours_sampling", "a, b/c"); err != nil || !strings.Contains(string(text), `honours_sampling = ["a", "b/c"]`) {
		t.Errorf("%s %v", text, err)
	}
	if text, err = WithSetting(text, "max_retries", ""); err != nil || !strings.Contains(string(text), `honours_sampling = ["a", "b/c"]`) {
		t.Errorf("the list is not kept: %s %v", text, err)
	}
	if text, _ = WithSetting(text, "theme", ""); strings.Contains(string(text), "theme") {
		t.Errorf("not removed: %s", text)
	}
	if _, err = WithSetting(nil, "reasoning", "loud"); err == nil {
		t.Error("a bad value is kept")
	}
	if _, err = WithSetting(nil, "nonsense", "x"); err == nil {
		t.Error("an unknown option is kept")
	}
}

func TestTheTemplateIsAValidFileOfDefaults(t *testing.T) {
	if c, problems := load(t, Template()); len(problems) > 0 || c.BaseURL != DefaultBaseURL {
		t.Error(problems)
	}
	var lines []string
	for _, l := range strings.Split(Template(), "\n") {
		if rest, ok := strings.CutPrefix(l, "# "); ok && (strings.Contains(rest, " = ") || strings.HasPrefix(rest, "[")) {
			lines = append(lines, rest)
		}
	}
	if _, problems := load(t, strings.Join(lines, "\n")); len(problems) > 0 {
		t.Error("uncommented:", problems)
	}
	for _, o := range Options() {
		if o.Doc == "" || !strings.Contains(Template(), "\n# "+o.Name+" = ") || !strings.Contains(Markdown(), "| `"+o.Name+"` |") {
			t.Errorf("%s is not documented", o.Name)
		}
	}
}
