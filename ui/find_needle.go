package ui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// span is a range of bytes of a text.
type span struct{ start, end int32 }

// overlaps tells whether two ranges have a byte in common.
func (s span) overlaps(t span) bool { return s.start < t.end && t.start < s.end }

// needle is a text that is looked for: literally, without regard to accents, and
// to case as long as it has no capital. A blank is any blank, also a line break.
// It may be used by several goroutines.
type needle struct {
	folded []rune      // nothing is found by an empty one
	cased  bool        // capitals count
	starts [0x800]bool // runes that a hit may begin with
	leads  [256]bool   // first bytes of those that are longer than two bytes
	drawn  bool        // it may be what something else is drawn as, see substituted
}

// newNeedle folds a text. One that is blank finds nothing.
func newNeedle(text string) *needle {
	n := &needle{cased: strings.ContainsFunc(text, unicode.IsUpper)}
	if isBlank(text) {
		return n
	}
	for _, r := range norm.NFC.String(text) {
		if f := n.fold(r); f >= 0 {
			n.folded = append(n.folded, f)
		}
	}
	if len(n.folded) == 0 {
		return n
	}
	n.begin(n.folded[0])
	n.drawn = slices.ContainsFunc(n.folded, func(r rune) bool {
		return r >= utf8.RuneSelf || r != ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return n
}

// begin notes what a hit may begin with: a rune that folds to f.
func (n *needle) begin(f rune) {
	for r := range rune(len(n.starts)) {
		n.starts[r] = n.fold(r) == f
	}
	if f < foldedTo && unicode.IsLetter(f) {
		n.leads[0xe1], n.leads[0xe2] = true, true // letters with accents, the Kelvin sign
	}
	for r := f; ; {
		n.leads[string(r)[0]] = true
		if r = unicode.SimpleFold(r); r == f {
			return
		}
	}
}

// begins tells whether a hit may begin at offset i.
func (n *needle) begins(text string, i int) bool {
	c := text[i]
	switch {
	case c < utf8.RuneSelf:
		return n.starts[c]
	case c < 0xe0 && c >= 0xc0 && i+1 < len(text):
		return n.starts[rune(c&0x1f)<<6|rune(text[i+1]&0x3f)]
	}
	return n.leads[c]
}

// foldedTo is where the letters end whose accents are folded.
const foldedTo = 0x2000

// fold is what a rune counts as, or -1 if it does not count.
func (n *needle) fold(r rune) rune {
	if r < utf8.RuneSelf {
		switch {
		case r >= 'A' && r <= 'Z' && !n.cased:
			return r + 'a' - 'A'
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ':
			return '␀' + r // as it is drawn
		case r == 0x7f:
			return '␡'
		}
		return r
	}
	if ignorable(r) {
		return -1
	}
	if r == 0xa0 {
		return ' '
	}
	if r < foldedTo || r == 0x212a || r == 0x212b { // the Kelvin and the Ångström sign
		r = unaccented(r)
	}
	if n.cased {
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// ignorable tells whether a rune is nothing to look for: an accent that stands
// alone, or what only joins, breaks or chooses glyphs.
func ignorable(r rune) bool {
	return isAccent(r) || r == 0xad || r >= 0x200b && r <= 0x200d || r == 0x2060 || r >= 0xfe00 && r <= 0xfe0f || r == 0xfeff ||
		r >= 0x1f3fb && r <= 0x1f3ff // skin tones
}

// isAccent tells whether a rune is a mark that a letter is found without. The
// vowel signs of scripts that write them as marks are none.
func isAccent(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r < 0x370, r >= 0x483 && r <= 0x487, r >= 0x1ab0 && r < 0x1b00, r >= 0x1dc0 && r < 0x1e00, r >= 0x20d0 && r < 0x2100, r >= 0xfe20 && r < 0xfe30:
		return true
	case r >= 0x591 && r <= 0x5c7: // Hebrew points
		return r != 0x5be && r != 0x5c0 && r != 0x5c3 && r != 0x5c6
	}
	return r >= 0x64b && r <= 0x65f || r == 0x670 // Arabic vowel marks
}

// unaccented is a letter without its accents. Letters of Cyrillic alphabets that
// only look like others with a mark stay what they are, but for ё.
func unaccented(r rune) rune {
	if r >= 0x400 && r < 0x530 && r != 'ё' && r != 'Ё' {
		return r
	}
	var b [utf8.UTFMax]byte
	d := norm.NFD.Properties(b[:utf8.EncodeRune(b[:], r)]).Decomposition()
	if d == nil {
		return r
	}
	base, size := utf8.DecodeRune(d)
	for _, m := range string(d[size:]) {
		if !isAccent(m) {
			return r
		}
	}
	return base
}

// scan returns the hits of a text from an offset on, which do not overlap.
// hidden are those that only markup between their letters keeps from being hits;
// they are looked for in markdown. They may overlap hits and one another.
func (n *needle) scan(text string, from int, markdown bool) (hits, hidden []span) {
	if len(n.folded) == 0 {
		return nil, nil
	}
	markdown = markdown && len(n.folded) > 1
	for i := from; ; {
		for i < len(text) && !n.begins(text, i) {
			i++
		}
		if i >= len(text) {
			return hits, hidden
		}
		end := n.match(text, i, false)
		if end > i {
			hits = append(hits, span{int32(i), int32(end)})
			i = end
			continue
		}
		if markdown {
			if end := n.match(text, i, true); end > i {
				hidden = append(hidden, span{int32(i), int32(end)})
			}
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
}

// match returns where a hit ends that begins at offset i, or -1. markup between
// its letters is passed over if that is wanted.
func (n *needle) match(text string, i int, markup bool) int {
	passed := 0
	for k := 0; k < len(n.folded); {
		if i >= len(text) {
			return -1
		}
		f, next := n.next(text, i, markup)
		switch {
		case f == n.folded[k]:
			i = next
			k++
		case k == 0:
			return -1
		case f < 0:
			i = next
		case markup:
			over := skipMarkup(text, i)
			if passed++; over == i || passed > maxMarkup {
				return -1
			}
			i = over
		default:
			return -1
		}
	}
	return closed(text, i)
}

// next is the folded rune at offset i and where the one behind it begins. Blanks
// with one line break among them count as one blank, with more as the end of a
// paragraph, which nothing matches.
func (n *needle) next(text string, i int, quoted bool) (rune, int) {
	c := text[i]
	if c >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[i:])
		return n.fold(r), i + size
	}
	if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
		return n.fold(rune(c)), i + 1
	}
	breaks, j := 0, i
	for ; j < min(len(text), i+maxBlank); j++ {
		switch c := text[j]; {
		case c == '\n':
			breaks++
		case c == ' ' || c == '\t' || c == '\r' || c == '>' && quoted && breaks > 0:
		default:
			return blank(breaks, i, j)
		}
	}
	return blank(breaks, i, j)
}

func blank(breaks, from, to int) (rune, int) {
	switch breaks {
	case 0:
		return ' ', from + 1
	case 1:
		return ' ', to
	}
	return '\n', to
}

// closed is the end of a hit with the accents that follow its last letter, or -1
// if a mark follows that makes another letter of it.
func closed(text string, end int) int {
	for end < len(text) && text[end] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case isAccent(r) || r >= 0xfe00 && r <= 0xfe0f:
			end += size
		case unicode.Is(unicode.Mn, r):
			return -1
		default:
			return end
		}
	}
	return end
}

// What bounds the work on text that is made of nothing else.
const (
	maxMarkup  = 100  // pieces of markup in a hit
	maxAddress = 2000 // bytes of the address of a link, or of a tag
	maxBlank   = 200  // bytes of blanks that are looked at together
)

// skipMarkup is where the piece of markup ends that may be at offset i, or i.
func skipMarkup(text string, i int) int {
	switch text[i] {
	case '*', '_', '`', '~', '\\', '!', '[':
		return i + 1
	case ']':
		if i+1 < len(text) && text[i+1] == '(' {
			return past(text, i+1, ')')
		}
		if i+1 < len(text) && text[i+1] == '[' {
			return past(text, i+1, ']')
		}
		return i + 1
	case '<':
		return past(text, i, '>')
	}
	return i
}

// past is behind the next c on the line, or at offset i if there is none.
func past(text string, i int, c byte) int {
	for j := i; j < min(len(text), i+maxAddress) && text[j] != '\n'; j++ {
		if text[j] == c {
			return j + 1
		}
	}
	return i
}

// substituted tells whether a text may be drawn with characters that are not in
// it, and the needle may be of those: mathematics and entities.
func (n *needle) substituted(text string) bool {
	return n.drawn && (strings.Contains(text, "$") || strings.Contains(text, "&") || strings.Contains(text, `\(`) || strings.Contains(text, `\[`))
}
