package ui

import (
	"strings"

	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/markdown"
)

// textBlock is a stretch of an answer, as markdown. A live one keeps its
// stream and lays out only what is new; a finished one is laid out when it is
// seen.
type textBlock struct {
	base
	text      string          // as loaded; empty while live
	whole     strings.Builder // while live: the exact text
	live      bool
	stream    *markdown.Stream // while live, or while exact colours are pending
	styled    *markdown.Style  // what stream was made with
	graphemes bool
	busy      bool // a highlight job is under way
}

func newTextBlock(s *scene, id session.MessageID, text string) *textBlock {
	return &textBlock{base: base{scene: s, id: id}, text: text}
}

// append adds live text; flush lays it out, once a frame.
func (b *textBlock) append(s string) {
	if b.stream == nil {
		b.stream, b.styled, b.graphemes = markdown.NewStream(80, b.scene.style), b.scene.style, b.scene.graphemes
	}
	b.live = true
	b.whole.WriteString(s)
	b.stream.Append(b.scene.drawable(s))
}

func (b *textBlock) flush() {
	if b.stream != nil {
		b.stream.Flush()
		b.changed()
	}
}

// settle ends the live state.
func (b *textBlock) settle() {
	if !b.live {
		return
	}
	b.live = false
	if b.stream != nil {
		b.stream.End()
		b.text = b.whole.String()
		b.whole = strings.Builder{}
		if !b.stream.PendingCode() {
			b.stream = nil
		}
	}
	b.changed()
}

// source is the exact text so far.
func (b *textBlock) source() string {
	if b.live {
		return b.whole.String()
	}
	return b.text
}

func (b *textBlock) Estimate(width int) int {
	if b.stream != nil && b.stream.Width() == width-len(indent) {
		return b.stream.Len()
	}
	return estimateRows(len(b.text), width)
}

func (b *textBlock) Layout(width int) blocklist.Layout {
	inner := max(1, width-len(indent))
	if b.stream != nil && b.stream.Width() == inner && b.styled == b.scene.style && b.graphemes == b.scene.graphemes {
		return textLayout{b.stream}
	}
	m := markdown.NewStream(inner, b.scene.style)
	m.Append(b.scene.drawable(b.source()))
	if b.live {
		m.Flush()
	} else {
		m.End()
	}
	if b.live || m.PendingCode() {
		b.stream, b.styled, b.busy = m, b.scene.style, false
		b.graphemes = b.scene.graphemes
	} else {
		b.stream = nil
	}
	return textLayout{m}
}

// highlightJob returns the work that gives exact colours, if there is any to do
// now.
func (b *textBlock) highlightJob() func() markdown.Highlights {
	if b.live || b.busy || b.stream == nil || !b.stream.PendingCode() {
		return nil
	}
	b.busy = true
	return b.stream.HighlightJob()
}

// highlighted takes the result of the job.
func (b *textBlock) highlighted(h markdown.Highlights) {
	b.busy = false
	if b.stream == nil {
		return
	}
	b.stream.ApplyHighlight(h)
	b.changed()
}

// textLayout shows a stream's lines behind the gutter.
type textLayout struct{ m *markdown.Stream }

func (t textLayout) Len() int          { return t.m.Len() }
func (t textLayout) Line(i int) string { return indent + t.m.Line(i).ANSI }
func (t textLayout) Source(i int) int  { return t.m.Line(i).Start }
