package ui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"

	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

// statusLine is the last row: the state while something runs, else the toast or
// the hints that matter now; badges, context and cost at the right.
func (m *Model) statusLine(w int) string {
	lk := m.look()
	account := ""
	if room := w * 2 / 5; room >= 24 { // a narrow screen keeps the hints instead
		account = joinFit(m.account(), " · ", room)
	}
	right := lk.dim.draw(account)
	if b := m.badges(); b != "" {
		right = lk.warning.draw(b) + lk.dim.draw(sep(account))
	}
	left := ""
	switch {
	case m.chat.live.state != "":
		left = m.liveLine()
		if m.toast.text != "" {
			left += lk.dim.draw(" · ") + lk.text.draw(untrusted.Line(m.toast.text))
		}
	case m.queued != "":
		left = lk.accent.draw("◐ ") + lk.dim.draw(m.waitsFor()+" · "+m.keys.hint("escape")+" takes it back")
	case m.prompt.pipe.running():
		left = lk.accent.draw("◐ ") + lk.dim.draw(m.pipeLine())
	case m.toast.text != "":
		left = lk.text.draw(untrusted.Line(m.toast.text))
	default:
		left = lk.dim.draw(m.hints(w - 4 - columns(right)))
	}
	if columns(left)+columns(right)+4 > w && m.toast.text != "" {
		right = "" // a toast is gone in a moment: it may have the room
	}
	return fit(ends(" "+left, right+"  ", w), w)
}

// waitsFor says what a message that was sent early waits for.
func (m *Model) waitsFor() string {
	if m.back == nil {
		return "your message goes out when the chats are open"
	}
	return "your message waits for the model list of " + untrusted.Line(m.conn.Name)
}

func sep(s string) string {
	if s == "" {
		return ""
	}
	return " · " + s
}

// badges are what must never be forgotten.
func (m *Model) badges() string {
	var b []string
	switch {
	case m.deps.Settings.Temporary:
		b = append(b, "temporary")
	case m.back != nil && m.back.Unsaved != nil, m.chat.unsaved != "":
		b = append(b, "not saved")
	}
	if m.chat.busy {
		b = append(b, "read only")
	}
	return strings.Join(b, " · ")
}

// account is the share of the context in use and the cost of what is on screen.
func (m *Model) account() []string {
	l := &m.chat.transcript.ledger
	var parts []string
	if s := m.contextShare(l.last); s != "" {
		parts = append(parts, s)
	}
	if l.known {
		parts = append(parts, dollars(l.cost))
	}
	return parts
}

func (m *Model) contextShare(last *session.Message) string {
	card, ok := m.catalogue.Models.Find(m.chat.session.Model)
	if !ok || card.ContextLength == 0 || last == nil || last.Usage == nil || last.Usage.TotalTokens == nil {
		return ""
	}
	return fmt.Sprintf("context %s of %s", percent(*last.Usage.TotalTokens, card.ContextLength), short(card.ContextLength))
}

func percent(n, of int64) string {
	if p := n * 100 / of; p > 0 {
		return fmt.Sprintf("%d %%", p)
	}
	return "< 1 %"
}

// hints are the keys that matter now, as many as fit.
func (m *Model) hints(w int) string {
	k := m.keys
	var parts []string
	switch {
	case m.chat.find != nil && m.focus != paneComposer:
		parts = m.findHints()
	case m.focus == paneConversation:
		parts = m.messageHints()
	case m.firstRun() != nil:
		return ""
	case m.conn == nil:
		parts = []string{"⏎ choose a server", k.hint("palette") + " commands", "? keys"}
	default:
		parts = []string{k.hint("send") + " send", "^J newline", k.hint("palette") + " commands"}
		if m.prompt.editor.Empty() {
			parts = append(parts, "? keys")
		}
	}
	return joinFit(parts, "   ", w)
}

// messageHints are the keys that do something with the focused message.
func (m *Model) messageHints() []string {
	t := m.chat.transcript
	parts := []string{"↑↓ message", "y copy", "c code", "q quote", "r answer again"}
	if a := t.lastAnswer(); a != nil && chat.CutShort(*a) && !isBlank(a.Text()) && t.live == nil {
		parts = append(parts, "+ go on")
	}
	for i := t.firstBlock(t.focus); i < t.list.Len() && t.blockAt(i).message() == t.focus; i++ {
		if f, ok := t.list.Block(i).(interface{ folds() bool }); ok && f.folds() {
			parts = append(parts, "Space unfold")
			break
		}
	}
	return append(parts, "Tab write", "? keys")
}

// liveLine tells what a running turn does right now.
func (m *Model) liveLine() string {
	lk, l := m.look(), &m.chat.live
	esc := m.keys.hint("escape")
	since := m.screen.now.Sub(l.since)
	switch l.state {
	case chat.Connecting:
		return m.spin() + lk.dim.draw("connecting "+seconds(since)+" · "+esc+" stops")
	case chat.Waiting:
		return m.spin() + lk.dim.draw("waiting for the first token "+seconds(since)+" · "+esc+" stops")
	case chat.Retrying:
		return lk.warning.draw("↻ " + m.retryWords(esc))
	}
	if quiet := m.screen.now.Sub(l.last); quiet > 3*time.Second {
		return lk.warning.draw("◌ silent for " + seconds(quiet) + " · " + esc + " stops")
	}
	return lk.success.draw("● ") + lk.dim.draw(m.speed()+esc+" stops")
}

// spin is the turning glyph of a state that waits; it turns with the clock.
func (m *Model) spin() string {
	frames := spinner.MiniDot.Frames
	turn := int(m.screen.now.Sub(m.chat.live.began) / clockPace)
	return m.look().accent.draw(frames[max(0, turn)%len(frames)]) + " "
}

func (m *Model) retryWords(esc string) string {
	r := m.chat.live.retry
	if r == nil {
		return "retrying · " + esc + " stops"
	}
	title, _ := chat.Explain(r.Err)
	left := max(0, r.Wait-m.screen.now.Sub(m.chat.live.since))
	return fmt.Sprintf("%s: try %d of %d in %s · %s stops", strings.TrimSuffix(untrusted.Line(title), "."), r.Attempt, r.Max, seconds(left), esc)
}

// speed is the output so far; tokens are guessed by their bytes until
// the server counts them. It changes with the clock only, so that it can be
// read and a frame writes no more than the new text.
func (m *Model) speed() string {
	l := &m.chat.live
	tokens := l.shown / bytesPerToken
	d := l.shownAt.Sub(l.first)
	if tokens == 0 || d < clockPace {
		return ""
	}
	return fmt.Sprintf("~%.0f tok/s · ~%s tokens · ", float64(tokens)/d.Seconds(), grouped(tokens))
}
