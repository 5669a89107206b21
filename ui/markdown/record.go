package markdown

import "encoding/binary"

// record lays out the i-th row of a table as one "header: value" line for each
// cell, with a blank row between the rows. The header is none, unless it is all
// there is.
func (p *printer) record(t *table, r *tableRow, i int) {
	header := &t.rows[0]
	if i == 0 {
		if !t.alone {
			return
		}
		r = &tableRow{cells: make([]cell, len(header.cells)), start: header.end, end: header.end}
	}
	n := len(p.lines)
	p.next(i > 1, func() {
		at := r.start
		for j := range r.cells {
			at = p.recordCell(&header.cells[j], &r.cells[j], r, at)
		}
	})
	markRecord(p.lines[n:])
}

// recordCell lays out one cell of a record; a cell that is missing lies at an
// offset of the source. It returns where the cell ends.
func (p *printer) recordCell(header, value *cell, r *tableRow, at int) int {
	first, last := at, at
	if value.end > 0 {
		first = min(max(value.start, at), r.end)
		last = min(max(value.end, first), r.end)
	}
	at = first
	var f flow
	f.join(&header.flow)
	if len(f.text) > 0 {
		f.pen(p.text, "")
		f.text = append(f.text, ": "...)
	}
	f.maps = value.moved(len(f.text))
	f.join(&value.flow)
	if p.width == 1 {
		f.narrow()
	}
	w := p.width
	if w >= minWidth {
		w -= 2 // rows that go on are indented
	}
	label := len(f.text)
	if len(f.maps) > 0 {
		label = f.maps[0].at
	}
	n, rows := 0, f.wrap(w, nil)
	for i, row := range rows {
		p.begin()
		if i > 0 {
			p.buf = append(p.buf, spaces(p.width-w)...)
			p.cells.blank(p.width - w)
		}
		p.buf, n = f.closedRow(p.buf, row, n)
		p.cells.flow(&f, row, tabStop)
		start, end := at, at
		if a := max(row.a, label); a < row.b {
			start, end = f.source(a, row.b)
			if a == label {
				start = first
			}
			if i == len(rows)-1 {
				end = last
			}
			start = min(max(start, at), last)
			at = min(max(end, start), last)
			end = at
		}
		p.endLine(Line{Start: r.start, End: r.end, Soft: row.soft, cells: p.cells.seal(start, end, r.start, r.end)})
	}
	return last
}

// markRecord marks the rows of a record, and tells which of them have nothing of
// it before or after them.
func markRecord(lines []Line) {
	first, last := len(lines), -1
	for i, l := range lines {
		for _, s := range l.decode().spans {
			if s.kind != empty {
				first, last = min(first, i), i
			}
		}
	}
	for i := range lines {
		if lines[i].cells == "" {
			continue // the gap above
		}
		flags := uint64(0)
		if i <= first && last >= 0 {
			flags |= opens
		}
		if i >= last && last >= 0 {
			flags |= closes
		}
		lines[i].cells = string(binary.AppendUvarint([]byte(lines[i].cells), flags<<2|recorded))
	}
}

// withoutLabels moves the ends of a selection over the rows of records, and the
// blank ones around them, of which they have a label or nothing.
func withoutLabels(line func(i int) Line, from, to Place) (Place, Place) {
	for p := from; p.Row <= to.Row; p = (Place{p.Row + 1, 0}) {
		if l := line(p.Row); l.cells != "" {
			e := selected(l, p.Col)
			if e.record || p != from && selected(line(from.Row), from.Col).record {
				from = p
			}
			if !e.record || !e.atEnd() {
				break
			}
		}
	}
	for p := to; p.Row >= from.Row; p = (Place{p.Row - 1, maxColumn}) {
		if l := line(p.Row); l.cells != "" {
			e := selected(l, p.Col)
			if e.record || p != to && selected(line(to.Row), to.Col).record {
				to = p
			}
			if !e.record || !e.atStart() {
				break
			}
		}
	}
	return from, to
}

// join appends the text of another flow with its looks.
func (f *flow) join(g *flow) {
	at := len(f.text)
	for _, r := range g.runs {
		f.runs = append(f.runs, run{at + r.at, r.pen, r.link})
	}
	f.text = append(f.text, g.text...)
}

// moved are the mappings of a flow whose text begins at an offset of another.
func (f *flow) moved(at int) []mapping {
	m := make([]mapping, 0, len(f.maps))
	for _, v := range f.maps {
		v.at += at
		m = append(m, v)
	}
	return m
}
