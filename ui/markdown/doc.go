// Package markdown turns markdown and code into styled terminal lines,
// incrementally for text that is still arriving.
//
// [Render] does a whole text at once, [Stream] text that grows: only the open
// block at the end is laid out again, and of a long one only what is new, so the
// cost of a piece of text does not depend on what came before. While text
// arrives, markup that is half-typed is completed or held back, so that nothing
// flashes; at the end the result equals Render of the whole. [RenderRaw] and
// [NewRawStream] show the source instead.
//
// Every [Line] stands alone (it opens and closes its own colours) and knows the
// source it came from: [Select] and [Source] turn two places on screen into what
// was written there. [Line.Scroll] moves code that is cut, not wrapped. Styles
// are Glamour styles ([NewStyle], [LoadStyle]); [ThemeStyle] makes one from a
// palette. [CodeBlocks] and [Tables] take out what a reader copies.
//
// The text is CommonMark with GFM's tables, strikethrough, task lists and bare
// links, with footnotes, and with mathematics, which is shown in Unicode. It is
// not trusted: nothing in it reaches the terminal as a control sequence, and
// only addresses that a browser or mail program opens become hyperlinks.
//
// It is a leaf: it knows no messages, no keys and no Bubble Tea.
package markdown
