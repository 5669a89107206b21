package openai_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

// wanted is what an error must have. Empty strings are not compared.
type wanted struct {
	status            int
	kind, code, param string
}

// checkError looks at the parts of an error that the official client gives.
func checkError(t *testing.T, e *openai.Error, w wanted) {
	t.Helper()
	if e.StatusCode != w.status || w.kind != "" && e.Type != w.kind || w.code != "" && e.Code != w.code || w.param != "" && e.Param != w.param {
		t.Errorf("status %d, %s; wanted %+v", e.StatusCode, e.RawJSON(), w)
	}
	if e.Type == "" || e.Code == "" || e.Message == "" {
		t.Errorf("an error without type, code or message: %s", e.RawJSON())
	}
	id := e.Response.Header.Get("X-Request-Id")
	if got := text(t, e.JSON.ExtraFields["request_id"].Raw()); id == "" || got != id {
		t.Errorf("the request id is %q in the body, %q in the header", got, id)
	}
	if docs := text(t, e.JSON.ExtraFields["docs_url"].Raw()); !strings.HasSuffix(docs, "#"+e.Code) {
		t.Errorf("docs_url is %q", docs)
	}
}

func TestWhatIsWrongWithARequestIsSaid(t *testing.T) {
	const invalid = "invalid_request_error"
	set, del := option.WithJSONSet, option.WithJSONDel
	tests := []struct {
		name string
		opts option.RequestOption
		want wanted
	}{
		{"no key", option.WithHeaderDel("Authorization"), wanted{http.StatusUnauthorized, "authentication_error", "missing_api_key", ""}},
		{"a wrong key", option.WithAPIKey("wfr_of_nobody"), wanted{http.StatusUnauthorized, "authentication_error", "invalid_api_key", ""}},
		{"an unknown model", set("model", "GLM-2"), wanted{http.StatusNotFound, invalid, "model_not_found", "model"}},
		{"an unknown effort", set("reasoning_effort", "some"), wanted{http.StatusBadRequest, invalid, "unsupported_value", "reasoning_effort"}},
		{"no JSON", option.WithRequestBody("application/json", []byte(`{"model":`)), wanted{http.StatusBadRequest, "", "invalid_json_request", ""}},
		{"no model", del("model"), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "model"}},
		{"no messages", del("messages"), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "messages"}},
		{"empty messages", set("messages", []any{}), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "messages"}},
		{"an unknown role", set("messages.0.role", "developer"), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "messages[0].role"}},
		{"content of a wrong type", set("messages.0.content", 7), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "messages[0].content"}},
		{"no content", del("messages.0.content"), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "messages[0].content"}},
		{"a number as text", set("temperature", "warm"), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "temperature"}},
		{"a fraction of a token", set("max_tokens", 1.5), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "max_tokens"}},
		{"a text as flag", set("logprobs", "yes"), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "logprobs"}},
		{"an object as stop", set("stop", object{"at": "13"}), wanted{http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "stop"}},
		{"an unknown format", set("response_format", object{"type": "xml"}), wanted{http.StatusBadRequest, invalid, "", "response_format.type"}},
		{"an unknown tool choice", set("tool_choice", "perhaps"), wanted{http.StatusBadRequest, invalid, "", "tool_choice"}},
	}
	s := start(t, emulator.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkError(t, s.refused(t, ask(kimi, "Hello there"), tt.opts), tt.want)
			h := s.listen(t, ask(kimi, "Hello there"), tt.opts)
			if h.err == nil || len(h.chunks) > 0 {
				t.Fatalf("streamed: %d chunks, then %v", len(h.chunks), h.err)
			}
			checkError(t, apiError(t, h.err), tt.want)
		})
	}
}

// The document names few of these codes; the others are what is known of the
// API from its errors page, or what the emulator plays where nothing is known.
func TestErrorsThatTheDemoIsAskedFor(t *testing.T) {
	const invalid = "invalid_request_error"
	s := start(t, emulator.Options{})
	for word, want := range map[string]wanted{
		"401": {http.StatusUnauthorized, "authentication_error", "invalid_api_key", ""},
		"402": {http.StatusPaymentRequired, "", "insufficient_quota", ""},
		"403": {http.StatusForbidden, "permission_error", "", ""},
		"404": {http.StatusNotFound, invalid, "model_not_found", "model"},
		"413": {http.StatusRequestEntityTooLarge, invalid, "", ""},
		"422": {http.StatusUnprocessableEntity, invalid, "schema_validation_failed", "messages[0].content"},
		"429": {http.StatusTooManyRequests, "rate_limit_error", "rate_limit_exceeded", ""},
		"500": {http.StatusInternalServerError, "server_error", "internal_error", ""},
		"503": {http.StatusServiceUnavailable, "server_error", "", ""},

		"context_length_exceeded":    {http.StatusBadRequest, invalid, "context_length_exceeded", "messages"},
		"model_request_rejected":     {http.StatusBadRequest, invalid, "model_request_rejected", ""},
		"unsupported_value":          {http.StatusBadRequest, invalid, "unsupported_value", ""},
		"json_schema_refs_recursive": {http.StatusBadRequest, invalid, "json_schema_refs_recursive", ""},
		"tool_schema_invalid":        {http.StatusBadRequest, invalid, "tool_schema_invalid", ""},
		"tool_choice_unknown_tool":   {http.StatusBadRequest, invalid, "tool_choice_unknown_tool", "tool_choice"},
		"missing_api_key":            {http.StatusUnauthorized, "authentication_error", "missing_api_key", ""},
		"model_zdr_not_supported":    {http.StatusUnprocessableEntity, "", "model_zdr_not_supported", ""},
		"ttfb_gate_shed":             {http.StatusTooManyRequests, "rate_limit_error", "ttfb_gate_shed", ""},
	} {
		checkError(t, s.refused(t, ask(kimi, "error "+word)), want)
	}
}

// Proxies answer with pages of their own. The official client then knows the
// status and nothing else.
func TestAnErrorThatIsNoJSONKeepsItsStatus(t *testing.T) {
	s := start(t, emulator.Options{})
	for question, status := range map[string]int{"error 502": http.StatusBadGateway, "error 504": http.StatusGatewayTimeout} {
		e := s.refused(t, ask(kimi, question))
		if e.StatusCode != status || e.Code != "" || e.RawJSON() != "" {
			t.Errorf("%s: status %d, %q", question, e.StatusCode, e.RawJSON())
		}
		if e.Response.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no request id", question)
		}
	}
}

func TestAPromptThatIsTooLongIsRefused(t *testing.T) {
	s := start(t, emulator.Options{})
	narrow := s.model(t, func(c card) bool { return c.Wafer.Context > 0 && c.Wafer.Context < 500_000 })
	e := s.refused(t, ask(narrow, strings.Repeat("far too long ", 200_000)))
	checkError(t, e, wanted{http.StatusBadRequest, "invalid_request_error", "context_length_exceeded", "messages"})
}

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	const before, after = `{"model":"Kimi-K3","messages":[{"role":"user","content":"`, `"}]}`
	// The document wants it under 50 MB; the picky profile takes 5 MiB.
	for profile, size := range map[emulator.Profile]int{emulator.Document: 50_000_000, emulator.Strict: 5<<20 + 1} {
		t.Run(string(profile), func(t *testing.T) {
			s := start(t, emulator.Options{Profile: profile})
			body := slices.Concat([]byte(before), bytes.Repeat([]byte("a"), size-len(before)-len(after)), []byte(after))
			e := s.refused(t, openai.ChatCompletionNewParams{}, option.WithRequestBody("application/json", body))
			checkError(t, e, wanted{http.StatusRequestEntityTooLarge, "invalid_request_error", "", ""})
		})
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	s := start(t, emulator.Options{})
	err := s.client.Get(t.Context(), "nothing/here", nil, nil)
	checkError(t, apiError(t, err), wanted{http.StatusNotFound, "invalid_request_error", "", ""})
	err = s.client.Get(t.Context(), "chat/completions", nil, nil)
	checkError(t, apiError(t, err), wanted{http.StatusMethodNotAllowed, "invalid_request_error", "", ""})
}
