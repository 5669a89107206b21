//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"waferchat/api/emulator"
	"waferchat/internal/vterm"
)

// long is how long a test waits for what must come, also on a slow day.
const long = 60 * time.Second

// secret is a key that must be found nowhere.
const secret = "wfr_SECRET0123456789"

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "waferchat-e2e-")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "waferchat")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		return "", &buildError{string(out)}
	}
	return bin, nil
})

type buildError struct{ out string }

func (e *buildError) Error() string { return "build: " + e.out }

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// home is a user: a home directory and the program to run in it.
type home struct {
	t   *testing.T
	dir string
	env []string
	bin string
}

func newHome(t *testing.T, env ...string) *home {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &home{t: t, dir: dir, bin: bin, env: append([]string{"HOME=" + dir, "TZ=UTC"}, env...)}
}

func (h *home) start(cols, rows int, args ...string) *vterm.Term {
	h.t.Helper()
	return vterm.Start(h.t, cols, rows, h.env, append([]string{h.bin}, args...)...)
}

// run runs print mode and the like.
func (h *home) run(stdin string, args ...string) (out, errs string, code int) {
	h.t.Helper()
	cmd := exec.Command(h.bin, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, h.env...)
	cmd.Stdin = strings.NewReader(stdin)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run()
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// leak fails the test if the secret is in any file below the home, but one.
func (h *home) leak(but string) {
	h.t.Helper()
	_ = filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || but != "" && strings.HasSuffix(path, but) {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(secret)) {
			h.t.Errorf("the key is in %s", path)
		}
		return nil
	})
}

func strictServer(t *testing.T) *emulator.Running {
	t.Helper()
	s, err := emulator.Start(emulator.Options{Profile: emulator.Strict, Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestTheDemoAnswersKeepsAndResumes(t *testing.T) {
	h := newHome(t)
	term := h.start(100, 30, "--demo")
	term.WaitFor("scripted demo", long)
	term.Send("show me a table\r")
	term.WaitFor("tok/s · first", long)
	term.WaitFor("⏎ send", long)
	if !strings.Contains(term.Text(), "∴ thought") {
		t.Errorf("no folded reasoning:\n%s", term.Text())
	}
	before := term.Text()
	term.Send("\x04") // Ctrl+D
	if code := term.Wait(long); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	again := h.start(100, 30, "--demo", "-c")
	again.WaitFor("tok/s · first", long)
	again.WaitFor("context", long)
	if after := again.Text(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestAChatSurvivesCancelAndKill is the whole life of a chat against a server
// that refuses every untidy history.
func TestAChatSurvivesCancelAndKill(t *testing.T) {
	s := strictServer(t)
	hang := emulator.Stream(emulator.R("thinking"), emulator.C("half of "), emulator.C("an answer"), emulator.Hang)
	ok := func(text string) emulator.Reply {
		return emulator.Stream(emulator.C(text), emulator.F("stop"), emulator.U, emulator.D)
	}
	s.Script(ok("answer one"), hang, ok("answer three"), hang, ok("answer five"), ok("answer six"))
	h := newHome(t, "WAFER_API_KEY="+secret, "WAFER_BASE_URL="+s.URL, "WAFER_MODEL=GLM-5.3")

	term := h.start(100, 40)
	term.WaitFor("waferchat", long)
	term.Send("question one\r")
	term.WaitFor("answer one", long)
	term.WaitFor("⏎ send", long)
	term.Send("question two\r")
	term.WaitFor("half of an answer", long)
	term.Send("\x1b")
	term.WaitFor("Stopped", long)
	term.Send("question three\r")
	term.WaitFor("answer three", long)
	term.WaitFor("⏎ send", long)
	term.Send("question four\r")
	term.WaitUntil("the fourth answer", long, func() bool { return strings.Count(term.Text(), "half of an answer") == 2 })
	time.Sleep(300 * time.Millisecond) // what streamed is durable after 250 ms: the promise under test
	term.Kill()
	term.Wait(long)

	term = h.start(100, 40, "-c")
	term.WaitFor("interrupted", long)
	if n := strings.Count(term.Text(), "half of an answer"); n != 2 {
		t.Errorf("half of an answer is there %d times, not twice:\n%s", n, term.Text())
	}
	term.Send("question five\r")
	term.WaitFor("answer five", long)
	term.WaitFor("⏎ send", long)
	term.Send("\x04")
	term.Wait(long)

	out, errs, code := h.run("and from a pipe", "-p", "-c", "question six:")
	if out != "answer six\n" || code != 0 {
		t.Errorf("print mode gave %q, code %d; %s", out, code, errs)
	}
	var chats []emulator.Received
	for _, r := range s.Requests() {
		if strings.HasSuffix(r.Path, "/chat/completions") {
			chats = append(chats, r)
		}
	}
	if len(chats) != 6 {
		t.Fatalf("%d requests, want 6: some were refused or sent twice", len(chats))
	}
	last := string(chats[5].Body)
	for _, want := range []string{"question one", "answer one", "half of an answer", "question three", "answer five", "question six:", "and from a pipe"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last request lacks %q: %s", want, last)
		}
	}
	h.leak("")
	if strings.Contains(string(term.Raw()), secret) {
		t.Error("the key was on the screen")
	}
}

func TestWithoutAKeyTheFirstRunScreenHelps(t *testing.T) {
	h := newHome(t, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
	term := h.start(100, 30)
	term.WaitFor("Paste a Wafer API key", long)
	term.WaitFor("Try the demo", long)
	term.Send("\x1b[B\x1b[B\r") // down to the demo
	term.WaitGone("Paste a Wafer API key", long)
	term.WaitFor("scripted demo", long)
	term.Send("hello\r")
	term.WaitFor("tok/s", long)
}

func TestAPastedKeyIsKeptInOnePlaceOnly(t *testing.T) {
	h := newHome(t, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
	term := h.start(100, 30)
	term.WaitFor("Paste a Wafer API key", long)
	term.Paste(secret)
	term.WaitFor("••••", long)
	term.Send("\r")
	term.WaitFor("The key is kept in", long)
	if raw := string(term.Raw()); strings.Contains(raw, secret) {
		t.Error("the key was on the screen")
	}
	term.Send("\x04")
	term.Wait(long)
	kept := ""
	_ = filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(secret)) {
			if kept != "" {
				t.Errorf("the key is in %s and in %s", kept, path)
			}
			kept = path
			if info, _ := d.Info(); info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
		}
		return nil
	})
	if kept == "" {
		t.Error("the key was not kept")
	}
}

func TestResizingGarblesNothing(t *testing.T) {
	h := newHome(t)
	term := h.start(80, 24, "--demo")
	term.WaitFor("scripted demo", long)
	term.Send("show me a table\r")
	term.WaitFor("tok/s", long)
	term.WaitFor("⏎ send", long)
	for _, size := range [][2]int{{40, 10}, {200, 60}, {1, 1}, {5, 3}, {100, 30}} {
		term.Resize(size[0], size[1])
	}
	rule := strings.Repeat("─", 100)
	term.WaitUntil("the new size", long, func() bool { return strings.Contains(term.Text(), rule) && strings.Contains(term.Text(), "context") })
	got := body(term)
	term.Send("\x04")
	term.Wait(long) // a chat has one writer
	fresh := h.start(100, 30, "--demo", "-c")
	fresh.WaitFor("tok/s · first", long)
	fresh.WaitFor("context", long)
	if want := body(fresh); got != want {
		t.Errorf("after resizing:\n%s\na fresh start:\n%s", got, want)
	}
}

// body is the screen without the last row, whose hints may tell of the past.
func body(t *vterm.Term) string {
	rows := strings.Split(t.Text(), "\n")
	return strings.Join(rows[:len(rows)-1], "\n")
}

func TestSuspendAndComeBack(t *testing.T) {
	h := newHome(t)
	term := vterm.Start(t, 100, 30, append(h.env, "PS1=ready> ", "WAFERCHAT="+h.bin), "bash", "--norc", "--noprofile", "-i")
	term.WaitFor("ready>", long)
	term.Send("$WAFERCHAT --demo\r")
	term.WaitFor("scripted demo", long)
	term.Send("a draft")
	term.WaitFor("a draft", long)
	term.Send("\x1a")
	term.WaitUntil("the shell", long, func() bool { return !term.AltScreen() })
	term.Send("echo shell-$((40+2))\r")
	term.WaitFor("shell-42", long)
	term.Send("fg\r")
	term.WaitUntil("the program", long, term.AltScreen)
	term.WaitFor("a draft", long)
	term.Send(" goes on")
	term.WaitFor("a draft goes on", long)
}

func TestEverySignalLeavesTheTerminalAsItWas(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		h := newHome(t)
		term := h.start(100, 30, "--demo")
		term.WaitFor("scripted demo", long)
		term.Send("tell me something long\r")
		term.WaitFor("tok", long)
		term.Signal(sig)
		term.Wait(long)
		if term.AltScreen() {
			t.Errorf("%v: still on the alternate screen", sig)
		}
		for _, mode := range []int{1000, 1002, 1003, 1004, 1006, 2004} {
			if term.Mode(mode) {
				t.Errorf("%v: mode %d is still on", sig, mode)
			}
		}
		if f := term.KeyboardFlags(); f != 0 {
			t.Errorf("%v: keyboard flags %d are still on", sig, f)
		}
	}
}
