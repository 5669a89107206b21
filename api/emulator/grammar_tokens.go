package emulator

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// grammarToken is a piece of a grammar's text.
type grammarToken struct {
	kind  string // name, text, expression, directive, or the mark itself
	value string
	fresh bool // the first on its line
}

// tokenPatterns are the tokens of both notations, tried in order.
func tokenPatterns(lark bool) []struct{ kind, pattern string } {
	out := []struct{ kind, pattern string }{
		{"", `[ \t\r\n]+|#[^\n]*`},
		{"name", `[a-zA-Z_][\w-]*`},
		{"text", `"(?:[^"\\\n]|\\.)*"i?|'(?:[^'\\\n]|\\.)*'i?`},
		{"times", `\{\s*\d+\s*(?:,\s*\d*\s*)?\}`},
		{"mark", `::=|[|()*+?]`},
	}
	if lark {
		out[0].pattern = `[ \t\r\n]+|//[^\n]*|#[^\n]*|->[ \t]*\w+`
		out[4].pattern = `\.\.|[:|()\[\]*+?!]`
		out[3].pattern = `~\s*\d+(?:\s*\.\.\s*\d+)?`
		return append(out, []struct{ kind, pattern string }{
			{"expression", `/(?:[^/\\\n]|\\.)+/[imslux]*`}, {"directive", `%[^\n]*`}, {"priority", `\.\d+`},
		}...)
	}
	return append(out, struct{ kind, pattern string }{"expression", `\[(?:[^\]\\\n]|\\.)+\]|\.`})
}

// split cuts the text into tokens.
func (r *grammarReader) split(text string) error {
	patterns := tokenPatterns(r.lark)
	compiled := make([]*regexp.Regexp, len(patterns))
	for i, p := range patterns {
		compiled[i] = regexp.MustCompile(`\A(?:` + p.pattern + `)`)
	}
	fresh := true
next:
	for text != "" {
		for i, p := range patterns {
			n := len(compiled[i].FindString(text))
			if n == 0 {
				continue
			}
			value := text[:n]
			text = text[n:]
			if p.kind == "" {
				fresh = fresh || strings.Contains(value, "\n")
				continue next
			}
			kind := p.kind
			if kind == "mark" {
				kind = value
			}
			if kind != "priority" {
				r.tokens = append(r.tokens, grammarToken{kind, value, fresh})
			}
			fresh = false
			continue next
		}
		return fmt.Errorf("it cannot be read from “%s” on", excerpt(text, 30))
	}
	return nil
}

// unquoteGrammar takes the quotes and escapes off; an i behind the quotes says
// that the case does not matter.
func unquoteGrammar(quoted string) (string, error) {
	quoted = strings.TrimSuffix(quoted, "i")
	inner := quoted[1 : len(quoted)-1]
	inner = strings.ReplaceAll(inner, `\'`, `'`)
	text, err := strconv.Unquote(`"` + regexp.MustCompile(`\\.|"`).ReplaceAllStringFunc(inner, func(s string) string {
		switch {
		case s == `"`:
			return `\"`
		case strings.Contains(`abfnrtvxuU"\0123`, s[1:]):
			return s
		}
		return s[1:] // an escape that is none
	}) + `"`)
	if err != nil {
		return "", fmt.Errorf("read the text %s: %w", excerpt(quoted, 30), err)
	}
	return text, nil
}
