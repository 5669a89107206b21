package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"waferchat/ui/untrusted"
)

// footnoteBlocks reads the footnotes at the top level of a text. They stay where
// they stand: the parser's own extension collects them, looking back over blocks
// that a stream has closed.
type footnoteBlocks struct{ parser.BlockParser }

func newFootnoteBlocks() parser.BlockParser {
	return footnoteBlocks{extension.NewFootnoteBlockParser()}
}

// Open implements parser.BlockParser.
func (f footnoteBlocks) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if parent.Kind() != ast.KindDocument {
		return nil, parser.NoChildren
	}
	n, state := f.BlockParser.Open(parent, reader, pc)
	if note, ok := n.(*east.Footnote); ok {
		c := pc.(*linkContext)
		if c.notes == nil {
			c.notes = map[string]bool{}
		}
		c.notes[noteLabel(note.Ref)] = true
	}
	return n, state
}

// Close implements parser.BlockParser.
func (footnoteBlocks) Close(ast.Node, text.Reader, parser.Context) {}

// noteLabel is what a footnote is called among the labels of links, none of
// which has a NUL.
func noteLabel(label []byte) string { return "\x00" + util.ToLinkReference(label) }

// noteRef is a reference to a footnote. It has the shape of a code span, like
// math.
type noteRef struct {
	ast.CodeSpan
	label string
}

// footnoteRefs reads references to footnotes that there are.
type footnoteRefs struct{}

// noteLabelMax is the longest label of a footnote, in bytes.
const noteLabelMax = 100

// Trigger implements parser.InlineParser.
func (footnoteRefs) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (footnoteRefs) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, seg := block.PeekLine()
	if len(line) < 4 || line[1] != '^' {
		return nil
	}
	end := bytes.IndexAny(line[2:min(len(line), noteLabelMax)], "[] \t\n\x00")
	if end < 1 || line[2+end] != ']' {
		return nil
	}
	label := line[2 : 2+end]
	if !pc.(*linkContext).noteKnown(noteLabel(label)) {
		return nil
	}
	n := &noteRef{label: string(label)}
	n.AppendChild(n, ast.NewRawTextSegment(seg.WithStop(seg.Start+end+3)))
	block.Advance(end + 3)
	return n
}

// noteKnown tells whether there is a footnote of that label, and notes it if
// later text may still bring it.
func (c *linkContext) noteKnown(label string) bool {
	if _, ok := c.known[label]; ok {
		return true
	}
	if c.misses == nil {
		c.misses = map[string]bool{}
	}
	c.misses[label] = true
	return c.notes[label]
}

// noteMark is how a footnote is referred to: its number as a superscript, or its
// label in brackets.
func noteMark(label string) string {
	if len(label) <= 3 && strings.Trim(label, "0123456789") == "" {
		if s, ok := script(label, superscripts); ok {
			return s
		}
	}
	return "[" + untrusted.Line(label) + "]"
}

// noteRef adds a reference to a footnote.
func (in *inliner) noteRef(n *noteRef, p pen, link string) {
	in.pen(pen{fg: in.style.link.over(p).fg, bg: p.bg, attr: p.attr}, link)
	if t, ok := n.FirstChild().(*ast.Text); ok {
		in.atom(noteMark(n.label), in.base+t.Segment.Start, in.base+t.Segment.Stop)
	}
}

// footnote lays out a footnote behind its mark.
func (p *printer) footnote(n *east.Footnote) {
	outer := p.text
	look := p.style.enumeration.over(p.text)
	marked := pen{fg: look.fg, attr: p.style.enumeration.on}
	mark := noteMark(string(n.Ref))
	w := textWidth(mark) + 1
	first := string(appendSGR(nil, pen{}, marked)) + mark + string(appendSGR(nil, marked, pen{})) + " "
	pop := p.push(first, spaces(w), w)
	before := len(p.lines)
	p.blocks(n, false)
	if len(p.lines) == before {
		p.begin()
		at := max(n.Pos(), 0)
		p.end(p.base+at, p.base+at+lineLength(p.src, at), false)
	}
	pop()
	p.text = outer
}

// moveNotes lays out the footnotes at the end of an ended stream if other text
// follows one of them.
func (m *Stream) moveNotes() {
	noted, passed := false, false
	for _, c := range m.chunks {
		passed = passed || c.passed || noted && c.textShown
		noted = noted || c.noted
	}
	if !passed || m.aside {
		return
	}
	m.aside = true
	for i := range m.chunks {
		if m.chunks[i].noted {
			m.layAgain(i)
		}
	}
	m.chunks = append(m.chunks, chunk{start: len(m.src), end: len(m.src)})
	m.gatherNotes()
}

// gatherNotes makes the lines of the footnotes at the end.
func (m *Stream) gatherNotes() {
	if !m.aside {
		return
	}
	last := &m.chunks[len(m.chunks)-1]
	var notes []Line
	at := 0
	for i := range m.chunks {
		notes = append(notes, m.chunks[i].notes...)
		if n := len(m.chunks[i].lines); n > 0 && i < len(m.chunks)-1 {
			at = m.chunks[i].lines[n-1].End
		}
	}
	for i := range notes {
		notes[i].Start, notes[i].End = at, at
	}
	last.lines = notes
	m.reindex(0)
}
