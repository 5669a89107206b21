package markdown

import "bytes"

// RenderRaw lays out a text as it is, markup and all, without looks: what the
// reader sees when markdown is switched off. Lines too long for the width
// (columns; anything below 1 counts as 1) are wrapped. It may be called from any
// goroutine.
func RenderRaw(src string, width int) []Line {
	b := []byte(src)
	normalize(b)
	p := newPrinter(&Style{}, b, 0, width)
	p.rawLines(0, len(b))
	return p.lines
}

// NewRawStream returns an empty stream that lays its text out as RenderRaw does.
func NewRawStream(width int) *Stream {
	m := NewStream(width, &Style{shared: newHighlighter()})
	m.growing = &openRaw{}
	return m
}

// openRaw is a text that is shown as it is.
type openRaw struct {
	done int // up to here its lines are complete and settled
	seen int // up to here there is no other line break
	from int // the rows of the line that begins at done are settled up to here,
	col  int // that many columns of it
}

// step implements growing.
func (o *openRaw) step(m *Stream) bool {
	p := m.printer(m.src, 0, 0)
	for {
		n := bytes.IndexByte(m.src[max(o.seen, o.done):], '\n')
		if n < 0 {
			break
		}
		end := max(o.seen, o.done) + n
		o.rows(p, end)
		o.done, o.seen, o.from, o.col = end+1, end+1, 0, 0
	}
	m.settled = append(m.settled, p.lines...)
	p.lines = nil
	if o.seen = len(m.src); len(m.src) > o.done {
		o.rows(p, len(m.src))
		if len(m.src)-max(o.done, o.from) > lookAhead {
			o.settle(m, p)
		}
	}
	m.setTail(p.lines, "")
	return false
}

// rows lays out the rest of the line that begins at done, up to an offset.
func (o *openRaw) rows(p *printer, end int) {
	if o.from > 0 {
		p.verbatim(o.from, end, row{col: o.col, soft: true})
	} else {
		p.verbatim(o.done, end, row{})
	}
}

// settle settles the rows of the incomplete line that no longer change.
func (o *openRaw) settle(m *Stream, p *printer) {
	for k := len(p.rows) - 3; k > 0; k-- {
		// A row that begins with a character of the source can be gone on with.
		if s := p.lines[k].decode().spans; len(s) > 0 && s[0].kind == exact {
			m.settled = append(m.settled, p.lines[:k]...)
			p.lines = p.lines[k:]
			o.from, o.col = s[0].start, p.rows[k].col
			return
		}
	}
}

// rawLines lays out the source between two offsets, the ends of lines.
func (p *printer) rawLines(start, end int) {
	for start < end {
		n := min(lineLength(p.src, start), end-start)
		p.verbatim(start, start+n, row{})
		start += n + 1
	}
}

// verbatim lays out a line of the source as it is, or the rest of one that
// begins with the given row.
func (p *printer) verbatim(start, end int, first row) {
	f := &p.in.flow
	f.reset()
	f.pen(p.text, "")
	f.add(p.src[start:end], p.base+start, "")
	p.codeLines(f, first, p.base+start)
}

// codeLines lays out the lines of a flow like code, but without its ground. at
// is the place in the source of a flow without text.
func (p *printer) codeLines(f *flow, first row, at int) {
	if p.width == 1 {
		f.narrow()
	}
	p.rows = f.wrapCode(p.width, first, p.rows[:0])
	r := 0
	e := &p.tabbed
	for _, w := range p.rows {
		p.begin()
		r = f.expandTabs(e, w, r, p.width)
		start, end := at, at
		if len(f.maps) > 0 {
			start, end = p.rowSource(f, w)
		}
		p.buf, _ = e.closedRow(p.buf, row{b: len(e.text)}, 0)
		p.cells.flow(f, w, p.width)
		p.end(start, end, w.soft)
	}
}
