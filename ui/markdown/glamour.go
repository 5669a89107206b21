package markdown

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/glamour/v2/styles"

	"waferchat/themes"
	"waferchat/ui/untrusted"
)

// LoadStyle returns the Glamour style that a GLAMOUR_STYLE-like value names: a
// built-in ("dark", "light", "notty", …; "auto" is "dark") when the JSON is nil,
// else the style that the JSON file's content describes, name being what errors
// call it.
func LoadStyle(name string, content []byte) (*Style, error) {
	if content != nil {
		var c ansi.StyleConfig
		if err := json.Unmarshal(content, &c); err != nil {
			return nil, fmt.Errorf("parse style %q: %w", name, err)
		}
		return NewStyle(c), nil
	}
	if name == "auto" {
		name = styles.DarkStyle
	}
	c, ok := styles.DefaultStyles[name]
	if !ok {
		names := slices.Sorted(maps.Keys(styles.DefaultStyles))
		return nil, fmt.Errorf("find style %q: the built-in ones are %s", name, strings.Join(names, ", "))
	}
	return NewStyle(*c), nil
}

// ThemeStyle makes the style of a palette.
func ThemeStyle(t themes.Theme) *Style { return NewStyle(themeConfig(t)) }

// themeConfig is the Glamour style of a palette.
func themeConfig(t themes.Theme) ansi.StyleConfig {
	yes := true
	fg := func(c themes.Color) ansi.StylePrimitive { return ansi.StylePrimitive{Color: (*string)(&c)} }
	quoteBar := "▏ "
	var c ansi.StyleConfig
	c.Document.StylePrimitive = fg(t.Text)
	c.BlockQuote.StylePrimitive = fg(t.Dim)
	c.BlockQuote.IndentToken = &quoteBar
	c.Heading.StylePrimitive = fg(t.Heading)
	c.Heading.Bold = &yes
	c.H1.Underline = &yes
	c.H3.Italic = &yes
	for _, h := range []*ansi.StyleBlock{&c.H4, &c.H5, &c.H6} {
		h.Italic, h.Bold = &yes, new(bool)
	}
	c.Emph.Italic = &yes
	c.Strong.Bold = &yes
	c.Strikethrough = fg(t.Dim)
	c.Strikethrough.CrossedOut = &yes
	c.HorizontalRule = fg(t.Faint)
	c.HorizontalRule.Format = "────────"
	c.Item = fg(t.Dim)
	c.Item.BlockPrefix = "• "
	c.Enumeration = fg(t.Dim)
	c.Enumeration.BlockPrefix = ". "
	c.Task = ansi.StyleTask{Ticked: "☑ ", Unticked: "☐ "}
	c.Link = fg(t.Link)
	c.Link.Underline = &yes
	c.LinkText = c.Link
	c.Image = fg(t.Dim)
	c.ImageText.Format = "🖼  {{.text}}" // two spaces: many terminals draw it two columns wide
	c.HTMLBlock.StylePrimitive = fg(t.Dim)
	c.HTMLBlock.Faint = new(bool)
	c.Code.StylePrimitive = fg(t.Text)
	c.Code.BackgroundColor = (*string)(&t.Code)
	c.CodeBlock.StylePrimitive = c.Code.StylePrimitive
	c.CodeBlock.Chroma = themeChroma(t, fg)
	return c
}

// themeChroma gives the roles of a palette that are for code to token types.
func themeChroma(t themes.Theme, fg func(themes.Color) ansi.StylePrimitive) *ansi.Chroma {
	yes := true
	c := &ansi.Chroma{
		Comment:             fg(t.Comment),
		CommentPreproc:      fg(t.Keyword),
		Keyword:             fg(t.Keyword),
		KeywordType:         fg(t.Type),
		Operator:            fg(t.Keyword),
		NameBuiltin:         fg(t.Function),
		NameTag:             fg(t.Function),
		NameAttribute:       fg(t.Type),
		NameClass:           fg(t.Type),
		NameConstant:        fg(t.Number),
		NameDecorator:       fg(t.Function),
		NameException:       fg(t.Type),
		NameFunction:        fg(t.Function),
		Literal:             fg(t.Number),
		LiteralNumber:       fg(t.Number),
		LiteralString:       fg(t.String),
		LiteralStringEscape: fg(t.Number),
		GenericDeleted:      fg(t.Danger),
		GenericInserted:     fg(t.Success),
		GenericSubheading:   fg(t.Comment),
	}
	c.Comment.Italic = &yes
	c.GenericEmph.Italic = &yes
	c.GenericStrong.Bold = &yes
	return c
}

// oneLine makes a string of a style safe and takes its line breaks out.
func oneLine(s string) string {
	return strings.NewReplacer("\n", "", "\t", " ").Replace(untrusted.Text(s))
}

// glue makes the outer spaces of the text around an element unbreakable, so
// that they stay on the element's row.
func glue(s string, before bool) string {
	inner := strings.TrimRight(s, " ")
	if before {
		inner = strings.TrimLeft(s, " ")
		return strings.Repeat("\u00a0", len(s)-len(inner)) + inner
	}
	return inner + strings.Repeat("\u00a0", len(s)-len(inner))
}
