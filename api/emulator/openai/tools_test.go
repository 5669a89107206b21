package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

// weatherTool is the tool of the document's example.
func weatherTool() openai.ChatCompletionToolUnionParam {
	return openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
		Name:        "get_weather",
		Description: openai.String("Get the current weather for a city."),
		Parameters: openai.FunctionParameters{
			"type":       "object",
			"properties": map[string]any{"city": map[string]any{"type": "string"}},
			"required":   []string{"city"},
		},
	})
}

// clockTool has no parameters at all.
func clockTool() openai.ChatCompletionToolUnionParam {
	return openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "read_clock"})
}

func askWithTools(text string) openai.ChatCompletionNewParams {
	p := ask(kimi, text)
	p.Tools = []openai.ChatCompletionToolUnionParam{weatherTool(), clockTool()}
	return p
}

// choose sets tool_choice to one of its words.
func choose(p *openai.ChatCompletionNewParams, word string) {
	p.ToolChoice.OfAuto = openai.String(word)
}

// calls are the tool calls of a message as "name arguments", the arguments
// written in one way. Ids and types are checked.
func calls(t *testing.T, m openai.ChatCompletionMessage) []string {
	t.Helper()
	var out, ids []string
	for _, c := range m.ToolCalls {
		if c.Type != "function" || !strings.HasPrefix(c.ID, "call_") || slices.Contains(ids, c.ID) {
			t.Errorf("a call with the type %q and the id %q", c.Type, c.ID)
		}
		ids = append(ids, c.ID)
		var arguments map[string]any
		if err := json.Unmarshal([]byte(c.Function.Arguments), &arguments); err != nil {
			t.Errorf("the arguments %q of %s are no JSON object: %v", c.Function.Arguments, c.Function.Name, err)
		}
		b, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c.Function.Name+" "+string(b))
	}
	return out
}

func TestToolsAreCalledAsChosen(t *testing.T) {
	const paris = `get_weather {"city":"Paris"}`
	named := func(p *openai.ChatCompletionNewParams) {
		p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "read_clock"})
	}
	tests := []struct {
		name, question string
		set            func(p *openai.ChatCompletionNewParams)
		want           []string
	}{
		{"not said, called for", "What is the weather in Paris?", nil, []string{paris}},
		{"not said, not called for", "Hello there", nil, nil},
		{"auto", "What is the weather in Paris?", func(p *openai.ChatCompletionNewParams) { choose(p, "auto") }, []string{paris}},
		{"none", "What is the weather in Paris?", func(p *openai.ChatCompletionNewParams) { choose(p, "none") }, nil},
		{"required", "Hello there", func(p *openai.ChatCompletionNewParams) { choose(p, "required") }, []string{paris}},
		{"named", "Hello there", named, []string{"read_clock {}"}},
		{"several at once", "What is the weather in Paris and Rome?", nil, []string{paris, `get_weather {"city":"Rome"}`}},
		{"one at a time", "What is the weather in Paris and Rome?", func(p *openai.ChatCompletionNewParams) { p.ParallelToolCalls = openai.Bool(false) }, []string{paris}},
	}
	inBothProfiles(t, func(t *testing.T, s service) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				p := askWithTools(tt.question)
				p.Seed = openai.Int(1)
				if tt.set != nil {
					tt.set(&p)
				}
				whole := s.complete(t, p).Choices[0]
				h := s.listenWell(t, p)
				streamed := h.Choices[0]
				for way, c := range map[string]openai.ChatCompletionChoice{"whole": whole, "streamed": streamed} {
					if got := calls(t, c.Message); !slices.Equal(got, tt.want) {
						t.Errorf("%s: calls %q, not %q", way, got, tt.want)
					}
					reason := "stop"
					if len(tt.want) > 0 {
						reason = "tool_calls"
					}
					if c.FinishReason != reason || (c.Message.Content == "") != (len(tt.want) > 0) {
						t.Errorf("%s: finish reason %q after %q", way, c.FinishReason, c.Message.Content)
					}
				}
			})
		}
	})
}

// The document: the first delta of a call carries its id, type and name; the
// later ones have the same index and fragments of the arguments.
func TestCallsStreamInFragments(t *testing.T) {
	s := start(t, emulator.Options{})
	h := s.listenWell(t, askWithTools("What is the weather in Paris and Rome?"))
	seen, fragments := map[int64]int{}, 0
	for _, chunk := range h.chunks {
		for _, choice := range chunk.Choices {
			for _, d := range choice.Delta.ToolCalls {
				if !d.JSON.Index.Valid() {
					t.Errorf("a delta without index: %s", d.RawJSON())
				}
				first := seen[d.Index] == 0
				seen[d.Index]++
				if first != (d.ID != "") || first != (d.Type == "function") || first != (d.Function.Name != "") {
					t.Errorf("delta %d of call %d is %s", seen[d.Index], d.Index, d.RawJSON())
				}
				if d.Function.Arguments != "" && !json.Valid([]byte(d.Function.Arguments)) {
					fragments++
				}
			}
		}
	}
	if len(seen) != 2 || fragments < 4 {
		t.Errorf("deltas by call: %v; %d of them with a fragment that is nothing by itself", seen, fragments)
	}
}

// secondRound answers every call of a message and asks again.
func secondRound(p openai.ChatCompletionNewParams, m openai.ChatCompletionMessage) openai.ChatCompletionNewParams {
	p.Messages = append(slices.Clip(p.Messages), m.ToParam())
	for i, c := range m.ToolCalls {
		p.Messages = append(p.Messages, openai.ToolMessage(fmt.Sprintf("%dC and sunny", 18+i), c.ID))
	}
	return p
}

func TestToolResultsAreAnswered(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := askWithTools("What is the weather in Paris and Rome?")
		for way, m := range map[string]openai.ChatCompletionMessage{
			"whole":    s.complete(t, p).Choices[0].Message,
			"streamed": s.listenWell(t, p).Choices[0].Message,
		} {
			next := secondRound(p, m)
			answer := s.complete(t, next).Choices[0]
			for _, result := range []string{"18C and sunny", "19C and sunny"} {
				if !strings.Contains(answer.Message.Content, result) || answer.FinishReason != "stop" {
					t.Errorf("%s calls: the answer to %s is %q, finish reason %q", way, result, answer.Message.Content, answer.FinishReason)
				}
			}
			if h := s.listenWell(t, next); !strings.Contains(h.Choices[0].Message.Content, "19C and sunny") {
				t.Errorf("%s calls: the streamed answer is %q", way, h.Choices[0].Message.Content)
			}
		}
	})
}

// The document's own second request has null as the content of the message
// with the calls.
func TestAMessageWithCallsMayHaveNullAsContent(t *testing.T) {
	s := start(t, emulator.Options{})
	p := askWithTools("What is the weather in Paris?")
	p = secondRound(p, s.complete(t, p).Choices[0].Message)
	c := s.complete(t, p, option.WithJSONSet("messages.1.content", nil))
	if !strings.Contains(c.Choices[0].Message.Content, "18C and sunny") {
		t.Errorf("answered %q", c.Choices[0].Message.Content)
	}
}

func TestPickyServersWantEveryCallAnswered(t *testing.T) {
	s := start(t, emulator.Options{Profile: emulator.Strict})
	p := askWithTools("What is the weather in Paris and Rome?")
	full := secondRound(p, s.complete(t, p).Choices[0].Message)
	missing := full
	missing.Messages = full.Messages[:len(full.Messages)-1]
	stray := full
	stray.Messages = append(slices.Clip(full.Messages), openai.ToolMessage("20C and rain", "call_of_nobody"))
	for name, p := range map[string]openai.ChatCompletionNewParams{"a result is missing": missing, "a result is too many": stray} {
		if e := s.refused(t, p); e.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, e.StatusCode)
		}
	}
}

func TestToolsThatCannotBeAreRefused(t *testing.T) {
	s := start(t, emulator.Options{})
	list := askWithTools("Hello there")
	list.Tools[0].OfFunction.Function.Parameters = openai.FunctionParameters{"type": "array"}
	unknown := askWithTools("Hello there")
	unknown.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "get_rich"})
	for _, tt := range []struct {
		p           openai.ChatCompletionNewParams
		code, param string
	}{
		{list, "tool_schema_invalid", "tools[0].function.parameters"},
		{unknown, "tool_choice_unknown_tool", "tool_choice"},
	} {
		e := s.refused(t, tt.p)
		if e.StatusCode != http.StatusBadRequest || e.Code != tt.code || !strings.HasPrefix(e.Param, tt.param) || e.Type != "invalid_request_error" {
			t.Errorf("status %d, %s; wanted %s for %s", e.StatusCode, e.RawJSON(), tt.code, tt.param)
		}
	}
}
