package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a rune is to the word motions: they skip what is in between and
// stop where one kind of word ends. Ideographs and the two kana are kinds of
// their own, since their words have no blanks between them.
type kind uint8

const (
	between kind = iota
	letter
	ideograph
	hiragana
	katakana
	chip
)

func kindOf(r rune, size int) kind {
	switch {
	case r < utf8.RuneSelf:
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return letter
		}
		return between
	case r == utf8.RuneError && size == 1:
		return chip
	case unicode.Is(unicode.Han, r):
		return ideograph
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return katakana
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Pc, r):
		return letter
	}
	return between
}

// extends tells whether a rune belongs to whatever word it follows.
func extends(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.M, r) || r == '\u200c' || r == '\u200d' || r == 'ー')
}

// joins tells whether r keeps the runes around it in one word, as the
// apostrophe in "don't" and the point in "3.14".
func joins(before, r, after rune) bool {
	switch r {
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case '.', ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

func (c *Composer) wordRight(at int) int {
	s := trimPartial(c.text.slice(at, at+wordSpan))
	return c.lay.snap(at + wordEnd(s))
}

func (c *Composer) wordLeft(at int) int {
	s := c.text.slice(max(0, at-wordSpan), at)
	for s != "" && s[0]&0xC0 == 0x80 {
		s = s[1:]
	}
	return c.lay.snapLeft(at - len(s) + wordStart(s))
}

// wordEnd is the length of s up to the end of its first word.
func wordEnd(s string) int {
	i, in, before := 0, between, rune(0)
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		after, _ := utf8.DecodeRuneInString(s[i+n:])
		k := kindOf(r, n)
		switch {
		case in == between:
			in = k
		case in == chip:
			return i
		case extends(r), k == in, in == letter && joins(before, r, after):
		default:
			return i
		}
		i, before = i+n, r
	}
	return i
}

// wordStart is where the last word of s starts.
func wordStart(s string) int {
	i, in, after := len(s), between, rune(0)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		before, _ := utf8.DecodeLastRuneInString(s[:i-n])
		k := kindOf(r, n)
		switch {
		case in == between && extends(r) && r != 'ー':
		case in == between:
			in = k
		case in == chip:
			return i
		case extends(r) && kindOfBase(s[:i]) == in, k == in, in == letter && joins(before, r, after):
		default:
			return i
		}
		i, after = i-n, r
	}
	return i
}

// kindOfBase is the kind of the last rune of s that does not extend another.
func kindOfBase(s string) kind {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !extends(r) {
			return kindOf(r, n)
		}
		s = s[:len(s)-n]
	}
	return between
}

// scanSize is how much text is searched at a time.
const scanSize = 64 << 10

// blankLineAfter is the start of the first blank line behind a position and
// behind the blank lines there, or the end.
func (n *node) blankLineAfter(at int) int {
	for at < n.len() && n.byteAt(at) == '\n' {
		at++
	}
	for ; at < n.len(); at += scanSize {
		if i := strings.Index(n.slice(at, at+scanSize+1), "\n\n"); i >= 0 {
			return at + i + 1
		}
	}
	return n.len()
}

// blankLineBefore is blankLineAfter towards the start.
func (n *node) blankLineBefore(at int) int {
	for at > 0 && n.byteAt(at-1) == '\n' {
		at--
	}
	for ; at > 0; at -= scanSize {
		from := max(0, at-scanSize-1)
		s, blank := n.slice(from, at), -1
		// Searching forwards is several times faster than strings.LastIndex.
		for i := strings.Index(s, "\n\n"); i >= 0; i = strings.Index(s[blank:], "\n\n") {
			blank = max(blank, 0) + i + 1
		}
		if blank >= 0 {
			return from + blank
		}
	}
	return 0
}
