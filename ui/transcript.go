package ui

import (
	"time"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/markdown"
)

// transcript is the conversation on screen: the blocks of the active path, in
// a virtual list. It is rebuilt from stored messages, and grows by a turn's
// events.
type transcript struct {
	list     *blocklist.List
	scene    *scene
	messages []*session.Message // those on screen, in order, notices apart
	live     *session.Message   // the assistant message that is arriving
	parts    map[int]block      // its blocks by ordinal
	began    time.Time          // when its newest reasoning began
	focus    session.MessageID  // the message with the focus mark
	refocus  bool               // the mark goes to the answer that is asked for again
	ledger   ledger

	selection selection
}

// ledger is what the answers on screen amount to.
type ledger struct {
	cost  int64 // micro-cents of those whose cost is known
	known bool
	last  *session.Message // the newest answer whose tokens are known
}

// tally brings the ledger up to date.
func (t *transcript) tally() {
	t.ledger = ledger{}
	for _, m := range t.messages {
		if m.Role != "assistant" {
			continue
		}
		if m.Usage != nil && m.Usage.TotalTokens != nil {
			t.ledger.last = m
		}
		if c := session.Cost(m.Usage, m.Prices); c != nil {
			t.ledger.cost += *c
			t.ledger.known = true
		}
	}
}

func newTranscript(s *scene) *transcript {
	return &transcript{list: blocklist.New(1), scene: s}
}

// load replaces everything by a path.
func (t *transcript) load(path []session.Message) {
	t.list.Reset()
	t.messages, t.live, t.parts, t.focus = nil, nil, nil, ""
	for i := range path {
		t.addMessage(&path[i])
	}
	t.tally()
}

// prepend puts earlier messages in front; what is on screen stays.
func (t *transcript) prepend(path []session.Message) {
	old := t.messages
	t.messages = nil
	var front []blocklist.Block
	for i := range path {
		m := &path[i]
		front = append(front, t.blocksOf(m)...)
		t.messages = append(t.messages, m)
	}
	if len(old) > 0 {
		// What used to be the first message may no longer need its day.
		if b, ok := t.list.Block(t.firstBlock(old[0].ID)).(*userBlock); ok {
			b.day = t.dayBefore(old[0])
			b.changed()
		}
	}
	t.messages = append(t.messages, old...)
	t.list.Prepend(front...)
	t.tally()
}

func (t *transcript) addMessage(m *session.Message) {
	for _, b := range t.blocksOf(m) {
		t.list.Append(b)
	}
	t.messages = append(t.messages, m)
}

// blocksOf makes the blocks of a message that is not arriving.
func (t *transcript) blocksOf(m *session.Message) []blocklist.Block {
	if m.Role == "user" {
		b := newUserBlock(t.scene, m)
		b.day = t.dayBefore(m)
		return []blocklist.Block{b}
	}
	var out []blocklist.Block
	var texts []string
	for i := range m.Parts {
		b := t.partBlock(m, &m.Parts[i])
		if b == nil {
			continue
		}
		if text, ok := b.(*textBlock); ok {
			text.before, texts = texts, append(texts, text.text)
		}
		out = append(out, b)
	}
	if m.Role == "assistant" {
		out = append(out, t.closing(m)...)
	}
	return out
}

// dayBefore is the separator that a user turn needs, "" when the day is the
// same as that of the message before.
func (t *transcript) dayBefore(m *session.Message) string {
	day := m.Created.In(t.scene.location)
	if n := len(t.messages); n > 0 {
		p := t.messages[n-1].Created.In(t.scene.location)
		if p.Year() == day.Year() && p.YearDay() == day.YearDay() {
			return ""
		}
	} else if now := t.scene.now.In(t.scene.location); now.Year() == day.Year() && now.YearDay() == day.YearDay() {
		return ""
	}
	return day.Format("Monday, 2 January 2006")
}

func (t *transcript) partBlock(m *session.Message, p *session.Part) blocklist.Block {
	switch p.Kind {
	case session.PartReasoning:
		b := newReasoningBlock(t.scene, m.ID, p.Text)
		b.took = m.Timing.Reasoning
		if m.Usage != nil {
			b.tokens = positive(m.Usage.ReasoningTokens)
		}
		return b
	case session.PartText, session.PartRefusal:
		if p.Text == "" {
			return nil
		}
		return newTextBlock(t.scene, m.ID, p.Text)
	case session.PartToolCall, session.PartToolResult:
		return newToolBlock(t.scene, m.ID, p.Name, p.Text)
	}
	return nil
}

// positive is n when it says something: 0 reported tokens for reasoning that is
// there would be a lie.
func positive(n *int64) *int64 {
	if n == nil || *n == 0 {
		return nil
	}
	return n
}

// closing makes the footer and the notices below a finished answer.
func (t *transcript) closing(m *session.Message) []blocklist.Block {
	var out []blocklist.Block
	if n := t.ending(m); n != nil {
		out = append(out, n)
	}
	if len(m.Parts) > 0 && m.State != session.Streaming {
		out = append(out, newFooterBlock(t.scene, m))
	}
	return out
}

// ending says how an answer ended when that needs words.
func (t *transcript) ending(m *session.Message) *noticeBlock {
	note := func(k noticeKind, title, advice, keys string) *noticeBlock {
		return newNotice(t.scene, m.ID, k, title, advice, keys)
	}
	keysRetry := t.scene.retry
	if chat.CutShort(*m) && !isBlank(m.Text()) && !hasCalls(m) && m.State != session.Streaming {
		keysRetry += " · " + t.scene.goOn
	}
	switch {
	case m.State == session.Streaming:
		return note(noticeInfo, "This answer is arriving in another waferchat.", "", "")
	case m.State == session.Cancelled:
		return note(noticeInfo, "Stopped. What had arrived is kept.", "", keysRetry)
	case m.Failure != nil:
		return note(noticeError, m.Failure.Title, m.Failure.Advice, keysRetry)
	case m.State == session.Interrupted:
		return note(noticeError, "The answer was interrupted before it was complete.", "The text above is kept.", keysRetry)
	case m.State == session.Failed:
		return note(noticeError, "The turn failed.", "The text above is kept.", keysRetry)
	case m.Repeating() && !isBlank(m.Text()):
		return note(noticeWarning, "The answer ended before its token limit, possibly because it repeated itself.", "Another try may do better than going on.", keysRetry)
	case api.LimitReached(m.Finish) && isBlank(m.Text()):
		return note(noticeWarning, "The token limit was reached before the answer began.", "Raise max_tokens or lower the effort, then retry.", keysRetry)
	case api.LimitReached(m.Finish):
		return note(noticeWarning, "The token limit was reached: the answer is cut short.", "Raise max_tokens, or ask to go on.", keysRetry)
	case m.Finish == "content_filter":
		return note(noticeWarning, "The server's content filter ended this answer.", "", keysRetry)
	case m.State == session.Done && isBlank(m.Text()) && !hasCalls(m):
		return note(noticeWarning, "The model gave no answer text.", "Retry, or lower the effort.", keysRetry)
	}
	return nil
}

func hasCalls(m *session.Message) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind == session.PartToolCall {
			return true
		}
	}
	return false
}

// notice adds a notice at the end.
func (t *transcript) notice(kind noticeKind, title, advice string) {
	t.list.Append(newNotice(t.scene, "", kind, title, advice, ""))
}

// passing adds a notice that the next message sent takes away: it is about one
// that was not.
func (t *transcript) passing(kind noticeKind, title, advice string) {
	n := newNotice(t.scene, "", kind, title, advice, "")
	n.passing = true
	t.list.Append(n)
}

func (t *transcript) dropPassing() {
	for i := t.list.Len() - 1; i >= 0; i-- {
		n, ok := t.list.Block(i).(*noticeBlock)
		if !ok || n.id != "" {
			return
		}
		if n.passing {
			t.list.Remove(i, 1)
		}
	}
}

// truncate removes everything behind a message.
func (t *transcript) truncate(id session.MessageID) {
	at := t.indexOf(id)
	if at < 0 {
		return
	}
	t.messages = t.messages[:at+1]
	last := t.lastBlock(id)
	t.list.Remove(last+1, t.list.Len()-last-1)
	t.tally()
}

// remove takes a message and everything behind it away.
func (t *transcript) remove(id session.MessageID) {
	at := t.indexOf(id)
	if at < 0 {
		return
	}
	t.messages = t.messages[:at]
	first := t.firstBlock(id)
	t.list.Remove(first, t.list.Len()-first)
	t.tally()
}

func (t *transcript) indexOf(id session.MessageID) int {
	for i := len(t.messages) - 1; i >= 0; i-- {
		if t.messages[i].ID == id {
			return i
		}
	}
	return -1
}

func (t *transcript) firstBlock(id session.MessageID) int {
	first := t.list.Len()
	for i := t.list.Len() - 1; i >= 0; i-- {
		if t.blockAt(i).message() == id {
			first = i
		} else if first < t.list.Len() {
			break
		}
	}
	return first
}

func (t *transcript) lastBlock(id session.MessageID) int {
	for i := t.list.Len() - 1; i >= 0; i-- {
		if t.blockAt(i).message() == id {
			return i
		}
	}
	return -1
}

func (t *transcript) blockAt(i int) block { return t.list.Block(i).(block) }

// restyle changes how everything is drawn.
func (t *transcript) restyle(lk *look, style *markdown.Style) {
	t.scene.look, t.scene.style = lk, style
	t.scene.generation++
}

// setReasoning changes the view of all reasoning blocks.
func (t *transcript) setReasoning(v reasoningView) {
	t.scene.reasoning = v
	t.scene.generation++
	for i := range t.list.Len() {
		if r, ok := t.list.Block(i).(*reasoningBlock); ok {
			r.own = ""
		}
	}
}

// lastAnswer is the newest assistant message, nil when there is none.
func (t *transcript) lastAnswer() *session.Message {
	for i := len(t.messages) - 1; i >= 0; i-- {
		if t.messages[i].Role == "assistant" {
			return t.messages[i]
		}
	}
	return nil
}
