package blocklist

import (
	"fmt"
	"testing"
)

func TestVisibleRowsTellWhatTheyShow(t *testing.T) {
	l, _ := filled(4) // of 5 rows and a gap each
	l.SetTop(Pos{0, 3})
	got := ""
	for y, p := range l.Visible() {
		got += fmt.Sprintf("%d:%d.%d ", y, p.Block, p.Line)
		if lay := l.Layout(p.Block); lay.Line(p.Line) != l.Rows()[y] {
			t.Errorf("row %d is %q in the window, %q in its block", y, l.Rows()[y], lay.Line(p.Line))
		}
	}
	if want := "0:0.3 1:0.4 3:1.0 4:1.1 5:1.2 6:1.3 7:1.4 9:2.0 "; got != want {
		t.Errorf("visible are %s, want %s", got, want)
	}
	for y := range l.Visible() {
		if y > 0 {
			t.Error("it goes on after the end was asked for")
		}
		break
	}
	empty := New(1)
	for range empty.Visible() {
		t.Error("an empty list shows a row")
	}
	empty.Append(&textBlock{name: "b", length: 5})
	if empty.Layout(0) != nil {
		t.Error("a list without a window has a layout")
	}
}

func TestShowingARowScrollsNoMoreThanNeeded(t *testing.T) {
	for _, tt := range []struct {
		name string
		show Pos
		want Pos // the top row then
	}{
		{"a visible row", Pos{2, 1}, Pos{1, 2}},
		{"the top row", Pos{1, 2}, Pos{1, 2}},
		{"the row above", Pos{1, 1}, Pos{1, 1}},
		{"a row far above", Pos{0, 1}, Pos{0, 1}},
		{"the last row", Pos{2, 4}, Pos{1, 2}},
		{"a row below", Pos{3, 2}, Pos{1, 5}},
		{"a row far below", Pos{9, 4}, Pos{8, 1}},
		{"behind a block", Pos{9, 99}, Pos{8, 1}},
		{"before a block", Pos{0, -3}, Pos{0, 0}},
		{"no block", Pos{10, 0}, Pos{1, 2}},
		{"no block above", Pos{-1, 0}, Pos{1, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := filled(10)
			l.SetTop(Pos{1, 2})
			l.ShowRow(tt.show)
			if got := l.Top(); got != tt.want {
				t.Errorf("the top is %v, want %v", got, tt.want)
			}
		})
	}
}
