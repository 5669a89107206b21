package markdown

import (
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// How much code is highlighted at once, in bytes.
const (
	exactNow      = 2 << 10 // a closed block up to this size gets its colours when it closes,
	exactPerFlush = 8 << 10 // so many of them in one Flush; the others are pending
	contextMin    = 100     // finished code before new lines that is looked at with them
	contextMax    = 2 << 10 // at most, where a comment or a string began so far above
	newMax        = 4 << 10 // new lines beyond this stay plain
)

// provisional are the colours of a code block that is still being written. New
// lines are highlighted with a little of what is above them, so that a line
// costs the same at the end of a long block as at its beginning.
type provisional struct {
	start   int // of the code in the source
	lang    string
	size    int        // bytes of finished lines
	tokens  []tokenRun // theirs
	context string     // the end of the finished lines
}

func newProvisional(start int, lang string) *provisional {
	return &provisional{start: start, lang: lang}
}

// add takes new finished lines and the line being written. It returns the
// tokens of both, the offsets counting from where each begins.
func (h *provisional) add(hl *highlighter, finished, partial string) (done, rest []tokenRun) {
	l := hl.lexer(h.lang)
	if l == nil || finished == "" && partial == "" {
		h.size += len(finished)
		return nil, nil
	}
	fresh := finished
	if skip := len(finished) - newMax; skip > 0 {
		skip += strings.IndexByte(finished[skip:], '\n') + 1
		done = append(done, tokenRun{int32(skip), int16(chroma.Text)})
		fresh, h.context = finished[skip:], ""
	}
	if len(partial) > newMax {
		partial = partial[:newMax]
	}
	text := h.context + fresh + partial
	tokens := lex(l, text)
	from, to := len(h.context), len(h.context)+len(fresh)
	for _, t := range slice(tokens, from, to) {
		done = append(done, tokenRun{t.end + int32(len(finished)-len(fresh)), t.kind})
	}
	if n := len(done); len(finished) > 0 && (n == 0 || int(done[n-1].end) < len(finished)) {
		done = append(done, tokenRun{int32(len(finished)), int16(chroma.Text)})
	}
	rest = slice(tokens, to, len(text))
	for _, t := range done {
		h.tokens = append(h.tokens, tokenRun{t.end + int32(h.size), t.kind})
	}
	h.size += len(finished)
	if fresh != "" {
		h.context = text[contextStart(text[:to], tokens):to]
	}
	return done, rest
}

// slice returns the tokens between two offsets, counted from the first.
func slice(tokens []tokenRun, from, to int) []tokenRun {
	var out []tokenRun
	for _, t := range tokens {
		if int(t.end) <= from {
			continue
		}
		out = append(out, tokenRun{int32(min(int(t.end), to) - from), t.kind})
		if int(t.end) >= to {
			break
		}
	}
	return out
}

// contextStart returns where the context for the lines after the text begins: at
// a line that does not begin inside a comment or a string.
func contextStart(text string, tokens []tokenRun) int {
	limit := len(text) - contextMax
	best := len(text) - contextMin
	if best <= 0 {
		return 0
	}
	i, _ := slices.BinarySearchFunc(tokens, best, func(t tokenRun, at int) int { return int(t.end) - at })
	if i < len(tokens) && multiline(chroma.TokenType(tokens[i].kind)) {
		best = 0
		if i > 0 {
			best = int(tokens[i-1].end)
		}
	}
	best = max(best, limit, 0)
	return strings.LastIndexByte(text[:best], '\n') + 1
}

// multiline tells whether tokens of a kind may go over several lines.
func multiline(t chroma.TokenType) bool {
	return t.InCategory(chroma.Comment) || t.InSubCategory(chroma.LiteralString)
}

// openColors are the colours of the code block that is being written.
func (m *Stream) openColors(c codeBlock) []tokenRun {
	if m.open == nil || m.open.start != c.start || m.open.lang != c.lang || m.open.size > len(c.code) {
		m.open = newProvisional(c.start, c.lang)
	}
	finished := c.code[m.open.size : m.open.size+strings.LastIndexByte(c.code[m.open.size:], '\n')+1]
	partial := c.code[m.open.size+len(finished):]
	_, rest := m.open.add(m.style.shared, finished, partial)
	tokens := slices.Clone(m.open.tokens)
	for _, t := range rest {
		tokens = append(tokens, tokenRun{t.end + int32(m.open.size), t.kind})
	}
	return tokens
}

// smallColors are the exact colours of a closed block if they are at hand or
// soon made, else none.
func (m *Stream) smallColors(c codeBlock) []tokenRun {
	h := m.style.shared
	if t, ok := h.cached(c.lang, c.code); ok {
		return t
	}
	if len(c.code) > min(exactNow, m.budget) || h.lexer(c.lang) == nil {
		return nil
	}
	m.budget -= len(c.code)
	return h.tokens(c.lang, c.code)
}

// closedColors are the colours of a block that is closed for good; when exact
// ones would take too long, it is noted as pending.
func (m *Stream) closedColors(c codeBlock) []tokenRun {
	if c.code == "" || m.style.shared.lexer(c.lang) == nil {
		return nil
	}
	t, ok := m.exact[c.start]
	if !ok {
		t = m.smallColors(c)
		ok = t != nil
	}
	if ok {
		delete(m.pending, c.start)
		delete(m.provisional, c.start)
		return t
	}
	m.pending[c.start] = codeKey{c.lang, c.code}
	if p := m.provisional[c.start]; p != nil {
		return p.tokens
	}
	return nil
}

// keepColors keeps the provisional colours of the code that starts at an offset
// until the exact ones come.
func (m *Stream) keepColors(start int) {
	if m.open != nil && m.open.start == start {
		m.provisional[start] = m.open
	}
}
