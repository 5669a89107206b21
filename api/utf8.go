package api

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unquote decodes a JSON string literal that a JSON parser has accepted. It
// keeps what the literal cannot say in UTF-8 for a joiner to put together:
// bytes that are not UTF-8 stay as they are, and a surrogate escape without
// its other half becomes the three bytes that UTF-8 would give it.
func unquote(lit []byte) string {
	if len(lit) < 2 {
		return ""
	}
	s := string(lit[1 : len(lit)-1])
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i >= 0 {
		b = append(b, s[:i]...)
		s = s[i:]
		var n int
		b, n = appendEscape(b, s)
		s = s[n:]
		i = strings.IndexByte(s, '\\')
	}
	return string(append(b, s...))
}

// appendEscape appends the meaning of the escape that s begins with and
// returns the escape's length.
func appendEscape(b []byte, s string) ([]byte, int) {
	if len(s) < 2 {
		return b, len(s)
	}
	switch s[1] {
	case 'n':
		return append(b, '\n'), 2
	case 't':
		return append(b, '\t'), 2
	case 'r':
		return append(b, '\r'), 2
	case 'b':
		return append(b, '\b'), 2
	case 'f':
		return append(b, '\f'), 2
	case 'u':
		r, ok := hexEscape(s)
		if !ok {
			return utf8.AppendRune(b, utf8.RuneError), min(len(s), 6)
		}
		if isHighSurrogate(r) && len(s) > 6 {
			if low, ok := hexEscape(s[6:]); ok && isLowSurrogate(low) {
				return utf8.AppendRune(b, joinSurrogates(r, low)), 12
			}
		}
		if isHighSurrogate(r) || isLowSurrogate(r) {
			return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f), 6
		}
		return utf8.AppendRune(b, r), 6
	}
	return append(b, s[1]), 2
}

// hexEscape decodes the \uXXXX that s begins with.
func hexEscape(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), err == nil
}

func isHighSurrogate(r rune) bool     { return r >= 0xd800 && r < 0xdc00 }
func isLowSurrogate(r rune) bool      { return r >= 0xdc00 && r < 0xe000 }
func joinSurrogates(hi, lo rune) rune { return (hi-0xd800)<<10 | (lo - 0xdc00) + 0x10000 }

// surrogate reads the three bytes that unquote writes for half a character.
func surrogate(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2] < 0x80 || s[2] > 0xbf {
		return 0, false
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}

// joiner makes valid UTF-8 of the deltas of one text, whatever place they were
// cut at: half a character waits for its other half, and what never gets one
// becomes U+FFFD.
type joiner struct{ held string }

func (j *joiner) add(s string) string {
	if j.held == "" && utf8.ValidString(s) {
		return s
	}
	s, j.held = j.held+s, ""
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || size > 1 {
			b = append(b, s[i:i+size]...)
			i += size
			continue
		}
		if !utf8.FullRuneInString(s[i:]) {
			j.held = s[i:]
			break
		}
		half, ok := surrogate(s[i:])
		if !ok {
			b, i = utf8.AppendRune(b, utf8.RuneError), i+1
			continue
		}
		if isHighSurrogate(half) && i+3 == len(s) {
			j.held = s[i:]
			break
		}
		i += 3
		if low, ok := surrogate(s[i:]); ok && isHighSurrogate(half) && isLowSurrogate(low) {
			b, i = utf8.AppendRune(b, joinSurrogates(half, low)), i+3
			continue
		}
		b = utf8.AppendRune(b, utf8.RuneError)
	}
	return string(b)
}

// flush gives what is still held when the text is over.
func (j *joiner) flush() string {
	if j.held == "" {
		return ""
	}
	j.held = ""
	return string(utf8.RuneError)
}
