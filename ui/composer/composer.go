// Package composer is the prompt editor: a buffer whose cost per key does not
// depend on its size, with undo, selection, word, line and paragraph motions,
// kill and yank, soft wrap, and folded pastes.
//
// It is a leaf: it knows no chat and no keys. The program calls its methods
// ([Composer.Insert], [Composer.Move], [Composer.Delete], [Composer.Paste] …),
// and draws [Composer.View] with the caret at [Composer.Cursor]. It edits by
// grapheme cluster and measures widths as the renderer does
// ([Composer.SetWidthMethod]). Drafts leave and enter it with their folded
// pastes as a [Draft] or, to be stored, by [Composer.State]; [History] recalls
// earlier ones.
//
// The text lives in an immutable balanced tree, so that an undo step, a draft
// and a kill are each a pointer. Only the rows that are visible are laid out,
// and a line of any length is laid out in blocks of a few kilobytes.
package composer

import "github.com/charmbracelet/x/ansi"

// Motion is a movement of the caret. One that is not among the constants moves
// nothing.
type Motion string

// The motions.
const (
	Left          Motion = "left"
	Right         Motion = "right"
	Up            Motion = "up"   // by screen row, keeping the goal column
	Down          Motion = "down" // by screen row
	WordLeft      Motion = "word-left"
	WordRight     Motion = "word-right"
	LineStart     Motion = "line-start" // of the logical line
	LineEnd       Motion = "line-end"
	ParagraphUp   Motion = "paragraph-up" // to the blank line above, or the start
	ParagraphDown Motion = "paragraph-down"
	TextStart     Motion = "text-start"
	TextEnd       Motion = "text-end"
	PageUp        Motion = "page-up" // the maximum height less one row
	PageDown      Motion = "page-down"
)

// Styles are SGR-styled string functions for the parts of the view; a nil one
// leaves text plain.
type Styles struct {
	Text, Placeholder, Chip, Selection func(string) string
}

// Composer is the editor. It is used by one goroutine.
type Composer struct {
	state
	anchor  int // the fixed end of the selection, none when negative
	version uint64
	log     undoLog
	killed  *node

	last     action // what the call before did, for joining
	lastRune rune   // the last rune typed or deleted, for the ends of words
	goal     int    // the column that Up and Down keep, none when negative

	lay         layout
	top         int // where the first visible row starts
	height      int // a memo of Height, unknown when 0
	maxHeight   int
	styles      Styles
	placeholder string
}

// state is what an undo step, a draft and the composer share.
type state struct {
	text   *node
	caret  int // a byte offset into text, always between two clusters
	pastes int // the number of the last folded paste
}

// action is the kind of the last call, as far as the next may join it.
type action string

const (
	typed        action = "type"
	deletedLeft  action = "delete-left"
	deletedRight action = "delete-right"
	killed       action = "kill"
	vertical     action = "vertical"
)

// New returns an empty composer, 80 columns wide and up to 10 rows high.
func New() *Composer {
	c := &Composer{anchor: -1, goal: -1, maxHeight: 10}
	c.lay = layout{width: 80, method: ansi.GraphemeWidth}
	c.lay.reset(nil)
	return c
}

// SetStyles sets how the view is styled.
func (c *Composer) SetStyles(s Styles) { c.styles = s }

// SetPlaceholder sets what an empty composer shows: one row, cut to the width.
// It may hold SGR sequences.
func (c *Composer) SetPlaceholder(s string) { c.placeholder = s }

// SetWidth sets the columns of the text area; at least 1 is used.
func (c *Composer) SetWidth(w int) {
	if w = max(w, 1); w != c.lay.width {
		c.lay.width = w
		c.relayout()
	}
}

// SetMaxHeight sets the rows that the view may grow to; at least 1 is used.
func (c *Composer) SetMaxHeight(h int) {
	c.maxHeight, c.height = max(h, 1), 0
}

// SetWidthMethod sets how clusters are measured, which must be what the
// renderer does: Bubble Tea measures by [ansi.WcWidth] until the terminal
// reports Unicode core (mode 2027), then by [ansi.GraphemeWidth], which is also
// the default here.
func (c *Composer) SetWidthMethod(m ansi.Method) {
	if m != c.lay.method {
		c.lay.method = m
		c.relayout()
	}
}

// relayout forgets everything that was measured.
func (c *Composer) relayout() {
	c.lay.reset(c.text)
	c.height, c.goal = 0, -1
}

// Text is the whole text, folded pastes in full. It costs as much as the text
// is long.
func (c *Composer) Text() string { return c.text.full() }

// Empty tells whether there is no text.
func (c *Composer) Empty() bool { return c.text == nil }

// Len is the length of Text in bytes, without the cost of making it.
func (c *Composer) Len() int {
	if c.text == nil {
		return 0
	}
	return c.text.fullSize
}

// Version changes with every change of the text: it tells cheaply whether a
// draft needs saving.
func (c *Composer) Version() uint64 { return c.version }

// FirstLine is the first line up to a folded paste, at most 4,096 bytes of it:
// enough to see whether the draft is a command.
func (c *Composer) FirstLine() string {
	s := c.text.slice(0, min(c.text.len(), tokenSpan))
	for i := range len(s) {
		if s[i] == '\n' || s[i] == foldByte {
			return s[:i]
		}
	}
	return trimPartial(s)
}

// tokenSpan bounds how far a token or a first line is read, wordSpan how far a
// word motion goes, both in bytes, so that neither depends on the text.
const (
	tokenSpan = 4 << 10
	wordSpan  = 32 << 10
)
