package api

import (
	"fmt"
	"strings"
	"testing"
)

// callsOf tells calls in words. No two of them may have one id.
func callsOf(o outcome) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, c := range o.calls {
		id := c.ID
		if seen[id] {
			b.WriteString("again ")
		}
		seen[id] = true
		if strings.HasPrefix(id, "call_") && len(id) == len("call_")+24 {
			id = "made-up"
		}
		fmt.Fprintf(&b, "%s:%s(%s)", id, c.Name, c.Arguments)
		if c.Extra != nil {
			raw, _ := marshal(c.Extra)
			b.Write(raw)
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

func TestACallIsShownBeforeItsArgumentsCome(t *testing.T) {
	c, _ := newTestClient(t, noRetries, hanging(callFrame("0", `"a"`, `"slow"`, quoted(""))))
	s := c.Stream(t.Context(), hello())
	defer s.Close()
	_, _ = s.Next()
	e, err := s.Next()
	if err != nil || e.Kind != EventToolCall || e.Call.Name != "slow" || e.Call.ID != "a" {
		t.Errorf("%+v %v", e, err)
	}
}

func TestHugeArgumentsArriveWhole(t *testing.T) {
	args := `{"content":"` + strings.Repeat("x", 5000000) + `"}`
	o := play(t, callFrame("0", `"a"`, `"write"`, quoted(args))+finishFrame("tool_calls")+doneFrame)
	if len(o.calls) != 1 || o.calls[0].Arguments != args {
		t.Errorf("%d calls", len(o.calls))
	}
}
