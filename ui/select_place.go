package ui

import "waferchat/ui/markdown"

// Places on a sheet from offsets in its text and back, and the walk from cell to
// cell. A sheet can be laid out anew at any time: only offsets last.

// walker stands at a cell of a sheet.
type walker struct {
	sheet sheet
	row   int
	cells []cell // of the row
	i     int
}

func (w *walker) cell() cell { return w.cells[w.i] }

func (w *walker) before() markdown.Place { return markdown.Place{Row: w.row, Col: w.cell().col} }

func (w *walker) behind() markdown.Place { return markdown.Place{Row: w.row, Col: w.cell().right()} }

// next goes to the next cell, over rows without any.
func (w *walker) next() bool {
	if w.i+1 < len(w.cells) {
		w.i++
		return true
	}
	return w.firstFrom(w.row + 1)
}

// prev goes to the cell before.
func (w *walker) prev() bool {
	if w.i > 0 {
		w.i--
		return true
	}
	return w.lastUpTo(w.row - 1)
}

// firstFrom goes to the first cell of a row or of those below it.
func (w *walker) firstFrom(row int) bool {
	for row = max(row, 0); row < w.sheet.Len(); row++ {
		if cells := w.sheet.cells(row); len(cells) > 0 {
			w.row, w.cells, w.i = row, cells, 0
			return true
		}
	}
	return false
}

// lastUpTo goes to the last cell of a row or of those above it.
func (w *walker) lastUpTo(row int) bool {
	for row = min(row, w.sheet.Len()-1); row >= 0; row-- {
		if cells := w.sheet.cells(row); len(cells) > 0 {
			w.row, w.cells, w.i = row, cells, len(cells)-1
			return true
		}
	}
	return false
}

// find goes to the cell that shows the character at an offset.
func (w *walker) find(offset int) bool {
	first, last := w.sheet.near(offset)
	return w.findIn(first, last, offset) || w.findIn(w.sheet.aside(), w.sheet.Len()-1, offset)
}

func (w *walker) findIn(first, last, offset int) bool {
	for row := first; row <= last; row++ {
		cells := w.sheet.cells(row)
		for i, c := range cells {
			if c.start <= offset && offset < c.end {
				w.row, w.cells, w.i = row, cells, i
				return true
			}
		}
	}
	return false
}

// findAfter goes to the first cell that begins at an offset or behind it.
func (w *walker) findAfter(offset int) bool {
	first, last := w.sheet.near(offset)
	for ok := w.firstFrom(min(first, last+1)); ok; ok = w.next() {
		if w.cell().start >= offset {
			return true
		}
	}
	return false
}

// findBefore goes to the last cell that ends at an offset or before it.
func (w *walker) findBefore(offset int) bool {
	_, last := w.sheet.near(offset)
	for ok := w.lastUpTo(last); ok; ok = w.prev() {
		if w.cell().end <= offset {
			return true
		}
	}
	return false
}

// edges are the places that a stretch of a sheet's text begins and ends at. They
// are the same for an empty one.
func edges(p sheet, start, end int) (from, to markdown.Place) {
	if start >= end {
		from = caretAt(p, start)
		return from, from
	}
	w := walker{sheet: p}
	switch {
	case w.find(start), w.findAfter(start):
		from = w.before()
	default:
		from = markdown.Place{Row: p.Len()}
	}
	switch {
	case w.find(end - 1), w.findBefore(end):
		to = w.behind()
	default:
		to = markdown.Place{Row: -1}
	}
	return from, to
}

// caretAt is the place between two characters.
func caretAt(p sheet, offset int) markdown.Place {
	w := walker{sheet: p}
	switch {
	case w.find(offset):
		return w.before()
	case offset > 0 && w.find(offset-1):
		return w.behind()
	case w.findAfter(offset):
		return w.before()
	case w.lastUpTo(p.Len() - 1):
		return w.behind()
	}
	return markdown.Place{}
}

// touch is the stretch that a place on a sheet stands for: the cell that is there,
// or what is between two.
func touch(p sheet, at markdown.Place) (start, end int) {
	w := walker{sheet: p}
	if at.Row >= p.Len() {
		return p.size(), p.size()
	}
	cells := p.cells(at.Row)
	if len(cells) == 0 {
		if w.firstFrom(at.Row) {
			return w.cell().start, w.cell().start
		}
		return p.size(), p.size()
	}
	for _, c := range cells {
		switch {
		case at.Col < c.col:
			return c.start, c.start
		case at.Col < c.right():
			return c.start, c.end
		}
	}
	end = cells[len(cells)-1].end
	return end, end
}

func earlier(a, b markdown.Place) markdown.Place {
	if b.Row < a.Row || b.Row == a.Row && b.Col < a.Col {
		return b
	}
	return a
}

func later(a, b markdown.Place) markdown.Place {
	if earlier(a, b) == a {
		return b
	}
	return a
}
