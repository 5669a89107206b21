package blocklist

import "testing"

func TestARowIsRevealedWhereItIsWanted(t *testing.T) {
	tests := []struct {
		name string
		p    Pos
		y    int
		want int // the row of the window that it is at
	}{
		{"in the middle", Pos{10, 2}, 3, 3},
		{"at the top", Pos{10, 2}, 0, 0},
		{"at the bottom", Pos{10, 2}, 9, 9},
		{"below the window", Pos{10, 2}, 50, 9},
		{"above the window", Pos{10, 2}, -5, 0},
		{"near the beginning", Pos{0, 1}, 5, 1},
		{"near the end", Pos{19, 4}, 2, 9},
		{"before the first block", Pos{-3, 1}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := filled(20)
			l.SetSize(10, 10)
			l.Reveal(tt.p, tt.y)
			want := Pos{max(tt.p.Block, 0), tt.p.Line}
			if tt.p.Block < 0 {
				want = Pos{0, 1}
			}
			if got, ok := l.At(tt.want); !ok || got != want {
				t.Errorf("row %d is %v, want %v", tt.want, got, want)
			}
			if l.Following() {
				t.Error("the list follows its tail")
			}
		})
	}
}

func TestAPlaceRevealedBeforeTheWindowIsKnownIsKept(t *testing.T) {
	l := New(1)
	l.Reveal(Pos{3, 3}, 2)
	for range 10 {
		l.Append(&textBlock{name: "b", length: 100})
	}
	l.Reveal(Pos{3, 3}, 2)
	l.SetSize(10, 5)
	if got := l.Top(); got != (Pos{3, 3}) {
		t.Errorf("the top is %v", got)
	}
}
