package blocklist

import "fmt"

// textBlock has a text of a length in columns, broken at the width. Its title
// row, if any, shares the source of the first row of the text.
type textBlock struct {
	name      string
	length    int
	titled    bool
	collapsed bool
	off       int // what Estimate is wrong by
	version   uint64
	laid      int  // calls of Layout
	wise      bool // Estimate is exact once the block was laid out
}

func (b *textBlock) Version() uint64 { return b.version }

func (b *textBlock) Estimate(width int) int {
	if b.wise && b.laid > 0 {
		return b.layout(width).Len()
	}
	return b.layout(width).Len() + b.off
}

func (b *textBlock) Layout(width int) Layout {
	b.laid++
	if width < 1 {
		panic("layout without a width")
	}
	return b.layout(width)
}

func (b *textBlock) layout(width int) textLayout {
	l := textLayout{name: b.name, width: width, rows: (b.length + width - 1) / width}
	if b.titled && b.length > 0 {
		l.title = 1
	}
	if b.collapsed && b.length > 0 {
		l.rows, l.title = 0, 1
	}
	return l
}

func (b *textBlock) grow(n int)     { b.length += n; b.version++ }
func (b *textBlock) toggle()        { b.collapsed = !b.collapsed; b.version++ }
func (b *textBlock) tick()          { b.version++ }
func (b *textBlock) setTo(n int)    { b.length = n; b.version++ }
func (b *textBlock) String() string { return fmt.Sprintf("%s(%d)", b.name, b.length) }

type textLayout struct {
	name               string
	width, rows, title int
}

func (l textLayout) Len() int { return l.rows + l.title }

func (l textLayout) Line(i int) string {
	if i < l.title {
		return l.name + " title"
	}
	return fmt.Sprintf("%s %d", l.name, l.Source(i))
}

func (l textLayout) Source(i int) int { return max(i-l.title, 0) * l.width }
