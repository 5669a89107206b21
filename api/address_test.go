package api

import (
	"strings"
	"testing"
)

func TestAnOddBaseURLIsUnderstood(t *testing.T) {
	for in, want := range map[string]string{
		"https://pass.wafer.ai":                                "https://pass.wafer.ai/v1",
		"https://pass.wafer.ai/":                               "https://pass.wafer.ai/v1",
		"https://pass.wafer.ai/v1":                             "https://pass.wafer.ai/v1",
		"https://pass.wafer.ai/v1/":                            "https://pass.wafer.ai/v1",
		"https://pass.wafer.ai//v1//":                          "https://pass.wafer.ai/v1",
		"https://pass.wafer.ai/v1/chat/completions":            "https://pass.wafer.ai/v1",
		"https://pass.wafer.ai/v1/chat/completions/":           "https://pass.wafer.ai/v1",
		"https://pass.wafer.ai/v1/models":                      "https://pass.wafer.ai/v1",
		"HTTPS://Pass.Wafer.AI/v1":                             "https://pass.wafer.ai/v1",
		"pass.wafer.ai":                                        "https://pass.wafer.ai/v1",
		" \"https://pass.wafer.ai/v1\"\n":                      "https://pass.wafer.ai/v1",
		"<https://pass.wafer.ai/v1>":                           "https://pass.wafer.ai/v1",
		"localhost:8080":                                       "http://localhost:8080/v1",
		"127.0.0.1:1234/v1":                                    "http://127.0.0.1:1234/v1",
		"[::1]:8000":                                           "http://[::1]:8000/v1",
		"localhost":                                            "http://localhost/v1",
		"https://api.deepseek.com/chat/completions":            "https://api.deepseek.com",
		"https://openrouter.ai/api/v1":                         "https://openrouter.ai/api/v1",
		"https://api.z.ai/api/paas/v4":                         "https://api.z.ai/api/paas/v4",
		"http://user:secret@127.0.0.1:9001/v1":                 "http://127.0.0.1:9001/v1",
		"https://x.example.com/openai/v1?api-version=1#hidden": "https://x.example.com/openai/v1",
	} {
		c, err := New(Options{BaseURL: in})
		if err != nil || c.BaseURL() != want {
			t.Errorf("%q: %v, want %q", in, err, want)
			continue
		}
		if again, err := New(Options{BaseURL: c.BaseURL()}); err != nil || strings.TrimSuffix(again.BaseURL(), "/v1") != strings.TrimSuffix(want, "/v1") {
			t.Errorf("%q is not stable", want)
		}
	}
}

func TestAnImpossibleBaseURLIsRefusedWithoutItsValue(t *testing.T) {
	for _, in := range []string{"", "  ", "hunter2", "ftp://hunter2.test", "https://", "http://hunter2 .test", "hunter2:8080", "192.168.1.5:8080", "https://u:hunter2@", "://hunter2", "http://hunter2.test:port", "file:///hunter2"} {
		if c, err := New(Options{BaseURL: in}); err == nil {
			t.Errorf("%q became %q", in, c.BaseURL())
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "192") {
			t.Errorf("%q is named in %q", in, err)
		}
	}
}

func TestRequestsGoToTheEndpointOfTheBase(t *testing.T) {
	for base, want := range map[string]string{
		"https://pass.wafer.ai":                         "https://pass.wafer.ai/v1/chat/completions",
		"https://api.deepseek.com/chat/completions":     "https://api.deepseek.com/chat/completions",
		"https://x.example.com/openai/v1?api-version=1": "https://x.example.com/openai/v1/chat/completions?api-version=1",
		"http://user:secret@127.0.0.1:9001/v1":          "http://user:secret@127.0.0.1:9001/v1/chat/completions",
	} {
		c, server := newTestClient(t, Options{BaseURL: base, MaxRetries: new(int)}, whole)
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		if got := server.requests[0].URL.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestAPastedKeyIsCleaned(t *testing.T) {
	for _, in := range []string{
		"wfr_abc123", "  wfr_abc123\r\n", `"wfr_abc123"`, "'wfr_abc123'\n", "\ufeffwfr_abc123", "Bearer wfr_abc123", "bearer  wfr_abc123",
		"\"Bearer wfr_abc123\"", "Authorization: Bearer wfr_abc123", "`wfr_abc123`", "\u00a0wfr_abc123\u200b",
	} {
		if got, err := CleanKey(in); err != nil || got.Reveal() != "wfr_abc123" {
			t.Errorf("%q: %q %v", in, got.Reveal(), err)
		}
	}
	for _, in := range []string{"", " \n", `""`} {
		if got, err := CleanKey(in); err != nil || got != "" {
			t.Errorf("%q: %q %v", in, got.Reveal(), err)
		}
	}
	for _, in := range []string{"hunter two", "hunter\x00two", "hunter\ntwo", "<YOUR_hunter_KEY>", "$hunter", "${hunter}", "hunter•••", "hünter", "hunter" + strings.Repeat("x", 5000), "hunter\x1b[31m"} {
		if got, err := CleanKey(in); err == nil || got != "" {
			t.Errorf("%q was taken as a key", in)
		} else if strings.Contains(err.Error(), "unter") {
			t.Errorf("%q is named in %q", in, err)
		}
	}
}

func TestAKeyBeginningWithBearerIsAKey(t *testing.T) {
	if got, err := CleanKey("bearer_abc"); err != nil || got.Reveal() != "bearer_abc" {
		t.Errorf("%q %v", got.Reveal(), err)
	}
}
