package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode"
)

// keyCommandLimit leaves time for a password manager's fingerprint dialog.
const keyCommandLimit = time.Minute

// RunKeyCommand runs a command line with the system's shell and returns the
// first line of its output, which is a secret. The error has the command's own
// last words, never its output.
func (s System) RunKeyCommand(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, keyCommandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	if s.goos() == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/C", command)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second // a child that kept the pipe open
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "", fmt.Errorf("run key_command: no answer within %v", keyCommandLimit)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		if words := lastLine(errs.String()); words != "" {
			return "", fmt.Errorf("run key_command: %w: %s", err, words)
		}
		return "", fmt.Errorf("run key_command: %w", err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", errors.New("run key_command: it printed nothing")
	}
	return line, nil
}

// lastLine is the last line of a program's complaint, printable and short.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	line := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, lines[len(lines)-1])
	if r := []rune(line); len(r) > 200 {
		line = string(r[:200]) + "…"
	}
	return line
}
