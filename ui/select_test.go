package ui

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/api"
	"waferchat/session"
)

// reader is a driver with a mouse and a clipboard.
type reader struct {
	*driver
	b      *bench
	mu     sync.Mutex
	copied []string
	read   int
	now    time.Time
}

// reads shows messages on a screen.
func reads(t *testing.T, width, height int, messages ...session.Message) *reader {
	t.Helper()
	r := &reader{b: newBench(t, ""), now: moment}
	r.b.deps.Copy = func(text string) (string, string, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.copied = append(r.copied, text)
		return "", "clipboard", nil
	}
	r.b.deps.Now = func() time.Time { return r.now }
	r.driver = newDriver(t, r.b.deps, width, height)
	r.wait("the store", func() bool { return r.m.back != nil })
	if len(messages) > 0 {
		r.m.chat.transcript.load(messages)
		r.send(tea.WindowSizeMsg{Width: width, Height: height})
	}
	return r
}

func user(id, text string) session.Message {
	return session.Message{ID: session.MessageID(id), Role: api.RoleUser, State: session.Done, Created: moment, Parts: []session.Part{{Kind: session.PartText, Text: text}}}
}

func answer(id, text string) session.Message {
	return session.Message{ID: session.MessageID(id), Role: api.RoleAssistant, State: session.Done, Created: moment, Model: "GLM-5.3", Finish: "stop", Parts: []session.Part{{Kind: session.PartText, Text: text}}}
}

// cellAt is the place of the n-th occurrence (from 0) of a text on screen, or of
// its last cell.
func (r *reader) cellAt(text string, n int, last bool) (x, y int) {
	r.t.Helper()
	for y, row := range strings.Split(r.screen(), "\n") {
		for from := 0; ; n-- {
			i := strings.Index(row[from:], text)
			if i < 0 {
				break
			}
			if i += from; n == 0 && last {
				return ansi.StringWidth(row[:i+len(text)]) - 1, y
			} else if n == 0 {
				return ansi.StringWidth(row[:i]), y
			}
			from = i + len(text)
		}
	}
	r.t.Fatalf("%q is not on the screen:\n%s", text, r.screen())
	return 0, 0
}

func (r *reader) press(x, y int, mod ...tea.KeyMod) {
	e := tea.Mouse{X: x, Y: y, Button: tea.MouseLeft}
	for _, k := range mod {
		e.Mod |= k
	}
	r.send(tea.MouseClickMsg(e))
}

func (r *reader) move(x, y int) {
	r.send(tea.MouseMotionMsg(tea.Mouse{X: x, Y: y, Button: tea.MouseLeft}))
}

func (r *reader) release(x, y int) {
	r.send(tea.MouseReleaseMsg(tea.Mouse{X: x, Y: y, Button: tea.MouseLeft}))
}

// drag goes from the first cell of one text to the last cell of another.
func (r *reader) drag(from, to string) {
	r.t.Helper()
	x, y := r.cellAt(from, 0, false)
	x2, y2 := r.cellAt(to, 0, true)
	r.press(x, y)
	r.move((x+x2)/2, (y+y2)/2)
	r.move(x2, y2)
	r.release(x2, y2)
}

// gets waits for what is copied next.
func (r *reader) gets(want string) {
	r.t.Helper()
	got := ""
	r.wait("a copy", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.copied) <= r.read {
			return false
		}
		got = r.copied[r.read]
		r.read++
		return true
	})
	if got != want {
		r.t.Errorf("copied is %q, want %q\n%s", got, want, r.screen())
	}
}

// getsNothing fails if anything more was copied.
func (r *reader) getsNothing() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.copied) > r.read {
		r.t.Errorf("copied is %q", r.copied[r.read:])
	}
}

// marked is what is highlighted in the conversation, row by row.
func (r *reader) marked() string {
	on := string(r.m.look().selection)
	var out []string
	l := r.m.layout()
	for _, row := range strings.Split(r.m.View().Content, "\n")[l.list : l.list+l.listH] {
		s := ""
		for parts := strings.Split(row, on); len(parts) > 1; parts = parts[1:] {
			text, _, _ := strings.Cut(parts[1], inkOff)
			if s != "" {
				s += "|"
			}
			s += ansi.Strip(text)
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

func (r *reader) shows(want string) {
	r.t.Helper()
	if got := r.marked(); got != want {
		r.t.Errorf("marked is\n%s\nwant\n%s\n%s", got, want, r.screen())
	}
}

func TestADragCopiesTheSource(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		from, to   string
		want       string
		marked     string // "" for anything
	}{
		{"over soft wraps it is one line", strings.Repeat("word ", 30) + "end", "word", "end", strings.Repeat("word ", 30) + "end", ""},
		{"a word", "one two three", "two", "two", "two", "two"},
		{"from the middle of a word", "one two three", "wo", "th", "wo th", "wo th"},
		{"a list", "- one\n- two\n- three\n", "one", "three", "- one\n- two\n- three", "one\ntwo\nthree"},
		{"a part of a list", "- one\n- two\n- three\n", "wo", "thr", "wo\n- thr", "wo\nthr"},
		{"a table", "| aa | bb |\n|---|---|\n| one | two |\n| x | y |\n", "aa", "y", "| aa | bb |\n|---|---|\n| one | two |\n| x | y |", "aa|bb\n────┼────\none|two\nx|y"},
		{"one row of a table", "| aa | bb |\n|---|---|\n| one | two |\n", "one", "two", "| one | two |", "one|two"},
		{"code without its label", "before\n\n```go\nx := 1\n\n\ty(x)\n```\n", "x :=", "y(x)", "x := 1\n\n\ty(x)", "x := 1\n    y(x)"},
		{"code in a list without its indent", "- a\n\n  ```sh\n  ls\n    -l\n  ```\n", "ls", "-l", "ls\n  -l", "ls\n  -l"},
		{"from text into code", "before\n\n```go\nx := 1\n```\n", "before", "x :=", "before\n\n```go\nx :=", "before\nx :="},
		{"the text of a bold word", "a **bold** move", "bold", "bold", "bold", "bold"},
		{"over a bold word", "a **bold** move", "a bold", "mo", "a **bold** mo", "a bold mo"},
		{"the text of a link", "see [the guide](https://e.example) now", "guide", "guide", "guide", "guide"},
		{"over a link", "see [the guide](https://e.example) now", "see", "now", "see [the guide](https://e.example) now", "see the guide now"},
		{"wide characters are whole", "以前の漢字です", "漢", "字", "漢字", "漢字"},
		{"joined emoji", "so 👩‍🍳 and 👍🏽 it ⚠️ is", "so", "it", "so 👩‍🍳 and 👍🏽 it", ""},
		{"emoji with its tone", "so 👍🏽 it", "👍", "👍", "👍🏽", "👍"},
		{"a formula is whole", "so $x^2+1$ it is", "²+", "²+", "$x^2+1$", "x²+1"},
		{"escapes", `a \* b`, "a *", "b", `a \* b`, "a * b"},
		{"crlf", "one\r\n\r\ntwo\r\n", "one", "two", "one\n\ntwo", "one\ntwo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reads(t, 60, 24, answer("a1", tt.text))
			r.drag(tt.from, tt.to)
			r.gets(tt.want)
			if tt.marked != "" {
				r.shows(tt.marked)
			}
			r.sees(fmt.Sprintf("%s → clipboard", plural(lineCount(tt.want), "line")))
			// Backwards the same.
			x, y := r.cellAt(tt.to, 0, true)
			x2, y2 := r.cellAt(tt.from, 0, false)
			r.now = r.now.Add(time.Second)
			r.press(x, y)
			r.move(x2, y2)
			r.release(x2, y2)
			if tt.from == tt.to && ansi.StringWidth(tt.from) < 2 {
				return // a click
			}
			r.gets(tt.want)
		})
	}
}
