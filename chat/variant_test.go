package chat

import (
	"errors"
	"testing"

	"waferchat/api/emulator"
	"waferchat/session"
)

func TestGoingBackToAnEarlierVariantGoesOnFromThere(t *testing.T) {
	r := newRig(t)
	ok := func(text string) emulator.Reply {
		return emulator.Stream(emulator.C(text), emulator.F("stop"), emulator.U, emulator.D)
	}
	r.server.Script(ok("first answer"), ok("second answer"), ok("onwards"))
	v, _ := r.say(chat(), "question")
	first := v.Head
	turn, err := r.Retry(t.Context(), v, first)
	if err != nil {
		t.Fatal(err)
	}
	drain(t, turn)
	v = turn.Session()
	back, err := r.Variant(t.Context(), v, v.Head, -1)
	if err != nil || back.Head != first {
		t.Fatalf("the head is %s, want %s; %v", back.Head, first, err)
	}
	if again, err := r.Variant(t.Context(), back, first, -1); err != nil || again.Head != first {
		t.Errorf("before the first there is %s; %v", again.Head, err)
	}
	if _, err := r.Variant(t.Context(), v, v.Head, -1); !errors.Is(err, session.ErrMoved) {
		t.Errorf("a stale head moves on: %v", err)
	}
	back, _ = r.say(back, "and then?")
	path, err := r.store.Path(t.Context(), back.Head, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(path) != 4 || path[1].Text() != "first answer" || path[3].Text() != "onwards" {
		t.Errorf("the path is %d long, the first answer %q", len(path), path[1].Text())
	}
}
