package session

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestASessionIsLockedOnce(t *testing.T) {
	a, path := fileStore(t)
	b := reopen(t, path)
	for _, id := range []ID{"abc", "../odd/\x00id", ""} {
		l := must(a.Lock(t.Context(), id))(t)
		for name, s := range map[string]*Store{"the same store": a, "another": b} {
			if _, err := s.Lock(t.Context(), id); !errors.Is(err, ErrLocked) {
				t.Fatalf("%q in %s: %v", id, name, err)
			}
		}
		free := must(b.Lock(t.Context(), id+"x"))(t)
		check(t, free.Unlock())
		check(t, l.Unlock())
		check(t, l.Unlock())
		l2 := must(b.Lock(t.Context(), id))(t)
		check(t, l.Unlock()) // not b's
		if _, err := a.Lock(t.Context(), id); !errors.Is(err, ErrLocked) {
			t.Fatalf("%q: %v", id, err)
		}
		check(t, l2.Unlock())
	}
	if left := must(os.ReadDir(filepath.Join(filepath.Dir(path), "locks")))(t); len(left) != 0 && posix {
		t.Errorf("lock files are left: %v", left)
	}
}

func TestALockFileOfADeadProcessIsNoObstacle(t *testing.T) {
	s, path := fileStore(t)
	dir := filepath.Join(filepath.Dir(path), "locks")
	check(t, os.MkdirAll(dir, 0o700))
	check(t, os.WriteFile(filepath.Join(dir, "abc.lock"), []byte("4711"), 0o600))
	l := must(s.Lock(t.Context(), "abc"))(t)
	check(t, l.Unlock())
}

func TestLocksExcludeEachOtherWhileFilesComeAndGo(t *testing.T) {
	a, path := fileStore(t)
	stores := []*Store{a, reopen(t, path), reopen(t, path)}
	var inside, taken atomic.Int32
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for range 3000 {
				l, err := stores[i%3].Lock(t.Context(), "abc")
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil || inside.Add(1) != 1 {
					t.Errorf("two hold the lock, or %v", err)
					return
				}
				taken.Add(1)
				runtime.Gosched()
				inside.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() == 0 {
		t.Error("nobody got the lock")
	}
}

func TestRepairChangesWhatADeadProcessLeftAndNothingElse(t *testing.T) {
	s, path := fileStore(t)
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "hello"),
		assistant("m2", "m1", Done, call("a", "running", "{}"), call("b", "waiting", "{}"), call("c", "ok", "{}"), call("d", "running", "{}")),
		result("m3", "m2", answer("c", "r"), answer("d", "r")),
		assistant("m4", "m1", Done, call("a", "denied", "{}"), text("x")),
		assistant("m5", "m1", Streaming, text("begun"), call("a", "", "{")),
		assistant("m6", "m1", Streaming, text("mine"))))
	check(t, s.Begin(t.Context(), Session{ID: "s2"}, assistant("n1", "", Streaming), assistant("n2", "", Done, call("a", "running", ""))))
	l := must(s.Lock(t.Context(), "s1"))(t)
	if n := must(s.Repair(t.Context(), l))(t); n != 1 { // m2: the streams are this store's own
		t.Fatal(n)
	}
	if last(t, s, "m5").State != Streaming {
		t.Fatal("a live answer was interrupted")
	}
	check(t, l.Unlock())
	if _, err := s.Repair(t.Context(), l); err == nil {
		t.Fatal("repaired without the lock")
	}
	check(t, s.Close())

	s = reopen(t, path)
	before := must(s.Get(t.Context(), "s1"))(t)
	l = must(s.Lock(t.Context(), "s1"))(t)
	if n := must(s.Repair(t.Context(), l))(t); n != 2 {
		t.Fatal(n)
	}
	same(t, "session", must(s.Get(t.Context(), "s1"))(t), before)
	for id, want := range map[string][]string{"m2": {"cancelled", "cancelled", "ok", "running"}, "m4": {"denied", ""},
		"m5": {"", "cancelled"}, "n2": {"running"}} {
		m := last(t, s, id)
		for i, p := range m.Parts {
			if p.CallState != want[i] {
				t.Errorf("call %d of %s is %q, not %q", i, id, p.CallState, want[i])
			}
		}
	}
	for id, want := range map[string]State{"m2": Done, "m5": Interrupted, "m6": Interrupted, "n1": Streaming} {
		if m := last(t, s, id); m.State != want {
			t.Errorf("%s is %s", id, m.State)
		}
	}
	if _, err := reopen(t, path).Repair(t.Context(), l); err == nil {
		t.Error("repaired with another store's lock")
	}
}

func TestRepairLeavesCallsAloneThatAreRunningHere(t *testing.T) {
	s := memoryStore(t)
	streaming(t, s)
	l := must(s.Lock(t.Context(), "s1"))(t)
	m := assistant("m2", "m1", Done, call("a", "running", "{}"))
	check(t, s.Finish(t.Context(), m))
	if n := must(s.Repair(t.Context(), l))(t); n != 0 {
		t.Fatal(n)
	}
	m.Parts[0].CallState = "ok"
	check(t, s.Finish(t.Context(), m))
	m.Parts[0].CallState = "running"
	check(t, s.Finish(t.Context(), m))
	if last(t, s, "m2").Parts[0].CallState != "running" || must(s.Repair(t.Context(), l))(t) != 0 {
		t.Fatal("cancelled under its feet")
	}
}
