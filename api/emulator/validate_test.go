package emulator

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

type mistake struct {
	body   string
	status int
	code   string
	param  string
}

func mistakes() []mistake {
	const messages = `"messages":[{"role":"user","content":"hi"}]`
	with := func(fields string) string { return `{"model":"GLM-5.3",` + messages + `,` + fields + `}` }
	content := func(c string) string {
		return `{"model":"Kimi-K3","messages":[{"role":"user","content":` + c + `}]}`
	}
	link := func(url string) string {
		return content(`[{"type":"image_url","image_url":{"url":"` + url + `"}}]`)
	}
	tool := func(parameters string) string {
		return with(`"tools":[{"type":"function","function":{"name":"f","parameters":` + parameters + `}}]`)
	}
	schema := func(s string) string {
		return with(`"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":` + s + `}}`)
	}
	return []mistake{
		{``, 400, "invalid_json_request", ""},
		{`{"model":`, 400, "invalid_json_request", ""},
		{`[]`, 422, "schema_validation_failed", ""},
		{`{` + messages + `}`, 422, "schema_validation_failed", "model"},
		{`{"model":7,` + messages + `}`, 422, "schema_validation_failed", "model"},
		{`{"model":"GLM-5.3"}`, 422, "schema_validation_failed", "messages"},
		{`{"model":"GLM-5.3","messages":[]}`, 422, "schema_validation_failed", "messages"},
		{`{"model":"GLM-1",` + messages + `}`, 404, "model_not_found", "model"},
		{`{"model":"GLM-5.3","messages":[{"role":"developer","content":"x"}]}`, 422, "schema_validation_failed", "messages[0].role"},
		{content(`null`), 422, "schema_validation_failed", "messages[0].content"},
		{content(`7`), 422, "schema_validation_failed", "messages[0].content"},
		{content(`[{"type":"audio"}]`), 422, "schema_validation_failed", "messages[0].content[0]"},
		{with(`"max_tokens":0`), 422, "schema_validation_failed", "max_tokens"},
		{with(`"max_tokens":"many"`), 422, "schema_validation_failed", "max_tokens"},
		{with(`"temperature":"hot"`), 422, "schema_validation_failed", "temperature"},
		{with(`"stop":7`), 422, "schema_validation_failed", "stop"},
		{with(`"top_logprobs":21`), 422, "schema_validation_failed", "top_logprobs"},
		{with(`"max_tokens":1.5`), 422, "schema_validation_failed", "max_tokens"},
		{with(`"max_completion_tokens":-1`), 422, "schema_validation_failed", "max_completion_tokens"},
		{with(`"n":0`), 422, "schema_validation_failed", "n"},
		{with(`"n":2`), 400, "unsupported_value", "n"},
		{with(`"logprobs":true`), 400, "unsupported_value", "logprobs"},
		{with(`"top_logprobs":0`), 422, "schema_validation_failed", "top_logprobs"},
		{with(`"top_logprobs":-1`), 422, "schema_validation_failed", "top_logprobs"},
		{`{"model":"Qwen3.8-27B","logprobs":true,"top_logprobs":21,` + messages + `}`, 422, "schema_validation_failed", "top_logprobs"},
		{`{"model":"Qwen3.8-27B","logprobs":1,` + messages + `}`, 422, "schema_validation_failed", "logprobs"},
		{with(`"regex":""`), 400, "unsupported_value", "regex"},
		{with(`"reasoning_effort":""`), 400, "unsupported_value", "reasoning_effort"},
		{with(`"reasoning_effort":3`), 422, "schema_validation_failed", "reasoning_effort"},
		{with(`"reasoning":{"effort":""}`), 400, "unsupported_value", "reasoning.effort"},
		{with(`"reasoning":"high"`), 422, "schema_validation_failed", "reasoning"},
		{with(`"thinking":{}`), 400, "unsupported_value", "thinking.type"},
		{with(`"parallel_tool_calls":"no"`), 422, "schema_validation_failed", "parallel_tool_calls"},
		{with(`"stream":"yes"`), 422, "schema_validation_failed", "stream"},
		{with(`"response_format":"json_object"`), 422, "schema_validation_failed", "response_format"},
		{with(`"response_format":{}`), 400, "unsupported_value", "response_format.type"},
		{with(`"response_format":{"type":"grammar","grammar":"root ::= \"a\""}`), 400, "unsupported_value", "response_format.type"},
		{with(`"regex":"a"`), 400, "unsupported_value", "regex"},
		{with(`"reasoning_effort":"extreme"`), 400, "unsupported_value", "reasoning_effort"},
		{with(`"reasoning":{"effort":"extreme"}`), 400, "unsupported_value", "reasoning.effort"},
		{with(`"thinking":{"type":"maybe"}`), 400, "unsupported_value", "thinking.type"},
		{with(`"response_format":{"type":"grammar"}`), 400, "unsupported_value", "response_format.type"},
		{with(`"response_format":{"type":"xml"}`), 400, "unsupported_value", "response_format.type"},
		{with(`"response_format":{"type":"json_schema"}`), 422, "schema_validation_failed", "response_format.json_schema.schema"},
		{schema(`{"$ref":"https://example.com/s.json"}`), 400, "json_schema_refs_remote", "response_format.json_schema.schema"},
		{schema(`{"$ref":"#/$defs/none"}`), 400, "json_schema_refs_unresolvable", "response_format.json_schema.schema"},
		{schema(`{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}`), 400, "json_schema_refs_recursive", "response_format.json_schema.schema"},
		{tool(`{"type":"string"}`), 400, "tool_schema_invalid", "tools[0].function.parameters"},
		{tool(`[]`), 400, "tool_schema_invalid", "tools[0].function.parameters"},
		{tool(`null`), 400, "tool_schema_invalid", "tools[0].function.parameters"},
		{tool(`{}`), 400, "tool_schema_invalid", "tools[0].function.parameters"},
		{tool(`{"type":["object"]}`), 400, "tool_schema_invalid", "tools[0].function.parameters"},
		{tool(`{"type":"object","properties":{"a":{"type":"text"}}}`), 400, "tool_schema_invalid", "tools[0].function.parameters"},
		{tool(`{"type":"object","required":"a"}`), 400, "tool_schema_invalid", "tools[0].function.parameters"},
		{tool(`{"type":"object","properties":{"a":{"$ref":"https://example.com/s"}}}`), 400, "json_schema_refs_remote", "tools[0].function.parameters"},
		{tool(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}`), 400, "json_schema_refs_unresolvable", "tools[0].function.parameters"},
		{tool(`{"type":"object","properties":{"a":{"$ref":"#"}}}`), 400, "json_schema_refs_recursive", "tools[0].function.parameters"},
		{with(`"tools":[{"type":"retrieval"}]`), 422, "schema_validation_failed", "tools[0]"},
		{with(`"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function"}`), 400, "tool_choice_unknown_tool", "tool_choice"},
		{with(`"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"tool","name":"f"}`), 400, "unsupported_value", "tool_choice"},
		{with(`"tools":[{"type":"function","function":{}}]`), 422, "schema_validation_failed", "tools[0]"},
		{with(`"tool_choice":{"type":"function","function":{"name":"g"}}`), 400, "tool_choice_unknown_tool", "tool_choice"},
		{with(`"tool_choice":"sometimes"`), 400, "unsupported_value", "tool_choice"},
		{with(`"tool_choice":"required"`), 400, "unsupported_value", "tool_choice"},
		{link("https://example.com/a.png"), 400, "model_request_rejected", "messages[0].content[0].image_url.url"},
		{link("http://example.com/a.png"), 400, "unsupported_value", "messages[0].content[0].image_url.url"},
		{link("https://192.168.0.1/a.png"), 400, "unsupported_value", "messages[0].content[0].image_url.url"},
		{link("https://localhost/a.png"), 400, "unsupported_value", "messages[0].content[0].image_url.url"},
		{link("/etc/hosts"), 400, "unsupported_value", "messages[0].content[0].image_url.url"},
		{link("data:image/png;base64,!"), 400, "model_request_rejected", "messages[0].content[0].image_url.url"},
		{link("data:image/png;base64,aGVsbG8="), 400, "model_request_rejected", "messages[0].content[0].image_url.url"},
		{content(string(encode(strings.Repeat("word", 1100000)))), 400, "context_length_exceeded", "messages"},
	}
}

func TestMistakesGetTheDocumentedErrors(t *testing.T) {
	run := start(t, Options{})
	for _, tt := range mistakes() {
		a := run.post(t, []byte(tt.body))
		e := a.envelope(t).Error
		if a.status != tt.status || e.Code != tt.code || e.Param != tt.param || e.Type != "invalid_request_error" || e.DocsURL != "https://docs.wafer.ai/errors#"+tt.code {
			t.Errorf("%.120s:\ngot %d %+v, want %d %s %s", tt.body, a.status, e, tt.status, tt.code, tt.param)
		}
	}
}

func TestUnknownFieldsAreNotRejected(t *testing.T) {
	run := start(t, Options{})
	if a := run.ask(t, "hi", `"stream_options":{"include_usage":true}`, `"whatever":[1]`, `"parallel_tool_calls":true`, `"response_format":null`, `"stop":null`); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestBodiesOf50MBAreRefused(t *testing.T) {
	run := start(t, Options{Forget: true})
	body := bytes.Repeat([]byte(" "), 50_000_000) // the document says under 50 MB
	if a := run.post(t, body); a.status != 413 || a.envelope(t).Error.Code != "request_too_large" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := run.post(t, append(body[:50_000_000-1-len(question("hi"))], question("hi")...)); a.status != 200 {
		t.Errorf("a byte less: %d %s", a.status, a.body)
	}
	if r := run.Requests(); len(r) != 0 {
		t.Errorf("a server that forgets has kept %d requests", len(r))
	}
}

func TestZeroDataRetentionFailsClosed(t *testing.T) {
	run := start(t, Options{})
	if a := run.post(t, question("hi"), "Wafer-ZDR", "required"); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	a := run.post(t, question("hi", `"model":"qwen3.8-27b"`), "Wafer-ZDR", "required")
	if a.status != 422 || a.envelope(t).Error.Code != "model_zdr_not_supported" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := run.post(t, question("hi"), "Wafer-ZDR", "optional"); a.status != 400 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestKeysAreCheckedAndNeverKept(t *testing.T) {
	run := start(t, Options{Key: "wfr_right"})
	for _, tt := range []struct {
		name, value string
		models      int
		chat        int
		code, seen  string
	}{
		{"X-Other", "", 200, 401, "missing_api_key", ""},
		{"Authorization", "Bearer wfr_wrong", 401, 401, "invalid_api_key", "not matched"},
		{"Authorization", "wfr_right", 401, 401, "invalid_api_key", "not matched"},
		{"X-Api-Key", "wfr_wrong", 401, 401, "invalid_api_key", "not matched"},
		{"Authorization", "Bearer wfr_right", 200, 200, "", "matched"},
		{"X-Api-Key", "wfr_right", 200, 200, "", "matched"},
	} {
		if a := run.get(t, "/models", tt.name, tt.value); a.status != tt.models {
			t.Errorf("%s %q: models %d", tt.name, tt.value, a.status)
		}
		a := run.post(t, question("hi"), tt.name, tt.value)
		if a.status != tt.chat || tt.code != "" && (a.envelope(t).Error.Code != tt.code || a.envelope(t).Error.Type != "authentication_error") {
			t.Errorf("%s %q: chat %d %s", tt.name, tt.value, a.status, a.body)
		}
		requests := run.Requests()
		if got := requests[len(requests)-1].Header.Get(tt.name); got != tt.seen {
			t.Errorf("%s %q is kept as %q", tt.name, tt.value, got)
		}
	}
	open := start(t, Options{})
	for _, value := range []string{"", "Bearer anything"} {
		if a := open.post(t, question("hi"), "Authorization", value); a.status != 200 {
			t.Errorf("%q: %d", value, a.status)
		}
	}
}

func TestRequestIDsAndUnknownPaths(t *testing.T) {
	run := start(t, Options{})
	first, second := run.get(t, "/models").header.Get("X-Request-Id"), run.ask(t, "hi").header.Get("X-Request-Id")
	if ok := regexp.MustCompile(`^req_[0-9a-f]{12}$`); !ok.MatchString(first) || !ok.MatchString(second) || first == second {
		t.Errorf("ids %q and %q", first, second)
	}
	a := run.get(t, "/nothing", "X-Request-Id", "mine")
	if a.status != 404 || a.envelope(t).Error.RequestID != "client_mine" {
		t.Errorf("%d %s", a.status, a.body)
	}
	for path, allow := range map[string]string{"/models": "GET", "/chat/completions": "POST"} {
		if a := run.do(t, "DELETE", path, nil); a.status != 405 || a.header.Get("Allow") != allow {
			t.Errorf("DELETE %s: %d, Allow %q", path, a.status, a.header.Get("Allow"))
		}
		if a := run.do(t, "OPTIONS", path, nil); a.status != 405 {
			t.Errorf("OPTIONS %s: %d", path, a.status)
		}
	}
}

func TestRequestsAreRecordedInOrder(t *testing.T) {
	run := start(t, Options{})
	body := question("hi")
	run.get(t, "/models", "User-Agent", "me")
	run.post(t, body)
	r := run.Requests()
	if len(r) != 2 || r[0].Number != 1 || r[0].Method != "GET" || r[0].Path != "/v1/models" || r[0].Header.Get("User-Agent") != "me" ||
		r[1].Number != 2 || r[1].Method != "POST" || r[1].Path != "/v1/chat/completions" || !bytes.Equal(r[1].Body, body) || r[1].Time.IsZero() {
		t.Errorf("%+v", r)
	}
}
