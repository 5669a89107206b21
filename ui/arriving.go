package ui

import (
	"waferchat/chat"
	"waferchat/session"
)

// How a transcript grows by the events of a turn.

// apply takes a turn's events. Text is laid out once for all of them.
func (t *transcript) apply(events []chat.Event) {
	var touched *textBlock
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case chat.EventMessage:
			t.started(e.Stored)
		case chat.EventDelta:
			if b := t.delta(&e.Delta); b != nil {
				if touched != nil && touched != b {
					touched.flush()
				}
				touched = b
			}
		case chat.EventReclassified:
			if t.indexOf(e.Stored.ID) < 0 {
				continue
			}
			t.remove(e.Stored.ID)
			t.attach(e.Stored)
			touched = nil
		case chat.EventEnd:
			t.ended(e)
			touched = nil
		}
	}
	if touched != nil {
		touched.flush()
	}
}

// started shows a message that was added to the tree.
func (t *transcript) started(m *session.Message) {
	if t.indexOf(m.ID) >= 0 || t.live != nil && m.ID != t.live.ID && m.Role == "assistant" && m.Parent == t.live.Parent {
		return // a further choice is a variant: it is looked at when all are there
	}
	if m.Role != "assistant" {
		t.addMessage(m)
		return
	}
	if len(m.Parts) > 0 { // it goes on with a cut answer
		t.attach(m)
		return
	}
	t.messages = append(t.messages, m)
	t.live, t.parts = m, map[int]block{}
	if t.refocus {
		t.focus, t.refocus = m.ID, false
	}
}

// attach shows a message that is arriving, with what it already has.
func (t *transcript) attach(m *session.Message) {
	have := m.Parts
	m.Parts = nil
	t.started(m)
	for i, p := range have {
		b := t.delta(&session.Delta{Message: m.ID, Ordinal: i, Kind: p.Kind, Text: p.Text, Name: p.Name})
		if b != nil {
			b.flush()
		}
	}
}

// delta adds a piece of the message that is arriving. It returns the text block
// that wants a flush.
func (t *transcript) delta(d *session.Delta) *textBlock {
	if t.live == nil || d.Message != t.live.ID {
		return nil
	}
	b, ok := t.parts[d.Ordinal]
	if !ok {
		b = t.open(d)
		t.parts[d.Ordinal] = b
		t.list.Append(b)
	}
	switch b := b.(type) {
	case *textBlock:
		b.append(d.Text)
		return b
	case *reasoningBlock:
		b.append(d.Text)
	case *toolBlock:
		b.append(d.Name, d.Text)
	}
	return nil
}

// open makes the block of a new part; what came before it is settled.
func (t *transcript) open(d *session.Delta) block {
	t.settle()
	switch d.Kind {
	case session.PartReasoning:
		b := newReasoningBlock(t.scene, d.Message, "")
		b.live, b.began = true, t.scene.now
		t.began = t.scene.now
		return b
	case session.PartToolCall, session.PartToolResult:
		return newToolBlock(t.scene, d.Message, d.Name, "")
	}
	b := newTextBlock(t.scene, d.Message, "")
	b.live, b.before = true, t.texts(t.live)
	if w := t.list.Width(); w > 0 {
		b.begin(max(1, w-len(indent)))
	}
	return b
}

// settle ends the live state of all parts but the one to come.
func (t *transcript) settle() {
	for _, b := range t.parts {
		switch b := b.(type) {
		case *reasoningBlock:
			b.settle(t.scene.now.Sub(b.began))
		case *textBlock:
			b.settle()
		}
	}
}

// ended closes the message that was arriving.
func (t *transcript) ended(e *chat.Event) {
	t.settle()
	if t.live == nil || e.Stored == nil {
		return
	}
	m := e.Stored
	for _, b := range t.parts {
		if r, ok := b.(*reasoningBlock); ok {
			t.account(r, m)
		}
	}
	if i := t.indexOf(m.ID); i >= 0 {
		t.messages[i] = m
	}
	for _, b := range t.closing(m) {
		t.list.Append(b)
	}
	t.live, t.parts = nil, nil
	t.tally()
}

// account gives a reasoning block what only the end of the turn knows.
func (t *transcript) account(r *reasoningBlock, m *session.Message) {
	if m.Timing.Reasoning > 0 {
		r.took = m.Timing.Reasoning
	}
	if m.Usage != nil {
		r.tokens = positive(m.Usage.ReasoningTokens)
	}
	r.changed()
}

// tick lets live headers show the time.
func (t *transcript) tick() {
	for _, b := range t.parts {
		if r, ok := b.(*reasoningBlock); ok && r.live {
			r.changed()
		}
	}
}
