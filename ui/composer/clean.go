package composer

import "strings"

const esc = 0x1B

// clean makes pasted text plain: line ends become newlines, invalid UTF-8
// U+FFFD, and control characters, terminal sequences and byte order marks go,
// except for newlines and tabs, also those that a terminal had encoded as keys.
func clean(s string) string {
	s = valid(s)
	var out strings.Builder
	kept := 0
	for i := 0; i < len(s); {
		if b := s[i]; b >= ' ' && b < 0x7F || b == '\n' {
			i++
			continue
		}
		n := junk(s[i:])
		if n == 0 {
			i++
			continue
		}
		if out.Len() == 0 {
			out.Grow(len(s))
		}
		out.WriteString(s[kept:i])
		out.WriteString(pressed(s[i : i+n]))
		i += n
		kept = i
	}
	if kept == 0 {
		return s
	}
	out.WriteString(s[kept:])
	return out.String()
}

// junk is the bytes at the start of s that do not belong into a paste.
func junk(s string) int {
	switch b := s[0]; {
	case b == esc:
		return sequence(s)
	case b < ' ' && b != '\n' && b != '\t', b == 0x7F:
		return 1
	case b == 0xC2 && s[1] < 0xA0: // C1
		return 2
	case b == 0xEF && s[1] == 0xBB && s[2] == 0xBF: // byte order mark
		return 3
	}
	return 0
}

// sequence is the length of the escape sequence at the start of s: all of a
// control sequence, even if the end is missing, and of a string that is closed
// on its line, else the ESC alone, so that no text is lost to a stray one.
func sequence(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[':
		i := 2
		for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3F {
			i++
		}
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2F {
			i++
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7E {
			i++
		}
		return i
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(s) && s[i] != '\n'; i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == esc {
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2
				}
				break
			}
		}
	case '(', ')':
		if len(s) > 2 && (s[2] == 'B' || s[2] == '0') {
			return 3
		}
	}
	return 1
}

// pressed is the text of a sequence that stands for a key: terminals and
// multiplexers with extended keys send pasted newlines and tabs so.
func pressed(seq string) string {
	switch seq {
	case "\x1b[27;5;106~", "\x1b[27;5;109~", "\x1b[27;2;13~", "\x1b[27;5;13~",
		"\x1b[106;5u", "\x1b[109;5u", "\x1b[13;2u", "\x1b[13;5u", "\x1b[13u":
		return "\n"
	case "\x1b[27;5;105~", "\x1b[105;5u", "\x1b[9u":
		return "\t"
	}
	return ""
}
