package ui

import (
	"iter"
	"slices"
	"sort"

	"waferchat/session"
)

// findable is a block with text to be searched.
type findable interface {
	block
	// findText is its text from an offset on.
	findText(from int) string
	// findSize is the length of its text in bytes.
	findSize() int
	// findGrows tells whether new text only adds to the end of what findText gave.
	findGrows() bool
}

// foldable is a block that can show more of its text.
type foldable interface {
	// unfold shows all of it. fold undoes that, unless the user did meanwhile; it is
	// nil when all of it was shown.
	unfold() (fold func())
}

// piece is a block's text with the hits in it.
type piece struct {
	block findable
	at    int  // index of the block in the list
	known bool // hits are those in the first size bytes
	size  int
	live  bool // it was still arriving when it was searched
	hits  []span
}

// hit names a hit by its piece and its place in it.
type hit struct {
	piece *piece
	start int32
}

// pieces are the texts of a conversation in order. They are searched from the
// one that is read on to the end, then backwards to the beginning: what is nearest
// is known first, and what is known is always without a gap.
type pieces struct {
	all         []*piece
	from        int      // where the search began
	lo, hi      int      // those in between are known
	arriving    []*piece // known, and still growing
	count       int      // blocks in the list
	first, last block
}

// collect brings the pieces up to the list. It tells whether they begin anew, but
// for what is known of those that are still there.
func (p *pieces) collect(t *transcript) (anew bool) {
	n := t.list.Len()
	if n == 0 {
		anew = p.count > 0
		*p = pieces{}
		return anew
	}
	first, last := t.blockAt(0), t.blockAt(n-1)
	if n == p.count && first == p.first && last == p.last {
		return false
	}
	begin := p.count
	if p.count == 0 || n < p.count || first != p.first || t.blockAt(p.count-1) != p.last {
		anew, begin = true, 0
		p.all = nil
	}
	for i := begin; i < n; i++ {
		if b, ok := t.blockAt(i).(findable); ok {
			p.all = append(p.all, &piece{block: b, at: i})
		}
	}
	p.count, p.first, p.last = n, first, last
	return anew
}

// keep takes over what was known of blocks that are still there.
func (p *pieces) keep(old []*piece) {
	known := make(map[findable]*piece, len(old))
	for _, o := range old {
		known[o.block] = o
	}
	for i, q := range p.all {
		if o := known[q.block]; o != nil {
			o.at = q.at
			p.all[i] = o
		}
	}
}

// begin forgets all hits, and begins at the block with an index in the list.
func (p *pieces) begin(block int) {
	for _, q := range p.all {
		q.known, q.hits, q.size, q.live = false, nil, 0, false
	}
	p.restart(block)
}

// restart goes through the pieces anew, without searching again what is known.
func (p *pieces) restart(block int) {
	p.from = p.index(block)
	p.lo, p.hi = p.from, p.from
	p.arriving = nil
	for _, q := range p.all {
		if q.known && q.live {
			p.arriving = append(p.arriving, q)
		}
	}
	p.advance()
}

// of is the piece of the block with an index in the list, nil if it has none.
func (p *pieces) of(block int) *piece {
	if i := p.index(block); i < len(p.all) && p.all[i].at == block {
		return p.all[i]
	}
	return nil
}

// index is the index of the first piece of a block from one in the list on.
func (p *pieces) index(block int) int {
	return sort.Search(len(p.all), func(i int) bool { return p.all[i].at >= block })
}

// done tells whether everything was searched, but for what arrives.
func (p *pieces) done() bool { return p.lo == 0 && p.hi == len(p.all) }

// due gives the pieces that are to be searched next: those that were not, then
// those that have grown.
func (p *pieces) due(live session.MessageID) iter.Seq[*piece] {
	return func(yield func(*piece) bool) {
		for _, q := range p.all[p.hi:] {
			if !q.known && !yield(q) {
				return
			}
		}
		for _, q := range slices.Backward(p.all[:p.lo]) {
			if !q.known && !yield(q) {
				return
			}
		}
		for _, q := range p.arriving {
			if (q.size != q.block.findSize() || q.live != q.arrives(live)) && !yield(q) {
				return
			}
		}
	}
}

// advance takes note of what has become known.
func (p *pieces) advance() {
	for p.hi < len(p.all) && p.all[p.hi].known {
		p.hi++
	}
	for p.hi == len(p.all) && p.lo > 0 && p.all[p.lo-1].known {
		p.lo--
	}
}

// arrives tells whether the piece is of the message that is arriving.
func (q *piece) arrives(live session.MessageID) bool {
	return live != "" && q.block.message() == live
}

// record keeps what a search found: the hits from an offset on, in text of a size.
func (p *pieces) record(q *piece, from, size int, live bool, hits []span) {
	if k := sort.Search(len(q.hits), func(i int) bool { return int(q.hits[i].start) >= from }); k > 0 {
		hits = append(q.hits[:k], hits...)
	}
	q.hits = hits
	q.known, q.size, q.live = true, size, live
	p.arriving = slices.DeleteFunc(p.arriving, func(o *piece) bool { return o == q })
	if live {
		p.arriving = append(p.arriving, q)
	}
}

// resume is where the search of a piece goes on when text was added to it: where
// what was known can no longer change.
func (q *piece) resume(n *needle) int {
	if !q.known || !q.live || !q.block.findGrows() || q.block.findSize() < q.size {
		return 0
	}
	from := max(q.size-overlap*(1+len(n.folded)), 0)
	i := sort.Search(len(q.hits), func(i int) bool { return int(q.hits[i].start) >= from })
	if i > 0 {
		from = max(from, int(q.hits[i-1].end))
	}
	return from
}

// overlap is how many bytes a character of a hit takes at most, accents and markup
// around it included; more is not looked for in text that is still arriving.
const overlap = 16

// tally counts the hits, and those up to one, itself included.
func (p *pieces) tally(h hit) (nth, total int) {
	for _, q := range p.all[p.lo:p.hi] {
		if q == h.piece {
			nth = total + 1 + sort.Search(len(q.hits), func(i int) bool { return q.hits[i].start >= h.start })
		}
		total += len(q.hits)
	}
	return nth, total
}

// after is the first hit in a piece at an offset or behind it, or in the pieces
// behind it that are known.
func (p *pieces) after(piece int, offset int32) (hit, bool) {
	for i := max(piece, p.lo); i < p.hi; i++ {
		hits := p.all[i].hits
		j := 0
		if i == piece {
			j = sort.Search(len(hits), func(j int) bool { return hits[j].start >= offset })
		}
		if j < len(hits) {
			return hit{p.all[i], hits[j].start}, true
		}
	}
	return hit{}, false
}

// before is the last hit in a piece before an offset, or in the pieces before it
// that are known.
func (p *pieces) before(piece int, offset int32) (hit, bool) {
	for i := min(piece, p.hi-1); i >= p.lo; i-- {
		hits := p.all[i].hits
		j := len(hits)
		if i == piece {
			j = sort.Search(len(hits), func(j int) bool { return hits[j].start >= offset })
		}
		if j > 0 {
			return hit{p.all[i], hits[j-1].start}, true
		}
	}
	return hit{}, false
}

// span is the range of a hit; ok is false when there is none any more.
func (h hit) span() (s span, ok bool) {
	if h.piece == nil {
		return span{}, false
	}
	i, found := slices.BinarySearchFunc(h.piece.hits, h.start, func(s span, at int32) int { return int(s.start) - int(at) })
	if !found {
		return span{}, false
	}
	return h.piece.hits[i], true
}
