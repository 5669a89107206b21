package ui

import (
	tea "charm.land/bubbletea/v2"

	"waferchat/ui/blocklist"
	"waferchat/ui/markdown"
)

// Selecting with the keys, while the conversation has the focus. The caret is the
// end of the selection that moves; it begins at the first row in view of the
// focused message.

// extend is an action that moves the caret.
func extend(move func(*transcript, spot) (spot, bool)) func(*Model, string) (tea.Cmd, bool) {
	return act(func(m *Model) {
		t := m.chat.transcript
		s := &t.selection
		if _, _, ok := t.bounds(); !ok {
			first, ok := t.firstInView()
			if !ok {
				return
			}
			s.anchor, s.head, s.unit, s.column = first, first, unitCell, -1
		}
		to, ok := move(t, t.takeCaret())
		m.selectUpTo(to)
		if p := t.sheetOf(to.index); ok && p != nil {
			t.list.ShowRow(blocklist.Pos{Block: to.index, Line: caretAt(p, to.start).Row})
		}
	})
}

// takeCaret is the end of the selection that moves. The other end, a word or a
// line perhaps, stays where it is.
func (t *transcript) takeCaret() spot {
	at, far := t.selection.head, &t.selection.anchor
	if at.index < far.index || at.index == far.index && at.start < far.start {
		at.end, far.start = at.start, far.end
	} else {
		at.start, far.end = at.end, far.start
	}
	return at
}

// firstInView is the start of the first row of text in view of the focused
// message.
func (t *transcript) firstInView() (spot, bool) {
	t.focusLast()
	t.focusVisible()
	for _, pos := range t.list.Visible() {
		if t.blockAt(pos.Block).message() != t.focus {
			continue
		}
		if p := t.sheetOf(pos.Block); p != nil && len(p.cells(pos.Line)) > 0 {
			start := p.cells(pos.Line)[0].start
			return spot{t.blockAt(pos.Block), pos.Block, start, start}, true
		}
	}
	return spot{}, false
}

// caretAfter and caretBefore are the spots at the sides of a cell.
func (t *transcript) caretAfter(i int, w *walker) spot {
	return spot{t.blockAt(i), i, w.cell().end, w.cell().end}
}

func (t *transcript) caretBefore(i int, w *walker) spot {
	return spot{t.blockAt(i), i, w.cell().start, w.cell().start}
}

// cellRight moves the caret over the next cell, also into the next block.
func (t *transcript) cellRight(c spot) (spot, bool) {
	t.selection.column = -1
	if w, ok := t.after(&c); ok {
		return t.caretAfter(c.index, &w), true
	}
	return c, false
}

func (t *transcript) cellLeft(c spot) (spot, bool) {
	t.selection.column = -1
	if w, ok := t.before(&c); ok {
		return t.caretBefore(c.index, &w), true
	}
	return c, false
}

// wordRight moves the caret to the end of the word that ends next.
func (t *transcript) wordRight(c spot) (spot, bool) {
	t.selection.column = -1
	for {
		w, ok := t.after(&c)
		if !ok {
			return c, false
		}
		if k := w.cell().kind(); k != kindBlank && k != kindOther {
			_, end := w.word()
			return spot{c.block, c.index, end, end}, true
		}
		c = t.caretAfter(c.index, &w)
	}
}

func (t *transcript) wordLeft(c spot) (spot, bool) {
	t.selection.column = -1
	for {
		w, ok := t.before(&c)
		if !ok {
			return c, false
		}
		if k := w.cell().kind(); k != kindBlank && k != kindOther {
			start, _ := w.word()
			return spot{c.block, c.index, start, start}, true
		}
		c = t.caretBefore(c.index, &w)
	}
}

// after is the cell behind the caret, which moves into the block of it.
func (t *transcript) after(c *spot) (walker, bool) {
	for i := c.index; i < t.list.Len(); i++ {
		w, ok := walker{sheet: t.sheetOf(i)}, false
		switch {
		case w.sheet == nil:
		case i > c.index:
			ok = w.firstFrom(0)
		case w.find(c.start):
			ok = true
		case c.start > 0 && w.find(c.start-1):
			ok = w.next()
		default:
			ok = w.findAfter(c.start)
		}
		if ok {
			c.index, c.block = i, t.blockAt(i)
			return w, true
		}
	}
	return walker{}, false
}

// before is the cell in front of the caret, which moves into the block of it.
func (t *transcript) before(c *spot) (walker, bool) {
	for i := c.index; i >= 0; i-- {
		w, ok := walker{sheet: t.sheetOf(i)}, false
		switch {
		case w.sheet == nil:
		case i < c.index:
			ok = w.lastUpTo(w.sheet.Len() - 1)
		case c.start > 0 && w.find(c.start-1):
			ok = true
		case w.find(c.start):
			ok = w.prev()
		default:
			ok = w.findBefore(c.start)
		}
		if ok {
			c.index, c.block = i, t.blockAt(i)
			return w, true
		}
	}
	return walker{}, false
}

// rowBy moves the caret by a row of text, to the column that it came from; where
// there is no other row to the end of its own.
func rowBy(step int) func(*transcript, spot) (spot, bool) {
	return func(t *transcript, c spot) (spot, bool) {
		s := &t.selection
		p := t.sheetOf(c.index)
		if p == nil {
			return c, false
		}
		at := caretAt(p, c.start)
		if s.column < 0 {
			s.column = at.Col
		}
		row := at.Row + step
		for i := c.index; ; {
			for ; p != nil && row >= 0 && row < p.Len(); row += step {
				if len(p.cells(row)) > 0 {
					start, _ := touch(p, markdown.Place{Row: row, Col: s.column})
					return spot{t.blockAt(i), i, start, start}, true
				}
			}
			if i += step; i < 0 || i >= t.list.Len() {
				break
			}
			if p, row = t.sheetOf(i), 0; p != nil && step < 0 {
				row = p.Len() - 1
			}
		}
		c.start, _ = touch(t.sheetOf(c.index), markdown.Place{Row: at.Row, Col: step * t.list.Width()})
		c.end = c.start
		return c, true
	}
}

// yank is the copy key: what is selected, else the focused message.
func (m *Model) yank() tea.Cmd {
	if _, ok := m.selectedText(); !ok {
		return m.copyFocused()
	}
	cmd := m.copySelection()
	m.clearSelection()
	return cmd
}
