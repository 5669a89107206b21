//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"waferchat/api/emulator"
)

// builds is where the program is built, once, by the first test that runs it.
var builds string

func TestMain(m *testing.M) {
	var err error
	if builds, err = os.MkdirTemp("", "waferchat-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(builds)
	os.Exit(status)
}

var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(builds, "waferchat")
	out, err := exec.Command("go", "build", "-o", path, "waferchat").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return path, err
})

// command is the built program on the machine h.
func (h *home) command(args ...string) *exec.Cmd {
	h.t.Helper()
	path, err := binary()
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"}
	for k, v := range h.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// running is a process whose answer has begun.
type running struct {
	*exec.Cmd
	out  io.ReadCloser
	in   *bufio.Reader
	errs bytes.Buffer
}

// begin starts the program and waits for the first text of its answer.
func (h *home) begin(first string, args ...string) *running {
	h.t.Helper()
	r := &running{Cmd: h.command(args...)}
	var err error
	if r.out, err = r.StdoutPipe(); err != nil {
		h.t.Fatal(err)
	}
	r.Stderr = &r.errs
	if err := r.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = r.Process.Kill() })
	r.in = bufio.NewReader(r.out)
	got := make([]byte, len(first))
	if _, err := io.ReadFull(r.in, got); err != nil || string(got) != first {
		_ = r.Wait()
		h.t.Fatalf("%q %v, stderr %q", got, err, r.errs.String())
	}
	return r
}

func (r *running) end() (status int, stderr string) {
	_, _ = io.Copy(io.Discard, r.in)
	_ = r.Wait()
	return r.ProcessState.ExitCode(), r.errs.String()
}

func TestCtrlCEndsAnAnswerWith130AndKeepsIt(t *testing.T) {
	h := newHome(t)
	never := make(chan struct{})
	defer close(never)
	h.server.Script(emulator.Stream(emulator.C("so far"), emulator.Wait(never)))
	r := h.begin("so far", "-p", "hi")
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if status, stderr := r.end(); status != 130 || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	if r := h.run("sessions", "show", h.list()[0]["id"].(string)); !strings.Contains(r.out, "(cancelled)\n\nso far") {
		t.Errorf("%+v", r)
	}
}

func TestAClosedPipeEndsAnAnswerQuietlyAndKeepsIt(t *testing.T) {
	h := newHome(t)
	closed, never := make(chan struct{}), make(chan struct{})
	defer close(never)
	h.server.Script(emulator.Stream(emulator.C("line 1\n"), emulator.Wait(closed), emulator.C("line 2\n"), emulator.Wait(never)))
	r := h.begin("line 1\n", "-p", "hi")
	_ = r.out.Close()
	close(closed)
	if err := r.Wait(); err != nil || r.errs.String() != "" {
		t.Errorf("%v, stderr %q", err, r.errs.String())
	}
	if r := h.run("sessions", "show", h.list()[0]["id"].(string)); !strings.Contains(r.out, "line 1\nline 2") {
		t.Errorf("%+v", r)
	}
}

func TestAfterAKillTheSessionGoesOn(t *testing.T) {
	h := newHome(t)
	never := make(chan struct{})
	defer close(never)
	h.server.Script(emulator.Stream(emulator.C("lost at most a moment of this"), emulator.Wait(never)), answer("yes"))
	r := h.begin("lost at most", "-p", "hi")
	if err := r.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.end()
	h.run("-p", "-c", "are you there?").want(t, 0, "yes\n", "")
	got := asked(t, h.server)
	if last := got[len(got)-1].texts(); !strings.HasPrefix(last, "user: hi") || !strings.HasSuffix(last, "are you there?") {
		t.Error(last)
	}
}

func TestPrintModeNeedsNoTerminal(t *testing.T) {
	h := newHome(t)
	h.server.Script(answer("hello"))
	cmd := h.command("-p", "hi")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil || string(out) != "hello\n" {
		t.Errorf("%q %v", out, err)
	}
	h.server.Script(answer("hello"))
	cmd = h.command("hi")
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stdout = file
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(file.Name()); string(data) != "hello\n" {
		t.Errorf("%q", data)
	}
}

func TestWithoutAWorkingSessionBusTheKeyIsKeptInAFile(t *testing.T) {
	h := newHome(t)
	delete(h.env, "WAFER_API_KEY")
	cmd := h.command("key", "set")
	cmd.Stdin = strings.NewReader(secret)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), h.file("config", "waferchat", "keys.json")) {
		t.Errorf("%s %v", out, err)
	}
}
