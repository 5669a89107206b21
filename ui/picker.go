package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"waferchat/ui/composer"
)

// item is a row of a picker.
type item struct {
	id     string
	name   string   // what is matched and shown first
	alert  string   // warning, behind the name: a state that wants attention
	facts  []string // dim, behind the name, in the order of use
	note   string   // dim, at the right
	search string   // matched too, not shown
}

// picker is the one fuzzy list: commands, chats, models, themes and efforts.
type picker struct {
	name   string
	facts  string
	empty  string // what to say when there is nothing to choose
	foot   string
	items  []item
	shown  []int // indices of the items that match
	at     int   // chosen row of shown
	top    int   // first visible row of shown
	height int   // rows that were visible last
	filter *composer.Composer
	choose func(id string) tea.Cmd
	// preview is told when another item is marked, and with "" when the picker
	// closes without a choice; nil for none.
	preview func(id string)
}

func newPicker(name string, items []item, choose func(string) tea.Cmd) *picker {
	p := &picker{name: name, choose: choose, filter: composer.New(), empty: "nothing matches", foot: "⏎ choose   ↑↓ move   Esc close"}
	p.setItems(items)
	return p
}

// setItems replaces the items and keeps the filter and the marked item.
func (p *picker) setItems(items []item) {
	marked := p.marked()
	p.items = items
	p.match()
	p.mark(marked)
}

func (p *picker) marked() string {
	if p.at < len(p.shown) {
		return p.items[p.shown[p.at]].id
	}
	return ""
}

// mark moves to an item, if it is shown.
func (p *picker) mark(id string) {
	for i, n := range p.shown {
		if p.items[n].id == id {
			p.at = i
		}
	}
}

// match applies the filter: fuzzy, best first; without one, the given order.
func (p *picker) match() {
	p.at, p.top = 0, 0
	p.shown = p.shown[:0]
	text := strings.TrimSpace(p.filter.Text())
	if text == "" {
		for i := range p.items {
			p.shown = append(p.shown, i)
		}
		return
	}
	for _, f := range fuzzy.FindFrom(text, itemSource(p.items)) {
		p.shown = append(p.shown, f.Index)
	}
	// A word that was typed whole is what was meant.
	slices.SortStableFunc(p.shown, func(a, b int) int {
		return cmp.Compare(rank(&p.items[a], text), rank(&p.items[b], text))
	})
}

// rank is 0 for an item with a name or word equal to text, 1 for one that a word
// of begins with it, 2 for the others.
func rank(it *item, text string) int {
	best := 2
	for _, w := range strings.Fields(strings.ToLower(it.search + " " + it.name)) {
		switch low := strings.ToLower(text); {
		case w == low:
			return 0
		case strings.HasPrefix(w, low):
			best = 1
		}
	}
	return best
}

type itemSource []item

func (s itemSource) String(i int) string { return s[i].name + " " + s[i].search }
func (s itemSource) Len() int            { return len(s) }

func (p *picker) key(msg tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	before := p.marked()
	defer func() {
		if after := p.marked(); p.preview != nil && after != before && after != "" {
			p.preview(after)
		}
	}()
	switch stroke {
	case "esc":
		if p.preview != nil {
			p.preview("")
		}
		return nil, true
	case "enter":
		if id := p.marked(); id != "" {
			return p.choose(id), true
		}
		return nil, false
	case "up", "ctrl+p", "shift+tab":
		p.move(-1)
	case "down", "ctrl+n", "tab":
		p.move(1)
	case "pgup":
		p.move(-max(1, p.height-1))
	case "pgdown":
		p.move(max(1, p.height-1))
	default:
		if fieldKey(p.filter, msg, stroke) {
			p.match()
		}
	}
	return nil, false
}

func (p *picker) move(n int) { p.at = max(0, min(p.at+n, len(p.shown)-1)) }

func (p *picker) paste(text string) {
	p.filter.Insert(oneLine(text))
	p.match()
}

func (p *picker) scroll(rows int) { p.move(rows) }

// title has the place in the list when not all of it is visible.
func (p *picker) title() (string, string) {
	facts := p.facts
	if n := len(p.shown); n > p.height {
		place := fmt.Sprintf("%d–%d of %d", p.top+1, min(p.top+p.height, n), n)
		facts = strings.TrimPrefix(facts+" · "+place, " · ")
	}
	return p.name, facts
}

// beside tells whether the list leaves the conversation in view, for a preview.
func (p *picker) beside() bool { return p.preview != nil }

// pickerRows is how many items are shown at most: what can be taken in at once.
const pickerRows = 14

func (p *picker) view(lk *look, w, h int) ([]string, int, int) {
	field, x := fieldRow(lk, p.filter, "type to filter", w)
	out := []string{field}
	around := 4 // the blank rows and the foot
	if h < 10 {
		around = 1
	} else {
		out = append(out, "")
	}
	p.height = max(1, min(h-around, pickerRows, len(p.items)))
	p.top = max(min(p.top, p.at), p.at-p.height+1, 0)
	column := p.column(w)
	for i := p.top; i < min(p.top+p.height, len(p.shown)); i++ {
		out = append(out, p.row(lk, &p.items[p.shown[i]], i == p.at, column, w))
	}
	if len(p.shown) == 0 {
		out = append(out, lk.overlayDim.draw(fit("  "+p.nothing(), w)))
	}
	if around > 1 {
		out = append(out, "", lk.overlayDim.draw(fit(p.foot, w)))
	}
	return out, x, 0
}

// nothing says why there is nothing to choose.
func (p *picker) nothing() string {
	if len(p.items) > 0 {
		return "nothing matches"
	}
	return p.empty
}

// column is the room for names before the facts: the longest one's, at most half
// of the row.
func (p *picker) column(w int) int {
	n, facts := 0, false
	for i := range p.items {
		it := &p.items[i]
		n = max(n, columns(it.name))
		facts = facts || len(it.facts) > 0 || it.alert != ""
	}
	if !facts {
		return w
	}
	return min(n, w/2)
}

func (p *picker) row(lk *look, it *item, chosen bool, column, w int) string {
	name, dim, mark := lk.overlay, lk.overlayDim, lk.overlay.draw("  ")
	if chosen {
		name, dim, mark = lk.chosen, lk.chosenDim, lk.chosenMark.draw("▌ ")
	}
	note := fit(it.note, w/3)
	room := w - 2 - columns(note) - 1
	left := name.draw(pad(it.name, min(column, room)))
	rest := room - columns(left)
	if it.alert != "" && rest > columns(it.alert)+3 {
		left += name.draw("   ") + lk.alert(chosen).draw(it.alert)
		rest -= columns(it.alert) + 3
	}
	if facts := joinFit(it.facts, " · ", rest-3); len(it.facts) > 0 && rest > 3+columns(it.facts[0]) {
		left += dim.draw("   " + facts)
	}
	return mark + left + name.draw(spaces(w-2-columns(left)-columns(note))) + dim.draw(note)
}

// fieldKey edits a one-line field and tells whether its text may have changed.
func fieldKey(c *composer.Composer, msg tea.KeyPressMsg, stroke string) bool {
	before := c.Version()
	switch stroke {
	case "left", "ctrl+b":
		c.Move(composer.Left, false)
	case "right", "ctrl+f":
		c.Move(composer.Right, false)
	case "home", "ctrl+a":
		c.Move(composer.LineStart, false)
	case "end", "ctrl+e":
		c.Move(composer.LineEnd, false)
	case "backspace":
		c.Delete(composer.Left)
	case "delete":
		c.Delete(composer.Right)
	case "ctrl+w", "alt+backspace":
		c.Kill(composer.WordLeft)
	case "ctrl+u":
		c.Kill(composer.LineStart)
	case "ctrl+k":
		c.Kill(composer.LineEnd)
	default:
		if msg.Text != "" {
			c.Insert(msg.Text)
		}
	}
	return c.Version() != before
}

// fieldRow draws a one-line field on the overlay's ground and gives its caret's
// column.
func fieldRow(lk *look, c *composer.Composer, placeholder string, w int) (row string, x int) {
	c.SetWidth(max(1, w-3))
	c.SetMaxHeight(1)
	x, _ = c.Cursor()
	text := ""
	if rows := c.View(); len(rows) > 0 {
		text = rows[0]
	}
	if c.Empty() {
		text = lk.overlayDim.draw(fit(placeholder, w-3))
	} else {
		text = lk.overlay.draw(text)
	}
	return lk.overlayAccent.draw(promptMark) + text, x + columns(promptMark)
}

// oneLine makes pasted text fit a one-line field.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
