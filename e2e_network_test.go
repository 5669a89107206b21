//go:build unix

package main

import (
	"bufio"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"waferchat/api/emulator"
)

// wire is a TCP relay that can go dark: it swallows everything and tells nobody,
// like a network that went away.
type wire struct {
	address string

	mu    sync.Mutex
	lines int
	dark  chan struct{}
}

func newWire(t *testing.T, s *emulator.Running) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	w := &wire{address: l.Addr().String(), dark: make(chan struct{})}
	to := strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1")
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			t.Cleanup(func() { _, _ = in.Close(), out.Close() })
			w.mu.Lock()
			w.lines++
			dark := w.dark
			w.mu.Unlock()
			go relay(out, in, dark)
			go relay(in, out, dark)
		}
	}()
	return w
}

func relay(to, from net.Conn, dark chan struct{}) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		select {
		case <-dark:
			return
		default:
		}
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			_ = to.Close()
			return
		}
	}
}

// goDark cuts the lines of now; those to come are whole.
func (w *wire) goDark() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.dark)
	w.dark = make(chan struct{})
}

func (w *wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lines
}

func TestAConnectionThatGoesDarkIsNoticedAndTheNextMessageWorks(t *testing.T) {
	s := strictServer(t)
	w := newWire(t, s)
	h := newHome(t, "WAFER_API_KEY="+secret, "WAFER_BASE_URL=http://"+w.address, "WAFER_MODEL=GLM-5.3")
	h.config("idle_timeout = \"2s\"\nfirst_byte_timeout = \"2s\"\n")
	s.Script(emulator.Stream(emulator.R("hm"), emulator.C("half of an answer"), emulator.Hang), answer("answer two"), answer("answer three"))
	term := h.start(100, 30)
	term.WaitFor("⏎ send", long)
	term.Send("question one\r")
	term.WaitFor("half of an answer", long)
	w.goDark()
	term.WaitFor("The server went silent before the answer was complete", long)
	term.WaitFor("⏎ send", long)
	if !strings.Contains(term.Text(), "half of an answer") {
		t.Errorf("the partial answer is gone:\n%s", term.Text())
	}
	before := w.count()
	term.Send("question two\r")
	term.WaitFor("answer two", long)
	term.WaitFor("⏎ send", long)
	if w.count() == before {
		t.Error("the dead connection was used again")
	}
	// Now the line goes dark while nobody uses it: the request goes nowhere, and
	// is sent again over another one.
	w.goDark()
	term.Send("question three\r")
	term.WaitFor("answer three", long)
	term.WaitFor("⏎ send", long)
	all := asked(t, s)
	want := "user: question one | assistant: half of an answer | user: question two | assistant: answer two | user: question three"
	if last := said(all[len(all)-1]); len(all) != 3 || last != want {
		t.Errorf("%d requests, the last says %q, want %q", len(all), last, want)
	}
}

func TestAServerThatWasDownAtTheStartAnswersWhenItIsUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	h := newHome(t, "WAFER_API_KEY="+secret, "WAFER_BASE_URL=http://"+address+"/v1", "WAFER_MODEL=GLM-5.3")
	h.config("max_retries = 0\n")
	term := h.start(100, 30)
	term.WaitFor("⏎ send", long)
	term.Send("is anybody there?")
	term.Send("\r")
	term.WaitFor("The server at "+address+" refused the connection", long)
	term.WaitFor("❯ is anybody there?", long)
	s, err := emulator.Listen(address, emulator.Options{Profile: emulator.Strict, Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Script(answer("here I am"))
	term.Send("\r")
	term.WaitFor("here I am", long)
	term.WaitFor("⏎ send", long)
	if all := asked(t, s); len(all) != 1 || said(all[0]) != "user: is anybody there?" {
		t.Errorf("asked %v", all)
	}
	term.Send("\x04")
	term.Wait(long)
	kept := 0
	for _, m := range h.show() {
		if m.Text == "is anybody there?" {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("the question is there %d times", kept)
	}
}

func TestPrintModePassesEachWordOnAtOnceAndEveryByte(t *testing.T) {
	s := strictServer(t)
	h := waferHome(t, s)
	more := make(chan struct{})
	s.Script(emulator.Stream(emulator.R("hm"), emulator.C("first "), emulator.Wait(more), emulator.C("sec\u00f6nd\n\n  third\t"), emulator.C("🌍\n"), emulator.F("stop"), emulator.U, emulator.D))
	cmd := exec.Command(h.bin, "-p", "hi")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, h.env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	in := bufio.NewReader(out)
	got := make([]byte, len("first "))
	if _, err := io.ReadFull(in, got); err != nil || string(got) != "first " { // the server waits
		t.Fatalf("%q, %v", got, err)
	}
	close(more)
	rest, err := io.ReadAll(in)
	if err != nil || string(rest) != "sec\u00f6nd\n\n  third\t🌍\n" {
		t.Errorf("%q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil || errs.String() != "" {
		t.Errorf("%v, stderr %q", err, errs.String())
	}
}

func TestTheExitCodeTellsHowTheAnswerEnded(t *testing.T) {
	s := strictServer(t)
	h := waferHome(t, s)
	h.config("max_retries = 0\n")
	for _, c := range []struct {
		name  string
		reply emulator.Reply
		out   string
		code  int
	}{
		{"whole", answer("whole"), "whole\n", 0},
		{"no newline twice", answer("whole\n"), "whole\n", 0},
		{"refused", emulator.Err(400, "unsupported_value", "no"), "", 1},
		{"reported in the stream", emulator.Stream(emulator.C("half"), emulator.ErrFrame(500, "server_error", "broke")), "half\n", 1},
		{"ended early", emulator.Stream(emulator.C("half")), "half\n", 3},
		{"reset", emulator.Stream(emulator.C("half"), emulator.RST), "half\n", 3},
		{"token limit", emulator.Stream(emulator.C("half"), emulator.F("length"), emulator.D), "half\n", 3},
	} {
		s.Script(c.reply)
		out, errs, code := h.run("", "-p", "hi")
		if out != c.out || code != c.code || (code == 0) != (errs == "") || strings.Contains(out+errs, "\x1b") || strings.Count(errs, "\n") > 2 {
			t.Errorf("%s: %q, code %d, stderr %q", c.name, out, code, errs)
		}
	}
}

func TestAReaderThatHasEnoughEndsTheAnswerInPeace(t *testing.T) {
	s := strictServer(t)
	h := waferHome(t, s)
	over := make(chan struct{})
	s.Script(emulator.Stream(emulator.Repeat(10_000_000, emulator.C("a line\n")), emulator.Do(func() { close(over) })))
	cmd := exec.Command("bash", "-c", `"$0" -p "count for ever" | head -1; echo "${PIPESTATUS[0]}"`, h.bin)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, h.env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || string(out) != "a line\n0\n" || errs.String() != "" {
		t.Errorf("%q, %v, stderr %q", out, err, errs.String())
	}
	select {
	case <-over:
		t.Error("the answer was read to its end")
	default:
	}
	if left := h.show(); len(left) != 2 || left[1].State != "cancelled" || !strings.HasPrefix(left[1].Text, "a line\n") {
		t.Errorf("left are %d messages, the last %.80q", len(left), left[len(left)-1].Text)
	}
}

func TestACertificateOfOnesOwnAuthorityIsTrustedWhenItIsNamed(t *testing.T) {
	s := httptest.NewUnstartedServer(emulator.New(emulator.Options{Profile: emulator.Strict}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	h := newHome(t, "WAFER_API_KEY="+secret, "WAFER_BASE_URL="+s.URL, "WAFER_MODEL=GLM-5.3")
	out, errs, code := h.run("", "-p", "hello")
	if out != "" || code != 1 || !strings.Contains(errs, "unknown authority") || !strings.Contains(errs, "SSL_CERT_FILE") {
		t.Errorf("%q, %q, code %d", out, errs, code)
	}
	file := filepath.Join(h.dir, "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "SSL_CERT_FILE="+file)
	if out, errs, code := h.run("", "-p", "hello"); out == "" || code != 0 {
		t.Errorf("%q, %q, code %d", out, errs, code)
	}
}

// TestAKeyIsNowhereButWhereItWasPut has a server that repeats the key in all its
// errors, and looks at everything that the program writes.
func TestAKeyIsNowhereButWhereItWasPut(t *testing.T) {
	s := strictServer(t)
	s.Script(
		emulator.Err(401, "invalid_api_key", "Incorrect API key provided: "+secret),
		emulator.Body(500, "text/plain", "GET / HTTP/1.1\nAuthorization: Bearer "+secret+"\n"),
		emulator.Stream(emulator.C("half"), emulator.ErrFrame(500, secret, "key "+secret)),
		emulator.Body(307, "text/plain", "").With("Location", "http://user:"+secret+"@127.0.0.1:1/v1?key="+secret),
		answer("fine"),
	)
	h := waferHome(t, s)
	h.config("max_retries = 0\n")
	for i := range 5 {
		out, errs, code := h.run("", "-p", "--log-level", "debug", "hi")
		if strings.Contains(out+errs, secret) || (code == 0) != (i == 4) {
			t.Errorf("run %d: %q, %q, code %d", i, out, errs, code)
		}
	}
	if out, errs, code := h.run("", "-p", "--log-level", "debug", "--base-url", "http://user:"+secret+"@127.0.0.1:1/v1", "hi"); code != 1 || strings.Contains(out+errs, secret) {
		t.Errorf("%q, %q, code %d", out, errs, code)
	}
	h.leak("")
	logged := 0
	_ = filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".log") {
			info, _ := d.Info()
			logged += int(info.Size())
		}
		return err
	})
	if logged == 0 {
		t.Error("nothing was logged")
	}
	term := h.start(100, 30, "--log-level", "debug")
	s.Script(emulator.Err(401, "invalid_api_key", fmt.Sprintf("Incorrect API key provided: %s", secret)))
	term.WaitFor("⏎ send", long)
	term.Send("hi\r")
	term.WaitFor("did not accept the API key", long)
	if strings.Contains(string(term.Raw()), secret) {
		t.Error("the key was on the screen")
	}
	args, err := exec.Command("ps", "-o", "args=", "-p", fmt.Sprint(term.PID())).Output()
	if err == nil && strings.Contains(string(args), secret) {
		t.Error("the key is in the list of processes")
	}
	term.Kill()
	term.Wait(long)
	h.leak("")
}
