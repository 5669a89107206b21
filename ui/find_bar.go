package ui

import "strings"

// findLabel stands before what is looked for.
const findLabel = "Find "

// findAside is the room beside it: the label, the counter, and some of the rule.
const findAside = 32

// findRoom is how wide the field is on a screen.
func findRoom(w int) int { return max(1, min(w-findAside, 60)) }

// findBar is the composer's rule while something is being found: what is looked
// for at the left, which hit of how many at the right.
func (m *Model) findBar(w int) string {
	lk, f := m.look(), m.chat.find
	text := ""
	if rows := f.field.View(); len(rows) > 0 {
		text = fit(rows[0], findRoom(w))
	}
	label, ink := lk.dim, lk.dim
	if m.focus == paneFind {
		label, ink = lk.accent, lk.text
	}
	left := lk.faint.draw("── ") + label.draw(findLabel) + ink.draw(text) + "  "
	right, room := f.counter(), w-columns(left)-6
	if s := f.note + sep(right); f.note != "" && columns(s) <= room {
		right = s
	}
	if right != "" {
		k := lk.text
		if f.total == 0 {
			k = lk.warning
		}
		right = " " + k.draw(fit(right, room)) + " "
	}
	line := lk.faint.draw(strings.Repeat("─", max(0, w-columns(left)-columns(right)-2)))
	return fit(left+line+right+lk.faint.draw("──"), w)
}

// counter says which hit of how many is the current one.
func (f *finding) counter() string {
	more := ""
	if !f.pieces.done() {
		more = " …"
	}
	switch {
	case len(f.needle.folded) == 0:
		return ""
	case f.total > 0 && f.nth > 0:
		return grouped(f.nth) + "/" + grouped(f.total) + more
	case f.total > 0:
		return grouped(f.total) + more
	case more != "":
		return "…"
	}
	return "no hits"
}

// findCaret is the caret in the bar.
func (m *Model) findCaret(l layout) (x, y int) {
	if m.chat.find == nil {
		return -1, -1
	}
	cx, _ := m.chat.find.field.Cursor()
	return columns("── "+findLabel) + cx, l.rule
}

// findHints are the keys that matter while something is being found.
func (m *Model) findHints() []string {
	if m.focus == paneFind {
		return []string{"⏎ next hit", "↑↓ earlier, later", m.keys.hint("escape") + " close"}
	}
	return []string{"n next hit", "N earlier", "/ change", m.keys.hint("escape") + " close", "y copy"}
}
