package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/session"
	"waferchat/ui/composer"
	"waferchat/ui/untrusted"
)

// Find in chat. What is typed into the bar on the composer's rule is looked for in
// the source of every message, by commands, a part of the chat at a time; the
// nearest hit is shown as soon as it is known. The hits that are on screen are
// marked on the rows that the blocks have drawn.

// paneFind is where keys go while the find bar has the focus; its actions also act
// while the conversation has it and something is being found.
const paneFind pane = "find"

// finding is a find that is under way: the bar, what was found, and what it did
// to the screen.
type finding struct {
	session session.ID // the chat that it is in
	home    pane       // what had the focus before
	field   *composer.Composer

	needle  *needle
	search  int  // number of the search for it: what others find is dropped
	running bool // a command searches
	pieces  pieces
	proses  proses
	plain   bool // texts are searched as a terminal draws them that counts code points

	at         hit    // the current hit, the zero value for none
	fresh      bool   // the needle is new: there was no current hit yet
	enters     bool   // the first one counts as gone to
	owed       int    // steps that wait for what is not known yet
	note       string // what the last step met
	nth, total int    // of the current hit, and of all

	origin   origin // where the reader was last, before the find or by going to a hit
	spot     place  // what is nearest to here is found first
	placed   place  // where find has put the screen, its block nil if it has not
	size     [2]int // of the pane then
	unfolded map[findable]unfolding
	rows     rowCells
}

// place is where a reader is: what the first row of the pane shows.
type place struct {
	block     block
	source    int
	following bool
}

// origin is a place to go back to: by rows while the pane is as wide as it was, so
// that a gap is found again, too.
type origin struct {
	place
	top         block
	line, width int
}

// place is where the reader is.
func (t *transcript) place() place {
	if t.list.Len() == 0 {
		return place{following: true}
	}
	b, source := t.list.TopSource()
	return place{block: t.blockAt(b), source: source, following: t.list.Following()}
}

// begin notes where the reader is.
func (f *finding) begin(t *transcript) {
	f.origin = origin{place: t.place(), width: t.list.Width()}
	f.spot = f.origin.place
	if t.list.Len() > 0 {
		top := t.list.Top()
		f.origin.top, f.origin.line = t.blockAt(top.Block), top.Line
	}
}

// openFind opens the find bar, or goes back to it.
func (m *Model) openFind() {
	if m.chat.find == nil && !m.beginFind() {
		return
	}
	m.chat.find.field.SelectAll()
	m.focus = paneFind
}

// beginFind begins a find with an empty bar; false when there is nothing to find
// anything in.
func (m *Model) beginFind() bool {
	t := m.chat.transcript
	if len(t.messages) == 0 || t.list.Len() == 0 {
		m.say("there is nothing to find yet")
		return false
	}
	f := &finding{session: m.chat.session.ID, home: m.focus, field: composer.New(), needle: newNeedle(""), unfolded: map[findable]unfolding{}}
	f.begin(t)
	f.plain = !t.scene.graphemes
	if f.plain {
		f.field.SetWidthMethod(ansi.WcWidth)
	}
	f.pieces.collect(t)
	m.chat.find = f
	return true
}

// runFind opens the find bar, and with a text goes to the first hit.
func runFind(m *Model, text string) (tea.Cmd, bool) {
	m.openFind()
	if f := m.chat.find; f != nil && text != "" {
		f.field.SetText(untrusted.Line(text))
		m.focus = paneConversation
		m.lookFor()
		f.enters = true
	}
	return nil, true
}

// findLayers are the panes whose keys act, in order.
func (m *Model) findLayers() []pane {
	switch {
	case m.chat.find == nil || m.focus == paneComposer:
		return []pane{"", m.focus}
	case m.focus == paneFind:
		return []pane{"", paneFind}
	}
	return []pane{"", paneFind, m.focus}
}

// typeFind edits what is looked for.
func (m *Model) typeFind(msg tea.KeyPressMsg, stroke string) {
	if f := m.chat.find; f != nil && fieldKey(f.field, msg, stroke) {
		m.lookFor()
	}
}

// maxNeedle bounds what is taken of a paste, in columns.
const maxNeedle = 1000

// pasteFind puts pasted text into the bar.
func (m *Model) pasteFind(text string) {
	if f := m.chat.find; f != nil {
		f.field.Insert(ansi.Truncate(oneLine(untrusted.Text(text)), maxNeedle, ""))
		m.lookFor()
	}
}

// lookFor begins a search for what the bar says, from where the reader is.
func (m *Model) lookFor() {
	f, t := m.chat.find, m.chat.transcript
	if here := t.place(); here != f.placed && here != f.origin.place {
		f.begin(t) // the reader went there
		f.placed = place{}
	}
	f.needle = newNeedle(f.field.Text())
	f.search++
	f.running, f.fresh = false, len(f.needle.folded) > 0
	f.at, f.owed, f.note, f.enters = hit{}, 0, "", false
	f.nth, f.total = 0, 0
	f.pieces.begin(f.spotIndex(t))
	if !f.fresh {
		f.retreat(t, false)
	}
}

// spotIndex is the index of the block that the search begins at.
func (f *finding) spotIndex(t *transcript) int { return max(t.list.Index(f.spot.block), 0) }

// findStep is the action that goes to the next hit, or the one before.
func findStep(by int) func(*Model, string) (tea.Cmd, bool) {
	return func(m *Model, _ string) (tea.Cmd, bool) {
		f := m.chat.find
		if f == nil {
			return nil, false
		}
		if len(f.needle.folded) > 0 {
			f.owed += by
			f.step(m.chat.transcript)
		}
		return nil, true
	}
}

// findEnter goes to a hit and gives the focus to the conversation, if there is one.
func findEnter(by int) func(*Model, string) (tea.Cmd, bool) {
	step := findStep(by)
	return func(m *Model, arg string) (tea.Cmd, bool) {
		if f := m.chat.find; f != nil && (f.fresh || f.total > 0) {
			m.focus = paneConversation
		}
		return step(m, arg)
	}
}

// endFind closes the bar: what it opened is folded again, and the reader is put back
// to where they were last. It returns false when there is no find.
func (m *Model) endFind() bool {
	f := m.chat.find
	if f == nil {
		return false
	}
	f.retreat(m.chat.transcript, true)
	m.dropFind()
	return true
}

// dropFind closes the bar and leaves the conversation as it is.
func (m *Model) dropFind() {
	if m.focus != paneComposer {
		m.focus = m.chat.find.home
	}
	m.chat.find = nil
}
