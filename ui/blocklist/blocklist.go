// Package blocklist is a virtual list of blocks of variable height with a
// follow mode. Only what is visible is laid out, so neither the number of
// blocks nor their size is felt. The position is (block, line): what happens
// above or below never moves what is being read.
//
// It is a leaf: it knows nothing of chats, styles or keys.
//
// [List.Append] and its siblings fill a list, [List.ScrollBy] and its siblings
// move in it, [List.Rows] gives what is on screen. A block tells by its Version
// that it changed; the list finds out by itself when it next draws.
package blocklist

import "slices"

// Block is something that can be laid out. A *T is used as its identity.
type Block interface {
	// Version changes whenever what Layout returns would change.
	Version() uint64
	// Estimate guesses the height at a width without laying out. It is called
	// for every block that is added, and beside every Layout, so it must be cheap.
	Estimate(width int) int
	// Layout lays the block out. It is called only for what is on screen, again
	// after Version or the width has changed; it must be total for width >= 1.
	Layout(width int) Layout
}

// Layout is a block at one width. It must not change once it was returned. One
// without rows takes no room in the list, not even a gap.
type Layout interface {
	Len() int
	Line(i int) string // the row, styled, at most the width, not padded
	// Source is a monotonic position in the block's text that the row starts
	// at; it keeps the reader's place when the width changes.
	Source(i int) int
}

// Pos is a position: a row of a block. Gap rows between blocks belong to the
// block above, as lines behind its last.
type Pos struct{ Block, Line int }

// List is a virtual list. It is used by one goroutine.
type List struct {
	entries       []*entry
	heights       heights
	cache         cache
	width, height int
	gap           int
	following     bool
	top           anchor // settled by settle before each use
	more          bool   // content goes on below the window; set by settle
	mark          mark   // meaningful only while not following
}

// New returns an empty list that follows its tail. gap is the number of blank
// rows between blocks.
func New(gap int) *List { return &List{gap: max(gap, 0), following: true} }

// SetSize sets the size of the window. The reader keeps their place: the tail
// when following, else the source position of the top row. Without a window, at
// a width or height below 1, nothing is laid out and only the place is kept.
func (l *List) SetSize(width, height int) {
	width, l.height = max(width, 0), max(height, 0)
	if width == l.width {
		return
	}
	first := l.width < 1
	if !first {
		l.refresh()
	}
	l.width = width
	switch {
	case width < 1:
	case first:
		for i, e := range l.entries {
			l.guess(i, e)
		}
	case !l.following && l.mark.block >= 0:
		l.guess(l.mark.block, l.entries[l.mark.block])
	}
}

// Append adds a block at the end.
func (l *List) Append(b Block) {
	e := newEntry(b, l.width)
	l.entries = append(l.entries, e)
	l.heights.append(l.extent(e.height))
}

// Prepend adds blocks before the first; what is on screen stays.
func (l *List) Prepend(bs ...Block) { l.insert(0, bs...) }

// Insert adds a block at index i, which is clamped to the list; what is on
// screen stays when it goes before the top block or in its place.
func (l *List) Insert(i int, b Block) { l.insert(min(max(i, 0), len(l.entries)), b) }

func (l *List) insert(i int, bs ...Block) {
	es, hs := make([]*entry, len(bs)), make([]int, len(bs))
	for j, b := range bs {
		es[j] = newEntry(b, l.width)
		hs[j] = l.extent(es[j].height)
	}
	empty := len(l.entries) == 0
	l.entries = slices.Insert(l.entries, i, es...)
	l.heights.insert(i, hs...)
	if empty {
		return
	}
	if i <= l.top.block {
		l.top.block += len(bs)
	}
	if i <= l.mark.block {
		l.mark.block += len(bs)
	}
}

// Remove takes n blocks from index i on out of the list, as many as there are.
// A reader inside of them is put on what comes after.
func (l *List) Remove(i, n int) {
	i = min(max(i, 0), len(l.entries))
	n = min(max(n, 0), len(l.entries)-i)
	if n == 0 {
		return
	}
	for _, e := range l.entries[i : i+n] {
		l.cache.drop(e)
	}
	l.entries = slices.Delete(l.entries, i, i+n)
	l.heights.remove(i, n)
	switch {
	case l.top.block >= i+n:
		l.top.block -= n
	case l.top.block >= i:
		l.top = anchor{block: i}
	}
	switch {
	case l.mark.block >= i+n:
		l.mark.block -= n
	case l.mark.block >= i:
		l.mark = mark{block: i - 1}
		if i > 0 {
			l.mark.lines = l.entries[i-1].height
		}
	}
}

// Reset empties the list and follows again. The size stays.
func (l *List) Reset() {
	*l = List{width: l.width, height: l.height, gap: l.gap, following: true}
}

// Len is the number of blocks.
func (l *List) Len() int { return len(l.entries) }

// Block returns block i, 0 <= i < Len.
func (l *List) Block(i int) Block { return l.entries[i].block }

// Index returns where b is in the list, or -1. It looks from the end, where
// what is live is.
func (l *List) Index(b Block) int {
	for i, e := range slices.Backward(l.entries) {
		if e.block == b {
			return i
		}
	}
	return -1
}

// Width is the width of the window in columns, never negative.
func (l *List) Width() int { return l.width }

// Height is the height of the window in rows, never negative.
func (l *List) Height() int { return l.height }

// Following tells whether the tail is kept in view. Any movement upwards ends
// it, reaching the last row by a movement downwards begins it, new content
// never changes it.
func (l *List) Following() bool { return l.following }

func (l *List) windowed() bool { return l.width >= 1 && l.height >= 1 }
