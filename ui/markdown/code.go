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
	p.codeRows(f, c.start, p.codeLabel(lang))
}

// codeLabel is the label of the next code block.
func (p *printer) codeLabel(lang string) string {
	p.codes++
	return untrusted.Line(p.style.label(p.codes-1, untrusted.Line(lang)))
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
// line does not fit.
func (f *flow) wrapCode(w int, rows []row) []row {
	var now, nice row // nice is where a row would better begin
	col := 0          // of the line, for tabs
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

// codeRows lays out code on its ground, with a label at the right end of the
// first row, or on a row of its own when the code needs the room. at is where
// the code begins in the source.
func (p *printer) codeRows(f *flow, at int, label string) {
	pad, inner := 1, p.width-2
	switch {
	case p.width < minWidth:
		pad, inner = 0, p.width
	case p.style.ground == 0:
		pad, inner = 2, p.width-2
	}
	if inner == 1 {
		f.narrow()
	}
	p.rows = f.wrapCode(inner, p.rows[:0])
	label = cut(label, inner)
	lw := textWidth(label)
	if lw > 0 && (p.rows[0].width+2+lw > inner || len(p.rows) > 1 && p.rows[1].soft) {
		p.codeRow(&flow{}, row{}, 0, pad, inner, label)
		p.end(at, at, false)
		label = ""
	}
	r := 0
	for _, row := range p.rows {
		r = p.codeRow(f, row, r, pad, inner, label)
		start, end := at, at
		if len(f.maps) > 0 {
			start, end = p.rowSource(f, row)
		}
		p.end(start, end, row.soft)
		label = ""
	}
}

// codeRow writes one row of code, inner columns wide between its pads. It
// returns the index of the run that the next row goes on with.
func (p *printer) codeRow(f *flow, w row, r, pad, inner int, label string) int {
	s := p.style
	p.begin()
	ground := pen{bg: s.ground}
	b := appendSGR(p.buf, pen{}, ground)
	b = append(b, spaces(pad)...)
	cur := ground
	if bytes.IndexByte(f.text[w.a:w.b], '\t') < 0 {
		b, r, cur = f.appendRow(b, w.a, w.b, r, cur)
	} else {
		e := f.expandTabs(w, inner)
		b, _, cur = e.appendRow(b, 0, len(e.text), 0, cur)
	}
	if label != "" {
		b = appendSGR(b, cur, ground)
		b = append(b, spaces(inner-w.width-textWidth(label))...)
		b = appendSGR(b, ground, s.labelPen)
		b = append(b, label...)
		cur, w.width = s.labelPen, inner
	}
	if s.ground != 0 {
		b = appendSGR(b, cur, ground)
		b = append(b, spaces(inner-w.width+min(pad, 1))...)
		cur = ground
	}
	p.buf = appendSGR(b, cur, pen{})
	return r
}

// expandTabs returns the text of a row with its tabs as spaces.
func (f *flow) expandTabs(w row, inner int) *flow {
	e := &flow{}
	col, r := w.col, -1
	for i := w.a; i < w.b; {
		for r+1 < len(f.runs) && f.runs[r+1].at <= i {
			r++
			e.pen(f.runs[r].pen, f.runs[r].link)
		}
		size, cw := cluster(f.text[i:])
		if f.text[i] == '\t' {
			cw = min(tabStop-col%tabStop, inner)
			e.text = append(e.text, spaces(cw)...)
		} else {
			e.text = append(e.text, f.text[i:i+size]...)
		}
		col += cw
		i += size
	}
	return e
}

// htmlBlock shows HTML as it is.
func (p *printer) htmlBlock(n *ast.HTMLBlock) {
	f := &p.in.flow
	f.reset()
	f.pen(p.style.html.over(p.text), "")
	for i := range n.Lines().Len() {
		p.sourceLine(f, n.Lines().At(i).Start, n.Lines().At(i).Stop, n.Lines().At(i).Padding)
	}
	if n.HasClosure() {
		p.sourceLine(f, n.ClosureLine.Start, n.ClosureLine.Stop, n.ClosureLine.Padding)
	}
	f.trimNewline()
	if p.width == 1 {
		f.narrow()
	}
	p.rows = f.wrapCode(p.width, p.rows[:0])
	for _, row := range p.rows {
		p.begin()
		e := f.expandTabs(row, p.width)
		start, end := p.rowSource(f, row)
		p.buf, _ = e.closedRow(p.buf, e.whole(), 0)
		p.end(start, end, row.soft)
	}
}

// whole is the row that shows all of the flow.
func (f *flow) whole() row { return row{b: len(f.text)} }

const blanks = "                                                                                                                                "

// spaces returns n spaces, none if n is negative.
func spaces(n int) string {
	if n > len(blanks) {
		return strings.Repeat(" ", n)
	}
	return blanks[:max(n, 0)]
}
