package emulator

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// Every error can be had by its code, in the envelope that the API's errors
// page shows.
func TestEveryDocumentedErrorCanBeAskedFor(t *testing.T) {
	run := start(t, Options{})
	types := map[int]string{401: "authentication_error", 403: "permission_error", 429: "rate_limit_error", 402: "insufficient_quota"}
	seen := map[string]bool{}
	for _, f := range documentedFaults() {
		if f.Code == "" {
			continue
		}
		if seen[f.Code] {
			t.Errorf("%s stands twice in the list", f.Code)
		}
		seen[f.Code] = true
		for _, stream := range []string{"true", "false"} {
			a := run.post(t, question("error "+f.Code, `"stream":`+stream), "X-Request-Id", "my-own")
			e := a.envelope(t).Error
			want := types[f.Status]
			switch {
			case want != "":
			case f.Status >= 500:
				want = "server_error"
			default:
				want = "invalid_request_error"
			}
			if a.status != f.Status || e.Code != f.Code || e.Type != want || e.Param != f.Param || e.RequestID != "client_my-own" || e.DocsURL != "https://docs.wafer.ai/errors#"+f.Code {
				t.Errorf("error %s: %d %+v, want %d %s %q", f.Code, a.status, e, f.Status, want, f.Param)
			}
			if got := a.header.Get("Content-Type"); got != "application/json" {
				t.Errorf("error %s: Content-Type %q", f.Code, got)
			}
		}
	}
	for _, code := range []string{
		"missing_api_key", "invalid_api_key", "insufficient_quota", "model_not_found", "context_length_exceeded", "unsupported_value", "model_request_rejected",
		"json_schema_refs_remote", "json_schema_refs_unresolvable", "json_schema_refs_recursive", "json_schema_refs_oversized", "tool_schema_invalid",
		"tool_choice_unknown_tool", "invalid_json_request", "schema_validation_failed", "model_zdr_not_supported", "ttfb_gate_shed", "rate_limit_exceeded",
	} {
		if !seen[code] {
			t.Errorf("%s cannot be asked for", code)
		}
	}
}

// Param is null, not an empty text, where there is none.
func TestEnvelopeHasNullsForWhatItDoesNotSay(t *testing.T) {
	run := start(t, Options{})
	a := run.ask(t, "error 418")
	if want := `{"error":{"code":null,"docs_url":null,"message":"Scripted demo: this error was asked for.","param":null,"request_id":"` + a.header.Get("X-Request-Id") + `","type":"invalid_request_error"}}`; a.status != 418 || string(a.body) != want {
		t.Errorf("%d %s", a.status, a.body)
	}
	if !regexp.MustCompile(`^req_[0-9a-f]{12}$`).MatchString(a.header.Get("X-Request-Id")) {
		t.Errorf("request id %q", a.header.Get("X-Request-Id"))
	}
}

func TestPassingErrorsPass(t *testing.T) {
	run := start(t, Options{})
	for word, want := range map[string]struct {
		status int
		after  string
	}{"429": {429, "1"}, "rate_limit_exceeded": {429, "1"}, "ttfb_gate_shed": {429, ""}, "503": {503, ""}, "overloaded": {503, ""}} {
		for i, status := range []int{want.status, want.status, 200} {
			a := run.ask(t, "Error "+word+" please")
			if a.status != status || status != 200 && a.header.Get("Retry-After") != want.after {
				t.Errorf("error %s, request %d: %d, Retry-After %q", word, i, a.status, a.header.Get("Retry-After"))
			}
		}
	}
}

func TestFailuresHappenWhenAskedFor(t *testing.T) {
	run := start(t, Options{})
	for _, status := range []int{400, 401, 402, 403, 404, 405, 409, 413, 422, 500, 501, 502, 504, 599} {
		for range 4 {
			if a := run.ask(t, fmt.Sprintf("error %d", status)); a.status != status {
				t.Errorf("error %d gives %d", status, a.status)
			}
		}
	}
	if a := run.ask(t, "error 502"); a.header.Get("Content-Type") != "text/html" || !strings.HasPrefix(string(a.body), "<!doctype html>") {
		t.Errorf("502: %s", a.body)
	}
	if a := run.ask(t, "error 504"); a.header.Get("Content-Type") != "text/plain" || string(a.body) != "Gateway Timeout\n" {
		t.Errorf("504: %s", a.body)
	}
	if a := run.ask(t, "error reset"); a.err == nil || a.content() == "" {
		t.Errorf("reset: %v after %q", a.err, a.content())
	}
	if a := run.ask(t, "error cut"); a.err != nil || a.content() == "" || a.finish() != "" || strings.Contains(string(a.body), "[DONE]") {
		t.Errorf("cut: %v, finish %q", a.err, a.finish())
	}
	if a := run.ask(t, "error stream"); a.finish() != "" || !strings.Contains(a.events()[len(a.events())-1], `"code":"internal_error"`) {
		t.Errorf("stream: %s", a.body)
	}
	if a := run.ask(t, "error frame"); a.finish() != "stop" || !strings.Contains(string(a.body), `"del`+"\n\n") {
		t.Errorf("frame: %s", a.body)
	}
	for _, text := range []string{"How does one handle an error 500 in Go?", "error 200", "error 600", "error in my code", "error", "error -1"} {
		if a := run.ask(t, text); a.status != 200 || a.finish() != "stop" {
			t.Errorf("%q gives %d, finish %q", text, a.status, a.finish())
		}
	}
}
