package chat

import (
	"errors"
	"fmt"
	"testing"

	"waferchat/session"
)

func TestOpenGivesTheEndOfTheActivePath(t *testing.T) {
	r := newRig(t)
	v := chat()
	for i := range 3 {
		r.server.Script(answerOf(fmt.Sprint("a", i)))
		v, _ = r.say(v, fmt.Sprint("q", i))
	}
	got, path, busy, err := r.Open(t.Context(), v.ID, 3)
	if err != nil || busy || got.Head != v.Head || len(path) != 3 {
		t.Fatalf("open = %+v, %d messages, %v, %v", got, len(path), busy, err)
	}
	if path[0].Text() != "a1" || path[1].Text() != "q2" || path[2].Text() != "a2" {
		t.Errorf("path = %+v", path)
	}
	if _, path, _, _ := r.Open(t.Context(), v.ID, 0); len(path) != 6 {
		t.Errorf("the whole path has %d messages", len(path))
	}
	if _, _, _, err := r.Open(t.Context(), session.NewID(), 0); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("open of an unknown session = %v", err)
	}
}

func TestOpenOfTheEnginesOwnStreamChangesNothing(t *testing.T) {
	r := newRig(t)
	reply, gate := gated("first ", "second")
	r.server.Script(reply)
	turn := r.start(chat(), "q")
	until(t, turn, isDelta)
	v, path, busy, err := r.Open(t.Context(), turn.Session().ID, 0)
	if err != nil || busy || v.Head != turn.Session().Head || len(path) != 2 || path[1].State != session.Streaming || path[1].Text() != "first " {
		t.Errorf("open = %+v, %+v, %v, %v", v, path, busy, err)
	}
	close(gate)
	if end := last(drain(t, turn)); end.State != Done || end.Stored.Text() != "first second" {
		t.Errorf("end = %+v", end)
	}
}

func TestTwoEnginesOnOneStore(t *testing.T) {
	r := newRig(t)
	store := openStore(t, r.path)
	defer store.Close()
	other := r.another(store)
	defer closeEngine(t, other)
	reply, gate := gated("first ", "second")
	r.server.Script(reply, answerOf("elsewhere"), answerOf("after"))
	turn := r.start(chat(), "q")
	until(t, turn, isDelta)
	if err := r.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, path, busy, err := other.Open(t.Context(), turn.Session().ID, 0)
	if err != nil || !busy || len(path) != 2 || path[1].State != session.Streaming || path[1].Text() != "first " {
		t.Errorf("open = %+v, busy %v, %v", path, busy, err)
	}
	if _, err := other.Start(t.Context(), v, "mine"); !errors.Is(err, session.ErrLocked) {
		t.Errorf("start = %v", err)
	}
	if elsewhere, err := other.Start(t.Context(), chat(), "q"); err != nil {
		t.Errorf("start in another session = %v", err)
	} else if end := last(drain(t, elsewhere)); end.State != Done {
		t.Errorf("it ended %s: %v", end.State, end.Err)
	}
	close(gate)
	if end := last(drain(t, turn)); end.State != Done || end.Stored.Text() != "first second" {
		t.Errorf("end = %+v", end)
	}
	r.Release(v.ID)
	turn, err = other.Start(t.Context(), v, "mine")
	if err != nil {
		t.Fatalf("start after the release = %v", err)
	}
	if end := last(drain(t, turn)); end.State != Done {
		t.Errorf("it ended %s: %v", end.State, end.Err)
	}
	if _, err := r.Start(t.Context(), v, "theirs"); !errors.Is(err, session.ErrLocked) {
		t.Errorf("start behind the other's back = %v", err)
	}
	other.Release(v.ID)
	if _, err := r.Start(t.Context(), v, "theirs"); !errors.Is(err, session.ErrMoved) {
		t.Errorf("start of a session that moved = %v", err)
	}
}

// abandon leaves a session as a process does that dies in a stream.
func abandon(t *testing.T, path string) session.Session {
	t.Helper()
	store := openStore(t, path)
	defer store.Close()
	v := chat()
	lock, err := store.Lock(t.Context(), v.ID)
	if err != nil {
		t.Fatal(err)
	}
	user := session.Message{ID: session.NewMessageID(), Session: v.ID, Role: "user", State: session.Done, Parts: []session.Part{{Kind: session.PartText, Text: "q"}}}
	reply := session.Message{ID: session.NewMessageID(), Session: v.ID, Parent: user.ID, Role: "assistant", State: session.Streaming, Model: "m"}
	if err := store.Begin(t.Context(), v, user, reply); err != nil {
		t.Fatal(err)
	}
	store.Append(session.Delta{Message: reply.ID, Kind: session.PartText, Text: "half"})
	if err := store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	v.Head = reply.ID
	return v
}

func TestOpenRepairsWhatADeadProcessLeft(t *testing.T) {
	r := newRig(t)
	v := abandon(t, r.path)
	_, path, busy, err := r.Open(t.Context(), v.ID, 0)
	if err != nil || busy || len(path) != 2 || path[1].State != session.Interrupted || path[1].Text() != "half" {
		t.Fatalf("open = %+v, %v, %v", path, busy, err)
	}
	lock, err := r.store.Lock(t.Context(), v.ID)
	if err != nil {
		t.Fatalf("open keeps the lock: %v", err)
	}
	_ = lock.Unlock()
}

func TestStartRepairsWhatADeadProcessLeft(t *testing.T) {
	r := newRig(t)
	v := abandon(t, r.path)
	left := v.Head
	r.server.Script(answerOf("ok"))
	r.say(v, "go on")
	if m := storedMessage(t, r.store, left); m.State != session.Interrupted {
		t.Errorf("stored = %+v", m)
	}
	if got := r.requests()[0].spoken(); got != "user: q | assistant: half | user: go on" {
		t.Errorf("the request says %q", got)
	}
}

func TestAStoreThatCannotBeWrittenCanBeRead(t *testing.T) {
	r := newRig(t)
	v := abandon(t, r.path)
	mend := breakStore(t, r.path)
	_, path, busy, err := r.Open(t.Context(), v.ID, 0)
	if err != nil || busy || len(path) != 2 || path[1].Text() != "half" {
		t.Errorf("open = %+v, %v, %v", path, busy, err)
	}
	if _, err := r.Start(t.Context(), v, "go on"); err == nil {
		t.Error("a turn began that cannot be saved")
	}
	mend()
	if _, path, _, err = r.Open(t.Context(), v.ID, 0); err != nil || path[1].State != session.Interrupted {
		t.Errorf("open = %+v, %v", path, err)
	}
}
