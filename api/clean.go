package api

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mask is what every printed secret looks like.
const mask = "•••"

// maxErrorText bounds the text of an error, in characters: enough to say what
// is wrong, too little to flood a terminal.
const maxErrorText = 300

// scrub makes a server's text fit for one line on a screen or in a log: no
// secrets, no control or direction characters, at most limit characters.
func scrub(s string, key Key, limit int) string {
	return oneLine(maskSecrets(s, key), limit)
}

// maskSecrets hides the client's own key and whatever looks like one.
func maskSecrets(s string, key Key) string {
	// A short key is a word such as "ollama", which texts may rightly contain.
	if len(key) >= 8 {
		s = strings.ReplaceAll(s, key.Reveal(), mask)
	}
	var b strings.Builder
	for s != "" {
		n := strings.IndexFunc(s, isTokenRune)
		if n < 0 {
			break
		}
		b.WriteString(s[:n])
		s = s[n:]
		end := strings.IndexFunc(s, func(r rune) bool { return !isTokenRune(r) })
		if end < 0 {
			end = len(s)
		}
		word := s[:end]
		s = s[end:]
		if looksSecret(word) {
			word = mask
		}
		b.WriteString(word)
	}
	b.WriteString(s)
	return b.String()
}

func isTokenRune(r rune) bool {
	return r == '-' || r == '_' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func looksSecret(word string) bool {
	if len(word) < 10 {
		return false
	}
	for _, prefix := range []string{"sk-", "sk_", "wfr_", "wfr-"} {
		if _, ok := cutPrefixFold(word, prefix); ok {
			return true
		}
	}
	return false
}

// oneLine strips escape sequences and control characters, joins lines, and
// cuts at limit characters.
func oneLine(s string, limit int) string {
	var b strings.Builder
	blank, n := false, 0
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escapeLength(s[i:])
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			blank = true
			continue
		case isDirection(r):
			continue
		}
		blank = blank && n > 0
		if n >= limit || blank && n+1 >= limit {
			return b.String() + "…"
		}
		if blank {
			b.WriteByte(' ')
			n++
		}
		blank = false
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// escapeLength is the length of the terminal escape sequence that s begins with.
func escapeLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 || s[i] == 0x1b {
				return i + 1
			}
		}
		return len(s)
	}
	return 2
}

// isDirection tells whether r changes the direction of text or hides in it.
func isDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' ||
		r == '\u200e' || r == '\u200f' || r == '\u061c' || r == '\ufeff'
}
