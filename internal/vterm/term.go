package vterm

import (
	"bytes"
	"errors"
	"image/color"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

// TB is what the package needs of a *testing.T.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Config is a terminal to start a program in.
type Config struct {
	Cols, Rows int         // at least 1
	Env        []string    // "NAME=value", over the few variables that Start sets
	Dir        string      // the program's directory; "" for the current one
	Background color.Color // the answer to OSC 11; nil is black
	PlainKeys  bool        // the terminal has no kitty keyboard protocol
	Silent     bool        // the terminal answers no query at all
}

// Term is a program in a pty with its screen. Its methods may be called from any
// goroutine; those that can fail a test only from the test's own.
type Term struct {
	*Screen
	tb    TB
	pty   *os.File
	cmd   *exec.Cmd
	drawn chan struct{} // closed when all output is on the screen
	ended chan struct{} // closed when the program has been waited for

	mu  sync.Mutex
	raw []byte
}

// Start runs a program in a terminal of a size. See [Config.Start].
func Start(tb TB, cols, rows int, env []string, argv ...string) *Term {
	tb.Helper()
	return Config{Cols: cols, Rows: rows, Env: env}.Start(tb, argv...)
}

// Start runs a program and fails the test if it cannot. The program sees none of
// the caller's environment but PATH and what coverage needs: HOME is an empty
// directory, TERM is xterm-256color with true colour, the locale is C.UTF-8. It
// is killed at the end of the test.
func (c Config) Start(tb TB, argv ...string) *Term {
	tb.Helper()
	if len(argv) == 0 {
		tb.Fatalf("start: no program")
	}
	home, err := os.MkdirTemp("", "vterm-home-")
	if err != nil {
		tb.Fatalf("make a home directory: %v", err)
	}
	t := &Term{Screen: newScreen(c), tb: tb, drawn: make(chan struct{}), ended: make(chan struct{})}
	t.cmd = exec.Command(argv[0], argv[1:]...)
	t.cmd.Dir = c.Dir
	t.cmd.Env = append(environment(home), c.Env...)
	t.pty, err = pty.StartWithSize(t.cmd, &pty.Winsize{Cols: uint16(t.size.cols), Rows: uint16(t.size.rows)})
	if err != nil {
		_ = os.RemoveAll(home)
		tb.Fatalf("start %s: %v", argv[0], err)
	}
	go t.read()
	go t.answerAll()
	go func() {
		_ = t.cmd.Wait()
		close(t.ended)
	}()
	tb.Cleanup(func() {
		t.Kill()
		<-t.ended
		_ = t.pty.Close()
		t.Close()
		_ = os.RemoveAll(home)
	})
	return t
}

func environment(home string) []string {
	env := []string{
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
		"HOME=" + home, "PATH=" + os.Getenv("PATH"),
	}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env = append(env, "GOCOVERDIR="+dir)
	}
	return env
}

// read draws the program's output. A grapheme may arrive in two pieces and would
// be drawn as two, so that text which is not ASCII at the end of a piece waits
// shortly for the next.
func (t *Term) read() {
	defer close(t.drawn)
	pieces := make(chan []byte)
	go t.readPieces(pieces)
	var held []byte
	for {
		var late <-chan time.Time
		if len(held) > 0 {
			late = time.After(5 * time.Millisecond)
		}
		select {
		case p, ok := <-pieces:
			held = append(held, p...)
			cut := len(held)
			if ok {
				cut = 1 + bytes.LastIndexFunc(held, func(r rune) bool { return r < 0x80 })
			}
			_, _ = t.Screen.Write(held[:cut])
			held = slices.Clone(held[cut:])
			if !ok {
				return
			}
		case <-late:
			_, _ = t.Screen.Write(held)
			held = nil
		}
	}
}

func (t *Term) readPieces(to chan<- []byte) {
	defer close(to)
	buf := make([]byte, 32<<10)
	for {
		n, err := t.pty.Read(buf)
		if n > 0 {
			t.mu.Lock()
			t.raw = append(t.raw, buf[:n]...)
			t.mu.Unlock()
			to <- slices.Clone(buf[:n])
		}
		if err != nil {
			return // the program has closed its side
		}
	}
}

// answerAll passes the terminal's answers to the program.
func (t *Term) answerAll() {
	for {
		data, more := t.replies.take()
		if len(data) > 0 {
			if _, err := t.pty.Write(data); err != nil {
				return
			}
			continue
		}
		select {
		case <-more:
		case <-t.ended:
			return
		}
	}
}

// sendLimit is how long a program may leave its input unread.
const sendLimit = 20 * time.Second

// Send types text or the bytes of keys. It fails the test if the program has
// closed its terminal or does not read.
func (t *Term) Send(keys string) {
	t.tb.Helper()
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(t.pty, keys)
		sent <- err
	}()
	select {
	case err := <-sent:
		if err != nil {
			t.tb.Fatalf("send %.60q: %v; %s", keys, err, t.describe())
		}
	case <-time.After(sendLimit):
		t.tb.Fatalf("send %.60q: not read within %v; %s", keys, sendLimit, t.describe())
	}
}

// Paste sends text as a terminal does when the user pastes: in brackets if the
// program asked for them.
func (t *Term) Paste(text string) {
	t.tb.Helper()
	if t.Mode(2004) {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	t.Send(text)
}

// Resize changes the size of the terminal; the program gets SIGWINCH.
func (t *Term) Resize(cols, rows int) {
	t.tb.Helper()
	t.resize(cols, rows)
	if err := pty.Setsize(t.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.tb.Fatalf("resize to %dx%d: %v", cols, rows, err)
	}
}

// Raw is everything that the program has written so far.
func (t *Term) Raw() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.raw)
}

// WaitFor waits until the screen holds a text within one row. It fails the test
// after the timeout, or when the program ends without it.
func (t *Term) WaitFor(text string, timeout time.Duration) {
	t.tb.Helper()
	t.WaitUntil("the text "+text, timeout, func() bool { return strings.Contains(t.Text(), text) })
}

// WaitGone waits until the screen does not hold a text.
func (t *Term) WaitGone(text string, timeout time.Duration) {
	t.tb.Helper()
	t.WaitUntil("no more text "+text, timeout, func() bool { return !strings.Contains(t.Text(), text) })
}

// WaitUntil waits until a condition holds. It is asked after each change of the
// screen; what names it in the failure.
func (t *Term) WaitUntil(what string, timeout time.Duration, holds func() bool) {
	t.tb.Helper()
	late := time.NewTimer(timeout)
	defer late.Stop()
	for {
		changed := t.Changed()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-t.drawn:
			if !holds() {
				t.reap()
				t.tb.Fatalf("the program ended without %s; %s", what, t.describe())
			}
			return
		case <-late.C:
			t.tb.Fatalf("no %s within %v; %s", what, timeout, t.describe())
			return
		}
	}
}

// reap waits shortly for the end of a program that has closed its terminal.
func (t *Term) reap() {
	select {
	case <-t.ended:
	case <-time.After(time.Second):
	}
}

// describe is the state of the program for a failure.
func (t *Term) describe() string {
	state := "it runs"
	select {
	case <-t.ended:
		state = t.cmd.ProcessState.String()
	default:
	}
	return state + "; the screen:\n" + t.Text()
}

// PID is the program's process id.
func (t *Term) PID() int { return t.cmd.Process.Pid }

// Signal sends a signal to the program, if it still runs.
func (t *Term) Signal(sig os.Signal) {
	t.tb.Helper()
	if err := t.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.tb.Fatalf("signal %v: %v", sig, err)
	}
}

// Kill ends the program at once, as kill -9 does.
func (t *Term) Kill() { _ = t.cmd.Process.Kill() }

// Wait waits for the end of the program and of its output, and returns its exit
// code, -1 when a signal ended it. It fails the test after the timeout.
func (t *Term) Wait(timeout time.Duration) int {
	t.tb.Helper()
	late := time.NewTimer(timeout)
	defer late.Stop()
	for _, done := range []<-chan struct{}{t.ended, t.drawn} {
		select {
		case <-done:
		case <-late.C:
			t.tb.Fatalf("the program did not end within %v; %s", timeout, t.describe())
		}
	}
	return t.cmd.ProcessState.ExitCode()
}
