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
	name string
	text strings.Builder
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

func (b *toolBlock) Estimate(int) int { return 1 }

func (b *toolBlock) Layout(width int) blocklist.Layout {
	lk := b.scene.look
	name, text := untrusted.Line(b.name), untrusted.Line(b.text.String())
	line := lk.warning.draw("⚙ ") + lk.bold.draw(name) + lk.dim.draw(toolGap+text)
	out := rows{lines: []string{indent + fit(line, width-2)}}
	out.showCut(len(indent)+columns("⚙ "), width, name+toolGap+text)
	return out
}
