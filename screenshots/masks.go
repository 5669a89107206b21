package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"waferchat/internal/vterm"
)

// mask replaces what differs from one run to the next. Only times of day, ages,
// durations and speeds may be replaced: all else in a picture is what the
// program wrote.
type mask struct {
	// what matches a text within one row; its first group is replaced.
	what *regexp.Regexp
	// by is what stands there instead: the first one for the first match from
	// the top, and so on; the last one serves for the rest.
	by []string
}

// standing are the masks of every scene.
var standing = []mask{
	{regexp.MustCompile(`\b(\d\d:\d\d)\b`), []string{"14:02"}},
	{regexp.MustCompile(`\b(?:thought|thinking) for ((?:\d+ min )?[\d.]+ s)\b`), []string{"3.2 s"}},
	{regexp.MustCompile(`\bfirst ((?:\d+ min )?[\d.]+ s)\b`), []string{"0.8 s"}},
	{regexp.MustCompile(`([\d,]+) tok/s`), []string{"104"}},
}

// cutTime is what an overlay leaves of a time of day at the right.
var cutTime = mask{regexp.MustCompile(`[┐│┘](\d) *$`), []string{"2"}}

// mask replaces all matches.
func (f *frame) mask(masks []mask) {
	for _, m := range masks {
		n := 0
		for y, row := range f.rows {
			text, columns := read(row)
			found := m.what.FindAllStringSubmatchIndex(text, -1)
			for i, at := range slices.Backward(found) {
				by := m.by[min(n+i, len(m.by)-1)]
				f.rows[y] = splice(f.rows[y], columns[at[2]], columns[at[3]], by)
			}
			n += len(found)
		}
	}
}

// read gives the text of a row, and the column of each of its bytes.
func read(row []vterm.Cell) (text string, columns []int) {
	var b strings.Builder
	for x := 0; x < len(row); x += max(row[x].Width, 1) {
		content := cmp.Or(row[x].Content, " ")
		b.WriteString(content)
		for range len(content) {
			columns = append(columns, x)
		}
	}
	return b.String(), append(columns, len(row))
}

// splice writes an ASCII text over the columns from ≤ x < to. What follows keeps
// its distance up to the next gap of two blanks or more, which takes up the
// difference in width, so that what is aligned at the right stays there.
func splice(row []vterm.Cell, from, to int, text string) []vterm.Cell {
	gap, end := nextGap(row, to)
	out := slices.Clone(row[:from])
	for _, r := range text {
		c := row[from]
		c.Content, c.Width = string(r), 1
		out = append(out, c)
	}
	out = append(out, row[to:gap]...)
	switch wider := len(text) - (to - from); {
	case wider >= 0:
		gap = min(gap+wider, max(gap, end-1)) // one blank stays
	case gap < end:
		out = append(out, slices.Repeat(row[gap:gap+1], -wider)...)
	default:
		out = append(out, slices.Repeat([]vterm.Cell{{Content: " ", Width: 1}}, -wider)...)
	}
	return append(out, row[gap:]...)[:len(row)]
}

// nextGap finds the next two blanks or more, or the end of the row.
func nextGap(row []vterm.Cell, from int) (start, end int) {
	for end = from; end < len(row); {
		for start = end; start < len(row) && !blank(row[start]); {
			start++
		}
		for end = start; end < len(row) && blank(row[end]); {
			end++
		}
		if end-start >= 2 {
			return start, end
		}
	}
	return len(row), len(row)
}

func blank(c vterm.Cell) bool {
	return c.Content == " " || c.Content == "" && c.Width != 0
}
