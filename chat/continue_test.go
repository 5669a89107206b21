package chat

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

// goOn continues an answer and returns the session and the turn's events.
func (r *rig) goOn(v session.Session, id session.MessageID) (session.Session, []Event) {
	r.t.Helper()
	turn, err := r.Continue(r.t.Context(), v, id)
	if err != nil {
		r.t.Fatalf("continue: %v", err)
	}
	events := drain(r.t, turn)
	return turn.Session(), events
}

func TestACutAnswerGoesOnWithoutASeam(t *testing.T) {
	r := newRig(t, noRetries)
	r.server.Script(emulator.Stream(emulator.R("let me see"), emulator.C("The bulk ferment takes about four hours, or a lit"), emulator.RST))
	v, _ := r.say(chat(), "how long?")
	cut := v.Head
	r.server.Script(emulator.Stream(emulator.R(" again"), emulator.C("takes about four hours, or a lit"), emulator.C("tle less with rye."), emulator.F("stop"), emulator.U, emulator.D))
	v, events := r.goOn(v, cut)
	got := storedMessage(t, r.store, v.Head)
	const want = "The bulk ferment takes about four hours, or a little less with rye."
	if got.Text() != want || got.State != session.Done || got.Finish != "stop" {
		t.Errorf("stored %q, %s", got.Text(), got.State)
	}
	if len(got.Parts) != 2 || got.ReasoningText() != "let me see again" {
		t.Errorf("parts = %+v", got.Parts)
	}
	if added := textOf(events, session.PartText); added != "tle less with rye." {
		t.Errorf("told of %q", added)
	}
	if m := storedMessage(t, r.store, cut); m.Text() != "The bulk ferment takes about four hours, or a lit" || m.State != session.Interrupted {
		t.Errorf("the cut answer has changed: %+v", m)
	}
	if ids, err := r.store.Siblings(t.Context(), v.Head); err != nil || len(ids) != 2 {
		t.Errorf("variants = %v, %v", ids, err)
	}
	r.server.Script(answerOf("ok"))
	r.say(v, "and then?")
	var body struct {
		Messages []struct{ Role, Content string }
	}
	requests := r.server.Requests()
	if err := json.Unmarshal(requests[len(requests)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if len(body.Messages) != 3 || body.Messages[1].Content != want {
		t.Errorf("the next request says %+v", body.Messages)
	}
	if err := json.Unmarshal(requests[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if n := len(body.Messages); n != 3 || body.Messages[2].Role != "user" || !strings.Contains(body.Messages[2].Content, "“") {
		t.Errorf("the continuation was asked for with %+v", body.Messages)
	}
}

func TestAContinuationThatIsCutTooKeepsAll(t *testing.T) {
	r := newRig(t, noRetries)
	r.server.Script(emulator.Stream(emulator.C("one two three"), emulator.RST))
	v, _ := r.say(chat(), "count")
	r.server.Script(emulator.Stream(emulator.C(" four"), emulator.RST))
	v, _ = r.goOn(v, v.Head)
	if got := storedMessage(t, r.store, v.Head); got.Text() != "one two three four" || got.State != session.Interrupted {
		t.Errorf("stored %q, %s", got.Text(), got.State)
	}
}

func TestAServerThatTakesAPrefillGetsOne(t *testing.T) {
	r := newRig(t, noRetries, func(o *Options, _ *api.Options) { o.Prefill = true })
	r.server.Script(emulator.Stream(emulator.C("one two"), emulator.RST))
	v, _ := r.say(chat(), "count")
	r.server.Script(answerOf(" three"))
	v, _ = r.goOn(v, v.Head)
	requests := r.server.Requests()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(requests[len(requests)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if n := len(body.Messages); n != 2 || body.Messages[1].Role != "assistant" || body.Messages[1].Content != "one two" {
		t.Errorf("sent %+v", body.Messages)
	}
	if got := storedMessage(t, r.store, v.Head); got.Text() != "one two three" {
		t.Errorf("stored %q", got.Text())
	}
}

// TestWhatFollowsAPrefillIsAppendedAsItIs: also where it looks like a repetition,
// or like a word without its blank, and at once.
func TestWhatFollowsAPrefillIsAppendedAsItIs(t *testing.T) {
	for _, c := range []struct{ cut, next string }{
		{"https://exa", "mple.org/x"}, {"pi is 3.", "14159"}, {"again and again", " and again"}, {"count: two three four ", "two three four five"},
	} {
		t.Run(c.cut, func(t *testing.T) {
			r := newRig(t, noRetries, func(o *Options, _ *api.Options) { o.Prefill = true })
			r.server.Script(emulator.Stream(emulator.R("hm"), emulator.C(c.cut), emulator.RST))
			v, _ := r.say(chat(), "q")
			r.server.Script(emulator.Stream(emulator.R(" and hm"), emulator.C(c.next[:2]), emulator.Hang))
			cut := v.Head
			turn, err := r.Continue(t.Context(), v, cut)
			if err != nil {
				t.Fatal(err)
			}
			until(t, turn, func(e Event) bool {
				return e.Kind == EventDelta && e.Delta.Kind == session.PartText && e.Delta.Text == c.next[:2]
			})
			turn.Cancel()
			drain(t, turn)
			r.server.Script(emulator.Stream(emulator.C(c.next), emulator.F("stop"), emulator.U, emulator.D))
			v, _ = r.goOn(turn.Session(), cut)
			got := storedMessage(t, r.store, v.Head)
			if got.Text() != c.cut+c.next || len(got.Parts) != 2 || got.ReasoningText() != "hm" {
				t.Errorf("stored %q, %+v", got.Text(), got.Parts)
			}
		})
	}
}

func TestWhatHasNoTextCannotGoOn(t *testing.T) {
	r := newRig(t, noRetries)
	r.server.Script(emulator.Stream(emulator.R("hm"), emulator.RST))
	v, _ := r.say(chat(), "q")
	if _, err := r.Continue(t.Context(), v, v.Head); !errors.Is(err, ErrNothingToContinue) {
		t.Errorf("continue = %v", err)
	}
	if title, advice := Explain(ErrNothingToContinue); title == "" || advice == "" || strings.Contains(title, "unexpected") {
		t.Errorf("explained as %q %q", title, advice)
	}
}
