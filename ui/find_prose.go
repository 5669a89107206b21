package ui

import (
	"sort"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"waferchat/ui/markdown"
)

// prose is markdown as it is read: its text without markup, and where each run of
// that comes from.
type prose struct {
	text string
	runs []run
}

// run is a run of a prose's text and the source that it shows.
type run struct {
	at         int // in the text
	start, end int // in the source
	whole      bool
}

// proseWidth is the width that markdown is laid out for to be read through: most
// paragraphs are one row then.
const proseWidth = 240

// apart stands between two texts that are not read as one; nothing is found across
// it.
const apart = "\n\n"

// newProse lays markdown out to see what is read of it. It may be called from any
// goroutine.
func newProse(src string, style *markdown.Style) *prose {
	m := markdown.NewStream(proseWidth, style)
	m.Append(src)
	m.End()
	p := &prose{}
	var b strings.Builder
	page := textLayout{m: m}
	end := 0 // of what the rows before show
	for row := range m.Len() {
		drawn := ""
		right := -1
		for _, c := range page.cells(row) {
			switch {
			case right < 0:
				b.WriteString(between(src, end, c.start, m.Line(row).Soft))
			case c.col != right:
				b.WriteString(apart) // another cell of a table
			}
			text := c.char
			if text == "" {
				if drawn == "" {
					drawn = ansi.Strip(page.Line(row))
				}
				text = ansi.Cut(drawn, c.col, c.right())
			}
			p.add(b.Len(), c)
			b.WriteString(text)
			right, end = c.right(), c.end
		}
	}
	p.text = b.String()
	return p
}

// add notes that a cell's text begins at an offset of the text.
func (p *prose) add(at int, c cell) {
	if n := len(p.runs) - 1; n >= 0 && c.end-c.start == len(c.char) {
		r := &p.runs[n]
		if !r.whole && r.end == c.start && r.at+r.end-r.start == at {
			r.end = c.end
			return
		}
	}
	p.runs = append(p.runs, run{at: at, start: c.start, end: c.end, whole: c.end-c.start != len(c.char)})
}

// between is what is read between two rows, from the source between them.
func between(src string, end, start int, soft bool) string {
	if end > start {
		return apart
	}
	gap := src[end:start]
	blank := strings.ContainsAny(gap, " \t\n")
	switch {
	case soft && blank:
		return " "
	case soft:
		return ""
	case strings.Count(gap, "\n") < 2 && strings.Trim(gap, " \t\r\n>*_`~\\") == "":
		return "\n"
	}
	return apart
}

// hits are the hits in what is read, as ranges of the source.
func (p *prose) hits(n *needle) []span {
	read, _ := n.scan(p.text, 0, false)
	out := read[:0]
	for _, h := range read {
		if s := p.source(h); s.start < s.end {
			out = append(out, s)
		}
	}
	return out
}

// source is the range of the source that a range of the text shows.
func (p *prose) source(h span) span {
	a, b := p.runAt(int(h.start)), p.runAt(int(h.end)-1)
	out := span{int32(a.start), int32(b.end)}
	if !a.whole {
		out.start = int32(min(a.start+int(h.start)-a.at, a.end))
	}
	if !b.whole {
		out.end = int32(min(b.start+int(h.end)-b.at, b.end))
	}
	return out
}

func (p *prose) runAt(at int) *run {
	i := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].at > at })
	return &p.runs[max(i-1, 0)]
}

// proses keeps the prose of texts, as much as fits. It may be used by several
// goroutines.
type proses struct {
	mu    sync.Mutex
	kept  map[string]*prose
	bytes int
}

// maxProse bounds the bytes of text whose prose is kept.
const maxProse = 4 << 20

// of returns the prose of a text, and whether it was made just now.
func (p *proses) of(src string, style *markdown.Style) (read *prose, fresh bool) {
	p.mu.Lock()
	read = p.kept[src]
	p.mu.Unlock()
	if read != nil {
		return read, false
	}
	read = newProse(src, style)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += len(src); p.kept == nil || p.bytes > maxProse {
		p.kept, p.bytes = map[string]*prose{}, len(src)
	}
	p.kept[src] = read
	return read, true
}
