package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/chat"
	"waferchat/ui/composer"
	"waferchat/ui/untrusted"
)

// firstRun asks for a server when there is none yet: paste a key, take a server
// found on this machine, name a base URL, or try the demo.
type firstRun struct {
	m     *Model
	found []Connection
	at    int
	field *composer.Composer // what is typed for the marked choice, if it wants words
	busy  string             // what is being tried
	fault string             // why the last try failed
}

// choice is a row of the first-run screen.
type choice struct {
	name, facts string
	wants       string // placeholder of the field, "" for none
	secret      bool
	run         func(text string) tea.Cmd
}

func newFirstRun(m *Model) *firstRun { return &firstRun{m: m, field: composer.New()} }

// choices lists what can be done here, in the order of use.
func (f *firstRun) choices() []choice {
	var out []choice
	d := f.m.deps
	if d.KeepKey != nil {
		out = append(out, choice{name: "Paste a Wafer API key", facts: "kept in the keyring, or in a file only you can read", wants: "the key from app.wafer.ai, then Enter", secret: true,
			run: func(s string) tea.Cmd { f.busy = "keeping the key"; return keepKeyCmd(d.KeepKey, s) }})
	}
	for _, c := range f.found {
		out = append(out, choice{name: "Use " + untrusted.Line(c.Name), facts: untrusted.Line(c.BaseURL),
			run: func(string) tea.Cmd { return func() tea.Msg { return connectedMsg{conn: c, keep: true} } }})
	}
	if d.Reach != nil {
		out = append(out, choice{name: "Use another server", facts: "any OpenAI-compatible base URL", wants: "http://127.0.0.1:8080/v1",
			run: func(s string) tea.Cmd { f.busy = "asking " + s; return reachCmd(d.Reach, s) }})
	}
	if d.Demo != nil {
		out = append(out, choice{name: "Try the demo", facts: "a scripted server inside waferchat, offline",
			run: func(string) tea.Cmd { f.busy = "starting the demo"; return demoCmd(d.Demo) }})
	}
	return out
}

func (f *firstRun) title() (string, string) { return "Welcome to waferchat", "" }

func (f *firstRun) paste(text string) { f.field.Insert(oneLine(text)) }

func (f *firstRun) scroll(rows int) { f.move(rows) }

func (f *firstRun) move(n int) {
	f.at = max(0, min(f.at+n, len(f.choices())-1))
	f.field.SetText("")
	f.fault = ""
}

func (f *firstRun) key(msg tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	if f.busy != "" && stroke != "esc" {
		return nil, false
	}
	switch stroke {
	case "esc":
		f.busy = ""
		return nil, true
	case "up", "shift+tab":
		f.move(-1)
	case "down", "tab":
		f.move(1)
	case "enter":
		return f.chosen(), false
	default:
		fieldKey(f.field, msg, stroke)
	}
	return nil, false
}

func (f *firstRun) chosen() tea.Cmd {
	all := f.choices()
	if f.at >= len(all) {
		return nil
	}
	c := all[f.at]
	text := strings.TrimSpace(f.field.Text())
	if c.wants != "" && text == "" {
		f.fault = "Type or paste it first."
		return nil
	}
	f.fault = ""
	return c.run(text)
}

func (f *firstRun) view(lk *look, w, h int) ([]string, int, int) {
	out := []string{lk.overlay.draw(fit("A chat for your terminal. Which server shall it talk to?", w)), ""}
	x, y := -1, -1
	column := 0
	for _, c := range f.choices() {
		column = max(column, columns(c.name))
	}
	for i, c := range f.choices() {
		name, mark := lk.overlay, lk.overlay.draw("  ")
		if i == f.at {
			name, mark = lk.overlayBold, lk.overlayAccent.draw("▌ ")
		}
		row := mark + name.draw(pad(c.name, min(column, w-2)))
		if rest := w - columns(row) - 3; rest > 8 {
			row += lk.overlayDim.draw("   " + fit(c.facts, rest))
		}
		out = append(out, row)
		if i == f.at && c.wants != "" {
			field, fx := f.fieldRow(lk, c, w-2)
			x, y = fx+2, len(out)
			out = append(out, lk.overlay.draw("  ")+field)
		}
	}
	out = append(out, "")
	switch {
	case f.busy != "":
		out = append(out, lk.overlayDim.draw(fit("… "+untrusted.Line(f.busy), w)))
	case f.fault != "":
		p := newPlainText(w-2, untrusted.Text(f.fault))
		for i := range p.len() {
			out = append(out, lk.overlayDanger.draw(p.row(i)))
		}
	default:
		out = append(out, lk.overlayDim.draw(fit("⏎ choose   ↑↓ move   Esc close", w)))
	}
	return out[:min(len(out), h)], x, y
}

// fieldRow draws the field; a secret shows only that something is there.
func (f *firstRun) fieldRow(lk *look, c choice, w int) (string, int) {
	if c.secret && !f.field.Empty() {
		dots := strings.Repeat("•", min(len(f.field.Text()), w-4))
		return lk.overlayAccent.draw(promptMark) + lk.overlay.draw(dots), columns(promptMark) + columns(dots)
	}
	return fieldRow(lk, f.field, c.wants, w)
}

func (m *Model) firstRun() *firstRun {
	for _, o := range m.overlays {
		if f, ok := o.(*firstRun); ok {
			return f
		}
	}
	return nil
}

func (m *Model) probed(msg probedMsg) tea.Cmd {
	if f := m.firstRun(); f != nil {
		f.found = msg.found
	}
	return nil
}

func (m *Model) connected(msg connectedMsg) tea.Cmd {
	f := m.firstRun()
	if msg.err != nil {
		if f != nil {
			title, advice := chat.Explain(msg.err)
			f.busy, f.fault = "", joinSentences(title, advice)
		}
		return nil
	}
	if f != nil {
		m.drop(f)
	}
	if msg.note != "" {
		m.say(msg.note)
	}
	var keep tea.Cmd
	if msg.keep {
		keep = keepSettingCmd(m.deps.KeepSetting, "base_url", msg.conn.BaseURL)
	}
	return tea.Batch(keep, m.open(msg.conn))
}

// keyPrompt asks for a new key in the middle of a chat; the draft stays.
type keyPrompt struct {
	m     *Model
	field *composer.Composer
}

func newKeyPrompt(m *Model) *keyPrompt { return &keyPrompt{m: m, field: composer.New()} }

func (k *keyPrompt) title() (string, string) { return "API key", "Esc closes" }
func (k *keyPrompt) paste(text string)       { k.field.Insert(oneLine(text)) }
func (k *keyPrompt) scroll(int)              {}

func (k *keyPrompt) key(msg tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	switch stroke {
	case "esc":
		return nil, true
	case "enter":
		text := strings.TrimSpace(k.field.Text())
		if text == "" || k.m.deps.KeepKey == nil {
			return nil, false
		}
		return replaceKeyCmd(k.m.deps.KeepKey, text), true
	}
	fieldKey(k.field, msg, stroke)
	return nil, false
}

func (k *keyPrompt) view(lk *look, w, _ int) ([]string, int, int) {
	f := firstRun{field: k.field}
	row, x := f.fieldRow(lk, choice{wants: "paste the new key, then Enter", secret: true}, w)
	host := "the server"
	if k.m.conn != nil {
		host = untrusted.Line(k.m.conn.Name)
	}
	return []string{lk.overlay.draw(fit("A new key for "+host+". The chat and the draft stay.", w)), "", row}, x, 2
}

func (m *Model) keyed(msg keyedMsg) tea.Cmd {
	if msg.err != nil {
		m.say("the key was not kept: " + msg.err.Error())
		return nil
	}
	if m.back != nil && m.back.SetKey != nil {
		m.back.SetKey(msg.key)
	}
	m.say(msg.note)
	return nil
}
