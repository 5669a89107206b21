package markdown

import (
	"cmp"
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/parser"
)

// Style is a compiled Glamour style. It is immutable and may be shared by any
// number of goroutines; the code that was highlighted lately is kept in it, so
// that laying the same text out again is cheap.
type Style struct {
	text, quote, html      look
	headings               [6]look
	strong, emph, strike   look
	code, link, linkText   look
	image, list, table     look
	item, enumeration      look
	bullet, enumSuffix     string // bullet "" stands for one that depends on the depth
	ticked, unticked       string
	quoteBar               string
	ruleText               string
	rule                   pen // horizontal rules, quote bars, lines of tables
	columnSep, rowSep, sep string
	imageFormat            string

	ground   color // of code blocks
	codeText pen
	labelPen pen
	tokens   map[chroma.TokenType]pen
	label    func(i int, lang string) string
	marks    [2]string // at the edges of code that goes on

	unwrapped bool // code is cut, not wrapped
	unlinked  bool // no hyperlinks: addresses are shown

	parser       parser.Parser
	maxParagraph int // as the parser has it
	shared       *highlighter
}

// look is what an element adds to the pen that it is drawn with.
type look struct {
	fg, bg        color
	on, off       attr
	before, after string // text around it
	letters       func(string) string
}

// over is the pen of the element inside text drawn with p.
func (l look) over(p pen) pen {
	return pen{cmp.Or(l.fg, p.fg), cmp.Or(l.bg, p.bg), p.attr&^l.off | l.on}
}

// NewStyle compiles a Glamour style. Margins, indents and the blank lines that
// the style asks for are left out: the space around blocks is always the same.
// The colour of the horizontal rule also draws quote bars and table lines.
// Code blocks get a ground of their own when code_block.background_color is set
// (the built-in styles leave it open).
func NewStyle(c ansi.StyleConfig) *Style {
	text := merge(compileLook(c.Document.StylePrimitive), compileLook(c.Paragraph.StylePrimitive), compileLook(c.Text))
	s := &Style{
		text:        text,
		quote:       compileLook(c.BlockQuote.StylePrimitive),
		html:        merge(look{on: faint}, compileLook(c.HTMLBlock.StylePrimitive)),
		strong:      compileLook(c.Strong),
		emph:        compileLook(c.Emph),
		strike:      compileLook(c.Strikethrough),
		code:        compileLook(c.Code.StylePrimitive),
		link:        compileLook(c.Link),
		linkText:    compileLook(c.LinkText),
		image:       merge(compileLook(c.Image), compileLook(c.ImageText)),
		list:        compileLook(c.List.StylePrimitive),
		table:       compileLook(c.Table.StylePrimitive),
		item:        compileLook(c.Item),
		enumeration: compileLook(c.Enumeration),
		bullet:      oneLine(c.Item.BlockPrefix),
		enumSuffix:  cmp.Or(oneLine(c.Enumeration.BlockPrefix), ". "),
		ticked:      cmp.Or(oneLine(c.Task.Ticked), "[x] "),
		unticked:    cmp.Or(oneLine(c.Task.Unticked), "[ ] "),
		quoteBar:    oneLine(deref(c.BlockQuote.IndentToken, "│ ")),
		ruleText:    cmp.Or(strings.TrimSpace(oneLine(c.HorizontalRule.Format)), "────────"),
		rule:        compileLook(c.HorizontalRule).over(pen{}),
		columnSep:   oneLine(deref(c.Table.ColumnSeparator, "│")),
		rowSep:      oneLine(deref(c.Table.RowSeparator, "─")),
		sep:         oneLine(deref(c.Table.CenterSeparator, "┼")),
		imageFormat: cmp.Or(oneLine(c.ImageText.Format), "{{.text}}"),
		label:       func(_ int, lang string) string { return lang },
		parser:      newParser(maxParagraph),
		shared:      newHighlighter(),

		maxParagraph: maxParagraph,
	}
	for i, h := range []ansi.StyleBlock{c.H1, c.H2, c.H3, c.H4, c.H5, c.H6} {
		s.headings[i] = merge(compileLook(c.Heading.StylePrimitive), compileLook(h.StylePrimitive))
	}
	if strings.TrimSpace(s.bullet) == "•" {
		s.bullet = ""
	}
	for _, sep := range []*string{&s.rowSep, &s.columnSep, &s.sep} {
		if textWidth(*sep) != 1 { // the columns of a table must stay in line
			*sep = "|"
		}
	}
	s.marks = [2]string{"«", "»"}
	if s.columnSep == "|" { // a style for terminals without more than ASCII
		s.marks = [2]string{"<", ">"}
	}
	s.compileCode(c.CodeBlock)
	return s
}

// WrapCode returns a copy of the style that wraps the lines of code, as styles
// do unless told otherwise, or cuts them: [Line.Scroll] shows the rest then.
func (s *Style) WrapCode(wrap bool) *Style {
	c := *s
	c.unwrapped = !wrap
	return &c
}

// Hyperlinks returns a copy of the style that makes links what a terminal can
// open (OSC 8), as styles do unless told otherwise, or shows their addresses
// after their texts.
func (s *Style) Hyperlinks(on bool) *Style {
	c := *s
	c.unlinked = !on
	return &c
}

// CodeLabels returns a copy of the style that labels code blocks with what the
// function returns instead of their language. i counts the code blocks of one
// text from 0; lang may be "". The label is cut to what fits the first row.
// The function must be pure and safe for concurrent use.
func (s *Style) CodeLabels(label func(i int, lang string) string) *Style {
	c := *s
	c.label = label
	return &c
}

// compileCode compiles the looks of code blocks.
func (s *Style) compileCode(c ansi.StyleCodeBlock) {
	s.codeText = merge(look{fg: s.text.fg}, compileLook(c.StylePrimitive)).over(pen{})
	s.ground = s.codeText.bg
	s.tokens = map[chroma.TokenType]pen{}
	switch {
	case c.Chroma != nil:
		entries := chromaLooks(c.Chroma)
		s.codeText = entries[chroma.Text].over(s.codeText)
		for _, t := range chroma.TokenTypeValues() {
			s.tokens[t] = merge(entries[t.Category()], entries[t.SubCategory()], entries[t]).over(s.codeText)
		}
	case c.Theme != "":
		theme := styles.Get(c.Theme)
		for _, t := range chroma.TokenTypeValues() {
			s.tokens[t] = entryLook(theme.Get(t)).over(s.codeText)
		}
	}
	s.codeText.bg = s.ground
	s.labelPen = s.codeText
	s.labelPen.attr |= faint
	if p, ok := s.tokens[chroma.Comment]; ok && p != s.codeText {
		s.labelPen = pen{p.fg, s.ground, p.attr &^ italic}
	}
}

// entryLook is the look of an entry of a chroma style. Its ground is left out:
// chroma's styles set one that belongs to the whole block.
func entryLook(e chroma.StyleEntry) look {
	var l look
	if e.Colour.IsSet() {
		l.fg = colorRGB | color(e.Colour.Red())<<16 | color(e.Colour.Green())<<8 | color(e.Colour.Blue())
	}
	for _, a := range []struct {
		set  chroma.Trilean
		attr attr
	}{{e.Bold, bold}, {e.Italic, italic}, {e.Underline, underline}} {
		if a.set == chroma.Yes {
			l.on |= a.attr
		}
	}
	return l
}

// chromaLooks maps the entries of a Glamour style to token types.
func chromaLooks(c *ansi.Chroma) map[chroma.TokenType]look {
	m := map[chroma.TokenType]look{}
	for t, p := range map[chroma.TokenType]ansi.StylePrimitive{
		chroma.Text: c.Text, chroma.Error: c.Error, chroma.Comment: c.Comment, chroma.CommentPreproc: c.CommentPreproc,
		chroma.Keyword: c.Keyword, chroma.KeywordReserved: c.KeywordReserved, chroma.KeywordNamespace: c.KeywordNamespace,
		chroma.KeywordType: c.KeywordType, chroma.Operator: c.Operator, chroma.Punctuation: c.Punctuation, chroma.Name: c.Name,
		chroma.NameBuiltin: c.NameBuiltin, chroma.NameTag: c.NameTag, chroma.NameAttribute: c.NameAttribute,
		chroma.NameClass: c.NameClass, chroma.NameConstant: c.NameConstant, chroma.NameDecorator: c.NameDecorator,
		chroma.NameException: c.NameException, chroma.NameFunction: c.NameFunction, chroma.NameOther: c.NameOther,
		chroma.Literal: c.Literal, chroma.LiteralNumber: c.LiteralNumber, chroma.LiteralDate: c.LiteralDate,
		chroma.LiteralString: c.LiteralString, chroma.LiteralStringEscape: c.LiteralStringEscape,
		chroma.GenericDeleted: c.GenericDeleted, chroma.GenericEmph: c.GenericEmph, chroma.GenericInserted: c.GenericInserted,
		chroma.GenericStrong: c.GenericStrong, chroma.GenericSubheading: c.GenericSubheading,
	} {
		m[t] = compileLook(p)
	}
	return m
}

// compileLook compiles one element of a style.
func compileLook(p ansi.StylePrimitive) look {
	l := look{
		fg:     parseColor(deref(p.Color, "")),
		bg:     parseColor(deref(p.BackgroundColor, "")),
		before: glue(oneLine(p.BlockPrefix+p.Prefix), true),
		after:  glue(oneLine(p.Suffix+p.BlockSuffix), false),
	}
	for i, set := range []*bool{p.Bold, p.Faint, p.Italic, p.Underline, p.Blink, p.Inverse, p.Conceal, p.CrossedOut} {
		switch {
		case set == nil:
		case *set:
			l.on |= 1 << i
		default:
			l.off |= 1 << i
		}
	}
	switch {
	case deref(p.Upper, false):
		l.letters = strings.ToUpper
	case deref(p.Lower, false):
		l.letters = strings.ToLower
	}
	return l
}

// merge lays looks over each other; later ones win.
func merge(looks ...look) look {
	var m look
	for _, l := range looks {
		m = look{
			fg: cmp.Or(l.fg, m.fg), bg: cmp.Or(l.bg, m.bg),
			on: m.on&^l.off | l.on, off: m.off&^l.on | l.off,
			before: cmp.Or(l.before, m.before), after: cmp.Or(l.after, m.after),
			letters: m.letters,
		}
		if l.letters != nil {
			m.letters = l.letters
		}
	}
	return m
}

func deref[T any](p *T, unset T) T {
	if p == nil {
		return unset
	}
	return *p
}
