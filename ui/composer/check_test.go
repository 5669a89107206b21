package composer

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// load makes a composer from text with the caret at │ and, if there is one, the
// other end of the selection at ┃.
func load(t *testing.T, marked string) *Composer {
	t.Helper()
	c := New()
	plain := strings.NewReplacer("│", "", "┃", "").Replace(marked)
	c.SetText(plain)
	at := func(mark, other string) int {
		i := strings.Index(marked, mark)
		if j := strings.Index(marked, other); j >= 0 && j < i {
			i -= len(other)
		}
		return i
	}
	if caret := at("│", "┃"); caret >= 0 {
		c.caret = caret
	}
	c.anchor = at("┃", "│")
	c.log = undoLog{}
	return c
}

// marked is the inverse of load; chips are shown as ▣.
func marked(c *Composer) string {
	s := c.text.slice(0, c.text.len())
	a, b, first, second := c.caret, c.anchor, "│", "┃"
	switch {
	case b < 0:
		b, second = a, ""
	case b < a:
		a, b, first, second = b, a, second, first
	}
	return strings.ReplaceAll(s[:a]+first+s[a:b]+second+s[b:], "\xff", "▣")
}

// rendered is the width of a row in the renderer's cells.
func rendered(m ansi.Method, row string) int {
	width := 0
	for row != "" {
		g, w := ansi.FirstGraphemeCluster(row, m)
		row, width = row[len(g):], width+w
	}
	return width
}

// sound checks everything that must hold after any call.
func sound(t *testing.T, c *Composer) {
	t.Helper()
	rows, h := c.View(), c.Height()
	if len(rows) != h || h < 1 || h > c.maxHeight {
		t.Fatalf("%d rows, Height %d of at most %d", len(rows), h, c.maxHeight)
	}
	for _, r := range rows {
		if w := rendered(c.lay.method, r); w > c.lay.width {
			t.Fatalf("row %q is %d wide of %d", r, w, c.lay.width)
		}
		if s := ansi.Strip(r); s != r || strings.ContainsAny(r, "\n\t\x00\x7f") {
			t.Fatalf("row %q holds control characters", r)
		}
	}
	if x, y := c.Cursor(); x < 0 || x >= c.lay.width || y < 0 || y >= h {
		t.Fatalf("cursor %d,%d is outside of %d×%d\n%s", x, y, c.lay.width, h, strings.Join(rows, "\n"))
	}
	if at := c.lay.snap(c.caret); at != c.caret {
		t.Fatalf("caret %d is inside of a cluster that ends at %d", c.caret, at)
	}
	if c.Empty() != (c.Text() == "") || c.Len() != len(c.Text()) {
		t.Fatalf("Empty %v, Len %d, Text %q", c.Empty(), c.Len(), c.Text())
	}
	if strings.Count(c.text.slice(0, c.text.len()), "\n") > 0 && c.text.lines == 0 {
		t.Fatal("lines are not counted")
	}
	balanced(t, c.text)
}

// balanced checks the tree's invariants.
func balanced(t *testing.T, n *node) {
	t.Helper()
	if n == nil {
		return
	}
	if n.left == nil {
		if n.height != 1 || n.text == "" || len(n.text) > leafSize || n.size != len(n.text) {
			t.Fatalf("bad leaf of %d bytes", len(n.text))
		}
		return
	}
	l, r := n.left, n.right
	if d := l.height - r.height; d < -1 || d > 1 || n.height != max(l.height, r.height)+1 {
		t.Fatalf("heights %d and %d under %d", l.height, r.height, n.height)
	}
	if n.size != l.size+r.size || n.lines != l.lines+r.lines ||
		n.folds != l.folds+r.folds || n.fullSize != l.fullSize+r.fullSize {
		t.Fatal("sums differ")
	}
	balanced(t, l)
	balanced(t, r)
}
