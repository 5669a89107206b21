package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// CodeBlock is a code block of a text, for copying and saving.
type CodeBlock struct {
	Lang       string // as the fence names it, "" if it does not
	Text       string // exactly as written, without fences and indent
	Start, End int    // byte range of its lines in the source; both 0 if it has none
}

// CodeBlocks returns the code blocks of a text in order, those in lists and
// quotes too. The index of a block is the i of [Style.CodeLabels].
func CodeBlocks(src string) []CodeBlock {
	b := []byte(src)
	normalize(b)
	doc, _ := parse(newParser(maxParagraph), b, nil)
	var blocks []CodeBlock
	walkBlocks(doc, func(n ast.Node) {
		var c CodeBlock
		switch v := n.(type) {
		case *ast.FencedCodeBlock:
			if v.Info != nil {
				c.Lang = language(string(v.Info.Segment.Value(b)))
			}
		case *ast.CodeBlock:
		default:
			return
		}
		var text strings.Builder
		for i := range n.Lines().Len() {
			seg := n.Lines().At(i)
			text.Write(seg.Value(b))
			if i == 0 {
				c.Start = seg.Start
			}
			c.End = seg.Stop
		}
		c.Text = text.String()
		blocks = append(blocks, c)
	})
	return blocks
}

// Tables returns the tables of a text in order, as rows of cells without
// markup; the first row is the header. A line break in a cell is a newline.
func Tables(src string) [][][]string {
	b := []byte(src)
	normalize(b)
	doc, _ := parse(newParser(maxParagraph), b, nil)
	in := inliner{style: &Style{imageFormat: "{{.text}}"}, src: b}
	var tables [][][]string
	walkBlocks(doc, func(n ast.Node) {
		if !isTable(n) {
			return
		}
		var rows [][]string
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			cells := make([]string, len(n.(*east.Table).Alignments))
			i := 0
			for c := row.FirstChild(); c != nil && i < len(cells); c, i = c.NextSibling(), i+1 {
				in.begin(c)
				in.inline(c, pen{}, "")
				cells[i] = string(in.text)
			}
			rows = append(rows, cells)
		}
		tables = append(tables, rows)
	})
	return tables
}

// walkBlocks calls f with each block, parents first.
func walkBlocks(n ast.Node, f func(ast.Node)) {
	f(n)
	for c := n.FirstChild(); c != nil && c.Type() == ast.TypeBlock; c = c.NextSibling() {
		walkBlocks(c, f)
	}
}
