package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// helpOverlay shows the keys and commands, out of the table of actions.
type helpOverlay struct {
	keys *keymap
	top  int
	rows int // of the whole text, as drawn last
	room int
}

func (m *Model) openHelp() { m.push(&helpOverlay{keys: m.keys}) }

func (h *helpOverlay) title() (string, string) {
	return "Keys and commands", "↑↓ scroll · Esc closes"
}

func (h *helpOverlay) paste(string) {}

func (h *helpOverlay) scroll(rows int) { h.top = max(0, min(h.top+rows, h.rows-h.room)) }

func (h *helpOverlay) key(_ tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	switch stroke {
	case "esc", "q", "enter", "?", "f1":
		return nil, true
	case "up", "k":
		h.scroll(-1)
	case "down", "j":
		h.scroll(1)
	case "pgup", "u":
		h.scroll(-max(1, h.room-1))
	case "pgdown", "d", "space":
		h.scroll(max(1, h.room-1))
	case "home", "g":
		h.top = 0
	case "end", "G":
		h.scroll(h.rows)
	}
	return nil, false
}

func (h *helpOverlay) view(lk *look, w, room int) ([]string, int, int) {
	all := h.lines(lk, w)
	h.rows, h.room = len(all), room
	h.scroll(0)
	return all[h.top:min(len(all), h.top+room)], -1, -1
}

func (h *helpOverlay) lines(lk *look, w int) []string {
	var out []string
	for _, g := range []string{groupWrite, groupChat, groupRead, groupApp, groupMotion} {
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, lk.overlayBold.draw(g))
		for i := range h.keys.table {
			if a := &h.keys.table[i]; a.group == g && a.id != "help-empty" && a.id != "help-here" {
				out = append(out, helpLine(lk, a, w))
			}
		}
	}
	return out
}

// helpKeyColumns is the room for the keys of an action.
const helpKeyColumns = 24

func helpLine(lk *look, a *action, w int) string {
	var keys []string
	for _, k := range a.keys {
		keys = append(keys, keyLabel(k))
	}
	col := min(helpKeyColumns, w/3)
	what := a.title
	if a.where == paneConversation {
		what += " (conversation)"
	}
	slash := ""
	if len(a.slash) > 0 {
		slash = "/" + a.slash[0]
	}
	left := lk.overlayAccent.draw(pad(strings.Join(keys, "  "), col)) + lk.overlay.draw(" "+fit(what, w-col-columns(slash)-2))
	return left + lk.overlay.draw(spaces(w-columns(left)-columns(slash))) + lk.overlayDim.draw(slash)
}
