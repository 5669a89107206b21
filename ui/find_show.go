package ui

import (
	"slices"

	"waferchat/ui/blocklist"
)

// Where a find puts the screen.

// unfolding is what a find has opened of a block.
type unfolding struct {
	fold   func() // undoes that
	wanted bool   // for a hit that the reader went to, not only saw while typing
}

// show brings the current hit on screen, a third from the top unless it is in
// view already, and opens the block that hides it. Other blocks that were opened
// for a hit by typing are folded again.
func (f *finding) show(t *transcript) {
	s, ok := f.at.span()
	if !ok || t.list.Height() < 1 {
		return
	}
	i := f.at.piece.at
	if i >= t.list.Len() || t.blockAt(i) != block(f.at.piece.block) {
		return // the screen was too small to keep up
	}
	f.foldPreviews(f.at.piece.block)
	line, ok := f.row(t, i, s)
	if b, folded := f.at.piece.block.(foldable); !ok && folded {
		if fold := b.unfold(); fold != nil {
			f.unfolded[f.at.piece.block] = unfolding{fold: fold}
			line, ok = f.row(t, i, s)
		}
	}
	if !ok {
		line, ok = f.moveCode(t, i, line, s)
	}
	if !ok && f.note == "" {
		f.note = "in the markup"
	}
	if f.inView(t, blocklist.Pos{Block: i, Line: line}) {
		t.list.SetTop(t.list.Top()) // new text does not move it away
	} else {
		t.list.Reveal(blocklist.Pos{Block: i, Line: line}, t.list.Height()/3)
	}
	f.placed, f.size = t.place(), [2]int{t.list.Width(), t.list.Height()}
}

// moveCode moves wide code sideways, so that a hit in a row of it comes in view.
func (f *finding) moveCode(t *transcript, i, line int, s span) (row int, ok bool) {
	b, markdown := f.at.piece.block.(*textBlock)
	p, laid := t.list.Layout(i).(textLayout)
	if !markdown || !laid {
		return line, false
	}
	first, last := p.near(int(s.start))
	end := span{s.end - 1, s.end}
	for row := first; row <= last; row++ {
		for p.shift = 0; p.shift < p.m.Line(row).Width(); p.shift += codeStep {
			if !slices.ContainsFunc(legible(p, row), end.touches) {
				continue
			}
			before := b.shift
			b.scrollCode(p.m, p.shift-before)
			if _, moved := f.unfolded[b]; !moved {
				f.unfolded[b] = unfolding{fold: func() { b.scrollCode(p.m, before-b.shift) }}
			}
			return row, true
		}
	}
	return line, false
}

// inView tells whether a row is on screen, and not the first or the last there.
func (f *finding) inView(t *transcript, p blocklist.Pos) bool {
	for y, q := range t.list.Visible() {
		if p == q {
			return y > 0 && y < t.list.Height()-1
		}
	}
	return false
}

// row is the first row of block i that shows a part of a hit. When none does, it
// is the row where the hit would be.
func (f *finding) row(t *transcript, i int, s span) (line int, ok bool) {
	p := t.sheetOf(i)
	if p == nil || p.Len() == 0 {
		return 0, false
	}
	first, last := p.near(int(s.start))
	_, behind := p.near(int(s.end) - 1)
	for line := first; line <= max(last, behind); line++ {
		if f.shows(t, blocklist.Pos{Block: i, Line: line}, s) {
			return line, true
		}
	}
	return min(first, p.Len()-1), false
}

// shows tells whether a row shows a part of a hit.
func (f *finding) shows(t *transcript, pos blocklist.Pos, s span) bool {
	return slices.ContainsFunc(f.cells(t, pos), s.touches)
}

// touches tells whether a cell shows a part of the range.
func (s span) touches(c cell) bool { return c.start < int(s.end) && int(s.start) < c.end }

// hold keeps the current hit on screen when the size of the pane changes, unless
// the reader went elsewhere.
func (f *finding) hold(t *transcript) {
	size := [2]int{t.list.Width(), t.list.Height()}
	if size == f.size || f.placed.block == nil {
		return
	}
	f.size = size
	if t.place() == f.placed {
		f.show(t)
	}
}

// retreat puts the reader back to where they were last, if find has moved them and
// they did not go elsewhere. What was opened is folded: at the end all of it.
func (f *finding) retreat(t *transcript, end bool) {
	stayed := f.placed.block != nil && t.place() == f.placed
	f.placed = place{}
	if f.foldPreviews(nil); end {
		for _, u := range f.unfolded {
			u.fold()
		}
	}
	if !stayed {
		return
	}
	o := &f.origin
	i, top := t.list.Index(o.block), t.list.Index(o.top)
	switch {
	case i < 0:
	case o.following:
		t.list.ScrollTail()
	case top >= 0 && t.list.Width() == o.width:
		t.list.SetTop(blocklist.Pos{Block: top, Line: o.line})
	default:
		t.list.SetTopSource(i, o.source)
	}
}

// foldPreviews folds what was opened for hits that were only seen while typing, but
// for one block.
func (f *finding) foldPreviews(but block) {
	for b, u := range f.unfolded {
		if block(b) != but && !u.wanted {
			u.fold()
			delete(f.unfolded, b)
		}
	}
}
