package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The request bodies of the API's document are in testdata/document, what it
// shows of answers in testdata/answers, all verbatim.

func documentBody(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "document", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryExampleOfTheDocumentSucceeds(t *testing.T) {
	files, _ := filepath.Glob("testdata/document/*.json")
	if len(files) != 7 {
		t.Fatalf("found %d examples, want 7", len(files))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, profile := range []Profile{Document, Strict} {
			if profile == Strict && (name == "tool_results" || name == "vision") {
				continue // null content and the placeholder: what the strict profile is there to refuse
			}
			t.Run(name+" "+string(profile), func(t *testing.T) {
				run := start(t, Options{Profile: profile})
				a := run.post(t, documentBody(t, name))
				if a.status != 200 {
					t.Fatalf("status %d: %s", a.status, a.body)
				}
				if name == "stream" {
					if got := a.content(); !strings.HasPrefix(got, "1, 2, 3, 4, 5\n\n") {
						t.Errorf("content %q", got)
					}
					return
				}
				var c completion
				if err := json.Unmarshal(a.body, &c); err != nil || len(c.Choices) != 1 {
					t.Fatalf("%v in %s", err, a.body)
				}
				checkExample(t, name, c)
			})
		}
	}
}

func checkExample(t *testing.T, name string, c completion) {
	t.Helper()
	m, finish := c.Choices[0].Message, c.Choices[0].Finish
	switch name {
	case "tools":
		if finish != "tool_calls" || len(m.ToolCalls) != 1 || m.ToolCalls[0].Function.Name != "get_weather" || m.ToolCalls[0].Function.Arguments != `{"city":"Paris"}` {
			t.Errorf("finish %q, calls %+v", finish, m.ToolCalls)
		}
	case "tool_results":
		if !strings.Contains(m.Content, "18C and sunny") || finish != "stop" {
			t.Errorf("finish %q, content %q", finish, m.Content)
		}
	case "json_schema":
		var person struct {
			Name *string
			Age  *int
		}
		d := json.NewDecoder(strings.NewReader(m.Content))
		d.DisallowUnknownFields()
		if err := d.Decode(&person); err != nil || person.Name == nil || person.Age == nil {
			t.Errorf("%v in %q", err, m.Content)
		}
	case "reasoning":
		if m.Reasoning == nil || c.Usage.CompletionDetails.Reasoning == 0 {
			t.Errorf("no reasoning: %+v", c)
		}
	case "vision":
		if !strings.Contains(m.Content, "placeholder") {
			t.Errorf("content %q", m.Content)
		}
	default:
		if !strings.Contains(m.Content, "Scripted demo") || !strings.Contains(m.Content, "Answer in one sentence.") {
			t.Errorf("content %q", m.Content)
		}
	}
	if u := c.Usage; u.Total != u.Prompt+u.Completion || u.Prompt == 0 || u.Completion == 0 {
		t.Errorf("usage %+v", u)
	}
}

// The one example that is a piece of a request.
func TestJSONModeOfTheDocumentGivesAnObject(t *testing.T) {
	run := start(t, Options{})
	fragment := strings.Trim(`{"response_format": {"type": "json_object"}}`, "{}") + "}"
	for _, model := range New(Options{}).cards {
		var object map[string]any
		c := run.complete(t, "Describe a boat in JSON.", `"model":"`+model.ID+`"`, fragment)
		if err := json.Unmarshal([]byte(c.Message.Content), &object); err != nil || c.Finish != "stop" {
			t.Errorf("%s: %v in %q, finish %q", model.ID, err, c.Message.Content, c.Finish)
		}
	}
}

// sameShape tells where got lacks something that want has, or has it as
// another type. Further fields are allowed, as the document says.
func sameShape(at string, want, got any) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, want an object", at, got)
		}
		for name, v := range w {
			if _, ok := g[name]; !ok {
				return fmt.Errorf("%s.%s is missing", at, name)
			}
			if err := sameShape(at+"."+name, v, g[name]); err != nil {
				return err
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s is %v, want %d items", at, got, len(w))
		}
		for i := range w {
			if err := sameShape(fmt.Sprintf("%s[%d]", at, i), w[i], g[i]); err != nil {
				return err
			}
		}
	default:
		if reflect.TypeOf(want) != reflect.TypeOf(got) {
			return fmt.Errorf("%s is %v, want the type of %v", at, got, want)
		}
	}
	return nil
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func documentAnswer(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "answers", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWholeAnswersHaveTheShapeOfTheDocument(t *testing.T) {
	run := start(t, Options{})
	a := run.post(t, bytes.Replace(documentBody(t, "basic"), []byte(`"max_tokens"`), []byte(`"reasoning_effort": "none", "max_tokens"`), 1))
	if err := sameShape("answer", decoded(t, documentAnswer(t, "response.json")), decoded(t, a.body)); err != nil {
		t.Error(err)
	}
	a = run.post(t, documentBody(t, "tools"))
	message := decoded(t, a.body).(map[string]any)["choices"].([]any)[0].(map[string]any)["message"]
	if err := sameShape("message", decoded(t, documentAnswer(t, "tool_message.json")), message); err != nil {
		t.Error(err)
	}
	if message.(map[string]any)["content"] != "" {
		t.Errorf("content beside tool calls: %v", message)
	}
}

// Every chunk of the transcripts must have a chunk like it, in that order.
func TestStreamsHaveTheShapeOfTheTranscripts(t *testing.T) {
	run := start(t, Options{})
	toolBody := bytes.Replace(documentBody(t, "tools"), []byte(`"tool_choice"`), []byte(`"stream": true, "tool_choice"`), 1)
	for name, body := range map[string][]byte{"stream.txt": documentBody(t, "stream"), "tool_stream.txt": toolBody} {
		shown := answered{body: documentAnswer(t, name)}.events()
		if len(shown) < 4 {
			t.Fatalf("%s has %d events", name, len(shown))
		}
		ours := run.post(t, body).events()
		for _, want := range shown {
			for {
				if len(ours) == 0 {
					t.Fatalf("%s: there is no event like %s", name, want)
				}
				got := ours[0]
				ours = ours[1:]
				if got == want || want != "[DONE]" && got != "[DONE]" && sameShape("chunk", decoded(t, []byte(want)), decoded(t, []byte(got))) == nil {
					break
				}
			}
		}
	}
}

// The fields of the document's transcripts must all be there, in that shape.
func TestStreamHasTheShapeOfTheDocument(t *testing.T) {
	run := start(t, Options{})
	a := run.post(t, documentBody(t, "stream"))
	events := a.events()
	if got := a.header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
	if events[len(events)-1] != "[DONE]" || !bytes.HasSuffix(a.body, []byte("data: [DONE]\n\n")) {
		t.Errorf("last event %q", events[len(events)-1])
	}
	wants := map[int]string{
		0:               `"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`,
		len(events) - 3: `"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`,
		len(events) - 2: `"choices":[],"usage":{"prompt_tokens":`,
	}
	for i, want := range wants {
		if !strings.Contains(events[i], want) {
			t.Errorf("event %d is %s, want %s in it", i, events[i], want)
		}
	}
	for i, e := range events[:len(events)-1] {
		var c struct {
			ID, Object, Model string
			Created           int64
		}
		if err := json.Unmarshal([]byte(e), &c); err != nil || len(c.ID) != 32 || c.Object != "chat.completion.chunk" || c.Created == 0 || c.Model != "GLM-5.3" {
			t.Errorf("event %d: %v in %s", i, err, e)
		}
	}
}

func TestToolCallStreamsInFragments(t *testing.T) {
	run := start(t, Options{})
	body := bytes.Replace(documentBody(t, "tools"), []byte(`"tool_choice"`), []byte(`"stream": true, "tool_choice"`), 1)
	var arguments, id, name, finish string
	fragments := 0
	for _, c := range run.post(t, body).chunks(t) {
		for _, choice := range c.Choices {
			for _, call := range choice.Delta.ToolCalls {
				fragments++
				arguments += call.Function.Arguments
				id, name = id+call.ID, name+call.Function.Name
			}
			if choice.Finish != nil {
				finish = *choice.Finish
			}
		}
	}
	if arguments != `{"city":"Paris"}` || name != "get_weather" || !strings.HasPrefix(id, "call_") || len(id) != 29 || finish != "tool_calls" || fragments < 3 {
		t.Errorf("arguments %q, name %q, id %q, finish %q, %d fragments", arguments, name, id, finish, fragments)
	}
}

func TestRosterIsServedWithFullCards(t *testing.T) {
	run := start(t, Options{Cards: []json.RawMessage{json.RawMessage(`{"id":"bare"}`)}})
	var list struct {
		Object string
		Data   []struct {
			ID          string
			Object      string
			Created     int64
			MaxModelLen int  `json:"max_model_len"`
			ZDR         bool `json:"zdr_supported"`
			Wafer       *struct {
				Context      int            `json:"context_length"`
				MaxOutput    *int           `json:"max_output_tokens"`
				Pricing      map[string]any `json:"pricing"`
				Capabilities struct {
					Vision    *bool `json:"vision"`
					Reasoning struct {
						Efforts []string
						Default string
					} `json:"reasoning_effort"`
					Chat map[string]bool `json:"chat_completions"`
				}
			}
		}
	}
	if err := json.Unmarshal(run.get(t, "/models").body, &list); err != nil || list.Object != "list" {
		t.Fatalf("%v, object %q", err, list.Object)
	}
	var ids []string
	for _, c := range list.Data {
		ids = append(ids, c.ID)
		if c.ID == "bare" {
			continue
		}
		w := c.Wafer
		if c.Object != "model" || c.Created == 0 || c.MaxModelLen != w.Context || len(w.Pricing) != 5 || w.Capabilities.Vision == nil || len(w.Capabilities.Chat) != 11 {
			t.Errorf("card of %s: %+v", c.ID, c)
		}
		if e := w.Capabilities.Reasoning; !slices.Contains(e.Efforts, e.Default) {
			t.Errorf("%s: default effort %q is not in %v", c.ID, e.Default, e.Efforts)
		}
		if (c.ID == "Kimi-K3") != (w.MaxOutput != nil) || (c.ID == "Qwen3.8-27B") == c.ZDR {
			t.Errorf("%s: max output %v, zdr %v", c.ID, w.MaxOutput, c.ZDR)
		}
	}
	want := []string{"GLM-5.3", "DeepSeek-V4-Pro", "Kimi-K3", "GLM-5.2", "Qwen3.8-27B", "GLM-5.3-Flash", "DeepSeek-V4.1-Flash", "DeepSeek-V4-Flash-0731-Fast", "bare"}
	if !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
}
