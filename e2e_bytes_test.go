//go:build unix

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"waferchat/api/emulator"
)

// What reaches the terminal is counted here, which holds on any machine: a frame
// costs what has changed in it, however long the answer and the conversation.

// gated is an answer whose frames the test lets go one by one.
func gated(frames int, text func(i int) string) (reply emulator.Reply, next func()) {
	gate := make(chan struct{})
	var steps []emulator.Step
	for i := range frames {
		steps = append(steps, emulator.Wait(gate), emulator.C(text(i)))
	}
	steps = append(steps, emulator.F("stop"), emulator.U, emulator.D)
	return emulator.Stream(steps...), func() { gate <- struct{}{} }
}

// clears are the sequences that erase the whole screen.
var clears = regexp.MustCompile(`\x1b\[[23]J`)

func TestAFrameWritesOnlyWhatHasChanged(t *testing.T) {
	s := strictServer(t)
	beginning := strings.Repeat("A paragraph of the long beginning of the answer, with **bold** and `code` in it.\n\n", 3000)
	const words = 20
	reply, next := gated(words+1, func(i int) string {
		if i == 0 {
			return beginning
		}
		return fmt.Sprintf("word%02d ", i)
	})
	s.Script(reply)
	term := waferHome(t, s).start(100, 30)
	term.WaitFor("⏎ send", long)
	term.Send("go on and on\r")
	term.WaitFor("Esc stops", long)
	next()
	term.WaitFor("paragraph of the long beginning", long)
	start := len(term.Raw())
	for i := 1; i <= words; i++ {
		next()
		term.WaitFor(fmt.Sprintf("word%02d", i), long)
	}
	raw := term.Raw()[start:]
	n := len(raw) / words
	t.Logf("%d bytes a word", n)
	if n > 600 {
		t.Errorf("%d bytes a word; a screen has 3,000 cells and a word five", n)
	}
	if clears.Match(raw) {
		t.Error("the whole screen was erased while an answer arrived")
	}
	if opened, closed := bytes.Count(raw, []byte("\x1b[?2026h")), bytes.Count(raw, []byte("\x1b[?2026l")); opened == 0 || opened-closed > 1 || closed-opened > 1 {
		t.Errorf("%d frames were begun in one piece and %d ended", opened, closed)
	}
}

func TestAKeyWritesOnlyWhatHasChanged(t *testing.T) {
	s := strictServer(t)
	s.Script(answer(strings.Repeat("A paragraph.\n\n", 2000) + "the end"))
	term := waferHome(t, s).start(100, 30)
	term.WaitFor("⏎ send", long)
	term.Send("a long answer, please\r")
	term.WaitFor("the end", long)
	term.WaitFor("⏎ send", long)
	start := len(term.Raw())
	typed := ""
	for _, r := range "twenty letters typed" {
		typed += string(r)
		term.Send(string(r))
		term.WaitFor("❯ "+strings.TrimRight(typed, " "), long)
	}
	n := (len(term.Raw()) - start) / len(typed)
	t.Logf("%d bytes a key", n)
	if n > 200 {
		t.Errorf("%d bytes a key", n)
	}
}
