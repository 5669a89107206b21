package ui

import "strings"

// plainEmoji is s for a terminal that counts code points instead of grapheme
// clusters (it has not reported mode 2027): the characters that join and tint
// emoji are left out, so that what remains is as wide by both ways of counting
// and no row runs over its end. Only what is drawn is changed.
func plainEmoji(s string) string {
	if !strings.ContainsFunc(s, joins) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if joins(r) {
			return -1
		}
		return r
	}, s)
}

// joins tells whether r makes a wider sequence of code points one narrower
// cluster: the zero width joiner, variation selectors, skin tones.
func joins(r rune) bool {
	return r == 0x200d || r == 0xfe0e || r == 0xfe0f || r >= 0x1f3fb && r <= 0x1f3ff
}

// drawable is text from a message as this terminal can count it.
func (s *scene) drawable(text string) string {
	if s.graphemes {
		return text
	}
	return plainEmoji(text)
}
