package ui

import (
	"fmt"
	"strings"
	"time"

	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/untrusted"
)

// reasoningView is how much of the model's reasoning is shown.
type reasoningView string

// The views, in the order that the key cycles through.
const (
	reasoningLine   reasoningView = "line"
	reasoningTail   reasoningView = "tail"
	reasoningFull   reasoningView = "full"
	reasoningHidden reasoningView = "hidden"
)

// next is the view after v.
func (v reasoningView) next() reasoningView {
	switch v {
	case reasoningLine:
		return reasoningTail
	case reasoningTail:
		return reasoningFull
	case reasoningFull:
		return reasoningHidden
	}
	return reasoningLine
}

// tailRows is how many rows the tail view shows.
const tailRows = 8

// reasoningBlock is a stretch of reasoning: one line, its tail, all, or
// nothing. While it arrives, the line view shows the tail.
type reasoningBlock struct {
	base
	text    string // as loaded; empty while live
	live    bool
	wrapped *plainText      // kept while live
	whole   strings.Builder // while live: the exact text
	bytes   int
	began   time.Time
	took    time.Duration // 0: unknown
	tokens  *int64        // as reported, nil: unknown
	own     reasoningView // the view chosen for this block alone
}

func newReasoningBlock(s *scene, id session.MessageID, text string) *reasoningBlock {
	return &reasoningBlock{base: base{scene: s, id: id}, text: text, bytes: len(text)}
}

// view is what is in force for this block now.
func (b *reasoningBlock) view() reasoningView {
	v := b.scene.reasoning
	if b.own != "" {
		v = b.own
	}
	if b.live && v == reasoningLine {
		return reasoningTail
	}
	return v
}

// append adds live reasoning.
func (b *reasoningBlock) append(s string) {
	b.bytes += len(s)
	if b.wrapped == nil {
		b.wrapped = newPlainText(80, "")
	}
	if strings.HasSuffix(b.whole.String(), "\r") && strings.HasPrefix(s, "\n") {
		b.whole.WriteByte('\n') // one line break, drawn already
		s = s[1:]
	}
	b.whole.WriteString(s)
	b.wrapped.append(b.scene.drawable(untrusted.Text(s)))
	b.changed()
}

// settle ends the live state.
func (b *reasoningBlock) settle(took time.Duration) {
	if !b.live {
		return
	}
	b.live, b.took = false, took
	b.text, b.wrapped, b.whole = b.whole.String(), nil, strings.Builder{}
	b.changed()
}

// toggle switches this block between one line and everything.
func (b *reasoningBlock) toggle() {
	if b.view() == reasoningFull {
		b.own = reasoningLine
	} else {
		b.own = reasoningFull
	}
	b.changed()
}

func (b *reasoningBlock) Estimate(width int) int {
	switch b.view() {
	case reasoningHidden:
		return 0
	case reasoningFull:
		return 1 + estimateRows(b.bytes, width)
	case reasoningTail:
		return 1 + min(tailRows, estimateRows(b.bytes, width))
	}
	return 1
}

func (b *reasoningBlock) Layout(width int) blocklist.Layout {
	v := b.view()
	if v == reasoningHidden {
		return rows{}
	}
	var out rows
	out.add(indent+b.head(v, width-len(indent)), 0)
	if v == reasoningLine {
		return out
	}
	b.body(&out, v, max(1, width-4))
	return out
}

// head is the one line that says how long it took.
func (b *reasoningBlock) head(v reasoningView, width int) string {
	what := "thought"
	took := b.took
	if b.live {
		what = "thinking"
		took = b.scene.now.Sub(b.began)
	}
	s := "∴ " + what
	if took >= 100*time.Millisecond {
		s += " for " + seconds(took)
	}
	if b.tokens != nil {
		s += fmt.Sprintf(" · %s tokens", grouped(int(*b.tokens)))
	} else if n := b.bytes / 4; n > 0 && !b.live {
		s += fmt.Sprintf(" · ~%s tokens", grouped(n))
	}
	mark := " ▸"
	if v != reasoningLine {
		mark = " ▾"
	}
	return b.scene.look.dimItalic.draw(fit(s+mark, width))
}

// body adds the wrapped text, or the end of it.
func (b *reasoningBlock) body(out *rows, v reasoningView, width int) {
	p := b.wrapped
	if p == nil || p.width != width {
		p = b.rewrap(v, width)
	}
	from := 0
	if v == reasoningTail {
		from = max(0, p.len()-tailRows)
	}
	bar := indent + b.scene.look.faint.draw("│ ")
	hidden := b.length() - len(p.text)
	for i := from; i < p.len(); i++ {
		out.add(bar+b.scene.look.dimItalic.draw(p.row(i)), p.rows[i].start)
		out.show(len(indent)+2, p, i, hidden)
	}
}

// rewrap wraps the text at a new width, and only its end where that is enough.
func (b *reasoningBlock) rewrap(v reasoningView, width int) *plainText {
	text := b.source()
	if v == reasoningTail && !b.live {
		text = tailOf(text, tailRows*(width+1)*4)
	}
	p := newPlainText(width, text)
	if b.live {
		b.wrapped = p
	}
	return p
}

// length is that of source.
func (b *reasoningBlock) length() int {
	if b.wrapped != nil {
		return len(b.wrapped.text)
	}
	return len(b.source())
}

// source is the text so far, safe to draw.
func (b *reasoningBlock) source() string {
	if b.wrapped != nil {
		return string(b.wrapped.text)
	}
	return b.scene.drawable(untrusted.Text(b.text))
}

// tailOf is the last n bytes of s from a line's start on, where there is one.
func tailOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for i := range len(s) {
		if s[i] == '\n' || s[i] == ' ' {
			return s[i+1:]
		}
	}
	return s
}
