package markdown

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// cluster returns the length in bytes and the width in columns of the grapheme
// cluster that s begins with; s is not empty and holds no control characters
// but newline and tab, which count as zero columns.
func cluster(s []byte) (size, width int) {
	if c := s[0]; c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if c == '\n' || c == '\t' {
			return 1, 0
		}
		return 1, 1
	}
	g := displaywidth.BytesGraphemes(s)
	g.Next()
	return len(g.Value()), g.Width()
}

// textWidth is the width of a string without escape sequences in columns.
func textWidth(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] < 0x20 {
			return displaywidth.String(s)
		}
	}
	return len(s)
}

// cut shortens s to at most w columns, with an ellipsis where something went.
func cut(s string, w int) string { return displaywidth.TruncateString(s, w, "…") }
