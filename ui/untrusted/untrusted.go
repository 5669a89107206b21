// Package untrusted makes text from models, tools, servers, files and titles
// safe to write to a terminal. It is the one place where that happens:
// whatever came from outside goes through [Text], [Line] or [Plain] before it
// is styled or printed. Stored and copied text stays as it was.
package untrusted

import (
	"strings"
	"unicode/utf8"
)

// Text makes s safe to draw: newline and tab stay, CRLF and lone CR become
// newlines, other control characters (C0, DEL, C1) become visible symbols, and
// bidirectional overrides and isolates, which could reorder what is read,
// are shown as their names. Invalid UTF-8 becomes U+FFFD. Text that needs
// nothing is returned as it is, without allocating.
func Text(s string) string {
	i := dirty(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i >= 0 {
		b.WriteString(s[:i])
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\r' {
			if strings.HasPrefix(s[i+1:], "\n") {
				size++
			}
			b.WriteByte('\n')
		} else {
			b.WriteString(Symbol(r))
		}
		s = s[i+size:]
		i = dirty(s)
	}
	b.WriteString(s)
	return b.String()
}

// Line is Text on one line: newlines and tabs become single spaces.
func Line(s string) string {
	s = Text(s)
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// Plain is for print mode and pipes: control characters except newline and tab
// and bidirectional overrides are removed. CRLF becomes a newline, as does a
// lone CR; invalid UTF-8 becomes U+FFFD.
func Plain(s string) string {
	i := dirty(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r':
			if !strings.HasPrefix(s[i+1:], "\n") {
				b.WriteByte('\n')
			}
		case r == utf8.RuneError:
			b.WriteRune(r)
		}
		s = s[i+size:]
		i = dirty(s)
	}
	b.WriteString(s)
	return b.String()
}

// Clean tells whether Text would return s as it is.
func Clean(s string) bool { return dirty(s) < 0 }

// dirty returns the offset of the first byte that may not be drawn, or -1.
func dirty(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || unsafeRune(r) {
			return i
		}
		i += size
	}
	return -1
}

// unsafeRune tells whether r is a C1 control or a bidirectional control.
func unsafeRune(r rune) bool {
	return r >= 0x80 && r < 0xa0 || bidiName(r) != ""
}

// Symbol is what Text draws for a rune that may not be drawn: a control
// picture, a code or name in angle brackets, U+FFFD for one that is not valid,
// and the rune itself for all others.
func Symbol(r rune) string {
	switch {
	case r < 0x20 && r >= 0:
		return string('␀' + r)
	case r == 0x7f:
		return "␡"
	case r >= 0x80 && r < 0xa0:
		const hex = "0123456789ABCDEF"
		return "⟨" + string(hex[r>>4]) + string(hex[r&15]) + "⟩"
	}
	if name := bidiName(r); name != "" {
		return "⟨" + name + "⟩"
	}
	return string(r)
}

// bidiName is the Unicode abbreviation of a bidirectional control, or "".
func bidiName(r rune) string {
	switch r {
	case 0x061c:
		return "ALM"
	case 0x200e:
		return "LRM"
	case 0x200f:
		return "RLM"
	case 0x202a:
		return "LRE"
	case 0x202b:
		return "RLE"
	case 0x202c:
		return "PDF"
	case 0x202d:
		return "LRO"
	case 0x202e:
		return "RLO"
	case 0x2066:
		return "LRI"
	case 0x2067:
		return "RLI"
	case 0x2068:
		return "FSI"
	case 0x2069:
		return "PDI"
	}
	return ""
}
