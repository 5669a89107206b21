package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// change is one edit: ins in the place of [a, b).
type change struct {
	a, b   int
	ins    *node
	caret  int  // where it goes
	pastes int  // how many chips are new
	join   bool // belongs to the undo step before
}

// put is the change that puts ins in the place of [a, b), the caret behind it.
func put(a, b int, ins *node) change {
	return change{a: a, b: b, ins: ins, caret: a + ins.len()}
}

// apply makes an edit and drops the selection.
func (c *Composer) apply(e change) {
	before := c.state
	cost := c.text.cut(e.a, e.b).bytes() + e.ins.bytes()
	c.text = c.text.replace(e.a, e.b, e.ins)
	switch {
	case c.top >= e.b:
		c.top += e.ins.len() - (e.b - e.a)
	case c.top > e.a:
		c.top = e.a
	}
	c.changed(e.a)
	c.caret = c.lay.snap(e.caret)
	c.pastes += e.pastes
	c.log.record(before, c.state, cost, e.join)
}

// changed follows every change of the text, from a position on.
func (c *Composer) changed(from int) {
	c.version++
	c.anchor, c.height = -1, 0
	c.lay.edited(c.text, from)
}

// done notes what a call did and forgets the goal column.
func (c *Composer) done(a action) { c.last, c.goal = a, -1 }

// SetText replaces the text as one undoable step, the caret at its end. Pastes
// are numbered from 1 again.
func (c *Composer) SetText(s string) { c.Restore(NewDraft(s)) }

// Clear empties the text as one undoable step and returns what it held. Pastes
// are numbered from 1 again.
func (c *Composer) Clear() string {
	if c.Empty() {
		return ""
	}
	held := c.Text()
	c.Restore(Draft{})
	return held
}

// Insert types text at the caret, replacing the selection. Consecutive typing
// is one undo step up to a word's end. Line ends become newlines and invalid
// UTF-8 becomes U+FFFD; other control characters stay, and are drawn as
// symbols.
func (c *Composer) Insert(s string) {
	if s = valid(s); s == "" {
		return
	}
	a, b := c.selection()
	e := put(a, b, grow(s))
	e.join = c.last == typed && a == b && !beginsStep(c.lastRune, s)
	c.apply(e)
	c.done(typed)
	c.lastRune, _ = utf8.DecodeLastRuneInString(s)
}

// beginsStep tells whether text typed after the rune begins another undo step:
// a line does, and a blank that ends a word.
func beginsStep(after rune, s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.Contains(s, "\n") || unicode.IsSpace(r) && !unicode.IsSpace(after)
}

// valid makes text such as the tree may hold: valid UTF-8 with newlines only.
func valid(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// Delete removes from the caret to where m leads (or the selection) without
// touching the kill ring, Kill does so into it; consecutive kills join. To the
// start of a line from there removes the newline before it, to the end
// likewise. Both return false when there was nothing to remove. Consecutive
// deletions of single clusters are one undo step up to a word's end, a kill is
// always one.
func (c *Composer) Delete(m Motion) bool {
	a, b := c.extent(m)
	if a == b {
		c.done("")
		return false
	}
	act := action("")
	switch {
	case c.anchor >= 0:
	case m == Left:
		act = deletedLeft
	case m == Right:
		act = deletedRight
	}
	gone := c.text.cut(a, b)
	r, _ := utf8.DecodeRuneInString(gone.slice(0, utf8.UTFMax))
	e := put(a, b, nil)
	e.join = act != "" && c.last == act && gone.folds == 0 &&
		unicode.IsSpace(r) == unicode.IsSpace(c.lastRune)
	c.apply(e)
	c.done(act)
	c.lastRune = r
	if gone.folds > 0 {
		c.last = ""
	}
	return true
}

// Kill is Delete into the kill ring.
func (c *Composer) Kill(m Motion) bool {
	a, b := c.extent(m)
	if a == b {
		return false
	}
	gone, forward := c.text.cut(a, b), a == c.caret
	switch {
	case c.last != killed:
		c.killed = gone
	case forward:
		c.killed = join(c.killed, gone)
	default:
		c.killed = join(gone, c.killed)
	}
	c.apply(put(a, b, nil))
	c.done(killed)
	return true
}

// extent is what a deletion removes: the selection, or from the caret to where
// m leads, which for a line's edge is over it when the caret is there.
func (c *Composer) extent(m Motion) (a, b int) {
	if c.anchor >= 0 {
		return c.selection()
	}
	to := c.target(m)
	switch {
	case to == c.caret && m == LineStart:
		to = c.lay.left(to)
	case to == c.caret && m == LineEnd:
		to = c.lay.right(to)
	}
	return min(c.caret, to), max(c.caret, to)
}

// Yank inserts what was killed last, folded pastes folded, as one undo step.
func (c *Composer) Yank() {
	if c.killed == nil {
		return
	}
	a, b := c.selection()
	c.apply(put(a, b, c.killed))
	c.done("")
}

// Token is the run of characters without a blank that ends at the caret, at
// most 4,096 bytes: what a completion completes. It ends at a folded paste.
func (c *Composer) Token() string {
	s := c.text.slice(c.caret-tokenSpan, c.caret)
	i := strings.LastIndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == utf8.RuneError
	})
	if i < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i+n:]
}

// ReplaceToken puts s in the place of the Token as one undo step.
func (c *Composer) ReplaceToken(s string) {
	c.apply(put(c.caret-len(c.Token()), c.caret, grow(valid(s))))
	c.done("")
}

// EndsWithBackslash tells whether the caret stands right behind a backslash
// that Enter would turn into a newline: one that no backslash before it
// escapes, with nothing selected.
func (c *Composer) EndsWithBackslash() bool {
	s := c.text.slice(c.caret-tokenSpan, c.caret)
	return c.anchor < 0 && (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}
