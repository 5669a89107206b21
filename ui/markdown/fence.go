package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// openFence is a code block at the top level that has no end yet. Its lines are
// laid out once, as they come; the parser is not asked.
type openFence struct {
	mark  []byte // the fence without its indent
	lang  string
	label string
	body  int // start of the code in src
	done  int // up to here its lines are complete and laid out
	lines []Line
}

// enterFence makes a single open code block the stream's fence. It tells
// whether it did.
func (m *Stream) enterFence(doc ast.Node, b []byte) bool {
	n, ok := doc.FirstChild().(*ast.FencedCodeBlock)
	if !ok || n.NextSibling() != nil || m.list != nil {
		return false
	}
	at := n.Pos()
	if at < 0 || lineStart(b, at) != at { // an indent would have to be taken off
		return false
	}
	body := at + lineLength(b, at) + 1
	if body > len(b) {
		return false
	}
	size := 0
	for at+size < len(b) && b[at+size] == b[at] {
		size++
	}
	f := &openFence{mark: bytes.Clone(b[at : at+size]), body: m.closed + body, done: m.closed + body}
	if n.Info != nil {
		f.lang = language(string(n.Info.Segment.Value(b)))
	}
	p := m.printer(nil, 0, m.codes)
	f.label = p.codeLabel(f.lang)
	m.fence = f
	m.open = newProvisional(f.body, f.lang)
	m.setTail(nil)
	return true
}

// closes tells whether a line ends the code block.
func (f *openFence) closes(line []byte) bool {
	marks := bytes.TrimLeft(line, " ")
	rest := bytes.TrimLeft(marks, string(f.mark[:1]))
	return len(line)-len(marks) < 4 && len(marks)-len(rest) >= len(f.mark) && util.IsBlank(rest)
}

// fenceStep takes the lines that came. It tells whether the fence is over.
func (m *Stream) fenceStep() bool {
	f := m.fence
	at := f.done
	for {
		n := bytes.IndexByte(m.src[at:], '\n')
		if n < 0 {
			break
		}
		if f.closes(m.src[at : at+n]) {
			m.layFence(at, at)
			m.keepColors(f.body)
			m.fence = nil
			m.closeFence(at + n + 1)
			return true
		}
		at += n + 1
	}
	m.layFence(at, len(m.src))
	return false
}

// closeFence makes the fence, which ends at an offset, a chunk.
func (m *Stream) closeFence(end int) {
	b := m.src[m.closed:end]
	doc, misses := parse(m.style.parser, b, m.known)
	m.close(doc, b, len(b), misses)
	m.open = nil
}

// layFence lays out the new complete lines, up to an offset, and the incomplete
// one from there to the end.
func (m *Stream) layFence(complete, end int) {
	f := m.fence
	base := f.done
	p := m.printer(m.src[base:end], base, 0)
	var partial flow
	whole := &p.in.flow
	if complete > base {
		whole.add(m.src[base:complete], base, "")
	}
	if rest := m.src[complete:end]; len(rest) > 0 && !f.closes(rest) {
		partial.add(rest, complete, "")
	}
	done, rest := m.open.add(m.style.shared, string(whole.text), string(partial.text))
	if complete > base {
		whole.color(done, 0, m.style)
		whole.trimNewline()
		label := f.label
		if len(f.lines) > 0 {
			label = ""
		}
		p.codeRows(whole, base, label)
		f.lines = append(f.lines, p.lines...)
		f.done = complete
	}
	p.lines = nil
	if len(partial.text) > 0 || len(f.lines) == 0 {
		partial.color(rest, 0, m.style)
		label := f.label
		if len(f.lines) > 0 {
			label = ""
		}
		p.codeRows(&partial, complete, label)
	}
	m.setTail(p.lines)
}
