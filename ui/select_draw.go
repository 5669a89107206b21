package ui

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
			m.screen.rows[y] = inkRow(m.screen.rows[y], c.runs(pos.Line, p.cells(pos.Line), m.look().selection))
		}
	}
}

// runs are the stretches of columns of a row that are selected: text only.
func (c portion) runs(row int, cells []cell, k ink) []inked {
	var out []inked
	for _, cell := range cells {
		switch n := len(out); {
		case row == c.from.Row && cell.right() <= c.from.Col, row == c.to.Row && cell.col >= c.to.Col:
		case n > 0 && out[n-1].to == cell.col:
			out[n-1].to = cell.right()
		default:
			out = append(out, inked{from: cell.col, to: cell.right(), ink: k})
		}
	}
	return out
}
