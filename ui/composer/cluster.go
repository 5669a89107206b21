package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// tabStop is the distance of tab stops in columns, from the row's start.
const tabStop = 4

// class says where a row may break: after spaces, and before and behind what
// is wide, which stands for ideographs, emoji and chips.
type class uint8

const (
	word class = iota
	space
	wide
)

// cluster is one grapheme cluster as it is drawn.
type cluster struct {
	n     int // its bytes
	w     int // its columns, at least 1
	class class
	shown string // what is drawn instead of it, "" for itself
	chip  bool
}

// cluster measures the first cluster of s, which lies at byte at of the text
// and at column x of its row. s is not empty and does not start with a newline.
func (l *layout) cluster(s string, at, x int) cluster {
	b := s[0]
	alone := len(s) == 1 || s[1] < utf8.RuneSelf
	switch {
	case b == ' ' && alone:
		return cluster{n: 1, w: 1, class: space}
	case b > ' ' && b < 0x7F && alone:
		return cluster{n: 1, w: 1}
	case b == '\t':
		w := max(1, min(tabStop-x%tabStop, l.width-x))
		return cluster{n: 1, w: w, class: space, shown: "    "[:w]}
	case b == foldByte:
		return l.chip(at)
	case b < ' ':
		return cluster{n: 1, w: 1, shown: string(rune(0x2400 + int(b)))}
	case b == 0x7F:
		return cluster{n: 1, w: 1, shown: "\u2421"}
	}
	return l.complex(s)
}

// chip measures the folded paste at a byte of the text.
func (l *layout) chip(at int) cluster {
	f, _ := l.text.foldBefore(at + 1)
	label := f.label
	if l.method.StringWidth(label) > l.width {
		label = l.method.Truncate(label, l.width, "")
	}
	if label == "" {
		label = "["
	}
	return cluster{n: 1, w: l.method.StringWidth(label), class: wide, shown: label, chip: true}
}

// complex measures a cluster that is not a single ASCII byte.
func (l *layout) complex(s string) cluster {
	text, w := ansi.FirstGraphemeCluster(s, l.method)
	if i := strings.IndexByte(text, foldByte); i > 0 {
		text, w = ansi.FirstGraphemeCluster(text[:i], l.method)
	}
	c := cluster{n: len(text), w: w}
	r, _ := utf8.DecodeRuneInString(text)
	switch {
	case text == " ":
		c.class = space
	case w >= 2 && r >= 0x1100, r == '\u200b':
		c.class = wide
	}
	if c.shown = symbol(r, w); c.shown != "" {
		if c.shown == base {
			c.shown += text
		}
		c.w = l.method.StringWidth(c.shown)
	}
	if c.w < 1 || c.w > l.width {
		c.shown, c.w = "?", 1
	}
	return c
}

// base carries a combining mark that has nothing to stand on.
const base = "\u25cc"

// symbol is what is drawn for a cluster that begins with r and would be
// invisible or could reorder or control the terminal, "" for every other.
func symbol(r rune, w int) string {
	switch {
	case unicode.IsControl(r):
		return "\ufffd"
	case r == '\u2028' || r == '\u2029':
		return "\u2424"
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return "\u21c4"
	case w > 0:
		return ""
	case unicode.Is(unicode.M, r):
		return base
	}
	return "\u00b7"
}

// trimPartial drops the bytes of a rune that was cut at the end of s.
func trimPartial(s string) string {
	for i := 1; i <= min(len(s), utf8.UTFMax); i++ {
		if b := s[len(s)-i]; utf8.RuneStart(b) {
			if b != foldByte && !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}
