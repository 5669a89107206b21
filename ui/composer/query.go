package composer

import (
	"strings"
)

func (n *node) len() int {
	if n == nil {
		return 0
	}
	return n.size
}

// full is the whole text, folds in full.
func (n *node) full() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	b.Grow(n.fullSize)
	n.leaves(func(leaf *node) {
		if leaf.fold != nil {
			b.WriteString(leaf.fold.text)
		} else {
			b.WriteString(leaf.text)
		}
	})
	return b.String()
}

// leaves visits the leaves in order.
func (n *node) leaves(visit func(*node)) {
	switch {
	case n == nil:
	case n.left == nil:
		visit(n)
	default:
		n.left.leaves(visit)
		n.right.leaves(visit)
	}
}

// slice is the bytes [a, b), each fold as its one byte.
func (n *node) slice(a, b int) string {
	if n == nil || a >= b {
		return ""
	}
	var out strings.Builder
	out.Grow(b - a)
	n.write(&out, a, b)
	return out.String()
}

func (n *node) write(out *strings.Builder, a, b int) {
	a, b = max(a, 0), min(b, n.size)
	switch {
	case a >= b:
	case n.left == nil:
		out.WriteString(n.text[a:b])
	default:
		n.left.write(out, a, b)
		n.right.write(out, a-n.left.size, b-n.left.size)
	}
}

// byteAt is the byte at a position inside of the text.
func (n *node) byteAt(at int) byte {
	for n.left != nil {
		if at < n.left.size {
			n = n.left
		} else {
			n, at = n.right, at-n.left.size
		}
	}
	return n.text[at]
}

// line is the extent of the logical line of a position, without its newline.
func (n *node) line(at int) (start, end int) {
	if n == nil {
		return 0, 0
	}
	k := n.newlinesBefore(at)
	if k > 0 {
		start = n.newline(k-1) + 1
	}
	if k == n.lines {
		return start, n.size
	}
	return start, n.newline(k)
}

// newlinesBefore counts the newlines in the first at bytes.
func (n *node) newlinesBefore(at int) int {
	count := 0
	for n.left != nil {
		if at < n.left.size {
			n = n.left
		} else {
			count += n.left.lines
			n, at = n.right, at-n.left.size
		}
	}
	return count + strings.Count(n.text[:min(at, n.size)], "\n")
}

// newline is where the k-th newline stands, counted from 0; it must exist.
func (n *node) newline(k int) int {
	at := 0
	for n.left != nil {
		if k < n.left.lines {
			n = n.left
		} else {
			at, k = at+n.left.size, k-n.left.lines
			n = n.right
		}
	}
	i := strings.IndexByte(n.text, '\n')
	for ; k > 0; k-- {
		i += 1 + strings.IndexByte(n.text[i+1:], '\n')
	}
	return at + i
}

// foldBefore is the last fold that starts in the first at bytes, and where.
func (n *node) foldBefore(at int) (*fold, int) {
	if n == nil || n.folds == 0 || at <= 0 {
		return nil, 0
	}
	if n.left == nil {
		return n.fold, 0
	}
	if f, pos := n.right.foldBefore(at - n.left.size); f != nil {
		return f, pos + n.left.size
	}
	return n.left.foldBefore(at)
}
