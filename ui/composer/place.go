package composer

// each visits the clusters of a row in order, with the byte of the text and the
// column where each starts, until visit returns false. It returns where it
// ended.
func (l *layout) each(r row, visit func(at, x int, g cluster) bool) (at, x int) {
	at, end := r.start(), r.end()
	for at < end {
		g := l.cluster(r.b.text[at-r.b.start:end-r.b.start], at, x)
		if !visit(at, x, g) {
			return at, x
		}
		at, x = at+g.n, x+g.w
	}
	return at, x
}

// column is the column of a position on its row.
func (l *layout) column(r row, pos int) int {
	_, x := l.each(r, func(at, _ int, _ cluster) bool { return at < pos })
	return x
}

// position is the last place on the row that is not right of column x.
func (l *layout) position(r row, x int) int {
	last := r.start()
	at, end := l.each(r, func(at, from int, _ cluster) bool {
		if from > x {
			return false
		}
		last = at
		return true
	})
	if end <= x && at == r.end() && r.closes() {
		return at
	}
	return last
}

// snap is the first place between two clusters at or behind pos.
func (l *layout) snap(pos int) int {
	pos = max(0, min(pos, l.text.len()))
	at, _ := l.each(l.at(pos), func(at, _ int, _ cluster) bool { return at < pos })
	return at
}

// snapLeft is the last place between two clusters at or before pos.
func (l *layout) snapLeft(pos int) int {
	at, _ := l.each(l.at(pos), func(at, _ int, g cluster) bool { return at+g.n <= pos })
	return at
}

// left and right are the neighbouring places of one between two clusters.
func (l *layout) left(pos int) int {
	if pos == 0 || l.text.byteAt(pos-1) == '\n' {
		return max(pos-1, 0)
	}
	return l.snapLeft(pos - 1)
}

func (l *layout) right(pos int) int {
	if pos >= l.text.len() || l.text.byteAt(pos) == '\n' {
		return min(pos+1, l.text.len())
	}
	b := l.block(pos)
	return pos + l.length(b.text[pos-b.start:])
}
