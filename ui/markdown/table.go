package markdown

import (
	"slices"

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
	start, end int // in the whole source, markup included; 0 when it is missing
}

// tableRow is a row of a table.
type tableRow struct {
	cells      []cell
	start, end int   // in the whole source
	widths     []int // that the cells were wrapped at
}

// wrap wraps the cells to the widths of the columns and widens used to the rows
// that they then have.
func (r *tableRow) wrap(widths, used []int) {
	r.widths = widths
	for j := range r.cells {
		c := &r.cells[j]
		c.rows = c.flow.wrap(widths[j], c.rows[:0])
		for _, row := range c.rows {
			used[j] = max(used[j], row.width)
		}
	}
}

// table is a table on its way to the screen. Rows may come one after the other;
// what was laid out before is laid out again only when a column changes.
type table struct {
	align []east.Alignment
	room  int // columns for the content of the cells
	rows  []tableRow

	line, word    []int // columns of the widest line and word of each column
	widths        []int // that the cells are wrapped at
	used          []int // that the columns have; nil when the table is shown as records
	first, second wrapping

	lines []Line // up to the last row laid out
	base  int    // lines before the table
	laid  int    // rows laid out
	drawn []int  // used, as they were laid out with
	alone bool   // the header was laid out as a record of its own
}

// wrapping is what the rows need when they are wrapped at some widths.
type wrapping struct {
	widths, used []int
	rows         int // that were looked at
}

// newTable returns a table without rows, for a width in columns.
func newTable(align []east.Alignment, width int) *table {
	n := len(align)
	return &table{align: align, room: width - 3*(n-1), line: make([]int, n), word: make([]int, n)}
}

// add adds a row.
func (t *table) add(r tableRow) {
	widen(t.line, t.word, &r)
	t.rows = append(t.rows, r)
}

// widen widens the columns to the lines and words of a row.
func widen(line, word []int, r *tableRow) {
	for i, c := range r.cells {
		line[i], word[i] = max(line[i], c.line, 1), max(word[i], c.word)
	}
}

// measure decides how wide the columns are. extra, if not nil, is a row below
// the others that may still change.
func (t *table) measure(extra *tableRow) {
	line, word := t.line, t.word
	if extra != nil {
		line, word = slices.Clone(line), slices.Clone(word)
		widen(line, word, extra)
	}
	t.widths, t.used = columnWidths(line, word, t.room), nil
	if t.widths == nil {
		return
	}
	t.used = t.first.fit(t.rows, t.widths, extra)
	total, wrapped := 0, false
	for j := range t.used {
		total += t.used[j]
		wrapped = wrapped || t.used[j] < line[j]
	}
	if wrapped && total < t.room { // what one column leaves over goes to the others
		t.widths = spread(slices.Clone(t.used), line, t.room)
		t.used = t.second.fit(t.rows, t.widths, extra)
	}
}

// fit returns the widths that the columns have, at least 1, when the rows are
// wrapped at the widths.
func (w *wrapping) fit(rows []tableRow, widths []int, extra *tableRow) []int {
	if !slices.Equal(w.widths, widths) {
		w.widths, w.used, w.rows = widths, slices.Repeat([]int{1}, len(widths)), 0
	}
	for ; w.rows < len(rows); w.rows++ {
		rows[w.rows].wrap(widths, w.used)
	}
	used := slices.Clone(w.used)
	if extra != nil {
		extra.wrap(widths, used)
	}
	return used
}

// layOut brings the lines up to date with the rows. It returns those of extra,
// a row below the others that may still change, if there is one.
func (t *table) layOut(p *printer, extra *tableRow) []Line {
	t.measure(extra)
	alone := t.used == nil && len(t.rows) == 1 && extra == nil
	if !slices.Equal(t.used, t.drawn) || alone != t.alone {
		t.lines, t.laid = t.lines[:t.base], 0
		t.drawn, t.alone = t.used, alone
	}
	p.lines = t.lines
	for ; t.laid < len(t.rows); t.laid++ {
		p.layRow(t, &t.rows[t.laid], t.laid)
	}
	t.lines = p.lines
	if extra == nil {
		return nil
	}
	p.layRow(t, extra, t.laid)
	return slices.Clone(p.lines[len(t.lines):])
}

// layRow lays out the i-th row of a table.
func (p *printer) layRow(t *table, r *tableRow, i int) {
	if t.used == nil {
		p.record(t, r, i)
		return
	}
	if !slices.Equal(r.widths, t.widths) {
		r.wrap(t.widths, slices.Clone(t.used))
	}
	p.grid(t, r)
	if i == 0 {
		p.gridRule(t, r)
	}
}

// table lays out a table, as wide as its content.
func (p *printer) table(n *east.Table) {
	outer := p.text
	p.text = p.style.table.over(p.text)
	t := newTable(n.Alignments, p.width)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t.add(p.tableRow(c, len(t.align)))
	}
	t.lines, t.base = p.lines, len(p.lines)
	t.layOut(p, nil)
	p.text = outer
}

// tableRow reads the cells of a row.
func (p *printer) tableRow(n ast.Node, columns int) tableRow {
	at := max(n.Pos(), 0)
	for at < len(p.src) && (p.src[at] == ' ' || p.src[at] == '\t') {
		at++
	}
	row := tableRow{cells: make([]cell, columns), start: p.base + at, end: p.base + at + lineLength(p.src, at)}
	l := look{}
	if _, ok := n.(*east.TableHeader); ok {
		l.on = bold
	}
	p.in.inCell = true
	defer func() { p.in.inCell = false }()
	i := 0
	for c := n.FirstChild(); c != nil && i < columns; c, i = c.NextSibling(), i+1 {
		p.in.flow = flow{}
		p.in.begin(c)
		p.in.around(l, p.text, "", func(inner pen) { p.in.inline(c, inner, "") })
		row.cells[i].flow = p.in.flow
		row.cells[i].line, row.cells[i].word = p.in.measure()
		if c.Lines().Len() > 0 {
			seg := c.Lines().At(0)
			row.cells[i].start, row.cells[i].end = p.base+seg.Start, p.base+seg.Stop
		}
	}
	p.in.flow = flow{}
	return row
}

// columnWidths shares the room among the columns: each gets what its content
// needs, the widest ones less if there is not enough. It returns nil when even
// wrapped cells would be too narrow to read.
func columnWidths(line, word []int, room int) []int {
	least := make([]int, len(line))
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
