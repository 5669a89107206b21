package chat

import (
	"strings"
	"unicode"
)

// maxQuote is how many characters of foreign text are quoted in an explanation.
const maxQuote = 300

// minKey is how many characters a secret has at least; shorter words are words.
const minKey = 8

// clean makes foreign text fit to be quoted: one line, no control or bidi
// characters, no keys, no web pages, not too long.
func clean(s string) string {
	if low := strings.ToLower(s); strings.Contains(low, "<html") || strings.Contains(low, "<!doctype") {
		return ""
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	for i, w := range words {
		w = strings.Map(visible, strings.ToValidUTF8(w, "�"))
		words[i] = maskKey(w)
		if i > 0 && strings.EqualFold(words[i-1], "bearer") && len(w) >= minKey {
			words[i] = "•••"
		}
	}
	return cut(strings.Join(words, " "))
}

// visible drops format characters, those that turn the writing direction among
// them, but for the joiners that scripts and emoji need.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
		return -1
	}
	return r
}

// maskKey replaces what looks like an API key in a word. Keys of Wafer begin
// with wfr_, those of most others with sk-.
func maskKey(word string) string {
	for _, prefix := range []string{"wfr_", "sk-"} {
		at := strings.Index(word, prefix)
		if at < 0 || at > 0 && keyByte(word[at-1]) {
			continue
		}
		end := at
		for end < len(word) && keyByte(word[end]) {
			end++
		}
		if end-at >= minKey {
			return word[:at] + "•••" + maskKey(word[end:])
		}
	}
	return word
}

func keyByte(c byte) bool {
	return c == '-' || c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// cut shortens a text to maxQuote characters.
func cut(s string) string {
	n := 0
	for i := range s {
		if n == maxQuote {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
