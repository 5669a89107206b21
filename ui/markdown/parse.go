package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newParser returns a parser of CommonMark with GFM's tables, strikethrough,
// bare links and task lists, with footnotes and mathematics. Extensions that
// look back over closed blocks (definition lists, the parser's own footnotes)
// are left out: a stream could not close a block then. Paragraphs beyond
// maxParagraph bytes are shown as they are.
func newParser(maxParagraph int) parser.Parser {
	inline := append(parser.DefaultInlineParsers(),
		util.Prioritized(mathParser{}, 50),
		util.Prioritized(footnoteRefs{}, 101),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	)
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		switch b.Priority {
		case listPriority, quotePriority:
			blocks[i].Value = bounded{b.Value.(parser.BlockParser)}
		}
	}
	blocks = append(blocks, util.Prioritized(mathBlocks{}, 90), util.Prioritized(newFootnoteBlocks(), 999))
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
			util.Prioritized(longParagraphs{maxParagraph}, 1000))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// Priorities of goldmark's default parsers, by its documentation.
const (
	listPriority  = 300
	quotePriority = 800
)

// maxDepth is how deep lists and quotes are nested; what opens more is text. The
// parser's time grows with the square of the depth.
const maxDepth = 60

// bounded is a parser of containers that stops at maxDepth.
type bounded struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (b bounded) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxDepth {
		return nil, parser.NoChildren
	}
	return b.BlockParser.Open(parent, reader, pc)
}

// maxParagraph is the size in bytes beyond which a paragraph's markup is not
// looked at: nobody writes such paragraphs, and the parser's time grows with
// the square of some of what may stand in them.
const maxParagraph = 32 << 10

// longParagraph is a paragraph that is shown as it is.
type longParagraph struct{ ast.Paragraph }

// IsRaw implements ast.Node.
func (*longParagraph) IsRaw() bool { return true }

// longParagraphs makes the paragraphs beyond a size in bytes long ones.
type longParagraphs struct{ max int }

// Transform implements parser.ParagraphTransformer.
func (t longParagraphs) Transform(n *ast.Paragraph, _ text.Reader, _ parser.Context) {
	lines := n.Lines()
	if lines.Len() == 0 || lines.At(lines.Len()-1).Stop-lines.At(0).Start <= t.max {
		return
	}
	long := &longParagraph{}
	long.SetLines(lines)
	long.SetBlankPreviousLines(n.HasBlankPreviousLines())
	n.Parent().ReplaceChild(n.Parent(), n, long)
}

// references are the link definitions of the closed part of a stream, by label.
type references map[string]parser.Reference

// linkContext resolves links by the definitions that are known already, then by
// those of the text being parsed, and notes every label that was looked for and
// is not known for good yet.
type linkContext struct {
	parser.Context
	known    references
	misses   map[string]bool
	notes    map[string]bool // the footnotes of the text being parsed
	unclosed map[string]int  // by delimiter, up to where no formula is closed by it
}

// Reference implements parser.Context.
func (c *linkContext) Reference(label string) (parser.Reference, bool) {
	if strings.Contains(label, "\x00") {
		return nil, false // a footnote's
	}
	if r, ok := c.known[label]; ok {
		return r, true
	}
	if c.misses == nil {
		c.misses = map[string]bool{}
	}
	c.misses[label] = true
	return c.Context.Reference(label)
}

// parse parses a stretch of source that begins where a block does. It returns
// the labels that later text may still define.
func parse(p parser.Parser, src []byte, known references) (doc ast.Node, misses map[string]bool) {
	c := &linkContext{Context: parser.NewContext(), known: known}
	doc = p.Parse(text.NewReader(src), parser.WithContext(c))
	return doc, c.misses
}

// definitions calls f with each definition of a link or footnote at or below the node that begins
// before an offset, in order.
func definitions(n ast.Node, before int, f func(label string, r parser.Reference)) {
	if n.Type() == ast.TypeInline || n.Pos() >= before {
		return
	}
	switch d := n.(type) {
	case *ast.LinkReferenceDefinition:
		f(util.ToLinkReference(d.Label), parser.NewReference(d.Label, d.Destination, d.Title))
		return
	case *east.Footnote:
		f(noteLabel(d.Ref), nil)
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		definitions(c, before, f)
	}
}
