package chat

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to break the store from outside

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

// breakStore lets every write to a store fail, as a full disk does, until the
// returned function is called.
func breakStore(t *testing.T, path string) (mend func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var tables []string
	rows, err := db.Query(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite%'
		AND name NOT LIKE 'trigrams%' AND name NOT LIKE 'short!_words%' ESCAPE '!'`) // SQLite itself writes the tables of an index, and may not be stopped there
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	var triggers []string
	for _, table := range tables {
		for _, op := range []string{"INSERT", "UPDATE"} {
			name := fmt.Sprintf("full_%s_%s", table, op)
			_, err := db.Exec(fmt.Sprintf(`CREATE TRIGGER "%s" BEFORE %s ON "%s" BEGIN SELECT RAISE(FAIL, 'the disk is full'); END`, name, op, table))
			if err == nil { // tables that belong to an index take none
				triggers = append(triggers, name)
			}
		}
	}
	if len(triggers) == 0 {
		t.Fatal("nothing could be broken")
	}
	return func() {
		for _, name := range triggers {
			if _, err := db.Exec(fmt.Sprintf(`DROP TRIGGER "%s"`, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

func isSaving(e Event) bool { return e.Kind == EventSaving }

func TestTheUserIsToldWhenSavingFailsAndWhenItWorksAgain(t *testing.T) {
	r := newRig(t)
	step := make(chan struct{})
	r.server.Script(emulator.Stream(emulator.C("one "), emulator.Wait(step), emulator.C("two "), emulator.Wait(step), emulator.C("three"), emulator.F("stop"), emulator.D))
	turn := r.start(chat(), "q")
	until(t, turn, isDelta)
	if err := r.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	mend := breakStore(t, r.path)
	step <- struct{}{}
	if e := last(until(t, turn, isSaving)); e.Err == nil {
		t.Fatalf("event = %+v", e)
	}
	if _, msgs := turn.Attach(); msgs[1].Text() != "one two " {
		t.Errorf("message = %+v", msgs[1])
	}
	if e := last(until(t, turn, isSaving)); e.Err == nil { // told again to who comes back
		t.Fatalf("event = %+v", e)
	}
	mend()
	if e := last(until(t, turn, isSaving)); e.Err != nil {
		t.Fatalf("event = %+v", e)
	}
	step <- struct{}{}
	if end := last(drain(t, turn)); end.State != Done || end.Stored.Text() != "one two three" {
		t.Errorf("end = %+v", end)
	}
	if m := storedMessage(t, r.store, turn.Session().Head); m.State != session.Done || m.Text() != "one two three" {
		t.Errorf("stored = %+v", m)
	}
}

func TestAnAnswerThatCannotBeSavedIsSavedLater(t *testing.T) {
	tick := make(chan time.Time)
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.After = func(time.Duration) <-chan time.Time { return tick }
	})
	reply, gate := gated("first ", "second")
	r.server.Script(reply, answerOf("after"))
	turn := r.start(chat(), "q")
	until(t, turn, isDelta)
	mend := breakStore(t, r.path)
	close(gate)
	events := drain(t, turn)
	if end := last(events); end.State != Done || end.Stored.Text() != "first second" {
		t.Errorf("end = %+v", end)
	}
	if e := events[len(events)-2]; e.Kind != EventSaving || e.Err == nil {
		t.Errorf("before the end came %+v", e)
	}
	v := turn.Session()
	if _, err := r.Start(t.Context(), v, "again"); err == nil {
		t.Fatal("a turn began on an answer that is not saved")
	}
	r.Release(v.ID)
	other := openStore(t, r.path)
	defer other.Close()
	if _, err := other.Lock(t.Context(), v.ID); err == nil {
		t.Fatal("the session is unlocked, though its answer is not saved")
	}
	mend()
	tick <- time.Time{}
	eventually(t, func() bool {
		lock, err := other.Lock(t.Context(), v.ID)
		if err == nil {
			_ = lock.Unlock()
		}
		return err == nil
	}, func() string { return "the session stays locked" })
	if m := storedMessage(t, other, v.Head); m.State != session.Done || m.Text() != "first second" {
		t.Errorf("stored = %+v", m)
	}
	if _, events := r.say(v, "again"); last(events).State != Done {
		t.Errorf("the next turn ended %s: %v", last(events).State, last(events).Err)
	}
}

func TestTheNextTurnSavesWhatTheLastCouldNot(t *testing.T) {
	r := newRig(t, func(o *Options, _ *api.Options) {
		o.After = func(time.Duration) <-chan time.Time { return nil }
	})
	reply, gate := gated("first ", "second")
	r.server.Script(reply, answerOf("after"))
	turn := r.start(chat(), "q")
	until(t, turn, isDelta)
	mend := breakStore(t, r.path)
	close(gate)
	drain(t, turn)
	mend()
	v, events := r.say(turn.Session(), "again")
	if i := slices.IndexFunc(events, isSaving); i < 0 || events[i].Err != nil {
		t.Errorf("nobody is told that saving works again: %s", script(events))
	}
	path, err := r.store.Path(t.Context(), v.Head, 0)
	if err != nil || len(path) != 4 || path[1].State != session.Done || path[1].Text() != "first second" {
		t.Errorf("path = %+v, %v", path, err)
	}
}

func TestClosingTellsWhatCouldNotBeSaved(t *testing.T) {
	r := newRig(t)
	engine := r.another(r.store)
	r.server.Script(emulator.Stream(emulator.C("half"), emulator.Hang))
	turn, err := engine.Start(t.Context(), chat(), "q")
	if err != nil {
		t.Fatal(err)
	}
	until(t, turn, isDelta)
	mend := breakStore(t, r.path)
	defer mend()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := engine.Close(ctx); err == nil {
		t.Error("close said nothing")
	}
}

func TestClosingWaitsNoLongerThanItMay(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(emulator.C("half"), emulator.Hang))
	engine := r.another(r.store)
	turn, err := engine.Start(t.Context(), chat(), "q")
	if err != nil {
		t.Fatal(err)
	}
	until(t, turn, isDelta)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := engine.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close = %v", err)
	}
	closeEngine(t, engine)
	if m := storedMessage(t, r.store, turn.Session().Head); m.State != session.Cancelled || m.Text() != "half" {
		t.Errorf("stored = %+v", m)
	}
}
