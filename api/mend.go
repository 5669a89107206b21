package api

import (
	"bytes"
	"encoding/json"
	"slices"
)

// mended is JSON as it is, or with an end of its own where it was cut off: what
// is whole of it is kept, also half a text. It is nil for what is no JSON, nor
// the beginning of any.
func mended(body []byte) []byte {
	if json.Valid(body) {
		return body
	}
	var m mender
	for i, c := range body {
		m.take(i, c)
	}
	for _, try := range [][]byte{m.closed(body), body[:m.whole]} {
		if try = slices.Concat(try, m.brackets()); json.Valid(try) {
			return try
		}
	}
	return nil
}

// mender follows how deep JSON is nested.
type mender struct {
	open    []byte // the brackets that are missing at the end, the outermost first
	inside  bool   // of a text
	escapes int    // bytes that belong to an escape still, the backslash not among them
	escape  int    // where the last escape began
	whole   int    // behind the last whole value, with all brackets of now still open
}

func (m *mender) take(i int, c byte) {
	switch {
	case m.escapes > 0:
		if m.escapes--; c == 'u' && i == m.escape+1 {
			m.escapes = 4
		}
	case m.inside && c == '\\':
		m.escape, m.escapes = i, 1
	case c == '"':
		m.inside = !m.inside
	case m.inside:
	case c == '{', c == '[':
		m.open = append(m.open, c+2) // the bracket that closes it
		m.whole = i + 1
	case c == '}', c == ']':
		m.open = m.open[:max(len(m.open)-1, 0)]
		m.whole = i + 1
	case c == ',':
		m.whole = i
	}
}

// closed is body with the end of a text that was cut. A number at the end may be
// half of one and does not count.
func (m *mender) closed(body []byte) []byte {
	switch {
	case m.inside && m.escapes > 0:
		body = body[:m.escape]
	case !m.inside && !bytes.HasSuffix(body, []byte(`"`)):
		return body[:m.whole]
	case !m.inside:
		return body
	}
	return append(bytes.Clone(body), '"')
}

// brackets close what is open, the innermost first.
func (m *mender) brackets() []byte {
	out := bytes.Clone(m.open)
	slices.Reverse(out)
	return out
}
