package blocklist

// Reveal puts row p at the window's row y, counted from 0, or as near to it as the
// ends of the content allow, without following. What is out of range is clamped.
func (l *List) Reveal(p Pos, y int) {
	if len(l.entries) == 0 {
		return
	}
	p = Pos{min(max(p.Block, 0), len(l.entries)-1), max(p.Line, 0)}
	if !l.settle() {
		l.SetTop(p)
		return
	}
	l.unfollow()
	p.Line = min(p.Line, max(l.room(p.Block)-1, 0))
	l.place(l.up(p, min(max(y, 0), l.height-1)))
}
