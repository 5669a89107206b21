package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Selecting with the mouse: press, drag, release. What is selected is copied when
// the button is released and stays marked until the next click, Esc or typing. A
// drag leaves the focus where it is: whoever copies a line goes on writing.

// hand is what the mouse does in the conversation.
type hand struct {
	down    bool // the left button is held
	moved   bool // and the mouse was moved since, or what is under it
	x, y    int  // where it is on screen
	presses int  // on the same place, one shortly after the other
	at      time.Time
	held    bool // the conversation is kept from following its tail meanwhile
	drag    int  // number of the press, so that its timer is known
	waiting bool // for that timer
}

// multiClick is the most time between the presses of a double click.
const multiClick = 500 * time.Millisecond

// edgePace is how often the conversation scrolls while the mouse is dragged
// beyond its edge.
const edgePace = 50 * time.Millisecond

// pressed begins a selection, or extends it with Shift.
func (m *Model) pressed(e tea.Mouse) tea.Cmd {
	l, t := m.layout(), m.chat.transcript
	s := &t.selection
	if !m.selectable() || e.Button != tea.MouseLeft {
		return nil
	}
	if e.Y < l.list || e.Y >= l.rule || t.list.Len() == 0 {
		m.clearSelection()
		s.hand.presses, s.hand.down = 0, false
		return m.clicked(e)
	}
	h := &s.hand
	if h.presses++; e.X != h.x || e.Y != h.y || m.screen.now.Sub(h.at) > multiClick {
		h.presses = 1
	}
	h.down, h.moved, h.x, h.y, h.at = true, false, e.X, e.Y, m.screen.now
	h.drag++
	h.waiting = false
	if e.Mod.Contains(tea.ModShift) && s.anchor.found(t.list) {
		h.presses = 0
		m.dragTo()
		return nil
	}
	s.unit = unitCell
	switch {
	case h.presses == 2:
		s.unit = unitWord
	case h.presses > 2:
		s.unit = unitLine
	}
	s.anchor, s.column = m.underHand(), -1
	s.on = false
	if h.presses > 1 {
		m.selectUpTo(s.anchor)
	}
	return nil
}

// selectable tells whether the conversation can be reached with the mouse.
func (m *Model) selectable() bool { return len(m.overlays) == 0 && !m.layout().tooSmall }

// dragged moves the end of the selection to the mouse.
func (m *Model) dragged(e tea.Mouse) tea.Cmd {
	h := &m.chat.transcript.selection.hand
	if e.Button == tea.MouseNone {
		h.down = false // it was released where nobody saw it
	}
	if !h.down || h.x == e.X && h.y == e.Y || !m.selectable() {
		return nil
	}
	h.x, h.y = e.X, e.Y
	m.dragTo()
	return m.watchEdge()
}

// dragTo selects up to where the mouse is.
func (m *Model) dragTo() {
	t := m.chat.transcript
	s := &t.selection
	if t.list.Len() == 0 { // another chat came meanwhile
		s.hand.down = false
		return
	}
	if !s.hand.moved && t.list.Following() {
		// What is selected does not run away while it is.
		t.list.SetTop(t.list.Top())
		s.hand.held = true
	}
	s.hand.moved, s.column = true, -1
	m.selectUpTo(m.underHand())
}

// underHand is the spot at the mouse. Beyond the edges that is the end of the
// nearest row.
func (m *Model) underHand() spot {
	s := &m.chat.transcript.selection
	row, col, last := s.hand.y-m.layout().list, s.hand.x-1, m.chat.transcript.list.Height()-1
	switch {
	case row < 0:
		row, col = 0, -1
	case row > last:
		row, col = last, m.screen.width
	}
	return m.chat.transcript.spotAt(row, col, s.unit)
}

// released copies what was selected. A press without a drag is a click.
func (m *Model) released(e tea.Mouse) tea.Cmd {
	t := m.chat.transcript
	s := &t.selection
	if !s.hand.down {
		return nil
	}
	if m.selectable() && (s.hand.x != e.X || s.hand.y != e.Y) {
		s.hand.x, s.hand.y = e.X, e.Y
		m.dragTo()
	}
	if s.hand.held {
		t.list.ScrollTail()
	}
	s.hand.down, s.hand.held = false, false
	switch {
	case !m.selectable():
	case s.on:
		return m.copySelection()
	case !s.hand.moved:
		m.clicked(e)
		m.toggleAt(e.Y - m.layout().list)
	}
	return nil
}

// copySelection copies what is selected; without any text there is no selection.
func (m *Model) copySelection() tea.Cmd {
	text, ok := m.selectedText()
	if !ok {
		m.clearSelection()
		return nil
	}
	return m.copyCounted(plural(lineCount(text), "line"), text)
}

// toggleAt unfolds or folds what has its fold in a row of the window.
func (m *Model) toggleAt(row int) {
	t := m.chat.transcript
	pos, ok := t.list.At(row)
	if !ok {
		return
	}
	switch b := t.list.Block(pos.Block).(type) {
	case *reasoningBlock:
		if pos.Line == 0 {
			b.toggle()
		}
	case *userBlock:
		if p, ok := t.sheetOf(pos.Block).(rows); ok && p.folded(pos.Line) {
			b.toggle()
		}
	}
}

// handScrolled keeps a drag going while the conversation is scrolled below it.
func (m *Model) handScrolled(rows int) {
	h := &m.chat.transcript.selection.hand
	if !h.down || rows == 0 {
		return
	}
	if h.held && rows < 0 {
		h.held = false // a reader who goes back stays there
	}
	m.dragTo()
}

// beyond is how many rows the mouse is above (negative) or below the
// conversation.
func (m *Model) beyond() int {
	l, y := m.layout(), m.chat.transcript.selection.hand.y
	return min(y-l.list, 0) + max(y-(l.list+l.listH-1), 0)
}

// watchEdge starts the timer that scrolls while the mouse is beyond an edge.
func (m *Model) watchEdge() tea.Cmd {
	h := &m.chat.transcript.selection.hand
	if m.beyond() == 0 || h.waiting {
		return nil
	}
	h.waiting = true
	return timerCmd(m.deps.After, edgePace, timerSelect, h.drag)
}

// edgeDue scrolls on, the faster the farther the mouse is away, until there is
// no more to see.
func (m *Model) edgeDue(drag int) tea.Cmd {
	t := m.chat.transcript
	h := &t.selection.hand
	if drag != h.drag {
		return nil
	}
	h.waiting = false
	far := m.beyond()
	if !h.down || far == 0 || !m.selectable() {
		return nil
	}
	top := t.list.Top()
	rows := min(max(far, -far), t.list.Height())
	rows = min(rows*(rows+1)/2, max(1, t.list.Height()/2))
	if far < 0 {
		rows = -rows
	}
	m.scrollBy(rows)
	if t.list.Top() == top {
		return nil
	}
	return m.watchEdge()
}

// toggleMouse leaves the mouse to the terminal, or takes it back.
func (m *Model) toggleMouse() {
	m.screen.mouseOff = !m.screen.mouseOff
	h := &m.chat.transcript.selection.hand
	*h = hand{drag: h.drag + 1}
	if m.screen.mouseOff {
		m.say("the mouse is the terminal's now: it selects as it always does · " + m.keys.hint("mouse") + " takes it back")
		return
	}
	m.say("the mouse scrolls, clicks and selects here again")
}
