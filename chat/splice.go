package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splice joins the continuation of a cut text to it. A model that goes on
// repeats the last words, as it is asked to, or begins a little before or after
// them, or opens its code block again: what comes twice is left out, and no
// blank is missing at the seam.
type splice struct {
	tail  string // the end of the cut text
	whole bool   // the tail is all of it
	cut   string // all of it, unless it is very long
	fence bool   // the cut text ends inside a code block
	held  string // what has come and is not decided on
	done  bool
}

const (
	// spliceTail is how much of the cut text is looked at, in bytes.
	spliceTail = 600
	// spliceHold is how much of the continuation is held until the seam is known.
	spliceHold = 240
	// anchorRunes is the length of the last words that are looked for anywhere in
	// what is held.
	anchorRunes = 24
	// leastOverlap is the shortest repetition, in runes, that is taken for one
	// when it does not reach the anchor's length.
	leastOverlap = 4
	// leastRestart is how much of the beginning, in bytes, tells that a model says
	// everything once more, and longestRestart the longest text that this is
	// looked for in.
	leastRestart   = 60
	longestRestart = 32 << 10
)

func newSplice(cut string) *splice {
	tail := cut[max(0, len(cut)-spliceTail):]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	s := &splice{tail: tail, whole: len(tail) == len(cut), fence: endsInFence(cut)}
	if len(cut) <= longestRestart {
		s.cut = cut
	}
	return s
}

// restarts tells whether what has come so far is the cut text from its beginning.
func (s *splice) restarts() bool {
	n := min(len(s.held), len(s.cut))
	return n >= leastRestart && s.held[:n] == s.cut[:n]
}

// exactSeam appends what comes as it comes.
func exactSeam() *splice { return &splice{done: true} }

// endsInFence tells whether a markdown text ends inside a fenced code block.
func endsInFence(text string) bool {
	open := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case open == "" && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
			open = line[:3]
		case open != "" && strings.HasPrefix(line, open) && strings.Trim(line, open[:1]) == "":
			open = ""
		}
	}
	return open != ""
}

// add takes a piece of the continuation and returns what is to be appended now.
func (s *splice) add(text string) string {
	if s.done {
		return text
	}
	s.held += text
	switch {
	case strings.HasPrefix(s.cut, s.held):
		return "" // it may be saying everything once more
	case s.restarts() && len(s.held) > len(s.cut):
		s.done = true
		return s.held[len(s.cut):]
	}
	blanks := len(s.tail) - len(strings.TrimRightFunc(s.tail, unicode.IsSpace))
	if at := s.anchor(); len(s.held) < spliceHold && (at < 0 || len(s.held) < at+blanks) {
		return ""
	}
	return s.flush()
}

// flush decides with what there is and returns the rest of what is held.
func (s *splice) flush() string {
	if s.done {
		return ""
	}
	s.done = true
	rest := s.held
	s.held = ""
	return s.join(rest)
}

// anchor is the offset behind the cut text's last words in what is held, -1 when
// they are not in it.
func (s *splice) anchor() int {
	words := lastRunes(strings.TrimRightFunc(s.tail, unicode.IsSpace), anchorRunes)
	if utf8.RuneCountInString(words) < anchorRunes {
		return -1
	}
	i := strings.Index(s.held, words)
	if i < 0 {
		return -1
	}
	return i + len(words)
}

func (s *splice) join(held string) string {
	s.held = held
	if s.restarts() { // and ended before it came to anything new
		s.held = ""
		return ""
	}
	at := s.anchor()
	s.held = ""
	if at >= 0 {
		return s.behind(held[at:])
	}
	if s.fence {
		held = withoutFence(held)
	}
	trimmed := strings.TrimLeftFunc(held, unicode.IsSpace)
	tail := strings.TrimRightFunc(s.tail, unicode.IsSpace)
	if n := overlap(tail, trimmed); n > 0 {
		return s.behind(trimmed[n:])
	}
	// The whole text again is no accident, however short it is, unless nothing
	// else comes.
	if rest, again := strings.CutPrefix(trimmed, strings.TrimSpace(tail)); s.whole && again && strings.TrimSpace(rest) != "" {
		return s.behind(rest)
	}
	if rest := strings.TrimPrefix(strings.TrimPrefix(trimmed, "…"), "..."); rest != trimmed {
		held = rest
	}
	return s.gap(held) + held
}

// behind is what follows repeated words; blanks that the cut text already ends
// with are not doubled.
func (s *splice) behind(rest string) string {
	for _, r := range s.tail[len(strings.TrimRightFunc(s.tail, unicode.IsSpace)):] {
		next, size := utf8.DecodeRuneInString(rest)
		if next != r {
			break
		}
		rest = rest[size:]
	}
	return rest
}

// overlap is the length in bytes of the longest end of tail that text begins
// with; 0 when it is too short to mean anything.
func overlap(tail, text string) int {
	for n := min(len(tail), len(text)); n > 0; n-- {
		end := tail[len(tail)-n:]
		if !strings.HasPrefix(text, end) || !utf8.RuneStart(end[0]) {
			continue
		}
		whole := n == len(tail) || !isWord(lastRune(tail[:len(tail)-n])) || !isWord(firstRune(end))
		if whole && utf8.RuneCountInString(end) >= leastOverlap {
			return n
		}
		return 0
	}
	return 0
}

// gap is the blank that is missing between the cut text and what goes on.
func (s *splice) gap(next string) string {
	last, first := lastRune(s.tail), firstRune(next)
	if s.fence || s.tail == "" || next == "" || !isWord(first) {
		return ""
	}
	if isWord(last) || strings.ContainsRune(".,;:!?)”’", last) {
		return " "
	}
	return ""
}

// withoutFence leaves out the line that opens a code block again.
func withoutFence(text string) string {
	line, rest, ok := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	if ok && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")) && len(line) > 3 {
		return rest
	}
	return text
}

func isWord(r rune) bool { return r < 0x2E80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func lastRune(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }

func lastRunes(s string, n int) string {
	for i := len(s); i > 0; {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
		if n--; n == 0 {
			return s[i:]
		}
	}
	return s
}
