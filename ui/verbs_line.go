package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/ui/composer"
)

// lineOverlay asks for one line: a file's name, a command.
type lineOverlay struct {
	name  string
	hint  string // above the field: what happens with the line
	wants string // placeholder of the field
	field *composer.Composer
	done  func(text string) tea.Cmd
}

// askLine opens a lineOverlay; given is in its field from the start.
func (m *Model) askLine(name, hint, wants, given string, done func(text string) tea.Cmd) {
	l := &lineOverlay{name: name, hint: hint, wants: wants, field: composer.New(), done: done}
	l.field.SetText(given)
	m.push(l)
}

func (l *lineOverlay) title() (string, string) { return l.name, "Esc closes" }
func (l *lineOverlay) paste(text string)       { l.field.Insert(oneLine(text)) }
func (l *lineOverlay) scroll(int)              {}

func (l *lineOverlay) key(msg tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	switch stroke {
	case "esc":
		return nil, true
	case "enter":
		if text := strings.TrimSpace(l.field.Text()); text != "" {
			return l.done(text), true
		}
		return nil, false
	}
	fieldKey(l.field, msg, stroke)
	return nil, false
}

func (l *lineOverlay) view(lk *look, w, _ int) ([]string, int, int) {
	row, x := fieldRow(lk, l.field, l.wants, w)
	return []string{lk.overlay.draw(fit(l.hint, w)), "", row}, x, 2
}
