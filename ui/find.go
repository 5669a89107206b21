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
	search  int // number of the search for this needle
	running bool
	pieces  pieces
	proses  proses
	plain   bool // the texts were searched as a terminal draws them that counts code points

	at         hit // the current hit, the zero value for none
	fresh      bool
	owed       int    // steps that wait for what is not known yet
	note       string // what the last step met
	nth, total int    // of the current hit, and of all

	origin   place // where the reader was
	topBlock block // the same by rows, as long as those are the same: also in a gap
	top      int
	width    int
	spot     place // what is nearest to there is the first current hit
	placed   place // where find has put the screen, its block nil if it has not
	size     [2]int
	jumped   bool
	unfolded map[findable]func()
	rows     rowCells
}

// place is where a reader is: what the first row of the pane shows.
type place struct {
	block     block // nil for none
	source    int
	following bool
}

// place is where the reader is.
func (t *transcript) place() place {
	b, source := t.list.TopSource()
	return place{block: t.blockAt(b), source: source, following: t.list.Following()}
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
	f := &finding{session: m.chat.session.ID, home: m.focus, field: composer.New(), needle: newNeedle(""), unfolded: map[findable]func(){}}
	f.origin, f.width = t.place(), t.list.Width()
	f.topBlock, f.top = t.blockAt(t.list.Top().Block), t.list.Top().Line
	f.spot = f.origin
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
		f.jumped = true
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

// pasteFind puts pasted text into the bar.
func (m *Model) pasteFind(text string) {
	if f := m.chat.find; f != nil {
		f.field.Insert(oneLine(untrusted.Text(text)))
		m.lookFor()
	}
}

// lookFor begins a search for what the bar says.
func (m *Model) lookFor() {
	f, t := m.chat.find, m.chat.transcript
	f.needle = newNeedle(f.field.Text())
	f.search++
	f.running, f.fresh = false, len(f.needle.folded) > 0
	f.at, f.owed, f.note, f.total = hit{}, 0, "", 0
	f.pieces.begin(f.spotIndex(t))
	if !f.fresh {
		f.retreat(t)
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

// endFind closes the bar: what it opened is folded again, and a reader who did not
// go to a hit is put back. It returns false when there is no find.
func (m *Model) endFind() bool {
	f, t := m.chat.find, m.chat.transcript
	if f == nil {
		return false
	}
	f.fold(nil)
	if !f.jumped {
		f.retreat(t)
	}
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

// found takes what a command has found.
func (m *Model) found(msg foundMsg) tea.Cmd {
	f, t := m.chat.find, m.chat.transcript
	if f == nil || msg.search != f.search {
		return nil
	}
	f.running = false
	for _, s := range msg.found {
		f.pieces.record(s.piece, s.from, s.size, s.live, s.hits)
	}
	f.pieces.advance()
	f.choose(t)
	f.step(t)
	f.count()
	if f.owed != 0 && f.total == 0 && f.pieces.done() {
		f.owed, m.focus = 0, paneFind // there is nothing to go to
	}
	return nil
}

// choose makes the hit that is nearest to the reader the current one: the first on
// screen or below, else the last above. Without any the reader is put back.
func (f *finding) choose(t *transcript) {
	if !f.fresh {
		return
	}
	p := &f.pieces
	var offset int32
	if p.from < len(p.all) && p.all[p.from].block == f.spot.block {
		offset = int32(f.spot.source)
	}
	h, ok := p.after(p.from, offset)
	if !ok && p.hi == len(p.all) {
		h, ok = p.before(p.from, offset)
	}
	switch {
	case ok:
		f.at, f.fresh = h, false
		f.show(t)
	case p.done():
		f.fresh = false
		f.retreat(t)
	}
}

// step goes the steps that are owed, as far as the hits are known.
func (f *finding) step(t *transcript) {
	moved := false
	for f.owed != 0 && !f.fresh {
		by := 1
		if f.owed < 0 {
			by = -1
		}
		h, wrapped, ok := f.neighbour(t, by)
		if !ok {
			break
		}
		f.at, f.owed, f.jumped, moved = h, f.owed-by, true, true
		switch {
		case !wrapped:
			f.note = ""
		case by > 0:
			f.note = "from the top again"
		default:
			f.note = "from the end again"
		}
	}
	if moved {
		f.show(t)
		f.spot = place{block: f.at.piece.block, source: int(f.at.start)}
		if id := f.at.piece.block.message(); id != "" {
			t.focus = id
		}
		f.count()
	}
}

// neighbour is the hit next to the current one, wrapped around if it is at an end.
// ok is false when that is not known yet; without any hits the step is not owed
// any longer.
func (f *finding) neighbour(t *transcript, by int) (h hit, wrapped, ok bool) {
	p := &f.pieces
	piece, start := p.index(f.spotIndex(t)), int32(f.spot.source)
	if s, on := f.at.span(); on {
		piece, start = p.index(f.at.piece.at), s.start
		if by > 0 {
			start++
		}
	}
	if by > 0 {
		if h, ok = p.after(piece, start); ok || p.hi < len(p.all) {
			return h, false, ok
		}
		h, ok = p.after(0, 0)
	} else {
		if h, ok = p.before(piece, start); ok || p.lo > 0 {
			return h, false, ok
		}
		h, ok = p.before(len(p.all)-1, 1<<31-1)
	}
	switch {
	case !p.done():
		return hit{}, false, false
	case !ok:
		f.owed = 0
	}
	return h, true, ok
}

// count brings the counter up to date.
func (f *finding) count() { f.nth, f.total = f.pieces.tally(f.at) }

// settleFind brings a find up to what happened to the conversation.
func (m *Model) settleFind() {
	f, t := m.chat.find, m.chat.transcript
	if f == nil {
		return
	}
	if f.session != m.chat.session.ID || t.list.Len() == 0 {
		m.dropFind()
		return
	}
	old := f.pieces.all
	if f.pieces.collect(t) {
		f.pieces.keep(old)
		f.pieces.restart(f.spotIndex(t))
		if _, on := f.at.span(); on && f.pieces.of(f.at.piece.at) != f.at.piece {
			f.at = hit{}
		}
		f.count()
	}
	if f.plain == t.scene.graphemes {
		f.plain = !t.scene.graphemes
		m.lookFor()
	}
	f.hold(t)
	f.field.SetWidth(findRoom(m.screen.width))
	f.field.SetMaxHeight(1)
}

// findMore starts the search of what was not searched yet.
func (m *Model) findMore() tea.Cmd {
	f, t := m.chat.find, m.chat.transcript
	if f == nil || f.running || len(f.needle.folded) == 0 {
		return nil
	}
	var live session.MessageID
	if t.live != nil {
		live = t.live.ID
	}
	job, ok := f.scan(t.scene, live)
	if !ok {
		return nil
	}
	f.running = true
	return findCmd(job)
}
