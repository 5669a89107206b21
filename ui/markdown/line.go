package markdown

// Line is one row on screen.
type Line struct {
	// ANSI is the row with its styles, at most the width it was made for, not
	// padded (but for the ground of code), without a newline.
	ANSI string
	// Start and End are the byte range of the source that the row shows, markup
	// included. From row to row neither ever goes back; the rows of one table row
	// share a range, and a blank row has what lies between two blocks.
	Start, End int
	// Soft: the row goes on where the one above was wrapped; the source has no
	// line break between them.
	Soft bool
}
