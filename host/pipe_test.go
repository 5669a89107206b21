//go:build unix

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestACommandReadsTheTextAndItsWordsComeBack(t *testing.T) {
	s := system("linux", nil, "SHELL", "/bin/sh")
	for _, tt := range []struct {
		command, input string
		want           Piped
	}{
		{"sort", "b\na\n", Piped{Head: "a\nb\n"}},
		{"tr a-z A-Z | tail -n 1", "x\nlast\n", Piped{Head: "LAST\n"}},
		{"echo out; echo wrong >&2; exit 3", "never read", Piped{Head: "out\n", Errors: "wrong\n", Code: 3}},
		{"true", strings.Repeat("never read ", 1<<17), Piped{}},
		{"nosuchcommand-x 2>/dev/null", "", Piped{Code: 127}},
		{"sleep 3 & echo done", "", Piped{Head: "done\n"}}, // a child keeps the output open
	} {
		if got, err := s.Pipe(context.Background(), tt.command, tt.input); err != nil || got != tt.want {
			t.Errorf("%s: %+v %v", tt.command, got, err)
		}
	}
	if got, err := system("linux", nil, "SHELL", "/no/such/shell").Pipe(context.Background(), "true", ""); err == nil {
		t.Errorf("%+v", got)
	}
}

func TestACommandHasNoTerminal(t *testing.T) {
	got, err := (System{}).Pipe(context.Background(), "test -t 0 || test -t 1 || test -t 2 || (: </dev/tty) 2>/dev/null; echo $?", "")
	if err != nil || strings.TrimSpace(got.Head) == "0" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestOfALongOutputTheBeginningAndTheEndAreKept(t *testing.T) {
	got, err := (System{}).Pipe(context.Background(), "cat", strings.Repeat("a", 200_000)+strings.Repeat("b", 200_000)+"end")
	if err != nil || len(got.Head) != pipeHead || len(got.Tail) != pipeTail || got.LeftOut != 400_003-pipeHead-pipeTail {
		t.Fatalf("%d … %d, %d left out, %v", len(got.Head), len(got.Tail), got.LeftOut, err)
	}
	if strings.Trim(got.Head, "a") != "" || !strings.HasSuffix(got.Tail, "bend") {
		t.Error("not its ends")
	}
	got, err = (System{}).Pipe(context.Background(), "cat; head -c 9000 /dev/zero | tr '\\0' e >&2; echo last >&2", strings.Repeat("a", pipeHead+pipeTail))
	if err != nil || got.LeftOut != 0 || len(got.Head) != pipeHead+pipeTail || len(got.Errors) != errorsKept || !strings.HasSuffix(got.Errors, "elast\n") {
		t.Errorf("%d bytes, %d left out, errors of %d, %v", len(got.Head), got.LeftOut, len(got.Errors), err)
	}
}

func TestTheEndsOfAnythingWrittenInPieces(t *testing.T) {
	for _, piece := range []int{1, 2, 3, 7, 64} {
		text := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
		e := &ends{head: 5, tail: 4}
		for len(text) > 0 {
			n := min(piece, len(text))
			if k, err := e.Write(text[:n]); k != n || err != nil {
				t.Fatal(k, err)
			}
			text = text[n:]
		}
		if first, last := e.text(); first != "01234" || last != "wxyz" || e.leftOut() != 27 {
			t.Errorf("pieces of %d: %q … %q, %d left out", piece, first, last, e.leftOut())
		}
	}
}

func TestAStoppedCommandEndsWithItsChildren(t *testing.T) {
	dir := t.TempDir()
	for _, fifo := range []string{"ready", "alive"} {
		if err := syscall.Mkfifo(filepath.Join(dir, fifo), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = os.ReadFile(filepath.Join(dir, "ready")) // until the command is under way
		cancel()
	}()
	gone := make(chan struct{})
	go func() {
		_, _ = os.ReadFile(filepath.Join(dir, "alive")) // until nobody can write any more
		close(gone)
	}()
	// A child that does not listen, and a shell that waits for it.
	command := fmt.Sprintf("cd %s; echo begun; (trap '' TERM; exec 3>alive; echo > ready; while :; do sleep 60; done) & wait", dir)
	got, err := (System{}).Pipe(ctx, command, "")
	if !errors.Is(err, context.Canceled) || got.Head != "begun\n" || got.Code != -1 {
		t.Errorf("%+v %v", got, err)
	}
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("a child lives on")
	}
}
