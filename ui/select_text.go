package ui

import (
	"strings"
	"unicode/utf8"

	"waferchat/ui/untrusted"
)

// readable is a block with text that can be selected.
type readable interface {
	block
	// written is the text as it is stored, "" while none of it is in view; drawn
	// is what is drawn of that.
	written() string
	drawn() string
}

func (b *userBlock) written() string { return b.text }
func (b *userBlock) drawn() string   { return b.scene.drawable(untrusted.Text(b.text)) }

func (b *textBlock) written() string { return b.source() }
func (b *textBlock) drawn() string   { return b.scene.drawable(b.source()) }

func (b *reasoningBlock) written() string {
	switch v := b.view(); {
	case v != reasoningFull && v != reasoningTail:
		return ""
	case b.live:
		return b.whole.String()
	}
	return b.text
}

func (b *reasoningBlock) drawn() string { return b.source() }

// toolGap is between the name of a tool and its arguments.
const toolGap = "  "

func (b *toolBlock) written() string { return b.name + toolGap + b.text.String() }
func (b *toolBlock) drawn() string {
	return untrusted.Line(b.name) + toolGap + untrusted.Line(b.text.String())
}

func (b *noticeBlock) drawn() string { return b.written() }
func (b *noticeBlock) written() string {
	if b.advice == "" {
		return b.title
	}
	return b.title + "\n" + b.advice
}

// fromDrawn returns the function that gives the written text of a stretch of what
// is drawn of it.
func fromDrawn(written, drawn string) func(start, end int) string {
	return func(start, end int) string {
		start, end = max(start, 0), min(end, len(drawn))
		switch {
		case start >= end:
			return ""
		case written == drawn:
			return written[start:end]
		}
		start, end = writtenRange(written, drawn, start, end)
		return written[start:end]
	}
}

// writtenRange finds in a text what a stretch of its drawing shows, see
// [untrusted.Text] and plainEmoji. What was left out of the drawing belongs to
// the character before it, but for a joiner whose other side is not selected.
func writtenRange(written, drawn string, start, end int) (from, to int) {
	i, j, from := 0, 0, -1
	for i < len(written) && j < end {
		n, d := drawing(written[i:], drawn[j:])
		if from < 0 && (start == 0 || d > 0 && j+d > start) {
			from = i
		}
		i, j = i+n, j+d
	}
	for i < len(written) {
		n, d := drawing(written[i:], drawn[min(j, len(drawn)):])
		if d > 0 || j < len(drawn) && strings.HasPrefix(written[i:], "\u200d") {
			break
		}
		i += n
	}
	return max(from, 0), i
}

// drawing is how many bytes the first character of a text has, and its drawing.
func drawing(written, drawn string) (n, d int) {
	r, n := utf8.DecodeRuneInString(written)
	switch {
	case strings.HasPrefix(drawn, written[:n]):
		return n, n
	case strings.HasPrefix(written, "\r\n"):
		return 2, 1
	case r == '\r', r == '\n', r == '\t':
		return n, 1
	case joins(r):
		return n, 0
	}
	return n, len(untrusted.Symbol(r))
}
