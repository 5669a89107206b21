package ui

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// plainRow is a row of wrapped plain text: the byte range of the text it shows,
// without the blank or newline that ended it.
type plainRow struct{ start, end int }

// plainText wraps text that may still grow. Rows that can no longer change are
// kept: appending costs the last row only.
type plainText struct {
	width int
	text  []byte
	rows  []plainRow
}

func newPlainText(width int, text string) *plainText {
	p := &plainText{width: max(1, width)}
	p.append(text)
	return p
}

// append adds cleaned text and wraps what is new.
func (p *plainText) append(s string) {
	p.text = append(p.text, s...)
	// The last two rows may change: a word that goes on, or a cluster that
	// grows over the edge of a row that was full.
	from := 0
	if n := len(p.rows) - 2; n > 0 {
		from = p.rows[n].start
		p.rows = p.rows[:n]
	} else {
		p.rows = p.rows[:0]
	}
	p.wrap(from)
}

func (p *plainText) wrap(from int) {
	for {
		end := len(p.text)
		if i := bytes.IndexByte(p.text[from:], '\n'); i >= 0 {
			end = from + i
		}
		p.wrapLine(from, end)
		if end == len(p.text) {
			return
		}
		from = end + 1
	}
}

// wrapLine adds the rows of one source line.
func (p *plainText) wrapLine(start, end int) {
	row, col, space := start, 0, -1 // space: end of the last blank in the row
	g := graphemes.FromBytes(p.text[start:end])
	at := start
	for g.Next() {
		v := g.Value()
		w := p.clusterWidth(v)
		if col+w > p.width && at > row {
			cut := at
			if space > row && v[0] != ' ' && w != 2 { // wide text breaks anywhere
				cut = space
			}
			p.rows = append(p.rows, plainRow{row, trimBlank(p.text, row, cut)})
			row, space = cut, -1
			if v[0] == ' ' && cut == at {
				row = at + len(v)
				at, col = row, 0
				continue
			}
			col = p.columns(row, at)
		}
		at += len(v)
		col += w
		if v[0] == ' ' || w == 2 {
			space = at
		}
	}
	p.rows = append(p.rows, plainRow{row, max(row, end)})
}

// columns is the width of a stretch of the text.
func (p *plainText) columns(start, end int) (n int) {
	g := graphemes.FromBytes(p.text[start:end])
	for g.Next() {
		n += p.clusterWidth(g.Value())
	}
	return n
}

// clusterWidth is a grapheme's width; a tab counts as the columns that row draws
// it as.
func (p *plainText) clusterWidth(v []byte) int {
	if len(v) == 1 {
		if v[0] == '\t' {
			return p.tab()
		}
		return 1
	}
	return ansi.StringWidth(string(v))
}

// tab is the width of a tab: four columns where they fit.
func (p *plainText) tab() int { return min(4, p.width) }

func trimBlank(b []byte, start, end int) int {
	for end > start && b[end-1] == ' ' {
		end--
	}
	return end
}

func (p *plainText) len() int { return len(p.rows) }

// row returns the text of row i, tabs expanded.
func (p *plainText) row(i int) string {
	r := p.rows[i]
	return strings.ReplaceAll(string(p.text[r.start:r.end]), "\t", spaces(p.tab()))
}
