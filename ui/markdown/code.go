package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"waferchat/ui/untrusted"
)

// codeBlock is a code block on its way to the screen.
type codeBlock struct {
	node       ast.Node
	start, end int // of its text in the whole source
	lang       string
	code       string // safe to draw, without the last newline
}

// codeBlock lays out a code block.
func (p *printer) codeBlock(n ast.Node, lang string) {
	f := &p.in.flow
	f.reset()
	lines := n.Lines()
	c := codeBlock{node: n, lang: lang, start: p.base + max(n.Pos(), 0)}
	for i := range lines.Len() {
		p.sourceLine(f, lines.At(i).Start, lines.At(i).Stop, lines.At(i).Padding)
	}
	f.trimNewline()
	if lines.Len() > 0 {
		c.start, c.end = p.base+lines.At(0).Start, p.base+lines.At(lines.Len()-1).Stop
	}
	c.code = string(f.text)
	f.color(p.colors(c), 0, p.style)
	label := p.codeLabel(lang)
	p.codeRows(f, codeFrame{number: p.codes, at: c.start, label: label, open: p.opening(n, c.start), close: p.closing(n, max(c.end, c.start))})
}

// codeLabel is the label of the next code block.
func (p *printer) codeLabel(lang string) string {
	p.codes++
	return untrusted.Line(p.style.label(p.codes-1, untrusted.Line(lang)))
}

// opening is where the source of a code block begins whose code starts at an
// offset: at its fence.
func (p *printer) opening(n ast.Node, start int) int {
	if _, ok := n.(*ast.FencedCodeBlock); !ok || n.Pos() < 0 {
		return start
	}
	at := lineStart(p.src, n.Pos())
	if len(bytes.TrimLeft(p.src[at:n.Pos()], " ")) == 0 {
		return p.base + at
	}
	return p.base + n.Pos()
}

// closing is where the source of a code block ends whose code ends at an offset:
// after the fence that closes it, if there is one.
func (p *printer) closing(n ast.Node, end int) int {
	if _, ok := n.(*ast.FencedCodeBlock); !ok || n.Pos() < 0 {
		return end
	}
	at := end - p.base
	if n.Lines().Len() == 0 {
		at = min(n.Pos()+lineLength(p.src, n.Pos())+1, len(p.src))
	}
	line := p.src[at:][:lineLength(p.src, at)]
	marks := bytes.TrimLeft(line, " \t>")
	fence := openFence{mark: fenceMark(p.src[n.Pos():])}
	if len(fence.mark) == 0 || !fence.closes(marks) {
		return end
	}
	return p.base + at + len(bytes.TrimRight(line, " \t"))
}

// fenceMark is the fence that the text begins with, without what follows it.
func fenceMark(text []byte) []byte {
	n := 0
	for n < len(text) && (text[0] == '`' || text[0] == '~') && text[n] == text[0] {
		n++
	}
	return text[:n]
}

// sourceLine adds a line of code to a flow; a last one has no newline yet.
func (p *printer) sourceLine(f *flow, start, stop, padding int) {
	for range padding {
		f.atom(" ", p.base+start, p.base+start)
	}
	f.add(p.src[start:stop], p.base+start, "")
	if stop > start && p.src[stop-1] != '\n' {
		f.atom("\n", p.base+stop, p.base+stop)
	}
}

// trimNewline takes the last newline away: it ends a line, it does not begin one.
func (f *flow) trimNewline() {
	if f.text = bytes.TrimSuffix(f.text, []byte("\n")); len(f.maps) == 0 {
		return
	}
	if last := &f.maps[len(f.maps)-1]; last.at >= len(f.text) {
		f.maps = f.maps[:len(f.maps)-1]
	} else if last.linear {
		last.end = last.start + len(f.text) - last.at
	}
}

// tabStop is the distance of tab stops in code, in columns.
const tabStop = 4

// wrapCode returns the rows of code at a width: one for each line, more where a
// line does not fit. The first one may go on with a line.
func (f *flow) wrapCode(w int, now row, rows []row) []row {
	var nice row   // where a row would better begin
	col := now.col // of the line, for tabs
	fix := 0
	for i := 0; i < len(f.text); {
		size, cw := cluster(f.text[i:])
		for size > 1 && fix < len(f.runs) && f.runs[fix].at < i+size {
			if f.runs[fix].at > i {
				f.runs[fix].at = i + size // a cluster has one look
			}
			fix++
		}
		switch f.text[i] {
		case '\n':
			now.b = i
			rows = append(rows, now)
			now, nice, col = row{a: i + 1}, row{}, 0
			i++
			continue
		case '\t':
			cw = min(tabStop-col%tabStop, w)
		}
		if now.width+cw > w && i > now.a {
			next := row{a: i, width: 0, col: col, soft: true}
			if nice.a > now.a && 3*(nice.col-now.col) >= 2*w { // after a space, not inside a word
				next.a, next.col, next.width = nice.a, nice.col, col-nice.col
			}
			now.b, now.width = next.a, now.width-next.width
			rows = append(rows, now)
			now = next
		}
		now.width += cw
		col += cw
		i += size
		if c := f.text[i-1]; c == ' ' || c == '\t' {
			nice = row{a: i, col: col}
		}
	}
	now.b = len(f.text)
	return append(rows, now)
}

// codeFrame is what belongs to the rows of code besides the code.
type codeFrame struct {
	number      int // of the block, from 1
	at          int // where the code begins in the source
	label       string
	open, close int // where the source of the block begins and ends, fences included
	pad, inner  int // columns on the left, and for code
	right       int // columns on the right
}

// fit shares the columns among the code and what is around it.
func (c *codeFrame) fit(width int, s *Style) {
	c.pad, c.right = 1, 1
	switch {
	case width < minWidth:
		c.pad, c.right = 0, 0
	case s.ground == 0:
		c.pad, c.right = 2, 0
	}
	if s.unwrapped && width > 1 {
		c.right = 1 // for the mark
	}
	c.inner = width - c.pad - c.right
}

// codeRows lays out code on its ground, with a label at the right end of the
// first row, or on a row of its own when the code needs the room.
func (p *printer) codeRows(f *flow, c codeFrame) {
	c.fit(p.width, p.style)
	wrapAt := c.inner
	var block *wideBlock
	if p.style.unwrapped {
		wrapAt, block = maxColumn, p.wideBlock(c)
	} else if c.inner == 1 {
		f.narrow()
	}
	p.rows = f.wrapCode(wrapAt, row{}, p.rows[:0])
	c.label = cut(c.label, c.inner)
	lw := textWidth(c.label)
	if lw > 0 && (p.rows[0].width+2+lw > c.inner || len(p.rows) > 1 && p.rows[1].soft) {
		p.codeRow(&flow{}, row{}, 0, c, nil)
		p.endLine(Line{Start: c.at, End: c.at, Code: c.number, cells: p.cells.seal(c.at, c.at, c.open, c.at)})
		c.label, c.open = "", c.at
	}
	r := 0
	for i, row := range p.rows {
		var wide *wideRow
		if block != nil {
			wide = &wideRow{wideBlock: block}
		}
		r = p.codeRow(f, row, r, c, wide)
		start, end := c.at, c.at
		if len(f.maps) > 0 {
			start, end = p.rowSource(f, row)
		}
		l := Line{Start: start, End: end, Soft: row.soft, Code: c.number, wide: wide}
		outerStart, outerEnd := start, end
		if i == 0 {
			outerStart = min(c.open, start)
		}
		if i == len(p.rows)-1 {
			outerEnd = max(c.close, end)
		}
		l.cells = p.cells.seal(start, end, outerStart, outerEnd)
		p.endLine(l)
		c.label = ""
	}
}

// wideBlock is what the rows of code that is not wrapped have in common.
func (p *printer) wideBlock(c codeFrame) *wideBlock {
	return &wideBlock{
		lead: p.full - p.width, room: c.inner, left: c.pad, right: c.right,
		ground: pen{bg: p.style.ground}, labelPen: p.style.labelPen, marks: p.style.marks,
	}
}

// codeRow writes one row of code between its pads; one that is not wrapped is
// kept in wide. It returns the index of the run that the next row goes on with.
func (p *printer) codeRow(f *flow, w row, r int, c codeFrame, wide *wideRow) int {
	s := p.style
	p.begin()
	limit := c.inner
	if wide != nil {
		limit = maxColumn
	}
	p.cells.blank(c.pad)
	p.cells.flow(f, w, limit)
	code, from, at := f, row{a: w.a, b: w.b}, r
	if bytes.IndexByte(f.text[w.a:w.b], '\t') >= 0 {
		code, r = &p.tabbed, f.expandTabs(&p.tabbed, w, r, limit)
		from, at = row{b: len(code.text)}, 0
	}
	ground := pen{bg: s.ground}
	if wide != nil {
		text, last := code.closedRow(nil, from, at)
		if code == f {
			r = last
		}
		wide.code, wide.width, wide.label, wide.prefix = string(text), w.width, c.label, string(p.buf)
		p.buf = append(p.buf[:0], wide.draw()...)
		return r
	}
	b := appendSGR(p.buf, pen{}, ground)
	b = append(b, spaces(c.pad)...)
	b, at, cur := code.appendRow(b, from.a, from.b, at, ground)
	if code == f {
		r = at
	}
	if c.label != "" {
		b = appendSGR(b, cur, ground)
		b = append(b, spaces(c.inner-w.width-textWidth(c.label))...)
		b = appendSGR(b, ground, s.labelPen)
		b = append(b, c.label...)
		cur, w.width = s.labelPen, c.inner
	}
	if s.ground != 0 {
		b = appendSGR(b, cur, ground)
		b = append(b, spaces(c.inner-w.width+min(c.pad, 1))...)
		cur = ground
	}
	p.buf = appendSGR(b, cur, pen{})
	return r
}

// expandTabs makes e the text of a row with its tabs as spaces, at most limit for
// one. r is the index of a run at or before the row; that of the run at its end
// is returned.
func (f *flow) expandTabs(e *flow, w row, r, limit int) int {
	e.reset()
	col := w.col
	if r < len(f.runs) {
		e.pen(f.runs[r].pen, f.runs[r].link)
	}
	for i := w.a; i < w.b; {
		for r+1 < len(f.runs) && f.runs[r+1].at <= i {
			r++
			e.pen(f.runs[r].pen, f.runs[r].link)
		}
		size, cw := cluster(f.text[i:])
		if f.text[i] == '\t' {
			cw = min(tabStop-col%tabStop, limit)
			e.text = append(e.text, spaces(cw)...)
		} else {
			e.text = append(e.text, f.text[i:i+size]...)
		}
		col += cw
		i += size
	}
	return r
}

const blanks = "                                                                                                                                "

// spaces returns n spaces, none if n is negative.
func spaces(n int) string {
	if n > len(blanks) {
		return strings.Repeat(" ", n)
	}
	return blanks[:max(n, 0)]
}
