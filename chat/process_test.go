package chat

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"waferchat/api/emulator"
	"waferchat/session"
)

// durable is how much of a stream a killed process may lose, by product's
// promise.
const durable = 250 * time.Millisecond

func TestAKilledProcessLosesAtMostAQuarterOfASecond(t *testing.T) {
	r := newRig(t)
	gap := emulator.Pause(5 * time.Millisecond)
	r.server.Script(emulator.Stream(emulator.R("thinking "), emulator.Repeat(100_000, emulator.C("word "), gap)))
	id := session.NewID()
	child := task{Store: r.path, URL: r.server.URL, Open: id, Ask: "count"}.command(t)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lateness := oversleep(t)
	eventually(t, func() bool { return len(r.server.Sent()) >= 200 }, func() string { return "the child's answer does not arrive" })
	killed := time.Now()
	if err := child.Process.Kill(); err != nil { // SIGKILL: no time for last words
		t.Fatal(err)
	}
	_ = child.Wait()
	late := lateness()

	v, path, busy, err := r.Open(t.Context(), id, 0)
	if err != nil || busy || len(path) != 2 {
		t.Fatalf("open = %+v, %v, %v", path, busy, err)
	}
	reply := path[1]
	if path[0].Text() != "count" || reply.State != session.Interrupted || reply.ReasoningText() != "thinking " {
		t.Errorf("stored = %+v", path)
	}
	var all strings.Builder
	must := 0 // bytes that were sent early enough
	for _, s := range r.server.Sent() {
		if s.Reasoning {
			continue
		}
		all.WriteString(s.Text)
		if killed.Sub(s.Time) > durable+late {
			must = all.Len()
		}
	}
	got := reply.Text()
	if !strings.HasPrefix(all.String(), got) || len(got) < must || must == 0 {
		t.Errorf("%d bytes are stored of %d sent, %d of them %v before the end", len(got), all.Len(), must, durable+late)
	}
	t.Logf("%d of %d bytes stored, %d required; this machine was late by %v", len(got), all.Len(), must, late)

	r.server.Script(answerOf("ok"))
	if _, events := r.say(v, "go on"); last(events).State != Done {
		t.Errorf("the next turn ended %s: %v", last(events).State, last(events).Err)
	}
	requests := r.requests()
	if got, want := requests[1].spoken(), "user: count | assistant: "+got+" | user: go on"; strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("the next request says %q, want %q", got, want)
	}
}

// oversleep measures, until the returned function is called, by how much this
// machine is late at the worst, for others may be using it.
func oversleep(t *testing.T) func() time.Duration {
	t.Helper()
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		const nap = 5 * time.Millisecond
		ticker := time.NewTicker(nap)
		defer ticker.Stop()
		most, before := time.Duration(0), time.Now()
		for {
			select {
			case <-stop:
				worst <- most
				return
			case <-ticker.C:
				most = max(most, time.Since(before)-nap)
				before = time.Now()
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return 3 * <-worst // the child, the server and the disk may each be late
	}
}

func TestAnotherProcessChangesNothingOfAStream(t *testing.T) {
	r := newRig(t)
	reply, gate := gated("first ", "second")
	r.server.Script(reply)
	turn := r.start(chat(), "q")
	until(t, turn, isDelta)
	if err := r.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, err := task{Store: r.path, URL: r.server.URL, Open: turn.Session().ID}.command(t).Output()
	if err != nil {
		t.Fatal(err)
	}
	var found report
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	if !found.Busy || found.State != session.Streaming || found.Text != "first " || !strings.Contains(found.Err, session.ErrLocked.Error()) {
		t.Errorf("the other process found %+v", found)
	}
	close(gate)
	if end := last(drain(t, turn)); end.State != Done || end.Stored.Text() != "first second" {
		t.Errorf("end = %+v", end)
	}
	if path, err := r.store.Path(t.Context(), turn.Session().Head, 0); err != nil || len(path) != 2 || path[1].State != session.Done || path[1].Text() != "first second" {
		t.Errorf("path = %+v, %v", path, err)
	}
}
