package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"waferchat/ui/composer"
)

// findLabel stands before what is looked for.
const findLabel = "Find "

// findAside is the room that the bar keeps beside its field: for the label, the
// counter, and some of the rule.
const findAside = 24

// fieldWidth is wider than anything that is looked for: the field is one row, of
// which the bar shows the part around the caret.
const fieldWidth = 1 << 14

// findBar is the composer's rule while something is being found: what is looked
// for at the left, which hit of how many at the right.
func (m *Model) findBar(w int) string {
	lk, f := m.look(), m.chat.find
	label := lk.dim
	if m.focus == paneFind {
		label = lk.accent
	}
	text, _ := f.fieldPart(w - findAside)
	left := lk.faint.draw("── ") + label.draw(findLabel) + text + "  "
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

// fieldPart is the part of the field around the caret that has room, and the
// caret's column in it.
func (f *finding) fieldPart(room int) (text string, x int) {
	room = max(room, 1)
	row := strings.Join(f.field.View(), "")
	caret, _ := f.field.Cursor()
	from := max(0, caret-room+1)
	return ansi.Cut(row, from, from+room), columns(ansi.Cut(row, from, caret))
}

// dressField draws the field in a look.
func (f *finding) dressField(lk *look) {
	f.field.SetWidth(fieldWidth)
	f.field.SetMaxHeight(1)
	f.field.SetStyles(composer.Styles{Text: lk.text.draw, Selection: lk.selection.draw})
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
	_, x = m.chat.find.fieldPart(l.width - findAside)
	return columns("── "+findLabel) + x, l.rule
}

// findHints are the keys that matter while something is being found.
func (m *Model) findHints() []string {
	if m.focus == paneFind {
		return []string{"⏎ next hit", "↑↓ earlier, later", m.keys.hint("escape") + " close"}
	}
	return []string{"n next hit", "N earlier", "/ change", m.keys.hint("escape") + " close", "y copy"}
}
