package chat

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

// choiceText is a frame with a piece of one choice.
func choiceText(index, text string) emulator.Raw {
	return emulator.Chunk(`"choices":[{"index":` + index + `,"delta":{"content":"` + text + `"},"finish_reason":null}]`)
}

func choiceEnd(index, reason string) emulator.Raw {
	return emulator.Chunk(`"choices":[{"index":` + index + `,"delta":{},"finish_reason":"` + reason + `"}]`)
}

func TestWhatWasNotAskedForIsDropped(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(emulator.C("a"), choiceText("1", "other"), emulator.C("b"), choiceText("1", "other"),
		emulator.F("stop"), choiceEnd("1", "length"), emulator.U, emulator.D))
	v, events := r.say(chat(), "q")
	if got := storedMessage(t, r.store, v.Head); got.Text() != "ab" || got.Finish != "stop" || len(got.Parts) != 1 || textOf(events, session.PartText) != "ab" {
		t.Errorf("stored = %+v", got)
	}
}

func TestSeveralChoicesBecomeVariantsOfOneAnswer(t *testing.T) {
	r := newRig(t, func(o *Options, _ *api.Options) {
		price := int64(100_000_000)
		o.Prices = func(string) *api.Prices { return &api.Prices{Input: &price, Output: &price} }
	})
	r.server.Script(emulator.Stream(emulator.C("one "), choiceText("1", "two "), emulator.C("end"), choiceText("1", "end"),
		emulator.F("stop"), choiceEnd("1", "length"), emulator.U, emulator.D))
	v := chat()
	n := 3
	v.Params.N = &n
	v, events := r.say(v, "q")
	ids, err := r.store.Siblings(t.Context(), v.Head)
	if err != nil || len(ids) != 2 || ids[0] != v.Head {
		t.Fatalf("siblings = %v, %v; the third, of which nothing came, is none", ids, err)
	}
	first, second := storedMessage(t, r.store, ids[0]), storedMessage(t, r.store, ids[1])
	if first.Text() != "one end" || first.Finish != "stop" || first.State != session.Done {
		t.Errorf("first = %+v", first)
	}
	if second.Text() != "two end" || second.Finish != "length" || second.State != session.Done || second.Parent != first.Parent {
		t.Errorf("second = %+v", second)
	}
	if c := session.Cost(first.Usage, first.Prices); c == nil || *c != 1500 {
		t.Errorf("the request cost %v micro-cents, want 1500 with the first choice", c)
	}
	if c := session.Cost(second.Usage, second.Prices); c == nil || *c != 0 {
		t.Errorf("the second choice costs %v, want nothing of its own", c)
	}
	var told []session.MessageID
	for _, e := range events {
		if e.Kind == EventChoice {
			told = append(told, e.Stored.ID)
		}
	}
	if len(told) != 1 || told[0] != second.ID {
		t.Errorf("told of the choices %v, want %v", told, second.ID)
	}
	r.server.Script(answerOf("ok"))
	v.Params.N = nil
	if _, events := r.say(v, "go on"); last(events).State != Done {
		t.Errorf("the next turn ended %s: %v", last(events).State, last(events).Err)
	}
}

func TestChoicesThatBreakOffAreAllKept(t *testing.T) {
	r := newRig(t, noRetries)
	r.server.Script(emulator.Stream(emulator.C("half"), choiceText("1", "a word"), emulator.RST))
	v := chat()
	n := 2
	v.Params.N = &n
	v, _ = r.say(v, "q")
	ids, err := r.store.Siblings(t.Context(), v.Head)
	if err != nil || len(ids) != 2 {
		t.Fatalf("siblings = %v, %v", ids, err)
	}
	for i, want := range []string{"half", "a word"} {
		if m := storedMessage(t, r.store, ids[i]); m.Text() != want || m.State != session.Interrupted {
			t.Errorf("choice %d = %q, %s", i, m.Text(), m.State)
		}
	}
}

// TestAChoiceThatHadEndedIsDoneWhenTheOthersBreakOff: whoever asked for several
// has one of them, whatever became of the others.
func TestAChoiceThatHadEndedIsDoneWhenTheOthersBreakOff(t *testing.T) {
	begun := []emulator.Step{emulator.C("one"), choiceText("1", "two"), choiceText("2", "three")}
	for name, c := range map[string]struct {
		steps []emulator.Step
		stop  bool
		want  string // finish and state of each
		state State
	}{
		"the first":   {[]emulator.Step{emulator.F("stop"), emulator.RST}, false, "stop done,  interrupted,  interrupted", Interrupted},
		"a sibling":   {[]emulator.Step{choiceEnd("1", "length"), emulator.EOF}, false, " interrupted, length done,  interrupted", Interrupted},
		"two":         {[]emulator.Step{choiceEnd("2", "length"), emulator.F("stop"), emulator.RST}, false, "stop done,  interrupted, length done", Interrupted},
		"by an error": {[]emulator.Step{emulator.F("stop"), emulator.ErrFrame(503, "overloaded", "busy")}, false, "stop done,  failed,  failed", Failed},
		"by the user": {[]emulator.Step{emulator.F("stop"), choiceText("1", "more"), emulator.Hang}, true, "stop done,  cancelled,  cancelled", Cancelled},
		"all of them": {[]emulator.Step{emulator.F("stop"), choiceEnd("1", "length"), choiceEnd("2", "stop"), emulator.D}, false, "stop done, length done, stop done", Done},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, noRetries)
			r.server.Script(emulator.Stream(append(begun, c.steps...)...))
			v := chat()
			n := 3
			v.Params.N = &n
			turn := r.start(v, "q")
			if c.stop {
				until(t, turn, func(e Event) bool { return e.Kind == EventDelta && strings.HasSuffix(e.Delta.Text, "more") })
				turn.Cancel()
			}
			events := drain(t, turn)
			end := last(events)
			if end.State != c.state || (end.Err == nil) != (c.state == Done || c.state == Cancelled) {
				t.Errorf("ended %s, %v", end.State, end.Err)
			}
			told := map[session.MessageID]session.State{end.Stored.ID: end.Stored.State}
			for _, e := range events {
				if e.Kind == EventChoice {
					told[e.Stored.ID] = e.Stored.State
				}
			}
			ids, err := r.store.Siblings(t.Context(), turn.Session().Head)
			if err != nil || len(ids) != n {
				t.Fatalf("siblings = %v, %v", ids, err)
			}
			var got []string
			for _, id := range ids {
				m := storedMessage(t, r.store, id)
				got = append(got, m.Finish+" "+string(m.State))
				if told[id] != m.State {
					t.Errorf("told of %s, stored %s", told[id], m.State)
				}
				if failed := m.State == session.Interrupted || m.State == session.Failed; failed != (m.Failure != nil) {
					t.Errorf("%s with failure %+v", m.State, m.Failure)
				}
			}
			if all := strings.Join(got, ", "); all != c.want {
				t.Errorf("choices are %s, want %s", all, c.want)
			}
		})
	}
}

func TestFieldsThatNobodyKnowsAreKept(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(
		emulator.Chunk(`"provider":"there","choices":[{"index":0,"delta":{"content":"a","annotations":[1],"obfuscation":"xx"},"finish_reason":null,"logprobs":{"content":[{"token":"a","logprob":-0.5}]}}]`),
		emulator.Chunk(`"provider":"there","choices":[{"index":0,"delta":{"content":"b","annotations":[2]},"finish_reason":null,"logprobs":{"content":[{"token":"b","logprob":-1}]}}]`),
		emulator.F("stop"), emulator.U, emulator.D))
	v, _ := r.say(chat(), "q")
	got := storedMessage(t, r.store, v.Head)
	if string(got.Extra) != `{"annotations":[[1],[2]],"provider":"there"}` {
		t.Errorf("extra = %s", got.Extra)
	}
	var probs []struct{ Token string }
	if err := json.Unmarshal(got.Parts[0].Extra, &probs); err != nil || len(probs) != 2 || probs[1].Token != "b" {
		t.Errorf("log probabilities = %s", got.Parts[0].Extra)
	}
}

func TestAModelThatIsGoneIsNamedWithThoseNearIt(t *testing.T) {
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.Names = func() []string { return []string{"GLM-5.3", "Kimi-K3", "GLM-5.2"} }
	})
	r.server.Script(emulator.Err(404, "model_not_found", "The model GLM-5.1 does not exist."))
	v := chat()
	v.Model = "GLM-5.1"
	_, events := r.say(v, "q")
	title, advice := Explain(last(events).Err)
	if title != "The server does not have the model GLM-5.1 (404 model_not_found)." {
		t.Errorf("title = %s", title)
	}
	if want := "The nearest it lists: GLM-5.3, GLM-5.2."; len(advice) < len(want) || advice[:len(want)] != want {
		t.Errorf("advice = %s", advice)
	}
}

func TestTheModelIsSentInTheCataloguesSpelling(t *testing.T) {
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.Model = func(string) (api.Model, bool) { return api.Model{ID: "GLM-5.3"}, true }
	})
	r.server.Script(answerOf("ok"))
	v := chat()
	v.Model = "glm-5.3"
	v, _ = r.say(v, "q")
	if got := storedMessage(t, r.store, v.Head); got.Model != "GLM-5.3" {
		t.Errorf("asked %q", got.Model)
	}
}

func TestTheRequestHasAnIDBeforeItIsAnswered(t *testing.T) {
	r := newRig(t)
	r.server.Script(answerOf("ok"))
	v, _ := r.say(chat(), "q")
	got := storedMessage(t, r.store, v.Head)
	if want := "client_" + string(got.ID); got.RequestID != want {
		t.Errorf("request id = %q, want %q", got.RequestID, want)
	}
}

func TestAnAnswerKeepsWhatWasExpectedOfIt(t *testing.T) {
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.Wafer = true
		o.Model = func(string) (api.Model, bool) {
			return api.Model{ID: "m", MaxOutputTokens: 500, ContextLength: 10_000}, true
		}
	})
	r.server.Script(emulator.Stream(emulator.C("la la la"), emulator.F("length"), emulator.Usage(20, 300, 0, 0), emulator.D))
	v, _ := r.say(chat(), "sing me a song of that kind")
	got := storedMessage(t, r.store, v.Head)
	if got.Limit != 500 || got.Estimate < 5 || got.Estimate > 50 || !got.Repeating() {
		t.Errorf("limit %d, estimate %d, repeating %v", got.Limit, got.Estimate, got.Repeating())
	}
}

func TestAFaultOfTheProgramEndsTheTurnOnly(t *testing.T) {
	var asked atomic.Int32
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.Prices = func(string) *api.Prices {
			if asked.Add(1) == 1 {
				panic("no prices")
			}
			return nil
		}
	})
	r.server.Script(answerOf("ok"), answerOf("again"))
	v, events := r.say(chat(), "q")
	if end := last(events); end.State != Failed || end.Err == nil || !strings.Contains(end.Err.Error(), "no prices") {
		t.Errorf("ended %s: %v", end.State, end.Err)
	}
	if got := storedMessage(t, r.store, v.Head); got.Text() != "ok" {
		t.Errorf("what arrived is gone: %+v", got)
	}
	if _, events := r.say(v, "once more"); last(events).State != Done {
		t.Errorf("the next turn ended %s", last(events).State)
	}
}

func TestAnOnlyChoiceMayHaveAnyNumber(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(choiceText("1", "one"), choiceEnd("1", "stop"), emulator.U, emulator.D))
	v, _ := r.say(chat(), "q")
	if got := storedMessage(t, r.store, v.Head); got.Text() != "one" || got.Finish != "stop" {
		t.Errorf("stored %q, finish %q", got.Text(), got.Finish)
	}
}

func TestSignaturesOfCallsGoBackWithThem(t *testing.T) {
	r := newRig(t)
	r.server.Script(
		emulator.Stream(emulator.Delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","extra_content":{"google":{"thought_signature":"abc"}},"function":{"name":"f","arguments":"{}"}}]}`), emulator.F("tool_calls"), emulator.D),
		answerOf("ok"))
	v, _ := r.say(chat(), "q")
	r.say(v, "go on")
	requests := r.server.Requests()
	if body := string(requests[1].Body); !strings.Contains(body, `"extra_content":{"google":{"thought_signature":"abc"}}`) {
		t.Errorf("sent %s", body)
	}
}
