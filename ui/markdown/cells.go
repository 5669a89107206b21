package markdown

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// Kinds of spans: what the columns of a row show.
const (
	empty    = iota // nothing of the source: padding, borders, bullets
	exact           // source text as it is, character by character
	whole           // something that stands for a stretch of source as a whole
	recorded        // no columns: the row is one of a record
)

// span is a stretch of columns of a row and the source that it shows.
type span struct {
	kind       int
	col, width int
	start, end int // in the source; not for empty ones
}

// cellWriter notes which columns of a row show which source, in few bytes: a
// long chat has many rows.
type cellWriter struct {
	buf []byte
	at  int // source offset that the last span ended at
}

func (c *cellWriter) reset() { c.buf, c.at = c.buf[:0], 0 }

// blank adds columns that show nothing of the source.
func (c *cellWriter) blank(width int) {
	if width > 0 {
		c.buf = binary.AppendUvarint(c.buf, uint64(width)<<2|empty)
	}
}

// show adds columns that show the source from start to end.
func (c *cellWriter) show(kind, width, start, end int) {
	if width <= 0 {
		return
	}
	c.buf = binary.AppendUvarint(c.buf, uint64(width)<<2|uint64(kind))
	c.buf = binary.AppendVarint(c.buf, int64(start-c.at))
	c.buf = binary.AppendUvarint(c.buf, uint64(max(end-start, 0)))
	c.at = max(end, start)
}

// flow adds a row of a flow. Tabs count up to limit columns.
func (c *cellWriter) flow(f *flow, w row, limit int) {
	m, col := f.mappingAt(w.a), w.col
	if w.b > w.a && m >= 0 && f.maps[m].linear && (m+1 == len(f.maps) || f.maps[m+1].at >= w.b) && bytes.IndexByte(f.text[w.a:w.b], '\t') < 0 {
		from := f.maps[m].start - f.maps[m].at // all of it is source as it is
		c.show(exact, w.width, from+w.a, from+w.b)
		return
	}
	for i := w.a; i < w.b; {
		for m+1 < len(f.maps) && f.maps[m+1].at <= i {
			m++
		}
		end := w.b
		if m+1 < len(f.maps) {
			end = min(end, f.maps[m+1].at)
		}
		if m >= 0 && f.maps[m].linear {
			j, width := f.stretch(i, end)
			from := f.maps[m].start - f.maps[m].at
			c.show(exact, width, from+i, from+j)
			col += width
			if i = j; i == end {
				continue
			}
			end = i + 1 // a tab, or a character that goes on in the next mapping
		}
		j, width := i, 0
		for j < end {
			size, cw := cluster(f.text[j:])
			if f.text[j] == '\t' {
				cw = min(tabStop-(col+width)%tabStop, limit)
			}
			j, width = j+size, width+cw
		}
		if m < 0 {
			c.blank(width)
		} else {
			start, stop := f.source(i, j)
			c.show(whole, width, start, stop)
		}
		i, col = j, col+width
	}
}

// stretch returns the end of the clusters that lie in the text from a to b, up
// to a tab, and their width.
func (f *flow) stretch(a, b int) (end, width int) {
	start := a
	for a < b && f.text[a] < utf8.RuneSelf && f.text[a] >= ' ' {
		a++
	}
	if a < len(f.text) && f.text[a] >= utf8.RuneSelf && a > start {
		a-- // it may go on with a mark
	}
	width = a - start
	for a < b && f.text[a] != '\t' {
		size, cw := cluster(f.text[a:])
		if a+size > b {
			break
		}
		a, width = a+size, width+cw
	}
	return a, width
}

// rowSpans are the spans of a row, and the source it belongs to.
type rowSpans struct {
	start, end            int // what the row shows, markup included
	outerStart, outerEnd  int // with the fences, for the first and last row of code
	spans                 []span
	record, opens, closes bool // one of a record; nothing of it is before or after the row
}

// Flags of the mark of a record.
const (
	opens = 1 << iota
	closes
)

// seal returns the cells of a row that shows the source from start to end.
func (c *cellWriter) seal(start, end, outerStart, outerEnd int) string {
	var head [4 * binary.MaxVarintLen64]byte
	b := binary.AppendUvarint(head[:0], uint64(max(start, 0)))
	b = binary.AppendUvarint(b, uint64(max(end-start, 0)))
	b = binary.AppendUvarint(b, uint64(max(start-outerStart, 0)))
	b = binary.AppendUvarint(b, uint64(max(outerEnd-end, 0)))
	return string(append(b, c.buf...))
}

// decode reads the cells of a row.
func (l Line) decode() rowSpans {
	if l.cells == "" {
		return rowSpans{start: l.Start, end: l.End, outerStart: l.Start, outerEnd: l.End}
	}
	b := []byte(l.cells)
	next := func() int {
		v, n := binary.Uvarint(b)
		b = b[max(n, 0):]
		return int(v)
	}
	var r rowSpans
	r.start = next()
	r.end = r.start + next()
	r.outerStart = r.start - next()
	r.outerEnd = r.end + next()
	col, at := 0, 0
	for len(b) > 0 {
		v := next()
		if v&3 == recorded {
			r.record, r.opens, r.closes = true, v>>2&opens != 0, v>>2&closes != 0
			continue
		}
		s := span{kind: v & 3, col: col, width: v >> 2}
		if s.kind != empty {
			d, n := binary.Varint(b)
			b = b[max(n, 0):]
			s.start = at + int(d)
			s.end = s.start + next()
			at = s.end
		}
		col += s.width
		r.spans = append(r.spans, s)
	}
	return r
}
