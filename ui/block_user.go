package ui

import (
	"fmt"
	"time"

	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/untrusted"
)

// userFoldRows is how much of a long message by the user is shown folded.
const userFoldRows = 16

// userBlock is what the user wrote: an accent bar on a raised ground, with its
// time. It is shown as it was typed, not as markdown.
type userBlock struct {
	base
	text     string
	at       time.Time
	day      string // a separator above, when the day changes
	unfolded bool
}

func newUserBlock(s *scene, m *session.Message) *userBlock {
	return &userBlock{base: base{scene: s, id: m.ID}, text: m.Text(), at: m.Created}
}

func (b *userBlock) Estimate(width int) int {
	return min(estimateRows(len(b.text), width), userFoldRows+1)
}

func (b *userBlock) Layout(width int) blocklist.Layout {
	lk := b.scene.look
	inner := max(1, width-3)
	p := newPlainText(inner, b.scene.drawable(untrusted.Text(b.text)))
	n, more := p.len(), 0
	if !b.unfolded && n > userFoldRows+4 {
		more = n - userFoldRows
		n = userFoldRows
	}
	var out rows
	if b.day != "" {
		out.add(lk.dim.draw(indent+b.day), 0)
		out.add("", 0)
	}
	bar := lk.userBar.draw("▌ ")
	stamp := b.at.In(b.scene.location).Format("15:04")
	for i := range n {
		text := p.row(i)
		if i == 0 && inner >= 24 {
			// The time shares the first row when it leaves room for it.
			out.add(bar+b.firstRow(text, stamp, width-2), p.rows[i].start)
		} else {
			out.add(bar+lk.user.draw(pad(text, width-2)), p.rows[i].start)
		}
		out.show(columns("▌ "), p, i, 0)
	}
	if more > 0 {
		chip := fmt.Sprintf("… %s more lines · Space shows them", grouped(more))
		out.add(bar+lk.userChip.draw(pad(chip, width-2)), p.rows[n].start)
		out.showWhole(columns("▌ "), min(columns(chip), width-2), p.rows[n].start, len(p.text))
	}
	return out
}

func (b *userBlock) firstRow(text, stamp string, w int) string {
	lk := b.scene.look
	room := w - len(stamp) - 1
	if columns(text) > room-1 {
		return lk.user.draw(pad(text, w))
	}
	return lk.user.draw(pad(text, room)) + lk.userTime.draw(stamp+" ")
}

// toggle shows all of a long message, or folds it again.
func (b *userBlock) toggle() {
	b.unfolded = !b.unfolded
	b.changed()
}

func (r *rows) add(line string, source int) {
	r.lines = append(r.lines, line)
	r.sources = append(r.sources, source)
}
