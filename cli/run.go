package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"waferchat/config"
	"waferchat/host"
	"waferchat/ui/untrusted"
)

// The exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1   // API or I/O error
	exitUsage       = 2   // the command line or the configuration
	exitCut         = 3   // an answer that was cut short
	exitUnsatisfied = 4   // an answer that is not what was asked for: schema, JSON, regular expression
	exitInterrupted = 130 // SIGINT and its like
)

// System is what a run of the program can touch of the process.
type System struct {
	// Args are the arguments without the program's name.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string
	// Keyring replaces the system's keyring.
	Keyring host.Keyring
	// Version is what --version prints.
	Version string
	// Frugal, when not nil, is called when print mode begins: one answer is read
	// and written, and the process may be set up for that.
	Frugal func()
	// TUI replaces the terminal program.
	TUI TUI
}

// Run runs the program to its end and returns the exit status. When ctx ends,
// what runs is ended cleanly and stored, and the status is 130.
func Run(ctx context.Context, s System) int {
	if s.Getenv == nil {
		s.Getenv = os.Getenv
	}
	if s.TUI == nil {
		s.TUI = startTUI
	}
	return newProgram(s).run(ctx)
}

func (p *program) run(ctx context.Context) int {
	defer p.close()
	root := p.command()
	root.SetArgs(append([]string{}, p.sys.Args...)) // nil would mean os.Args
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		p.log.Error("ended", "error", err.Error())
	}
	return p.report(ctx, cmd.CommandPath(), err)
}

// program is one run.
type program struct {
	sys      System
	out      io.Writer // stdout
	lost     bool      // an answer is printed that could not be saved
	flags    flags
	asked    []field // request fields of the command line
	config   config.Config
	problems []config.Problem
	paths    config.Paths
	noPaths  error // why there is no place for files
	keys     *host.Keys
	trust    trust
	log      *slog.Logger
	patience time.Duration // how long a finished answer waits for the model list

	mu      sync.Mutex
	closers []func()
	lists   map[string]Catalogue // the newest known, by base URL
}

func newProgram(s System) *program {
	if s.Stderr == nil {
		s.Stderr = io.Discard
	}
	s.Stderr = &inTurn{w: s.Stderr}
	return &program{sys: s, out: stdout{s.Stdout}, log: slog.New(slog.DiscardHandler), patience: listGrace, lists: map[string]Catalogue{}}
}

// stdout marks the errors of writing to it, so that they are not taken for
// those of a server or a disk.
type stdout struct{ w io.Writer }

func (o stdout) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil {
		err = &outputError{err}
	}
	return n, err
}

// inTurn lets one writer at a time write: what is told about a request may come
// from beside the answer.
type inTurn struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *inTurn) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

// outputError is a failure to write to stdout.
type outputError struct{ err error }

func (e *outputError) Error() string { return "write to stdout: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// unread tells whether the error only means that nobody reads any more.
func (e *outputError) unread() bool {
	return errors.Is(e.err, syscall.EPIPE) || errors.Is(e.err, io.ErrClosedPipe)
}

// onClose has f run at the end of the run, the last one first.
func (p *program) onClose(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closers = append(p.closers, f)
}

func (p *program) close() {
	p.mu.Lock()
	closers := p.closers
	p.closers = nil
	p.mu.Unlock()
	for _, f := range slices.Backward(closers) {
		f()
	}
}

// exitError ends the run with a status. Its error is nil when everything has
// been said.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// local is an error of this machine that is said as it is.
func local(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFailed, err}
}

// report says why the run of a command ended and gives its status.
func (p *program) report(ctx context.Context, command string, err error) int {
	var exit *exitError
	var out *outputError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &out):
		if out.unread() {
			return exitDone
		}
		p.say("%v", out)
		return exitFailed
	case errors.As(err, &exit):
		if exit.err != nil {
			p.say("%v", exit.err)
		}
		if exit.status == exitUsage && exit.err != nil {
			fmt.Fprintf(p.sys.Stderr, "Try '%s --help' for more information.\n", command)
		}
		return exit.status
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	p.say("%v", explain(err))
	return exitFailed
}

// say writes one message to stderr.
func (p *program) say(format string, args ...any) {
	fmt.Fprintf(p.sys.Stderr, "waferchat: %s\n", untrusted.Plain(fmt.Sprintf(format, args...)))
}

// note is say for what may be silenced with --quiet.
func (p *program) note(format string, args ...any) {
	if !p.flags.quiet {
		p.say(format, args...)
	}
}

func (p *program) host() host.System { return host.System{Getenv: p.sys.Getenv} }

// isTerminal tells whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && f != nil && term.IsTerminal(f.Fd())
}

const goos = runtime.GOOS
