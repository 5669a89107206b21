package ui

import (
	tea "charm.land/bubbletea/v2"

	"waferchat/session"
)

// How a find goes on: by what commands find, by steps from hit to hit, and by what
// happens to the conversation.

// found takes what a command has found.
func (m *Model) found(msg foundMsg) tea.Cmd {
	f, t := m.chat.find, m.chat.transcript
	if f == nil || msg.search != f.search {
		return nil
	}
	fresh := f.fresh
	f.running = false
	for _, s := range msg.found {
		f.pieces.record(s.piece, s.from, s.size, s.live, s.hits)
	}
	f.pieces.advance()
	f.choose(t)
	f.regain(t)
	f.step(t)
	f.count()
	if fresh && !f.fresh && f.total == 0 && m.focus == paneConversation {
		m.focus = paneFind // there is nothing to go to
	}
	return nil
}

// choose makes the hit that is nearest to the reader the current one, and shows it.
// Without any the reader is put back.
func (f *finding) choose(t *transcript) {
	if !f.fresh {
		return
	}
	switch h, ok := f.nearest(); {
	case ok:
		f.at, f.fresh = h, false
		f.show(t)
		if f.enters {
			f.arrive(t)
		}
	case f.pieces.done():
		f.fresh, f.owed = false, 0
		f.retreat(t, false)
	}
}

// nearest is the hit that is nearest to the spot, if that is known: the first
// there or behind it, else the last before it.
func (f *finding) nearest() (hit, bool) {
	p := &f.pieces
	var offset int32
	if p.from < len(p.all) && p.all[p.from].block == f.spot.block {
		offset = int32(f.spot.source)
	}
	h, ok := p.after(p.from, offset)
	if !ok && p.hi == len(p.all) {
		h, ok = p.before(p.from, offset)
	}
	return h, ok
}

// regain takes the hit that is nearest to the reader, who is not moved, when there is
// no current one: it is gone, or the first one has come only now.
func (f *finding) regain(t *transcript) {
	if _, on := f.at.span(); on || f.fresh {
		return
	}
	if f.at.piece != nil {
		f.lose(t)
		f.pieces.restart(f.spotIndex(t))
	}
	f.at, _ = f.nearest()
}

// lose notes that the current hit is gone.
func (f *finding) lose(t *transcript) { f.at, f.spot = hit{}, t.place() }

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
		f.at, f.owed, moved = h, f.owed-by, true
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
		f.arrive(t)
		f.count()
	}
}

// arrive notes that the reader went to the current hit.
func (f *finding) arrive(t *transcript) {
	f.begin(t)
	f.spot = place{block: f.at.piece.block, source: int(f.at.start)}
	t.focus = f.at.piece.block.message()
	for b, u := range f.unfolded {
		u.wanted = true
		f.unfolded[b] = u
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
		if q := f.at.piece; q != nil && f.pieces.of(q.at) != q {
			f.lose(t)
		}
		f.pieces.restart(f.spotIndex(t))
		f.regain(t)
		f.count()
	}
	if f.plain == t.scene.graphemes {
		f.plain = !t.scene.graphemes
		m.lookFor()
	}
	f.hold(t)
	f.dressField(m.look())
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
