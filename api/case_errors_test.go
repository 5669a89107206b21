package api

import (
	"strconv"
	"strings"
	"testing"
)

// streamErrorCases are errors inside an answer of status 200.
func streamErrorCases() []wireCase {
	busy := raw(`{"error":{"message":"overloaded","type":"server_error","code":503}}`)
	const overloaded = `error 200 503 server_error "overloaded"`
	call := callFrame("0", `"a"`, `"f"`, `"{}"`)
	return []wireCase{
		{saw: "a blank answer for an error in the stream", body: busy + doneFrame, want: overloaded, times: 4},
		{saw: "a blank answer for an error without [DONE]", body: busy, want: overloaded, times: 4},
		{saw: "a blank answer for an error that will not pass", body: raw(`{"error":{"message":"no","code":"unsupported_value","type":"invalid_request_error","param":"messages[0].content"}}`),
			want: `error 200 unsupported_value invalid_request_error messages[0].content "no"`},
		{saw: "half an answer kept as finished behind an error", body: textFrame("Par") + busy + doneFrame, want: `text "Par", ` + overloaded},
		{saw: "a finish behind an error believed", body: textFrame("Par") + busy + finishFrame("stop") + doneFrame, want: `text "Par", ` + overloaded},
		{saw: "half an answer repeated behind an error", body: textFrame("Par") + busy, want: `text "Par", ` + overloaded},
		{saw: "thoughts repeated behind an error", body: reasoningFrame("hm") + busy, want: `reasoning_content "hm", ` + overloaded},
		{saw: "a call repeated behind an error", body: call + busy, want: `calls a:f({}), ` + overloaded},
		{saw: "an error event ignored", body: textFrame("Par") + "event: error\ndata: {\"message\":\"boom\"}\n\n", want: `text "Par", error 200 "boom"`},
		{saw: "an error event in plain words ignored", body: textFrame("Par") + "event: error\ndata: boom\n\n", want: `text "Par", error 200 "boom"`},
		{saw: "plain words where a frame belongs ignored", body: textFrame("Par") + "data: upstream error: connection refused\n\n", want: `text "Par", error 200 "upstream error: connection refused"`, skipped: 1},
		{saw: "an error event around an envelope ignored", body: textFrame("Par") + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"boom\"}}\n\n",
			want: `text "Par", error 200 overloaded_error "boom"`},
		{saw: "a field called error ignored", body: textFrame("Par") + `error: {"code":500,"message":"boom"}` + "\n\n", want: `text "Par", error 200 500 "boom"`},
		{saw: "an error that is a string ignored", body: raw(`{"error":"plain string"}`), want: `error 200 "plain string"`},
		{saw: "a flat error ignored", body: raw(`{"object":"error","message":"boom","code":400}`), want: `error 200 400 "boom"`},
		{saw: "an error inside a choice ignored", body: textFrame("Par") + raw(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"message":"boom"}}]}`), want: `text "Par", error 200 "boom"`},
		{saw: "an error beside a choice ignored", body: raw(`{"error":{"message":"boom","code":502},"choices":[{"index":0,"delta":{"content":"Par"},"finish_reason":"error"}]}`), want: `text "Par", error 200 502 "boom"`},
		{saw: "a finish called error taken for success", body: textFrame("Par") + finishFrame("error") + doneFrame, want: `text "Par", error 200 "the server gave up on the answer"`},
		{saw: "an error in plain words ignored", body: textFrame("Par") + "upstream error: connection refused\n", want: `text "Par", error 200 "upstream error: connection refused"`},
		{saw: "an error seen where it is null", body: raw(`{"choices":[],"error":null}`) + textFrame("fine") + finishFrame("stop") + doneFrame, want: `text "fine", finish stop`},
		{saw: "the id of the error itself instead of the request's", body: raw(`{"error":{"message":"boom","request_id":"req_ffffffffffff","docs_url":"https://docs.wafer.ai/errors#x"}}`), want: `error 200 https://docs.wafer.ai/errors#x "boom"`},
		{saw: "the window overrun in the middle asked for again", body: raw(`{"error":{"code":"context_length_exceeded","message":"maximum context is 8192 tokens, you sent 9000"}}`),
			want: `error 200 context_length_exceeded "maximum context is 8192 tokens, you sent 9000"`},
		{saw: "escape codes of an error on the screen", body: raw(`{"error":{"message":"\u001b]0;PWNED\u0007a\u009b31mb\rEVIL \u202etxt"}}`), want: `error 200 "a 31mb EVIL txt"`},
		{saw: "a blank answer for an error announced as JSON", kind: "application/json", body: `{"error":{"message":"boom","code":"x"}}`, want: `error 200 x "boom"`},
	}
}

// refusalCases are refusals by status: what the server said of them, and how
// often it is asked.
func refusalCases() []wireCase {
	envelope := func(kind, code string) string {
		return `{"error":{"type":"` + kind + `","code":"` + code + `","message":"Why.","param":null,"request_id":"` + caseID + `","docs_url":"https://docs.wafer.ai/errors#` + code + `"}}`
	}
	refused := func(status, times int, kind, code string) wireCase {
		want := code + " " + kind + " https://docs.wafer.ai/errors#" + code
		return wireCase{saw: code, status: status, kind: "application/json", body: envelope(kind, code), times: times, want: "error " + strconv.Itoa(status) + " " + want + ` "Why."`}
	}
	const bad = "invalid_request_error"
	cases := []wireCase{
		refused(401, 1, "authentication_error", "missing_api_key"), refused(401, 1, "authentication_error", "invalid_api_key"),
		refused(402, 1, "billing_error", "insufficient_quota"), refused(404, 1, bad, "model_not_found"),
		refused(400, 1, bad, "context_length_exceeded"), refused(400, 1, bad, "unsupported_value"), refused(400, 1, bad, "model_request_rejected"),
		refused(400, 1, bad, "json_schema_refs_recursive"), refused(400, 1, bad, "tool_schema_invalid"), refused(400, 1, bad, "tool_choice_unknown_tool"),
		refused(400, 1, bad, "invalid_json_request"), refused(422, 1, bad, "schema_validation_failed"), refused(422, 1, bad, "model_zdr_not_supported"),
		refused(413, 1, bad, "request_too_large"), refused(429, 4, "rate_limit_error", "ttfb_gate_shed"), refused(429, 4, "rate_limit_error", "rate_limit_exceeded"),
	}
	for _, status := range []int{408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529} {
		cases = append(cases, wireCase{saw: "no second try for " + strconv.Itoa(status), status: status, kind: "application/json", times: 4,
			body: `{"error":{"message":"Why."}}`, want: "error " + strconv.Itoa(status) + ` "Why."`})
	}
	return cases
}

// errorBodyCases are the shapes that servers give what they say of a refusal.
func errorBodyCases() []wireCase {
	said := func(saw string, status, times int, body, want string) wireCase {
		return wireCase{saw: saw, status: status, kind: "application/json", times: times, body: body, want: want}
	}
	framed := func(saw string, status, times int, body, want string) wireCase {
		c := said(saw, status, times, raw(body)+doneFrame, want)
		c.kind = "text/event-stream"
		return c
	}
	return []wireCase{
		said("an hour of retries for a quota that is used up", 429, 1, `{"error":{"code":"insufficient_quota","message":"quota used up"}}`, `error 429 insufficient_quota "quota used up"`),
		said("an hour of retries for a balance that is used up", 402, 1, `{"error":{"message":"Insufficient Balance"}}`, `error 402 "Insufficient Balance"`),
		framed("an hour of retries for a quota that is used up, in an event", 429, 1, `{"error":{"code":"insufficient_quota","message":"quota used up"}}`, `error 429 insufficient_quota "quota used up"`),
		framed("the frame of an event in an error", 400, 1, `{"error":{"message":"prompt is too long","type":"invalid_request_error"}}`, `error 400 invalid_request_error "prompt is too long"`),
		framed("the frame of an event around plain words", 503, 4, `busy`, `error 503 "busy"`),
		said("the name of an event in an error", 400, 1, "event: error\ndata: "+`{"error":{"code":"x","message":"Why."}}`, `error 400 x "Why."`),
		said("a ping taken for the error behind it", 400, 1, ": hi\n\nevent: ping\ndata: {}\n\nevent: error\ndata: "+`{"message":"Why."}`+"\n\n", `error 400 "Why."`),
		said("an error in several lines of data lost", 400, 1, "data: {\"error\":\ndata: {\"message\":\"Why.\"}}\n\n", `error 400 "Why."`),
		said("an error called by its field lost", 500, 4, `error: {"code":500,"message":"boom"}`, `error 500 500 "boom"`),
		said("lines of words taken for events", 502, 4, "upstream said:\nerror: no route\ndata: none", `error 502 "upstream said: error: no route data: none"`),
		said("nothing for an event that only ends", 502, 4, "data: [DONE]\n\n", `error 502 "data: [DONE]"`),
		said("a rate limit taken for a quota", 429, 4, `{"error":{"message":"Quota exceeded: 100 requests/minute"}}`, `error 429 "Quota exceeded: 100 requests/minute"`),
		said("a window overrun told in words asked for again", 400, 1, `{"error":{"message":"prompt is too long"}}`, `error 400 "prompt is too long"`),
		said("a window overrun in a flat body asked for again", 400, 1, `{"object":"error","message":"Input length exceeds","code":400}`, `error 400 400 "Input length exceeds"`),
		said("a code that is a number lost", 503, 4, `{"error":{"message":"overloaded","code":503}}`, `error 503 503 "overloaded"`),
		said("an error that is a string lost", 400, 1, `{"error":"text"}`, `error 400 "text"`),
		said("a detail lost", 404, 1, `{"detail":"Not Found"}`, `error 404 "Not Found"`),
		said("the cause behind a gateway lost", 400, 1, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"too long"}}}`, `error 400 400 "Provider returned error: too long"`),
		said("the place of an error lost", 422, 1, `{"error":{"code":"schema_validation_failed","message":"bad","param":"messages[0].content"}}`, `error 422 schema_validation_failed messages[0].content "bad"`),
		said("a message alone lost", 500, 4, `{"message":"boom"}`, `error 500 "boom"`),
		said("an error in a list lost", 400, 1, `[{"error":{"code":400,"message":"boom"}}]`, `error 400 400 "boom"`),
		said("nothing of another object", 500, 4, `{"ok":false}`, `error 500 "{\"ok\":false}"`),
		said("escape codes of a refusal on the screen", 400, 1, "\x1b[31mred\x1b[0m \x1b]0;title\x07and\u202e bidi\u0085\x00", `error 400 "red and bidi"`),
		said("a list of details lost", 422, 1, `{"detail":[{"loc":["body","messages",0,"content"],"msg":"field required","type":"missing"}]}`, `error 422 missing messages.0.content "messages.0.content: field required"`),
		said("the wrapped envelope of another API lost", 529, 4, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, `error 529 overloaded_error "Overloaded"`),
		said("a crash at an envelope full of null", 400, 1, `{"error":{"type":null,"code":null,"message":null,"param":null,"request_id":null,"docs_url":null}}`,
			`error 400 "{\"error\":{\"type\":null,\"code\":null,\"message\":null,\"param\":null,\"request_id\":null,\"docs_url\":null}}"`),
		said("a crash at an envelope of the wrong kinds", 400, 1, `{"error":{"type":["x"],"code":{"a":1},"message":"Why.","param":7,"request_id":false,"docs_url":[]}}`, `error 400 7 "Why."`),
		said("a crash at an error that is null", 500, 4, `{"error":null}`, `error 500 "{\"error\":null}"`),
		said("a crash at half an envelope", 500, 4, `{"error":{"message":"bo`, `error 500 "bo"`),
		said("nothing at all for a body without a byte", 502, 4, ``, `error 502 "Bad Gateway"`),
		said("the key of an error on the screen", 401, 1, `{"error":{"message":"Incorrect API key provided: sk-SECRET-123456"}}`, `error 401 "Incorrect API key provided: •••"`),
	}
}

// pageCases are web pages and plain words where an answer belongs.
func pageCases() []wireCase {
	const page = "<!doctype html><html><head><title>Bad gateway</title></head><body>Your IP: 10.0.0.1, Ray ID: 8f</body></html>"
	return []wireCase{
		{saw: "a page of markup for an answer", status: 502, kind: "text/html", body: page + strings.Repeat("<p>x</p>", 500), times: 4, want: `page 502 "Bad gateway"`},
		{saw: "a login page for an answer", kind: "text/html", body: page, want: `page 200 "Bad gateway"`},
		{saw: "a login page for a stream", body: page, want: `page 200 "Bad gateway"`},
		{saw: "a login page behind blank lines", body: "\n\n\n" + page, want: `page 200 "Bad gateway"`},
		{saw: "a page for an address that does not exist", status: 404, kind: "text/html", body: page, want: `page 404 "Bad gateway"`},
		{saw: "a page for a key that may not", status: 403, kind: "text/html", body: "<html><body>Your IP: 10.0.0.1</body></html>", want: `page 403 ""`},
		{saw: "escape codes of a page on the screen", status: 404, kind: "text/html", body: "<html><title>\x1b[31mno\x1b]0;x\x07 page\x00</title>", want: `page 404 "no page"`},
		{saw: "words of a gateway in the answer", status: 504, kind: "text/plain", body: "Gateway Timeout", times: 4, want: `error 504 "Gateway Timeout"`},
		{saw: "words of a gateway taken for an empty answer", kind: "text/plain", body: "upstream is down", want: `error 200 "upstream is down"`},
	}
}

func TestAnErrorInsideAnAnswerIsAnError(t *testing.T)            { checkCases(t, streamErrorCases()) }
func TestARefusalIsToldAndTriedAgainOnlyIfItPasses(t *testing.T) { checkCases(t, refusalCases()) }
func TestARefusalIsReadInEveryShape(t *testing.T)                { checkCases(t, errorBodyCases()) }
func TestAWebPageIsNeverAnAnswer(t *testing.T)                   { checkCases(t, pageCases()) }
