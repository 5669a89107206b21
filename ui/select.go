package ui

import (
	"strings"

	"waferchat/ui/blocklist"
	"waferchat/ui/markdown"
)

// selection is the text of the conversation that is selected. It lies between,
// and takes in, two spots, which are kept by content: by block and offset in its
// text. So neither new text nor scrolling nor another width moves it.
type selection struct {
	on           bool // something is selected and shown as such
	anchor, head spot // anchor stays when off, for the next Shift+click
	unit         unit
	column       int    // that moves up and down aim for, -1 for that of the head
	draft        uint64 // version of the editor: typing ends the selection
	graphemes    bool   // how the texts are drawn
	hand         hand
}

// spot is a stretch of a block's text as it is drawn: a character, a word, a
// line, or what is between two characters when it is empty.
type spot struct {
	block      block
	index      int // where the block was in the list last
	start, end int
}

// found tells whether the spot's block is still there, and notes where.
func (s *spot) found(l *blocklist.List) bool {
	if s.block == nil {
		return false
	}
	if s.index >= l.Len() || l.Block(s.index) != blocklist.Block(s.block) {
		if s.index = l.Index(s.block); s.index < 0 {
			*s = spot{}
			return false
		}
	}
	return true
}

// sheetOf is block i laid out; nil without a window.
func (t *transcript) sheetOf(i int) sheet {
	p, _ := t.list.Layout(i).(sheet)
	return p
}

// bounds are the two ends of the selection in order; false when there is none.
func (t *transcript) bounds() (lo, hi spot, ok bool) {
	s := &t.selection
	if !s.on || !s.anchor.found(t.list) || !s.head.found(t.list) {
		return lo, hi, false
	}
	if s.head.index < s.anchor.index {
		return s.head, s.anchor, true
	}
	return s.anchor, s.head, true
}

// portionOf is what is selected of block i, which lies between the bounds.
func (t *transcript) portionOf(i int, p sheet, lo, hi spot) portion {
	c := portion{from: markdown.Place{Row: -1}, to: markdown.Place{Row: p.Len()}, end: p.size()}
	switch {
	case lo.index == hi.index:
		a, b := edges(p, lo.start, lo.end)
		x, y := edges(p, hi.start, hi.end)
		c.from, c.to = earlier(a, x), later(b, y)
		c.start, c.end = min(lo.start, hi.start), max(lo.end, hi.end)
	case i == lo.index:
		c.from, _ = edges(p, lo.start, lo.end)
		c.start = lo.start
	case i == hi.index:
		_, c.to = edges(p, hi.start, hi.end)
		c.end = hi.end
	}
	return c
}

// selectedText is the source of what is selected in the conversation, with
// newlines as line ends; false when there is none.
func (m *Model) selectedText() (string, bool) {
	text := m.chat.transcript.selectedText()
	return text, text != ""
}

// selectedText joins the selected texts of the blocks with blank lines.
func (t *transcript) selectedText() string {
	lo, hi, ok := t.bounds()
	if !ok {
		return ""
	}
	var parts []string
	only := -1
	for i := lo.index; i <= hi.index; i++ {
		if text := t.textOf(i, lo, hi, false); text != "" {
			parts, only = append(parts, text), i
		}
	}
	if len(parts) == 1 {
		return t.textOf(only, lo, hi, true)
	}
	return strings.Join(parts, "\n\n")
}

// textOf is the selected text of block i, without newlines around it. alone says
// that nothing else is selected: then the selection ends where the block does.
func (t *transcript) textOf(i int, lo, hi spot, alone bool) string {
	b, ok := t.list.Block(i).(readable)
	if !ok {
		return ""
	}
	text := b.written()
	if p := t.sheetOf(i); text != "" && p != nil && (alone || i == lo.index || i == hi.index) {
		c := t.portionOf(i, p, lo, hi)
		if alone {
			c.from = later(c.from, markdown.Place{})
			c.to = earlier(c.to, markdown.Place{Row: p.Len() - 1, Col: t.list.Width()})
		}
		text = p.cut(c, fromDrawn(text, b.drawn()))
	}
	return strings.Trim(lineEnds(text), "\n")
}

// clearSelection ends the selection; false when nothing was selected.
func (m *Model) clearSelection() bool {
	lo, hi, ok := m.chat.transcript.bounds()
	m.chat.transcript.selection.on = false
	return ok && (lo.block != hi.block || lo.start != hi.start || lo.end != hi.end || lo.start < lo.end)
}

// settleSelection ends a selection that typing or a change of the conversation
// has overtaken.
func (m *Model) settleSelection() {
	t := m.chat.transcript
	s := &t.selection
	if _, _, ok := t.bounds(); !ok || s.draft != m.prompt.editor.Version() || s.graphemes != t.scene.graphemes {
		s.on = false
	}
}

// selectUpTo makes the head of the selection a spot.
func (m *Model) selectUpTo(head spot) {
	s := &m.chat.transcript.selection
	s.on, s.head = true, head
	s.draft, s.graphemes = m.prompt.editor.Version(), m.chat.transcript.scene.graphemes
}

// spotAt is the spot at a row of the window and a column of its block.
func (t *transcript) spotAt(row, col int, u unit) spot {
	pos, _ := t.list.At(row)
	at := markdown.Place{Row: pos.Line, Col: col}
	if pos.Block < 0 { // below the last block
		pos.Block = t.list.Len() - 1
		at.Row = t.list.Layout(pos.Block).Len()
	}
	s := spot{block: t.blockAt(pos.Block), index: pos.Block}
	if p := t.sheetOf(pos.Block); p != nil {
		s.start, s.end = widen(p, at, u)
	}
	return s
}
