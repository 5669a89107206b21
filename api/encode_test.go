package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func bodyOf(t *testing.T, r Request, stream bool) string {
	t.Helper()
	b, err := r.Body(stream)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) || !utf8.Valid(b) {
		t.Fatalf("not valid: %s", b)
	}
	return string(b)
}

func TestATextMessageHasRoleAndContentAlone(t *testing.T) {
	got := bodyOf(t, hello(), true)
	if want := `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestEveryParameterIsSentUnderItsNameOnlyWhenSet(t *testing.T) {
	one, half, yes, seed := 1, 0.5, true, int64(7)
	r := hello()
	r.Params = Params{
		MaxTokens: &one, Temperature: &half, TopP: &half, TopK: &one, MinP: &half, FrequencyPenalty: &half, PresencePenalty: &half,
		RepetitionPenalty: &half, Stop: []string{"a"}, Seed: &seed, N: &one, Logprobs: &yes, TopLogprobs: &one,
		ToolChoice: json.RawMessage(`"auto"`), ParallelToolCalls: &yes, ResponseFormat: json.RawMessage(`{"type":"json_object"}`),
		Regex: "a+", ReasoningEffort: "high", MaxCompletionTokens: &one, Reasoning: EffortObject("high"), Thinking: ThinkingSwitch(true),
		Extra: map[string]json.RawMessage{"guided_choice": json.RawMessage(`["yes"]`)},
	}
	sameJSON(t, []byte(bodyOf(t, r, false)), `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false,
		"max_tokens":1,"temperature":0.5,"top_p":0.5,"top_k":1,"min_p":0.5,"frequency_penalty":0.5,"presence_penalty":0.5,
		"repetition_penalty":0.5,"stop":["a"],"seed":7,"n":1,"logprobs":true,"top_logprobs":1,"tool_choice":"auto",
		"parallel_tool_calls":true,"response_format":{"type":"json_object"},"regex":"a+","reasoning_effort":"high",
		"max_completion_tokens":1,"reasoning":{"effort":"high"},"thinking":{"type":"enabled"},"guided_choice":["yes"]}`)
	zero, zeroF, no := 0, 0.0, false
	r.Params = Params{Temperature: &zeroF, TopK: &zero, ParallelToolCalls: &no}
	sameJSON(t, []byte(bodyOf(t, r, false)), `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false,"temperature":0,"top_k":0,"parallel_tool_calls":false}`)
}

func TestTextIsNotEscapedForHTML(t *testing.T) {
	r := hello()
	r.Messages[0].Content[0].Text = "a < b && c > d \u2028"
	if got := bodyOf(t, r, false); !strings.Contains(got, `a < b && c > d`) {
		t.Error(got)
	}
}

func TestExtraFieldsAreMergedAndWin(t *testing.T) {
	half := 0.5
	r := hello()
	r.Temperature = &half
	r.Extra = map[string]json.RawMessage{
		"temperature": json.RawMessage(`1`), "a<b": json.RawMessage(`{"x":null}`), "stream": json.RawMessage(`false`),
		"thinking": json.RawMessage(`{"type":"disabled"}`), "model": json.RawMessage(`"other"`),
	}
	got := bodyOf(t, r, true)
	if want := `{"model":"other","messages":[{"role":"user","content":"hi"}],"stream":true,"a<b":{"x":null},"temperature":1,"thinking":{"type":"disabled"}}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Extra = map[string]json.RawMessage{"bad": json.RawMessage(`{`)}
	if _, err := r.Body(true); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("error %v", err)
	}
	c, server := newTestClient(t, noRetries, whole)
	if o := read(c.Stream(t.Context(), r)); o.err == nil || server.count() != 0 {
		t.Errorf("%v, %d requests", o.err, server.count())
	}
}

func TestContentIsNeverNull(t *testing.T) {
	call := []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}
	got := bodyOf(t, Request{Model: "m", Messages: []Message{{Role: RoleAssistant, ToolCalls: call}, {Role: RoleTool, ToolCallID: "a"}, {Role: RoleAssistant}}}, false)
	if strings.Contains(got, "null") || strings.Count(got, `"content":""`) != 3 {
		t.Error(got)
	}
}

func TestTextsAreJoinedAndImagesMakeParts(t *testing.T) {
	parts := []Part{{Text: "a"}, {Text: ""}, {Text: "b"}}
	got := bodyOf(t, Request{Model: "m", Messages: []Message{
		{Role: RoleUser, Content: parts}, {Role: RoleUser, Content: append(parts, Part{ImageURL: "https://x.test/a.png"})},
	}}, false)
	want := `{"model":"m","messages":[{"role":"user","content":"ab"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}]}],"stream":false}`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestReasoningGoesBackUnderTheNameItCameUnder(t *testing.T) {
	text, empty := "because <x>", ""
	for field, want := range map[string]string{
		"": "reasoning_content", "reasoning_content": "reasoning_content", "reasoning": "reasoning", "reasoning_text": "reasoning_text",
		"thinking": "thinking", "<think>": "reasoning_content", "reasoning_details": "reasoning_content",
	} {
		got := bodyOf(t, Request{Model: "m", Messages: []Message{{Role: RoleAssistant, Content: []Part{{Text: "x"}}, Reasoning: &text, ReasoningField: field}}}, false)
		if !strings.Contains(got, `"`+want+`":"because <x>"`) {
			t.Errorf("%q: %s", field, got)
		}
	}
	got := bodyOf(t, Request{Model: "m", Messages: []Message{{Role: RoleAssistant, Content: []Part{{Text: "x"}}, Reasoning: &empty,
		ReasoningDetails: json.RawMessage(`[{"type":"reasoning.encrypted","data":"<A>"}]`)}}}, false)
	if !strings.Contains(got, `"reasoning_content":""`) || !strings.Contains(got, `"reasoning_details":[{"type":"reasoning.encrypted","data":"<A>"}]`) {
		t.Error(got)
	}
}

func TestToolsAreSentAsTheDocumentHasThem(t *testing.T) {
	r := hello()
	r.Tools = []Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}}
	sameJSON(t, []byte(bodyOf(t, r, false)), `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false,"tools":[
		{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}},
		{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}]}`)
}

func TestTheBodyIsAlwaysValidText(t *testing.T) {
	r := Request{Model: "m", Messages: []Message{
		{Role: RoleUser, Content: []Part{{Text: "a\xff\xfe\xc3\x28\x80b \\ud83c"}}},
		{Role: RoleAssistant, ReasoningDetails: json.RawMessage(`[{"text":"\ud83c x","pair":"\ud83c\udf0d","low":"\udf0d","back":"\\ud83c"}]`)},
	}, Params: Params{Extra: map[string]json.RawMessage{"x": json.RawMessage("\"\xff\"")}}}
	got := bodyOf(t, r, false)
	for _, want := range []string{`"text":"\ufffd x"`, `"pair":"\ud83c\udf0d"`, `"low":"\ufffd"`, `"back":"\\ud83c"`, `b \\ud83c"`, `"x":"�"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func TestALongerConversationBeginsWithTheBytesOfTheShorter(t *testing.T) {
	r := hello()
	short := strings.TrimSuffix(strings.SplitAfter(bodyOf(t, r, true), `"content":"hi"}`)[0], "]")
	r.Messages = append(r.Messages, Message{Role: RoleAssistant, Content: []Part{{Text: "hello"}}})
	if !strings.HasPrefix(bodyOf(t, r, true), short) {
		t.Errorf("%s does not begin with %s", bodyOf(t, r, true), short)
	}
}

func TestUsageIsAskedForWhereItIsNotSentAnyway(t *testing.T) {
	for base, want := range map[string]bool{
		"https://pass.wafer.ai": false, "https://PASS.wafer.ai/v1": false, "https://api.wafer.ai/v1": true,
		"https://pass.wafer.ai.evil.test": true, "http://127.0.0.1:8080": true,
	} {
		c, server := newTestClient(t, Options{BaseURL: base, MaxRetries: new(int)}, whole)
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		if got := strings.Contains(server.bodies[0], `"stream_options":{"include_usage":true}`); got != want {
			t.Errorf("%s: %s", base, server.bodies[0])
		}
		if b, err := c.Body(hello(), true); err != nil || string(b) != server.bodies[0] {
			t.Errorf("Body gives %s, sent was %s", b, server.bodies[0])
		}
		_, _ = c.Complete(t.Context(), hello())
		if strings.Contains(server.bodies[1], "stream_options") {
			t.Errorf("%s: %s", base, server.bodies[1])
		}
	}
}

func TestKeysAreNotPrintedByAnyVerb(t *testing.T) {
	o := Options{Key: "wfr_secret"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if got := fmt.Sprintf(verb, o); strings.Contains(got, "secret") {
			t.Errorf("%s: %s", verb, got)
		}
	}
	c, _ := newTestClient(t, o, whole)
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if got := fmt.Sprintf(verb, c); strings.Contains(got, "wfr_secret") {
			t.Errorf("client by %s: %s", verb, got)
		}
	}
}
