package ui

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/nearest"
)

// keymap is the table of actions with the user's bindings: where × key → action.
type keymap struct {
	table    []action
	byKey    map[binding]int
	problems []string // what is wrong with the user's bindings
}

type binding struct {
	where pane
	key   string
}

// newKeymap applies the user's bindings to the table. "none" takes an action's
// keys away.
func newKeymap(user map[string][]string) *keymap {
	k := &keymap{table: actions(), byKey: map[binding]int{}}
	ids := make([]string, 0, len(user))
	for id := range user {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		i := slices.IndexFunc(k.table, func(a action) bool { return a.id == id })
		if i < 0 {
			k.problems = append(k.problems, fmt.Sprintf("keys: there is no action %q", id))
			continue
		}
		k.table[i].keys = slices.DeleteFunc(slices.Clone(user[id]), func(s string) bool { return s == "none" })
	}
	for i, a := range k.table {
		for _, key := range a.keys {
			b := binding{a.where, key}
			if j, taken := k.byKey[b]; taken {
				k.problems = append(k.problems, fmt.Sprintf("keys: %s is bound to both %s and %s; %s has it", key, k.table[j].id, a.id, k.table[j].id))
				continue
			}
			k.byKey[b] = i
		}
	}
	return k
}

// find returns the action of a key, in a pane or anywhere.
func (k *keymap) find(where pane, key string) *action {
	if i, ok := k.byKey[binding{where, key}]; ok {
		return &k.table[i]
	}
	return nil
}

// named returns the action with a slash name: exact, or the only one that
// begins so. near is the closest name for a typo.
func (k *keymap) named(name string) (a *action, near string) {
	var prefix *action
	several := false
	var names []string
	for i := range k.table {
		for _, s := range k.table[i].slash {
			if strings.Contains(s, " ") { // with its argument, for the palette and the help
				continue
			}
			if s == name {
				return &k.table[i], ""
			}
			if strings.HasPrefix(s, name) && prefix != &k.table[i] {
				several = prefix != nil
				prefix = &k.table[i]
			}
			names = append(names, s)
		}
	}
	if prefix != nil && !several {
		return prefix, ""
	}
	near, _ = nearest.Name(name, names)
	return nil, near
}

// hint is the first key of an action as it is shown, or its slash command.
func (k *keymap) hint(id string) string {
	for i := range k.table {
		a := &k.table[i]
		switch {
		case a.id != id:
		case len(a.keys) > 0:
			return keyLabel(a.keys[0])
		case len(a.slash) > 0:
			return "/" + a.slash[0]
		}
	}
	return ""
}

// keyLabel writes a key for people: ^P, Alt+M, PgUp.
func keyLabel(key string) string {
	names := map[string]string{"enter": "⏎", "shift+enter": "⇧⏎", "esc": "Esc", "tab": "Tab", "pgup": "PgUp", "pgdown": "PgDn",
		"space": "Space", "up": "↑", "down": "↓", "left": "←", "right": "→", "backspace": "⌫", "delete": "Del", "home": "Home", "end": "End"}
	if n, ok := names[key]; ok {
		return n
	}
	mod, rest, ok := strings.Cut(key, "+")
	if !ok || rest == "" {
		if len(key) > 1 && key[0] == 'f' {
			return strings.ToUpper(key)
		}
		return key
	}
	switch {
	case mod == "ctrl" && len([]rune(rest)) == 1:
		return "^" + strings.ToUpper(rest)
	case mod == "alt" && len([]rune(rest)) == 1:
		return "Alt+" + strings.ToUpper(rest)
	}
	if len([]rune(rest)) == 1 {
		rest = strings.ToUpper(rest)
	}
	if mod == "ctrl" {
		return "^" + keyLabel(rest)
	}
	return strings.ToUpper(mod[:1]) + mod[1:] + "+" + keyLabel(rest)
}

// key takes a key press: the top overlay, else keys that act anywhere, else the
// focused pane's, else typing.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if !isInterrupt(msg) {
		m.quitting.disarm()
	}
	sent := m.struck(msg)
	return tea.Batch(sent, m.route(msg, keystroke(msg)))
}

// route gives a key to its first taker.
func (m *Model) route(msg tea.KeyPressMsg, stroke string) tea.Cmd {
	if n := len(m.overlays); n > 0 {
		return m.overlayKey(m.overlays[n-1], msg, stroke)
	}
	for _, where := range m.findLayers() {
		a := m.keys.find(where, stroke)
		if a == nil {
			continue
		}
		if cmd, taken := a.run(m, ""); taken {
			return cmd
		}
	}
	if m.focus == paneFind {
		m.typeFind(msg, stroke)
		return nil
	}
	if msg.Text != "" {
		m.focus = paneComposer // a letter typed at the conversation goes along
		m.prompt.editor.Insert(msg.Text)
	}
	return nil
}

// keystroke names a key press. Shifted letters are named by what they type, so
// that "G" is the same key on every terminal.
func keystroke(msg tea.KeyPressMsg) string {
	k := msg.Key()
	if k.Text != "" && k.Text != " " && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		return k.Text
	}
	return msg.Keystroke()
}

func isInterrupt(msg tea.KeyPressMsg) bool { return msg.Keystroke() == "ctrl+c" }
