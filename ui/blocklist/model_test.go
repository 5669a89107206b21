package blocklist

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is the list as one would write it without a care for its cost:
// everything is laid out and joined for each look at it.
type model struct {
	blocks    []*textBlock
	w, h, gap int
	following bool
	at        modelAnchor
}

type modelAnchor struct {
	block               *textBlock
	source, nth, behind int
}

type modelRow struct {
	block  *textBlock
	line   int
	text   string
	source int
	behind int // rows behind the block's last
}

func (m *model) rows() []modelRow {
	var rows []modelRow
	for _, b := range m.blocks {
		lay := b.layout(m.w)
		if lay.Len() == 0 {
			continue
		}
		if len(rows) > 0 {
			last := rows[len(rows)-1]
			for g := range m.gap {
				rows = append(rows, modelRow{last.block, last.line + 1 + g, "", last.source, 1 + g})
			}
		}
		for i := range lay.Len() {
			rows = append(rows, modelRow{b, i, lay.Line(i), lay.Source(i), 0})
		}
	}
	return rows
}

// find is the index of the anchor's row; behind all rows if there is none.
func (m *model) find(rows []modelRow) int {
	best := -1
	for i, r := range rows {
		if r.block != m.at.block {
			continue
		}
		if m.at.behind > 0 && r.behind <= m.at.behind || m.at.behind == 0 && r.behind == 0 && r.source <= m.at.source {
			best = i
		}
	}
	if m.at.block == nil { // all from the reader's block on was removed
		return len(rows)
	}
	if best < 0 {
		after := slices.Index(m.blocks, m.at.block) + 1
		for i, r := range rows {
			if slices.Index(m.blocks, r.block) >= after {
				return i
			}
		}
		return len(rows)
	}
	if m.at.behind > 0 {
		if rows[best].behind < m.at.behind { // the gap is gone: the block is the last
			return len(rows)
		}
		return best
	}
	if rows[best].source != m.at.source {
		return best
	}
	first := best
	for first > 0 && rows[first-1].block == m.at.block && rows[first-1].source == m.at.source {
		first--
	}
	return min(first+m.at.nth, best)
}

func (m *model) anchor(rows []modelRow, top int) {
	m.at = modelAnchor{}
	if len(rows) == 0 {
		if len(m.blocks) > 0 {
			m.at.block = m.blocks[0]
		}
		return
	}
	r := rows[top]
	m.at = modelAnchor{block: r.block, source: r.source, behind: r.behind}
	for i := top - r.behind; i > 0 && rows[i-1].block == r.block && rows[i-1].source == r.source; i-- {
		m.at.nth++
	}
}

func (m *model) settle() (rows []modelRow, top int) {
	rows = m.rows()
	end := max(len(rows)-m.h, 0)
	if m.following {
		m.anchor(rows, end)
		return rows, end
	}
	top = m.find(rows)
	if top > end || len(rows) == 0 {
		top = end
		m.anchor(rows, top)
	} else if rows[top].block != m.at.block {
		m.anchor(rows, top)
	}
	return rows, top
}

func (m *model) scroll(by int) {
	if len(m.blocks) == 0 || by == 0 {
		return
	}
	rows, top := m.settle()
	end := max(len(rows)-m.h, 0)
	if by < 0 {
		m.following = false
	}
	if m.following {
		return
	}
	to := min(max(top+by, 0), end)
	m.anchor(rows, to)
	if by > 0 {
		m.following = to == end
	}
}

func (m *model) visible() []string {
	out := make([]string, m.h)
	rows, top := m.settle()
	for y := range out {
		if top+y < len(rows) {
			out[y] = rows[top+y].text
		}
	}
	return out
}

func (m *model) remove(i, n int) {
	if j := slices.Index(m.blocks, m.at.block); j >= i && j < i+n {
		if i+n < len(m.blocks) {
			m.at = modelAnchor{block: m.blocks[i+n]}
		} else {
			m.at = modelAnchor{}
		}
	}
	m.blocks = slices.Delete(m.blocks, i, i+n)
}

// pair drives the list and the model together.
type pair struct {
	t    *testing.T
	r    *rand.Rand
	list *List
	model
	made int
	log  []string
}

func newPair(t *testing.T, seed uint64, gap int) *pair {
	p := &pair{t: t, r: rand.New(rand.NewPCG(seed, 1)), list: New(gap)}
	p.model = model{w: 20, h: 8, gap: gap, following: true}
	p.list.SetSize(20, 8)
	return p
}

func (p *pair) block() *textBlock {
	p.made++
	b := &textBlock{name: fmt.Sprintf("b%d", p.made), length: p.r.IntN(400), titled: p.r.IntN(2) == 0}
	switch p.r.IntN(8) {
	case 0:
		b.length = 0
	case 1:
		b.length = 1
	}
	b.off = p.r.IntN(30) - 5
	return b
}

func (p *pair) step() {
	n := len(p.blocks)
	op := p.r.IntN(16)
	p.log = append(p.log, fmt.Sprint(op))
	switch {
	case op <= 4:
		by := p.r.IntN(41) - 20
		p.list.ScrollBy(by)
		p.scroll(by)
	case op == 5:
		by := p.r.IntN(2*walkRows) - walkRows
		p.list.ScrollBy(by)
		p.scroll(by)
	case op == 6 || n == 0:
		b := p.block()
		p.list.Append(b)
		p.blocks = append(p.blocks, b)
		if n == 0 {
			p.at = modelAnchor{block: b}
		}
	case op == 7:
		p.blocks[p.r.IntN(n)].grow(p.r.IntN(100))
	case op == 8:
		p.blocks[n-1].grow(p.r.IntN(100))
	case op == 9:
		p.blocks[p.r.IntN(n)].toggle()
	case op == 10:
		p.w, p.h = 1+p.r.IntN(40), 1+p.r.IntN(20)
		p.list.SetSize(p.w, p.h)
	case op == 11:
		a, b := p.block(), p.block()
		p.list.Prepend(a, b)
		p.blocks = slices.Insert(p.blocks, 0, a, b)
	case op == 12:
		i, b := p.r.IntN(n+1), p.block()
		p.list.Insert(i, b)
		p.blocks = slices.Insert(p.blocks, i, b)
	case op == 13 && n > 8:
		i := p.r.IntN(n)
		k := 1 + p.r.IntN(min(n-i, 6))
		p.list.Remove(i, k)
		p.remove(i, k)
	case op == 14:
		p.end()
	case op == 15:
		p.blocks[p.r.IntN(n)].setTo(p.r.IntN(100))
	}
}

func (p *pair) end() {
	if p.r.IntN(2) == 0 {
		p.list.ScrollTail()
		p.following = true
		return
	}
	p.list.ScrollTop()
	p.following = false
	p.anchor(p.rows(), 0)
}

func (p *pair) check(step int) {
	p.t.Helper()
	got, want := p.list.Rows(), p.visible()
	if !slices.Equal(got, want) {
		p.t.Fatalf("step %d (%v): %dx%d following %v of %.300v\ngot  %q\nwant %q", step, tail(p.log), p.w, p.h, p.following, fmt.Sprint(p.blocks), got, want)
	}
	if p.list.Following() != p.following {
		p.t.Fatalf("step %d (%v): following %v, want %v", step, tail(p.log), p.list.Following(), p.following)
	}
	rows, top := p.settle()
	if below := len(rows) - top - p.h; (p.list.Below() > 0) != (below > 0) {
		p.t.Fatalf("step %d (%v): %d rows below, want %d", step, tail(p.log), p.list.Below(), below)
	}
	for y := range p.h {
		pos, ok := p.list.At(y)
		if top+y >= len(rows) {
			if ok || pos.Block != -1 {
				p.t.Fatalf("step %d: a row of a block at %v, below the content", step, pos)
			}
			continue
		}
		r := rows[top+y]
		if p.list.Block(pos.Block) != r.block || pos.Line != r.line || ok != (r.behind == 0) {
			p.t.Fatalf("step %d: row %d is %v %v, want line %d of %v", step, y, pos, ok, r.line, r.block)
		}
	}
}

func tail(log []string) []string { return log[max(len(log)-12, 0):] }

func TestListShowsWhatACompletelyLaidOutOneWould(t *testing.T) {
	for _, gap := range []int{0, 1, 2} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("gap %d seed %d", gap, seed), func(t *testing.T) {
				p := newPair(t, seed, gap)
				for i := range 400 {
					p.step()
					p.check(i)
				}
			})
		}
	}
}

func TestLongJumpsAreExactWhereHeightsAreKnown(t *testing.T) {
	p := newPair(t, 7, 1)
	for range 120 {
		b := p.block()
		b.off = 0
		p.list.Append(b)
		p.blocks = append(p.blocks, b)
	}
	for i := range 100 {
		by := p.r.IntN(4000) - 2000
		p.list.ScrollBy(by)
		p.scroll(by)
		p.check(i)
		rows, top := p.settle()
		if got, want := p.list.Below(), len(rows)-top-p.h; got != max(want, 0) {
			t.Fatalf("%d rows below, want %d", got, want)
		}
	}
}
