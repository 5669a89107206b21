package markdown

import (
	"sort"
	"unicode/utf8"

	"waferchat/ui/untrusted"
)

// flow is text on its way to rows: safe to draw, with its looks and with the
// source it came from. In prose a space may be broken at and a newline is a hard
// break; in code a newline ends a line and tabs are still there.
type flow struct {
	text []byte
	runs []run
	maps []mapping
}

// run is a stretch of text that looks the same; it ends where the next begins.
type run struct {
	at   int // offset in the text
	pen  pen
	link string // target of the hyperlink, "" for none
}

// mapping ties the text from at on to the source. A linear one runs in step
// with it; else the whole stretch stands for the source from start to end.
type mapping struct {
	at, start, end int
	linear         bool
}

func (f *flow) reset() { f.text, f.runs, f.maps = f.text[:0], f.runs[:0], f.maps[:0] }

// pen makes what is added from here on look like p.
func (f *flow) pen(p pen, link string) {
	if n := len(f.runs); n > 0 {
		last := &f.runs[n-1]
		if last.pen == p && last.link == link {
			return
		}
		if last.at == len(f.text) {
			last.pen, last.link = p, link
			return
		}
	}
	f.runs = append(f.runs, run{len(f.text), p, link})
}

// add appends source text that stands at the given source offset.
func (f *flow) add(s []byte, src int, tab string) {
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f || c == '\n' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		symbol := ""
		switch {
		case r == '\t':
			if tab == "" {
				i++
				continue
			}
			symbol = tab
		case r == utf8.RuneError && size <= 1:
			symbol = "\ufffd"
		case r < 0xa0 || r >= 0x61c && r <= 0x2069:
			if symbol = untrusted.Symbol(r); symbol == string(s[i:i+size]) {
				i += size
				continue
			}
		default:
			i += size
			continue
		}
		f.verbatim(s[from:i], src+from)
		f.atom(symbol, src+i, src+i+size)
		i += size
		from = i
	}
	f.verbatim(s[from:], src+from)
}

// verbatim appends safe text that equals the source from src on.
func (f *flow) verbatim(s []byte, src int) {
	if len(s) == 0 {
		return
	}
	at := len(f.text)
	if n := len(f.maps); n == 0 || !f.maps[n-1].linear || f.maps[n-1].end != src {
		f.maps = append(f.maps, mapping{at, src, src, true})
	}
	f.maps[len(f.maps)-1].end = src + len(s)
	f.text = append(f.text, s...)
}

// atom appends safe text that stands for a stretch of source as a whole.
func (f *flow) atom(s string, start, end int) {
	if s == "" {
		return
	}
	f.maps = append(f.maps, mapping{len(f.text), start, end, false})
	f.text = append(f.text, s...)
}

// mappingAt returns the index of the mapping that covers the text offset.
func (f *flow) mappingAt(at int) int {
	return sort.Search(len(f.maps), func(i int) bool { return f.maps[i].at > at }) - 1
}

// source returns the source range of the text from a to b, a < b.
func (f *flow) source(a, b int) (start, end int) {
	i := f.mappingAt(a)
	if i < 0 {
		return 0, 0
	}
	m := f.maps[i]
	start = m.start
	if m.linear {
		start += a - m.at
	}
	if j := f.mappingAt(b - 1); j != i {
		m = f.maps[j]
	}
	end = m.end
	if m.linear {
		end = m.start + b - m.at
	}
	return start, end
}

// appendRow appends the text from a to b with its looks to a row whose pen is
// cur, and returns the pen that the row ends with; hyperlinks are closed. r is
// the index of a run at or before a; the index of the run at b is returned.
func (f *flow) appendRow(out []byte, a, b, r int, cur pen) ([]byte, int, pen) {
	link := ""
	for r+1 < len(f.runs) && f.runs[r+1].at <= a {
		r++
	}
	for at := a; at < b; {
		end := b
		if r+1 < len(f.runs) {
			end = min(end, f.runs[r+1].at)
		}
		if r < len(f.runs) && end > at {
			now := &f.runs[r]
			if link != now.link {
				out = appendLink(out, now.link)
				link = now.link
			}
			out = appendSGR(out, cur, now.pen)
			cur = now.pen
		}
		out = append(out, f.text[at:end]...)
		at = end
		if at < b {
			r++
		}
	}
	if link != "" {
		out = appendLink(out, "")
	}
	return out, r, cur
}

// appendLink opens the hyperlink (OSC 8), or closes it when it is "".
func appendLink(out []byte, link string) []byte {
	out = append(out, "\x1b]8;;"...)
	out = append(out, link...)
	return append(out, "\x1b\\"...)
}
