package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/markdown"
)

// textBlock is a stretch of an answer, as markdown. A live one keeps its
// stream and lays out only what is new; a finished one is laid out when it is
// seen.
type textBlock struct {
	base
	text   string          // as loaded; empty while live
	whole  strings.Builder // while live: the exact text
	live   bool
	stream *markdown.Stream // while live, or while exact colours are pending
	worn   dress            // what stream was made with
	busy   bool             // a highlight job is under way
	before []string         // the texts of the message before this one: their code is counted first
	shift  int              // columns that wide code is moved to the left
	reach  *map[int]int     // how far each block of code can be moved, by Line.Code
}

// dress is all of the scene that a stream is made with.
type dress struct {
	style                       *markdown.Style
	codeScrolls, raw, graphemes bool
}

func newTextBlock(s *scene, id session.MessageID, text string) *textBlock {
	return &textBlock{base: base{scene: s, id: id}, text: text}
}

// append adds live text; flush lays it out, once a frame.
func (b *textBlock) append(s string) {
	if b.stream == nil {
		b.begin(80)
	}
	b.live = true
	b.whole.WriteString(s)
	b.stream.Append(b.scene.drawable(s))
}

// begin makes the stream of a text that arrives.
func (b *textBlock) begin(width int) { b.stream, b.worn = b.newStream(width), b.scene.dress() }

func (b *textBlock) newStream(width int) *markdown.Stream {
	if b.scene.raw {
		return markdown.NewRawStream(width)
	}
	first := codesBefore(b.before, len(b.before)) + 1
	label := func(i int, lang string) string {
		if lang == "" {
			return fmt.Sprintf("copy %d", first+i)
		}
		return fmt.Sprintf("%s · copy %d", lang, first+i)
	}
	return markdown.NewStream(width, b.scene.style.WrapCode(!b.scene.codeScrolls).CodeLabels(label))
}

// scrollCode moves code that is wider than the screen sideways. It reports
// whether there is any.
func (b *textBlock) scrollCode(m *markdown.Stream, columns int) bool {
	reach, most := map[int]int{}, 0
	for i := range m.Len() {
		l := m.Line(i)
		if over := l.Width() - m.Width() + codeMargin; over > codeMargin {
			reach[l.Code] = max(reach[l.Code], over)
			most = max(most, over)
		}
	}
	b.reach = &reach
	to := min(max(b.shift+columns, 0), most)
	if to == b.shift {
		return most > 0
	}
	b.shift = to
	b.changed()
	return true
}

// codeMargin are the columns beside code on its ground.
const codeMargin = 2

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
	if b.stream != nil && b.stream.Width() == inner && b.worn == b.scene.dress() {
		m := b.stream
		if !b.live && !m.PendingCode() {
			b.stream = nil // the list keeps it as long as it is of use
		}
		return textLayout{m, b.shift, b.reach}
	}
	m := b.newStream(inner)
	feed(m, b.scene.drawable(b.source()))
	if b.live {
		m.Flush()
	} else {
		m.End()
	}
	if b.live || m.PendingCode() {
		b.stream, b.worn, b.busy = m, b.scene.dress(), false
	} else {
		b.stream = nil
	}
	return textLayout{m, b.shift, b.reach}
}

// feedSize is how much of a text is laid out at a time: taking a very long one
// apart at once needs a hundred times its size for a moment.
const feedSize = 64 << 10

// feed gives a text to a stream.
func feed(m *markdown.Stream, text string) {
	for len(text) > feedSize {
		n := feedSize
		for n > feedSize-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		m.Append(text[:n])
		m.Flush()
		text = text[n:]
	}
	m.Append(text)
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
type textLayout struct {
	m     *markdown.Stream
	shift int
	reach *map[int]int // nil: as far as the shift says
}

func (t textLayout) Len() int          { return t.m.Len() }
func (t textLayout) Line(i int) string { return indent + t.line(i).ANSI }

// line is a row of the stream, its wide code moved as far as that block goes.
func (t textLayout) line(i int) markdown.Line {
	l, shift := t.m.Line(i), t.shift
	if t.reach != nil {
		shift = min(shift, (*t.reach)[l.Code])
	}
	return l.Scroll(shift)
}
func (t textLayout) Source(i int) int { return t.m.Line(i).Start }
