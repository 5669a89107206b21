package api

import (
	"strings"
	"unicode"
)

// piece is a part of a model's text after its reasoning was cut out.
type piece struct {
	kind EventKind // EventText, EventReasoning or EventReclassify
	text string
}

// splitter cuts <think>…</think> out of one choice's text as it streams.
//
// An opening tag counts at the start of a line, a closing tag anywhere in what
// it opened; inside fenced or inline code a tag is text. The newlines around
// the tags go with them. A closing tag that nothing opened is taken away, once,
// and says that the text before it was reasoning. Once a server has sent
// reasoning in a field of its own, tags count at the very start only.
type splitter struct {
	mode     splitMode
	held     string // what the next delta decides about
	trim     bool   // blank lines that follow a tag are still to go
	closed   bool   // a closing tag was seen
	fielded  bool   // reasoning came in its own field
	anything bool   // text was given out
	line     lineState
	pieces   []piece
}

type splitMode string

const (
	splitStart    splitMode = "" // only blanks so far
	splitText     splitMode = "text"
	splitThinking splitMode = "thinking"
)

// add takes a delta of text and returns what is certain now. The result is
// valid until the next call.
func (s *splitter) add(delta string) []piece {
	s.pieces = s.pieces[:0]
	buf := delta
	if s.held != "" {
		buf, s.held = s.held+delta, ""
	}
	for buf != "" {
		switch s.mode {
		case splitStart:
			buf = s.start(buf)
		case splitThinking:
			buf = s.thinking(buf)
		default:
			buf = s.text(buf)
		}
	}
	return s.pieces
}

// flush gives what is still held when the text is over: as it was.
func (s *splitter) flush() []piece {
	s.pieces = s.pieces[:0]
	held := s.held
	s.held = ""
	switch {
	case held == "" || s.trim && strings.TrimSpace(held) == "":
	case s.mode == splitThinking:
		s.give(EventReasoning, held)
	default:
		s.mode = splitText
		s.give(EventText, held)
	}
	return s.pieces
}

// start decides how the text begins.
func (s *splitter) start(buf string) string {
	rest := strings.TrimLeftFunc(buf, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b'
	})
	if rest == "" {
		s.held = buf
		return ""
	}
	open, openPart := matchTag(rest, false)
	closing, closePart := matchTag(rest, true)
	switch {
	case open > 0:
		s.mode, s.trim = splitThinking, true
		return rest[open:]
	case closing > 0:
		s.mode, s.trim, s.closed = splitText, true, true
		return rest[closing:]
	case openPart || closePart:
		s.held = buf
		return ""
	}
	s.mode = splitText
	return buf
}

// thinking looks for the closing tag.
func (s *splitter) thinking(buf string) string {
	buf, ok := s.trimmed(buf)
	if !ok {
		return ""
	}
	for from := 0; ; from++ {
		i := strings.IndexByte(buf[from:], '<')
		if i < 0 {
			s.give(EventReasoning, buf)
			return ""
		}
		from += i
		n, part := matchTag(buf[from:], true)
		if n == 0 && !part {
			continue
		}
		s.give(EventReasoning, buf[:from])
		if part {
			s.held = buf[from:]
			return ""
		}
		s.mode, s.trim, s.closed = splitText, true, true
		s.line = lineState{}
		return buf[from+n:]
	}
}

// text looks for an opening tag and for a closing one without it.
func (s *splitter) text(buf string) string {
	buf, ok := s.trimmed(buf)
	if !ok {
		return ""
	}
	for from := 0; ; {
		i := strings.IndexByte(buf[from:], '<')
		if i < 0 {
			s.line.add(buf[from:])
			s.give(EventText, buf)
			return ""
		}
		s.line.add(buf[from : from+i])
		from += i
		closing := false
		n, part := 0, false
		if !s.fielded && !s.line.inCode() {
			if s.line.blank() {
				n, part = matchTag(buf[from:], false)
			}
			if n == 0 && !s.closed {
				var closePart bool
				n, closePart = matchTag(buf[from:], true)
				closing, part = n > 0, part || closePart
			}
		}
		switch {
		case n > 0:
			s.give(EventText, buf[:from])
			s.tag(closing)
			return buf[from+n:]
		case part:
			s.give(EventText, buf[:from])
			s.held = buf[from:]
			return ""
		}
		s.line.add("<")
		from++
	}
}

// tag enters what a tag in the middle of the text begins.
func (s *splitter) tag(closing bool) {
	if !closing {
		s.mode, s.trim = splitThinking, true
		return
	}
	s.closed = true
	if s.anything {
		s.pieces = append(s.pieces, piece{kind: EventReclassify})
	}
}

// trimmed takes the blank lines that follow a tag away. ok is false while
// there is nothing else.
func (s *splitter) trimmed(buf string) (rest string, ok bool) {
	if !s.trim {
		return buf, true
	}
	body := strings.TrimLeftFunc(buf, unicode.IsSpace)
	if body == "" {
		s.held = buf
		return "", false
	}
	s.trim = false
	blanks := buf[:len(buf)-len(body)]
	return buf[strings.LastIndexAny(blanks, "\r\n")+1:], true
}

func (s *splitter) give(kind EventKind, text string) {
	if text == "" {
		return
	}
	s.anything = s.anything || kind == EventText
	s.pieces = append(s.pieces, piece{kind: kind, text: text})
}

// matchTag returns the length of the tag that s begins with, or whether s may
// be the beginning of one.
func matchTag(s string, closing bool) (length int, part bool) {
	tags := [2]string{"<think>", "<thinking>"}
	if closing {
		tags = [2]string{"</think>", "</thinking>"}
	}
	for _, tag := range tags {
		n := min(len(tag), len(s))
		if !strings.EqualFold(s[:n], tag[:n]) {
			continue
		}
		if n == len(tag) {
			return n, false
		}
		part = true
	}
	return 0, part
}

// lineState knows whether a place in streamed Markdown is inside code.
type lineState struct {
	head  []byte // the beginning of the current line
	ticks int    // backticks in the current line
	fence byte   // '`' or '~' inside a fenced block
	width int    // length of the fence that opened it
}

// lineHead is as much of a line as is needed to know a fence.
const lineHead = 80

func (l *lineState) add(s string) {
	for s != "" {
		line, rest, ended := strings.Cut(s, "\n")
		l.head = append(l.head, line[:min(len(line), max(0, lineHead-len(l.head)))]...)
		l.ticks += strings.Count(line, "`")
		if !ended {
			return
		}
		l.end()
		s = rest
	}
}

// end finishes the current line, which may open or close a fence.
func (l *lineState) end() {
	line := strings.TrimSpace(strings.TrimLeft(string(l.head), " \t>*+-.)0123456789"))
	l.head, l.ticks = l.head[:0], 0
	if line == "" || line[0] != '`' && line[0] != '~' {
		return
	}
	rest := strings.TrimLeft(line, line[:1])
	width := len(line) - len(rest)
	switch {
	case width < 3:
	case l.fence == 0:
		if line[0] == '~' || !strings.Contains(rest, "`") {
			l.fence, l.width = line[0], width
		}
	case line[0] == l.fence && width >= l.width && rest == "":
		l.fence, l.width = 0, 0
	}
}

// blank tells whether nothing but blanks is in the current line.
func (l *lineState) blank() bool { return len(strings.TrimSpace(string(l.head))) == 0 }

// inCode tells whether the end of the current line is in a fence or in an
// inline code span.
func (l *lineState) inCode() bool { return l.fence != 0 || l.ticks%2 == 1 }
