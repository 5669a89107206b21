package api

import (
	"errors"
	"strings"
	"unicode"
)

// maxKeyLength is far above any real key and far below what a server's header
// limit allows.
const maxKeyLength = 4096

// CleanKey makes a key out of what a person pasted or a file held: blanks,
// newlines, quotes, a byte order mark and a leading "Bearer " are taken away.
// Nothing left is the empty key and no error. A text that cannot be a key is
// refused; the error says why and never repeats the text.
func CleanKey(s string) (Key, error) {
	s = unwrapPasted(s)
	if rest, ok := cutPrefixFold(s, "authorization:"); ok {
		s = unwrapPasted(rest)
	}
	if rest, ok := cutPrefixFold(s, "bearer"); ok && rest != "" && unicode.IsSpace(rune(rest[0])) {
		s = unwrapPasted(rest)
	}
	switch {
	case len(s) > maxKeyLength:
		return "", errors.New("clean key: too long to be a key")
	case strings.HasPrefix(s, "$"):
		return "", errors.New("clean key: the name of a variable, not its value")
	case strings.HasPrefix(s, "<") || strings.HasSuffix(s, ">"):
		return "", errors.New("clean key: a placeholder, not a key")
	}
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			return "", errors.New("clean key: has a blank inside")
		case r < ' ' || r == 0x7f:
			return "", errors.New("clean key: has a control character inside")
		case r > 0x7f:
			return "", errors.New("clean key: has a character that no key has")
		}
	}
	return Key(s), nil
}

// unwrapPasted takes away what pasting and quoting put around a value.
func unwrapPasted(s string) string {
	const around = "\"'`“”‘’\u00ab\u00bb"
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' || r == 0 ||
			strings.ContainsRune(around, r)
	})
}

func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
