package markdown

import (
	"github.com/charmbracelet/x/ansi"
)

// wideRow is a row of code that is not wrapped.
type wideRow struct {
	*wideBlock
	code   string // all of it, with its looks
	width  int    // columns of the code
	prefix string // what stands before the block
	label  string // at the right end, "" for none
	scroll int    // columns that are out of sight on the left
}

// wideBlock is what the rows of a block of code that is not wrapped have in
// common.
type wideBlock struct {
	lead, room       int // columns before the block and in it, between its pads
	left, right      int // columns of the pads; marks stand there
	ground, labelPen pen
	marks            [2]string // for more on the left and on the right
}

// shown is the number of columns that the code is cut to.
func (w *wideRow) shown() int {
	if w.label == "" {
		return w.room
	}
	return max(w.room-textWidth(w.label)-2, 0)
}

// draw returns the row.
func (w *wideRow) draw() string {
	shown := w.shown()
	code, half := ansi.TruncateLeft(w.code, w.scroll, ""), 0
	for n := max(w.width-w.scroll, 0); ansi.StringWidth(code) > n-half && half < n; {
		half++ // of a wide character that the edge divides
		code = ansi.TruncateLeft(w.code, w.scroll+half, "")
	}
	code = ansi.Truncate(code, max(shown-half, 0), "")
	got := half + ansi.StringWidth(code)
	b := append([]byte(w.prefix), appendSGR(nil, pen{}, w.ground)...)
	b = append(b, mark(w.marks[0], w.left, w.scroll > 0 && w.width > 0, false)...)
	b = append(b, spaces(half)...)
	b = appendSGR(b, w.ground, pen{})
	b = append(b, code...)
	b = appendSGR(b, pen{}, w.ground)
	cut := w.width > w.scroll+shown
	if w.label == "" && w.ground.bg == 0 && !cut {
		return string(appendSGR(b, w.ground, pen{}))
	}
	b = append(b, spaces(w.room-got-textWidth(w.label))...)
	if w.label != "" {
		b = appendSGR(b, w.ground, w.labelPen)
		b = append(b, w.label...)
		b = appendSGR(b, w.labelPen, w.ground)
	}
	if cut || w.ground.bg != 0 {
		b = append(b, mark(w.marks[1], w.right, cut, true)...)
	}
	return string(appendSGR(b, w.ground, pen{}))
}

// mark is a pad, with the mark next to the code or at the outer edge if there is
// more of it.
func mark(s string, width int, more, outer bool) string {
	switch {
	case width == 0:
		return ""
	case !more:
		return spaces(width)
	case outer:
		return spaces(width-1) + s
	}
	return s + spaces(width-1)
}

// column is the column of the whole row that a column on screen shows.
func (l Line) column(col int) int {
	w := l.wide
	if w == nil || col <= w.lead+w.left {
		return col
	}
	if col >= w.lead+w.left+w.shown() {
		return maxColumn
	}
	return col + w.scroll
}
