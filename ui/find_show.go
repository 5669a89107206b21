package ui

import (
	"slices"

	"waferchat/ui/blocklist"
)

// Where a find puts the screen.

// show brings the current hit on screen, a third from the top unless it is in
// view already, and opens the block that hides it. Other blocks that were opened
// for a hit by typing are folded again.
func (f *finding) show(t *transcript) {
	s, ok := f.at.span()
	if !ok || t.list.Height() < 1 {
		return
	}
	if !f.jumped {
		f.fold(f.at.piece.block)
	}
	i := f.at.piece.at
	line, ok := f.row(t, i, s)
	if b, folded := f.at.piece.block.(foldable); !ok && folded {
		if fold := b.unfold(); fold != nil {
			f.unfolded[f.at.piece.block] = fold
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
			b.scrollCode(p.shift - before)
			if f.unfolded[b] == nil {
				f.unfolded[b] = func() { b.scrollCode(before - b.shift) }
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

// retreat puts the reader back where they were, if find has moved them and they
// did not go elsewhere.
func (f *finding) retreat(t *transcript) {
	f.fold(nil)
	if f.placed.block == nil {
		return
	}
	stayed := t.place() == f.placed
	f.placed = place{}
	i := t.list.Index(f.origin.block)
	switch {
	case !stayed || i < 0:
	case f.origin.following:
		t.list.ScrollTail()
	case t.list.Width() == f.width && t.list.Index(f.topBlock) >= 0:
		t.list.SetTop(blocklist.Pos{Block: t.list.Index(f.topBlock), Line: f.top})
	default:
		t.list.SetTopSource(i, f.origin.source)
	}
}

// fold folds what was opened for a hit, but for one block.
func (f *finding) fold(but block) {
	for b, fold := range f.unfolded {
		if block(b) != but {
			fold()
			delete(f.unfolded, b)
		}
	}
}
