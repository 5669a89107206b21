package chat

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

func answerOf(text string) emulator.Reply {
	return emulator.Stream(emulator.C(text), emulator.F("stop"), emulator.U, emulator.D)
}

func isDelta(e Event) bool { return e.Kind == EventDelta }

func TestThreeTurnsAreAcceptedAndEachRequestBeginsLikeTheLast(t *testing.T) {
	r := newRig(t)
	v := chat()
	v.System = "Be brief."
	for i := range 3 {
		r.server.Script(emulator.Stream(emulator.R("let me think "), emulator.R("twice"), emulator.C(fmt.Sprintf("answer %d", i)), emulator.F("stop"), emulator.U, emulator.D))
		var events []Event
		v, events = r.say(v, fmt.Sprintf("question %d", i))
		end := last(events)
		if end.State != Done || end.Err != nil || end.Stored.Failure != nil {
			t.Fatalf("turn %d ended %s: %v", i, end.State, end.Err)
		}
		if want := "connecting waiting reasoning answering done"; states(events) != want {
			t.Errorf("states of turn %d = %s, want %s", i, states(events), want)
		}
		if got := textOf(events, session.PartReasoning); got != "let me think twice" {
			t.Errorf("reasoning = %q", got)
		}
	}
	all := r.requests()
	if len(all) != 3 {
		t.Fatalf("%d requests", len(all))
	}
	if got, want := all[2].spoken(), "system: Be brief. | user: question 0 | assistant: answer 0 | user: question 1 | assistant: answer 1 | user: question 2"; got != want {
		t.Errorf("the third request says %q, want %q", got, want)
	}
	for i := range 2 {
		before := strings.TrimSuffix(string(all[i].Raw.Messages), "]")
		if !strings.HasPrefix(string(all[i+1].Raw.Messages), before+",") {
			t.Errorf("request %d does not begin like the one before:\n%s\n%s", i+1, all[i].Raw.Messages, all[i+1].Raw.Messages)
		}
	}
}

func TestTheEventsOfATurnTellWhatIsStored(t *testing.T) {
	prices := &api.Prices{Input: new(int64)}
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.Prices = func(model string) *api.Prices {
			if model != "m" {
				return nil
			}
			return prices
		}
	})
	r.server.Script(emulator.Stream(emulator.R("hm"), emulator.C("4"), emulator.C("2"), emulator.F("length"), emulator.U, emulator.D))
	v, events := r.say(chat(), "what is it?")
	if events[0].Kind != EventMessage || events[0].Stored.Role != api.RoleUser || events[0].Stored.Text() != "what is it?" {
		t.Errorf("first event = %+v", events[0])
	}
	if events[1].Kind != EventMessage || events[1].Stored.Role != api.RoleAssistant || events[1].Stored.State != session.Streaming {
		t.Errorf("second event = %+v", events[1])
	}
	want := *last(events).Stored
	got := storedMessage(t, r.store, v.Head)
	if got.State != session.Done || got.Text() != "42" || got.ReasoningText() != "hm" || got.Finish != "length" || len(got.Parts) != 2 {
		t.Errorf("stored = %+v", got)
	}
	if got.Usage == nil || *got.Usage.TotalTokens != 15 || got.Prices == nil || got.Prices.Input == nil || got.RequestID == "" || got.Attempts != 1 || got.Model != "m" {
		t.Errorf("stored = %+v", got)
	}
	if got.Timing.End <= 0 || got.Timing.FirstToken <= 0 || got.Timing.FirstToken > got.Timing.End {
		t.Errorf("timing = %+v", got.Timing)
	}
	if want.ID != got.ID || want.Text() != got.Text() || want.Finish != got.Finish || want.State != got.State || want.RequestID != got.RequestID {
		t.Errorf("the end told %+v, stored is %+v", want, got)
	}
}

func TestTimesAreMeasuredSinceTheRequestWasSent(t *testing.T) {
	c := &clock{now: time.Unix(1e9, 0)}
	r := newRig(t, func(o *Options, _ *api.Options) { o.Now = c.Now })
	step := make(chan struct{})
	r.server.Script(emulator.Stream(emulator.Wait(step), emulator.R("hm"), emulator.Wait(step), emulator.C("a"), emulator.Wait(step), emulator.F("stop"), emulator.D))
	turn := r.start(chat(), "q")
	until(t, turn, func(e Event) bool { return e.State == Waiting })
	c.Advance(time.Second)
	step <- struct{}{}
	until(t, turn, func(e Event) bool { return isDelta(e) && e.State == Reasoning })
	c.Advance(2 * time.Second)
	step <- struct{}{}
	until(t, turn, func(e Event) bool { return isDelta(e) && e.State == Answering })
	c.Advance(4 * time.Second)
	step <- struct{}{}
	got := last(drain(t, turn)).Stored.Timing
	if want := (session.Timing{FirstToken: time.Second, Reasoning: 2 * time.Second, End: 7 * time.Second}); got != want {
		t.Errorf("timing = %+v, want %+v", got, want)
	}
}

func TestTheRequestIsWhatTheSessionSays(t *testing.T) {
	r := newRig(t)
	v := chat()
	v.Model, v.Effort, v.System, v.ZDR = "GLM-5.3", "high", "You are terse.", true
	temperature, tokens := 0.5, 100
	v.Params = api.Params{Temperature: &temperature, MaxTokens: &tokens, ReasoningEffort: "low"}
	r.server.Script(answerOf("ok"))
	v, _ = r.say(v, "hi")
	got := r.requests()[0]
	if got.Model != "GLM-5.3" || got.All["reasoning_effort"] != "high" || got.All["temperature"] != 0.5 || got.All["max_tokens"] != 100.0 || got.ZDR != "required" {
		t.Errorf("request = %v, ZDR %q", got.All, got.ZDR)
	}
	if got.spoken() != "system: You are terse. | user: hi" {
		t.Errorf("messages = %s", got.spoken())
	}
	m := storedMessage(t, r.store, v.Head)
	if m.Model != "GLM-5.3" || m.Effort != "high" || m.Params.MaxTokens == nil || *m.Params.MaxTokens != 100 {
		t.Errorf("stored = %+v", m)
	}
	v.Effort = ""
	r.server.Script(answerOf("ok"))
	r.say(v, "again")
	if got := r.requests()[1].All["reasoning_effort"]; got != "low" {
		t.Errorf("without an effort of its own, the session's parameter is %v, want low", got)
	}
}

func TestACancelledAnswerIsKeptAndSentAlong(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []emulator.Step
		stop  func(Event) bool
		next  string // what the next request says
	}{
		{"in the answer", []emulator.Step{emulator.C("One "), emulator.C("two"), emulator.Hang}, func(e Event) bool { return isDelta(e) && strings.HasSuffix(e.Delta.Text, "two") }, "user: count | assistant: One two | user: go on"},
		{"while reasoning", []emulator.Step{emulator.R("hmm"), emulator.Hang}, isDelta, "user: count\n\ngo on"},
		{"blank text only", []emulator.Step{emulator.C("  \n"), emulator.Hang}, func(e Event) bool { return e.State == Waiting }, "user: count\n\ngo on"},
		{"before anything came", []emulator.Step{emulator.Hang}, func(e Event) bool { return e.State == Waiting }, "user: count\n\ngo on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.server.Script(emulator.Stream(test.steps...))
			turn := r.start(chat(), "count")
			events := until(t, turn, test.stop)
			turn.Cancel()
			events = append(events, drain(t, turn)...)
			end := last(events)
			if end.State != Cancelled || end.Err != nil || end.Stored.State != session.Cancelled || end.Stored.Failure != nil {
				t.Errorf("end = %+v", end)
			}
			if got := storedMessage(t, r.store, turn.Session().Head); got.State != session.Cancelled || got.Text() != textOf(events, session.PartText) || got.ReasoningText() != textOf(events, session.PartReasoning) {
				t.Errorf("stored = %+v after %s", got, script(events))
			}
			r.server.Script(answerOf("ok"))
			if _, events := r.say(turn.Session(), "go on"); last(events).State != Done {
				t.Errorf("the next turn ended %s: %v", last(events).State, last(events).Err)
			}
			all := r.requests()
			if got := all[len(all)-1].spoken(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(test.next), " ") {
				t.Errorf("the next request says %q, want %q", got, test.next)
			}
		})
	}
}

func TestAnAnswerThatDoesNotComeToItsEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []emulator.Step
		state State
		text  string
		title string
	}{
		{"cut off", []emulator.Step{emulator.C("The answer is fo"), emulator.EOF}, Interrupted, "The answer is fo", "The answer ended before it was complete."},
		{"cut off while reasoning", []emulator.Step{emulator.R("thinking"), emulator.EOF}, Interrupted, "", "The answer ended before it was complete."},
		{"reset", []emulator.Step{emulator.C("Par"), emulator.RST}, Interrupted, "Par", "before the answer was complete."},
		{"silent", []emulator.Step{emulator.C("partial"), emulator.Hang}, Interrupted, "partial", "The server went silent before the answer was complete."},
		{"error in the stream", []emulator.Step{emulator.C("Par"), emulator.ErrFrame(503, "503", "overloaded"), emulator.D}, Failed, "Par", "The server is overloaded (503)."},
		{"cut off in a call", []emulator.Step{emulator.T(0, "c1", "write", `{"path":"/tmp/x"`), emulator.EOF}, Interrupted, "", "The answer ended before it was complete."},
		{"no [DONE]", []emulator.Step{emulator.C("full"), emulator.F("stop"), emulator.EOF}, Done, "full", ""},
		{"only [DONE]", []emulator.Step{emulator.C("full"), emulator.D}, Done, "full", ""},
		{"nothing but an end", []emulator.Step{emulator.F("stop"), emulator.D}, Done, "", ""},
		{"reasoning only", []emulator.Step{emulator.R("the answer is 4"), emulator.F("stop"), emulator.D}, Done, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, noRetries, func(_ *Options, c *api.Options) { c.Idle = 300 * time.Millisecond })
			r.server.Script(emulator.Stream(test.steps...))
			v, events := r.say(chat(), "q")
			end := last(events)
			if end.State != test.state || end.Stored.Text() != test.text {
				t.Fatalf("ended %s with %q (%v)", end.State, end.Stored.Text(), end.Err)
			}
			got := storedMessage(t, r.store, v.Head)
			if string(got.State) != string(test.state) || got.Text() != test.text || got.ReasoningText() != textOf(events, session.PartReasoning) {
				t.Errorf("stored = %+v", got)
			}
			switch failed := test.title != ""; {
			case failed != (got.Failure != nil), failed != (end.Err != nil):
				t.Errorf("failure = %+v, err = %v", got.Failure, end.Err)
			case failed && (!strings.Contains(got.Failure.Title, test.title) || got.Failure.Advice == "" || got.RequestID == ""):
				t.Errorf("failure = %+v, request %q", got.Failure, got.RequestID)
			}
			r.server.Script(answerOf("ok"))
			if _, events := r.say(v, "go on"); last(events).State != Done {
				t.Errorf("the next turn ended %s: %v", last(events).State, last(events).Err)
			}
		})
	}
}

func TestARefusalIsKeptInWords(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Err(402, "insufficient_quota", "No credit."))
	v, events := r.say(chat(), "q")
	got := storedMessage(t, r.store, v.Head)
	want := session.Failure{Title: "There is no credit left for this API key (402 insufficient_quota).", Code: "insufficient_quota", Status: 402}
	if got.State != session.Failed || got.Failure == nil {
		t.Fatalf("stored = %+v", got)
	}
	want.Advice = got.Failure.Advice
	if *got.Failure != want || !strings.Contains(want.Advice, "“No credit.”") || !strings.Contains(want.Advice, got.RequestID) {
		t.Errorf("failure = %+v, want %+v", *got.Failure, want)
	}
	var refused *api.Error
	if !errors.As(last(events).Err, &refused) || states(events) != "connecting failed" {
		t.Errorf("err = %v, states %s", last(events).Err, states(events))
	}
	if len(r.requests()) != 1 {
		t.Errorf("%d requests for an error that cannot heal", len(r.requests()))
	}
}

func TestARetryIsSeen(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.RetryAfter(0), emulator.RetryAfter(0), answerOf("at last"))
	v, events := r.say(chat(), "q")
	retries := 0
	for _, e := range events {
		if e.Kind == EventRetry {
			retries++
			if e.State != Retrying || e.Retry.Attempt != retries+1 || e.Retry.Err == nil || e.At.IsZero() {
				t.Errorf("retry = %+v, %+v", e, e.Retry)
			}
		}
	}
	if retries != 2 || last(events).State != Done || !strings.HasPrefix(states(events), "connecting retrying ") || !strings.HasSuffix(states(events), " waiting answering done") {
		t.Errorf("%d retries, states %s", retries, states(events))
	}
	if got := storedMessage(t, r.store, v.Head); got.Attempts != 3 || got.Text() != "at last" {
		t.Errorf("stored = %+v", got)
	}
}

func TestARetryThatIsWaitedForCanBeCancelled(t *testing.T) {
	fired := make(chan time.Time)
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.After = func(d time.Duration) <-chan time.Time {
			if d > time.Second {
				return fired // the wait for the retry, in the engine
			}
			return time.After(d)
		}
	})
	r.server.Script(emulator.RetryAfter(10), answerOf("never"))
	turn := r.start(chat(), "q")
	until(t, turn, func(e Event) bool { return e.Kind == EventRetry })
	state, _ := turn.Attach()
	if state != Retrying {
		t.Fatalf("state = %s", state)
	}
	if got := until(t, turn, func(e Event) bool { return e.Kind == EventRetry }); script(got) != "[retrying] <retry>" {
		t.Errorf("who comes back is told %s", script(got))
	}
	turn.Cancel()
	if end := last(drain(t, turn)); end.State != Cancelled || end.Stored.Attempts != 1 || len(r.requests()) != 1 {
		t.Errorf("end = %+v after %d requests", end, len(r.requests()))
	}
}

func TestWhenTheWaitIsOverTheTurnIsConnectingAgain(t *testing.T) {
	fired := make(chan time.Time, 1)
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.After = func(d time.Duration) <-chan time.Time {
			if d > time.Second {
				return fired
			}
			return time.After(d)
		}
	})
	r.server.Script(emulator.RetryAfter(10))
	turn := r.start(chat(), "q")
	until(t, turn, func(e Event) bool { return e.Kind == EventRetry })
	fired <- time.Time{}
	until(t, turn, func(e Event) bool { return e.Kind == EventState && e.State == Connecting })
	turn.Cancel()
	if end := last(drain(t, turn)); end.State != Cancelled || end.Stored.Attempts != 2 {
		t.Errorf("end = %+v, %d attempts", end, end.Stored.Attempts)
	}
}

func TestWhenNoAttemptSucceedsTheTurnFails(t *testing.T) {
	one := 1
	r := newRig(t, func(_ *Options, c *api.Options) { c.MaxRetries = &one })
	r.server.Script(emulator.RetryAfter(0), emulator.RetryAfter(0), answerOf("never asked for"))
	v, events := r.say(chat(), "q")
	if got := storedMessage(t, r.store, v.Head); last(events).State != Failed || got.Attempts != 2 || got.Failure.Status != 429 {
		t.Errorf("ended %s, stored = %+v", last(events).State, got)
	}
}

func TestACallThatNobodyAskedForIsShownAndNeverRun(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(emulator.C("Let me look."), emulator.T(0, "c1", "ls", `{"path":`), emulator.T(1, "c2", "pwd", ""), emulator.T(0, emulator.Omit, emulator.Omit, `"/"}`), emulator.F("tool_calls"), emulator.U, emulator.D))
	v, events := r.say(chat(), "q")
	got := storedMessage(t, r.store, v.Head)
	if last(events).State != Done || got.Finish != "tool_calls" || len(got.Parts) != 3 {
		t.Fatalf("ended %s, stored = %+v", last(events).State, got)
	}
	if p := got.Parts[1]; p.Kind != session.PartToolCall || p.Name != "ls" || p.CallID != "c1" || p.Text != `{"path":"/"}` || p.CallState != "cancelled" {
		t.Errorf("call = %+v", p)
	}
	if p := got.Parts[2]; p.Name != "pwd" || p.CallID != "c2" || p.CallState != "cancelled" {
		t.Errorf("call = %+v", p)
	}
	r.server.Script(answerOf("ok"))
	if _, events := r.say(v, "go on"); last(events).State != Done {
		t.Errorf("the next turn ended %s: %v", last(events).State, last(events).Err)
	}
}

func TestPicturesAreANoteForAModelWithoutVision(t *testing.T) {
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.Model = func(id string) (api.Model, bool) { return api.Model{ID: id, Vision: api.No}, id == "txt" }
	})
	v := chat()
	v.Model = "txt"
	picture := session.Message{ID: session.NewMessageID(), Session: v.ID, Role: api.RoleUser, State: session.Done, Parts: []session.Part{
		{Kind: session.PartText, Text: "what is this?"},
		{Kind: session.PartImage, Text: "data:image/png;base64,iVBORw0KGgo="},
	}}
	lock, err := r.store.Lock(t.Context(), v.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.store.Begin(t.Context(), v, picture); err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	v.Head = picture.ID
	r.server.Script(answerOf("ok"))
	if _, events := r.say(v, "well?"); last(events).State != Done { // the server refuses pictures for txt
		t.Errorf("ended %s: %v", last(events).State, last(events).Err)
	}
}

func TestReasoningGoesBackAsTheUserWantsIt(t *testing.T) {
	for policy, want := range map[session.ReplayPolicy]bool{"": false, session.ReplayNever: false, session.ReplayAlways: true} {
		t.Run("policy "+string(policy), func(t *testing.T) {
			r := newRig(t, func(o *Options, _ *api.Options) { o.Replay = policy })
			r.server.Script(emulator.Stream(emulator.R("thought"), emulator.C("said"), emulator.F("stop"), emulator.D), answerOf("ok"))
			v, _ := r.say(chat(), "q")
			r.say(v, "more")
			requests := r.server.Requests()
			if got := strings.Contains(string(requests[1].Body), `"reasoning_content":"thought"`); got != want {
				t.Errorf("reasoning is sent back: %v", got)
			}
		})
	}
}
