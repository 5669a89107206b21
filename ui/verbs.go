package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/session"
	"waferchat/ui/composer"
)

// The verbs: what can be done with a message, its code blocks and its links
// besides reading and copying.

// target is the message that a verb is about: the focused one while the
// conversation has the focus, else the last answer; nil when there is none.
func (m *Model) target() *session.Message {
	t := m.chat.transcript
	if m.focus == paneConversation {
		if a := t.focused(); a != nil {
			return a
		}
	}
	return t.lastAnswer()
}

// callIt is what the user is told of a message.
func (m *Model) callIt(a *session.Message) string {
	switch last := m.chat.transcript.lastAnswer(); {
	case last != nil && a.ID == last.ID:
		return "the last answer"
	case a.Role == "user":
		return "this message"
	}
	return "this answer"
}

// wholeOf is the source of a message, and what it is called.
func (m *Model) wholeOf(a *session.Message) (what, text string) {
	what = "answer"
	if a.Role == "user" {
		what = "message"
	}
	return what, lineEnds(m.chat.transcript.sourceOf(a))
}

// textTo is the source of the message in question, for a verb that needs some; it
// says why there is none.
func (m *Model) textTo(verb string) (what, text string, ok bool) {
	a := m.target()
	if a == nil {
		m.nothingYet()
		return "", "", false
	}
	if what, text = m.wholeOf(a); isBlank(text) {
		m.say(m.callIt(a) + " has no text to " + verb)
		return "", "", false
	}
	return what, text, true
}

// quote puts what is selected into the draft as a quote, else the message in
// question.
func (m *Model) quote() tea.Cmd {
	if text, ok := m.selectedText(); ok {
		m.quoteText(text)
		return nil
	}
	a := m.target()
	if a == nil {
		return m.nothingYet()
	}
	text := m.chat.transcript.sourceOf(a)
	if isBlank(text) {
		m.say(m.callIt(a) + " has no text to quote")
		return nil
	}
	m.quoteText(text)
	return nil
}

// quoteText puts a text into the draft as a quote, below what is there, with the
// caret below it.
func (m *Model) quoteText(text string) {
	e := m.prompt.editor
	e.Move(composer.TextEnd, false)
	gap := ""
	if draft := e.Text(); draft != "" {
		gap = strings.Repeat("\n", max(0, 2-(len(draft)-len(strings.TrimRight(draft, "\n")))))
	}
	e.Insert(gap + quoted(text) + "\n\n")
	m.focus = paneComposer
}

// newDraft makes a text that came from elsewhere the draft. What was typed goes
// into the history, and note says so.
func (m *Model) newDraft(text string) (cmd tea.Cmd, note string) {
	e := m.prompt.editor
	if !e.Empty() {
		old := e.Text()
		m.prompt.take()
		cmd, note = m.keepCleared(old), "; Up brings your draft back"
	}
	if _, _, command := slashCommand(text); command {
		text = "/" + text // it is not to be run
	}
	e.Paste(text)
	m.focus = paneComposer
	return cmd, note
}
