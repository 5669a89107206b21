package markdown

// Line is one row on screen.
type Line struct {
	// ANSI is the row with its styles, at most the width it was made for, not
	// padded (but for the ground of code), without a newline.
	ANSI string
	// Start and End are the byte range of the source that the row shows, markup
	// included. From row to row neither ever goes back; the rows of one table row
	// share a range, and a blank row has what lies between two blocks. Footnotes
	// that were moved to the end have no range here; [Select] knows theirs.
	Start, End int
	// Soft: the row goes on where the one above was wrapped; the source has no
	// line break between them.
	Soft bool
	// Code is 1 + the index of the code block that the row belongs to, as
	// [CodeBlocks] counts them, and 0 for all other rows.
	Code int

	cells string   // which columns show which source, see cellWriter; "" for a blank row
	wide  *wideRow // of code that is not wrapped
}

// Width is the number of columns that the row's code has, for code that is not
// wrapped (see [Style.WrapCode]), and 0 for all other rows.
func (l Line) Width() int {
	if l.wide == nil {
		return 0
	}
	return l.wide.width
}

// Scroll returns the row with its code moved so many columns to the left, for
// code that is not wrapped; other rows, and the label of a block, stay as they
// are. Marks at the edges tell where there is more.
func (l Line) Scroll(columns int) Line {
	if l.wide == nil || columns <= 0 {
		return l
	}
	w := *l.wide
	w.scroll = columns
	l.wide = &w
	l.ANSI = w.draw()
	return l
}
