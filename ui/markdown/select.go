package markdown

import "strings"

// Place is a place on screen: between the columns of a row, both counted from 0.
// Places outside the rows stand for the nearest one inside.
type Place struct{ Row, Col int }

// before tells whether p comes before q on screen.
func (p Place) before(q Place) bool { return p.Row < q.Row || p.Row == q.Row && p.Col < q.Col }

// Select returns the byte range of the source that is selected on screen from
// one place (its column is inside) to another (its column is not); their order
// does not matter. src is the text that the rows were made from.
//
// Text and code are selected by the character. What stands for a construct as a
// whole (a formula, the address of a link, an escaped character) is selected as
// a whole. Bullets, borders, padding and labels are nothing of the source. Rows
// that are selected from edge to edge bring their markup along, so that a whole
// block is its source; code is selected with its fences only when the selection
// goes on outside of it. Of a table that is shown as records the cells are
// selected, and whole rows of it when all of their cells are.
func Select(src string, rows int, line func(i int) Line, from, to Place) (start, end int) {
	if to.before(from) {
		from, to = to, from
	}
	if rows <= 0 || from == to || to.Row < 0 || from.Row >= rows {
		return 0, 0
	}
	if from.Row < 0 {
		from = Place{}
	}
	if to.Row >= rows {
		to = Place{rows - 1, maxColumn}
	}
	a, b := line(from.Row), line(to.Row)
	left, right := selected(a, from.Col), selected(b, to.Col)
	oneBlock := a.Code != 0 && a.Code == b.Code
	headed := left.atStart() && (from.Row < to.Row || right.atEnd())
	tailed := right.atEnd() && (from.Row < to.Row || left.atStart())
	if headed && tailed && from.Row == 0 && to.Row == rows-1 && !oneBlock {
		return 0, len(src)
	}
	oneRow := from.Row == to.Row
	from, to = withoutLabels(line, from, to)
	if !from.before(to) {
		return 0, 0
	}
	a, b = line(from.Row), line(to.Row)
	left, right = selected(a, from.Col), selected(b, to.Col)
	headed = left.atStart() && (from.Row < to.Row || right.atEnd())
	tailed = right.atEnd() && (from.Row < to.Row || left.atStart())
	start, end = left.from(src), right.to(src)
	inRecord := left.inRecord(right) && (oneRow || !headed || !tailed || !left.opens || !right.closes)
	switch {
	case headed && (oneBlock || left.record && (inRecord || !left.opens)):
		start = left.start
	case headed:
		start = left.outerStart
	}
	switch {
	case tailed && (oneBlock || right.record && (inRecord || !right.closes)):
		end = right.end
	case tailed:
		end = right.outerEnd
	}
	if a.cells == "" {
		start = a.End // what is selected begins below the blank row
	}
	if b.cells == "" {
		end = b.Start
	}
	if start > end && from.Row < to.Row {
		start, end = min(left.start, right.start), max(left.end, right.end)
	}
	end = min(max(end, 0), len(src))
	return min(max(start, 0), end), end
}

// Source returns the source text that [Select] selects. Lines that were wrapped
// are whole again. Of one code block in a list or a quote it is the code alone,
// without the indent and the marks of what it stands in.
func Source(src string, rows int, line func(i int) Line, from, to Place) string {
	start, end := Select(src, rows, line, from, to)
	if to.before(from) {
		from, to = to, from
	}
	first, last := max(from.Row, 0), min(to.Row, rows-1)
	if start >= end || first >= last || line(first).Code == 0 || line(first).Code != line(last).Code {
		return src[start:end]
	}
	var b strings.Builder
	for i := first; i <= last; i++ {
		r := line(i).decode()
		if i > first && !line(i).Soft {
			b.WriteByte('\n')
		}
		if s, e := max(r.start, start), min(r.end, end); s < e {
			b.WriteString(src[s:e])
		}
	}
	return b.String()
}

// Select is the function of the same name for the lines of the stream. Offsets
// refer to [Stream.Source].
func (m *Stream) Select(from, to Place) (start, end int) {
	return Select(m.Source(), m.Len(), m.Line, from, to)
}

// maxColumn is right of every row.
const maxColumn = 1 << 30

// edge is one end of a selection in a row.
type edge struct {
	rowSpans
	col         int
	first, last int // indexes of the first and last span with source; first > last if there is none
}

// selected is the end of a selection at a column of a row.
func selected(l Line, col int) edge {
	e := edge{rowSpans: l.decode(), col: l.column(col)}
	e.first, e.last = len(e.spans), -1
	for i, s := range e.spans {
		if s.kind != empty {
			e.first, e.last = min(e.first, i), i
		}
	}
	return e
}

// inRecord tells whether both rows are of the same record.
func (e edge) inRecord(o edge) bool {
	return e.record && o.record && e.outerStart == o.outerStart && e.outerEnd == o.outerEnd
}

// atStart tells whether nothing of the row is left of the place.
func (e edge) atStart() bool { return e.first > e.last || e.col <= e.spans[e.first].col }

// atEnd tells whether nothing of the row is right of the place.
func (e edge) atEnd() bool {
	return e.first > e.last || e.col >= e.spans[e.last].col+e.spans[e.last].width
}

// from is where a selection begins that has what is right of the place.
func (e edge) from(src string) int {
	for _, s := range e.spans {
		if s.kind == empty || s.col+s.width <= e.col {
			continue
		}
		if s.kind == whole || e.col <= s.col {
			return s.start
		}
		at, _ := s.character(src, e.col)
		return at
	}
	return e.end
}

// to is where a selection ends that has what is left of the place.
func (e edge) to(src string) int {
	for i := len(e.spans) - 1; i >= 0; i-- {
		s := e.spans[i]
		if s.kind == empty || s.col >= e.col {
			continue
		}
		if s.kind == whole || e.col >= s.col+s.width {
			return s.end
		}
		_, at := s.character(src, e.col-1)
		return at
	}
	return e.start
}

// character is the source range of the character that the column shows.
func (s span) character(src string, col int) (start, end int) {
	at, stop := min(s.start, len(src)), min(s.end, len(src))
	text := []byte(src[at:max(at, stop)])
	for c := s.col; len(text) > 0; {
		size, w := cluster(text)
		if c+w > col {
			return at, at + size
		}
		c, at, text = c+w, at+size, text[size:]
	}
	return at, at
}
