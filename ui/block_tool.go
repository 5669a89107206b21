package ui

import (
	"strings"

	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/untrusted"
)

// toolBlock shows a function call that a model made, or a result in the history.
type toolBlock struct {
	base
	name     string
	text     strings.Builder
	unfolded bool
}

func newToolBlock(s *scene, id session.MessageID, name, text string) *toolBlock {
	b := &toolBlock{base: base{scene: s, id: id}, name: name}
	b.text.WriteString(text)
	return b
}

func (b *toolBlock) append(name, text string) {
	if b.name == "" {
		b.name = name
	}
	b.text.WriteString(text)
	b.changed()
}

func (b *toolBlock) Estimate(width int) int {
	if b.unfolded {
		return 1 + estimateRows(b.text.Len(), width)
	}
	return 1
}

// toggle shows all of the arguments, or one line again.
func (b *toolBlock) toggle() {
	b.unfolded = !b.unfolded
	b.changed()
}

func (b *toolBlock) Layout(width int) blocklist.Layout {
	lk := b.scene.look
	if b.unfolded {
		return b.whole(width)
	}
	name, text := untrusted.Line(b.name), untrusted.Line(b.text.String())
	line := lk.warning.draw("⚙ ") + lk.bold.draw(name) + lk.dim.draw(toolGap+text)
	out := rows{lines: []string{indent + fit(line, width-2)}}
	out.showCut(len(indent)+columns("⚙ "), width, name+toolGap+text)
	return out
}

// whole shows the name on a row, and below it all of the text.
func (b *toolBlock) whole(width int) blocklist.Layout {
	lk := b.scene.look
	name := untrusted.Line(b.name)
	var out rows
	out.add(indent+fit(lk.warning.draw("⚙ ")+lk.bold.draw(name), width-len(indent)), 0)
	out.showCut(len(indent)+columns("⚙ "), width, name)
	p := newPlainText(max(1, width-2*len(indent)), untrusted.Text(b.text.String()))
	for i := range p.len() {
		out.add(indent+indent+lk.dim.draw(p.row(i)), len(name)+len(toolGap)+p.rows[i].start)
		out.show(2*len(indent), p, i, len(name)+len(toolGap))
	}
	return out
}
