package markdown

import (
	"maps"

	"github.com/yuin/goldmark/ast"
)

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
	if !ok || n.NextSibling() != nil || len(b) < m.divideFrom || m.closed == m.whole {
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

// divideQuote closes the blocks of an open quote but the last. It tells whether
// it did.
func (m *Stream) divideQuote(doc ast.Node, b []byte, misses map[string]bool) bool {
	n := doc.FirstChild()
	if !isQuote(n) || n.NextSibling() != nil || len(b) < m.divideFrom || m.list != nil {
		return false
	}
	end := cutOff(n, b)
	if end == 0 {
		return false
	}
	c := chunk{start: m.closed, end: m.closed + end, misses: misses, codes: m.codes, quote: true}
	if m.quoted {
		c.gap = m.printer(nil, 0, 0).quoteGap()
	}
	m.add(c, doc, b)
	m.quoted = true
	return true
}
