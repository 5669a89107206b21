//go:build unix

package chat

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"waferchat/api/emulator"
	"waferchat/session"
)

func TestAChatWhoseFileIsRemovedIsToldAndLosesNothing(t *testing.T) {
	r := newRig(t)
	step := make(chan struct{})
	r.server.Script(answerOf("before"), emulator.Stream(emulator.C("one "), emulator.Wait(step), emulator.C("two "), emulator.Wait(step), emulator.C("three"), emulator.F("stop"), emulator.D), answerOf("after"))
	v, _ := r.say(chat(), "q1")
	turn := r.start(v, "q2")
	until(t, turn, isDelta)
	if err := os.RemoveAll(filepath.Dir(r.path)); err != nil {
		t.Fatal(err)
	}
	step <- struct{}{}
	if e := last(until(t, turn, isSaving)); !errors.Is(e.Err, session.ErrGone) {
		t.Fatalf("event = %+v", e)
	}
	if e := last(until(t, turn, isSaving)); e.Err != nil {
		t.Fatalf("event = %+v", e)
	}
	step <- struct{}{}
	if end := last(drain(t, turn)); end.State != Done || end.Stored.Text() != "one two three" {
		t.Errorf("end = %+v", end)
	}
	v, _ = r.say(turn.Session(), "q3")
	other := openStore(t, r.path)
	defer other.Close()
	path, err := other.Path(t.Context(), v.Head, 0)
	if err != nil || len(path) != 6 || path[1].Text() != "before" || path[3].Text() != "one two three" || path[5].Text() != "after" {
		t.Errorf("path = %+v, %v", path, err)
	}
	if _, err := other.Lock(t.Context(), v.ID); !errors.Is(err, session.ErrLocked) {
		t.Errorf("lock = %v", err)
	}
}
