package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/composer"
)

// prompt is the composer on the screen: the editor, the history of what was
// sent, and the draft that is kept on the disk.
type prompt struct {
	editor  *composer.Composer
	history *composer.History
	sent    []composer.Draft // those of this run, for when the older ones arrive
	saved   uint64           // the editor's version that is on the disk, or on its way
	waiting int              // number of the save timer that counts, 0 for none
	timers  int
	drafts  drafts
	burst   burst
	pipe    piping
}

// draftDelay is how long after a key a draft is saved: within the half second
// that a crash may cost.
const draftDelay = 300 * time.Millisecond

func newPrompt() *prompt {
	p := &prompt{editor: composer.New(), history: composer.NewHistory()}
	p.editor.SetPlaceholder("Ask anything")
	p.editor.SetWidthMethod(ansi.WcWidth) // until the terminal says otherwise
	return p
}

func (p *prompt) restyle(lk *look) {
	p.editor.SetStyles(composer.Styles{
		Text: lk.text.draw, Placeholder: lk.dim.draw, Chip: lk.accent.draw, Selection: lk.selection.draw,
	})
}

// promptMark is drawn before the first row of the composer.
const promptMark = "❯ "

func (p *prompt) setSize(width, height int) {
	p.editor.SetWidth(max(1, width-columns(promptMark)-2))
	p.editor.SetMaxHeight(maxPromptRows(height))
}

// draft is what would be kept now, with its folded pastes.
func (p *prompt) draft() session.Draft {
	if p.editor.Empty() {
		return session.Draft{}
	}
	d := session.Draft{Text: p.editor.Text()}
	if state, err := p.editor.State(); err == nil {
		d.Attachments = state
	}
	return d
}

// restore puts a kept draft back, unless something was typed meanwhile: then it
// goes into the history.
func (p *prompt) restore(d session.Draft) tea.Cmd {
	switch {
	case d.Text == "":
	case !p.editor.Empty():
		p.remember(d.Text)
	default:
		if d.Attachments == nil || p.editor.SetState(d.Attachments) != nil {
			p.editor.SetText(d.Text)
		}
		p.saved = p.editor.Version()
	}
	return nil
}

// gotHistory takes what was sent before; what was sent since stays newest.
func (p *prompt) gotHistory(texts []string) tea.Cmd {
	p.history = composer.NewHistory(texts...)
	for _, d := range p.sent {
		p.history.Add(d)
	}
	return nil
}

// remember puts a text into the history.
func (p *prompt) remember(text string) { p.add(composer.NewDraft(text)) }

func (p *prompt) add(d composer.Draft) {
	p.history.Add(d)
	p.sent = append(p.sent, d)
}

// recall moves through the history; false when there is nothing there.
func (p *prompt) recall(back bool) bool {
	var d composer.Draft
	var ok bool
	if back {
		d, ok = p.history.Prev(p.editor.Snapshot())
	} else {
		d, ok = p.history.Next()
	}
	if ok {
		p.editor.Restore(d)
	}
	return ok
}

// take empties the composer and remembers what it held, folded pastes included.
func (p *prompt) take() {
	p.add(p.editor.Snapshot())
	p.editor.Clear()
}

// clear empties the composer for another chat; its draft is kept already.
func (p *prompt) clear() {
	p.editor.SetText("")
	p.saved = p.editor.Version()
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// draftID is where the draft on screen is kept: "" until the chat has a
// message.
func (m *Model) draftID() session.ID {
	if m.chat.session.Head == "" {
		return ""
	}
	return m.chat.session.ID
}

// watchDraft starts the timer that saves a changed draft.
func (m *Model) watchDraft() tea.Cmd {
	p := m.prompt
	if p.waiting != 0 || p.editor.Version() == p.saved || m.back == nil {
		return nil
	}
	p.timers++
	p.waiting = p.timers
	return timerCmd(m.deps.After, draftDelay, timerDraft, p.waiting)
}

// gotDraft takes the kept draft of the new chat, if that is still on the screen.
func (m *Model) gotDraft(d session.Draft) tea.Cmd {
	if m.chat.session.Head != "" {
		return nil
	}
	if newest, ok := m.prompt.drafts.newest(""); ok {
		d = newest
	}
	return m.prompt.restore(d)
}

func (m *Model) draftDue(id int) tea.Cmd {
	if id != m.prompt.waiting {
		return nil
	}
	m.prompt.waiting = 0
	return m.saveDraft()
}

// moveDraft makes what is typed the draft of the session that the new chat has
// become, and leaves none behind.
func (p *prompt) moveDraft(s *session.Store) tea.Cmd {
	if !p.editor.Empty() {
		p.saved = 0 // to be saved under the new id
	}
	p.drafts.put("", session.Draft{})
	return saveDraftCmd(s, &p.drafts, "")
}

// saveDraft keeps the draft now.
func (m *Model) saveDraft() tea.Cmd {
	p := m.prompt
	if m.back == nil || p.editor.Version() == p.saved {
		return nil
	}
	p.saved = p.editor.Version()
	id := m.draftID()
	p.drafts.put(id, p.draft())
	return saveDraftCmd(m.back.Store, &p.drafts, id)
}

func (m *Model) saved(msg savedMsg) tea.Cmd {
	if msg.err != nil {
		title, _ := chat.Explain(msg.err)
		m.say("not saved: " + title)
	}
	return nil
}
