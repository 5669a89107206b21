package ui

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"waferchat/ui/blocklist"
)

// inked is a run of columns of a row that is drawn in an ink of its own.
type inked struct {
	from, to int
	ink      ink
}

// rowCells keeps what rows show, from frame to frame.
type rowCells map[rowKey][]cell

type rowKey struct {
	block   findable
	version uint64
	width   int
	row     int
}

// maxRowCells bounds the rows that are kept.
const maxRowCells = 300

// markHits marks the hits on the conversation's rows.
func (m *Model) markHits(rows []string) []string {
	f, t := m.chat.find, m.chat.transcript
	if f == nil || f.total == 0 {
		return rows
	}
	lk := m.look()
	current, _ := f.at.span()
	for y, pos := range t.list.Visible() {
		q := f.pieces.of(pos.Block)
		if q == nil || !f.near(t, q, pos) {
			continue
		}
		var marks []inked
		for _, c := range f.cells(t, pos) {
			k := lk.hit
			switch {
			case q == f.at.piece && current.touches(c):
				k = lk.hitNow
			case !q.hitIn(c):
				continue
			}
			if n := len(marks); n > 0 && marks[n-1].to == c.col && marks[n-1].ink == k {
				marks[n-1].to = c.right()
			} else {
				marks = append(marks, inked{c.col, c.right(), k})
			}
		}
		rows[y] = inkRow(rows[y], marks)
	}
	return rows
}

// near tells whether a row may show a hit, without looking at its cells.
func (f *finding) near(t *transcript, q *piece, pos blocklist.Pos) bool {
	lay, ok := t.list.Layout(pos.Block).(textLayout)
	if !ok || len(q.hits) == 0 {
		return len(q.hits) > 0
	}
	l := lay.m.Line(pos.Line)
	if l.Start == l.End {
		return true // a footnote: it may be from anywhere
	}
	i := sort.Search(len(q.hits), func(i int) bool { return int(q.hits[i].end) > l.Start })
	return i < len(q.hits) && int(q.hits[i].start) < l.End
}

// hitIn tells whether a cell shows a part of a hit.
func (q *piece) hitIn(c cell) bool {
	i := sort.Search(len(q.hits), func(i int) bool { return int(q.hits[i].end) > c.start })
	return i < len(q.hits) && q.hits[i].touches(c)
}

// cells are what a row shows of its block's text.
func (f *finding) cells(t *transcript, pos blocklist.Pos) []cell {
	b, ok := t.blockAt(pos.Block).(findable)
	if !ok {
		return nil
	}
	key := rowKey{b, b.Version(), t.list.Width(), pos.Line}
	if c, ok := f.rows[key]; ok {
		return c
	}
	if f.rows == nil || len(f.rows) >= maxRowCells {
		f.rows = rowCells{}
	}
	out := legible(t.sheetOf(pos.Block), pos.Line)
	f.rows[key] = out
	return out
}

// legible are the cells of a row that show text, without those that stand for what
// is folded away or cut off.
func legible(p sheet, row int) []cell {
	cells := p.cells(row)
	text, markdown := p.(textLayout)
	switch {
	case !markdown:
		return slices.DeleteFunc(cells, func(c cell) bool { return c.char == "" })
	case text.m.Line(row).Width() > 0: // wide code: its last cell has what is cut off, too
		for i := range cells {
			if c := &cells[i]; c.char == "" {
				_, n := utf8.DecodeRuneInString(text.m.Source()[c.start:])
				c.end = min(c.end, c.start+n)
			}
		}
	}
	return cells
}

// inkRow draws runs of columns of a styled row, from left to right, in inks of
// their own. What comes behind each is styled as it was.
func inkRow(row string, runs []inked) string {
	if len(runs) == 0 {
		return row
	}
	var b strings.Builder
	style := "" // the row's sequences that are in force
	col, on := 0, false
	var state byte
	for row != "" {
		seq, width, n, next := ansi.DecodeSequence(row, state, nil)
		state, row = next, row[n:]
		if width == 0 && strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
			if style += seq; seq == inkOff || seq == "\x1b[0m" {
				style = ""
			}
			if !on {
				b.WriteString(seq)
			}
			continue
		}
		if width > 0 && on && col >= runs[0].to {
			b.WriteString(inkOff + style)
			runs, on = runs[1:], false
		}
		if width > 0 && !on && len(runs) > 0 && col+width > runs[0].from {
			b.WriteString(inkOff + string(runs[0].ink))
			on = true
		}
		b.WriteString(seq)
		col += width
	}
	if on {
		b.WriteString(inkOff + style)
	}
	return b.String()
}
