package composer

import "strings"

// Height is the number of rows that View gives: at least 1, at most the maximum.
func (c *Composer) Height() int {
	if c.height == 0 {
		r, more := c.lay.at(0), true
		for c.height = 1; c.height < c.maxHeight; c.height++ {
			if r, more = c.lay.next(r); !more {
				break
			}
		}
	}
	return c.height
}

// View returns Height rows, none wider than the width, the caret's row among
// them. Tabs are drawn as blanks, control characters as symbols.
func (c *Composer) View() []string {
	if c.Empty() {
		return []string{styled(c.styles.Placeholder, c.lay.method.Truncate(c.placeholder, c.lay.width, ""))}
	}
	h := c.Height()
	rows := make([]string, 0, h)
	for r, more := c.frame(), true; more && len(rows) < h; r, more = c.lay.next(r) {
		rows = append(rows, c.draw(r))
	}
	return rows
}

// Cursor is the caret's cell in View, for the terminal's own cursor.
func (c *Composer) Cursor() (x, y int) {
	caret := c.lay.at(c.caret)
	for r := c.frame(); r.start() < caret.start(); y++ {
		r, _ = c.lay.next(r)
	}
	return c.lay.column(caret, c.caret), y
}

// frame is the first visible row. It scrolls no more than the caret needs, and
// shows no emptiness below the text while there is text above.
func (c *Composer) frame() row {
	h := c.Height()
	caret := c.lay.at(c.caret)
	top := c.lay.at(max(0, min(c.top, c.text.len())))
	if caret.start() < top.start() {
		top = caret
	}
	if highest := c.back(caret, h-1); top.start() < highest.start() {
		top = highest
	}
	below := 1
	for r, more := c.lay.next(top); more && below < h; r, more = c.lay.next(r) {
		below++
	}
	top = c.back(top, h-below)
	c.top = top.start()
	return top
}

// back is the row up to n rows above r.
func (c *Composer) back(r row, n int) row {
	for range n {
		p, ok := c.lay.prev(r)
		if !ok {
			break
		}
		r = p
	}
	return r
}

// draw renders a row, in runs of one style.
func (c *Composer) draw(r row) string {
	var out, run strings.Builder
	var style func(string) string
	flush := func() {
		if run.Len() > 0 {
			out.WriteString(styled(style, run.String()))
			run.Reset()
		}
	}
	a, b := c.selection()
	part := -1
	_, end := c.lay.each(r, func(at, _ int, g cluster) bool {
		next, s := 0, c.styles.Text
		switch {
		case at >= a && at < b:
			next, s = 1, c.styles.Selection
		case g.chip:
			next, s = 2, c.styles.Chip
		}
		if next != part {
			flush()
			part, style = next, s
		}
		if g.shown != "" {
			run.WriteString(g.shown)
		} else {
			run.WriteString(r.b.text[at-r.b.start : at-r.b.start+g.n])
		}
		return true
	})
	flush()
	if at := r.end(); r.closes() && at >= a && at < b && end < c.lay.width {
		out.WriteString(styled(c.styles.Selection, " "))
	}
	return out.String()
}

func styled(style func(string) string, s string) string {
	if style == nil || s == "" {
		return s
	}
	return style(s)
}
