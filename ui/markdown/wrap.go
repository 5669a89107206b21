package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// row is a stretch of a flow's text that is shown on one row.
type row struct {
	a, b  int // offsets in the text
	width int
	col   int // columns of its line that were shown on rows above (code only)
	soft  bool

	indent int // columns before the text (prose only)
}

// indentMark at the beginning of a line of prose indents its rows by a column, a
// quarter of the width at most. No text has this character (see untrusted).
const indentMark = '\v'

// wrapper breaks prose into rows: at spaces, between characters of scripts
// without spaces, after hyphens, and inside a word only when it fits no row.
type wrapper struct {
	rows  []row
	width int // columns of a row

	start  int  // offset that the row starts at
	soft   bool // the row goes on from the one above
	indent int  // columns before the text of each row of the line
	used   int  // columns from start on
	end    int  // end of the last cluster that is not a space
	endW   int  // used at end

	// the last place where the row may end: it would show up to breakEnd, and
	// the next would start at breakNext, nextW columns from start
	breakEnd, breakW, breakNext, nextW int
	// the last good place inside a word, such as after a slash
	niceEnd, niceW int
}

// wrap returns the rows of the flow at a width, w >= 1. A cluster wider than
// that must have been taken out before (see narrow).
func (f *flow) wrap(w int, rows []row) []row {
	s := wrapper{rows: rows, width: w}
	return s.wrap(f, 0, 0)
}

// wrap returns the rows of a flow that goes on behind the characters prev2 and
// prev.
func (s *wrapper) wrap(f *flow, prev2, prev rune) []row {
	prevWide := false
	fix := 0 // runs below this index start at the border of a cluster
	for i := 0; i < len(f.text); {
		if f.text[i] == indentMark {
			i++
			s.start, s.end, s.indent = i, i, min(s.indent+1, s.width/4)
			continue
		}
		size, cw := cluster(f.text[i:])
		for size > 1 && fix < len(f.runs) && f.runs[fix].at < i+size {
			if f.runs[fix].at > i {
				f.runs[fix].at = i + size // a cluster has one look
			}
			fix++
		}
		c := f.text[i]
		if c == '\n' || c == ' ' && size == 1 {
			if c == '\n' {
				s.newline(i + 1)
			} else {
				s.space(i)
			}
			i, prev, prev2, prevWide = i+size, ' ', prev, false
			continue
		}
		r := rune(c)
		if c >= utf8.RuneSelf {
			r, _ = utf8.DecodeRune(f.text[i:])
		}
		if prev != ' ' && i > s.start && breaks(prev2, prev, r, prevWide, cw > 1) {
			s.breakEnd, s.breakW, s.breakNext, s.nextW = i, s.used, i, s.used
		}
		s.place(i, size, cw)
		if strings.IndexByte("/?&=-_.,:;", c) >= 0 {
			s.niceEnd, s.niceW = s.end, s.used
		}
		i, prev, prev2, prevWide = i+size, r, prev, cw > 1
	}
	if s.end > s.start {
		s.newline(len(f.text))
	}
	return s.rows
}

// space takes a space at offset i: the row may end before it.
func (s *wrapper) space(i int) {
	if s.end <= s.start {
		s.start = i + 1
		return
	}
	s.used++
	s.breakEnd, s.breakW, s.breakNext, s.nextW = s.end, s.endW, i+1, s.used
}

// place takes a cluster of w columns at offset i and ends rows until it fits.
func (s *wrapper) place(i, size, w int) {
	for s.used+w > s.width-s.indent && i > s.start {
		switch {
		case s.breakEnd > s.start:
			s.emit(s.breakEnd, s.breakW, s.breakNext, s.nextW)
		case s.niceEnd > s.start && 3*s.niceW >= 2*(s.width-s.indent):
			s.emit(s.niceEnd, s.niceW, s.niceEnd, s.niceW)
		default:
			s.emit(i, s.used, i, s.used)
		}
	}
	s.used += w
	s.end, s.endW = i+size, s.used
}

// emit ends the row at offset end; the next starts at next, skip columns on.
func (s *wrapper) emit(end, w, next, skip int) {
	s.rows = append(s.rows, row{a: s.start, b: end, width: w, soft: s.soft, indent: s.indent})
	s.start, s.soft = next, true
	s.used -= skip
	s.endW -= skip
	s.niceW -= skip
}

// newline ends the row for good; the next starts at the given offset.
func (s *wrapper) newline(next int) {
	s.start = min(s.start, s.end)
	s.rows = append(s.rows, row{a: s.start, b: s.end, width: s.endW, soft: s.soft, indent: s.indent})
	s.start, s.soft, s.used, s.end, s.endW, s.indent = next, false, 0, next, 0, 0
}

// breaks tells whether a row may end between the characters prev and r, which
// have no space between them.
func breaks(prev2, prev, r rune, prevWide, wide bool) bool {
	if prevWide || wide {
		return !strings.ContainsRune(noStart, r) && !strings.ContainsRune(noEnd, prev)
	}
	switch prev {
	case '-':
		return unicode.IsLetter(prev2) && unicode.IsLetter(r)
	case '—', '\u200b':
		return true
	}
	return false
}

// Characters that a row of Chinese or Japanese does not start or end with.
const (
	noStart = "、。，．・：；？！）］｝〕〉》」』】〗〙’”々ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ…‥％,.!?:;)]}%'\""
	noEnd   = "（［｛〔〈《「『【〖〘‘“([{"
)

// measure returns the widest line of the flow and its widest word in columns.
func (f *flow) measure() (line, word int) {
	l, w := 0, 0
	for i := 0; i < len(f.text); {
		size, cw := cluster(f.text[i:])
		switch c := f.text[i]; {
		case c == '\n':
			l, w = 0, 0
		case c == ' ' && size == 1:
			l, w = l+1, 0
		case cw > 1:
			l, w = l+cw, cw
		default:
			l, w = l+cw, w+cw
		}
		line, word = max(line, l), max(word, w)
		i += size
	}
	return line, word
}

// narrow makes every cluster fit one column: a wide one cannot be shown there.
func (f *flow) narrow() {
	var g flow
	r := 0
	for i := 0; i < len(f.text); {
		size, cw := cluster(f.text[i:])
		for ; r < len(f.runs) && f.runs[r].at <= i; r++ {
			g.pen(f.runs[r].pen, f.runs[r].link)
		}
		start, end := f.source(i, i+size)
		switch m := f.mappingAt(i); {
		case m < 0 && cw > 1:
			g.text = append(g.text, "…"...)
		case cw > 1:
			g.atom("…", start, end)
		case m < 0:
			g.text = append(g.text, f.text[i:i+size]...)
		case f.maps[m].linear && end-start == size:
			g.verbatim(f.text[i:i+size], start)
		default:
			g.atom(string(f.text[i:i+size]), start, end)
		}
		i += size
	}
	*f = g
}
