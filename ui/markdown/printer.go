package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// minWidth is the least number of columns that quotes and list items leave for
// their content; where there is less they are drawn without bar and marker.
const minWidth = 8

// printer lays out blocks as lines.
type printer struct {
	style  *Style
	src    []byte
	base   int // offset of src in the whole source
	width  int // columns for the content of the current container
	text   pen
	depth  int // of bullet lists
	codes  int // code blocks so far
	colors func(c codeBlock) []tokenRun

	lines    []Line
	prefix   string // what every row of the current container begins with
	first    string // what the next row begins with instead
	hasFirst bool
	gap      string // a blank row, due before the next row
	hasGap   bool
	afterGap bool // the last line is a blank one between blocks

	buf  []byte
	in   inliner
	rows []row
}

// newPrinter returns a printer of a stretch of source.
func newPrinter(s *Style, src []byte, base, width int) *printer {
	return &printer{
		style: s, src: src, base: base, width: max(width, 1), text: s.text.over(pen{}),
		in: inliner{style: s, src: src, base: base},
	}
}

// begin starts a row.
func (p *printer) begin() {
	if p.hasGap {
		p.hasGap, p.afterGap = false, true
		at := p.lines[len(p.lines)-1].End
		p.lines = append(p.lines, Line{ANSI: p.gap, Start: at, End: at})
	}
	p.buf = append(p.buf[:0], p.prefix...)
	if p.hasFirst {
		p.buf = append(p.buf[:0], p.first...)
		p.hasFirst = false
	}
}

// end ends a row that shows the source from start to end.
func (p *printer) end(start, end int, soft bool) {
	if n := len(p.lines); n > 0 {
		last := &p.lines[n-1]
		start = max(start, last.Start)
		end = max(end, last.End, start)
		if p.afterGap {
			last.End = start
		}
	}
	p.afterGap = false
	p.lines = append(p.lines, Line{string(p.buf), start, end, soft})
}

// push enters a container: its first row begins with first, the others with
// rest, both w columns wide. It returns what leaves it.
func (p *printer) push(first, rest string, w int) (pop func()) {
	prefix, width, outerFirst, hadFirst := p.prefix, p.width, p.first, p.hasFirst
	if p.width-w < minWidth {
		return func() {}
	}
	before := p.prefix
	if p.hasFirst {
		before = p.first
	}
	p.first, p.hasFirst = before+first, true
	p.prefix, p.width = p.prefix+rest, p.width-w
	return func() {
		if p.hasFirst { // nothing was drawn
			p.first, p.hasFirst = outerFirst, hadFirst
		}
		p.prefix, p.width = prefix, width
	}
}

// blocks lays out the children of a container, with a blank row between them
// unless tight.
func (p *printer) blocks(n ast.Node, tight bool) {
	some := false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		some = p.next(some && !tight, func() { p.block(c) }) || some
	}
}

// next lays out what may be nothing, after a blank row if there is something. It
// tells whether there was.
func (p *printer) next(gap bool, f func()) bool {
	n := len(p.lines)
	if gap {
		p.gap, p.hasGap = strings.TrimRight(p.prefix, " "), true
	}
	f()
	if len(p.lines) > n {
		return true
	}
	if gap {
		p.hasGap = false
	}
	return false
}

// block lays out one block.
func (p *printer) block(n ast.Node) {
	switch v := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		p.prose(n, look{})
	case *longParagraph:
		p.longParagraph(v)
	case *ast.Heading:
		p.prose(n, p.style.headings[min(max(v.Level, 1), 6)-1])
	case *ast.ThematicBreak:
		p.begin()
		p.buf = appendSGR(p.buf, pen{}, p.style.rule)
		p.buf = append(p.buf, cut(p.style.ruleText, p.width)...)
		p.buf = appendSGR(p.buf, p.style.rule, pen{})
		at := p.base + max(v.Pos(), 0)
		p.end(at, at+lineLength(p.src, max(v.Pos(), 0)), false)
	case *ast.Blockquote:
		p.blockquote(v)
	case *ast.List:
		p.list(v, listShape{start: v.Start, count: v.ChildCount(), loose: !v.IsTight})
	case *ast.FencedCodeBlock:
		info := ""
		if v.Info != nil {
			info = string(v.Info.Segment.Value(p.src))
		}
		p.codeBlock(n, language(info))
	case *ast.CodeBlock:
		p.codeBlock(n, "")
	case *ast.HTMLBlock:
		p.htmlBlock(v)
	case *east.Table:
		p.table(v)
	case *ast.LinkReferenceDefinition:
	default:
		p.blocks(n, false)
	}
}

// lineLength is the length of the line of s that begins at offset i.
func lineLength(s []byte, i int) int {
	if n := bytes.IndexByte(s[i:], '\n'); n >= 0 {
		return n
	}
	return len(s) - i
}

// prose lays out a paragraph or heading.
func (p *printer) prose(n ast.Node, l look) {
	p.in.begin(n)
	p.in.around(l, p.text, "", func(inner pen) { p.in.inline(n, inner, "") })
	p.flow(&p.in.flow)
}

// longParagraph lays out a paragraph whose markup is shown as it is.
func (p *printer) longParagraph(n *longParagraph) {
	p.in.begin(n)
	p.in.pen(p.text, "")
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		p.in.segment(seg.Start, seg.Stop)
	}
	p.flow(&p.in.flow)
}

// flow lays out prose.
func (p *printer) flow(f *flow) {
	if p.width == 1 {
		f.narrow()
	}
	p.rows = f.wrap(p.width, p.rows[:0])
	r := 0
	for i, row := range p.rows {
		p.begin()
		start, end := p.rowSource(f, row)
		if i == 0 {
			start = p.base + lineStart(p.src, start-p.base)
		} else {
			start = p.divideMarks(start)
		}
		if i == len(p.rows)-1 {
			rest := p.src[end-p.base:][:lineLength(p.src, end-p.base)]
			end += len(bytes.TrimRight(rest, " \t"))
		}
		p.buf, r = f.closedRow(p.buf, row, r)
		p.end(start, end, row.soft && !p.lineBreak(start))
	}
}

// divideMarks gives the markup between the last row and the one that shows the
// source from start on to the row that it touches, so that the ranges of rows
// have what belongs to their text. It returns where the new row's begins.
func (p *printer) divideMarks(start int) int {
	last := &p.lines[len(p.lines)-1]
	if last.End >= start {
		return start
	}
	between := p.src[last.End-p.base : start-p.base]
	if i := bytes.IndexAny(between, " \t\n"); i >= 0 {
		start = last.End + bytes.LastIndexAny(between, " \t\n") + 1
		last.End += i
	} else {
		last.End = start
	}
	return start
}

// closedRow appends a row and closes its looks.
func (f *flow) closedRow(out []byte, w row, r int) ([]byte, int) {
	out, r, last := f.appendRow(out, w.a, w.b, r, pen{})
	return appendSGR(out, last, pen{}), r
}

// rowSource is the source range of a row.
func (p *printer) rowSource(f *flow, w row) (start, end int) {
	if w.b > w.a {
		return f.source(w.a, w.b)
	}
	if w.a < len(f.text) {
		start, _ = f.source(w.a, w.a+1)
		return start, start
	}
	if n := len(f.maps); n > 0 {
		return f.maps[n-1].end, f.maps[n-1].end
	}
	return p.base, p.base
}

// lineBreak tells whether the source has a line break between the last row and
// the offset.
func (p *printer) lineBreak(start int) bool {
	if len(p.lines) == 0 {
		return false
	}
	from := p.lines[len(p.lines)-1].End
	return from < start && bytes.IndexByte(p.src[from-p.base:start-p.base], '\n') >= 0
}

// blockquote lays out a quote.
func (p *printer) blockquote(n ast.Node) {
	s := p.style
	bar := string(appendSGR(nil, pen{}, s.rule)) + strings.TrimRight(s.quoteBar, " ") + string(appendSGR(nil, s.rule, pen{}))
	bar += s.quoteBar[len(strings.TrimRight(s.quoteBar, " ")):]
	outer := p.text
	p.text = s.quote.over(p.text)
	pop := p.push(bar, bar, textWidth(s.quoteBar))
	p.blocks(n, false)
	pop()
	p.text = outer
}
