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

// mathParser keeps mathematics as it was written: $…$, $$…$$, \(…\) and \[…\].
// In "$5 and $6" nothing is: a formula in single dollars neither begins nor ends
// with a space, stays on its line, and no digit follows it.
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
		if isSpace(line[i-1]) || i+1 < len(line) && line[i+1] >= '0' && line[i+1] <= '9' {
			return -1
		}
		return i
	}
	return -1
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

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '\\'
}
