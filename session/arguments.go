package session

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// valid makes s valid UTF-8, as a request must be.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// arguments returns a call's raw arguments as a JSON object: as they are when
// they are one, {} for nothing or null, else the raw text under "_raw".
func arguments(text string) string {
	text = valid(text)
	trimmed := strings.Trim(text, " \t\r\n")
	switch {
	case trimmed == "" || trimmed == "null":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return noSurrogates(text)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]string{"_raw": text}) // can't fail
	return strings.TrimSuffix(b.String(), "\n")
}

// noSurrogates replaces escapes of lone surrogates in a JSON text, which
// strict servers refuse.
func noSurrogates(s string) string {
	if !strings.Contains(s, `\u`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] != '\\' || i+1 >= len(s):
			b.WriteByte(s[i])
			i++
		case s[i+1] != 'u':
			b.WriteString(s[i : i+2])
			i += 2
		default:
			n := 6
			if u, next := surrogate(s[i:]), surrogate(s[min(i+6, len(s)):]); u == high && next == low {
				n = 12
			} else if u != "" {
				b.WriteString(`\ufffd`)
				i += 6
				continue
			}
			n = min(n, len(s)-i)
			b.WriteString(s[i : i+n])
			i += n
		}
	}
	return b.String()
}

const high, low = "high", "low"

// surrogate tells which half of a pair the escape at the start of s is, if any.
func surrogate(s string) string {
	if len(s) < 6 || s[:2] != `\u` {
		return ""
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	switch {
	case err != nil || n < 0xd800 || n > 0xdfff:
		return ""
	case n < 0xdc00:
		return high
	}
	return low
}

// toolName makes a name that a server takes: ^[a-zA-Z0-9_-]{1,64}$. Names of
// tools that were offered already are.
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), 64)]
}
