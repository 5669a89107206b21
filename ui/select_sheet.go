package ui

import (
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"

	"waferchat/ui/blocklist"
	"waferchat/ui/markdown"
)

// cell is what one character, or something that stands for a stretch of text as
// a whole, takes of a row: columns of the block, and the text as it is drawn.
type cell struct {
	col, width int
	start, end int
	char       string // the character, "" for something that is whole
}

func (c cell) right() int { return c.col + c.width }

// sheet is a laid out block whose text can be selected. Offsets are in the
// block's text as it is drawn.
type sheet interface {
	blocklist.Layout
	// cells are the text of a row from left to right. What is no text (marks,
	// bullets, borders, padding) has none.
	cells(row int) []cell
	// near are the first and last row that can show the character at an offset,
	// but for the rows from aside on: those are outside of the order of the text.
	near(offset int) (first, last int)
	aside() int
	// joined tells whether the row goes on with the source line of the row above.
	joined(row int) bool
	// size is the length of the text.
	size() int
	// cut is the text of a portion; stored gives that of a stretch.
	cut(c portion, stored func(start, end int) string) string
}

// portion is the part of a block that is selected: by places on its sheet, and by
// offsets for those sheets that may not show all of it.
type portion struct {
	from, to   markdown.Place
	start, end int
}

// stretch is text on a row of plain rows.
type stretch struct {
	row, col   int
	start, end int
	text       []byte // as drawn, but for tabs
	tab        int    // the width of a tab
	width      int    // of what stands for the text as a whole, 0 if it is drawn itself
	soft       bool   // it goes on where the row above was wrapped
}

// show notes that the newest row has row i of a text from a column on. The text
// begins at an offset of the block's.
func (r *rows) show(col int, p *plainText, i, offset int) {
	w := p.rows[i]
	r.shown = append(r.shown, stretch{
		row: len(r.lines) - 1, col: col, start: offset + w.start, end: offset + w.end, text: p.text[w.start:w.end],
		tab: p.tab(), soft: w.start > 0 && p.text[w.start-1] != '\n',
	})
}

// showWhole notes that columns of the newest row stand for a stretch of the text.
func (r *rows) showWhole(col, width, start, end int) {
	r.shown = append(r.shown, stretch{row: len(r.lines) - 1, col: col, width: width, start: start, end: end})
}

// showCut notes that the newest row has a text from a column on, and an ellipsis
// at its right end if there is no room for all of it.
func (r *rows) showCut(col, width int, text string) {
	room := width - col
	if room <= 0 || text == "" {
		return
	}
	cut := text
	if columns(text) > room {
		cut = ansi.Truncate(text, room-1, "")
	}
	r.shown = append(r.shown, stretch{row: len(r.lines) - 1, col: col, end: len(cut), text: []byte(cut)})
	if cut != text {
		r.showWhole(col+columns(cut), 1, len(cut), len(text))
	}
}

// at are the stretches of a row.
func (r rows) at(row int) []stretch {
	i := sort.Search(len(r.shown), func(i int) bool { return r.shown[i].row >= row })
	j := i
	for j < len(r.shown) && r.shown[j].row == row {
		j++
	}
	return r.shown[i:j]
}

func (r rows) cells(row int) []cell {
	var out []cell
	for _, s := range r.at(row) {
		if s.width > 0 {
			out = append(out, cell{col: s.col, width: s.width, start: s.start, end: s.end})
			continue
		}
		col, at := s.col, s.start
		for g := graphemes.FromBytes(s.text); g.Next(); {
			c := cell{col: col, start: at, end: at + len(g.Value()), char: string(g.Value())}
			if c.width = ansi.StringWidth(c.char); c.char == "\t" {
				c.width = s.tab
			}
			at, col = c.end, col+c.width
			switch n := len(out); {
			case c.width > 0:
				out = append(out, c)
			case n > 0 && out[n-1].end == c.start: // it has no column of its own
				out[n-1].end = c.end
			}
		}
	}
	return out
}

func (r rows) near(offset int) (first, last int) {
	i := sort.Search(len(r.shown), func(i int) bool { return r.shown[i].end > offset })
	if i == len(r.shown) {
		return len(r.lines), len(r.lines) - 1
	}
	return r.shown[i].row, r.shown[i].row
}

func (r rows) aside() int { return len(r.lines) }

func (r rows) joined(row int) bool {
	s := r.at(row)
	return len(s) > 0 && s[0].soft
}

func (r rows) size() int {
	if n := len(r.shown); n > 0 {
		return r.shown[n-1].end
	}
	return 0
}

func (r rows) cut(c portion, stored func(start, end int) string) string {
	return stored(c.start, min(c.end, r.size()))
}

// The text of an answer, as markdown.

func (t textLayout) size() int { return len(t.m.Source()) }

func (t textLayout) near(offset int) (first, last int) {
	n := t.m.Len()
	first = sort.Search(n, func(i int) bool { return t.m.Line(i).End > offset })
	last = sort.Search(n, func(i int) bool { return t.m.Line(i).Start > offset }) - 1
	return first, last
}

// aside are footnotes that were moved to the end.
func (t textLayout) aside() int {
	row := t.m.Len()
	for row > 0 {
		if l := t.m.Line(row - 1); l.Start < l.End {
			break
		}
		row--
	}
	return row
}

// joined takes the rows of one row of a table for one line.
func (t textLayout) joined(row int) bool {
	l := t.m.Line(row)
	if l.Soft || row == 0 || l.Start == l.End || l.Code != 0 {
		return l.Soft
	}
	above := t.m.Line(row - 1)
	return above.Start == l.Start && above.End == l.End
}

// cells asks for the source of columns and divides those that do not show it
// letter by letter, until what is left stands for its source as a whole.
func (t textLayout) cells(row int) []cell {
	line := t.line(row)
	f := finder{src: t.m.Source(), line: func(int) markdown.Line { return line }}
	text := ansi.Strip(line.ANSI)
	for g := graphemes.FromString(text); g.Next(); {
		f.drawn = append(f.drawn, g.Value())
		f.cols = append(f.cols, f.width)
		f.width += ansi.StringWidth(g.Value())
	}
	f.cols = append(f.cols, f.width)
	f.find(0, len(f.drawn))
	return f.found
}

// finder finds the cells of a row of markdown.
type finder struct {
	src   string
	line  func(int) markdown.Line
	drawn []string // the characters of the row
	cols  []int    // where they begin, and where the last one ends
	width int
	found []cell
}

func (f *finder) find(i, j int) {
	if i == j || f.cols[i] == f.cols[j] {
		return
	}
	// The row is asked for as one of several, so that a whole row is not taken
	// for the whole text.
	start, end := markdown.Select(f.src, 3, f.line, markdown.Place{Row: 1, Col: f.cols[i]}, markdown.Place{Row: 1, Col: f.cols[j]})
	switch {
	case start >= end:
	case f.src[start:end] == strings.Join(f.drawn[i:j], ""):
		for ; i < j; i++ {
			end = start + len(f.drawn[i])
			f.add(cell{col: f.cols[i] + len(indent), width: f.cols[i+1] - f.cols[i], start: start, end: end, char: f.drawn[i]})
			start = end
		}
	case j == i+1:
		c := cell{col: f.cols[i] + len(indent), width: f.cols[j] - f.cols[i], start: start, end: end}
		if f.src[start:end] == "\t" {
			c.char = "\t"
		}
		f.add(c)
	default:
		f.find(i, (i+j)/2)
		f.find((i+j)/2, j)
	}
}

// add joins the columns of something that is whole.
func (f *finder) add(c cell) {
	if n := len(f.found); n > 0 {
		switch l := &f.found[n-1]; {
		case l.right() == c.col && l.start == c.start && l.end == c.end:
			l.width += c.width
			return
		case c.width == 0:
			l.end = max(l.end, c.end)
			return
		}
	}
	if c.width > 0 {
		f.found = append(f.found, c)
	}
}

func (t textLayout) cut(c portion, stored func(start, end int) string) string {
	from, to := c.from, c.to
	from.Col, to.Col = from.Col-len(indent), to.Col-len(indent)
	src, rows := t.m.Source(), t.m.Len()
	start, end := markdown.Select(src, rows, t.line, from, to)
	if from.Row < 0 || to.Row >= rows { // it goes on outside: markup at that end belongs to it
		if from.Row < 0 {
			start = 0
		}
		if to.Row >= rows {
			end = len(src)
		}
		return stored(start, end)
	}
	if markdown.Source(src, rows, t.line, from, to) == src[start:end] {
		return stored(start, end)
	}
	// Code without what it stands in: row by row.
	var b strings.Builder
	for row := from.Row; row <= to.Row; row++ {
		left, right := markdown.Place{Row: row}, markdown.Place{Row: row, Col: t.m.Width()}
		if row == from.Row {
			left = from
		} else if !t.line(row).Soft {
			b.WriteByte('\n')
		}
		if row == to.Row {
			right = to
		}
		if s, e := markdown.Select(src, rows, t.line, left, right); s < e {
			b.WriteString(stored(s, e))
		}
	}
	return b.String()
}

// folded tells whether a row stands for text that is folded.
func (r rows) folded(row int) bool {
	s := r.at(row)
	return len(s) > 0 && s[0].width > 0
}
