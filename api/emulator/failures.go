package emulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// errorWord is the word after "error" at the beginning of a text.
func errorWord(text string) string {
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 2 || words[0] != "error" {
		return ""
	}
	return strings.TrimRight(words[1], ".,;:!?")
}

const (
	formatParam = "response_format.json_schema.schema"
	passes      = 2 // how often a passing error is given
)

// documentedFaults are the errors that the API's pages and records of its
// answers name, in the order of their status. Those without a code are what a
// proxy in front of the API says.
func documentedFaults() []fault {
	return []fault{
		{Status: 400, Code: "model_request_rejected", Param: "messages"},
		{Status: 400, Code: "context_length_exceeded", Param: "messages"},
		{Status: 400, Code: "unsupported_value", Param: "reasoning_effort"},
		{Status: 400, Code: "json_schema_refs_remote", Param: formatParam},
		{Status: 400, Code: "json_schema_refs_unresolvable", Param: formatParam},
		{Status: 400, Code: "json_schema_refs_recursive", Param: formatParam},
		{Status: 400, Code: "json_schema_refs_oversized", Param: formatParam},
		{Status: 400, Code: "tool_schema_invalid", Param: "tools[0].function.parameters"},
		{Status: 400, Code: "tool_choice_unknown_tool", Param: "tool_choice"},
		{Status: 400, Code: "invalid_json_request"},
		{Status: 401, Code: "invalid_api_key"},
		{Status: 401, Code: "missing_api_key"},
		{Status: 402, Code: "insufficient_quota", Type: "insufficient_quota"},
		{Status: 403, Code: "permission_denied"},
		{Status: 404, Code: "model_not_found", Param: "model"},
		{Status: 404, Code: "not_found"},
		{Status: 405, Code: "method_not_allowed"},
		{Status: 413, Code: "request_too_large"},
		{Status: 422, Code: "schema_validation_failed", Param: "messages[0].content"},
		{Status: 422, Code: "model_zdr_not_supported", Param: "model"},
		{Status: 429, Code: "rate_limit_exceeded", RetryAfter: "1"},
		{Status: 429, Code: "ttfb_gate_shed"},
		{Status: 500, Code: "internal_error"},
		{Status: 502, PlainType: "text/html", PlainBody: "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1><p>Scripted demo: this page was asked for.</p></body></html>\n"},
		{Status: 503, Code: "overloaded"},
		{Status: 504, PlainType: "text/plain", PlainBody: "Gateway Timeout\n"},
	}
}

// passing tells whether an error goes away when the same is asked again, so
// that retries can be watched.
func (f *fault) passing() bool {
	return f.Status == http.StatusTooManyRequests || f.Status == http.StatusServiceUnavailable
}

// wantedFault is the error that the last message asks for with "error 429",
// "error ttfb_gate_shed" and the like, or nil. A status means the first of its
// errors; one that the API does not have gets an envelope without a code.
func (q *request) wantedFault(attempt int) *fault {
	last := q.messages[len(q.messages)-1]
	word := errorWord(last.text)
	status, err := strconv.Atoi(word)
	if last.Role != "user" || word == "" || err == nil && (status < 400 || status > 599) {
		return nil
	}
	all := documentedFaults()
	i := slices.IndexFunc(all, func(f fault) bool { return f.Code == word || f.Status == status })
	f := &fault{Status: status}
	switch {
	case i >= 0:
		f = &all[i]
	case err != nil:
		return nil
	}
	if f.passing() && attempt >= passes {
		return nil
	}
	f.Message = "Scripted demo: this error was asked for."
	return f
}

// failure is the way for the stream to break that the text asks for.
func (k ask) failure() failure {
	return map[string]failure{
		"reset": failReset, "cut": failEnd, "stall": failHang, "stream": failError, "frame": failFrame,
	}[errorWord(k.text)]
}
