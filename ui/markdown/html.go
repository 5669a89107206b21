package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
)

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
	p.codeLines(f, row{}, p.base+max(n.Pos(), 0))
}

// html adds inline HTML: <br> is a line break, the rest is shown dimmed.
func (in *inliner) html(n *ast.RawHTML, p pen, link string) {
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		if i == 0 && isBreak(in.src[seg.Start:seg.Stop]) {
			in.atom("\n", in.base+seg.Start, in.base+seg.Stop)
			return
		}
		in.pen(in.style.html.over(p), link)
		in.segment(seg.Start, seg.Stop)
	}
}

// isBreak tells whether a tag is <br>.
func isBreak(tag []byte) bool {
	name, ok := bytes.CutPrefix(bytes.ToLower(tag), []byte("<br"))
	return ok && string(bytes.Trim(name, " /")) == ">"
}
