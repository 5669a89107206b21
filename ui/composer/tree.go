package composer

import (
	"strings"
	"unicode/utf8"
)

// foldByte stands in the tree's bytes for a folded paste. No valid UTF-8 holds
// it, and all text is made valid on its way in.
const foldByte = 0xFF

// leafSize is the most bytes of text that one leaf holds.
const leafSize = 1024

// node is an immutable balanced tree of text: an inner node has two children,
// a leaf has text, or a folded paste which counts as one byte. The nil node is
// the empty text. Leaves end between runes.
type node struct {
	left, right *node
	text        string
	fold        *fold
	height      int
	size        int // bytes, a fold counts one
	fullSize    int // bytes, folds in full
	lines       int // newlines outside of folds
	folds       int
}

func leaf(text string) *node {
	if text == "" {
		return nil
	}
	return &node{
		text: text, height: 1, size: len(text), fullSize: len(text),
		lines: strings.Count(text, "\n"),
	}
}

func foldLeaf(f *fold) *node {
	return &node{
		text: "\xff", fold: f, height: 1, size: 1,
		fullSize: len(f.text), folds: 1,
	}
}

// grow makes a tree of text of any length. The leaves are copies, so that a
// small rest never keeps a large paste in memory.
func grow(s string) *node {
	if len(s) <= leafSize {
		return leaf(strings.Clone(s))
	}
	half := len(s) / 2
	for !utf8.RuneStart(s[half]) {
		half--
	}
	return join(grow(s[:half]), grow(s[half:]))
}

// pair puts two trees of nearly the same height under one node.
func pair(l, r *node) *node {
	return &node{
		left: l, right: r,
		height:   max(l.height, r.height) + 1,
		size:     l.size + r.size,
		fullSize: l.fullSize + r.fullSize,
		lines:    l.lines + r.lines,
		folds:    l.folds + r.folds,
	}
}

// rotate pairs trees whose heights differ by at most two.
func rotate(l, r *node) *node {
	switch {
	case l.height > r.height+1 && l.left.height >= l.right.height:
		return pair(l.left, pair(l.right, r))
	case l.height > r.height+1:
		return pair(pair(l.left, l.right.left), pair(l.right.right, r))
	case r.height > l.height+1 && r.right.height >= r.left.height:
		return pair(pair(l, r.left), r.right)
	case r.height > l.height+1:
		return pair(pair(l, r.left.left), pair(r.left.right, r.right))
	}
	return pair(l, r)
}

// join puts any two trees in a row.
func join(l, r *node) *node {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case l.height > r.height+1:
		return rotate(l.left, join(l.right, r))
	case r.height > l.height+1:
		return rotate(join(l, r.left), r.right)
	}
	return pair(l, r)
}

// split cuts the tree before the byte at.
func (n *node) split(at int) (l, r *node) {
	switch {
	case n == nil || at <= 0:
		return nil, n
	case at >= n.size:
		return n, nil
	case n.left == nil:
		return leaf(n.text[:at]), leaf(n.text[at:])
	case at < n.left.size:
		l, r = n.left.split(at)
		return l, join(r, n.right)
	}
	l, r = n.right.split(at - n.left.size)
	return join(n.left, l), r
}

// cut is the part [a, b) as a tree.
func (n *node) cut(a, b int) *node {
	if a >= b {
		return nil
	}
	n, _ = n.split(b)
	_, n = n.split(a)
	return n
}

// replace puts ins in the place of [a, b).
func (n *node) replace(a, b int, ins *node) *node {
	if ins == nil || (ins.left == nil && ins.fold == nil) {
		text := ""
		if ins != nil {
			text = ins.text
		}
		if m := n.patch(a, b, text); m != nil {
			return m
		}
	}
	l, rest := n.split(a)
	_, r := rest.split(b - a)
	return join(join(l, ins), r)
}

// patch is replace within one leaf, nil when it does not fit into one. It is
// what keeps typing from leaving a leaf per key.
func (n *node) patch(a, b int, text string) *node {
	switch {
	case n == nil:
		return nil
	case n.left == nil:
		if size := n.size - (b - a) + len(text); n.fold != nil || size == 0 || size > leafSize {
			return nil
		}
		return leaf(n.text[:a] + text + n.text[b:])
	case b <= n.left.size:
		if m := n.left.patch(a, b, text); m != nil {
			return pair(m, n.right)
		}
	case a >= n.left.size:
		if m := n.right.patch(a-n.left.size, b-n.left.size, text); m != nil {
			return pair(n.left, m)
		}
	}
	return nil
}
