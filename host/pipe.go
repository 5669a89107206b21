package host

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// What is kept of a command's output, in bytes: this much of the beginning and
// of the end.
const (
	pipeHead = 128 << 10
	pipeTail = 128 << 10
)

// errorsKept is how much of the end of a command's standard error is kept.
const errorsKept = 4 << 10

// pipeGrace is how long a command that was told to end may take, and how long
// children may hold its output open after it has ended.
const pipeGrace = time.Second

// Piped is what came of a command. The texts are as the command wrote them:
// escape sequences included.
type Piped struct {
	// Head is its standard output, the first part of it when LeftOut is not 0;
	// Tail is the last part then.
	Head, Tail string
	// LeftOut is how many bytes between them are not kept.
	LeftOut int64
	// Errors is the end of its standard error, at most 4 KiB.
	Errors string
	// Code is the exit code, -1 when it was killed.
	Code int
}

// Pipe runs a command line with the user's shell (SHELL, else /bin/sh) and a text
// on its standard input. The command has no terminal, so it can neither draw over
// the screen nor wait for keys. When ctx ends it is told to end with all its
// children, and killed a second later; Pipe returns what it had written, with
// ctx's error. Another error means that it could not be started.
func (s System) Pipe(ctx context.Context, command, input string) (Piped, error) {
	cmd := exec.CommandContext(ctx, s.shell(), "-c", command)
	if s.goos() == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/C", command)
	}
	out, errs := &ends{head: pipeHead, tail: pipeTail}, &ends{tail: errorsKept}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), out, errs
	cmd.WaitDelay = pipeGrace
	ownSession(cmd)
	cmd.Cancel = func() error { return endSession(cmd, false) }
	err := cmd.Run()
	if cmd.Process == nil {
		return Piped{}, fmt.Errorf("run command: %w", err)
	}
	if ctx.Err() != nil {
		_ = endSession(cmd, true) // children that did not listen
	}
	p := Piped{Code: cmd.ProcessState.ExitCode(), LeftOut: out.leftOut()}
	if p.Head, p.Tail = out.text(); p.LeftOut == 0 {
		p.Head, p.Tail = p.Head+p.Tail, ""
	}
	_, p.Errors = errs.text()
	if ctx.Err() != nil {
		return p, fmt.Errorf("run command: %w", ctx.Err())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return p, fmt.Errorf("run command: %w", err)
	}
	return p, nil
}

func (s System) shell() string {
	if sh := s.env("SHELL"); sh != "" {
		return sh
	}
	return "/bin/sh"
}

// ends is a writer that keeps the first and the last bytes of what is written,
// whatever that comes to.
type ends struct {
	head, tail int // how many bytes of each
	first      []byte
	last       []byte // at most twice tail
	total      int64
}

func (e *ends) Write(p []byte) (int, error) {
	n := len(p)
	e.total += int64(n)
	if room := e.head - len(e.first); room > 0 {
		k := min(room, len(p))
		e.first = append(e.first, p[:k]...)
		p = p[k:]
	}
	if len(p) > e.tail {
		p = p[len(p)-e.tail:]
	}
	e.last = append(e.last, p...)
	if extra := len(e.last) - e.tail; extra > e.tail {
		e.last = e.last[:copy(e.last, e.last[extra:])]
	}
	return n, nil
}

// text returns the first and the last bytes.
func (e *ends) text() (first, last string) {
	return string(e.first), string(e.last[max(0, len(e.last)-e.tail):])
}

// leftOut is how many bytes between them are gone.
func (e *ends) leftOut() int64 {
	return e.total - int64(len(e.first)) - int64(min(len(e.last), e.tail))
}
