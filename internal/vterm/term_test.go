package vterm

import (
	"bufio"
	"fmt"
	"image/color"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
)

const limit = 20 * time.Second

// TestMain makes the test binary the program in the terminal, too.
func TestMain(m *testing.M) {
	if mode := os.Getenv("VTERM_TEST_PROGRAM"); mode != "" {
		program(mode)
		return
	}
	os.Exit(m.Run())
}

func program(mode string) {
	if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
		fmt.Println(err)
		os.Exit(99)
	}
	switch mode {
	case "echo":
		fmt.Printf("ready %s %s\r\n", os.Getenv("TERM"), os.Getenv("EXTRA"))
		echo("")
	case "query":
		echo("\x1b]11;?\a\x1b[?u\x1b[c")
	case "size":
		changes := make(chan os.Signal, 1)
		signal.Notify(changes, syscall.SIGWINCH)
		for {
			w, h, _ := term.GetSize(os.Stdout.Fd())
			fmt.Printf("\x1b[2J\x1b[H%dx%d", w, h)
			<-changes
		}
	case "graphemes":
		for _, part := range []string{"👩", "\u200d", "💻", "|"} {
			fmt.Print(part)
		}
		echo("")
	case "quit":
		fmt.Print("bye")
		os.Exit(3)
	}
}

// echo prints what it reads, quoted, and quits at a q.
func echo(first string) {
	fmt.Print(first)
	in := bufio.NewReader(os.Stdin)
	for {
		b, err := in.ReadByte()
		if err != nil || b == 'q' {
			os.Exit(0)
		}
		fmt.Print(strings.Trim(fmt.Sprintf("%q", b), "'"))
	}
}

func run(t *testing.T, c Config, mode string) *Term {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if c.Cols == 0 {
		c.Cols, c.Rows = 60, 5
	}
	c.Env = append(c.Env, "VTERM_TEST_PROGRAM="+mode)
	return c.Start(t, exe)
}

func TestAProgramReadsWhatIsTyped(t *testing.T) {
	tm := run(t, Config{Env: []string{"EXTRA=more"}}, "echo")
	tm.WaitFor("ready xterm-256color more", limit)
	tm.Send("ab\r\x1b[A")
	tm.WaitFor(`ab\r\x1b[A`, limit)
	tm.Paste("xy")
	tm.WaitFor("[Axy", limit)
	tm.Send("q")
	if code := tm.Wait(limit); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if raw := string(tm.Raw()); !strings.HasPrefix(raw, "ready xterm-256color more\r\nab") {
		t.Errorf("raw output %q", raw)
	}
}

func TestAProgramGetsAnswersToItsQueries(t *testing.T) {
	tm := run(t, Config{Background: color.White}, "query")
	tm.WaitFor(`\x1b]11;rgb:ffff/ffff/ffff\a\x1b[?0u\x1b[?62;1;6;22c`, limit)
}

func TestAProgramIsToldOfAResize(t *testing.T) {
	tm := run(t, Config{Cols: 90, Rows: 30}, "size")
	tm.WaitFor("90x30", limit)
	tm.Resize(40, 10)
	tm.WaitFor("40x10", limit)
	tm.WaitGone("90x30", limit)
	if cols, rows := tm.Size(); cols != 40 || rows != 10 {
		t.Errorf("size %dx%d", cols, rows)
	}
}

func TestAGraphemeInPiecesIsOneCell(t *testing.T) {
	tm := run(t, Config{}, "graphemes")
	tm.WaitFor("|", limit)
	if c := tm.Cell(0, 0); c.Width != 2 {
		t.Errorf("the first cell is %+v", c)
	}
}

func TestTheExitCodeIsThatOfTheProgram(t *testing.T) {
	tm := run(t, Config{}, "quit")
	if code := tm.Wait(limit); code != 3 {
		t.Errorf("exit code %d", code)
	}
	if got := tm.Row(0); got != "bye" {
		t.Errorf("row 0 is %q", got)
	}
	killed := run(t, Config{}, "echo")
	killed.WaitFor("ready", limit)
	killed.Kill()
	if code := killed.Wait(limit); code != -1 {
		t.Errorf("exit code %d after a kill", code)
	}
	interrupted := run(t, Config{}, "echo")
	interrupted.WaitFor("ready", limit)
	interrupted.Signal(syscall.SIGTERM)
	if code := interrupted.Wait(limit); code != -1 {
		t.Errorf("exit code %d after a signal", code)
	}
}

// failure records what would fail a test.
type failure struct {
	*testing.T
	message string
}

type stop struct{}

func (f *failure) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	panic(stop{})
}

func failing(t *testing.T, tm *Term, do func()) string {
	t.Helper()
	f := &failure{T: t}
	tm.tb = f
	defer func() { tm.tb = t }()
	func() {
		defer func() {
			if r := recover(); r != nil && r != (stop{}) {
				panic(r)
			}
		}()
		do()
	}()
	return f.message
}

func TestAFailureShowsTheScreen(t *testing.T) {
	tm := run(t, Config{}, "echo")
	tm.WaitFor("ready", limit)
	got := failing(t, tm, func() { tm.WaitFor("never", time.Millisecond) })
	if !strings.Contains(got, "no the text never within 1ms") || !strings.Contains(got, "ready xterm") {
		t.Errorf("message %q", got)
	}
	tm.Send("q")
	got = failing(t, tm, func() { tm.WaitFor("never", limit) })
	if !strings.Contains(got, "ended without the text never; exit status 0") {
		t.Errorf("message %q", got)
	}
}
