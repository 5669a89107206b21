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
	start int    // of the fence in src
	lang  string
	label string
	body  int // start of the code in src
	done  int // up to here its lines are complete and laid out
	code  int // number of the block
}

// enterFence makes a single open code block the stream's fence. It tells
// whether it did.
func (m *Stream) enterFence(doc ast.Node, b []byte) bool {
	n, ok := doc.FirstChild().(*ast.FencedCodeBlock)
	if !ok || n.NextSibling() != nil {
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
	f := &openFence{mark: bytes.Clone(fenceMark(b[at:])), start: m.closed + at, body: m.closed + body, done: m.closed + body}
	if n.Info != nil {
		f.lang = language(string(n.Info.Segment.Value(b)))
	}
	p := m.printer(nil, 0, m.codes)
	f.label = p.codeLabel(f.lang)
	f.code = p.codes
	m.growing = f
	m.open = newProvisional(f.body, f.lang)
	m.setTail(nil, "")
	return true
}

// closes tells whether a line ends the code block.
func (f *openFence) closes(line []byte) bool {
	marks := bytes.TrimLeft(line, " ")
	rest := bytes.TrimLeft(marks, string(f.mark[:1]))
	return len(line)-len(marks) < 4 && len(marks)-len(rest) >= len(f.mark) && util.IsBlank(rest)
}

// mayClose tells whether an incomplete line may yet close the code block.
func (f *openFence) mayClose(line []byte) bool {
	marks := bytes.TrimLeft(line, " ")
	return len(line)-len(marks) < 4 && len(bytes.Trim(marks, string(f.mark[:1]))) == 0
}

// step implements growing.
func (f *openFence) step(m *Stream) bool {
	if m.ended {
		m.keepColors(f.body)
		return true
	}
	at := f.done
	for {
		n := bytes.IndexByte(m.src[at:], '\n')
		if n < 0 {
			break
		}
		if f.closes(m.src[at : at+n]) {
			f.layOut(m, at, at)
			m.keepColors(f.body)
			m.closeFence(at + n + 1)
			return true
		}
		at += n + 1
	}
	f.layOut(m, at, len(m.src))
	return false
}

// closeFence makes the fence, which ends at an offset, a chunk.
func (m *Stream) closeFence(end int) {
	b := m.src[m.closed:end]
	doc, misses := parse(m.style.parser, b, m.known)
	m.close(doc, b, len(b), misses)
	m.open = nil
}

// layOut lays out the new complete lines, up to an offset, and the incomplete
// one from there to the end.
func (f *openFence) layOut(m *Stream, complete, end int) {
	base := f.done
	p := m.printer(m.src[base:end], base, 0)
	var partial flow
	lines := &p.in.flow
	if complete > base {
		lines.add(m.src[base:complete], base, "")
	}
	rest := m.src[complete:end]
	if len(rest) > 0 && !f.closes(rest) && (m.literal || !f.mayClose(rest)) {
		partial.add(rest, complete, "")
	}
	done, open := m.open.add(m.style.shared, string(lines.text), string(partial.text))
	if complete > base {
		lines.color(done, 0, m.style)
		lines.trimNewline()
		p.codeRows(lines, f.frame(m, base))
		m.settled = append(m.settled, p.lines...)
		f.done = complete
	}
	p.lines = nil
	if len(partial.text) > 0 || len(m.settled) == 0 {
		partial.color(open, 0, m.style)
		p.codeRows(&partial, f.frame(m, complete))
	}
	m.setTail(p.lines, "")
}

// frame is what is around the rows that begin at an offset.
func (f *openFence) frame(m *Stream, at int) codeFrame {
	c := codeFrame{number: f.code, at: at, open: at, close: at}
	if len(m.settled) == 0 {
		c.label, c.open = f.label, f.start
	}
	return c
}
