package markdown

import (
	"maps"

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
}

// close makes the blocks that begin before offset end of b a chunk. When the
// chunks end inside a list, only the end of the list is.
func (m *Stream) close(doc ast.Node, b []byte, end int, misses map[string]bool) {
	c := chunk{start: m.closed, misses: misses, codes: m.codes}
	if m.list != nil {
		if next := doc.FirstChild().NextSibling(); next != nil && next.Pos() >= 0 {
			end = min(end, lineStart(b, next.Pos()))
		}
		c.list, c.first, c.items = m.list, m.list.items, doc.FirstChild().ChildCount()
	}
	c.end = m.closed + end
	m.add(c, doc, b)
	m.list = nil
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
	p.colors = m.closedColors
	if c.list == nil {
		m.print(p, doc, c.end-c.start, nil)
	} else if n, ok := doc.FirstChild().(*ast.List); ok {
		p.listItems(n.FirstChild(), n, c.list.part(c.first), c.items)
	}
	c.lines = p.lines
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
		if len(c.lines) > 0 && m.total > 0 && (c.list == nil || c.first == 0 || c.list.shape.loose) {
			c.top++
		}
		m.total = c.top + len(c.lines)
		if len(c.lines) == 0 {
			c.top = m.total
		}
	}
}

func isTable(n ast.Node) bool {
	_, ok := n.(*east.Table)
	return ok
}

// openList is a list that is closed item by item, so that a long one does not
// cost more and more.
type openList struct {
	marker byte
	items  int       // closed ones
	loose  bool      // settled by the closed items
	shape  listShape // of the whole list as far as it is known
}

// part is the shape for the part that begins with the item of that index.
func (l *openList) part(first int) listShape {
	s := l.shape
	s.first = first
	return s
}

// divideFrom is the size of an open list in bytes from which its items are
// closed one by one.
const divideFrom = 2 << 10

// divide closes the items of an open list but the last. It tells whether it did.
func (m *Stream) divide(doc ast.Node, b []byte, misses map[string]bool) bool {
	n, ok := doc.FirstChild().(*ast.List)
	if !ok || n.NextSibling() != nil || len(b) < divideFrom || m.closed == m.whole {
		return false
	}
	last, items := n.LastChild(), n.ChildCount()-1
	if last != nil && lineLength(b, max(last.Pos(), 0)) == len(b)-last.Pos() {
		last, items = last.PreviousSibling(), items-1 // its line may become another thing
	}
	if items < 1 {
		return false
	}
	if m.list == nil {
		m.list = &openList{marker: n.Marker, shape: listShape{start: n.Start, count: n.ChildCount(), loose: !n.IsTight}}
	}
	l := m.list
	l.loose = l.loose || looseBefore(n, last)
	c := chunk{
		start: m.closed, end: m.closed + lineStart(b, last.Pos()), misses: misses, codes: m.codes,
		list: l, first: l.items, items: items,
	}
	m.add(c, doc, b)
	l.items += items
	return true
}

// looseBefore tells whether the items up to the last one make the list loose.
func looseBefore(n *ast.List, last ast.Node) bool {
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item != n.FirstChild() && item.HasBlankPreviousLines() {
			return true
		}
		if item == last {
			return false
		}
		for b := item.FirstChild(); b != nil; b = b.NextSibling() {
			if b != item.FirstChild() && b.HasBlankPreviousLines() {
				return true
			}
		}
	}
	return false
}

// listStep brings the shape of a divided list up to date with its open part.
// It tells false when that part no longer is one; the list is whole again then.
func (m *Stream) listStep(doc ast.Node) bool {
	l := m.list
	if l == nil {
		return true
	}
	n, ok := doc.FirstChild().(*ast.List)
	if !ok || n.Marker != l.marker {
		m.rejoin()
		return false
	}
	before := l.shape
	l.shape.count = l.items + n.ChildCount()
	l.shape.loose = l.loose || !n.IsTight
	if before.loose == l.shape.loose && before.digits() == l.shape.digits() {
		return true
	}
	for i := range m.chunks {
		if m.chunks[i].list == l {
			m.layAgain(i)
		}
	}
	m.reindex(0)
	return true
}

// rejoin opens the parts of a divided list again.
func (m *Stream) rejoin() {
	for i := range m.chunks {
		if c := m.chunks[i]; c.list == m.list {
			m.closed, m.whole, m.codes = c.start, c.start, c.codes
			m.chunks = m.chunks[:i]
			break
		}
	}
	m.list = nil
	maps.DeleteFunc(m.pending, func(start int, _ codeKey) bool { return start >= m.closed })
	m.reindex(len(m.chunks))
}
