package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// math is a formula with its delimiters. It has the shape of a code span, so
// that the table extension treats escaped pipes in it alike.
type math struct{ ast.CodeSpan }

// mathParser finds mathematics: $…$, $$…$$, \(…\) and \[…\]. In "$5 and $6"
// nothing is: a formula in single dollars neither begins nor ends with a space,
// stays on its line, no letter or digit follows it, and it is no sum of money.
type mathParser struct{}

// mathMax is how far a closing delimiter is looked for, in bytes.
const mathMax = 4096

// Trigger implements parser.InlineParser.
func (mathParser) Trigger() []byte { return []byte{'$', '\\'} }

// Parse implements parser.InlineParser.
func (mathParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, seg := block.PeekLine()
	switch {
	case bytes.HasPrefix(line, []byte("$$")):
		return parseDisplay(block, pc.(*linkContext), "$$")
	case bytes.HasPrefix(line, []byte(`\[`)):
		return parseDisplay(block, pc.(*linkContext), `\]`)
	case bytes.HasPrefix(line, []byte(`\(`)):
		if i := bytes.Index(line, []byte(`\)`)); i > 2 {
			return formula(block, seg, i+2)
		}
	case line[0] == '$':
		if before := block.PrecendingCharacter(); before < 0x80 && isWord(byte(before)) {
			return nil
		}
		if i := closingDollar(line); i > 0 {
			return formula(block, seg, i+1)
		}
	}
	return nil
}

// formula makes the node of the first n bytes of the current line.
func formula(block text.Reader, seg text.Segment, n int) ast.Node {
	m := &math{}
	m.AppendChild(m, ast.NewRawTextSegment(seg.WithStop(seg.Start+n)))
	block.Advance(n)
	return m
}

// closingDollar returns the offset of the dollar that closes the one that the
// line begins with, or -1.
func closingDollar(line []byte) int {
	if len(line) < 3 || isSpace(line[1]) || line[1] == '$' {
		return -1
	}
	for i := 2; i < len(line) && line[i] != '`'; i++ {
		if line[i] != '$' || line[i-1] == '\\' {
			continue
		}
		if isSpace(line[i-1]) || i+1 < len(line) && isWord(line[i+1]) && line[i+1] != '\\' || isMoney(line[1:i]) {
			return -1
		}
		return i
	}
	return -1
}

// isMoney tells whether what stands between two dollars is a price and words
// rather than a formula, as in "$5 a month or 6$".
func isMoney(s []byte) bool {
	return s[0] >= '0' && s[0] <= '9' && bytes.IndexByte(s, ' ') > 0 && !bytes.ContainsAny(s, `\^_={}+*/<>`)
}

// parseDisplay parses a formula that may span lines. Where its end was looked
// for in vain it is not looked for again.
func parseDisplay(block text.Reader, c *linkContext, closing string) ast.Node {
	_, at := block.Position()
	if at.Start < c.unclosed[closing] {
		return nil
	}
	m := &math{}
	skip := len(closing)
	for seen := 0; seen < mathMax; {
		line, seg := block.PeekLine()
		if line == nil {
			break
		}
		at = seg
		near := line[:min(len(line), mathMax)]
		if i := bytes.Index(near[min(skip, len(near)):], []byte(closing)); i >= 0 {
			n := skip + i + len(closing)
			if m.ChildCount() == 0 && isEscaped(near[2:max(n-2, 2)], closing) {
				return nil
			}
			m.AppendChild(m, ast.NewRawTextSegment(seg.WithStop(seg.Start+n-seg.Padding)))
			block.Advance(n)
			return m
		}
		m.AppendChild(m, ast.NewRawTextSegment(seg))
		seen += len(line)
		skip = 0
		block.AdvanceLine()
	}
	if c.unclosed == nil {
		c.unclosed = map[string]int{}
	}
	c.unclosed[closing] = min(at.Stop, at.Start+mathMax)
	return nil
}

// isEscaped tells whether what stands between \[ and \] is words in brackets
// that are no markup rather than a formula.
func isEscaped(s []byte, closing string) bool {
	return closing == `\]` && len(bytes.TrimSpace(s)) > 1 && !bytes.ContainsAny(s, `\^_={}+*/<>|()0123456789`)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '\\'
}

// mathBlock is a formula between lines that are "$$" or "\[" and "\]".
type mathBlock struct {
	ast.CodeBlock
	closing string
	closed  bool
}

// mathBlocks reads formulas that begin with a delimiter on a line of its own:
// the lines of one may begin like a list or a heading.
type mathBlocks struct{}

// Trigger implements parser.BlockParser.
func (mathBlocks) Trigger() []byte { return []byte{'$', '\\'} }

// Open implements parser.BlockParser.
func (mathBlocks) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	n := &mathBlock{}
	switch string(bytes.TrimSpace(line)) {
	case "$$":
		if n.closing = "$$"; dollarsOpen(pc.LastOpenedBlock().Node, reader.Source()) {
			return nil, parser.NoChildren
		}
	case `\[`:
		n.closing = `\]`
	default:
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// dollarsOpen tells whether a paragraph has a formula that "$$" would close.
func dollarsOpen(n ast.Node, src []byte) bool {
	if n == nil || !ast.IsParagraph(n) {
		return false
	}
	count := 0
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		count += bytes.Count(seg.Value(src), []byte("$$"))
	}
	return count%2 == 1
}

// Continue implements parser.BlockParser.
func (mathBlocks) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*mathBlock)
	line, seg := reader.PeekLine()
	if len(bytes.TrimSpace(line)) == 0 || n.Lines().Len() > 0 && n.Lines().At(n.Lines().Len()-1).Stop-n.Lines().At(0).Start > mathMax {
		return parser.Close
	}
	n.Lines().Append(seg)
	reader.AdvanceToEOL()
	if n.closed = bytes.Contains(line, []byte(n.closing)); n.closed {
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

// Close implements parser.BlockParser.
func (mathBlocks) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (mathBlocks) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (mathBlocks) CanAcceptIndentedLine() bool { return false }
