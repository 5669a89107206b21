package blocklist

import "sort"

// anchor holds the top row of the window. A movement sets block and line; the
// source is taken from the layout then and is what counts from there on: it
// finds the row again after the block or the width has changed, and going back
// to an earlier width finds the same row.
type anchor struct {
	block, line int
	at          key // what line is for; the zero key if it must be found or checked

	known  bool // the fields below are
	source int  // of the row
	nth    int  // of the rows with this source, from 0
	over   int  // rows behind the last one: 1 is the first row of the gap
}

// resolve makes the line of the anchor true for the block as it is now.
func (l *List) resolve() {
	a := &l.top
	if a.block >= len(l.entries) {
		*a = anchor{block: len(l.entries)}
		return
	}
	e := l.layout(a.block)
	switch {
	case a.known && a.at == e.at:
		return
	case a.known:
		a.line = a.locate(e.layout)
	default:
		a.line = min(max(a.line, 0), max(l.extent(e.height)-1, 0))
		a.learn(e.layout)
	}
	a.at = e.at
}

// learn takes the source of the anchor's line from the layout.
func (a *anchor) learn(lay Layout) {
	a.known = true
	a.source, a.nth, a.over = 0, 0, 0
	n := lay.Len()
	if n == 0 {
		return
	}
	i := min(a.line, n-1)
	a.over = a.line - i
	a.source = lay.Source(i)
	a.nth = i - firstFrom(lay, a.source)
}

// locate finds the row of the layout that holds the anchor's source.
func (a *anchor) locate(lay Layout) int {
	n := lay.Len()
	if n == 0 {
		return 0
	}
	if a.over > 0 {
		return n - 1 + a.over
	}
	first, next := firstFrom(lay, a.source), firstFrom(lay, a.source+1)
	if first < next {
		return min(first+a.nth, next-1)
	}
	return max(first-1, 0)
}

// firstFrom is the first row whose source is not before the one given, or Len.
func firstFrom(lay Layout, source int) int {
	return sort.Search(lay.Len(), func(i int) bool { return lay.Source(i) >= source })
}

// mark is where the content ended when following ended: the rows behind it are
// new. The block is -1 when that was removed together with all before it.
type mark struct {
	block, lines int
	last         anchor // the last row that was there, to find it at another width
}

// unfollow ends following and sets the mark. The list is settled and not empty.
func (l *List) unfollow() {
	if !l.following {
		return
	}
	l.following = false
	last := len(l.entries) - 1
	l.mark = mark{block: last, lines: l.entries[last].height}
	if e := l.entries[last]; e.layout != nil && e.rows > 0 {
		l.mark.last.line = e.rows - 1
		l.mark.last.learn(e.layout)
	}
}
