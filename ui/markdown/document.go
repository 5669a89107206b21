package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// document lays out the top-level blocks that begin before offset end. If list
// is not nil, the first one goes on with that list. Footnotes are laid out where
// they stand, or apart from the rest (see aside).
func (p *printer) document(doc ast.Node, end int, list *openList) {
	p.firstShown, p.startsWithNote, p.endsWithNote = nil, false, false
	for c := doc.FirstChild(); c != nil && c.Pos() < end; c = c.NextSibling() {
		_, note := c.(*east.Footnote)
		if note && p.aside {
			p.layAside(c)
			continue
		}
		some := p.firstShown != nil
		shown := p.next(some && !(note && p.endsWithNote), func() {
			if n, ok := c.(*ast.List); ok && list != nil {
				p.listItems(n.FirstChild(), n, list.part(list.items), -1)
				list = nil
				return
			}
			p.block(c)
		})
		if !shown {
			continue
		}
		if !some {
			p.firstShown, p.startsWithNote = c, note
		}
		p.passed = p.passed || !note && p.noted
		p.noted = p.noted || note
		p.textShown = p.textShown || !note
		p.endsWithNote = note
	}
}

// layAside lays out a footnote among the notes.
func (p *printer) layAside(n ast.Node) {
	lines := p.lines
	p.lines = nil
	p.block(n)
	p.notes = append(p.notes, p.lines...)
	p.lines = lines
}

// appendNotes appends notes that stand elsewhere in the source: their rows have
// no range there, so that ranges never go back.
func appendNotes(lines, notes []Line) []Line {
	at := 0
	if n := len(lines); n > 0 {
		at = lines[n-1].End
	}
	for _, l := range notes {
		l.Start, l.End = at, at
		lines = append(lines, l)
	}
	return lines
}
