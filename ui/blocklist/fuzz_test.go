package blocklist

import (
	"fmt"
	"testing"
)

// FuzzList runs any operations at any size: nothing panics, the rows are as many
// as the window has, and the position is one that exists.
func FuzzList(f *testing.F) {
	f.Add([]byte{0, 9, 1, 3, 4, 5, 9, 200, 2, 0, 10, 1, 7, 1, 8, 3})
	f.Add([]byte{0, 0, 0, 0, 9, 0, 2, 255, 9, 1, 10, 1, 2, 1, 6, 0})
	f.Add([]byte{9, 17, 0, 200, 0, 1, 11, 3, 8, 0, 10, 0, 4, 4, 5, 5, 13, 9, 14, 9})
	f.Fuzz(func(t *testing.T, ops []byte) {
		l := New(len(ops) % 3)
		for i := 0; i+1 < len(ops); i += 2 {
			apply(l, ops[i]%16, int(ops[i+1]))
			verify(t, l)
		}
	})
}

func apply(l *List, op byte, v int) {
	b := &textBlock{name: fmt.Sprint("b", v), length: v, titled: v%2 == 0, off: v%7 - 3}
	at := func(i int) *textBlock { return l.Block(i % l.Len()).(*textBlock) }
	if l.Len() == 0 && op >= 12 {
		op = 0
	}
	switch op {
	case 0:
		l.Append(b)
	case 1:
		l.Prepend(b, &textBlock{name: "p", length: v / 2})
	case 2:
		l.Insert(v-5, b)
	case 3:
		l.Remove(v%8, v/8%4)
	case 4:
		l.ScrollBy(v - 128)
	case 5:
		l.ScrollBy((v - 128) * 1000)
	case 6:
		l.SetSize(v%16, v/16)
	case 7:
		l.SetSize(v, 3)
	case 8:
		l.Show(v - 1)
	case 9:
		l.SetTop(Pos{v%16 - 1, v/16 - 1})
	case 10:
		l.SetTopSource(v%16-1, v-20)
	case 11:
		l.ScrollTail()
	case 12:
		l.ScrollTop()
	case 13:
		at(v).grow(v)
	case 14:
		at(v).toggle()
	case 15:
		at(v).setTo(v / 3)
	}
}

func verify(t *testing.T, l *List) {
	t.Helper()
	if got := len(l.Rows()); got != l.Height() {
		t.Fatalf("%d rows in a window of %d", got, l.Height())
	}
	if p := l.Top(); p.Block < 0 || p.Line < 0 || p.Block >= max(l.Len(), 1) {
		t.Fatalf("the top is %v in %d blocks", p, l.Len())
	}
	if b, _ := l.TopSource(); b < 0 || b >= max(l.Len(), 1) {
		t.Fatalf("the place is in block %d of %d", b, l.Len())
	}
	row, n := l.Thumb()
	if row < 0 || n < 0 || row+n > l.Height() {
		t.Fatalf("the thumb is %d+%d in a window of %d", row, n, l.Height())
	}
	if b, fresh := l.Below(), l.NewBelow(); fresh < 0 || fresh > b || l.Following() && b > 0 {
		t.Fatalf("%d below, %d new, following %v", b, fresh, l.Following())
	}
	if l.cache.lines < 0 {
		t.Fatalf("%d rows cached", l.cache.lines)
	}
}
