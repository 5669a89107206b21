package markdown

import (
	"bytes"
	"strings"

	east "github.com/yuin/goldmark/extension/ast"
)

// grid lays out a row of a table in columns.
func (p *printer) grid(t *table, r *tableRow) {
	height := 1
	for _, c := range r.cells {
		height = max(height, len(c.rows))
	}
	for y := range height {
		p.begin()
		p.gridRow(t, r, y)
		p.end(r.start, r.end, y > 0)
	}
}

// gridRule lays out the line under the header of a table.
func (p *printer) gridRule(t *table, header *tableRow) {
	s := p.style
	p.begin()
	p.buf = appendSGR(p.buf, pen{}, s.rule)
	width := 0
	for j, w := range t.used {
		if j > 0 {
			p.buf = append(p.buf, s.rowSep+s.sep+s.rowSep...)
			width += 3
		}
		p.buf = append(p.buf, strings.Repeat(s.rowSep, w)...)
		width += w
	}
	p.buf = appendSGR(p.buf, s.rule, pen{})
	start := min(header.end+1, p.base+len(p.src))
	end := start + lineLength(p.src, start-p.base)
	p.cells.show(whole, width, start, end)
	p.end(start, end, false)
}

// gridRow writes the y-th row on screen of a row of the table.
func (p *printer) gridRow(t *table, r *tableRow, y int) {
	for j := range r.cells {
		if j > 0 {
			p.buf = append(p.buf, ' ')
			p.buf = appendSGR(p.buf, pen{}, p.style.rule)
			p.buf = append(p.buf, p.style.columnSep...)
			p.buf = appendSGR(p.buf, p.style.rule, pen{})
			p.buf = append(p.buf, ' ')
			p.cells.blank(3)
		}
		c := &r.cells[j]
		var now row
		if y < len(c.rows) {
			now = c.rows[y]
		}
		left, right := 0, t.used[j]-now.width
		switch t.align[j] {
		case east.AlignRight:
			left, right = right, 0
		case east.AlignCenter:
			left, right = right/2, right-right/2
		}
		if now.b == now.a {
			left, right = 0, t.used[j]
		}
		p.buf = append(p.buf, spaces(left)...)
		p.buf, _ = c.closedRow(p.buf, now, 0)
		p.buf = append(p.buf, spaces(right)...)
		p.cells.blank(left)
		p.cells.flow(&c.flow, now, tabStop)
		p.cells.blank(right)
	}
	p.buf = bytes.TrimRight(p.buf, " ")
}
