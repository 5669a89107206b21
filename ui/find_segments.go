package ui

import (
	"iter"
	"strings"
)

// segments divides markdown between blocks, so that each part reads as it does in
// the whole: at blank lines that neither code nor what is indented goes on behind.
// A text in which links may be defined elsewhere is one part.
func segments(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		start, blank := 0, false
		fence := ""
		whole := strings.Contains(text, "]:")
		for at := 0; at < len(text); {
			end := len(text)
			if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
				end = at + i + 1
			}
			line := text[at:end]
			if blank && fence == "" && !whole && line[0] != ' ' && line[0] != '\t' && !isBlank(line) {
				if !yield(start, at) {
					return
				}
				start = at
			}
			blank = isBlank(line)
			fence = fenceAfter(fence, strings.TrimSpace(line))
			at = end
		}
		if start < len(text) {
			yield(start, len(text))
		}
	}
}

// fenceAfter is the fence that is open behind a line, "" for none. open is the one
// before it.
func fenceAfter(open, line string) string {
	line = strings.TrimLeft(line, "> ")
	if open != "" {
		if strings.HasPrefix(line, open) && strings.Trim(line, open[:1]) == "" {
			return ""
		}
		return open
	}
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
