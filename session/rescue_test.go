//go:build unix

package session

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// told collects what a store says about saving.
type told chan error

func (c told) next(t *testing.T) error {
	t.Helper()
	select {
	case err := <-c:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("nobody was told")
		return nil
	}
}

// limitFiles lets no file of this process grow beyond a size, as a full disk
// does, until the returned func is called.
func limitFiles(t *testing.T, size int64) (lift func()) {
	t.Helper()
	var was syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	limited := was
	limited.Cur = uint64(size)
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited))
	lifted := false
	lift = func() {
		if !lifted {
			lifted = true
			check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
		}
	}
	t.Cleanup(lift)
	return lift
}

func TestADiskThatIsFullForAWhileLosesNothing(t *testing.T) {
	// The limit holds for a whole process, so for every file that the test run
	// itself writes: it gets a process of its own.
	const alone = "SESSION_TEST_FULL_DISK"
	if os.Getenv(alone) == "" {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), alone+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "s.db")
	saving := make(told, 10)
	s := must(Open(t.Context(), path, Options{Flush: 5 * time.Millisecond, OnError: func(err error) { saving <- err }}))(t)
	t.Cleanup(func() { _ = s.Close() })
	v := chatOf(t, s, 1)
	check(t, s.Begin(t.Context(), v, user("m1", string(v.Head), "hello"), assistant("m2", "m1", Streaming)))
	s.Append(textDelta("one "))
	check(t, s.Flush(t.Context()))
	lift := limitFiles(t, must(os.Stat(path+"-wal"))(t).Size()+1000)
	two := strings.Repeat("two ", 50_000)
	s.Append(textDelta(two))
	if err := saving.next(t); err == nil {
		t.Fatal("the full disk went unnoticed")
	}
	s.Append(textDelta("three"))
	if got := last(t, s, "m2").Text(); got != "one "+two+"three" {
		t.Fatalf("%d bytes on screen", len(got))
	}
	if err := s.Finish(t.Context(), assistant("m2", "m1", Done)); err == nil {
		t.Fatal("Finish says nothing")
	}
	if err := s.Begin(t.Context(), Session{ID: "s1", Head: "m2"}, user("m3", "m2", two)); err == nil {
		t.Fatal("a message was stored on a full disk")
	}
	lift()
	if err := saving.next(t); err != nil {
		t.Fatalf("saving still fails: %v", err)
	}
	other := reopen(t, path)
	for name, s := range map[string]*Store{"here": s, "elsewhere": other} {
		if m := last(t, s, "m2"); m.Text() != "one "+two+"three" || m.State != Done {
			t.Errorf("%s: %s with %d bytes", name, m.State, len(m.Text()))
		}
	}
	check(t, s.Begin(t.Context(), Session{ID: "s1", Head: "m2"}, user("m3", "m2", two)))
	check(t, other.Check(t.Context()))
}

func TestAStoreThatIsRemovedWhileItIsUsedIsPutBack(t *testing.T) {
	for name, remove := range map[string]func(path string) error{
		"the directory":        func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"the file":             os.Remove,
		"the file and its log": func(path string) error { return errors.Join(os.Remove(path), os.Remove(path+"-wal")) },
		"moved away": func(path string) error {
			return os.Rename(filepath.Dir(path), filepath.Dir(path)+" of old")
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer umask(0)()
			path := filepath.Join(t.TempDir(), "data", "s.db")
			saving := make(told, 10)
			s := must(Open(t.Context(), path, Options{Flush: 5 * time.Millisecond, OnError: func(err error) { saving <- err }}))(t)
			defer func() { check(t, s.Close()) }()
			v := chatOf(t, s, 3)
			l := must(s.Lock(t.Context(), "s1"))(t)
			check(t, s.Begin(t.Context(), v, user("m1", string(v.Head), "hello"), assistant("m2", "m1", Streaming)))
			s.Append(textDelta("one "))
			check(t, s.Flush(t.Context()))
			check(t, remove(path))
			s.Append(textDelta("two "))
			if err := saving.next(t); !errors.Is(err, ErrGone) {
				t.Fatalf("told %v", err)
			}
			if err := saving.next(t); err != nil {
				t.Fatalf("it was not put back: %v", err)
			}
			s.Append(textDelta("three"))
			check(t, s.Finish(t.Context(), assistant("m2", "m1", Done)))

			other := reopen(t, path)
			for name, s := range map[string]*Store{"here": s, "elsewhere": other} {
				p := pathOf(t, s, "m2")
				if len(p) != 8 || p[7].Text() != "one two three" || p[7].State != Done || p[5].Text() == "" {
					t.Errorf("%s: %s", name, dump(p))
				}
			}
			check(t, other.Check(t.Context()))
			if n := count(t, other, "SELECT count(*) FROM trigrams WHERE trigrams MATCH 'three'"); n != 1 {
				t.Errorf("%d hits in the index", n)
			}
			if _, err := other.Lock(t.Context(), "s1"); !errors.Is(err, ErrLocked) {
				t.Errorf("the lock did not come along: %v", err)
			}
			check(t, l.Unlock())
			again := must(other.Lock(t.Context(), "s1"))(t)
			check(t, again.Unlock())
			private(t, filepath.Dir(path))
		})
	}
}

// private checks that nobody else may read what is below a directory.
func private(t *testing.T, dir string) {
	t.Helper()
	check(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", p, info.Mode())
		}
		if strings.HasSuffix(p, ".tmp") {
			t.Errorf("%s is left", p)
		}
		return err
	}))
}

func TestAChatWhoseStoreWasRemovedGoesOnAtTheSecondTry(t *testing.T) {
	s, path := fileStore(t)
	v := chatOf(t, s, 2)
	check(t, os.RemoveAll(filepath.Dir(path)))
	if _, err := s.Path(t.Context(), v.Head, 0); !errors.Is(err, ErrGone) {
		t.Fatalf("the reader is told %v", err)
	}
	if p := pathOf(t, s, string(v.Head)); len(p) != 4 {
		t.Fatal(dump(p))
	}
	check(t, s.Begin(t.Context(), v, user("m1", string(v.Head), "go on")))
	check(t, os.RemoveAll(filepath.Dir(path))) // a second time
	if err := s.SaveDraft(t.Context(), "", Draft{Text: "x"}); !errors.Is(err, ErrGone) {
		t.Fatalf("the writer is told %v", err)
	}
	check(t, s.SaveDraft(t.Context(), "", Draft{Text: "x"}))
	other := reopen(t, path)
	if p := pathOf(t, other, "m1"); len(p) != 5 || must(other.Draft(t.Context(), ""))(t).Text != "x" {
		t.Fatal(dump(p))
	}
}

func TestTwoProcessesWhoseStoreWasRemovedShareOneAgain(t *testing.T) {
	a, path := fileStore(t)
	b := reopen(t, path)
	v := chatOf(t, a, 1)
	check(t, b.Begin(t.Context(), Session{ID: "s2"}, user("n1", "", "hello"), assistant("n2", "n1", Streaming)))
	check(t, os.RemoveAll(filepath.Dir(path)))
	for _, s := range []*Store{a, b} {
		if err := s.SaveDraft(t.Context(), "", Draft{Text: "x"}); !errors.Is(err, ErrGone) {
			t.Fatal(err)
		}
	}
	check(t, a.SaveDraft(t.Context(), "", Draft{Text: "x"}))
	b.Append(Delta{Message: "n2", Kind: PartText, Text: "there"})
	check(t, b.Finish(t.Context(), assistant("n2", "n1", Done)))
	check(t, a.Begin(t.Context(), v, user("m1", string(v.Head), "go on")))
	if p, q := pathOf(t, a, "n2"), pathOf(t, b, "m1"); len(p) != 2 || p[1].Text() != "there" || len(q) != 3 {
		t.Fatal(dump(p), dump(q))
	}
}

func TestAnotherStoreInItsPlaceIsNotWrittenOver(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	check(t, os.RemoveAll(filepath.Dir(path)))
	other := reopen(t, path)
	check(t, other.Begin(t.Context(), Session{ID: "s9"}, user("o1", "", "other")))
	s.Append(textDelta("mine"))
	for range 3 {
		if err := s.Flush(t.Context()); !errors.Is(err, ErrGone) {
			t.Fatalf("got %v", err)
		}
	}
	if n := count(t, other, "SELECT count(*) FROM messages"); n != 1 {
		t.Errorf("%d messages in the other", n)
	}
	if err := s.Close(); !errors.Is(err, ErrGone) {
		t.Errorf("Close hides what is lost: %v", err)
	}
	check(t, other.Begin(t.Context(), Session{ID: "s9", Head: "o1"}, user("o2", "o1", "more")))
	if p := pathOf(t, reopen(t, path), "o2"); len(p) != 2 {
		t.Errorf("the other lost its log: %s", dump(p))
	}
}
