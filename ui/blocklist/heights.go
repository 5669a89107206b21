package blocklist

import "slices"

// heights is a sequence of non-negative numbers with prefix sums in O(log n): a
// Fenwick tree, in which node i (from 1) covers the lowest set bit of i numbers
// up to number i-1. Changes at the end or in place cost O(log n), others O(n) in
// plain integers, once for any number of them.
type heights struct {
	values []int
	tree   []int // tree[0] is unused; stale from index len(tree) on
}

func (h *heights) append(v int) {
	h.values = append(h.values, v)
	if len(h.tree) == len(h.values) {
		h.grow()
	}
}

// grow adds the next node to the tree from the nodes below it.
func (h *heights) grow() {
	i := len(h.tree)
	sum := h.values[i-1]
	for step := 1; step < i&-i; step <<= 1 {
		sum += h.tree[i-step]
	}
	h.tree = append(h.tree, sum)
}

// ready brings the tree up to the values.
func (h *heights) ready() {
	if len(h.tree) == 0 {
		h.tree = append(h.tree, 0)
	}
	for len(h.tree) <= len(h.values) {
		h.grow()
	}
}

// stale gives up the nodes that cover number i or one after it.
func (h *heights) stale(i int) { h.tree = h.tree[:min(len(h.tree), i+1)] }

func (h *heights) insert(i int, vs ...int) {
	h.values = slices.Insert(h.values, i, vs...)
	h.stale(i)
}

func (h *heights) remove(i, n int) {
	h.values = slices.Delete(h.values, i, i+n)
	h.stale(i)
}

func (h *heights) set(i, v int) {
	d := v - h.values[i]
	h.values[i] = v
	if d == 0 {
		return
	}
	for j := i + 1; j < len(h.tree); j += j & -j {
		h.tree[j] += d
	}
}

// before is the sum of the first n numbers.
func (h *heights) before(n int) int {
	h.ready()
	sum := 0
	for ; n > 0; n &= n - 1 {
		sum += h.tree[n]
	}
	return sum
}

func (h *heights) total() int { return h.before(len(h.values)) }

// find returns the number that the sum passes v in, and what is left of v there;
// the count of all numbers when v is the total or more.
func (h *heights) find(v int) (i, rest int) {
	h.ready()
	step := 1
	for step*2 < len(h.tree) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if j := i + step; j < len(h.tree) && h.tree[j] <= v {
			i = j
			v -= h.tree[j]
		}
	}
	return i, v
}
