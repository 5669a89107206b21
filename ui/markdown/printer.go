package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
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
	full   int // columns of a whole row
	text   pen
	depth  int // of bullet lists
	codes  int // code blocks so far
	colors func(c codeBlock) []tokenRun

	aside          bool     // footnotes are laid out apart, as notes
	notes          []Line   // theirs
	noted, passed  bool     // there was a footnote, and other text after one
	textShown      bool     // there was other text
	firstShown     ast.Node // the first block of the document that has lines
	startsWithNote bool     // it is a footnote
	endsWithNote   bool     // the last one is

	lines    []Line
	prefix   string // what every row of the current container begins with
	first    string // what the next row begins with instead
	hasFirst bool
	gap      string // a blank row, due before the next row
	hasGap   bool
	afterGap bool // the last line is a blank one between blocks

	until int // where the source of the paragraph being laid out ends, if further on than its text
	buf   []byte
	cells cellWriter // of the row being written
	in    inliner
	rows  []row

	tabbed flow // a row of code with its tabs as spaces
}

// newPrinter returns a printer of a stretch of source.
func newPrinter(s *Style, src []byte, base, width int) *printer {
	return &printer{
		style: s, src: src, base: base, width: max(width, 1), full: max(width, 1), text: s.text.over(pen{}),
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
	p.cells.reset()
	p.cells.blank(p.full - p.width)
}

// end ends a row that shows the source from start to end.
func (p *printer) end(start, end int, soft bool) {
	p.endLine(Line{Start: start, End: end, Soft: soft, cells: p.cells.seal(start, end, start, end)})
}

// endLine ends a row with what is known of its line.
func (p *printer) endLine(l Line) {
	start, end := l.Start, l.End
	if n := len(p.lines); n > 0 {
		last := &p.lines[n-1]
		start = max(start, last.Start)
		end = max(end, last.End, start)
		if p.afterGap {
			last.End = start
		}
	}
	p.afterGap = false
	l.ANSI, l.Start, l.End = string(p.buf), start, end
	p.lines = append(p.lines, l)
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
		p.longParagraph(v, v.Lines())
	case *ast.Heading:
		p.prose(n, p.style.headings[min(max(v.Level, 1), 6)-1])
	case *ast.ThematicBreak:
		p.thematicBreak(v)
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
	case *mathBlock:
		p.mathBlock(v)
	case *east.Footnote:
		p.footnote(v)
	case *ast.LinkReferenceDefinition:
	default:
		p.blocks(n, false)
	}
}

// thematicBreak lays out a horizontal rule.
func (p *printer) thematicBreak(n ast.Node) {
	p.begin()
	rule := cut(p.style.ruleText, p.width)
	p.buf = appendSGR(p.buf, pen{}, p.style.rule)
	p.buf = append(p.buf, rule...)
	p.buf = appendSGR(p.buf, p.style.rule, pen{})
	at := max(n.Pos(), 0)
	start, end := p.base+at, p.base+at+lineLength(p.src, at)
	p.cells.show(whole, textWidth(rule), start, end)
	p.end(start, end, false)
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
	p.until = p.underlineEnd(n)
	p.in.begin(n)
	p.in.around(l, p.text, "", func(inner pen) { p.in.inline(n, inner, "") })
	p.flow(&p.in.flow)
}

// underlineEnd is where the line of marks under a heading ends, 0 if there is none.
func (p *printer) underlineEnd(n ast.Node) int {
	if _, ok := n.(*ast.Heading); !ok || n.Pos() < 0 || p.src[n.Pos()] == '#' || n.Lines().Len() == 0 {
		return 0
	}
	at := n.Lines().At(n.Lines().Len() - 1).Start
	at = min(at+lineLength(p.src, at)+1, len(p.src))
	return p.base + at + len(bytes.TrimRight(p.src[at:][:lineLength(p.src, at)], " \t"))
}

// longParagraph lays out a paragraph whose markup is shown as it is, line by
// line.
func (p *printer) longParagraph(n ast.Node, lines *text.Segments) {
	for i := range lines.Len() {
		seg := lines.At(i)
		p.in.begin(n)
		p.in.pen(p.text, "")
		p.in.segment(seg.Start, seg.Stop)
		p.flow(&p.in.flow)
	}
}

// flow lays out prose.
func (p *printer) flow(f *flow) {
	if p.width == 1 {
		f.narrow()
	}
	p.rows = f.wrap(p.width, p.rows[:0])
	p.flowRows(f, p.rows, true)
}

// flowRows lays out rows of prose; first tells whether they are the first ones
// of their line.
func (p *printer) flowRows(f *flow, rows []row, first bool) {
	r := 0
	for i, row := range rows {
		p.begin()
		start, end := p.rowSource(f, row)
		if i == 0 && first {
			start = p.base + lineStart(p.src, start-p.base)
		} else {
			start = p.divideMarks(start)
		}
		if i == len(rows)-1 {
			rest := p.src[end-p.base:][:lineLength(p.src, end-p.base)]
			end = max(end+len(bytes.TrimRight(rest, " \t")), p.until)
			p.until = 0
		}
		if row.indent > 0 && row.b > row.a {
			p.buf = append(p.buf, spaces(row.indent)...)
			from, to := f.source(row.a, row.b)
			p.cells.show(whole, row.indent, from, to)
		}
		p.buf, r = f.closedRow(p.buf, row, r)
		p.cells.flow(f, row, p.width)
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
func (p *printer) blockquote(n ast.Node) { p.inQuote(func() { p.blocks(n, false) }) }

// quotePart lays out the blocks of a quote that begin before an offset.
func (p *printer) quotePart(n ast.Node, end int) {
	p.inQuote(func() {
		some := false
		for c := n.FirstChild(); c != nil && c.Pos() < end; c = c.NextSibling() {
			some = p.next(some, func() { p.block(c) }) || some
		}
	})
}

// inQuote lays out what stands in a quote.
func (p *printer) inQuote(body func()) {
	s := p.style
	bar := string(appendSGR(nil, pen{}, s.rule)) + strings.TrimRight(s.quoteBar, " ") + string(appendSGR(nil, s.rule, pen{}))
	bar += s.quoteBar[len(strings.TrimRight(s.quoteBar, " ")):]
	outer := p.text
	p.text = s.quote.over(p.text)
	pop := p.push(bar, bar, textWidth(s.quoteBar))
	body()
	pop()
	p.text = outer
}

// quoteGap is the blank row between blocks of a quote.
func (p *printer) quoteGap() (gap string) {
	p.inQuote(func() { gap = strings.TrimRight(p.prefix, " ") })
	return gap
}
