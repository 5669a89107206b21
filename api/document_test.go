package api

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// What follows is copied from the API's document.

const documentStream = `data: {"id":"724b7b08675f40d7aa75c80d5fe51cf5","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"724b7b08675f40d7aa75c80d5fe51cf5","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{"content":"1, 2, 3, 4, 5"},"finish_reason":null}]}

data: {"id":"724b7b08675f40d7aa75c80d5fe51cf5","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"724b7b08675f40d7aa75c80d5fe51cf5","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":10,"total_tokens":21,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}

data: [DONE]

`

const documentToolStream = `data: {"id":"106ed1a9d8294689a7d9e3f5487f50df","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_2887db464fdc4968a012f396","index":0,"type":"function","function":{"name":"get_weather","arguments":""}}]},"finish_reason":null}]}

data: {"id":"106ed1a9d8294689a7d9e3f5487f50df","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\": "}}]},"finish_reason":null}]}

data: {"id":"106ed1a9d8294689a7d9e3f5487f50df","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Paris\"}"}}]},"finish_reason":null}]}

data: {"id":"106ed1a9d8294689a7d9e3f5487f50df","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
`

const documentResponse = `{
  "id": "c3a7ac6de84a4e9eade77ab63a27a1ca",
  "object": "chat.completion",
  "created": 1790793243,
  "model": "GLM-5.3",
  "choices": [
    {
      "index": 0,
      "message": {
        "role": "assistant",
        "content": "Wafer Serverless is pay-per-token access to Wafer-hosted models.",
        "reasoning_content": null,
        "tool_calls": null
      },
      "finish_reason": "stop"
    }
  ],
  "usage": {
    "prompt_tokens": 22,
    "completion_tokens": 16,
    "total_tokens": 38,
    "prompt_tokens_details": {"cached_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0}
  }
}`

const documentRequest = `{
    "model": "GLM-5.3",
    "messages": [
      {"role": "system", "content": "Answer in one sentence."},
      {"role": "user", "content": "What is Wafer Serverless?"}
    ],
    "max_tokens": 1024
  }`

const documentToolResult = `{
  "model": "GLM-5.3",
  "messages": [
    {"role": "user", "content": "What is the weather in Paris?"},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\":\"Paris\"}"}}
    ]},
    {"role": "tool", "tool_call_id": "call_1", "content": "18C and sunny"}
  ],
  "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
}`

const documentVision = `{
  "model": "Kimi-K3",
  "messages": [{
    "role": "user",
    "content": [
      {"type": "text", "text": "What is in this image?"},
      {"type": "image_url", "image_url": {"url": "data:image/png;base64,<BASE64_IMAGE>"}}
    ]
  }],
  "max_tokens": 1024
}`

func number(n int64) *int64 { return &n }

func sameUsage(t *testing.T, got *Usage, prompt, completion, total, cached, reasoning *int64) {
	t.Helper()
	if got == nil {
		t.Fatal("no usage")
	}
	counts := *got
	counts.Raw = nil
	a, _ := json.Marshal(counts)
	b, _ := json.Marshal(Usage{
		PromptTokens: prompt, CompletionTokens: completion, TotalTokens: total, CachedTokens: cached, ReasoningTokens: reasoning,
	})
	if !bytes.Equal(a, b) {
		t.Errorf("usage %s, want %s", a, b)
	}
}

func TestTheDocumentsStreamIsCountedToFive(t *testing.T) {
	o := play(t, documentStream)
	wantText(t, o, "1, 2, 3, 4, 5")
	if o.finish != "stop" {
		t.Errorf("finish %q", o.finish)
	}
	sameUsage(t, o.usage, number(11), number(10), number(21), number(0), number(0))
	want := "open text finish usage"
	if got := kinds(o); got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

func kinds(o outcome) string {
	var names []string
	for _, k := range o.kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, " ")
}

func TestTheDocumentsToolStreamGivesOneCall(t *testing.T) {
	for name, stream := range map[string]string{
		"as printed, without [DONE]": documentToolStream,
		"with usage and [DONE]":      documentToolStream + "\n" + usageFrame + doneFrame,
	} {
		t.Run(name, func(t *testing.T) {
			o := play(t, stream)
			wantText(t, o, "")
			want := ToolCall{ID: "call_2887db464fdc4968a012f396", Name: "get_weather", Arguments: `{"city": "Paris"}`}
			if len(o.calls) != 1 || !reflect.DeepEqual(o.calls[0], want) || o.finish != "tool_calls" {
				t.Errorf("calls %+v finish %q", o.calls, o.finish)
			}
		})
	}
}

func TestTheDocumentsResponseIsRead(t *testing.T) {
	c, server := newTestClient(t, noRetries, answer(200, []string{"Content-Type: application/json", "x-request-id: req_a1b2c3d4e5f6"}, documentResponse))
	got, err := c.Complete(context.Background(), hello())
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "c3a7ac6de84a4e9eade77ab63a27a1ca" || got.Model != "GLM-5.3" || got.RequestID != "req_a1b2c3d4e5f6" || len(got.Choices) != 1 {
		t.Fatalf("%+v", got)
	}
	m := got.Choices[0].Message
	if m.Content[0].Text != "Wafer Serverless is pay-per-token access to Wafer-hosted models." || m.Reasoning != nil || m.ToolCalls != nil || got.Choices[0].Finish != "stop" {
		t.Errorf("%+v", got.Choices[0])
	}
	sameUsage(t, got.Usage, number(22), number(16), number(38), number(0), number(0))
	if !strings.Contains(server.bodies[0], `"stream":false`) {
		t.Errorf("body %s", server.bodies[0])
	}
}

// sameJSON compares bodies; skip has the fields that only one of them has.
func sameJSON(t *testing.T, got []byte, want string, skip ...string) {
	t.Helper()
	decode := func(b []byte) string {
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		for _, name := range skip {
			delete(m, name)
		}
		out, _ := json.Marshal(m)
		return string(out)
	}
	if g, w := decode(got), decode([]byte(want)); g != w {
		t.Errorf("body\n%s\nwant\n%s", g, w)
	}
}

func TestTheDocumentsRequestsAreWhatIsSent(t *testing.T) {
	limit := 1024
	body := func(r Request) []byte {
		b, err := r.Body(false)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	sameJSON(t, body(Request{Model: "GLM-5.3", Params: Params{MaxTokens: &limit}, Messages: []Message{
		{Role: RoleSystem, Content: []Part{{Text: "Answer in one sentence."}}},
		{Role: RoleUser, Content: []Part{{Text: "What is Wafer Serverless?"}}},
	}}), documentRequest, "stream")

	sameJSON(t, body(Request{Model: "Kimi-K3", Params: Params{MaxTokens: &limit}, Messages: []Message{
		{Role: RoleUser, Content: []Part{{Text: "What is in this image?"}, {ImageURL: "data:image/png;base64,<BASE64_IMAGE>"}}},
	}}), documentVision, "stream")

	tool := Tool{Name: "get_weather", Parameters: json.RawMessage(`{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}`)}
	sameJSON(t, body(Request{Model: "GLM-5.3", Tools: []Tool{tool}, Messages: []Message{
		{Role: RoleUser, Content: []Part{{Text: "What is the weather in Paris?"}}},
		{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "call_1", Name: "get_weather", Arguments: `{"city":"Paris"}`}}},
		{Role: RoleTool, ToolCallID: "call_1", Content: []Part{{Text: "18C and sunny"}}},
	}}), strings.Replace(documentToolResult, `"content": null`, `"content": ""`, 1), "stream")
}
