package chat

import (
	"testing"

	"waferchat/api"
	"waferchat/session"
)

func answered(p api.Params, text string, change ...func(*session.Message)) session.Message {
	m := session.Message{
		Role: api.RoleAssistant, State: session.Done, Finish: "stop", Params: p,
		Parts: []session.Part{{Kind: session.PartReasoning, Text: "no JSON"}, {Kind: session.PartText, Text: text}},
	}
	for _, c := range change {
		c(&m)
	}
	return m
}

func finished(reason string) func(*session.Message) {
	return func(m *session.Message) { m.Finish = reason }
}

func TestOnlyAWholeAnswerIsHeldAgainstWhatWasAskedFor(t *testing.T) {
	mode := api.Params{ResponseFormat: api.JSONMode()}
	call := func(m *session.Message) {
		m.Parts = append(m.Parts, session.Part{Kind: session.PartToolCall, Name: "f", Text: "{}"})
	}
	state := func(s session.State) func(*session.Message) { return func(m *session.Message) { m.State = s } }
	for name, c := range map[string]struct {
		m                 session.Message
		missed, unchecked bool
	}{
		"as asked for":          {answered(mode, `{"a":1}`), false, false},
		"not as asked for":      {answered(mode, "hello"), true, false},
		"without a reason":      {answered(mode, "hello", finished("")), true, false},
		"nothing asked for":     {answered(api.Params{}, "hello"), false, false},
		"cut by the limit":      {answered(mode, `{"a":`, finished("length")), false, false},
		"cut by another limit":  {answered(mode, `{"a":`, finished("MAX_TOKENS")), false, false},
		"filtered":              {answered(mode, `{"a":`, finished("content_filter")), false, false},
		"calls":                 {answered(mode, "", finished("tool_calls")), false, false},
		"calls that end a turn": {answered(mode, "", call), false, false},
		"interrupted":           {answered(mode, `{"a":`, state(session.Interrupted)), false, false},
		"stopped":               {answered(mode, `{"a":`, state(session.Cancelled)), false, false},
		"a question":            {answered(mode, "hello", func(m *session.Message) { m.Role = api.RoleUser }), false, false},
		"no expression at all":  {answered(api.Params{Regex: "["}, "hello"), true, true},
	} {
		miss := Unsatisfied(c.m)
		if (miss != nil) != c.missed || miss != nil && miss.Unchecked != c.unchecked {
			t.Errorf("%s: %v", name, miss)
		}
	}
}

func TestAnAnswerIsCutShortWhateverTheServerCallsIt(t *testing.T) {
	for finish, want := range map[string]bool{"length": true, "max_tokens": true, "model_length": true, "MAX_TOKENS": true, "max_output_tokens": true, "stop": false, "": false} {
		if CutShort(answered(api.Params{}, "a", finished(finish))) != want {
			t.Errorf("%q: %t", finish, !want)
		}
	}
	if !CutShort(session.Message{State: session.Interrupted, Finish: "stop"}) {
		t.Error("an interrupted answer is whole")
	}
}
