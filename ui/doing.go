package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/composer"
	"waferchat/ui/untrusted"
)

// What the actions do.

// quitting remembers a Ctrl+C that a second one within two seconds makes a
// quit.
type quitting struct{ at time.Time }

const quitWindow = 2 * time.Second

func (q *quitting) disarm() { q.at = time.Time{} }

// submit sends the draft, runs it as a slash command, or goes to a new line
// behind a backslash.
func (m *Model) submit() tea.Cmd {
	e := m.prompt.editor
	if e.EndsWithBackslash() {
		e.Delete(composer.Left)
		e.Insert("\n")
		return nil
	}
	text := e.Text()
	if isBlank(text) {
		return nil
	}
	if name, arg, ok := slashCommand(text); ok {
		return m.slash(name, arg)
	}
	if m.chat.running() || m.pending() {
		m.say("an answer is arriving: " + m.keys.hint("escape") + " stops it, your draft stays")
		return nil
	}
	if m.conn == nil {
		m.push(newFirstRun(m))
		return probeCmd(m.deps.Probe)
	}
	m.prompt.take()
	return tea.Batch(m.send(strings.TrimPrefix(text, unescape(text))), m.saveDraft())
}

// unescape is the slash that "//text" is written with to send "/text".
func unescape(text string) string {
	if strings.HasPrefix(text, "//") {
		return "/"
	}
	return ""
}

// slashCommand splits "/name argument". A path such as /usr/bin, a text of
// several lines, and "//" are no commands.
func slashCommand(text string) (name, arg string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok || strings.Contains(rest, "\n") {
		return "", "", false
	}
	name, arg, _ = strings.Cut(rest, " ")
	if name == "" || strings.ContainsAny(name, "/.\\") {
		return "", "", false
	}
	return strings.ToLower(name), strings.TrimSpace(arg), true
}

func (m *Model) slash(name, arg string) tea.Cmd {
	a, near := m.keys.named(name)
	switch {
	case a != nil:
		m.prompt.take()
		cmd, _ := a.run(m, arg)
		return cmd
	case near != "":
		m.say(fmt.Sprintf("there is no /%s: did you mean /%s? (// sends a slash)", untrusted.Line(name), near))
	default:
		m.say(fmt.Sprintf("there is no /%s: %s lists all commands (// sends a slash)", untrusted.Line(name), m.keys.hint("palette")))
	}
	return nil
}

// escape stops the answer, else returns to the composer.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.endFind():
	case m.stopTurn():
	case m.prompt.pipe.stop():
	case m.clearSelection():
	case m.focus == paneConversation:
		m.focus = paneComposer
	}
	return nil
}

// stopTurn ends what is under way, also before it has begun; false when there
// is nothing.
func (m *Model) stopTurn() bool {
	switch {
	case m.chat.running():
		m.chat.turn.Cancel()
	case m.pending():
		m.chat.stop = true
	case m.queued != "":
		m.unqueue()
	default:
		return false
	}
	return true
}

// interrupt is Ctrl+C: stop the answer, else clear the draft, else the second
// one quits.
func (m *Model) interrupt() tea.Cmd {
	switch {
	case m.endFind():
	case m.stopTurn(), m.prompt.pipe.stop():
		m.quitting.disarm()
	case !m.prompt.editor.Empty():
		text := m.prompt.editor.Text()
		m.prompt.take()
		m.say("draft cleared: " + m.keys.hint("undo") + " or Up brings it back")
		return tea.Batch(m.saveDraft(), m.keepCleared(text))
	case !m.quitting.at.IsZero() && m.screen.now.Sub(m.quitting.at) < quitWindow:
		return tea.Quit
	default:
		m.quitting.at = m.screen.now
		m.say("Ctrl+C again quits")
	}
	return nil
}

// keepCleared keeps a cleared draft for the history, also of the next run.
func (m *Model) keepCleared(text string) tea.Cmd {
	if m.back == nil {
		return nil
	}
	return keepClearedCmd(m.back.Store, text)
}

// newChat leaves the chat on screen for an empty one. Nothing is deleted; a
// turn that runs goes on.
func (m *Model) newChat() tea.Cmd {
	save := m.leaveChat()
	c := m.chat
	m.resumed = true
	c.session = m.freshSession()
	c.session.Model, c.session.Effort = c.model, c.effort
	c.busy, c.unsaved = false, ""
	c.transcript.load(nil)
	m.focus = paneComposer
	if m.back == nil {
		return save
	}
	return tea.Sequence(save, draftCmd(m.back.Store))
}

// runNew begins a new chat; what follows the command is typed into it.
func runNew(m *Model, arg string) (tea.Cmd, bool) {
	cmd := m.newChat()
	if arg != "" {
		m.prompt.editor.SetText(arg)
	}
	return cmd, true
}

// leaveChat keeps what is to be kept of the chat on screen, and empties the
// composer for the next one. A turn that runs goes on.
func (m *Model) leaveChat() tea.Cmd {
	cmds := []tea.Cmd{m.saveDraft()}
	m.prompt.clear()
	c := m.chat
	if m.back != nil {
		if c.session.Head != "" && !c.busy {
			c.session.View = m.view()
			cmds = append(cmds, saveSessionCmd(m.back.Store, c.session))
		}
		m.back.Engine.Release(c.session.ID)
	}
	c.leave()
	return tea.Batch(cmds...)
}

// view is where the reader is, to be kept with the session.
func (m *Model) view() session.View {
	t := m.chat.transcript
	v := session.View{Reasoning: string(t.scene.reasoning)}
	if t.list.Following() || t.list.Len() == 0 {
		return v
	}
	b, offset := t.list.TopSource()
	first := b
	for first > 0 && t.blockAt(first).message() == "" {
		first--
	}
	v.Message, v.Offset = t.blockAt(first).message(), offset
	return v
}

// retryLast answers the last question again. The old answer stays in the tree.
func (m *Model) retryLast() tea.Cmd {
	a := m.chat.transcript.lastAnswer()
	switch {
	case m.chat.running() || m.pending():
		m.say("an answer is arriving: " + m.keys.hint("escape") + " stops it")
	case a == nil || m.back == nil:
		m.say("there is no answer yet")
	default:
		m.chat.transcript.list.ScrollTail()
		m.chat.live = liveState{state: chat.Connecting, since: m.screen.now, began: m.screen.now}
		return retryCmd(m.back.Engine, m.chat.session, a.ID)
	}
	return nil
}

// goOn goes on with the last answer, if it was cut.
func (m *Model) goOn() tea.Cmd {
	a := m.chat.transcript.lastAnswer()
	switch {
	case m.chat.running() || m.pending():
		m.say("an answer is arriving: " + m.keys.hint("escape") + " stops it")
	case a == nil || m.back == nil:
		m.say("there is no answer yet")
	case !chat.CutShort(*a):
		m.say("the last answer came to its end")
	default:
		m.chat.transcript.list.ScrollTail()
		m.chat.live = liveState{state: chat.Connecting, since: m.screen.now, began: m.screen.now}
		return continueCmd(m.back.Engine, m.chat.session, a.ID)
	}
	return nil
}

// runRename gives the chat a title.
func runRename(m *Model, arg string) (tea.Cmd, bool) {
	if arg == "" {
		m.prompt.editor.SetText("/rename " + m.chat.session.Title)
		m.focus = paneComposer
		return nil, true
	}
	s := &m.chat.session
	s.Title, s.TitleSource = arg, session.TitleUser
	if m.back == nil || s.Head == "" {
		return nil, true
	}
	return saveSessionCmd(m.back.Store, *s), true
}

func (m *Model) cycleReasoning() tea.Cmd {
	t := m.chat.transcript
	t.setReasoning(t.scene.reasoning.next())
	m.say("reasoning: " + string(t.scene.reasoning))
	m.chat.session.View.Reasoning = string(t.scene.reasoning)
	if m.back == nil || m.chat.session.Head == "" || m.chat.busy {
		return nil
	}
	return saveSessionCmd(m.back.Store, m.chat.session)
}

func (m *Model) edit() tea.Cmd {
	if m.deps.Edit == nil {
		return nil
	}
	return editCmd(m.deps.Edit, m.prompt.editor.Text())
}

func (m *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		m.say("the editor failed, your draft is kept: " + msg.err.Error())
		return nil
	}
	if text := strings.TrimSuffix(msg.text, "\n"); text != m.prompt.editor.Text() {
		m.prompt.editor.SetText(text)
	}
	return nil
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(n) + " " + word + "s"
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return strings.TrimRight(a, " ") + " " + b
}
