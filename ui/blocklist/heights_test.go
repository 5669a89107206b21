package blocklist

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHeightsSumAsAPlainSliceDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var h heights
	var plain []int
	for range 3000 {
		n := len(plain)
		switch op := r.IntN(8); {
		case op < 3 || n == 0:
			v := r.IntN(5)
			h.append(v)
			plain = append(plain, v)
		case op < 6:
			i, v := r.IntN(n), r.IntN(5)
			h.set(i, v)
			plain[i] = v
		case op == 6:
			i := r.IntN(n + 1)
			h.insert(i, 3, 0, 1)
			plain = slices.Insert(plain, i, 3, 0, 1)
		default:
			i := r.IntN(n)
			k := r.IntN(min(n-i, 4))
			h.remove(i, k)
			plain = slices.Delete(plain, i, i+k)
		}
		i := r.IntN(len(plain) + 1)
		want := 0
		for _, v := range plain[:i] {
			want += v
		}
		if got := h.before(i); got != want {
			t.Fatalf("the first %d of %v are %d, want %d", i, plain, got, want)
		}
		at := r.IntN(h.total() + 3)
		j, rest := 0, at
		for j < len(plain) && rest >= plain[j] {
			rest -= plain[j]
			j++
		}
		if gj, gr := h.find(at); gj != j || gr != rest {
			t.Fatalf("%d is at %d+%d, want %d+%d in %v", at, gj, gr, j, rest, plain)
		}
	}
}
