package composer

// Move moves the caret; with selecting the selection grows, else it is dropped,
// and Left and Right go to its ends. It returns false when the caret could not
// move and no selection was dropped, which for Up and Down at the edges means
// that the history is wanted. With selecting, Up and Down at the edges go to
// the start and the end of the text.
func (c *Composer) Move(m Motion, selecting bool) bool {
	to := c.target(m)
	if selecting && to == c.caret {
		switch m {
		case Up, PageUp:
			to = 0
		case Down, PageDown:
			to = c.text.len()
		}
	}
	if !selecting && c.anchor >= 0 {
		switch a, b := c.selection(); m {
		case Left:
			to = a
		case Right:
			to = b
		}
	}
	goal := c.goalColumn()
	moved := c.moveTo(to, selecting)
	switch m {
	case Up, Down, PageUp, PageDown:
		c.last, c.goal = vertical, goal
	}
	return moved
}

// moveTo puts the caret at a place; whether anything changed.
func (c *Composer) moveTo(to int, selecting bool) bool {
	from, anchor := c.caret, c.anchor
	switch {
	case !selecting:
		c.anchor = -1
	case anchor < 0:
		c.anchor = from
	}
	c.caret = to
	if c.anchor == to {
		c.anchor = -1
	}
	c.done("")
	return to != from || c.anchor != anchor
}

// MoveTo moves the caret to the place nearest to a cell of View, as a click
// does; with selecting the selection grows.
func (c *Composer) MoveTo(x, y int, selecting bool) {
	r := c.frame()
	for range y {
		n, ok := c.lay.next(r)
		if !ok {
			break
		}
		r = n
	}
	c.moveTo(c.lay.position(r, max(x, 0)), selecting)
}

// SelectAll selects the whole text, the caret at its end.
func (c *Composer) SelectAll() {
	c.anchor = -1
	c.caret = 0
	c.moveTo(c.text.len(), true)
}

// Selected is the selected text, folded pastes in full, "" when nothing is.
func (c *Composer) Selected() string { return c.text.cut(c.selection()).full() }

// selection is the selected part, empty at the caret when nothing is selected.
func (c *Composer) selection() (a, b int) {
	if c.anchor < 0 {
		return c.caret, c.caret
	}
	return min(c.anchor, c.caret), max(c.anchor, c.caret)
}

// target is where a motion leads from the caret.
func (c *Composer) target(m Motion) int {
	at := c.caret
	switch m {
	case Left:
		return c.lay.left(at)
	case Right:
		return c.lay.right(at)
	case WordLeft:
		return c.wordLeft(at)
	case WordRight:
		return c.wordRight(at)
	case LineStart:
		start, _ := c.text.line(at)
		return start
	case LineEnd:
		_, end := c.text.line(at)
		return end
	case ParagraphUp:
		return c.text.blankLineBefore(at)
	case ParagraphDown:
		return c.text.blankLineAfter(at)
	case TextStart:
		return 0
	case TextEnd:
		return c.text.len()
	case Up:
		return c.byRows(c.lay.prev, 1)
	case Down:
		return c.byRows(c.lay.next, 1)
	case PageUp:
		return c.byRows(c.lay.prev, max(1, c.maxHeight-1))
	case PageDown:
		return c.byRows(c.lay.next, max(1, c.maxHeight-1))
	}
	return at
}

// byRows is the place up to n rows away at the goal column.
func (c *Composer) byRows(advance func(row) (row, bool), n int) int {
	from := c.lay.at(c.caret)
	to := from
	for range n {
		r, ok := advance(to)
		if !ok {
			break
		}
		to = r
	}
	if to == from {
		return c.caret
	}
	return c.lay.position(to, c.goalColumn())
}

// goalColumn is the column that vertical motions keep.
func (c *Composer) goalColumn() int {
	if c.last == vertical && c.goal >= 0 {
		return c.goal
	}
	return c.lay.column(c.lay.at(c.caret), c.caret)
}
