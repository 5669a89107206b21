package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
)

// chunk is a closed stretch of the source with its lines: some blocks, or some
// items of a list.
type chunk struct {
	start, end int // in src
	lines      []Line
	top        int             // index of its first line
	misses     map[string]bool // labels that it wanted and nobody defined so far
	codes      int             // code blocks before it
	list       *openList       // the list that it is a part of, if any
	first      int             // index of its first item in the list
	items      int             // number of its items
	quote      bool            // it is a part of a quote
	gap        string          // the row above it: a quote that goes on has its bar there

	notes                        []Line // of footnotes that are at the end
	noted, passed, textShown     bool   // as the printer has them
	startsWithNote, endsWithNote bool
}

// close makes the blocks that begin before offset end of b a chunk. When the
// chunks end inside a list, only the end of the list is.
func (m *Stream) close(doc ast.Node, b []byte, end int, misses map[string]bool) {
	c := chunk{start: m.closed, misses: misses, codes: m.codes}
	if m.list != nil || m.quoted && isQuote(doc.FirstChild()) {
		if next := doc.FirstChild().NextSibling(); next != nil && next.Pos() >= 0 {
			end = min(end, lineStart(b, next.Pos()))
		}
		if m.quoted {
			c.quote, c.gap = true, m.printer(nil, 0, 0).quoteGap()
		}
		if m.list != nil {
			c.list, c.first, c.items = m.list, m.list.items, doc.FirstChild().ChildCount()
		}
	}
	c.end = m.closed + end
	m.add(c, doc, b)
	m.list, m.quoted = nil, false
}

// add lays out a chunk from its parsed source and appends it.
func (m *Stream) add(c chunk, doc ast.Node, b []byte) {
	m.lay(&c, doc, b)
	fresh := map[string]bool{}
	definitions(doc, c.end-c.start, func(label string, r parser.Reference) {
		if _, ok := m.known[label]; !ok {
			m.known[label] = r
			fresh[label] = true
		}
		delete(c.misses, label)
	})
	m.closed = c.end
	m.chunks = append(m.chunks, c)
	m.reindex(len(m.chunks) - 1)
	if len(fresh) > 0 {
		m.relink(fresh)
	}
}

// lay lays out a chunk; b begins where it does and its first blocks are the
// chunk's.
func (m *Stream) lay(c *chunk, doc ast.Node, b []byte) {
	p := m.printer(b, c.start, c.codes)
	p.colors, p.aside = m.closedColors, m.aside
	switch n := doc.FirstChild().(type) {
	case *ast.Blockquote:
		if c.quote {
			p.quotePart(n, c.end-c.start)
			break
		}
		p.document(doc, c.end-c.start, nil)
	case *ast.List:
		if c.list != nil {
			p.listItems(n.FirstChild(), n, c.list.part(c.first), c.items)
			break
		}
		p.document(doc, c.end-c.start, nil)
	default:
		p.document(doc, c.end-c.start, nil)
	}
	c.lines, c.notes = p.lines, p.notes
	c.noted, c.passed, c.textShown = p.noted, p.passed, p.textShown || p.firstShown == nil && len(p.lines) > 0
	c.startsWithNote, c.endsWithNote = p.startsWithNote, p.endsWithNote
	if m.codes < p.codes {
		m.codes = p.codes
	}
}

// layAgain lays out a chunk that was added before. The line after it is parsed
// too, as it was when the chunk was closed: its beginning tells the parser where
// the last block ends.
func (m *Stream) layAgain(i int) {
	c := &m.chunks[i]
	end := c.end
	if end < len(m.src) {
		end = min(end+lineLength(m.src, end)+1, len(m.src))
	}
	b := m.src[c.start:end]
	doc, misses := parse(m.style.parser, b, m.known)
	c.misses = misses
	m.lay(c, doc, b)
}

// relink lays out again what used one of the labels before they were defined.
func (m *Stream) relink(fresh map[string]bool) {
	first := len(m.chunks)
	for i := range m.chunks {
		for label := range m.chunks[i].misses {
			if fresh[label] {
				m.layAgain(i)
				first = min(first, i)
				break
			}
		}
	}
	m.reindex(first)
}

// reindex numbers the lines of the chunks from the i-th on.
func (m *Stream) reindex(i int) {
	m.total = 0
	if i > 0 {
		m.total = m.chunks[i-1].top + len(m.chunks[i-1].lines)
	}
	for ; i < len(m.chunks); i++ {
		c := &m.chunks[i]
		c.top = m.total
		if len(c.lines) == 0 {
			continue
		}
		apart := c.list == nil || c.first == 0 || c.list.shape.loose
		if c.startsWithNote && noteAbove(m.chunks[:i]) {
			apart = false
		}
		if m.total > 0 && apart {
			c.top++
		}
		m.total = c.top + len(c.lines)
	}
}

// noteAbove tells whether the last lines of the chunks are a footnote's.
func noteAbove(chunks []chunk) bool {
	for i := len(chunks) - 1; i >= 0; i-- {
		if len(chunks[i].lines) > 0 {
			return chunks[i].endsWithNote
		}
	}
	return false
}

// endsWithNote tells whether the last lines of the chunks are a footnote's.
func (m *Stream) endsWithNote() bool { return noteAbove(m.chunks) }

func isTable(n ast.Node) bool {
	_, ok := n.(*east.Table)
	return ok
}

func isQuote(n ast.Node) bool {
	_, ok := n.(*ast.Blockquote)
	return ok
}
