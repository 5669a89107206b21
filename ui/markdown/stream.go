package markdown

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Stream lays out text that grows. It is used by one goroutine.
//
// Markdown's blocks are decided from left to right: once the next block has
// begun, nothing that follows changes the blocks before it, but for the target
// of a link, which may be defined later. So a stream keeps the closed part of
// the text as finished lines, in chunks, and lays out the open rest only.
type Stream struct {
	style *Style
	width int

	source strings.Builder // the text as it came
	src    []byte          // the same with line breaks normalized, a last CR held back
	dirty  bool            // text came since the last Flush
	ended  bool

	chunks  []chunk
	closed  int // bytes of src that the chunks cover
	total   int // lines of the chunks
	codes   int // code blocks in the chunks
	known   references
	list    *openList // the chunks end inside this list
	quoted  bool      // the chunks end inside a quote
	whole   int       // the list that begins here is not divided
	growing growing   // the open block that the rest is, if it needs no parsing
	settled []Line    // its lines that are done
	tail    []Line    // lines of the rest, below those
	tailTop int       // index of the first of them
	tailGap string    // the row above them
	literal bool      // half-typed markup is shown as it is
	aside   bool      // the footnotes are at the end

	divideFrom int // size in bytes from which an open block is taken apart

	open        *provisional         // colours of the open code block
	provisional map[int]*provisional // colours of closed ones that are pending, by start
	pending     map[int]codeKey      // code without exact colours, by its start in src
	exact       map[int][]tokenRun   // results that are being applied, by start
	budget      int                  // bytes of code that this Flush may still highlight
}

// NewStream returns an empty stream that lays out at a width in columns;
// anything below 1 counts as 1.
func NewStream(width int, s *Style) *Stream {
	return &Stream{
		style: s, width: max(width, 1), known: references{}, whole: -1, divideFrom: divideFrom,
		pending: map[int]codeKey{}, provisional: map[int]*provisional{},
	}
}

// Append adds text to the source. It is cheap: the layout happens in Flush.
// After End it does nothing.
func (m *Stream) Append(text string) {
	if m.ended || text == "" {
		return
	}
	m.source.WriteString(text)
	m.take(false)
	m.dirty = true
}

// take moves new source to src. A CR at the end waits for what follows it,
// unless nothing does.
func (m *Stream) take(last bool) {
	text := m.source.String()[len(m.src):]
	if !last && strings.HasSuffix(text, "\r") {
		text = text[:len(text)-1]
	}
	n := len(m.src)
	m.src = append(m.src, text...)
	normalize(m.src[n:])
}

// Flush lays out what was appended since the last Flush. Call it once a frame.
func (m *Stream) Flush() {
	if m.dirty && !m.ended {
		m.dirty = false
		m.advance()
	}
}

// End says that no more text comes, settles the open block and moves footnotes
// that stand above other text to the end. The lines equal those of Render then,
// but for the colours of pending code.
func (m *Stream) End() {
	if m.ended {
		return
	}
	m.take(true)
	m.ended = true
	m.advance()
	m.open = nil
	m.moveNotes()
}

// Source is all the text so far, as it was appended. Line ranges refer to it.
func (m *Stream) Source() string { return m.source.String() }

// Width is the width the lines were made for.
func (m *Stream) Width() int { return m.width }

// Len is the number of lines.
func (m *Stream) Len() int {
	n := len(m.settled) + len(m.tail)
	if n == 0 {
		return m.total
	}
	return m.tailTop + n
}

// Line returns the i-th line, 0 <= i < Len.
func (m *Stream) Line(i int) Line {
	if i >= m.tailTop {
		return m.tailLine(i - m.tailTop)
	}
	k := sort.Search(len(m.chunks), func(k int) bool { return m.chunks[k].top+len(m.chunks[k].lines) > i })
	gap := m.tailGap
	if k < len(m.chunks) {
		if i >= m.chunks[k].top {
			return m.chunks[k].lines[i-m.chunks[k].top]
		}
		gap = m.chunks[k].gap
	}
	return Line{ANSI: gap, Start: m.Line(i - 1).End, End: m.Line(i + 1).Start} // between blocks
}

// tailLine returns the i-th line of the open part.
func (m *Stream) tailLine(i int) Line {
	if i < len(m.settled) {
		return m.settled[i]
	}
	return m.tail[i-len(m.settled)]
}

// growing is an open block at the end of the text that grows without being
// parsed and laid out as a whole again and again.
type growing interface {
	// step takes what came. It tells whether the block is no longer the rest: it
	// is closed, or has to be parsed like any other.
	step(m *Stream) (over bool)
}

// firstWindow is how much source is parsed at a time, in bytes, as long as
// blocks end in it.
const firstWindow = 16 << 10

// advance closes all the blocks that are over and lays out the rest.
func (m *Stream) advance() {
	m.budget = exactPerFlush
	window := firstWindow
	given := -1 // the block that begins here was given up: it is parsed
	for {
		if m.growing != nil {
			at := m.closed
			if !m.growing.step(m) {
				return
			}
			m.growing, m.settled = nil, nil
			if m.closed == at {
				given = at
			}
			continue
		}
		b, all := m.rest(window)
		if len(b) == 0 {
			m.setTail(nil, "")
			return
		}
		doc, misses := parse(m.style.parser, b, m.known)
		if !m.listStep(doc) {
			continue
		}
		end := cutOff(doc, b)
		if all && m.ended {
			end = len(b)
		}
		switch {
		case end > 0:
			m.close(doc, b, end, misses)
			window = firstWindow
		case !all:
			window *= 4
		case given != m.closed && m.grow(doc, b, misses):
		case m.divide(doc, b, misses) || m.divideQuote(doc, b, misses):
		default:
			m.layTail(doc, b)
			return
		}
	}
}

// grow makes the rest a growing block if it is one.
func (m *Stream) grow(doc ast.Node, b []byte, misses map[string]bool) bool {
	return m.list == nil && (m.enterFence(doc, b) || m.enterTable(doc, b, misses) || m.enterText(doc, b))
}

// rest returns the open source, at most window bytes of it and then up to the
// end of a line, and whether that is all.
func (m *Stream) rest(window int) (b []byte, all bool) {
	b = m.src[m.closed:]
	if len(b) <= window {
		return b, true
	}
	n := window + lineLength(b, window) + 1
	if n >= len(b) {
		return b, true
	}
	return b[:n], false
}

// cutOff returns the offset of the last block that could still change, 0 if
// that is the first one. All blocks before it are closed.
func cutOff(doc ast.Node, b []byte) int {
	c := doc.LastChild()
	if c == nil {
		return 0
	}
	if at := c.Pos(); at < 0 || lineLength(b, at) == len(b)-at {
		// The line that opened it is not complete: it may turn out to go on with
		// the block before.
		if c = c.PreviousSibling(); c == nil {
			return 0
		}
	}
	for p := c.PreviousSibling(); p != nil && carved(b, p, c); p = c.PreviousSibling() {
		c = p
	}
	if c.PreviousSibling() == nil || c.Pos() < 0 {
		return 0
	}
	return lineStart(b, c.Pos())
}

// carved tells whether the parser may have cut p out of the open paragraph that
// c is the rest of: definitions of links, and the text before a table.
func carved(b []byte, p, c ast.Node) bool {
	at := lineStart(b, max(c.Pos(), 0))
	if at > 0 && p.Pos() < at && util.IsBlank(b[lineStart(b, at-1):at]) {
		return false // another paragraph
	}
	switch p.(type) {
	case *ast.LinkReferenceDefinition:
		_, fence := c.(*ast.FencedCodeBlock)
		return !fence
	case *ast.Paragraph:
		return isTable(c)
	}
	return false
}

// lineStart is the offset of the line that offset i is in.
func lineStart(b []byte, i int) int {
	for i > 0 && b[i-1] != '\n' {
		i--
	}
	return i
}

// layTail lays out the open blocks.
func (m *Stream) layTail(doc ast.Node, b []byte) {
	size := m.closed + len(b)
	if !m.literal {
		doc, b = m.completed(doc, b)
	}
	last := lastLeaf(doc)
	p := m.printer(b, m.closed, m.codes)
	p.colors = func(c codeBlock) []tokenRun {
		if c.node == last {
			return m.openColors(c)
		}
		return m.smallColors(c)
	}
	p.document(doc, len(b), m.list)
	for i := range p.lines { // what was completed is not in the source
		p.lines[i].Start, p.lines[i].End = min(p.lines[i].Start, size), min(p.lines[i].End, size)
	}
	gap := ""
	if m.quoted && p.firstShown == doc.FirstChild() {
		gap = p.quoteGap()
	}
	m.setTail(p.lines, gap)
	if p.startsWithNote && len(p.lines) > 0 && m.endsWithNote() && m.list == nil {
		m.tailTop = m.total
	}
}

// setTail sets the lines of the open part and the row above them.
func (m *Stream) setTail(lines []Line, gap string) {
	m.tail, m.tailGap = lines, gap
	m.tailTop = m.total
	if m.total > 0 && (m.list == nil || m.list.shape.loose) {
		m.tailTop++
	}
}

// lastLeaf is the innermost block at the end of a document.
func lastLeaf(n ast.Node) ast.Node {
	for c := n.LastChild(); c != nil && c.Type() == ast.TypeBlock; c = n.LastChild() {
		n = c
	}
	return n
}

// printer returns a printer of a stretch of source that begins at base, before
// which there are so many code blocks.
func (m *Stream) printer(b []byte, base, codes int) *printer {
	p := newPrinter(m.style, b, base, m.width)
	p.codes = codes
	return p
}
