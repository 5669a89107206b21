package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// reversed is the ink of a selection where there are no colours.
const reversed ink = "\x1b[7m"

// drawSelection marks what is selected on the rows in view. It takes as long as
// those rows are, however long the conversation is.
func (m *Model) drawSelection() {
	t := m.chat.transcript
	lo, hi, ok := t.bounds()
	if !ok {
		return
	}
	block := -1
	var p sheet
	var c portion
	for y, pos := range t.list.Visible() {
		if pos.Block < lo.index || pos.Block > hi.index {
			continue
		}
		if pos.Block != block {
			block, p = pos.Block, t.sheetOf(pos.Block)
			if p != nil {
				c = t.portionOf(block, p, lo, hi)
			}
		}
		if p != nil && pos.Line >= c.from.Row && pos.Line <= c.to.Row {
			m.screen.rows[y] = mark(m.screen.rows[y], c.columns(pos.Line, p.cells(pos.Line)), m.look().selection)
		}
	}
}

// columns are the stretches of columns of a row that are selected: text only.
func (c portion) columns(row int, cells []cell) [][2]int {
	var out [][2]int
	for _, cell := range cells {
		switch n := len(out); {
		case row == c.from.Row && cell.right() <= c.from.Col, row == c.to.Row && cell.col >= c.to.Col:
		case n > 0 && out[n-1][1] == cell.col:
			out[n-1][1] = cell.right()
		default:
			out = append(out, [2]int{cell.col, cell.right()})
		}
	}
	return out
}

// mark draws columns of a styled row in another ink.
func mark(row string, columns [][2]int, k ink) string {
	if len(columns) == 0 {
		return row
	}
	var b strings.Builder
	at := 0
	for _, c := range columns {
		b.WriteString(ansi.Cut(row, at, c[0]))
		b.WriteString(k.draw(ansi.Strip(ansi.Cut(row, c[0], c[1]))))
		at = c[1]
	}
	b.WriteString(ansi.TruncateLeft(row, at, ""))
	return b.String()
}
