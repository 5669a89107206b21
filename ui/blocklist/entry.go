package blocklist

// entry is a block with what is known of its height and, while it is cached,
// its layout.
type entry struct {
	block  Block
	key    key  // what the height is for
	height int  // rows without the gap: laid out, or a guess
	exact  bool // the height was laid out at key.width, or follows from one that was
	guess  int  // what Estimate said for the key, to correct later guesses by
	cached
}

// key is what a layout depends on. The zero width stands for none.
type key struct {
	version uint64
	width   int
}

func newEntry(b Block, width int) *entry {
	e := &entry{block: b, key: key{b.Version(), width}}
	e.guess = estimate(b, width)
	e.height = e.guess
	return e
}

func estimate(b Block, width int) int {
	if width < 1 {
		return 1
	}
	return max(b.Estimate(width), 0)
}

// layout lays block i out at the width of the window, if that was not done yet.
func (l *List) layout(i int) *entry {
	e := l.entries[i]
	k := key{e.block.Version(), l.width}
	if e.layout == nil || e.at != k {
		l.cache.put(e, k, e.block.Layout(l.width))
	} else {
		l.cache.use(e)
	}
	if e.key != k || !e.exact || e.height != e.rows {
		// Estimated again: a block may know better once it was laid out.
		l.measure(i, k, e.rows, estimate(e.block, l.width), true)
	}
	if m := &l.mark; !l.following && i == m.block && m.last.known {
		m.lines = min(m.last.locate(e.layout)+1, e.rows)
	}
	return e
}

// guess estimates the height of block i. One that was laid out is corrected by
// how much the estimate has moved since, so that a block whose version changes
// without its text (a timer in it) does not seem to grow.
func (l *List) guess(i int, e *entry) {
	k := key{e.block.Version(), l.width}
	g := estimate(e.block, l.width)
	if h := e.height + g - e.guess; e.exact && e.key.width == k.width && h >= 0 {
		l.measure(i, k, h, g, true)
		return
	}
	l.measure(i, k, g, g, false)
}

// measure records a height, and keeps the mark on the row that it was on: only
// a change of the block itself counts as growth, not a change of the width nor a
// guess that was wrong.
func (l *List) measure(i int, k key, height, guess int, exact bool) {
	e := l.entries[i]
	if !l.following && i == l.mark.block {
		switch {
		case k.width != e.key.width && l.mark.lines >= e.height:
			l.mark.lines = height
		case k.width != e.key.width:
			l.mark.lines = l.mark.lines * height / e.height
		case exact && !e.exact && k.version == e.key.version:
			l.mark.lines = max(l.mark.lines+height-e.height, 0)
		}
	}
	e.key, e.height, e.guess, e.exact = k, height, guess, exact
	l.heights.set(i, l.extent(height))
}

// extent is the room that a block of a height takes in the list.
func (l *List) extent(height int) int {
	if height == 0 {
		return 0
	}
	return height + l.gap
}

// room is the exact extent of block i, which is laid out for it.
func (l *List) room(i int) int { return l.extent(l.layout(i).height) }
