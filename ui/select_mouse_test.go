package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func TestWordsAndLines(t *testing.T) {
	for _, tt := range []struct {
		name, text, on string
		word, line     string
	}{
		{"prose", "one two-three four.", "three", "three", "one two-three four."},
		{"an apostrophe", "we don't know", "on't", "don't", "we don't know"},
		{"a number", "costs 3.14 now", "14", "3.14", "costs 3.14 now"},
		{"the end of a sentence", "it is so. And", "so.", "so", "it is so. And"},
		{"an identifier", "call `snake_case2()` now", "case", "snake_case2", "call `snake_case2()` now"},
		{"markup inside", "un**believ**able is it", "liev", "un**believ**able", "un**believ**able is it"},
		{"han", "この漢字は", "漢", "漢字", "この漢字は"},
		{"katakana", "これはテキストです", "キ", "テキスト", "これはテキストです"},
		{"a bullet's line", "- one\n- two three\n", "two", "two", "- two three"},
		{"a heading", "# The head\n\ntext", "head", "head", "# The head"},
		{"a soft wrapped line", strings.Repeat("abc ", 40) + "end\nnext", "end", "end", strings.Repeat("abc ", 40) + "end"},
		{"a word over two rows", "see " + strings.Repeat("x", 90) + " there", "xxx", strings.Repeat("x", 90), "see " + strings.Repeat("x", 90) + " there"},
		{"an address is a word", "see https://e.example/x?y=1, now", "e.ex", "https://e.example/x?y=1", "see https://e.example/x?y=1, now"},
		{"the point of a number", "it is 4.6 degrees", ".6", "4.6", "it is 4.6 degrees"},
		{"code", "```\nfoo(bar)\n  baz\n```\n", "bar", "bar", "foo(bar)"},
		{"punctuation", "a === b", "==", "===", "a === b"},
		{"a cell", "| aa | bb |\n|---|---|\n| one | two |\n", "one", "one", "| one | two |"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reads(t, 60, 24, answer("a1", tt.text))
			x, y := r.cellAt(tt.on, 0, false)
			for range 2 {
				r.press(x, y)
				r.release(x, y)
			}
			r.gets(tt.word)
			r.press(x, y)
			r.release(x, y)
			r.gets(tt.line)
			r.now = r.now.Add(time.Second)
			r.press(x, y)
			r.release(x, y)
			r.shows("") // a click again
		})
	}
}

func TestADragFromAWordGoesByWordsAndFromALineByLines(t *testing.T) {
	r := reads(t, 60, 24, user("u1", "alpha beta gamma\ndelta epsilon\nzeta"))
	x, y := r.cellAt("eta gam", 0, false)
	r.press(x, y)
	r.release(x, y)
	r.press(x, y)
	x2, y2 := r.cellAt("psilon", 0, false)
	r.move(x2, y2)
	r.shows("beta gamma\ndelta epsilon")
	x2, _ = r.cellAt("pha", 0, false)
	r.move(x2, y)
	r.shows("alpha beta")
	r.release(x2, y)
	r.gets("alpha beta")
	r.now = r.now.Add(time.Second)
	for range 2 {
		r.press(x, y)
		r.release(x, y)
	}
	r.gets("beta")
	r.press(x, y)
	x2, y2 = r.cellAt("psilon", 0, false)
	r.move(x2, y2)
	r.release(x2, y2)
	r.gets("alpha beta gamma\ndelta epsilon")
}

func TestShiftClickExtends(t *testing.T) {
	r := reads(t, 60, 24, user("u1", "alpha beta gamma"), answer("a1", "delta *epsilon*"))
	x, y := r.cellAt("beta", 0, false)
	r.press(x, y)
	r.release(x, y)
	r.getsNothing()
	x, y = r.cellAt("silon", 0, true)
	r.press(x, y, tea.ModShift)
	r.release(x, y)
	r.gets("beta gamma\n\ndelta *epsilon*")
	x, y = r.cellAt("gamma", 0, true)
	r.press(x, y, tea.ModShift)
	r.release(x, y)
	r.gets("beta gamma")
	x, y = r.cellAt("lpha", 0, false)
	r.press(x, y, tea.ModShift)
	r.release(x, y)
	r.gets("lpha b")
}

func TestWhatEndsASelection(t *testing.T) {
	for name, do := range map[string]func(r *reader){
		"Esc":             func(r *reader) { r.keys("esc") },
		"typing":          func(r *reader) { r.types("x") },
		"a paste":         func(r *reader) { r.send(tea.PasteMsg{Content: "pasted"}) },
		"a click":         func(r *reader) { r.press(10, 12); r.release(10, 12) },
		"a click below":   func(r *reader) { r.press(10, 22); r.release(10, 22) },
		"another chat":    func(r *reader) { r.m.newChat() },
		"a quote":         func(r *reader) { r.keys("tab", "q") },
		"another answer":  func(r *reader) { r.m.chat.transcript.dropAnswer() },
		"another drawing": func(r *reader) { r.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := reads(t, 60, 24, user("u1", "alpha beta"), answer("a1", "gamma delta"))
			r.drag("gamma", "delt")
			r.gets("gamma delt")
			r.shows("gamma delt")
			r.keys("pgup", "ctrl+t", "right") // these do not
			r.shows("gamma delt")
			do(r)
			r.send(tea.ResumeMsg{})
			r.shows("")
			if text, ok := r.m.selectedText(); ok {
				t.Errorf("%q is still selected", text)
			}
		})
	}
}

func TestADragLeavesTheFocusAndAClickMovesIt(t *testing.T) {
	r := reads(t, 60, 24, mixed()...)
	r.drag("first answer", "first answer")
	if r.m.focus != paneComposer {
		t.Error("a drag took the focus from the composer")
	}
	x, y := r.cellAt("first answer", 0, false)
	r.now = r.now.Add(time.Second)
	r.press(x, y)
	r.release(x, y)
	if r.m.focus != paneConversation || r.m.chat.transcript.focus != "a1" {
		t.Errorf("a click focuses %q of %q", r.m.chat.transcript.focus, r.m.focus)
	}
	x, y = r.cellAt("thought", 0, false)
	r.press(x, y)
	r.release(x, y)
	r.sees("Let me see")
	r.now = r.now.Add(time.Second)
	x, y = r.cellAt("thought", 0, false)
	r.press(x, y)
	r.release(x, y)
	r.never("Let me see")
	r.press(5, 23)
	if r.m.focus != paneComposer {
		t.Error("a click on the composer does not focus it")
	}
}

func TestADragBeyondAnEdgeScrollsOn(t *testing.T) {
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("row %02d\n", i)
	}
	r := reads(t, 60, 20, answer("a1", "```\n"+text+"```\n"))
	x, y := r.cellAt("row 55", 0, false)
	r.press(x, y)
	r.move(x, y-3)
	r.move(x, 0)
	r.sees("row 00") // by itself
	r.release(x, 0)
	if got, _ := r.m.selectedText(); !strings.HasSuffix(got, "\nrow 54\nr") || !strings.HasPrefix(got, "row 00\nrow 01\n") {
		t.Errorf("selected is %q", got)
	}
	r.gets(text[:strings.Index(text, "row 55")+1])
	r.now = r.now.Add(time.Second)
	x, y = r.cellAt("row 05", 0, false)
	r.press(x, y)
	r.move(x, 19)
	r.sees("row 59")
	r.release(x, 19)
	r.gets(strings.TrimSuffix(text[strings.Index(text, "row 05"):], "\n"))
	if r.m.chat.transcript.selection.hand.waiting {
		r.wait("the end of scrolling", func() bool { return !r.m.chat.transcript.selection.hand.waiting })
	}
}

func TestTheWheelExtendsADrag(t *testing.T) {
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("row %02d\n", i)
	}
	r := reads(t, 60, 20, answer("a1", "```\n"+text+"```\n"))
	x, y := r.cellAt("row 59", 0, true)
	r.press(x, y)
	r.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	r.shows("6\nrow 57\nrow 58")
	r.release(x, y)
	r.gets("6\nrow 57\nrow 58\nrow 59")
	r.never("row 59") // a reader who went back stays there
}

func TestTheMouseCanBeLeftToTheTerminal(t *testing.T) {
	r := reads(t, 60, 24, mixed()...)
	if r.m.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the mouse is not asked for")
	}
	r.asks("/mouse")
	r.sees("the mouse is the terminal's now")
	if r.m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is still taken")
	}
	r.asks("/mouse")
	r.sees("selects here again")
	if r.m.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the mouse was not taken back")
	}
}

func TestTheFartherBeyondTheEdgeTheFasterItScrolls(t *testing.T) {
	r := reads(t, 60, 24, answer("a1", strings.Repeat("row\n\n", 100)))
	list := r.m.chat.transcript.list
	due := func(y, drag int) int {
		r.move(10, y)
		before := list.Top().Line
		r.m.Update(timerMsg{timer: timerSelect, id: drag})
		return list.Top().Line - before
	}
	r.keys("ctrl+home", "pgdown", "pgdown")
	r.press(10, 10)
	drag := r.m.chat.transcript.selection.hand.drag
	l := r.m.layout()
	bottom := l.list + l.listH - 1
	for beyond, want := range []int{0, 1, 3, 6} {
		if got := due(bottom+beyond, drag); got != want {
			t.Errorf("%d rows below the edge it scrolls by %d, want %d", beyond, got, want)
		}
	}
	for beyond, want := range []int{0, -1, -3} {
		if got := due(l.list-beyond, drag); got != want {
			t.Errorf("%d rows above the edge it scrolls by %d, want %d", beyond, got, want)
		}
	}
	if got := due(0, drag-1); got != 0 {
		t.Error("the timer of an earlier drag scrolls")
	}
	r.release(10, 0)
	if got := due(0, drag); got != 0 {
		t.Error("it scrolls on after the release")
	}
}

func TestAWindowOverTheConversationEndsADrag(t *testing.T) {
	r := reads(t, 60, 24, answer("a1", "alpha beta gamma"))
	x, y := r.cellAt("alpha", 0, false)
	r.press(x, y)
	r.move(x+3, y)
	r.keys("ctrl+p")
	r.move(x+5, y)
	r.release(x+9, y)
	r.keys("esc")
	r.shows("alph")
	r.getsNothing()
	r.keys("ctrl+p")
	r.press(x, y)
	r.move(x+5, y)
	r.release(x+5, y)
	r.keys("esc")
	r.shows("alph")
	r.move(x+8, y) // no button is held
	r.shows("alph")
}

func TestADragEndsWithItsChat(t *testing.T) {
	r := reads(t, 60, 24, answer("a1", "alpha beta gamma"))
	x, y := r.cellAt("alpha", 0, false)
	r.press(x, y)
	r.move(x+3, y)
	r.keys("ctrl+n")
	r.move(x+5, y)
	r.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	r.release(x+6, y)
	r.getsNothing()
	if r.m.focus != paneComposer {
		t.Error("the rest of a drag counts as a click")
	}
}

func TestAReleaseThatNobodySawEndsADrag(t *testing.T) {
	r := reads(t, 60, 24, answer("a1", "alpha beta gamma"))
	x, y := r.cellAt("alpha", 0, false)
	r.press(x, y)
	r.move(x+3, y)
	r.send(tea.MouseMotionMsg{X: x + 8, Y: y, Button: tea.MouseNone})
	r.shows("alph")
}
