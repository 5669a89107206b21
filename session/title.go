package session

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"waferchat/api"
)

const titleWidth = 60 // columns

// Title makes a title of the first text a user sent: its first line that says
// something, without markdown marks and control characters, at most 60 columns
// wide and cut at a word. It is "" when there is none.
func Title(firstUserText string) string {
	for line := range strings.Lines(firstUserText) {
		line = start(strings.TrimSpace(line), 1000)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			continue
		}
		line = unlink(blockMarks(clean(line)))
		line = strings.ReplaceAll(line, "`", "")
		for _, mark := range []string{"***", "**", "~~", "*", "_"} {
			line = unmark(line, mark)
		}
		line = strings.Join(strings.Fields(line), " ")
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPunct(r) && !unicode.IsSpace(r) }) {
			return cut(line, titleWidth)
		}
	}
	return ""
}

// start returns at most n bytes of s, in whole characters.
func start(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func firstTitle(msgs []Message) string {
	for _, m := range msgs {
		if m.Role == api.RoleUser {
			return Title(m.Text())
		}
	}
	return ""
}

// clean makes blanks of control and format characters, but for the joiners
// that hold emoji together, and replaces what is no character.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\u200d' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// blockMarks strips the marks of headings, quotes and list items.
func blockMarks(s string) string {
	for {
		t := strings.TrimSpace(s)
		rest := strings.TrimLeft(t, "#>")
		if rest == t {
			rest = strings.TrimLeft(t, "0123456789")
			if cut, ok := strings.CutPrefix(rest, "."); ok && rest != t {
				rest = cut
			} else {
				rest = strings.TrimLeft(t, "-+*")
				if len(t)-len(rest) != 1 {
					return t
				}
			}
		}
		if rest == "" || rest[0] != ' ' { // no mark: "#1", "-v", "3.5"
			return t
		}
		s = rest
	}
}

// unlink leaves the text of links and pictures: [text](address).
func unlink(s string) string {
	for from := 0; ; {
		middle := strings.Index(s[from:], "](")
		if middle < 0 {
			return s
		}
		middle += from
		start := strings.LastIndex(s[:middle], "[")
		end := strings.Index(s[middle:], ")")
		if start < 0 || end < 0 {
			from = middle + 2
			continue
		}
		text := s[start+1 : middle]
		before := strings.TrimSuffix(s[:start], "!")
		from = len(before) + len(text)
		s = before + text + s[middle+end+1:]
	}
}

// unmark strips pairs of a mark that stand at the borders of words.
func unmark(s, mark string) string {
	for from := 0; ; {
		open := indexMark(s, mark, from, func(before, behind rune) bool {
			return !isWord(before) && !unicode.IsSpace(behind) && !strings.ContainsRune(".,/*_", behind)
		})
		if open < 0 {
			return s
		}
		inner := open + len(mark)
		end := indexMark(s, mark, inner+1, func(before, behind rune) bool {
			return !isWord(behind) && !unicode.IsSpace(before)
		})
		if end < 0 {
			from = inner
			continue
		}
		s = s[:open] + s[inner:end] + s[end+len(mark):]
		from = open
	}
}

// indexMark finds the first mark at or behind from whose neighbours fit. The
// borders of s count as blanks.
func indexMark(s, mark string, from int, fits func(before, behind rune) bool) int {
	for from < len(s) {
		i := strings.Index(s[from:], mark)
		if i < 0 {
			return -1
		}
		i += from
		before, behind := ' ', ' '
		if i > 0 {
			before, _ = utf8.DecodeLastRuneInString(s[:i])
		}
		if rest := s[i+len(mark):]; rest != "" {
			behind, _ = utf8.DecodeRuneInString(rest)
		}
		if fits(before, behind) {
			return i
		}
		from = i + 1
	}
	return -1
}

// isWord includes marks: "__init__" and "**" in "a**b" are no emphasis.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '*' || r == '_'
}

// cut shortens s to a width, at a blank if there is one in its second half.
func cut(s string, width int) string {
	if displaywidth.String(s) <= width {
		return s
	}
	var kept strings.Builder
	used := 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if used += g.Width(); used > width-1 {
			break
		}
		kept.WriteString(g.Value())
	}
	short := kept.String()
	if s[len(short)] != ' ' {
		if i := strings.LastIndex(short, " "); i >= len(short)/2 {
			short = short[:i]
		}
	}
	return strings.TrimRight(short, " ,;:–—-") + "…"
}
