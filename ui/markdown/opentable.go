package markdown

import (
	"bytes"
	"maps"
	"slices"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// openTable is a table at the top level that has no end yet. Only new rows are
// parsed, below a copy of its header.
type openTable struct {
	table  *table
	head   []byte // the lines of the header
	done   int    // up to here its rows are complete
	misses map[string]bool
}

// enterTable makes a single open table the stream's growing block. It tells
// whether it did.
func (m *Stream) enterTable(doc ast.Node, b []byte, misses map[string]bool) bool {
	n, ok := doc.FirstChild().(*east.Table)
	if !ok || n.NextSibling() != nil || len(b) < m.divideFrom {
		return false
	}
	at := n.FirstChild().Pos()
	if at < 0 || lineStart(b, at) != at {
		return false
	}
	end := at
	for range 2 {
		end += lineLength(b, end) + 1
	}
	if end > len(b) {
		return false
	}
	o := &openTable{table: newTable(n.Alignments, m.width), head: bytes.Clone(b[at:end]), done: m.closed + end, misses: misses}
	p := m.tablePrinter(b, m.closed)
	o.table.add(p.tableRow(n.FirstChild(), len(n.Alignments)))
	m.growing = o
	return true
}

// tablePrinter is a printer of a table's cells.
func (m *Stream) tablePrinter(b []byte, base int) *printer {
	p := m.printer(b, base, m.codes)
	p.text = m.style.table.over(p.text)
	return p
}

// step implements growing.
func (o *openTable) step(m *Stream) bool {
	base := o.done - len(o.head)
	b := slices.Concat(o.head, m.src[o.done:])
	doc, misses := parse(m.style.parser, b, m.known)
	n, ok := doc.FirstChild().(*east.Table)
	if !ok || n.Pos() != 0 {
		return true
	}
	if o.misses == nil {
		o.misses = map[string]bool{}
	}
	maps.Copy(o.misses, misses)
	end := o.take(m, n, b, base)
	over := end < len(b) && (m.ended || lineLength(b, end) < len(b)-end)
	var extra *tableRow
	rest := n.NextSibling()
	if last := n.LastChild(); end == len(b) && last != n.FirstChild() && b[end-1] != '\n' {
		if m.ended {
			o.add(m, last, b, base)
			over = true
		} else {
			extra = o.extra(m, n, b, base)
		}
	}
	p := m.tablePrinter(m.src[m.closed:], m.closed)
	tail := o.table.layOut(p, extra)
	m.settled = o.table.lines
	if over || m.ended {
		m.keep(chunk{start: m.closed, end: base + end, lines: m.settled, misses: o.misses, codes: m.codes, textShown: true})
		return true
	}
	m.setTail(tail, "")
	if end < len(b) && rest != nil && len(m.settled) > 0 {
		o.layRest(m, doc, b, base)
	}
	return false
}

// take adds the complete new rows to the table. It returns where the table ends
// in b, an incomplete last row included.
func (o *openTable) take(m *Stream, n *east.Table, b []byte, base int) int {
	end := len(o.head)
	for row := n.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
		end = row.Pos() + lineLength(b, row.Pos())
		if end == len(b) {
			return end
		}
		end++
		o.add(m, row, b, base)
	}
	o.done = base + end
	return end
}

// add adds a row.
func (o *openTable) add(m *Stream, row ast.Node, b []byte, base int) {
	o.table.add(m.tablePrinter(b, base).tableRow(row, len(o.table.align)))
	o.done = base + min(row.Pos()+lineLength(b, row.Pos())+1, len(b))
}

// extra is the row at the end that is not complete.
func (o *openTable) extra(m *Stream, n *east.Table, b []byte, base int) *tableRow {
	from := n.LastChild().Pos()
	if !m.literal {
		line := slices.Concat(o.head, b[from:])
		doc, _ := parse(m.style.parser, line, m.known)
		doc, line = m.completed(doc, line)
		t, ok := doc.FirstChild().(*east.Table)
		if !ok || t.FirstChild() == t.LastChild() {
			return nil
		}
		n, b, base = t, line, base+from-len(o.head)
	}
	p := m.tablePrinter(b, base)
	r := p.tableRow(n.LastChild(), len(o.table.align))
	r.end = min(r.end, len(m.src))
	return &r
}

// layRest lays out what stands below the table and may still become a row of it.
func (o *openTable) layRest(m *Stream, doc ast.Node, b []byte, base int) {
	size := len(m.src)
	if !m.literal {
		doc, b = m.completed(doc, b)
	}
	n, ok := doc.FirstChild().(*east.Table)
	if !ok {
		return
	}
	p := m.printer(b, base, m.codes)
	p.colors = m.smallColors
	p.lines = slices.Clone(m.settled[len(m.settled)-1:])
	for c := n.NextSibling(); c != nil; c = c.NextSibling() {
		p.next(true, func() { p.block(c) })
	}
	tail := p.lines[1:]
	for i := range tail {
		tail[i].Start, tail[i].End = min(tail[i].Start, size), min(tail[i].End, size)
	}
	m.setTail(tail, "")
}

// keep appends a chunk whose lines are there already.
func (m *Stream) keep(c chunk) {
	m.closed = c.end
	m.chunks = append(m.chunks, c)
	m.reindex(len(m.chunks) - 1)
}
