package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"waferchat/api/emulator"
	"waferchat/session"
)

// gated is an answer in two halves: the second comes when the channel closes.
func gated(first, second string) (emulator.Reply, chan struct{}) {
	gate := make(chan struct{})
	return emulator.Stream(emulator.C(first), emulator.Wait(gate), emulator.C(second), emulator.F("stop"), emulator.U, emulator.D), gate
}

func TestWhileAnAnswerArrivesNothingElseBegins(t *testing.T) {
	r := newRig(t)
	reply, gate := gated("a", "b")
	r.server.Script(reply)
	turn := r.start(chat(), "q")
	v := turn.Session()
	if r.Running(v.ID) != turn {
		t.Error("the turn does not run")
	}
	if _, err := r.Start(t.Context(), v, "again"); !errors.Is(err, ErrBusy) {
		t.Errorf("start = %v", err)
	}
	if _, err := r.Retry(t.Context(), v, v.Head); !errors.Is(err, ErrBusy) {
		t.Errorf("retry = %v", err)
	}
	if _, err := r.Withdraw(t.Context(), v, v.Head); !errors.Is(err, ErrBusy) {
		t.Errorf("withdraw = %v", err)
	}
	close(gate)
	turn.Wait()
	if r.Running(v.ID) != nil {
		t.Error("the turn still runs")
	}
	if path, err := r.store.Path(t.Context(), v.Head, 0); err != nil || len(path) != 2 {
		t.Errorf("path = %+v, %v", path, err)
	}
}

func TestSeveralSessionsStreamAtOnce(t *testing.T) {
	r := newRig(t)
	const sessions = 5
	reply, gate := gated("first ", "second")
	for range sessions {
		r.server.Script(reply)
	}
	var turns []*Turn
	ids := map[int64]bool{}
	for i := range sessions {
		turn := r.start(chat(), fmt.Sprint("q", i))
		until(t, turn, isDelta)
		turns = append(turns, turn)
		ids[turn.ID()] = true
	}
	close(gate)
	for _, turn := range turns {
		turn.Wait()
		if m := storedMessage(t, r.store, turn.Session().Head); m.State != session.Done || m.Text() != "first second" {
			t.Errorf("stored = %+v", m)
		}
	}
	if len(ids) != sessions {
		t.Errorf("the turns' ids are %v", ids)
	}
}

func TestAMovedSessionIsNotWritten(t *testing.T) {
	r := newRig(t)
	r.server.Script(answerOf("one"), answerOf("two"), answerOf("three"))
	stale, _ := r.say(chat(), "a")
	fresh, _ := r.say(stale, "b")
	if _, err := r.Start(t.Context(), stale, "c"); !errors.Is(err, session.ErrMoved) {
		t.Errorf("start = %v", err)
	}
	if _, err := r.Retry(t.Context(), stale, stale.Head); !errors.Is(err, session.ErrMoved) {
		t.Errorf("retry = %v", err)
	}
	if _, err := r.Withdraw(t.Context(), stale, stale.Head); !errors.Is(err, session.ErrMoved) {
		t.Errorf("withdraw = %v", err)
	}
	now, err := r.store.Get(t.Context(), stale.ID)
	if err != nil || now.Head != fresh.Head {
		t.Errorf("head = %s, %v; want %s", now.Head, err, fresh.Head)
	}
	if _, events := r.say(fresh, "c"); last(events).State != Done {
		t.Errorf("ended %s: %v", last(events).State, last(events).Err)
	}
}

func TestARetryIsASiblingOfTheAnswer(t *testing.T) {
	r := newRig(t)
	r.server.Script(answerOf("one"), answerOf("two"), answerOf("three"))
	v, _ := r.say(chat(), "q")
	first := v.Head
	turn, err := r.Retry(t.Context(), v, first)
	if err != nil {
		t.Fatal(err)
	}
	events := drain(t, turn)
	if events[0].Kind != EventMessage || events[0].Stored.ID != turn.Session().Head || events[1].Kind == EventMessage {
		t.Errorf("events = %s", script(events))
	}
	ids, err := r.store.Siblings(t.Context(), first)
	if err != nil || len(ids) != 2 || ids[0] != first || ids[1] != turn.Session().Head {
		t.Errorf("siblings = %v, %v", ids, err)
	}
	path, err := r.store.Path(t.Context(), turn.Session().Head, 0)
	if err != nil || len(path) != 2 || path[0].Text() != "q" || path[1].Text() != "two" {
		t.Errorf("path = %+v, %v", path, err)
	}
	all := r.requests()
	if string(all[0].Raw.Messages) != string(all[1].Raw.Messages) {
		t.Errorf("the retry asks %s, not %s", all[1].Raw.Messages, all[0].Raw.Messages)
	}
	now, err := r.store.Get(t.Context(), v.ID)
	if err != nil || now.Head != turn.Session().Head {
		t.Errorf("head = %s, %v", now.Head, err)
	}
	if state, msgs := turn.Attach(); state != Done || len(msgs) != 2 || msgs[0].Text() != "q" || msgs[1].Text() != "two" {
		t.Errorf("attach = %s, %+v", state, msgs)
	}
	if _, err := r.Retry(t.Context(), turn.Session(), "nosuchmessag"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("retry of an unknown message = %v", err)
	}
}

func TestAMessageWhoseAnswerNeverBeganCanBeTakenBack(t *testing.T) {
	r := newRig(t, noRetries)
	r.server.Script(answerOf("one"), emulator.Err(500, "", "boom"), answerOf("three"))
	before, _ := r.say(chat(), "a")
	failed, _ := r.say(before, "b")
	path, err := r.store.Path(t.Context(), failed.Head, 0)
	if err != nil || len(path) != 4 {
		t.Fatalf("path = %+v, %v", path, err)
	}
	if _, err := r.Withdraw(t.Context(), failed, path[0].ID); !errors.Is(err, ErrAnswered) {
		t.Errorf("withdraw of an answered message = %v", err)
	}
	if _, err := r.Withdraw(t.Context(), failed, path[3].ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("withdraw of an answer = %v", err)
	}
	head, err := r.Withdraw(t.Context(), failed, path[2].ID)
	if err != nil || head != before.Head {
		t.Fatalf("withdraw = %s, %v; want %s", head, err, before.Head)
	}
	for _, m := range path[2:] {
		if !storedMessage(t, r.store, m.ID).Deleted {
			t.Errorf("%s is not deleted", m.ID)
		}
	}
	failed.Head = head
	r.say(failed, "c")
	all := r.requests()
	if got, want := all[len(all)-1].spoken(), "user: a | assistant: one | user: c"; got != want {
		t.Errorf("the next request says %q, want %q", got, want)
	}
}

func TestTheFirstMessageOfAChatCanBeTakenBack(t *testing.T) {
	r := newRig(t, noRetries)
	r.server.Script(emulator.Err(401, "invalid_api_key", "no"), answerOf("ok"))
	v, _ := r.say(chat(), "a")
	path, _ := r.store.Path(t.Context(), v.Head, 0)
	head, err := r.Withdraw(t.Context(), v, path[0].ID)
	if err != nil || head != "" {
		t.Fatalf("withdraw = %q, %v", head, err)
	}
	v.Head = head
	if _, events := r.say(v, "b"); last(events).State != Done {
		t.Errorf("ended %s: %v", last(events).State, last(events).Err)
	}
	if got := r.requests()[1].spoken(); got != "user: b" {
		t.Errorf("the next request says %q", got)
	}
}

func TestALeftSessionGoesOnAndIsUnlockedAtItsEnd(t *testing.T) {
	r := newRig(t)
	reply, gate := gated("first ", "second")
	r.server.Script(reply)
	turn := r.start(chat(), "q")
	until(t, turn, isDelta)
	id := turn.Session().ID
	r.Release(id)
	if _, err := r.store.Lock(t.Context(), id); !errors.Is(err, session.ErrLocked) {
		t.Errorf("lock of a session that streams = %v", err)
	}
	close(gate)
	turn.Wait()
	if m := storedMessage(t, r.store, turn.Session().Head); m.State != session.Done || m.Text() != "first second" {
		t.Errorf("stored = %+v", m)
	}
	lock, err := r.store.Lock(t.Context(), id)
	if err != nil {
		t.Fatalf("lock = %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestTheLockIsKeptUntilTheSessionIsReleased(t *testing.T) {
	r := newRig(t)
	v, _ := r.say(chat(), "q")
	if _, err := r.store.Lock(t.Context(), v.ID); !errors.Is(err, session.ErrLocked) {
		t.Errorf("lock = %v", err)
	}
	r.Release(v.ID)
	r.Release(v.ID)
	lock, err := r.store.Lock(t.Context(), v.ID)
	if err != nil {
		t.Fatalf("lock after the release = %v", err)
	}
	if _, err := r.Start(t.Context(), v, "again"); !errors.Is(err, session.ErrLocked) {
		t.Errorf("start in a locked session = %v", err)
	}
	if path, err := r.store.Path(t.Context(), v.Head, 0); err != nil || len(path) != 2 {
		t.Errorf("path = %+v, %v", path, err)
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
	r.say(v, "again")
}

func TestAFailedStartGivesTheLockBack(t *testing.T) {
	r := newRig(t)
	v, _ := r.say(chat(), "q")
	r.Release(v.ID)
	v.Head = session.NewMessageID() // as if it had moved
	if _, err := r.Start(t.Context(), v, "again"); err == nil {
		t.Fatal("it began")
	}
	lock, err := r.store.Lock(t.Context(), v.ID)
	if err != nil {
		t.Fatalf("lock = %v", err)
	}
	_ = lock.Unlock()
}

func TestWhoComesBackGetsEveryByteOnce(t *testing.T) {
	r := newRig(t)
	const n = 8000
	r.server.Script(emulator.Stream(emulator.R("think"), emulator.Flood(n, 16), emulator.F("stop"), emulator.D))
	turn := r.start(chat(), "q")
	text := ""
	for rounds := 0; ; rounds++ {
		// A listener comes back, takes two batches, and goes.
		state, msgs := turn.Attach()
		text = msgs[1].ReasoningText() + msgs[1].Text()
		if state.Ended() {
			break
		}
		ended := false
		for range 2 {
			events, err := turn.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if isDelta(e) {
					text += e.Delta.Text
				}
				ended = ended || e.Kind == EventEnd
			}
		}
		if _, msgs := turn.Attach(); !hasPrefix(msgs[1].ReasoningText()+msgs[1].Text(), text) {
			t.Fatalf("in round %d the listener's text is no beginning of the answer", rounds)
		}
		if ended {
			break
		}
	}
	turn.Wait()
	want := "think" + r.server.Text(1)
	if text != want || storedMessage(t, r.store, turn.Session().Head).Text() != want[len("think"):] {
		t.Errorf("%d bytes, want %d", len(text), len(want))
	}
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

func TestWhoComesBackWhileAnotherListensMissesNothing(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(emulator.Flood(8000, 16), emulator.F("stop"), emulator.D))
	turn := r.start(chat(), "q")
	stop, cancel := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { // somebody who listened before, and goes at some time
		for {
			if _, err := turn.Next(stop); err != nil {
				return
			}
		}
	})
	for range 20 {
		turn.Attach()
	}
	cancel()
	listening.Wait()
	_, msgs := turn.Attach()
	text := msgs[1].Text()
	for {
		events, err := turn.Next(t.Context())
		if err != nil {
			break
		}
		text += textOf(events, session.PartText)
	}
	if text != r.server.Text(1) {
		t.Errorf("%d bytes, want %d", len(text), len(r.server.Text(1)))
	}
}

func TestAfterTheEndWhoComesBackIsToldOnce(t *testing.T) {
	r := newRig(t)
	r.server.Script(answerOf("ok"))
	turn := r.start(chat(), "q")
	turn.Wait()
	state, msgs := turn.Attach()
	if state != Done || msgs[1].Text() != "ok" || msgs[1].State != session.Done {
		t.Errorf("attach = %s, %+v", state, msgs)
	}
	if got := drain(t, turn); script(got) != "<end>" {
		t.Errorf("events = %s", script(got))
	}
	turn.Attach()
	if events, err := turn.Next(t.Context()); err == nil {
		t.Errorf("events = %s", script(events))
	}
}

func TestClosingKeepsWhatArrived(t *testing.T) {
	r := newRig(t)
	engine := r.another(r.store)
	var turns []*Turn
	for range 3 {
		r.server.Script(emulator.Stream(emulator.C("half an ans"), emulator.Hang))
		turn, err := engine.Start(t.Context(), chat(), "q")
		if err != nil {
			t.Fatal(err)
		}
		until(t, turn, isDelta)
		turns = append(turns, turn)
	}
	closeEngine(t, engine)
	other := openStore(t, r.path)
	defer other.Close()
	for _, turn := range turns {
		m := storedMessage(t, other, turn.Session().Head)
		if m.State != session.Cancelled || m.Text() != "half an ans" {
			t.Errorf("stored = %+v", m)
		}
		lock, err := other.Lock(t.Context(), turn.Session().ID)
		if err != nil {
			t.Fatalf("lock after the close = %v", err)
		}
		_ = lock.Unlock()
	}
	if _, err := engine.Start(t.Context(), chat(), "q"); !errors.Is(err, ErrClosed) {
		t.Errorf("start = %v", err)
	}
	if _, _, _, err := engine.Open(t.Context(), turns[0].Session().ID, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("open = %v", err)
	}
	engine.Release(turns[0].Session().ID)
	closeEngine(t, engine)
}

func TestAStartThatIsGivenUpStoresNothing(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := chat()
	if _, err := r.Start(ctx, v, "q"); !errors.Is(err, context.Canceled) {
		t.Errorf("start = %v", err)
	}
	if _, err := r.store.Get(t.Context(), v.ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("get = %v", err)
	}
}

func TestTheTurnOutlivesWhoStartedIt(t *testing.T) {
	r := newRig(t)
	reply, gate := gated("first ", "second")
	r.server.Script(reply)
	ctx, cancel := context.WithCancel(t.Context())
	turn, err := r.Start(ctx, chat(), "q")
	if err != nil {
		t.Fatal(err)
	}
	until(t, turn, isDelta)
	cancel()
	close(gate)
	if end := last(drain(t, turn)); end.State != Done || end.Stored.Text() != "first second" {
		t.Errorf("end = %+v", end)
	}
}
