package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const childStore = "WAFERCHAT_TEST_CHILD_STORE"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(childStore); path != "" {
		fmt.Println(streamUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func numbered(i int) string { return fmt.Sprintf("%07d\n", i) }

// streamUntilKilled streams numbered lines, and prints how many bytes of them
// are in the file, as any process can see.
func streamUntilKilled(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{Flush: 5 * time.Millisecond})
	if err != nil {
		return err
	}
	if _, err := s.Lock(ctx, "s1"); err != nil {
		return err
	}
	err = s.Begin(ctx, Session{ID: "s1"}, user("m1", "", "hello"), assistant("m2", "m1", Streaming))
	if err != nil {
		return err
	}
	other, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	s.Append(Delta{Message: "m2", Ordinal: 1, Kind: PartToolCall, CallID: "c", Name: "f", Text: "{"})
	for i := range 1_000_000 {
		s.Append(textDelta(numbered(i)))
		if i%10 != 0 {
			continue
		}
		p, err := other.Path(ctx, "m2", 0)
		if err != nil {
			return err
		}
		if _, err := fmt.Println(len(p[1].Text())); err != nil {
			return err
		}
	}
	return errors.New("nobody killed it")
}

func TestAKilledProcessLosesNoMoreThanTheInterval(t *testing.T) {
	for _, bytes := range []int{0, 1, 2000} {
		t.Run(fmt.Sprint("after ", bytes), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), childStore+"="+path)
			out := must(cmd.StdoutPipe())(t)
			check(t, cmd.Start())
			durable := 0
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				n, err := strconv.Atoi(lines.Text())
				if err != nil {
					t.Fatal(lines.Text())
				}
				if durable = n; n >= bytes {
					break
				}
			}
			go func() { // it must not stop for a full pipe
				for lines.Scan() {
				}
			}()
			lookOn(t, path)
			check(t, cmd.Process.Kill())
			_ = cmd.Wait()
			takeOver(t, path, durable)
		})
	}
}

// lookOn is a second process that finds the session in use.
func lookOn(t *testing.T, path string) {
	s := reopen(t, path)
	if l, err := s.Lock(t.Context(), "s1"); !errors.Is(err, ErrLocked) {
		t.Fatalf("got %v %v", l, err)
	}
	if m := last(t, s, "m2"); m.State != Streaming {
		t.Fatal(m.State)
	}
	check(t, s.Begin(t.Context(), Session{ID: "s2"}, user("n1", "", "another session")))
	check(t, s.Close())
	s = reopen(t, path)
	if m := last(t, s, "m2"); m.State != Streaming || len(m.Parts) > 1 && m.Parts[1].CallState != "" {
		t.Fatal("looking on changed the session")
	}
	check(t, s.Close())
}

// takeOver is the process that comes after the killed one.
func takeOver(t *testing.T, path string, durable int) {
	s := reopen(t, path)
	check(t, s.Check(t.Context()))
	l := must(s.Lock(t.Context(), "s1"))(t)
	if n := must(s.Repair(t.Context(), l))(t); n != 1 {
		t.Fatalf("%d messages repaired", n)
	}
	if n := must(s.Repair(t.Context(), l))(t); n != 0 {
		t.Fatalf("%d messages repaired again", n)
	}
	m := last(t, s, "m2")
	got := m.Text()
	if m.State != Interrupted || len(got) < durable {
		t.Fatalf("%s with %d bytes; %d had been written", m.State, len(got), durable)
	}
	for i, line := range strings.SplitAfter(got, "\n") {
		if line != "" && line != numbered(i) {
			t.Fatalf("line %d is %q", i, line)
		}
	}
	for _, p := range m.Parts {
		if p.Kind == PartToolCall && p.CallState != "cancelled" {
			t.Fatalf("the call is %q", p.CallState)
		}
	}
	if got != "" && count(t, s, "SELECT count(*) FROM trigrams WHERE trigrams MATCH '0000000'") != 1 {
		t.Fatal("what was rescued is not in the index")
	}
	check(t, s.Check(t.Context()))
	check(t, s.Begin(t.Context(), Session{ID: "s1", Head: "m2"}, user("m3", "m2", "go on")))
}
