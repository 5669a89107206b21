package markdown

// PendingCode tells whether closed code blocks still have provisional colours
// because exact highlighting is too slow for the calling goroutine.
func (m *Stream) PendingCode() bool { return len(m.pending) > 0 }

// HighlightJob returns a function that computes the exact colours of the
// pending code blocks and may run on any goroutine; its result is to be given
// to ApplyHighlight on the stream's own goroutine. A result that the stream has
// outgrown is ignored.
func (m *Stream) HighlightJob() func() Highlights {
	work := make(map[int]codeKey, len(m.pending))
	for start, code := range m.pending {
		work[start] = code
	}
	shared := m.style.shared
	return func() Highlights {
		h := Highlights{of: m, tokens: map[int][]tokenRun{}, code: work}
		for start, c := range work {
			h.tokens[start] = shared.tokens(c.lang, c.code)
		}
		return h
	}
}

// Highlights is the opaque result of a HighlightJob.
type Highlights struct {
	of     *Stream
	code   map[int]codeKey
	tokens map[int][]tokenRun
}

// ApplyHighlight puts exact colours in place. Line counts do not change.
func (m *Stream) ApplyHighlight(h Highlights) {
	if h.of != m {
		return
	}
	m.exact, m.budget = h.tokens, exactPerFlush
	for i := range m.chunks {
		c := &m.chunks[i]
		for start, code := range h.code {
			if start >= c.start && start < c.end && m.pending[start] == code {
				m.layAgain(i)
				break
			}
		}
	}
	m.exact = nil
	m.gatherNotes()
}
