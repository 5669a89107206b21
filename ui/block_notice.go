package ui

import (
	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/untrusted"
)

// noticeKind is how a notice is coloured.
type noticeKind string

const (
	noticeInfo    noticeKind = "info"
	noticeWarning noticeKind = "warning"
	noticeError   noticeKind = "error"
)

// noticeBlock tells the user something in the conversation: a failed turn, an
// answer without text, a problem of the configuration. The first sentence is
// bold, the advice dim, the keys at the right.
type noticeBlock struct {
	base
	kind   noticeKind
	title  string
	advice string
	keys   string
	// passing: it goes when the next message is sent.
	passing bool
}

func newNotice(s *scene, id session.MessageID, kind noticeKind, title, advice, keys string) *noticeBlock {
	return &noticeBlock{base: base{scene: s, id: id}, kind: kind,
		title: untrusted.Text(title), advice: untrusted.Text(advice), keys: keys}
}

func (b *noticeBlock) Estimate(width int) int {
	return estimateRows(len(b.title), width) + estimateRows(len(b.advice), width)
}

func (b *noticeBlock) Layout(width int) blocklist.Layout {
	lk := b.scene.look
	mark, head := lk.dim.draw("· "), lk.dim
	switch b.kind {
	case noticeError:
		mark, head = lk.danger.draw("✖ "), lk.dangerBold
	case noticeWarning:
		mark, head = lk.warning.draw("▲ "), lk.warning
	}
	inner := max(1, width-4)
	var out rows
	p := newPlainText(inner, b.title)
	for i := range p.len() {
		out.add(indent+mark+head.draw(p.row(i)), p.rows[i].start)
		out.show(len(indent)+2, p, i, 0)
		mark = "  "
	}
	keys := lk.dim.draw(b.keys)
	if b.advice != "" {
		a := newPlainText(inner, b.advice)
		for i := range a.len() {
			line := lk.dim.draw(a.row(i))
			if i == a.len()-1 && b.keys != "" && columns(line)+2+columns(keys) <= inner {
				line, keys = ends(line, keys, inner), ""
			}
			out.add(indent+"  "+line, len(b.title)+a.rows[i].start)
			out.show(len(indent)+2, a, i, len(b.title)+1)
		}
	}
	if b.keys != "" && keys != "" {
		out.add(indent+"  "+fit(keys, inner), len(b.title)+len(b.advice))
	}
	return out
}
