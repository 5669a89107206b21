package blocklist

import "iter"

// Rows returns exactly height rows, "" for those below the content and for gaps.
// The slice is the caller's.
func (l *List) Rows() []string {
	rows := make([]string, l.height)
	for y, p := range l.visible() {
		if e := l.entries[p.Block]; p.Line < e.rows {
			rows[y] = e.layout.Line(p.Line)
		}
	}
	return rows
}

// At returns the position of the window's row y and whether it is a row of a
// block. For a row of a gap the position is behind the last line of the block
// above it; where there is no content its Block is -1.
func (l *List) At(y int) (Pos, bool) {
	for row, p := range l.visible() {
		if row == y {
			return p, p.Line < l.entries[p.Block].rows
		}
	}
	return Pos{Block: -1}, false
}

// Visible gives the rows of the window that show a row of a block, from the top,
// and what they show.
func (l *List) Visible() iter.Seq2[int, Pos] {
	return func(yield func(int, Pos) bool) {
		for y, p := range l.visible() {
			if p.Line < l.entries[p.Block].rows && !yield(y, p) {
				return
			}
		}
	}
}

// Layout is block i, 0 <= i < Len, as it is laid out for the width of the window;
// nil without a window. It holds until the block changes.
func (l *List) Layout(i int) Layout {
	if !l.windowed() {
		return nil
	}
	return l.layout(i).layout
}

// visible gives the rows of content in the window, with the position of each.
func (l *List) visible() iter.Seq2[int, Pos] {
	return func(yield func(int, Pos) bool) {
		if !l.settle() {
			return
		}
		y, p := 0, Pos{l.top.block, l.top.line}
		last := l.lastRow()
		for ; y < l.height && p.Block <= last.Block; p = (Pos{Block: p.Block + 1}) {
			room := l.extent(l.entries[p.Block].rows)
			for ; y < l.height && p.Line < room; p.Line++ {
				if p.Block == last.Block && p.Line > last.Line || !yield(y, p) {
					return
				}
				y++
			}
		}
	}
}

// lastRow is the last row of content if it is in the window, else something
// behind the window.
func (l *List) lastRow() Pos {
	if l.more {
		return Pos{Block: len(l.entries)}
	}
	for i := len(l.entries) - 1; i >= l.top.block; i-- {
		if n := l.entries[i].rows; n > 0 {
			return Pos{i, n - 1}
		}
	}
	return Pos{Block: -1}
}

// Below is the number of rows of content below the window, an estimate where
// they were never laid out.
func (l *List) Below() int {
	if !l.settle() || !l.more {
		return 0
	}
	l.refresh()
	return max(l.heights.total()-l.gap-l.above()-l.height, 1)
}

// NewBelow is the number of rows below the window that came since following
// ended, an estimate where they were never laid out; 0 while following.
func (l *List) NewBelow() int {
	below := l.Below()
	if l.following || below == 0 {
		return 0
	}
	old := l.mark.lines + l.heights.before(max(l.mark.block, 0))
	return min(max(l.heights.total()-l.gap-old, 0), below)
}

// Thumb gives a scrollbar's thumb as first row and length in the window; length
// 0 when everything is visible. It touches an end of the bar only at that end of
// the content.
func (l *List) Thumb() (row, length int) {
	below := l.Below()
	if !l.windowed() || len(l.entries) == 0 {
		return 0, 0
	}
	above := l.above()
	if above == 0 && below == 0 {
		return 0, 0
	}
	h := l.height
	length = min(max(h*h/(above+h+below), 1), max(h-1, 1))
	free := h - length
	switch {
	case above == 0:
		row = 0
	case below == 0:
		row = free
	default:
		row = min(max(free*above/(above+below), min(1, free)), max(free-1, min(1, free)))
	}
	return row, length
}

// above is the number of rows above the window.
func (l *List) above() int { return l.heights.before(l.top.block) + l.top.line }

// refresh guesses the heights that changed behind the mark, where content grows
// while the reader is elsewhere. What is on screen is exact already.
func (l *List) refresh() {
	if l.following {
		return
	}
	for i := max(l.mark.block, 0); i < len(l.entries); i++ {
		e := l.entries[i]
		if e.block.Version() != e.key.version || !e.exact && e.key.width != l.width {
			l.guess(i, e)
		}
	}
}
