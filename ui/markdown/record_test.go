package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// recordsSource is a table that is shown as records at 20 columns:
//
//	0 Name: one two
//	1 Description of it:
//	2   漢字かな and more
//	3   words to go
//	4 Third: x
//	5
//	6 Name: four
//	7 Description of it:
//	8 Third: six
const recordsSource = "| Name | Description of it | Third |\n|---|---|---|\n" + recordOne + "\n" + recordTwo + "\n"

const (
	recordOne = "| **one** two | 漢字かな and more words to go | x |"
	recordTwo = "| four |  | `six` |"
)

func TestSelectingInRecordsGivesTheCells(t *testing.T) {
	const above = "above\n\n"
	src := above + recordsSource + "\nbelow"
	lines := Render(src, 20, testStyle())
	const edge = 99
	for _, c := range []struct {
		name     string
		from, to Place // rows of the table, as recordsSource has them
		want     string
	}{
		{"a part of a cell", Place{0, 10}, Place{0, 12}, "tw"},
		{"a part of a bold word", Place{0, 6}, Place{0, 8}, "on"},
		{"a bold word", Place{0, 6}, Place{0, 9}, "one"},
		{"a whole cell with its label", Place{0, 0}, Place{0, edge}, "**one** two"},
		{"a whole cell", Place{0, 6}, Place{0, 13}, "**one** two"},
		{"code alone", Place{8, 7}, Place{8, 10}, "`six`"},
		{"a part of code", Place{8, 8}, Place{8, 9}, "i"},
		{"wide characters", Place{2, 2}, Place{2, 6}, "漢字"},
		{"half a wide character", Place{2, 5}, Place{2, 7}, "字か"},
		{"a label", Place{0, 0}, Place{0, 5}, ""},
		{"a label of its own row", Place{1, 0}, Place{1, edge}, ""},
		{"from a label to a label", Place{1, 4}, Place{2, 1}, ""},
		{"the label of an empty cell", Place{7, 0}, Place{7, edge}, ""},
		{"up to the next label", Place{0, 10}, Place{1, 4}, "two"},
		{"from a label on", Place{0, 2}, Place{1, 4}, "**one** two"},
		{"a wrapped cell", Place{2, 0}, Place{3, edge}, "漢字かな and more words to go"},
		{"over a soft wrap", Place{2, 17}, Place{3, 7}, "re words"},
		{"over two cells", Place{0, 10}, Place{2, 4}, "two | 漢"},
		{"two whole cells", Place{1, 0}, Place{4, edge}, "漢字かな and more words to go | x"},
		{"all but the end", Place{0, 0}, Place{3, edge}, "**one** two | 漢字かな and more words to go"},
		{"all but the beginning", Place{0, 7}, Place{4, edge}, "ne** two | 漢字かな and more words to go | x"},
		{"a whole record", Place{0, 0}, Place{4, edge}, recordOne},
		{"a whole record and the gap", Place{0, 0}, Place{5, edge}, recordOne},
		{"a whole record up to the next label", Place{0, 0}, Place{6, 3}, recordOne},
		{"a record with an empty cell", Place{5, 0}, Place{8, edge}, recordTwo},
		{"two records", Place{0, 0}, Place{8, edge}, recordOne + "\n" + recordTwo},
		{"from one record to another", Place{4, 7}, Place{6, 8}, "x |\n| fo"},
		{"the gap", Place{5, 0}, Place{5, edge}, ""},
		{"from right of a cell to the next label", Place{4, 9}, Place{6, 2}, ""},
		{"from above to a label", Place{-2, 2}, Place{0, 3}, "ove"},
		{"from above to a cell", Place{-2, 2}, Place{0, 9}, "ove\n\n| Name | Description of it | Third |\n|---|---|---|\n| **one"},
		{"from a record to below", Place{6, 0}, Place{10, 3}, recordTwo + "\n\nbel"},
		{"from the end of a record to below", Place{8, 12}, Place{10, 3}, "bel"},
	} {
		from, to := c.from, c.to
		from.Row, to.Row = from.Row+2, to.Row+2
		for range 2 {
			if got := source(src, lines, from, to); got != c.want {
				t.Errorf("%s: %q, want %q\n%s", c.name, got, c.want, plain(lines))
			}
			from, to = to, from
		}
	}
}

// TestEveryPartOfARecordIsWhatIsMarked selects all stretches of columns of the
// rows of a table without markup.
func TestEveryPartOfARecordIsWhatIsMarked(t *testing.T) {
	src := "| 名 | b |\n|---|---|\n| 漢字かな ab cd ef gh | ijkl 漢 |\n| e\u0301x |\n"
	for _, width := range []int{2, 5, 9, 14} {
		lines := Render(src, width, testStyle())
		for i, l := range lines {
			label := 0
			shown := ansi.Strip(l.ANSI)
			if spans := l.decode().spans; len(spans) > 0 {
				for _, s := range spans {
					if s.kind != empty {
						break
					}
					label += s.width
				}
			}
			for from := 0; from <= width; from++ {
				for to := from; to <= width; to++ {
					got := source(src, lines, Place{i, from}, Place{i, to})
					want := ""
					for n, col := len(shown), 0; n > 0 && len(lines) > 1; n = len(shown) - col {
						size, w := cluster([]byte(shown[col:]))
						at := ansi.StringWidth(shown[:col])
						if at >= label && at < to && at+w > from && from < to {
							want += shown[col : col+size]
						}
						col += size
					}
					if got != want {
						t.Fatalf("width %d row %d, columns %d–%d: %q, want %q\n%s", width, i, from, to, got, want, plain(lines))
					}
				}
			}
		}
	}
}

func TestWideLabelsGiveNothingInOneColumn(t *testing.T) {
	src := "| 名 |\n|---|\n| x |\n"
	lines := Render("a\n\n"+src, 1, testStyle())
	if got := source("a\n\n"+src, lines, Place{2, 0}, Place{2, 1}); got != "" || !strings.HasPrefix(ansi.Strip(lines[2].ANSI), "…") {
		t.Errorf("the label gives %q\n%s", got, plain(lines))
	}
}
