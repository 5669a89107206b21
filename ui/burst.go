package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// burst tells a paste that a terminal did not mark from typing. The one rule:
// an Enter that another key follows within burstGap is a line break of a paste,
// and so are the Enters of the same burst after it. A hand is never that fast,
// and what is sent waits no longer than can be noticed.
type burst struct {
	waiting bool // an Enter that may be a line break
	id      int  // of the timer that ends the wait
	pasting bool
	last    time.Time // of the newest key
}

// burstGap is less than a fast hand's time between two keys and more than a
// terminal's between two characters of a paste.
const burstGap = 10 * time.Millisecond

// enter is the Enter key in the composer: it waits until it is known to be no
// line break of a paste.
func (m *Model) enter() tea.Cmd {
	b := &m.prompt.burst
	if b.pasting {
		m.prompt.editor.Insert("\n")
		return nil
	}
	if m.prompt.editor.EndsWithBackslash() {
		return m.submit()
	}
	b.waiting = true
	b.id++
	return timerCmd(m.deps.After, burstGap, timerEnter, b.id)
}

// entered: nothing followed the Enter, so it sends.
func (m *Model) entered(id int) tea.Cmd {
	b := &m.prompt.burst
	if !b.waiting || id != b.id {
		return nil
	}
	b.waiting = false
	return m.submit()
}

// struck takes note of a key before it is routed. A key that types right behind
// an Enter makes that a line break; any other key lets it send first.
func (m *Model) struck(msg tea.KeyPressMsg) tea.Cmd {
	b := &m.prompt.burst
	if m.screen.now.Sub(b.last) > burstGap {
		b.pasting = false
	}
	b.last = m.screen.now
	if !b.waiting {
		return nil
	}
	b.waiting = false
	if msg.Text == "" && msg.Code != tea.KeyEnter {
		return m.submit()
	}
	b.pasting = true
	m.prompt.editor.Insert("\n")
	return nil
}
