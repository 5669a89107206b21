// Package markdown turns markdown and code into styled terminal lines,
// incrementally for text that is still arriving.
//
// [Render] does a whole text at once, [Stream] text that grows: only the open
// block at the end is laid out again, so the cost of a piece of text does not
// depend on what came before, and the result equals Render of the whole. Every
// [Line] stands alone (it opens and closes its own colours) and knows the
// source it came from. Styles are Glamour styles ([NewStyle], [LoadStyle]);
// [ThemeStyle] makes one from a palette. [CodeBlocks] and [Tables] take out what
// a reader copies.
//
// The text is not trusted: nothing in it reaches the terminal as a control
// sequence, and only addresses that a browser or mail program opens become
// hyperlinks.
//
// It is a leaf: it knows no messages, no keys and no Bubble Tea.
package markdown
