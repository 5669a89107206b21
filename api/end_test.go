package api

import (
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
)

func choiceFrame(index int, delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = quoted(finish)
	}
	return raw(fmt.Sprintf(`{"choices":[{"index":%d,"delta":%s,"finish_reason":%s}]}`, index, delta, reason))
}

// finishes are the finish reasons that a stream gives, by choice.
func finishes(t *testing.T, n int, r reply) (all string, err error) {
	t.Helper()
	client, _ := newTestClient(t, noRetries, r)
	req := hello()
	req.N = &n
	s := client.Stream(context.Background(), req)
	defer s.Close()
	var list []string
	for {
		e, err := s.Next()
		if err != nil {
			return strings.Join(list, " "), err
		}
		if e.Kind == EventFinish {
			list = append(list, fmt.Sprint(e.Choice, " ", e.Finish))
		}
	}
}

func TestAChoiceThatHadEndedKeepsItsEndWhenTheOthersAreCutOff(t *testing.T) {
	both := choiceFrame(0, `{"content":"a"}`, "") + choiceFrame(1, `{"content":"b"}`, "")
	busy := raw(`{"error":{"message":"busy","code":503}}`)
	for name, c := range map[string]struct {
		n     int
		reply reply
		want  string
	}{
		"a connection lost":      {2, torn(syscall.ECONNRESET, both+choiceFrame(0, `{}`, "stop")), "0 stop"},
		"a clean end":            {2, events(both + choiceFrame(1, `{}`, "length")), "1 length"},
		"an error in the stream": {2, events(both + choiceFrame(0, `{}`, "stop") + busy), "0 stop"},
		"none had ended":         {2, events(both), ""},
		"two of three":           {3, events(both + choiceFrame(1, `{}`, "length") + choiceFrame(0, `{}`, "stop")), "0 stop 1 length"},
		"reasons that do not mean the end": {2, events(choiceFrame(0, `{"content":"a"}`, "stop") + choiceFrame(1, `{"content":"b"}`, "stop") +
			choiceFrame(0, `{"content":"a"}`, "stop") + busy), ""},
		"one choice": {1, events(textFrame("a") + finishFrame("stop") + busy), ""},
	} {
		got, err := finishes(t, c.n, c.reply)
		if got != c.want || err == nil || err == io.EOF {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestALimitIsReachedWhateverTheServerCallsIt(t *testing.T) {
	for finish, want := range map[string]bool{
		"length": true, "max_tokens": true, "MAX_TOKENS": true, "max_output_tokens": true, "model_length": true, "Length": true,
		"": false, "stop": false, "tool_calls": false, "content_filter": false, "lengthy": false,
	} {
		if LimitReached(finish) != want {
			t.Errorf("%q: %t", finish, !want)
		}
	}
	// What came is kept as it was written.
	if o := play(t, textFrame("a")+finishFrame("MAX_TOKENS")+doneFrame); o.finish != "MAX_TOKENS" {
		t.Errorf("finish %q", o.finish)
	}
}

func TestAnErrorTellsWhetherSomethingOfTheAnswerHadCome(t *testing.T) {
	busy := raw(`{"error":{"message":"busy"}}`)
	for name, c := range map[string]struct {
		reply     reply
		seen      bool
		isRefusal bool
		isRaw     bool
	}{
		"an error first":               {events(busy), false, true, false},
		"an error behind a role":       {events(deltaFrame(`{"role":"assistant","content":""}`) + busy), false, true, false},
		"an error behind text":         {events(textFrame("a") + busy), true, true, false},
		"an error behind thoughts":     {events(reasoningFrame("a") + busy), true, true, false},
		"an error behind what is held": {events(textFrame("<thi") + busy), true, true, false},
		"an error event":               {events("event: error\ndata: boom\n\n"), false, true, false},
		"nothing":                      {events(), false, false, false},
		"a role":                       {events(deltaFrame(`{"role":"assistant","content":""}`)), false, false, false},
		"half":                         {events(textFrame("a")), true, false, false},
		"half, and a lost connection":  {torn(syscall.ECONNRESET, textFrame("a")), true, false, false},
		"a lost connection":            {torn(syscall.ECONNRESET), false, false, false},
		"plain words":                  {answer(200, nil, "upstream is down"), false, true, true},
		"an empty list":                {answer(200, []string{"Content-Type: application/json"}, "[]"), false, true, true},
		"another object":               {answer(200, []string{"Content-Type: application/json"}, `{"ok":true}`), false, true, true},
		"an error of its own":          {answer(200, []string{"Content-Type: application/json"}, `{"error":{"message":"busy"}}`), false, true, false},
		"a redirect":                   {answer(307, []string{"Location: https://there.test"}), false, true, false},
		"a refusal in words":           {refused(400, "no"), false, true, true},
	} {
		client, _ := newTestClient(t, noRetries, c.reply)
		err := read(client.Stream(t.Context(), hello())).err
		if c.isRefusal {
			if e := asError[*Error](t, err); e.Visible != c.seen || e.Raw != c.isRaw {
				t.Errorf("%s: %v, visible %t, raw %t", name, e, e.Visible, e.Raw)
			}
		} else if cut := asError[*InterruptedError](t, err); cut.Visible != c.seen {
			t.Errorf("%s: %v, visible %t", name, cut, cut.Visible)
		}
	}
}
