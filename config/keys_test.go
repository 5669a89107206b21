package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestAKeyGoesOnlyToItsHost(t *testing.T) {
	const wafer, local, evil = DefaultBaseURL, "http://127.0.0.1:9001/v1", "https://pass.wafer.ai.evil.test/v1"
	waferKey := []string{"WAFER_API_KEY", "w"}
	openAI := []string{"OPENAI_API_KEY", "o", "OPENAI_BASE_URL", "https://api.openai.com/v1"}
	profile := KeyLayer{BaseURL: local, KeyCommand: "op read x"}
	tests := []struct {
		name string
		to   string
		env  []string
		in   KeyInput
		want string
	}{
		{"Wafer's key to Wafer", wafer, waferKey, KeyInput{}, "WAFER_API_KEY stored"},
		{"odd spelling of the host", "https://PASS.wafer.ai.:443/v1/", waferKey, KeyInput{}, "WAFER_API_KEY stored"},
		{"another port", "https://pass.wafer.ai:8443/v1", waferKey, KeyInput{}, "stored"},
		{"without encryption", "http://pass.wafer.ai/v1", waferKey, KeyInput{}, "stored"},
		{"a look-alike", evil, waferKey, KeyInput{}, "stored"},
		{"userinfo look-alike", "https://pass.wafer.ai@evil.test/v1", waferKey, KeyInput{}, "stored"},
		{"to a local server", local, waferKey, KeyInput{}, "stored"},
		{"both from the environment", local, append([]string{"WAFER_BASE_URL", local}, waferKey...), KeyInput{}, "WAFER_API_KEY stored"},
		{"then not to Wafer", wafer, append([]string{"WAFER_BASE_URL", local}, waferKey...), KeyInput{}, "stored"},
		{"broken WAFER_BASE_URL", wafer, append([]string{"WAFER_BASE_URL", "::"}, waferKey...), KeyInput{}, "stored"},
		{"OpenAI's pair", "https://api.openai.com/v1", openAI, KeyInput{}, "OPENAI_API_KEY stored"},
		{"OpenAI's key elsewhere", local, openAI, KeyInput{}, "stored"},
		{"OpenAI's key alone", "https://api.openai.com/v1", openAI[:2], KeyInput{}, "stored"},
		{"OpenAI's key to Wafer", wafer, openAI, KeyInput{}, "stored"},
		{"a profile names OpenAI's key", local, openAI[:2], KeyInput{Profile: KeyLayer{BaseURL: local, KeyEnv: "OPENAI_API_KEY"}}, "OPENAI_API_KEY stored"},
		{"a named variable that is empty", local, nil, KeyInput{Profile: KeyLayer{BaseURL: local, KeyEnv: "NOPE"}}, "stored"},
		{"the file's command to the file's host", local, nil, KeyInput{File: profile}, "op read x stored"},
		{"the file's command elsewhere", wafer, nil, KeyInput{File: profile}, "stored"},
		{"a profile from the file comes after the environment", wafer, waferKey, KeyInput{Profile: KeyLayer{BaseURL: wafer, KeyCommand: "c"}}, "WAFER_API_KEY c stored"},
		{"a profile named by flag comes before it", wafer, waferKey, KeyInput{Profile: KeyLayer{BaseURL: wafer, KeyCommand: "c"}, ProfileChosen: true}, "c WAFER_API_KEY stored"},
		{"nowhere", "", waferKey, KeyInput{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.BaseURL, tt.in.Getenv = tt.to, env(tt.env...)
			var got []string
			for _, s := range KeySources(tt.in) {
				if s.Host != Host(tt.to) {
					t.Errorf("%+v is for another host", s)
				}
				if s.Kind == KeyStored {
					s.Name = "stored"
				}
				got = append(got, s.Name)
			}
			if g := strings.Join(got, " "); g != tt.want {
				t.Errorf("got %q, want %q", g, tt.want)
			}
		})
	}
}

func TestACommandStaysWithTheAddressBesideIt(t *testing.T) {
	file := write(t, "config.toml", `
key_command = "top"
[profile.local]
base_url = "http://127.0.0.1:9001/v1"
[profile.work]
key_command = "work"
`)
	settings := write(t, "settings.toml", `base_url = "http://10.0.0.1/v1"`)
	for _, tt := range []struct{ profile, flagURL, settings, want string }{
		{"", "", "", "top"},
		{"local", "", "", ""},
		{"work", "", "", "work top"},
		{"work", "http://127.0.0.1:9001/v1", "", ""},
		{"", "", settings, ""},
	} {
		src := Sources{Getenv: env(), File: file, Settings: tt.settings, Profile: tt.profile}
		if tt.flagURL != "" {
			src.Flags = map[string]string{"base_url": tt.flagURL}
		}
		c, problems := Load(src)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var got []string
		for _, s := range c.KeySources(c.BaseURL) {
			if s.Kind == KeyFromCommand {
				got = append(got, s.Name)
			}
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%+v: got %q", tt, g)
		}
	}
}

func TestWithheldKeysAreNamedForTheHint(t *testing.T) {
	c, _ := Load(Sources{Getenv: env("WAFER_API_KEY", "w"), Flags: map[string]string{"base_url": "http://127.0.0.1:1"}})
	got := c.WithheldKeys(c.BaseURL)
	if len(got) != 1 || got[0].Name != "WAFER_API_KEY" || got[0].Host != "pass.wafer.ai" {
		t.Errorf("%+v", got)
	}
}

func TestOddAddressesAreUnderstood(t *testing.T) {
	for in, want := range map[string]string{
		" \"https://pass.wafer.ai/v1\" ":        "https://pass.wafer.ai/v1 pass.wafer.ai",
		"localhost:11434":                       "http://localhost:11434 localhost:11434",
		"127.0.0.1:8000/v1":                     "http://127.0.0.1:8000/v1 127.0.0.1:8000",
		"[::1]:8000":                            "http://[::1]:8000 [::1]:8000",
		"http://u:sk-B@h:1/v1/chat/completions": "http://u:sk-B@h:1/v1/chat/completions h:1",
		"http://h":                              "http://h h:80",
		"pass.wafer.ai/v1":                      "https://pass.wafer.ai/v1 pass.wafer.ai",
		"private:8000":                          "needs http:// or https:// in front",
		"10.0.0.5:8000":                         "needs http:// or https:// in front",
		"file:///etc/passwd":                    "is not an address such as https://pass.wafer.ai/v1",
		"https://h/v1?key=sk-B":                 "https://h/v1?key=sk-B h",
		"https://h:port/v1":                     "is not an address such as https://pass.wafer.ai/v1",
		"":                                      "is empty",
	} {
		got, err := CleanBaseURL(in)
		text := fmt.Sprint(err)
		if err == nil {
			text = got + " " + Host(in)
		}
		if text != want {
			t.Errorf("%q: %s", in, text)
		}
	}
	if got := Redacted("http://u:sk-B@h:1/v1?k=sk-B"); got != "http://h:1/v1" {
		t.Error(got)
	}
	if !Plain("http://example.com") || Plain("http://127.0.0.1") || Plain("https://example.com") || !Loopback("http://[::1]:1") {
		t.Error("Plain or Loopback")
	}
}
