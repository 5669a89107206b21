package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// openText is a paragraph beyond maxParagraph at the top level, or in a quote
// there, that has no end yet. It is laid out line by line, and what came is
// parsed below two lines that stand for it.
type openText struct {
	quoted bool   // it stands in a quote
	last   []byte // its last complete line
	start  int    // where its first line begins
	done   int    // up to here its lines are complete and settled
	seen   int    // up to here there is no other line break
	from   int    // the rows of the line that begins at done are settled up to here
}

// lookAhead is how much of an incomplete line is parsed, in bytes: what a line
// is shows at its beginning.
const lookAhead = 4 << 10

// enterText makes a single open paragraph that is shown as it is the stream's
// growing block. It tells whether it did.
func (m *Stream) enterText(doc ast.Node, b []byte) bool {
	n := doc.FirstChild()
	quoted := isQuote(n)
	if quoted && n.NextSibling() == nil {
		n = n.FirstChild()
	}
	long, ok := n.(*longParagraph)
	if !ok || n.NextSibling() != nil || doc.FirstChild().NextSibling() != nil {
		return false
	}
	first, last := long.Lines().At(0), long.Lines().At(long.Lines().Len()-1)
	if end := last.Start + lineLength(b, last.Start); end+1 < len(b) {
		return false // something follows: it is over
	}
	start := lineStart(b, last.Start)
	o := &openText{quoted: quoted, start: m.closed + first.Start, done: m.closed + start}
	if at := lineStart(b, first.Start); at < start {
		o.last = bytes.Clone(b[lineStart(b, start-1):start])
	}
	lines := text.NewSegments()
	lines.AppendAll(long.Lines().Sliced(0, long.Lines().Len()-1))
	m.settled = o.layOut(m.printer(b, m.closed, m.codes), n, lines)
	m.growing = o
	return true
}

// layOut lays out lines of the paragraph.
func (o *openText) layOut(p *printer, n ast.Node, lines *text.Segments) []Line {
	if o.quoted {
		p.inQuote(func() { p.longParagraph(n, lines) })
	} else {
		p.longParagraph(n, lines)
	}
	return p.lines
}

// step implements growing.
func (o *openText) step(m *Stream) bool {
	if m.ended {
		return true
	}
	mark := ""
	if o.quoted {
		mark = "> "
	}
	head := mark + "x\n" + string(o.last)
	rest := m.src[o.done:]
	seen := max(o.seen-o.done, 0)
	complete := bytes.LastIndexByte(rest[seen:], '\n') + 1
	if o.seen = len(m.src); complete > 0 {
		complete += seen
	}
	b := slices.Concat([]byte(head), rest[:min(len(rest), complete+lookAhead)])
	for line := range bytes.Lines(b[len(head):]) {
		if string(bytes.Trim(line, " \t\n>")) == "$$" {
			return true // whether it opens a formula depends on all that is above
		}
	}
	base := o.done - len(head)
	lines, above := o.paragraph(m, b), strings.Count(head, "\n")
	if lines == nil || lines.Len() < above {
		return true
	}
	end, open := len(head), -1
	for _, seg := range lines.Sliced(above, lines.Len()) {
		end = seg.Start + lineLength(b, seg.Start)
		if open = -1; end == len(b) {
			open = base + seg.Start
			break
		}
		end++
		m.settled = append(m.settled, o.rows(m, base+seg.Start, base+end-1)...)
		at := lineStart(b, seg.Start)
		o.last, o.done, o.from = bytes.Clone(b[at:end]), base+end, 0
	}
	if size := base + len(bytes.TrimRight(b[:end], " \t\n")) - o.start; size <= m.style.maxParagraph && open < 0 {
		return true // the line that made it too long is no part of it
	}
	if end < len(b) {
		return o.end(m, b, base, end)
	}
	var tail []Line
	if open >= 0 {
		tail = o.rows(m, open, len(m.src))
		if len(m.src)-max(open, o.from) > lookAhead {
			tail = o.settle(m, tail)
		}
	}
	m.setTail(tail, o.gap(m))
	return false
}

// paragraph returns the lines of the paragraph that the text begins with.
func (o *openText) paragraph(m *Stream, b []byte) *text.Segments {
	doc, _ := parse(m.style.parser, b, m.known)
	n := doc.FirstChild()
	if o.quoted && isQuote(n) {
		n = n.FirstChild()
	}
	switch n.(type) {
	case *ast.Paragraph, *longParagraph:
		if next := n.NextSibling(); next == nil || !isTable(next) { // whose header was a line of the paragraph
			return n.Lines()
		}
	}
	return nil
}

// rows lays out a line of the paragraph whose text lies between two offsets, or
// the rest of it when the beginning is settled.
func (o *openText) rows(m *Stream, start, end int) []Line {
	p := m.printer(m.src[m.closed:], m.closed, m.codes)
	lay := func() {
		p.in.reset()
		p.in.pen(p.text, "")
		from := max(start, o.from)
		p.in.segment(from-m.closed, end-m.closed)
		if p.width == 1 {
			p.in.narrow()
		}
		f := &p.in.flow
		if from == start {
			p.flowRows(f, f.wrap(p.width, nil), true)
			return
		}
		p.lines = slices.Clone(m.settled[len(m.settled)-1:])
		prev, size := utf8.DecodeLastRune(m.src[start:from])
		prev2, _ := utf8.DecodeLastRune(m.src[start : from-size])
		w := wrapper{width: p.width, soft: true}
		p.flowRows(f, w.wrap(f, prev2, prev), false)
		p.lines = p.lines[1:]
	}
	if o.quoted {
		p.inQuote(lay)
	} else {
		lay()
	}
	return p.lines
}

// settle takes the rows of the incomplete line that no longer change from its
// rows and returns the others.
func (o *openText) settle(m *Stream, rows []Line) []Line {
	for k := len(rows) - 3; k > 0; k-- {
		// A row that begins with a character of the source can be gone on with.
		if s := rows[k].decode().spans; len(s) > 0 {
			first := slices.IndexFunc(s, func(s span) bool { return s.kind != empty })
			if first >= 0 && s[first].kind == exact {
				m.settled = append(m.settled, rows[:k]...)
				o.from = s[first].start
				return rows[k:]
			}
		}
	}
	return rows
}

// end closes the paragraph, which ends at an offset of b, if the line below is
// complete.
func (o *openText) end(m *Stream, b []byte, base, end int) bool {
	below := b[end:]
	if lineLength(b, end) == len(below) {
		m.setTail(nil, o.gap(m))
		return !util.IsBlank(below) // it may yet become a line of the paragraph
	}
	m.keep(chunk{start: m.closed, end: base + end, lines: m.settled, codes: m.codes, quote: o.quoted, gap: o.gap(m), textShown: true})
	m.quoted = o.quoted && bytes.HasPrefix(bytes.TrimLeft(below, " "), []byte(">"))
	return true
}

// gap is the row above the paragraph.
func (o *openText) gap(m *Stream) string {
	if !m.quoted {
		return ""
	}
	return m.printer(nil, 0, 0).quoteGap()
}
