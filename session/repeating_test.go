package session

import (
	"testing"

	"waferchat/api"
)

func TestAnAnswerThatStoppedShortOfItsLimitPossiblyRepeatedItself(t *testing.T) {
	usage := func(completion, reasoning int64) *api.Usage {
		return &api.Usage{CompletionTokens: &completion, ReasoningTokens: &reasoning}
	}
	for _, c := range []struct {
		name string
		m    Message
		want bool
	}{
		{"short of it", Message{Finish: "length", Limit: 1000, Usage: usage(300, 0)}, true},
		{"at it", Message{Finish: "length", Limit: 1000, Usage: usage(1000, 0)}, false},
		{"beyond it, in the room for reasoning", Message{Finish: "length", Limit: 1000, Usage: usage(9000, 8500)}, false},
		{"reasoning is part of it", Message{Finish: "length", Limit: 1000, Usage: usage(1000, 990)}, false},
		{"reasoning that is counted apart", Message{Finish: "length", Limit: 1000, Usage: usage(100, 900)}, false},
		{"a whole answer", Message{Finish: "stop", Limit: 1000, Usage: usage(300, 0)}, false},
		{"no limit known", Message{Finish: "length", Usage: usage(300, 0)}, false},
		{"no usage", Message{Finish: "length", Limit: 1000}, false},
		{"no count", Message{Finish: "length", Limit: 1000, Usage: &api.Usage{}}, false},
		{"reasoning not reported", Message{Finish: "length", Limit: 1000, Usage: &api.Usage{CompletionTokens: ptr(int64(5))}}, true},
	} {
		if got := c.m.Repeating(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
