package ui

import tea "charm.land/bubbletea/v2"

// How the conversation is read: as written, and code that is wider than the
// screen.

// toggleRaw shows markdown as it was written, or laid out again. The place of the
// reader is kept by the source.
func (m *Model) toggleRaw() {
	t := m.chat.transcript
	t.scene.raw = !t.scene.raw
	t.scene.generation++
	if t.scene.raw {
		m.say("markdown is shown as it was written")
	} else {
		m.say("markdown is laid out again")
	}
}

// toggleCodeScroll wraps wide code, or cuts it for scrolling sideways.
func (m *Model) toggleCodeScroll() tea.Cmd {
	s := m.chat.transcript.scene
	s.codeScrolls = !s.codeScrolls
	s.generation++
	choice := "wrap"
	if s.codeScrolls {
		choice = "scroll"
		m.say("wide code scrolls sideways: Tab, then ← and →")
	} else {
		m.say("wide code wraps")
	}
	return keepSettingCmd(m.deps.KeepSetting, "wide_code", choice)
}

// codeStep is how far one key moves wide code, in columns.
const codeStep = 8

// sideways moves the wide code of the focused message.
func sideways(by int) func(*Model, string) (tea.Cmd, bool) {
	return func(m *Model, _ string) (tea.Cmd, bool) {
		t := m.chat.transcript
		a := t.focused()
		if a == nil {
			return nil, true
		}
		moved := false
		for i := t.firstBlock(a.ID); i >= 0 && i < t.list.Len() && t.blockAt(i).message() == a.ID; i++ {
			b, text := t.list.Block(i).(*textBlock)
			if l, laid := t.list.Layout(i).(textLayout); text && laid && b.scrollCode(l.m, by*codeStep) {
				moved = true
			}
		}
		if !moved && !t.scene.codeScrolls {
			m.say("wide code wraps: /wrap lets it scroll sideways")
		}
		return nil, true
	}
}
