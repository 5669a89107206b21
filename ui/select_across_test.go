package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/api/emulator"
	"waferchat/session"
)

// mixed is a conversation with every kind of block.
func mixed() []session.Message {
	failed := answer("a2", "")
	failed.State, failed.Failure = session.Failed, &session.Failure{Title: "It failed.", Advice: "Try once more."}
	failed.Parts = []session.Part{
		{Kind: session.PartReasoning, Text: "Let me see, it is a long way to think about."},
		{Kind: session.PartToolCall, Name: "look", Text: `{"where": "here"}`},
		{Kind: session.PartText, Text: "Half an *answ*"},
	}
	return []session.Message{
		user("u1", "first question\nwith\ttwo lines"),
		answer("a1", "The **first** answer.\n\n- point\n"),
		user("u2", "second question"), failed,
	}
}

func TestADragGoesOverBlocks(t *testing.T) {
	r := reads(t, 70, 40, mixed()...)
	for _, tt := range []struct{ from, to, want string }{
		{"question", "first answer", "question\nwith\ttwo lines\n\nThe **first** answer"},
		{"first question", "point", "first question\nwith\ttwo lines\n\nThe **first** answer.\n\n- point\n"},
		{"answer.", "second quest", "answer.\n\n- point\n\nsecond quest"},
		{"point", "look", "- point\n\nsecond question\n\nlook"}, // the reasoning is folded
		{`here"}`, "Half", "here\"}\n\nHalf"},
		{"an answ", "It failed.", "an *answ*\n\nIt failed."},
		{"failed.", "Try once", "failed.\nTry once"},
		{"tokens unknown", "second", "second"}, // a footer is nothing
	} {
		r.now = r.now.Add(time.Minute)
		r.drag(tt.from, tt.to)
		r.gets(strings.TrimRight(tt.want, "\n"))
	}
	r.now = r.now.Add(time.Minute)
	r.drag("GLM-5.3 · tok", "tokens unk")
	r.getsNothing()
	r.shows("")
}

func TestMarkupAtTheEndsOfABlockGoesWithWhatIsBeyond(t *testing.T) {
	r := reads(t, 70, 40, user("u1", "one"), answer("a1", "# *Head*\n"), user("u2", "two"), answer("a2", "```go\ncode\n```\n"), user("u3", "three"))
	r.drag("one", "He")
	r.gets("one\n\n# *He")
	r.now = r.now.Add(time.Minute)
	r.drag("ead", "two")
	r.gets("ead*\n\ntwo")
	r.now = r.now.Add(time.Minute)
	r.drag("two", "co")
	r.gets("two\n\n```go\nco")
	r.now = r.now.Add(time.Minute)
	r.drag("ode", "three")
	r.gets("ode\n```\n\nthree")
	r.now = r.now.Add(time.Minute)
	r.drag("code", "code")
	r.gets("code")
}

func TestOpenReasoningIsSelectedToo(t *testing.T) {
	messages := mixed()
	long := strings.Repeat("think ", 200)
	messages[3].Parts[0].Text = long + "to the end"
	r := reads(t, 70, 60, messages...)
	r.keys("ctrl+t") // the tail
	r.sees("the end")
	r.drag("the end", "the end")
	r.gets("the end")
	r.now = r.now.Add(time.Minute)
	r.drag("second", "the end")
	r.gets("second question\n\n" + long + "to the end") // what is above the tail too
	row := strings.TrimRight(strings.Repeat("think ", 10), " ")
	r.shows("second question\n" + strings.Repeat(row+"\n", 6) + row + " to\nthe end")
}

func TestAFoldedMessageIsSelectedWhole(t *testing.T) {
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("line %d\n", i)
	}
	text += "last"
	r := reads(t, 70, 40, user("u1", text), answer("a1", "So be it."))
	r.drag("line 14", "So be")
	r.gets(text[strings.Index(text, "line 14"):] + "\n\nSo be")
	r.now = r.now.Add(time.Minute)
	r.drag("line 3", "line 4")
	r.gets("line 3\nline 4")
}

func TestASelectionStaysWhereItsTextIs(t *testing.T) {
	text := "intro\n\n" + strings.Repeat("some words that wrap over and over, ", 12) + "FROM here **bold** TO there.\n\n" + strings.Repeat("tail\n\n", 30)
	r := reads(t, 80, 24, user("u1", "go"), answer("a1", text))
	r.keys("ctrl+home")
	r.drag("FROM", "TO")
	r.gets("FROM here **bold** TO")
	check := func(when string) {
		t.Helper()
		if got, ok := r.m.selectedText(); !ok || got != "FROM here **bold** TO" {
			t.Errorf("%s: selected is %q", when, got)
		}
	}
	r.shows("FROM here bold TO")
	for _, w := range []int{60, 47, 120, 40, 80} {
		r.send(tea.WindowSizeMsg{Width: w, Height: 24})
		check(fmt.Sprint("width ", w))
		if got := strings.ReplaceAll(r.marked(), "\n", " "); got != "FROM here bold TO" {
			t.Errorf("width %d: marked is %q", w, got)
		}
	}
	r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	check("scrolled")
	r.shows("FROM here bold TO")
	r.keys("ctrl+end")
	check("out of view")
	r.shows("")
	r.m.chat.transcript.prepend([]session.Message{user("u0", "before"), answer("a0", "that")})
	r.keys("ctrl+home")
	check("with more above")
	r.m.toggleRaw()
	r.keys("ctrl+end", "ctrl+home")
	check("as written")
	r.shows("FROM here **bold** TO")
	r.send(tea.WindowSizeMsg{Width: 20, Height: 5}) // too small to show anything
	check("too small")
}

func TestSelectingWhileTheAnswerArrives(t *testing.T) {
	r := reads(t, 60, 16)
	r.b.server.Script(emulator.Stream(emulator.C("begin **here** and go on"), emulator.Hang))
	r.asks("go")
	r.sees("begin here and")
	x, y := r.cellAt("here", 0, false)
	x2, _ := r.cellAt("and", 0, true)
	r.press(x, y)
	r.move(x2, y)
	turn := r.m.chat.transcript.live
	more := func(text string) {
		r.m.chat.transcript.delta(&session.Delta{Message: turn.ID, Kind: session.PartText, Text: text}).flush()
		r.send(tea.ResumeMsg{})
	}
	for i := range 40 {
		more(fmt.Sprintf("\n\nparagraph %d", i))
	}
	r.shows("here and") // it does not run away
	r.never("paragraph 39")
	r.release(x2, y)
	r.gets("here** and")
	r.sees("paragraph 39") // and what was followed is followed again
	more("\n\nthe very last")
	r.sees("the very last")
	if got, _ := r.m.selectedText(); got != "here** and" {
		t.Errorf("selected is %q", got)
	}
	r.keys("esc") // stops the answer
	r.idle()
	if got, _ := r.m.selectedText(); got != "here** and" {
		t.Errorf("selected is %q when the answer has ended", got)
	}
}
