package api

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

// refusing answers with a 400 that says this about a parameter.
func refusing(message, param, code string) reply {
	return refused(400, `{"error":{"message":`+quoted(message)+`,"param":`+quoted(param)+`,"code":`+quoted(code)+`}}`)
}

// toolTurn is a conversation with a call that has no words beside it.
func toolTurn() Request {
	r := hello()
	r.Messages = append(r.Messages,
		Message{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		Message{Role: RoleTool, ToolCallID: "a"})
	return r
}

func TestEmptyContentBesideCallsIsLeftOutWhereItIsRefused(t *testing.T) {
	for name, first := range map[string]reply{
		"of blocks":          refusing("messages: text content blocks must be non-empty", "", ""),
		"plainly":            refusing("content cannot be empty", "", ""),
		"as a schema says":   refusing("[] is too short - 'messages.1.content'", "", ""),
		"by its place":       refusing("must not be empty", "messages[1].content", ""),
		"of a list of words": refused(422, `{"detail":[{"loc":["body","messages",1,"content"],"msg":"String should have at least 1 character"}]}`),
		"as blank":           refusing("The text field in the ContentBlock object at messages.1.content.0 is blank.", "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			c, server := newTestClient(t, Options{}, first, whole)
			o := read(c.Stream(t.Context(), toolTurn()))
			wantText(t, o, "fine")
			if len(o.retries) != 1 || o.retries[0].Dropped != "content" || o.retries[0].Wait != 0 {
				t.Fatalf("%+v", o.retries)
			}
			const before = `{"role":"assistant","content":"","tool_calls":[{"id":"a"`
			if !strings.Contains(server.bodies[0], before) {
				t.Fatal(server.bodies[0])
			}
			// Nothing else has changed, the empty result of the tool neither.
			if want := strings.Replace(server.bodies[0], `"assistant","content":"",`, `"assistant",`, 1); server.bodies[1] != want {
				t.Errorf("%s\nwant %s", server.bodies[1], want)
			}
			wantText(t, read(c.Stream(t.Context(), toolTurn())), "fine")
			if server.bodies[2] != server.bodies[1] {
				t.Errorf("not remembered: %s", server.bodies[2])
			}
			other := toolTurn()
			other.Model = "another"
			if b, err := c.Body(other, true); err != nil || !strings.Contains(string(b), before) {
				t.Errorf("another model: %s %v", b, err)
			}
		})
	}
}

func TestNothingIsLeftOutWhenItIsNotTheContentOfACall(t *testing.T) {
	spoken := toolTurn()
	spoken.Messages[1].Content = []Part{{Text: "I look."}}
	pictured := toolTurn()
	pictured.Messages[1].Content = []Part{{ImageURL: "data:,"}}
	empty := hello()
	empty.Messages = append(empty.Messages, Message{Role: RoleAssistant}, Message{Role: RoleUser})
	const said = "messages: text content blocks must be non-empty"
	for name, c := range map[string]struct {
		req     Request
		message string
		status  int
	}{
		"there is text":           {spoken, said, 400},
		"there is an image":       {pictured, said, 400},
		"there are no calls":      {empty, said, 400},
		"another field is empty":  {toolTurn(), "reasoning_content cannot be empty", 400},
		"the content is too long": {toolTurn(), "content is too long", 400},
		"it is no refusal of it":  {toolTurn(), said, 404},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := newTestClient(t, Options{}, refused(c.status, `{"error":{"message":`+quoted(c.message)+`}}`), whole)
			if o := read(client.Stream(t.Context(), c.req)); o.err == nil || server.count() != 1 {
				t.Errorf("%v, %d requests, %+v", o.err, server.count(), o.retries)
			}
		})
	}
	// It is left out once; a server that is not content with that is believed.
	client, server := newTestClient(t, Options{}, refused(400, `{"error":{"message":"content cannot be empty"}}`))
	if o := read(client.Stream(t.Context(), toolTurn())); o.err == nil || server.count() != 2 {
		t.Errorf("%v, %d requests", o.err, server.count())
	}
	client, server = newTestClient(t, noRetries, refused(400, `{"error":{"message":"content cannot be empty"}}`))
	if o := read(client.Stream(t.Context(), toolTurn())); o.err == nil || server.count() != 1 {
		t.Errorf("%v, %d requests", o.err, server.count())
	}
}

// thinker sends its thoughts back under "reasoning" and wishes for more in
// another field of that name.
func thinker(p Params) Request {
	thoughts := "because"
	r := hello()
	r.Params = p
	r.Messages = append(r.Messages, Message{Role: RoleAssistant, Content: []Part{{Text: "x"}}, Reasoning: &thoughts, ReasoningField: "reasoning"},
		Message{Role: RoleUser, Content: []Part{{Text: "more"}}})
	return r
}

func TestAWishToThinkIsToldFromThoughts(t *testing.T) {
	typed := Params{Reasoning: EffortObject("high")}
	named := Params{Extra: map[string]json.RawMessage{"reasoning": EffortObject("high")}}
	const wish, thoughts = `"reasoning":{"effort":"high"}`, `"reasoning":"because"`
	for name, c := range map[string]struct {
		params  Params
		refusal reply
		gone    string // what the second request has not
	}{
		"the parameter":                       {typed, refusing("Unsupported parameter: 'reasoning'", "reasoning", "unsupported_parameter"), wish},
		"the parameter, without its place":    {typed, refusing("Unsupported parameter: 'reasoning'", "", ""), wish},
		"the field of a message":              {typed, refusing("unknown field", "messages[1].reasoning", ""), thoughts},
		"the field of a message, in words":    {typed, refusing("messages.1.'reasoning': extra inputs are not permitted", "", ""), thoughts},
		"the only one there is":               {Params{}, refusing("unknown field 'reasoning'", "reasoning", ""), thoughts},
		"asked for by name":                   {named, refusing("Unsupported parameter: 'reasoning'", "reasoning", "unsupported_parameter"), ""},
		"asked for by name, but the thoughts": {named, refusing("unknown field", "messages[1].reasoning", ""), thoughts},
		"a value":                             {typed, refusing("reasoning.effort is unknown", "reasoning.effort", "unsupported_value"), ""},
		"a value that must be another":        {typed, refusing("'reasoning' effort must be one of low, high", "reasoning", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := newTestClient(t, Options{}, c.refusal, whole)
			o := read(client.Stream(t.Context(), thinker(c.params)))
			if c.gone == "" {
				if o.err == nil || server.count() != 1 {
					t.Errorf("%v, %d requests", o.err, server.count())
				}
				return
			}
			wantText(t, o, "fine")
			if len(o.retries) != 1 || o.retries[0].Dropped != "reasoning" {
				t.Errorf("%+v", o.retries)
			}
			for _, part := range []string{wish, thoughts} {
				if had, has := strings.Contains(server.bodies[0], part), strings.Contains(server.bodies[1], part); had && has == (part == c.gone) {
					t.Errorf("%s: %s", part, server.bodies[1])
				}
			}
		})
	}
}

func TestWhatIsAskedForByNameIsNeverLeftOut(t *testing.T) {
	half := 0.5
	r := hello()
	r.Temperature = &half
	r.Extra = map[string]json.RawMessage{"temperature": json.RawMessage(`1`), "top_k": json.RawMessage(`3`), "thinking": ThinkingSwitch(false)}
	for _, name := range []string{"temperature", "top_k", "thinking"} {
		client, server := newTestClient(t, Options{}, refusing("Unsupported parameter: '"+name+"'", name, "unsupported_parameter"), whole)
		if o := read(client.Stream(t.Context(), r)); o.err == nil || server.count() != 1 {
			t.Errorf("%s: %v, %d requests", name, o.err, server.count())
		}
		// Also when the server has refused it before.
		typed := hello()
		typed.Temperature, typed.TopK, typed.Thinking = &half, new(int), ThinkingSwitch(false)
		client, server = newTestClient(t, Options{}, refusing("Unsupported parameter: '"+name+"'", name, "unsupported_parameter"), whole)
		wantText(t, read(client.Stream(t.Context(), typed)), "fine")
		if strings.Contains(server.bodies[1], `"`+name+`"`) {
			t.Errorf("%s: %s", name, server.bodies[1])
		}
		wantText(t, read(client.Stream(t.Context(), r)), "fine")
		if !strings.Contains(server.bodies[2], `"`+name+`":`) {
			t.Errorf("%s: %s", name, server.bodies[2])
		}
	}
}

func TestTheLimitOfAnAnswerIsNeverLost(t *testing.T) {
	one := 1
	for name, c := range map[string]struct {
		params   Params
		refuses  []string
		want     string
		requests int
	}{
		"the older name":     {Params{MaxTokens: &one}, []string{"max_tokens"}, `"max_completion_tokens":1`, 2},
		"the newer name":     {Params{MaxCompletionTokens: &one}, []string{"max_completion_tokens"}, `"max_tokens":1`, 2},
		"one of both":        {Params{MaxTokens: &one, MaxCompletionTokens: &one}, []string{"max_tokens"}, `"max_completion_tokens":1`, 2},
		"one name and both":  {Params{MaxTokens: &one}, []string{"max_tokens", "max_completion_tokens"}, `"max_completion_tokens":1`, 2},
		"both names in turn": {Params{MaxCompletionTokens: &one}, []string{"max_completion_tokens", "max_tokens"}, `"max_tokens":1`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var replies []reply
				for _, name := range c.refuses {
					replies = append(replies, refusing("Unsupported parameter: '"+name+"'", name, "unsupported_parameter"))
				}
				req := hello()
				req.Params = c.params
				client, server := newTestClient(t, Options{}, append(replies, whole)...)
				o := read(client.Stream(t.Context(), req))
				last := server.bodies[len(server.bodies)-1]
				if server.count() != c.requests || (o.err == nil) != (len(c.refuses) == 1) || !strings.Contains(last, c.want) || strings.Count(last, "_tokens") != 1 {
					t.Errorf("%v, %d requests, %s", o.err, server.count(), last)
				}
			})
		})
	}
}

func TestARequestIDThatNoHeaderCarriesIsNotSent(t *testing.T) {
	for _, id := range []string{"a\r\nX-Evil: 1", "é", "a\x00", " a", "a ", strings.Repeat("x", maxRequestID+1)} {
		client, server := newTestClient(t, Options{}, whole)
		req := hello()
		req.RequestID = id
		if o := read(client.Stream(t.Context(), req)); o.err == nil || strings.Contains(o.err.Error(), "Evil") || server.count() != 0 {
			t.Errorf("%q: %v, %d requests", id, o.err, server.count())
		}
		if _, err := client.Complete(t.Context(), req); err == nil {
			t.Errorf("%q was sent", id)
		}
	}
}

func TestTheServersOwnRequestIDIsTheOneToName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		id := "my run #7 (a)"
		echo := func(status int, body string) reply {
			return answer(status, []string{"Content-Type: text/event-stream", "X-Request-Id: client_" + id}, body)
		}
		client, server := newTestClient(t, Options{}, echo(503, ""), echo(200, textFrame("fine")+finishFrame("stop")+doneFrame))
		req := hello()
		req.RequestID = id
		o := read(client.Stream(t.Context(), req))
		wantText(t, o, "fine")
		if o.opens[0].RequestID != "client_"+id || asError[*Error](t, o.retries[0].Err).RequestID != "client_"+id {
			t.Errorf("%+v %+v", o.opens, o.retries)
		}
		for i, r := range server.requests {
			if got := r.Header.Values("X-Request-Id"); len(got) != 1 || got[0] != id {
				t.Errorf("attempt %d: %q", i+1, got)
			}
		}
	})
}

func TestARequestThatWaferWouldRefuseForItsSizeIsNotSent(t *testing.T) {
	body := make([]byte, maxWaferBody) // what matters is how long it is
	for _, c := range []struct {
		base string
		size int
		ok   bool
	}{
		{"https://pass.wafer.ai", maxWaferBody, false},
		{"https://PASS.wafer.ai/v1", maxWaferBody, false},
		{"https://pass.wafer.ai", maxWaferBody - 1, true},
		{"http://127.0.0.1:8080", maxWaferBody, true}, // others have limits of their own
	} {
		client, _ := newTestClient(t, Options{BaseURL: c.base}, whole)
		err := client.check(hello(), body[:c.size])
		if c.ok != (err == nil) || !c.ok && (!errors.Is(err, ErrBodyTooLarge) || !strings.Contains(err.Error(), "50 MB")) {
			t.Errorf("%s, %d bytes: %v", c.base, c.size, err)
		}
	}
}
