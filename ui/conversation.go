package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

// conversation is the chat on screen: its session, what is drawn of it, and the
// turn that runs in it.
type conversation struct {
	session    session.Session
	transcript *transcript
	find       *finding // nil when nothing is being found
	turn       *chat.Turn
	live       liveState
	watch      int // number of the listener whose events count
	unwatch    context.CancelFunc
	next       func() tea.Cmd // waits for the turn's next events
	clockOn    bool           // a clock timer is under way
	busy       bool           // another process writes this session
	unsaved    string         // why saving fails at the moment
	sent       string         // the text of the turn that was started last
	place      session.View   // where the reader was, until its message is read
	stop       bool           // the turn that was asked for is to be stopped when it begins
	model      string         // what was chosen last, for the next new chat
	effort     string
}

// liveState is what the status line tells of a running turn.
type liveState struct {
	state chat.State
	since time.Time
	began time.Time
	bytes int       // of output so far
	first time.Time // of the first output
	last  time.Time // of the newest output

	shown   int // bytes when the clock ticked last, at shownAt
	shownAt time.Time
	retry   *api.Retry
}

func newConversation(s *scene) *conversation {
	return &conversation{transcript: newTranscript(s)}
}

// running tells whether a turn is under way here.
func (c *conversation) running() bool { return c.turn != nil }

// leave stops listening to the turn, which goes on.
func (c *conversation) leave() {
	c.watch++
	if c.unwatch != nil {
		c.unwatch()
		c.unwatch = nil
	}
	c.turn = nil
	c.live = liveState{}
}

// listen begins to take a turn's events.
func (c *conversation) listen(t *chat.Turn) tea.Cmd {
	c.watch++
	watch := c.watch
	ctx, cancel := context.WithCancel(context.Background())
	c.turn, c.unwatch = t, cancel
	c.next = func() tea.Cmd { return nextEventsCmd(ctx, t, watch) }
	return c.next()
}

// take keeps the live state true.
func (l *liveState) take(events []chat.Event, now time.Time) {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case chat.EventState:
			l.state, l.since = e.State, e.At
			if e.State != chat.Retrying {
				l.retry = nil
			}
		case chat.EventRetry:
			l.retry, l.since = e.Retry, e.At
		case chat.EventDelta:
			if l.first.IsZero() {
				l.first = now
			}
			l.bytes += len(e.Delta.Text)
			l.last = now
		}
	}
}

// open starts to open the store and the engine for a connection.
func (m *Model) open(c Connection) tea.Cmd {
	m.conn, m.back, m.catalogue = &c, nil, Catalogue{}
	return tea.Batch(openCmd(m.deps.Open, c), catalogueCmd(m.deps.Catalogue, c, false))
}

func (m *Model) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		title, advice := chat.Explain(msg.err)
		m.chat.transcript.notice(noticeError, title, advice)
		m.unqueue()
		return nil
	}
	m.back = &msg.backend
	if m.back.NoKey {
		m.push(newFirstRun(m))
	}
	if err := m.back.Unsaved; err != nil && !m.deps.Settings.Temporary {
		title, advice := chat.Explain(err)
		m.chat.transcript.notice(noticeWarning, "This chat is not saved: "+title, advice)
	}
	cmds := []tea.Cmd{historyCmd(m.back.Store), catalogueCmd(m.deps.Catalogue, msg.conn, true)}
	switch r := m.deps.Resume; {
	case r.Pick:
		cmds = append(cmds, draftCmd(m.back.Store), sessionsCmd(m.back.Store))
	case r.Latest || r.Name != "":
		return tea.Batch(append(cmds, resumeCmd(*m.back, r))...)
	default:
		cmds = append(cmds, draftCmd(m.back.Store))
	}
	return tea.Batch(append(cmds, m.sendFirst())...)
}

// sendFirst sends what waited for the store: the command line's prompt or a
// message that was typed faster.
func (m *Model) sendFirst() tea.Cmd {
	text := m.deps.Prompt
	m.deps.Prompt = ""
	if m.queued != "" {
		text, m.queued = m.queued, ""
	}
	if text == "" {
		return nil
	}
	return m.send(text)
}

// unqueue gives a message that cannot be sent back to the composer.
func (m *Model) unqueue() {
	text := m.queued
	if text == "" {
		text = m.deps.Prompt
	}
	m.queued, m.deps.Prompt = "", ""
	m.giveBack(text)
}

// giveBack puts a text that was not sent back where it was typed, without
// touching what was typed since.
func (m *Model) giveBack(text string) {
	if text == "" {
		return
	}
	if _, _, command := slashCommand(text); command {
		text = "/" + text // as it was typed: it is not to be run
	}
	if m.prompt.editor.Empty() {
		m.prompt.editor.SetText(text)
		return
	}
	m.prompt.remember(text)
	m.say("your message is in the history: Up brings it back")
}

// resuming tells whether the chat that the program was started for is not on the
// screen yet.
func (m *Model) resuming() bool { return !m.resumed }

func (m *Model) loaded(msg loadedMsg) tea.Cmd {
	first := !m.resumed
	m.resumed = true
	if msg.err != nil {
		return m.notLoaded(msg)
	}
	if d, ok := m.prompt.drafts.newest(msg.session.ID); ok {
		msg.draft = d
	}
	var cmds []tea.Cmd
	switch {
	case msg.session.ID == m.chat.session.ID: // read again: the draft stays
		m.chat.leave()
	case first: // what was typed meanwhile stays
		cmds = append(cmds, m.prompt.restore(msg.draft))
	default:
		cmds = append(cmds, m.leaveChat(), m.prompt.restore(msg.draft))
	}
	m.override(&msg.session)
	if msg.session.ID != m.chat.session.ID {
		m.focus = paneComposer
	}
	m.show(msg)
	if first := firstOf(msg.path); first != nil && first.Parent != "" {
		cmds = append(cmds, earlierCmd(m.deps.After, m.back.Store, msg.session.ID, first.Parent))
	}
	if t := m.back.Engine.Running(msg.session.ID); t != nil {
		cmds = append(cmds, m.rejoin(t))
	}
	return tea.Batch(append(cmds, m.countVariants(), m.sendFirst())...)
}

// override applies, once, what was asked for at the start to the session that
// was resumed.
func (m *Model) override(v *session.Session) {
	if m.deps.Override == nil {
		return
	}
	if err := m.deps.Override(v); err != nil {
		m.say(err.Error())
	}
	m.deps.Override = nil
}

// show puts a session that was read on the screen.
func (m *Model) show(msg loadedMsg) {
	c := m.chat
	c.session, c.busy, c.unsaved = msg.session, msg.busy, ""
	if c.session.Model != "" {
		c.model, c.effort = c.session.Model, c.session.Effort
	}
	t := c.transcript
	t.scene.reasoning = m.reasoningSetting()
	if v := msg.session.View.Reasoning; v != "" {
		t.scene.reasoning = reasoningView(v)
	}
	t.scene.generation++
	t.load(msg.path)
	if msg.busy {
		t.notice(noticeWarning, "Another waferchat is writing this chat.",
			"It can be read here. Sending works again when the other one has left it.")
	}
	c.place = msg.session.View
	c.returnToPlace()
}

func firstOf(path []session.Message) *session.Message {
	if len(path) == 0 {
		return nil
	}
	return &path[0]
}

// returnToPlace shows the place where the reader was, as soon as its message is
// there.
func (c *conversation) returnToPlace() {
	t := c.transcript
	if b := t.firstBlock(c.place.Message); c.place.Message != "" && b < t.list.Len() {
		t.list.SetTopSource(b, c.place.Offset)
		c.place = session.View{}
	}
}

// rejoin listens to a turn that went on without the screen.
func (m *Model) rejoin(t *chat.Turn) tea.Cmd {
	state, msgs := t.Attach()
	c := m.chat
	for i := range msgs[:2] { // those behind are variants
		at := &msgs[i]
		if at.Role == api.RoleAssistant {
			c.transcript.remove(at.ID)
			c.transcript.attach(at)
			c.live.bytes = len(at.Text()) + len(at.ReasoningText())
		} else {
			c.transcript.started(at)
		}
	}
	c.live.state, c.live.since, c.live.began = state, m.screen.now, m.screen.now
	c.session.Head = t.Session().Head
	return c.listen(t)
}

func (m *Model) notLoaded(msg loadedMsg) tea.Cmd {
	t := m.chat.transcript
	var many *session.AmbiguousError
	switch {
	case errors.As(msg.err, &many):
		t.notice(noticeWarning, fmt.Sprintf("More than one chat matches “%s”.", untrusted.Line(msg.wanted)), "Choose one of them.")
		m.pickSession(many.Matches)
		return m.unsent()
	case errors.Is(msg.err, session.ErrNotFound) && msg.wanted == "":
		m.say("no chat to continue yet: this is a new one")
		return tea.Batch(draftCmd(m.back.Store), m.sendFirst())
	case errors.Is(msg.err, session.ErrNotFound):
		t.notice(noticeWarning, fmt.Sprintf("No chat matches “%s”.", untrusted.Line(msg.wanted)), "Choose one, or write to begin a new one.")
		return tea.Batch(sessionsCmd(m.back.Store), m.unsent())
	}
	title, advice := chat.Explain(msg.err)
	t.notice(noticeError, title, advice)
	return m.unsent()
}

// unsent gives a waiting prompt back when the chat it was for is not there.
func (m *Model) unsent() tea.Cmd {
	m.unqueue()
	return nil
}

func (m *Model) earlier(msg earlierMsg) tea.Cmd {
	if msg.session != m.chat.session.ID {
		return nil
	}
	if msg.err != nil {
		title, _ := chat.Explain(msg.err)
		m.say("earlier messages could not be read: " + title)
		return nil
	}
	t := m.chat.transcript
	t.prepend(msg.path)
	if t.list.Following() { // who has moved since is not moved back
		m.chat.returnToPlace()
	}
	return nil
}
