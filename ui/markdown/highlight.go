package markdown

import (
	"bytes"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// tokenRun is a stretch of code of one kind, up to an offset.
type tokenRun struct {
	end  int32
	kind int16 // chroma.TokenType
}

// codeKey names a piece of highlighted code.
type codeKey struct{ lang, code string }

// highlighter finds tokens in code and remembers those of the code seen lately.
// It is safe for concurrent use.
type highlighter struct {
	mu     sync.Mutex
	lexers map[string]chroma.Lexer // nil for a language that is not known
	cache  map[codeKey][]tokenRun
	order  []codeKey // oldest first
	size   int       // bytes of code in the cache
}

// cacheMax bounds the code whose tokens are remembered, in bytes.
const cacheMax = 1 << 20

func newHighlighter() *highlighter {
	return &highlighter{lexers: map[string]chroma.Lexer{}, cache: map[codeKey][]tokenRun{}}
}

// lexer returns the lexer of a language, nil if there is none. It goes by the
// name alone: guessing from the text would run every lexer there is.
func (h *highlighter) lexer(lang string) chroma.Lexer {
	if lang == "" {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.lexers[lang]
	if !ok {
		if len(h.lexers) > 500 { // names come from outside
			clear(h.lexers)
		}
		l = lexers.Get(lang)
		h.lexers[lang] = l
	}
	return l
}

// cached returns the tokens of code if they are remembered.
func (h *highlighter) cached(lang, code string) ([]tokenRun, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.cache[codeKey{lang, code}]
	return t, ok
}

// tokens returns the exact tokens of code, nil if its language is not known.
func (h *highlighter) tokens(lang, code string) []tokenRun {
	l := h.lexer(lang)
	if l == nil {
		return nil
	}
	if t, ok := h.cached(lang, code); ok {
		return t
	}
	t := lex(l, code)
	if len(code) > cacheMax/2 {
		return t
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key := codeKey{lang, strings.Clone(code)}
	if _, ok := h.cache[key]; ok {
		return t
	}
	for h.size+len(code) > cacheMax {
		h.size -= len(h.order[0].code)
		delete(h.cache, h.order[0])
		h.order = h.order[1:]
	}
	h.cache[key] = t
	h.order = append(h.order, key)
	h.size += len(code)
	return t
}

// lex finds the tokens of code. Code that the lexer fails on, or changes, has
// none: some lexers panic on what they do not expect.
func lex(l chroma.Lexer, code string) (runs []tokenRun) {
	defer func() {
		if recover() != nil {
			runs = nil
		}
	}()
	text := code + "\n" // many lexers want the last line complete
	it, err := l.Tokenise(nil, text)
	if err != nil {
		return nil
	}
	at := 0
	for range 4*len(text) + 100 { // a lexer that stands still is left
		t := it()
		if t == chroma.EOF || at >= len(code) {
			break
		}
		if !strings.HasPrefix(text[at:], t.Value) {
			return nil
		}
		if t.Value == "" {
			continue
		}
		at = min(at+len(t.Value), len(code))
		if n := len(runs); n > 0 && runs[n-1].kind == int16(t.Type) {
			runs[n-1].end = int32(at)
		} else {
			runs = append(runs, tokenRun{int32(at), int16(t.Type)})
		}
	}
	return runs
}

// language returns the name of the language in the info string of a fence, such
// as "c++" in "c++{.x}" or "rust" in "rust,ignore".
func language(info string) string {
	info = strings.TrimLeft(info, "{. \t")
	if i := strings.IndexAny(info, "{},:; \t"); i >= 0 {
		info = info[:i]
	}
	if len(info) > 40 || strings.IndexFunc(info, func(r rune) bool { return r <= ' ' || r == 0x7f }) >= 0 {
		return ""
	}
	return info
}

// color lays tokens over the code that the flow holds from offset at on.
func (f *flow) color(tokens []tokenRun, at int, s *Style) {
	from := at
	for _, t := range tokens {
		p, ok := s.tokens[chroma.TokenType(t.kind)]
		if !ok {
			p = s.codeText
		}
		end := min(at+int(t.end), len(f.text))
		if n := len(f.runs); n == 0 || f.runs[n-1].pen != p && !invisible(f.text[from:end], f.runs[n-1].pen, p) {
			f.runs = append(f.runs, run{at: from, pen: p})
		}
		from = end
	}
	if from < len(f.text) || len(f.runs) == 0 {
		f.runs = append(f.runs, run{at: from, pen: s.codeText})
	}
}

// invisible tells whether it makes no difference which of two pens text has.
func invisible(text []byte, a, b pen) bool {
	return a.bg == b.bg && (a.attr|b.attr)&(underline|inverse|crossed) == 0 && len(bytes.TrimLeft(text, " \t\n")) == 0
}
