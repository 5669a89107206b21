package blocklist

import (
	"fmt"
	"slices"
	"testing"
)

func TestContentShorterThanTheWindowStartsAtTheTop(t *testing.T) {
	l := New(1)
	l.SetSize(10, 6)
	l.Append(&textBlock{name: "a", length: 20})
	l.Append(&textBlock{name: "b", length: 5})
	if got, want := l.Rows(), []string{"a 0", "a 10", "", "b 0", "", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if row, n := l.Thumb(); row != 0 || n != 0 {
		t.Errorf("a thumb of %d rows at %d", n, row)
	}
}

func TestABlockWithoutRowsTakesNoRoom(t *testing.T) {
	l := New(1)
	l.SetSize(10, 4)
	for _, b := range []*textBlock{{}, {name: "a", length: 5}, {}, {}, {name: "b", length: 5}, {}} {
		l.Append(b)
	}
	for _, move := range []func(){func() {}, l.ScrollTop, func() { l.SetTop(Pos{5, 0}) }} {
		move()
		if got, want := l.Rows(), []string{"a 0", "", "b 0", ""}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBlocksWithoutRowsShowNothingUntilTheyHaveSome(t *testing.T) {
	l := New(1)
	l.SetSize(10, 2)
	b := &textBlock{name: "a"}
	l.Append(&textBlock{})
	l.Append(b)
	l.ScrollTop()
	if got := l.Rows(); !slices.Equal(got, []string{"", ""}) {
		t.Errorf("got %q", got)
	}
	b.grow(100)
	if got, want := l.Rows(), []string{"a 0", "a 10"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAResizeKeepsWhatIsRead(t *testing.T) {
	l := New(1)
	l.SetSize(40, 10)
	for i := range 30 {
		l.Append(&textBlock{name: fmt.Sprint("b", i), length: 900, titled: i%2 == 0})
	}
	l.SetTop(Pos{20, 13})
	want := l.Rows()
	_, source := l.TopSource()
	for _, width := range []int{7, 100, 0, 13, 1, 39} {
		l.SetSize(width, 10)
		if width < 1 {
			continue
		}
		block := l.Block(20).(*textBlock)
		first, next := "", ""
		for i, lay := 0, block.layout(width); i < lay.Len(); i++ {
			if lay.Source(i) <= source {
				first = lay.Line(i)
			} else if next == "" {
				next = lay.Line(i)
			}
		}
		if got := l.Rows(); got[0] != first || got[1] != next {
			t.Errorf("width %d: %q and %q at the top, want %q and %q", width, got[0], got[1], first, next)
		}
	}
	l.SetSize(40, 10)
	if got := l.Rows(); !slices.Equal(got, want) {
		t.Errorf("back at the first width\ngot  %q\nwant %q", got, want)
	}
}

func TestAStoredPlaceIsFoundAtAnyWidth(t *testing.T) {
	l, _ := filled(20)
	l.SetTop(Pos{7, 3})
	block, source := l.TopSource()
	if block != 7 || source != 30 {
		t.Fatalf("the place is %d, %d", block, source)
	}
	again, _ := filled(0)
	again.SetSize(0, 0)
	for i := range 20 {
		again.Append(l.Block(i))
	}
	again.SetTopSource(block, source)
	if b, s := again.TopSource(); b != block || s != source {
		t.Errorf("without a window the place is %d, %d", b, s)
	}
	again.SetSize(6, 10)
	if got := again.Top(); got != (Pos{7, 5}) {
		t.Errorf("at 6 columns the top is %v, want row 5 of block 7", got)
	}
}

func TestAPlaceInAGapIsTheNextBlock(t *testing.T) {
	l, _ := filled(20)
	l.SetTop(Pos{7, 5})
	if got := l.Top(); got != (Pos{7, 5}) {
		t.Fatalf("top is %v", got)
	}
	if block, source := l.TopSource(); block != 8 || source != 0 {
		t.Errorf("the place is %d, %d; want the start of block 8", block, source)
	}
	if p, ok := l.At(0); ok || p != (Pos{7, 5}) {
		t.Errorf("row 0 is %v %v, want a gap", p, ok)
	}
}

func TestCollapsingTheTopBlockKeepsItAtTheTop(t *testing.T) {
	l, blocks := filled(20)
	l.SetTop(Pos{7, 3})
	l.Rows()
	blocks[7].toggle()
	if got := l.Rows()[0]; got != "b7 title" {
		t.Errorf("collapsed: %q at the top", got)
	}
	blocks[7].toggle()
	if got := l.Rows()[0]; got != "b7 30" {
		t.Errorf("expanded again: %q at the top", got)
	}
}

func TestShowMovesNoMoreThanNeeded(t *testing.T) {
	tests := []struct {
		name   string
		height int
		top    Pos
		show   int
		want   Pos
	}{
		{"visible", 10, Pos{4, 0}, 4, Pos{4, 0}},
		{"half visible, enough", 10, Pos{4, 1}, 5, Pos{4, 1}},
		{"above", 10, Pos{4, 0}, 1, Pos{1, 0}},
		{"begins above", 10, Pos{4, 2}, 4, Pos{4, 0}},
		{"one row at the end is too little", 8, Pos{4, 0}, 5, Pos{4, 2}},
		{"below", 10, Pos{4, 0}, 10, Pos{9, 1}},
		{"a window of one row", 1, Pos{4, 0}, 7, Pos{7, 0}},
		{"none", 10, Pos{4, 0}, 20, Pos{4, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := filled(20)
			l.SetSize(10, tt.height)
			l.SetTop(tt.top)
			l.Show(tt.show)
			if got := l.Top(); got != tt.want {
				t.Errorf("top is %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTheThumbTouchesAnEndOnlyThere(t *testing.T) {
	for _, height := range []int{1, 2, 3, 10} {
		l, _ := filled(100)
		l.SetSize(10, height)
		row, n := l.Thumb()
		if n < 1 || row+n != height {
			t.Errorf("height %d: thumb %d+%d at the tail", height, row, n)
		}
		l.ScrollBy(-1)
		if row, n = l.Thumb(); height > 2 && (row+n == height || row == 0) {
			t.Errorf("height %d: thumb %d+%d one row above the tail", height, row, n)
		}
		l.ScrollTop()
		if row, n = l.Thumb(); row != 0 || n < 1 {
			t.Errorf("height %d: thumb %d+%d at the top", height, row, n)
		}
		l.ScrollBy(1)
		if row, n = l.Thumb(); height > 2 && row != 1 {
			t.Errorf("height %d: thumb %d+%d one row below the top", height, row, n)
		}
	}
}

func TestOnlyWhatIsVisibleIsLaidOut(t *testing.T) {
	l, blocks := filled(10_000)
	laid := func() (n int) {
		for _, b := range blocks {
			n += b.laid
			b.laid = 0
		}
		return n
	}
	steps := []struct {
		name string
		do   func()
		most int
	}{
		{"opening", func() {}, 3},
		{"the same again", func() {}, 0},
		{"a version above", func() { blocks[3].tick() }, 0},
		{"the last version", func() { blocks[9999].tick() }, 1},
		{"a resize", func() { l.SetSize(9, 10) }, 3},
		{"the top", l.ScrollTop, 4},
		{"the last version from afar", func() { blocks[9999].grow(30) }, 0},
		{"a jump", func() { l.ScrollBy(30_000) }, 4},
		{"a page", func() { l.ScrollBy(10) }, 4},
		{"a block", func() { l.Show(3000) }, 4},
		{"an older block", func() { l.Prepend(blocks[0]) }, 0},
	}
	for _, s := range steps {
		s.do()
		l.Rows()
		l.Below()
		l.NewBelow()
		l.Thumb()
		if n := laid(); n > s.most {
			t.Errorf("%s: %d blocks were laid out, want at most %d", s.name, n, s.most)
		}
	}
}

func TestLayoutsAreForgottenButNotTheVisible(t *testing.T) {
	l := New(0)
	l.SetSize(1, 50)
	for i := range 100 {
		l.Append(&textBlock{name: fmt.Sprint("b", i), length: 1000})
	}
	l.ScrollTop()
	for range 400 {
		l.ScrollBy(200)
		l.Rows()
		if l.cache.lines > maxLines {
			t.Fatalf("%d rows are kept", l.cache.lines)
		}
	}
	kept := 0
	for e := l.cache.newest; e != nil; e = e.next {
		kept += e.rows
	}
	if kept != l.cache.lines {
		t.Errorf("%d rows are kept, %d counted", kept, l.cache.lines)
	}

	huge := &textBlock{name: "huge", length: 2 * maxLines}
	l.Append(huge)
	l.ScrollTail()
	l.Rows()
	huge.laid = 0
	for range 10 {
		l.ScrollBy(-90)
		l.Rows()
	}
	if huge.laid != 0 {
		t.Errorf("the visible block was laid out again %d times", huge.laid)
	}
}

func TestWithoutAWindowThePlaceIsKept(t *testing.T) {
	l, _ := filled(20)
	l.SetTop(Pos{7, 3})
	want := l.Rows()
	for _, size := range [][2]int{{0, 10}, {10, 0}, {-1, -1}} {
		l.SetSize(size[0], size[1])
		l.ScrollBy(5)
		l.Show(1)
		if rows := l.Rows(); len(rows) != l.Height() || l.Below() != 0 || l.NewBelow() != 0 {
			t.Errorf("size %v: rows %q, %d below", size, rows, l.Below())
		}
		l.SetSize(10, 10)
		if got := l.Rows(); !slices.Equal(got, want) {
			t.Errorf("after size %v\ngot  %q\nwant %q", size, got, want)
		}
	}
}

func TestIndexFindsABlock(t *testing.T) {
	l, blocks := filled(5)
	l.Remove(1, 2)
	for want, b := range []*textBlock{blocks[0], blocks[3], blocks[4]} {
		if got := l.Index(b); got != want {
			t.Errorf("block %s is at %d, want %d", b.name, got, want)
		}
	}
	if got := l.Index(blocks[1]); got != -1 {
		t.Errorf("a removed block is at %d", got)
	}
}
