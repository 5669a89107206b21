package ui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

// send starts a turn with a text. Before the store is open the text waits.
func (m *Model) send(text string) tea.Cmd {
	if m.back == nil {
		m.queued = text
		return nil
	}
	c := m.chat
	if c.session.Model == "" {
		c.session.Model = m.defaultModel()
	}
	if c.session.Model == "" && !m.catalogue.asked {
		m.queued = text
		return nil // the status line says what it waits for
	}
	if c.session.Model == "" {
		return m.noModel(text)
	}
	c.transcript.dropPassing()
	c.transcript.list.ScrollTail()
	c.live = liveState{state: chat.Connecting, since: m.screen.now, began: m.screen.now}
	return startCmd(m.back.Engine, c.session, text)
}

// noModel gives a message back that no model is known for, says why, and asks
// the server again: it may be back by the next try.
func (m *Model) noModel(text string) tea.Cmd {
	m.giveBack(text)
	title, advice := "No model is known yet.", "Choose one with "+m.keys.hint("model")+", or name one with /model NAME."
	if err := m.catalogue.Err; err != nil {
		var what string
		title, what = chat.Explain(err)
		advice = joinSentences(what, "Sending again asks it once more; /model NAME names a model without asking.")
	}
	m.chat.transcript.passing(noticeError, title, joinSentences(advice, "Your message is back in the composer."))
	m.catalogue.asked = false
	return catalogueCmd(m.deps.Catalogue, *m.conn, true)
}

// defaultModel is what the catalogue's source chose, else its first model.
func (m *Model) defaultModel() string {
	if m.catalogue.Default != "" {
		return m.catalogue.Default
	}
	if len(m.catalogue.Models) == 0 {
		return ""
	}
	return m.catalogue.Models[0].ID
}

// pending tells whether a turn was asked for that has not begun yet.
func (m *Model) pending() bool { return !m.chat.running() && m.chat.live.state != "" }

func (m *Model) started(msg startedMsg) tea.Cmd {
	if msg.session != m.chat.session.ID {
		return nil // left meanwhile: the turn goes on by itself
	}
	if msg.err != nil {
		m.chat.live, m.chat.stop = liveState{}, false
		return m.notStarted(msg)
	}
	c := m.chat
	c.sent = msg.text
	var moved tea.Cmd
	if c.session.Head == "" {
		moved = m.prompt.moveDraft(m.back.Store)
	}
	c.session.Head = msg.turn.Session().Head
	if msg.text == "" {
		c.transcript.dropAnswer()
	} else if c.session.TitleSource == session.TitleNone {
		c.session.Title, c.session.TitleSource = session.Title(msg.text), session.TitleHeuristic
	}
	if c.stop {
		c.stop = false
		msg.turn.Cancel()
	}
	return tea.Batch(moved, c.listen(msg.turn))
}

func (m *Model) notStarted(msg startedMsg) tea.Cmd {
	m.giveBack(msg.text)
	if errors.Is(msg.err, session.ErrMoved) {
		m.say("this chat went on elsewhere: it was read again")
		return loadCmd(*m.back, m.chat.session.ID, "")
	}
	title, advice := chat.Explain(msg.err)
	m.chat.transcript.passing(noticeError, title, advice)
	return nil
}

func (m *Model) turnEvents(msg turnEventsMsg) tea.Cmd {
	c := m.chat
	if msg.watch != c.watch || c.turn == nil {
		return nil
	}
	c.live.take(msg.events, m.screen.now)
	c.transcript.apply(msg.events)
	for i := range msg.events {
		switch e := &msg.events[i]; e.Kind {
		case chat.EventSaving:
			m.saving(e.Err)
		case chat.EventRetry:
			m.retrying(e.Retry)
		case chat.EventEnd:
			return m.turnEnded(e)
		}
	}
	return c.next()
}

// retrying tells what is left out of the request from now on.
func (m *Model) retrying(r *api.Retry) {
	switch {
	case r.Added != "":
		m.say("the server wants " + untrusted.Line(r.Added) + " with every tool call: it is sent from now on")
	case r.Renamed != "":
		m.say("the server takes " + untrusted.Line(r.Dropped) + " under the name " + untrusted.Line(r.Renamed) + ": it is sent so from now on")
	case r.Dropped == "":
	case r.Dropped == "content":
		m.say("the server does not take empty content beside tool calls: it is left out")
	default:
		m.say("the server does not take " + untrusted.Line(r.Dropped) + ": it is left out for this model")
	}
}

// saving tells once that saving fails, and once that it works again.
func (m *Model) saving(err error) {
	if err == nil {
		if m.chat.unsaved != "" {
			m.say("saving works again, nothing was lost")
		}
		m.chat.unsaved = ""
		return
	}
	title, advice := chat.Explain(err)
	if m.chat.unsaved == "" {
		m.chat.transcript.notice(noticeError, "The answer could not be saved: "+title, advice)
	}
	m.chat.unsaved = title
}

func (m *Model) turnEnded(e *chat.Event) tea.Cmd {
	c := m.chat
	sent := c.sent
	c.leave()
	c.sent = ""
	if e.Stored != nil {
		c.session.Head = e.Stored.ID
	}
	if e.Stored != nil && e.Stored.State == session.Done && e.State != chat.Done && e.Err != nil {
		title, _ := chat.Explain(e.Err) // the answer itself has come to its end
		c.transcript.notice(noticeWarning, "Another variant of this answer broke off.", joinSentences(title, m.keys.hint("variant-forward")+" shows what came of it."))
	}
	if authFailed(e.Err) {
		c.transcript.notice(noticeWarning, "The key was not accepted.", m.keys.hint("palette")+" → “Replace the API key” takes a new one; the chat and the draft stay.")
	}
	if e.Stored != nil && sent != "" && e.State != chat.Done && !visible(e.Stored) && m.prompt.editor.Empty() {
		return withdrawCmd(m.back.Engine, c.session, e.Stored.Parent, sent)
	}
	return tea.Batch(m.countVariants(), m.check(e.Stored))
}

// visible tells whether anything of an answer was shown.
func visible(a *session.Message) bool {
	for i := range a.Parts {
		if !isBlank(a.Parts[i].Text) || a.Parts[i].Name != "" {
			return true
		}
	}
	return false
}

func authFailed(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Status == 401
}

// withdrawn puts a message that got no answer back into the composer. Why it
// got none stays on the screen.
func (m *Model) withdrawn(msg withdrawnMsg) tea.Cmd {
	if msg.err != nil || msg.session != m.chat.session.ID {
		return nil
	}
	t := m.chat.transcript
	reason := t.reason(msg.user)
	t.remove(msg.user)
	m.chat.session.Head = msg.head
	if msg.head == "" {
		m.startOver()
	}
	if reason != nil {
		t.passing(reason.kind, reason.title, joinSentences(reason.advice, "Your message is back in the composer."))
	} else {
		m.say("stopped: your message is back in the composer")
	}
	m.giveBack(msg.text)
	return nil
}

// startOver makes the chat on screen a new one, when its only message was taken
// back.
func (m *Model) startOver() {
	v := m.chat.session
	m.back.Engine.Release(v.ID)
	v.ID, v.Head, v.Title, v.TitleSource = session.NewID(), "", "", session.TitleNone
	m.chat.session = v
}

// reason is the notice that says why the answer to a user's message failed;
// nil when the user stopped it.
func (t *transcript) reason(user session.MessageID) *noticeBlock {
	for i := t.firstBlock(user); i < t.list.Len(); i++ {
		if n, ok := t.list.Block(i).(*noticeBlock); ok && n.kind != noticeInfo {
			return n
		}
	}
	return nil
}

// dropAnswer takes the newest answer off the screen: it stays in the tree.
func (t *transcript) dropAnswer() {
	was := t.focused()
	t.refocus = was != nil && was.Role == api.RoleAssistant
	for i := len(t.messages) - 1; i >= 0; i-- {
		if t.messages[i].Role == api.RoleUser {
			t.truncate(t.messages[i].ID)
			return
		}
	}
}

// clock keeps a timer going while something on screen counts seconds.
func (m *Model) clock() tea.Cmd {
	if m.chat.live.state == "" && !m.prompt.pipe.running() || m.chat.clockOn {
		return nil
	}
	m.chat.clockOn = true
	return timerCmd(m.deps.After, clockPace, timerClock, 0)
}

// clockPace is how often what counts seconds is drawn again.
const clockPace = 250 * time.Millisecond

func (m *Model) timer(msg timerMsg) tea.Cmd {
	switch msg.timer {
	case timerClock:
		m.chat.clockOn = false
		m.chat.live.shown, m.chat.live.shownAt = m.chat.live.bytes, m.screen.now
		m.chat.transcript.tick()
	case timerDraft:
		return m.draftDue(msg.id)
	case timerToast:
		m.toast.expire(msg.id)
	case timerEnter:
		return m.entered(msg.id)
	case timerWheel:
		m.scrollBy(m.wheel.take())
	case timerSelect:
		return m.edgeDue(msg.id)
	}
	return nil
}
