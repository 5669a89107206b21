package ui

import (
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"waferchat/api/emulator"
)

func TestAQuestionGetsItsAnswer(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.R("Let me think."), emulator.C("The **answer** is "), emulator.C("42."), emulator.F("stop"), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("What is it?")
	d.keys("enter")
	d.sees("The answer is 42.")
	d.idle()
	d.sees("∴ thought")
	d.sees("10 → 5 tokens")
	d.never("Let me think.") // folded to one line
	d.keys("ctrl+t")
	d.sees("Let me think.")
}

func TestStoppingKeepsWhatArrivedAndTheNextTurnWorks(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(
		emulator.Stream(emulator.C("one two "), emulator.C("three"), emulator.Hang),
		emulator.Stream(emulator.C("four"), emulator.F("stop"), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("count")
	d.keys("enter")
	d.sees("one two three")
	d.keys("esc")
	d.idle()
	d.sees("Stopped. What had arrived is kept.")
	d.types("go on")
	d.keys("enter")
	d.sees("four")
	d.idle()
	last := b.server.Requests()[len(b.server.Requests())-1].Body
	if !strings.Contains(string(last), "one two three") {
		t.Errorf("the partial answer is not sent back: %s", last)
	}
}

func TestAMessageThatGotNoAnswerReturnsToTheComposer(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Err(400, "unsupported_value", "no such effort"), emulator.Stream(emulator.C("fine"), emulator.F("stop"), emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("a long thought")
	d.keys("enter")
	d.sees("Your message is back in the composer.")
	d.wait("the draft", func() bool { return d.m.prompt.editor.Text() == "a long thought" })
	d.keys("enter")
	d.sees("fine")
	d.idle()
	if n := strings.Count(string(lastBody(b)), "a long thought"); n != 1 {
		t.Errorf("the message is sent %d times in one request", n)
	}
}

func lastBody(b *bench) []byte {
	r := b.server.Requests()
	return []byte(r[len(r)-1].Body)
}

func TestAStopBeforeTheFirstTokenGivesTheMessageBack(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.Hang))
	d := newDriver(t, b.deps, 100, 30)
	d.types("hold on")
	d.keys("enter")
	d.wait("a running turn", d.m.chat.running)
	d.keys("esc")
	d.wait("the draft", func() bool { return d.m.prompt.editor.Text() == "hold on" })
	d.sees("back in the composer")
}

func TestQuittingAndContinuingShowsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "sessions.db")
	b := newBench(t, path)
	b.server.Script(emulator.Stream(emulator.R("hm"), emulator.C("# Title\n\n- a\n- b\n"), emulator.F("stop"), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("list please")
	d.keys("enter")
	d.sees("• b")
	d.idle()
	d.types("half a dra")
	before := d.screen()
	if err := d.m.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.store.Close()

	b.deps.Resume = Resume{Latest: true}
	again := newDriver(t, b.deps, 100, 30)
	again.sees("half a dra")
	again.sees("• b")
	if after := again.screen(); body(after) != body(before) {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// body is a screen without its last row, whose hints may tell of the past.
func body(screen string) string { return screen[:strings.LastIndexByte(screen, '\n')] }

func TestCtrlCStopsThenClearsThenTwiceQuits(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.C("text"), emulator.Hang))
	d := newDriver(t, b.deps, 100, 30)
	d.types("go")
	d.keys("enter")
	d.sees("text")
	d.types("draft")
	d.keys("ctrl+c")
	d.idle()
	if d.m.prompt.editor.Text() != "draft" {
		t.Error("stopping the answer touched the draft")
	}
	d.keys("ctrl+c")
	if !d.m.prompt.editor.Empty() {
		t.Error("the draft is still there")
	}
	d.keys("alt+z")
	if d.m.prompt.editor.Text() != "draft" {
		t.Error("undo did not bring the draft back")
	}
	d.keys("ctrl+c", "ctrl+c")
	d.sees("Ctrl+C again quits")
	d.keys("ctrl+c")
	d.wait("the end", func() bool { return d.quit })
}

func TestPastingNeverSends(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 100, 30)
	d.send(tea.PasteMsg{Content: "one\r\ntwo\rthree\n"})
	if got := d.m.prompt.editor.Text(); got != "one\ntwo\nthree\n" {
		t.Errorf("the draft is %q", got)
	}
	if n := len(b.server.Requests()); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

func TestNewlineKeysDoNotSend(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 100, 30)
	for _, key := range []string{"shift+enter", "alt+enter", "ctrl+j"} {
		d.types("a")
		d.keys(key)
	}
	d.types(`b\`)
	d.keys("enter")
	if got := d.m.prompt.editor.Text(); got != "a\na\na\nb\n" {
		t.Errorf("the draft is %q", got)
	}
}

func TestScrollingUpHoldsStillWhileItStreams(t *testing.T) {
	b := newBench(t, "")
	more := make(chan struct{})
	b.server.Script(emulator.Stream(
		emulator.C(strings.Repeat("a line of the answer\n\n", 60)), emulator.Wait(more),
		emulator.C(strings.Repeat("newer text\n\n", 30)+"the end"), emulator.F("stop"), emulator.D))
	d := newDriver(t, b.deps, 80, 24)
	d.types("long")
	d.keys("enter")
	d.sees("a line of the answer")
	d.keys("pgup", "pgup")
	top := strings.Split(d.screen(), "\n")[2]
	close(more)
	d.idle()
	d.sees("new")
	if now := strings.Split(d.screen(), "\n")[2]; now != top {
		t.Errorf("the reader was moved from %q to %q", top, now)
	}
	d.never("the end")
	d.keys("ctrl+end")
	d.sees("the end")
}

func TestHistoryKeepsTheLiveDraft(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.C("certainly"), emulator.F("stop"), emulator.D))
	d := newDriver(t, b.deps, 80, 24)
	d.types("first question")
	d.keys("enter")
	d.sees("certainly")
	d.idle()
	d.types("unfinished")
	d.keys("up")
	if got := d.m.prompt.editor.Text(); got != "first question" {
		t.Errorf("Up gives %q", got)
	}
	d.keys("down")
	if got := d.m.prompt.editor.Text(); got != "unfinished" {
		t.Errorf("Down gives %q", got)
	}
}

func TestAnswerAgainReplacesTheAnswerOnScreen(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(
		emulator.Stream(emulator.C("old words"), emulator.F("stop"), emulator.D),
		emulator.Stream(emulator.C("new words"), emulator.F("stop"), emulator.D))
	d := newDriver(t, b.deps, 80, 24)
	d.types("q")
	d.keys("enter")
	d.sees("old words")
	d.idle()
	d.keys("alt+r")
	d.sees("new words")
	d.idle()
	d.never("old words")
	d.sees("‹ 2/2 ›")
	d.keys("alt+,")
	d.sees("old words")
	d.sees("‹ 1/2 ›")
	d.never("new words")
	d.keys("alt+.")
	d.sees("new words")
	d.keys("tab")
	d.keys("[")
	d.sees("old words")
}

func TestHostileTextNeverReachesTheTerminal(t *testing.T) {
	evil := "a\x1b]0;PWNED\x07b\x1b]52;c;cHduZWQ=\x07\x1b[2J\x1b[H\u009b31m\x1bc\x1b[6n \u202etxt x\rEVIL"
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.R(evil), emulator.C(evil+"\n\n`"+evil+"`\n\n```\n"+evil+"\n```\n| "+evil+" |\n|---|\n"), emulator.F(evil), emulator.D))
	d := newDriver(t, b.deps, 100, 40)
	d.types("q")
	d.keys("enter")
	d.idle()
	d.keys("ctrl+t", "ctrl+t")
	out := d.m.View().Content + d.m.View().WindowTitle
	for _, bad := range []string{"\x1b]0", "\x1b]52", "\x1b[2J", "\x1b[H", "\u009b", "\x1bc", "\x1b[6n", "\u202e", "\r", "\x07"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
}

func TestSwitchingChatsKeepsEachDraftAndTheRunningAnswer(t *testing.T) {
	b := newBench(t, "")
	more := make(chan struct{})
	b.server.Script(
		emulator.Stream(emulator.C("first part "), emulator.Wait(more), emulator.C("second part"), emulator.F("stop"), emulator.D),
		emulator.Stream(emulator.C("other answer"), emulator.F("stop"), emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("first chat")
	d.keys("enter")
	d.sees("first part")
	d.types("draft one")
	d.keys("ctrl+n")
	d.never("first part")
	d.never("draft one")
	d.types("second chat")
	d.keys("enter")
	d.sees("other answer")
	d.idle()
	d.types("draft two")
	d.keys("ctrl+o")
	d.sees("streaming")
	d.types("first chat")
	d.keys("enter")
	d.sees("draft one")
	d.sees("first part")
	close(more)
	d.sees("first part second part")
	d.idle()
	if n := strings.Count(d.screen(), "first part"); n != 1 {
		t.Errorf("the answer is shown %d times:\n%s", n, d.screen())
	}
	d.keys("ctrl+o")
	d.sees("2 chats")
	d.types("second chat")
	d.keys("enter")
	d.sees("draft two")
	d.sees("other answer")
}

func TestAChatOfSixtyMessagesAndMoreIsThereToItsBeginning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "sessions.db")
	b := newBench(t, path)
	d := newDriver(t, b.deps, 100, 30)
	for i := range 40 {
		b.server.Script(emulator.Stream(emulator.C("answer"), emulator.F("stop"), emulator.D))
		d.types("q" + grouped(i))
		d.keys("enter")
		d.wait("an answer", func() bool { return len(d.m.chat.transcript.messages) == 2*(i+1) })
		d.idle()
	}
	if err := d.m.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.store.Close()
	b.deps.Resume = Resume{Latest: true}
	again := newDriver(t, b.deps, 100, 30)
	again.sees("q39")
	again.wait("the beginning", func() bool { return len(again.m.chat.transcript.messages) == 80 })
	again.sees("q39") // the screen has not moved
	again.keys("ctrl+home")
	again.sees("q0")
}

func TestAFirstMessageThatWasTakenBackLeavesNoChatBehind(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Err(400, "unsupported_value", "no"), emulator.Stream(emulator.C("fine"), emulator.F("stop"), emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("wrong")
	d.keys("enter")
	d.sees("back in the composer")
	d.keys("ctrl+c")
	d.keys("ctrl+o")
	d.sees("no chats yet")
	d.keys("esc")
	d.types("right")
	d.keys("enter")
	d.sees("fine")
	d.idle()
	d.sees(" right") // the title
	d.keys("ctrl+o")
	d.sees("1 chat")
}

func TestReasoningThatWasTakenForTheAnswerMovesToWhereItBelongs(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.C("I should add the numbers."), emulator.C("</think>"), emulator.C("The sum is 4."), emulator.F("stop"), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("2+2?")
	d.keys("enter")
	d.sees("The sum is 4.")
	d.idle()
	d.sees("∴ thought")
	d.never("I should add")
}

func TestADraftThatWasClearedIsStillThereAfterQuitting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "sessions.db")
	b := newBench(t, path)
	d := newDriver(t, b.deps, 100, 30)
	d.wait("the store", func() bool { return d.m.back != nil })
	d.types("minutes of typing")
	d.keys("ctrl+c")
	d.wait("the cleared draft", func() bool { c, _ := b.store.Cleared(t.Context()); return len(c) == 1 })
	if err := d.m.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.store.Close()
	again := newDriver(t, b.deps, 100, 30)
	again.wait("the history", func() bool {
		again.keys("up")
		return again.m.prompt.editor.Text() == "minutes of typing"
	})
}

func TestAPasteThatTheTerminalDidNotMarkIsNotSentLineByLine(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 100, 30)
	d.wait("the store", func() bool { return d.m.back != nil })
	for _, line := range []string{"line 1", "line 2", "line 3"} {
		d.types(line)
		d.keys("enter")
	}
	d.types("end")
	if got := d.m.prompt.editor.Text(); got != "line 1\nline 2\nline 3\nend" {
		t.Errorf("the draft is %q", got)
	}
	if n := len(b.server.Requests()); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}
