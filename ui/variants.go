package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"waferchat/session"
)

// The variants of the last answer: those that were given to the same question.

// changeVariant shows the variant that is step places on.
func (m *Model) changeVariant(step int) tea.Cmd {
	a := m.chat.transcript.lastAnswer()
	switch {
	case m.chat.running() || m.pending():
		m.say("an answer is arriving: " + m.keys.hint("escape") + " stops it")
		return nil
	case a == nil || m.back == nil:
		m.say("there is no answer yet")
		return nil
	}
	return variantCmd(*m.back, m.chat.session, a.ID, step)
}

// countVariants asks which variant of how many the last answer is.
func (m *Model) countVariants() tea.Cmd {
	a := m.chat.transcript.lastAnswer()
	if a == nil || m.back == nil {
		return nil
	}
	return countVariantsCmd(m.back.Store, a.ID)
}

func (m *Model) gotVariants(msg variantsMsg) tea.Cmd {
	if msg.of > 1 {
		m.chat.transcript.number(msg.answer, fmt.Sprintf("‹ %d/%d ›", msg.at+1, msg.of))
	}
	return nil
}

// number puts the place among the variants into an answer's footer.
func (t *transcript) number(answer session.MessageID, place string) {
	for i := t.firstBlock(answer); i < t.list.Len() && t.blockAt(i).message() == answer; i++ {
		if f, ok := t.list.Block(i).(*footerBlock); ok {
			f.variant = place
			f.changed()
		}
	}
}
