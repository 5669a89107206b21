package blocklist

import (
	"fmt"
	"slices"
	"testing"
)

// filled is a list 10 rows high and 10 columns wide of n blocks of 5 rows each.
func filled(n int) (*List, []*textBlock) {
	l := New(1)
	l.SetSize(10, 10)
	blocks := make([]*textBlock, n)
	for i := range blocks {
		blocks[i] = &textBlock{name: fmt.Sprint("b", i), length: 50}
		l.Append(blocks[i])
	}
	return l, blocks
}

func TestWhatEndsAndBeginsFollowing(t *testing.T) {
	up := func(l *List) { l.ScrollBy(-3); l.Rows() }
	tests := []struct {
		name   string
		before func(*List)
		do     func(*List, []*textBlock)
		want   bool
	}{
		{"a new list follows", nil, nil, true},
		{"a step up ends it", nil, func(l *List, _ []*textBlock) { l.ScrollBy(-1) }, false},
		{"no step leaves it", nil, func(l *List, _ []*textBlock) { l.ScrollBy(0) }, true},
		{"a step down at the tail leaves it", nil, func(l *List, _ []*textBlock) { l.ScrollBy(1) }, true},
		{"going to the top ends it", nil, func(l *List, _ []*textBlock) { l.ScrollTop() }, false},
		{"a position ends it", nil, func(l *List, _ []*textBlock) { l.SetTop(Pos{0, 1}) }, false},
		{"a position at the end ends it too", nil, func(l *List, _ []*textBlock) { l.SetTop(Pos{9, 4}) }, false},
		{"a source position ends it", nil, func(l *List, _ []*textBlock) { l.SetTopSource(1, 0) }, false},
		{"showing a block above ends it", nil, func(l *List, _ []*textBlock) { l.Show(0) }, false},
		{"showing a visible block leaves it", nil, func(l *List, _ []*textBlock) { l.Show(9) }, true},
		{"new text leaves it", nil, func(l *List, b []*textBlock) { b[9].grow(500) }, true},
		{"a new block leaves it", nil, func(l *List, b []*textBlock) { l.Append(b[0]) }, true},
		{"a resize leaves it", nil, func(l *List, _ []*textBlock) { l.SetSize(4, 3) }, true},
		{"a short way down does not begin it", up, func(l *List, _ []*textBlock) { l.ScrollBy(2) }, false},
		{"the way back down begins it", up, func(l *List, _ []*textBlock) { l.ScrollBy(3) }, true},
		{"more than the way down begins it", up, func(l *List, _ []*textBlock) { l.ScrollBy(1 << 40) }, true},
		{"going to the tail begins it", up, func(l *List, _ []*textBlock) { l.ScrollTail() }, true},
		{"showing the last block begins it", up, func(l *List, _ []*textBlock) { l.Show(9) }, true},
		{"content that shrinks to the window does not begin it", up, func(l *List, b []*textBlock) { b[9].setTo(0) }, false},
		{"removal up to the window does not begin it", up, func(l *List, _ []*textBlock) { l.Remove(9, 1) }, false},
		{"a taller window does not begin it", up, func(l *List, _ []*textBlock) { l.SetSize(10, 100) }, false},
		{"new text does not begin it", up, func(l *List, b []*textBlock) { b[9].grow(5) }, false},
		{"emptying begins it", up, func(l *List, _ []*textBlock) { l.Reset() }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, blocks := filled(10)
			l.Rows()
			if tt.before != nil {
				tt.before(l)
			}
			if tt.do != nil {
				tt.do(l, blocks)
			}
			l.Rows()
			if got := l.Following(); got != tt.want {
				t.Errorf("following is %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAStepUpInShortContentHoldsTheTop(t *testing.T) {
	l, blocks := filled(1)
	l.ScrollBy(-1)
	blocks[0].grow(500)
	if got := l.Rows()[0]; l.Following() || got != "b0 0" {
		t.Errorf("following %v, first row %q; want the first row to stay", l.Following(), got)
	}
}

func TestAnEmptyListGoesOnFollowing(t *testing.T) {
	l := New(1)
	l.SetSize(10, 3)
	l.ScrollBy(-5)
	l.ScrollTop()
	l.SetTop(Pos{3, 3})
	l.SetTopSource(2, 9)
	l.Append(&textBlock{name: "b", length: 100})
	if got, want := l.Rows(), []string{"b 70", "b 80", "b 90"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNewTextDoesNotMoveAReader(t *testing.T) {
	l, blocks := filled(10)
	l.ScrollBy(-7)
	want := l.Rows()
	for i := range 50 {
		blocks[9].grow(7)
		blocks[i%4].grow(13)
		if i%10 == 0 {
			l.Append(&textBlock{name: "new", length: 30})
			l.Prepend(&textBlock{name: "old", length: 70}, &textBlock{name: "older", length: 1})
		}
		if i == 25 {
			blocks[2].toggle()
		}
		if got := l.Rows(); !slices.Equal(got, want) {
			t.Fatalf("after %d changes\ngot  %q\nwant %q", i+1, got, want)
		}
	}
}

func TestNewRowsAreCountedFromWhereFollowingEnded(t *testing.T) {
	l, blocks := filled(10)
	l.ScrollBy(-20)
	check := func(what string, below, fresh int) {
		t.Helper()
		if b, n := l.Below(), l.NewBelow(); b != below || n != fresh {
			t.Errorf("%s: %d below, %d new; want %d and %d", what, b, n, below, fresh)
		}
	}
	check("at first", 20, 0)
	blocks[9].tick()
	check("after a tick", 20, 0)
	blocks[9].grow(30)
	check("after 3 rows of text", 23, 3)
	blocks[1].grow(100)
	l.Prepend(&textBlock{name: "old", length: 70})
	check("after growth above", 23, 3)
	b := &textBlock{name: "new", length: 40, off: 3}
	l.Append(b)
	check("after a block of 4 rows, thought to be 7", 31, 11)
	b.grow(10)
	check("after its fifth row", 32, 12)
	l.ScrollBy(28)
	check("4 rows before the end", 1, 1) // it was 3 rows shorter than thought
	l.ScrollBy(-1)
	check("one up again", 2, 2)
	l.ScrollTail()
	check("at the tail", 0, 0)
	b.grow(100)
	check("at the tail, later", 0, 0)
	l.ScrollBy(-3)
	check("up once more", 3, 0)
	l.Remove(l.Len()-1, 1)
	check("without the last block", 0, 0)
}

func TestAResizeIsNotNewText(t *testing.T) {
	l, blocks := filled(10)
	l.ScrollTop()
	l.Rows()
	l.SetSize(5, 10)
	if n := l.NewBelow(); n != 0 {
		t.Errorf("%d rows are new after a resize", n)
	}
	blocks[9].grow(25)
	if n := l.NewBelow(); n < 3 || n > 10 {
		t.Errorf("%d rows are new after 5 rows of text", n)
	}
	l.ScrollBy(1 << 40)
	l.ScrollBy(-1)
	if n := l.NewBelow(); n != 0 {
		t.Errorf("%d rows are new after a look at the end", n)
	}
}

func TestAWrongGuessIsNotNewText(t *testing.T) {
	l := New(1)
	for i := range 10 {
		l.Append(&textBlock{name: fmt.Sprint("b", i), length: 50, off: 9})
	}
	l.SetTop(Pos{}) // a stored place, before the window is known
	l.SetSize(10, 10)
	l.Rows()
	if n := l.NewBelow(); n != 0 {
		t.Errorf("%d rows are new at first", n)
	}
	l.ScrollBy(40)
	l.ScrollBy(5)
	if n := l.NewBelow(); n != 0 {
		t.Errorf("%d rows are new near the end", n)
	}
}

func TestAGuessThatBecomesExactIsNotNewText(t *testing.T) {
	l := New(1)
	l.SetSize(10, 10)
	var last *textBlock
	for i := range 10 {
		last = &textBlock{name: fmt.Sprint("b", i), length: 50, off: -3, wise: true}
		l.Append(last)
	}
	l.Rows()
	l.ScrollTop()
	l.Rows()
	last.tick()
	if n := l.NewBelow(); n != 0 {
		t.Errorf("%d rows are new after a tick", n)
	}
	last.grow(20)
	if n := l.NewBelow(); n != 2 {
		t.Errorf("%d rows are new after 2 rows of text", n)
	}
}

func TestWhatIsNewIsTheSameAfterAResizeAndBack(t *testing.T) {
	l := New(0)
	l.SetSize(10, 10)
	b := &textBlock{name: "b", length: 1000}
	l.Append(b)
	l.Rows()
	l.ScrollBy(-3)
	l.Rows()
	b.grow(400)
	l.Rows()
	if n := l.NewBelow(); n != 40 {
		t.Fatalf("%d rows are new after 40 rows of text", n)
	}
	for _, width := range []int{6, 20, 7, 10} {
		l.SetSize(width, 10)
		l.Rows()
		if n, want := l.NewBelow(), min(400/width, l.Below()); n < want-2 || n > want+2 {
			t.Errorf("%d columns wide: %d rows are new, want about %d", width, n, want)
		}
	}
	if n := l.NewBelow(); n != 40 {
		t.Errorf("back at the first width %d rows are new, want 40", n)
	}
}
