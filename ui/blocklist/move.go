package blocklist

// Movements up to this many windows, and this many rows, are walked row by row;
// longer ones go by the estimated heights, so that nothing in between is laid out.
const (
	walkWindows = 4
	walkRows    = 100
)

// ScrollBy moves by rows, negative is up. Over distances of more than a few
// windows the height of what was never laid out is estimated.
func (l *List) ScrollBy(rows int) {
	if rows == 0 || !l.settle() {
		return
	}
	if rows < 0 {
		l.unfollow()
	}
	if l.following {
		return
	}
	from := Pos{l.top.block, l.top.line}
	far := max(walkWindows*l.height, walkRows)
	switch {
	case rows < -far || rows > far:
		l.place(l.jump(from, rows))
	case rows < 0:
		l.place(l.up(from, -rows))
	default:
		l.place(l.down(from, rows))
	}
	if rows > 0 {
		l.followAtEnd()
	}
}

// ScrollTop goes to the first row.
func (l *List) ScrollTop() { l.SetTop(Pos{}) }

// ScrollTail goes to the end and follows.
func (l *List) ScrollTail() { l.following = true }

// Show scrolls no more than needed to make the first rows of block i visible:
// all of them, up to half a window. It does nothing for a block that is not there.
func (l *List) Show(i int) {
	if i < 0 || i >= len(l.entries) || !l.settle() {
		return
	}
	if i < l.top.block || i == l.top.block && l.top.line > 0 {
		l.unfollow()
		l.place(Pos{Block: i})
		return
	}
	rows := min(l.layout(i).height, (l.height+1)/2)
	y := -l.top.line
	for j := l.top.block; j < i && y < l.height; j++ {
		y += l.room(j)
	}
	if y+rows <= l.height {
		return
	}
	l.place(l.up(Pos{Block: i}, l.height-rows))
	l.followAtEnd()
}

// ShowRow scrolls no more than needed to make a row visible. It does nothing for
// a block that is not there; lines are clamped to the block.
func (l *List) ShowRow(p Pos) {
	if p.Block < 0 || p.Block >= len(l.entries) || !l.settle() {
		return
	}
	p.Line = min(max(p.Line, 0), max(l.layout(p.Block).height-1, 0))
	top := Pos{l.top.block, l.top.line}
	if p.Block < top.Block || p.Block == top.Block && p.Line < top.Line {
		l.unfollow()
		l.place(p)
		return
	}
	y := p.Line - top.Line
	for j := top.Block; j < p.Block && y < l.height; j++ {
		y += l.room(j)
	}
	if y >= l.height {
		l.place(l.up(p, l.height-1))
		l.followAtEnd()
	}
}

// Top is the position of the first visible row.
func (l *List) Top() Pos {
	if !l.settle() && l.top.block >= len(l.entries) {
		return Pos{Block: max(len(l.entries)-1, 0)}
	}
	return Pos{l.top.block, l.top.line}
}

// SetTop puts a row at the top of the window, or as near to it as the end of the
// content allows, without following. Positions that are not there are clamped.
func (l *List) SetTop(p Pos) {
	if len(l.entries) == 0 {
		return
	}
	l.settle()
	l.unfollow()
	l.place(Pos{min(max(p.Block, 0), len(l.entries)-1), max(p.Line, 0)})
}

// TopSource is the block and source position of the first visible row, to be
// stored and given to SetTopSource later, at any width.
func (l *List) TopSource() (block, source int) {
	if !l.settle() {
		return min(l.top.block, max(len(l.entries)-1, 0)), l.top.source
	}
	if l.top.over > 0 {
		for i := l.top.block + 1; i < len(l.entries); i++ {
			if e := l.layout(i); e.rows > 0 {
				return i, e.layout.Source(0)
			}
		}
	}
	return l.top.block, l.top.source
}

// SetTopSource puts the row with a source position at the top of the window as
// SetTop does.
func (l *List) SetTopSource(block, source int) {
	if len(l.entries) == 0 {
		return
	}
	l.settle()
	l.unfollow()
	l.top = anchor{block: min(max(block, 0), len(l.entries)-1), known: true, source: source}
}

func (l *List) place(p Pos) { l.top = anchor{block: p.Block, line: p.Line} }

// followAtEnd begins to follow if the last row is in the window.
func (l *List) followAtEnd() {
	l.settle()
	l.following = !l.more
}

// up is the position rows above p, or the first.
func (l *List) up(p Pos, rows int) Pos {
	for rows > p.Line {
		if p.Block == 0 {
			return Pos{}
		}
		rows -= p.Line
		p.Block--
		p.Line = l.room(p.Block)
	}
	p.Line -= rows
	return p
}

// down is the position rows below p, or the one behind the last.
func (l *List) down(p Pos, rows int) Pos {
	p.Line += rows
	for p.Block < len(l.entries) {
		room := l.room(p.Block)
		if p.Line < room {
			return p
		}
		p.Line -= room
		p.Block++
	}
	return Pos{Block: p.Block}
}

// jump is about the position rows from p.
func (l *List) jump(p Pos, rows int) Pos {
	at := l.heights.before(p.Block) + p.Line
	block, line := l.heights.find(max(at+min(rows, l.heights.total()), 0))
	return Pos{block, line}
}

// settle makes the top row true and everything in the window laid out: the tail
// when following, else the row that the reader is at, moved up only if the
// content ends above the end of the window. It tells whether there is anything
// to see.
func (l *List) settle() bool {
	if !l.windowed() || len(l.entries) == 0 {
		return false
	}
	l.cache.pass++
	if l.following {
		l.place(Pos{Block: len(l.entries)})
	}
	l.resolve()
	at := Pos{l.top.block, l.top.line}
	p := l.down(at, 0)
	short := l.fill(p)
	if short > 0 {
		p = l.up(p, short)
		if q := l.down(p, 0); q.Block < len(l.entries) {
			p = q // over blocks without rows
		}
	}
	if p != at {
		l.place(p)
		l.resolve()
	}
	l.cache.trim()
	return true
}

// fill lays out the window from p on. It returns how many rows are missing to
// fill it and notes whether there is more below it. The gap behind the last row
// is no content.
func (l *List) fill(p Pos) (short int) {
	rows := -p.Line - l.gap
	for i := p.Block; i < len(l.entries); i++ {
		rows += l.room(i)
		if rows > l.height {
			l.more = true
			return 0
		}
	}
	l.more = false
	return l.height - rows
}
