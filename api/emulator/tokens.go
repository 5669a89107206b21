package emulator

import (
	"hash/fnv"
	"unicode"
	"unicode/utf8"
)

// cutTokens splits text into pieces of the size of tokens: a word or its
// beginning with the blank before it, a mark, a line break, a CJK character.
// The pieces join to the text; no rune is split, though a cluster of several
// runes may be, as real servers do.
func cutTokens(text string) []string {
	var out []string
	for len(text) > 0 {
		n := tokenLength(text)
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

const longestToken = 6 // letters

func tokenLength(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if r == '\n' {
		for n < len(text) && text[n] == '\n' {
			n++
		}
		return n
	}
	if r == ' ' {
		next, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || next == '\n' {
			return n
		}
		r, n = next, n+size
		if r == ' ' { // indentation goes as one
			for n < len(text) && text[n] == ' ' {
				n++
			}
			return n
		}
	}
	if !wordRune(r) {
		return n
	}
	for letters := 1; letters < longestToken && n < len(text); letters++ {
		next, size := utf8.DecodeRuneInString(text[n:])
		if !wordRune(next) {
			break
		}
		n += size
	}
	return n
}

func wordRune(r rune) bool {
	return r < 0x2E80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// countTokens is the usual guess of four characters a token.
func countTokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// promptTokens counts what a request sends: texts, calls, tools and images.
func (q *request) promptTokens() int {
	n := q.toolTokens()
	for _, m := range q.messages {
		n += m.tokens()
	}
	return n
}

func (q *request) toolTokens() int {
	n := 0
	for _, t := range q.Tools {
		n += countTokens(t.Function.Name+t.Function.Description+string(t.Function.Parameters)) + 8
	}
	return n
}

func (m *message) tokens() int {
	n := 4 + countTokens(m.text)
	for _, c := range m.ToolCalls {
		n += countTokens(c.Function.Name+c.Function.Arguments) + 4
	}
	for _, p := range m.images {
		n += p.tokens()
	}
	return n
}

// maxRemembered bounds what a server remembers of earlier prompts; it forgets
// all of them then.
const maxRemembered = 200_000

// cachedTokens tells how many tokens of the prompt an earlier prompt began
// with, message by message and byte by byte, and remembers this one.
func (s *Server) cachedTokens(q *request) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(q.card.ID))
	for _, t := range q.Tools {
		_, _ = h.Write(encode(t))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cached) > maxRemembered {
		clear(s.cached)
	}
	cached, sum, hit := 0, q.toolTokens(), true
	for _, m := range q.messages {
		_, _ = h.Write(m.raw)
		sum += m.tokens()
		key := h.Sum64()
		if _, ok := s.cached[key]; ok && hit {
			cached = sum
		} else {
			hit = false
		}
		s.cached[key] = struct{}{}
	}
	return cached
}

// attempt tells how often this conversation has been answered before, so that
// asking again gives another answer.
func (s *Server) attempt(q *request) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(q.card.ID))
	for _, m := range q.messages {
		_, _ = h.Write(m.raw)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) > maxRemembered {
		clear(s.asked)
	}
	n := s.asked[h.Sum64()]
	s.asked[h.Sum64()]++
	return n
}
