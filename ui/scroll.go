package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// wheel sums wheel events, of which trackpads send hundreds a second, so that a
// frame scrolls once.
type wheel struct {
	rows    int
	waiting bool
}

const wheelRows = 3

// wheelPace is the least time between two scrolls by the wheel.
const wheelPace = 16 * time.Millisecond

func (w *wheel) take() int {
	n := w.rows
	w.rows, w.waiting = 0, false
	return n
}

func (m *Model) wheeled(e tea.Mouse) tea.Cmd {
	step := wheelRows
	switch e.Button {
	case tea.MouseWheelUp:
		step = -step
	case tea.MouseWheelDown:
	default:
		return nil
	}
	if n := len(m.overlays); n > 0 {
		m.overlays[n-1].scroll(step / wheelRows)
		return nil
	}
	m.wheel.rows += step
	if m.wheel.waiting {
		return nil
	}
	m.scrollBy(m.wheel.take())
	m.wheel.waiting = true
	return timerCmd(m.deps.After, wheelPace, timerWheel, 0)
}

// clicked moves the focus to where the mouse was pressed.
func (m *Model) clicked(e tea.Mouse) tea.Cmd {
	l := m.layout()
	if len(m.overlays) > 0 || l.tooSmall || e.Button != tea.MouseLeft {
		return nil
	}
	switch {
	case e.Y == l.rule && m.chat.find != nil:
		m.focus = paneFind
	case e.Y >= l.rule:
		m.focus = paneComposer
	case e.Y >= l.list:
		t := m.chat.transcript
		if pos, ok := t.list.At(e.Y - l.list); ok {
			if id := t.blockAt(pos.Block).message(); id != "" {
				t.focus, m.focus = id, paneConversation
			}
		}
	}
	return nil
}

func (m *Model) scrollBy(rows int) {
	t := m.chat.transcript
	t.list.ScrollBy(rows)
	m.handScrolled(rows)
	if m.focus == paneConversation {
		t.focusVisible()
	}
}

func (m *Model) scrollTop() {
	t := m.chat.transcript
	t.list.ScrollTop()
	if m.focus == paneConversation && len(t.messages) > 0 {
		t.focus = t.messages[0].ID
	}
}

func (m *Model) scrollTail() {
	t := m.chat.transcript
	t.list.ScrollTail()
	if m.focus == paneConversation && len(t.messages) > 0 {
		t.focus = t.messages[len(t.messages)-1].ID
	}
}

func (m *Model) switchFocus() {
	if m.focus == paneConversation {
		m.focus = paneComposer
		return
	}
	if len(m.chat.transcript.messages) == 0 {
		m.say("there is nothing to read yet")
		return
	}
	m.focus = paneConversation
	m.chat.transcript.focusLast()
	m.chat.transcript.focusVisible()
}

func (m *Model) pasted(text string) tea.Cmd {
	if n := len(m.overlays); n > 0 {
		m.overlays[n-1].paste(text)
		return nil
	}
	if m.focus == paneFind {
		m.pasteFind(text)
		return nil
	}
	m.focus = paneComposer
	m.prompt.editor.Paste(text)
	return nil
}
