package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"waferchat/ui/untrusted"
)

// formula adds a formula in Unicode. One that is displayed has rows of its own,
// indented.
func (in *inliner) formula(n *math) {
	var raw []byte
	start, end := -1, 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			if start < 0 {
				start = in.base + t.Segment.Start
			}
			raw = append(raw, in.src[t.Segment.Start:t.Segment.Stop]...)
			end = in.base + t.Segment.Stop
		}
	}
	if start < 0 {
		return
	}
	body, display := bare(string(raw))
	rows := formulaRows(body)
	switch {
	case len(rows) == 0:
		in.raw(n)
	case display && !in.inCell:
		in.display(rows, start, end)
	default:
		in.atom(oneSpaced(strings.Join(rows, "; ")), start, end)
	}
}

// display adds the rows of a formula.
func (in *inliner) display(rows []string, start, end int) {
	if t := bytes.TrimRight(in.text, " "); len(t) > 0 && t[len(t)-1] != '\n' {
		in.atom("\n", start, start)
	}
	for _, r := range rows {
		body := strings.TrimLeft(r, " ")
		indent := displayIndent + len(r) - len(body)
		in.atom(strings.Repeat(string(indentMark), indent)+body, start, end)
		in.atom("\n", end, end)
	}
}

// displayIndent is how many columns a formula on rows of its own is indented.
const displayIndent = 2

// bare takes the delimiters off a formula and tells whether it is to be
// displayed.
func bare(s string) (body string, display bool) {
	switch {
	case strings.HasPrefix(s, "$$"):
		return strings.TrimSuffix(strings.TrimPrefix(s, "$$"), "$$"), true
	case strings.HasPrefix(s, `\[`):
		return strings.TrimSuffix(strings.TrimPrefix(s, `\[`), `\]`), true
	case strings.HasPrefix(s, `\(`):
		return strings.TrimSuffix(strings.TrimPrefix(s, `\(`), `\)`), false
	}
	return strings.Trim(s, "$"), false
}

// formulaRows is a formula in Unicode, safe to draw, a row for each of its lines.
// The spaces a row begins with align it with the first.
func formulaRows(tex string) []string {
	var rows []string
	for line := range strings.SplitSeq(unicodeMath(tex), "\n") {
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		if body = oneSpaced(untrusted.Line(body)); body != "" {
			rows = append(rows, spaces(indent)+body)
		}
	}
	return rows
}

// mathBlock lays out a formula whose delimiters have lines of their own. One
// without an end is shown as it is.
func (p *printer) mathBlock(n *mathBlock) {
	start := p.base + max(n.Pos(), 0)
	end := start + lineLength(p.src, start-p.base)
	var body []byte
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		body = append(body, seg.Value(p.src)...)
		end = p.base + seg.Start + len(bytes.TrimRight(p.src[seg.Start:seg.Stop], " \t\n"))
	}
	tex, rest, _ := strings.Cut(string(body), n.closing)
	rows := formulaRows(tex)
	p.in.begin(n)
	p.in.pen(p.text, "")
	if !n.closed || len(rows) == 0 {
		p.mathSource(n)
		return
	}
	p.in.display(rows, start, end)
	if rest = strings.TrimSpace(rest); rest != "" {
		p.in.atom(untrusted.Line(rest), end, end)
	}
	p.flow(&p.in.flow)
}

// mathSource lays out the lines of a formula as they are.
func (p *printer) mathSource(n *mathBlock) {
	at := max(n.Pos(), 0)
	p.in.segment(at, at+lineLength(p.src, at))
	p.flow(&p.in.flow)
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		p.in.begin(n)
		p.in.pen(p.text, "")
		p.in.segment(seg.Start, seg.Stop)
		p.flow(&p.in.flow)
	}
}
