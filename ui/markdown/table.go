package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// minColumn is the least width of a column whose cells are wrapped; a table that
// would need narrower ones is shown as records.
const minColumn = 8

// cell is a cell of a table.
type cell struct {
	flow
	line, word int // columns of its widest line and word
	rows       []row
}

// tableRow is a row of a table.
type tableRow struct {
	cells      []cell
	start, end int // in the whole source
}

// table lays out a table, as wide as its content.
func (p *printer) table(n *east.Table) {
	outer := p.text
	p.text = p.style.table.over(p.text)
	columns := len(n.Alignments)
	var rows []tableRow
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		rows = append(rows, p.tableRow(c, columns))
	}
	room := p.width - 3*(columns-1)
	if widths := columnWidths(rows, columns, room); widths != nil {
		p.grid(rows, fitCells(rows, widths, room), n.Alignments)
	} else {
		p.records(rows)
	}
	p.text = outer
}

// tableRow reads the cells of a row.
func (p *printer) tableRow(n ast.Node, columns int) tableRow {
	at := max(n.Pos(), 0)
	row := tableRow{cells: make([]cell, columns), start: p.base + at, end: p.base + at + lineLength(p.src, at)}
	l := look{}
	if _, ok := n.(*east.TableHeader); ok {
		l.on = bold
	}
	i := 0
	for c := n.FirstChild(); c != nil && i < columns; c, i = c.NextSibling(), i+1 {
		p.in.flow = flow{}
		p.in.begin(c)
		p.in.around(l, p.text, "", func(inner pen) { p.in.inline(c, inner, "") })
		row.cells[i].flow = p.in.flow
		row.cells[i].line, row.cells[i].word = p.in.measure()
	}
	p.in.flow = flow{}
	return row
}

// columnWidths shares the room among the columns: each gets what its content
// needs, the widest ones less if there is not enough. It returns nil when even
// wrapped cells would be too narrow to read.
func columnWidths(rows []tableRow, columns, room int) []int {
	line, word := make([]int, columns), make([]int, columns)
	for _, r := range rows {
		for i, c := range r.cells {
			line[i], word[i] = max(line[i], c.line, 1), max(word[i], c.word)
		}
	}
	least := make([]int, columns)
	for _, longest := range []int{24, minColumn} { // whole words if they fit
		sum := 0
		for i := range least {
			least[i] = min(line[i], max(minColumn, min(word[i], longest)))
			sum += least[i]
		}
		if sum <= room {
			return share(least, line, room)
		}
	}
	return nil
}

// share grows the columns from the least to the wanted widths as far as there is
// room, the narrow ones first.
func share(least, want []int, room int) []int {
	widths := make([]int, len(least))
	limit := 0
	for {
		sum, enough := 0, true
		for i := range widths {
			w := min(want[i], max(least[i], limit+1))
			sum += w
			enough = enough && w == want[i]
		}
		if sum > room {
			break
		}
		limit++
		if enough {
			break
		}
	}
	for i := range widths {
		widths[i] = min(want[i], max(least[i], limit))
	}
	return spread(widths, want, room)
}

// spread gives the columns what room is left, a column at a time to the one that
// lacks the most.
func spread(widths, want []int, room int) []int {
	used := 0
	for _, w := range widths {
		used += w
	}
	for used < room {
		most := 0
		for i := range widths {
			if want[i]-widths[i] > want[most]-widths[most] {
				most = i
			}
		}
		if want[most] == widths[most] {
			break
		}
		widths[most]++
		used++
	}
	return widths
}

// fitCells wraps the cells to the widths and returns the widths that the rows
// then have: what one column leaves over once its words are wrapped goes to the
// others.
func fitCells(rows []tableRow, widths []int, room int) []int {
	for again := true; ; again = false {
		used, want := make([]int, len(widths)), make([]int, len(widths))
		total, wrapped := 0, false
		for _, r := range rows {
			for j := range r.cells {
				c := &r.cells[j]
				if widths[j] == 1 {
					c.narrow()
				}
				c.rows = c.wrap(widths[j], c.rows[:0])
				for _, row := range c.rows {
					used[j] = max(used[j], row.width, 1)
				}
				want[j] = max(want[j], c.line, 1)
			}
		}
		for j := range used {
			used[j] = max(used[j], 1)
			total += used[j]
			wrapped = wrapped || used[j] < want[j]
		}
		if !again || !wrapped || total >= room {
			return used
		}
		widths = spread(used, want, room)
	}
}

// grid lays the table out in columns.
func (p *printer) grid(rows []tableRow, widths []int, align []east.Alignment) {
	s := p.style
	for i := range rows {
		r := &rows[i]
		height := 1
		for _, c := range r.cells {
			height = max(height, len(c.rows))
		}
		for y := range height {
			p.begin()
			p.gridRow(r, y, widths, align)
			p.end(r.start, r.end, y > 0)
		}
		if i > 0 {
			continue
		}
		p.begin()
		p.buf = appendSGR(p.buf, pen{}, s.rule)
		for j, w := range widths {
			if j > 0 {
				p.buf = append(p.buf, s.rowSep+s.sep+s.rowSep...)
			}
			p.buf = append(p.buf, strings.Repeat(s.rowSep, w)...)
		}
		p.buf = appendSGR(p.buf, s.rule, pen{})
		p.end(r.end, r.end, false)
	}
}

// gridRow writes the y-th row on screen of a row of the table.
func (p *printer) gridRow(r *tableRow, y int, widths []int, align []east.Alignment) {
	for j := range r.cells {
		if j > 0 {
			p.buf = append(p.buf, ' ')
			p.buf = appendSGR(p.buf, pen{}, p.style.rule)
			p.buf = append(p.buf, p.style.columnSep...)
			p.buf = appendSGR(p.buf, p.style.rule, pen{})
			p.buf = append(p.buf, ' ')
		}
		c := &r.cells[j]
		var now row
		if y < len(c.rows) {
			now = c.rows[y]
		}
		left, right := 0, widths[j]-now.width
		switch align[j] {
		case east.AlignRight:
			left, right = right, 0
		case east.AlignCenter:
			left, right = right/2, right-right/2
		}
		if now.b == now.a {
			left, right = 0, widths[j]
		}
		p.buf = append(p.buf, spaces(left)...)
		p.buf, _ = c.closedRow(p.buf, now, 0)
		p.buf = append(p.buf, spaces(right)...)
	}
	p.buf = bytes.TrimRight(p.buf, " ")
}

// records lays the table out as one "header: value" line for each cell, a blank
// row between the rows.
func (p *printer) records(rows []tableRow) {
	header := rows[0]
	if len(rows) == 1 {
		rows = append(rows, tableRow{cells: make([]cell, len(header.cells)), start: header.end, end: header.end})
	}
	for i, r := range rows[1:] {
		p.next(i > 0, func() {
			for j := range r.cells {
				p.record(&header.cells[j], &r.cells[j], r)
			}
		})
	}
}

// record lays out one cell of a record.
func (p *printer) record(header, value *cell, r tableRow) {
	var f flow
	f.join(&header.flow)
	if len(f.text) > 0 {
		f.pen(p.text, "")
		f.atom(": ", r.start, r.start)
	}
	f.join(&value.flow)
	if p.width == 1 {
		f.narrow()
	}
	w := p.width
	if w >= minWidth {
		w -= 2 // rows that go on are indented
	}
	pop := p.push("", spaces(p.width-w), 0)
	n := 0
	for _, row := range f.wrap(w, nil) {
		p.begin()
		p.buf, n = f.closedRow(p.buf, row, n)
		p.end(r.start, r.end, row.soft)
	}
	pop()
}

// join appends another flow without the source it came from.
func (f *flow) join(g *flow) {
	at := len(f.text)
	for _, r := range g.runs {
		f.runs = append(f.runs, run{at + r.at, r.pen, r.link})
	}
	f.text = append(f.text, g.text...)
}
