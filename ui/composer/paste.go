package composer

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A paste of more folds.
const (
	foldLines = 10
	foldRunes = 2000
)

// fold is a folded paste. It is immutable.
type fold struct {
	number int
	text   string
	label  string
}

func newFold(number int, text string) *fold {
	f := &fold{number: number, text: text}
	size := thousands(utf8.RuneCountInString(text)) + " characters"
	if n := lineCount(text); n > 1 {
		size = thousands(n) + " lines"
	}
	f.label = "[paste " + strconv.Itoa(number) + " · " + size + "]"
	return f
}

// lineCount counts lines as a reader does: a newline at the end begins none.
func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// thousands writes a number in groups.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Paste inserts pasted text as one step, replacing the selection: line ends are
// normalised, stray control sequences of terminals removed, invalid UTF-8
// becomes U+FFFD, and more than 10 lines or 2,000 characters fold into a
// numbered chip such as "[paste 1 · 45,000 lines]". Numbers rise until the
// text is cleared or set.
func (c *Composer) Paste(s string) {
	if s = clean(s); s == "" {
		return
	}
	a, b := c.selection()
	if lineCount(s) > foldLines || utf8.RuneCountInString(s) > foldRunes {
		e := put(a, b, foldLeaf(newFold(c.pastes+1, strings.Clone(s))))
		e.pastes = 1
		c.apply(e)
	} else {
		c.apply(put(a, b, grow(s)))
	}
	c.done("")
}

// Expand unfolds the chip at the caret, else the nearest one before it, in
// place and as one undo step; false if there is none.
func (c *Composer) Expand() bool {
	f, at := c.text.foldBefore(c.caret + 1)
	if f == nil {
		return false
	}
	e := put(at, at+1, grow(f.text))
	e.caret = c.caret
	if c.caret > at {
		e.caret += e.ins.len() - 1
	}
	c.apply(e)
	c.done("")
	return true
}
