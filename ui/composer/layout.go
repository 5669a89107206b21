package composer

import (
	"maps"
	"sort"

	"github.com/charmbracelet/x/ansi"
)

// A line is laid out in blocks of about blockSize bytes, each beginning a new
// row, so that a key in a line of a megabyte costs what it costs in a short
// one. Where blocks end depends on nothing but the line's text: within
// blockSlack bytes behind a multiple of blockSize, after a blank if there is
// one in the first half of them.
const (
	blockSize  = 8 << 10
	blockSlack = 512
	blockSync  = 128 // bytes before the border from which clusters are found
	maxBlocks  = 256
)

// layout breaks the text into rows, on demand. It holds what it has measured
// until reset.
type layout struct {
	text   *node
	width  int
	method ansi.Method
	blocks map[int]*block // by start
	bounds map[int]int    // ends of blocks by their nominal place
}

// block is a line or a part of one, broken into rows.
type block struct {
	start, end int
	last       bool // of its line
	text       string
	rows       []int // where rows start, relative to start, ascending
}

// row is one screen row.
type row struct {
	b *block
	i int
}

func (r row) start() int { return r.b.start + r.b.rows[r.i] }

// end is where the next row of the line starts, or the line's end.
func (r row) end() int {
	if r.i+1 < len(r.b.rows) {
		return r.b.start + r.b.rows[r.i+1]
	}
	return r.b.end
}

// closes tells whether the line ends with the row.
func (r row) closes() bool { return r.b.last && r.i+1 == len(r.b.rows) }

func (r row) text() string { return r.b.text[r.start()-r.b.start : r.end()-r.b.start] }

func (l *layout) reset(text *node) {
	l.text = text
	l.blocks, l.bounds = map[int]*block{}, map[int]int{}
}

// edited is reset after a change at a position: what lies far enough before it
// to have been broken without a look at it stays.
func (l *layout) edited(text *node, at int) {
	l.text = text
	maps.DeleteFunc(l.blocks, func(_ int, b *block) bool { return b.end+blockSlack >= at })
	maps.DeleteFunc(l.bounds, func(nominal, _ int) bool { return nominal+blockSlack >= at })
}

// at is the row of a position. What stands between two rows of a line belongs
// to the lower one.
func (l *layout) at(pos int) row {
	b := l.block(pos)
	i := sort.Search(len(b.rows), func(i int) bool { return b.start+b.rows[i] > pos })
	return row{b, i - 1}
}

func (l *layout) next(r row) (row, bool) {
	switch {
	case r.i+1 < len(r.b.rows):
		return row{r.b, r.i + 1}, true
	case !r.b.last:
		return l.at(r.b.end), true
	case r.b.end < l.text.len():
		return l.at(r.b.end + 1), true
	}
	return r, false
}

func (l *layout) prev(r row) (row, bool) {
	switch {
	case r.i > 0:
		return row{r.b, r.i - 1}, true
	case r.b.start > 0:
		return l.at(r.b.start - 1), true
	}
	return r, false
}

// block is the block of a position.
func (l *layout) block(pos int) *block {
	start, end := l.text.line(pos)
	first, last := start, true
	if end-first >= blockSize+blockSlack {
		k := (pos - first) / blockSize
		for start = l.bound(first, end, k); k > 0 && (start > pos || start == end); {
			k--
			start = l.bound(first, end, k)
		}
		bound := l.bound(first, end, k+1)
		last = bound == end
		end = bound
	}
	if b := l.blocks[start]; b != nil {
		return b
	}
	if len(l.blocks) >= maxBlocks {
		l.reset(l.text)
	}
	b := &block{start: start, end: end, last: last, text: l.text.slice(start, end)}
	l.wrap(b)
	l.blocks[start] = b
	return b
}

// bound is where the k-th block of the line [first, end) starts, end when
// there is no such block.
func (l *layout) bound(first, end, k int) int {
	nominal := first + k*blockSize
	switch {
	case k == 0:
		return first
	case nominal+blockSlack > end:
		return end
	}
	at, known := l.bounds[nominal]
	if !known {
		window := l.text.slice(nominal-blockSync, nominal+blockSlack)
		at = nominal - blockSync + blockBreak(window, l)
		l.bounds[nominal] = at
	}
	return at
}

// blockBreak finds the border in the text around its nominal place, which is
// blockSync bytes into it.
func blockBreak(s string, l *layout) int {
	i, between := 0, -1
	for i < len(s) && s[i]&0xC0 == 0x80 {
		i++
	}
	for i < len(s) && i < blockSync+blockSlack/2 {
		i += l.length(s[i:])
		if i < blockSync || i >= len(s) {
			continue
		}
		if blank(s[i-1]) && !blank(s[i]) {
			return i
		}
		if between < 0 {
			between = i
		}
	}
	if between >= 0 {
		return between
	}
	for i = blockSync; s[i]&0xC0 == 0x80; i++ {
	}
	return i
}

func blank(b byte) bool { return b == ' ' || b == '\t' }

// length is the bytes of the first cluster of s.
func (l *layout) length(s string) int {
	if s[0] == foldByte || s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return 1
	}
	return l.complex(s).n
}

// letters counts the single-column characters at the start of s, up to limit,
// that are a cluster each for certain: visible ASCII not followed by anything
// that could join it.
func letters(s string, limit int) int {
	n := 0
	for n < limit && n < len(s) && s[n] > ' ' && s[n] < 0x7F {
		n++
	}
	if n > 0 && n < len(s) && s[n] >= 0x80 {
		n--
	}
	return n
}

// wrap breaks a block into rows: at the last chance on a row, else by cluster.
// A word keeps the blank behind it, or the line's end, on its row, so that a
// row never begins with the blank that ended the row before and the caret
// behind a word has a cell; where that cannot be, a row is added for it.
func (l *layout) wrap(b *block) {
	b.rows = append(b.rows, 0)
	start, x := 0, 0        // of the row, on the row
	chance, chanceX := 0, 0 // the last place to break, not after start if none
	before, size := word, len(b.text)
	for i := 0; i < size; {
		if before == word {
			n := letters(b.text[i:], l.width-x)
			i, x = i+n, x+n
			if i == size {
				break
			}
		}
		g := l.cluster(b.text[i:], b.start+i, x)
		if g.class == before && before != word || g.class != before && g.class != space {
			chance, chanceX = i, x
		}
		for x+g.w > l.width {
			if chance <= start {
				chance, chanceX = i, x
			}
			start, x = chance, x-chanceX
			b.rows = append(b.rows, start)
			g = l.cluster(b.text[i:], b.start+i, x)
		}
		i, x, before = i+g.n, x+g.w, g.class
	}
	if b.last && x >= l.width {
		if before != word || chance <= start {
			chance = size
		}
		b.rows = append(b.rows, chance)
	}
}
