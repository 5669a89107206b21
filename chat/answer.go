package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"waferchat/api"
	"waferchat/session"
)

// answer is an assistant message that is arriving. Adding to it costs the same
// however long it is. It is not safe for concurrent use.
type answer struct {
	message session.Message // without its parts
	parts   []*part
	calls   map[int]int // index of a call to the ordinal of its part
	extra   extra
	seam    *splice // joins what comes to a cut text, nil for a new answer
}

// part is a part that is arriving.
type part struct {
	session.Part // without its text and extra
	text         text
	details      []json.RawMessage
}

// text is a text that grows. It is kept in pieces, so that adding to a long one
// never copies what is there.
type text struct {
	full []string
	last strings.Builder
}

// pieceSize is the size of a text's pieces in bytes.
const pieceSize = 16 << 10

func (t *text) write(s string) {
	if t.last.Len() > 0 && t.last.Len()+len(s) > pieceSize {
		t.full = append(t.full, t.last.String())
		t.last = strings.Builder{}
		t.last.Grow(pieceSize)
	}
	t.last.WriteString(s)
}

func (t *text) String() string {
	if len(t.full) == 0 {
		return t.last.String()
	}
	return strings.Join(append(t.full, t.last.String()), "")
}

// reasoning adds a piece of reasoning. A new part begins where something else
// came between, or the server changed the field's name.
func (a *answer) reasoning(e api.Event) session.Delta {
	last := len(a.parts) - 1
	if a.seam != nil { // what goes on stays in one piece
		last = a.last(session.PartReasoning)
	}
	if last < 0 || a.parts[last].Kind != session.PartReasoning || a.parts[last].Field != e.ReasoningField {
		last = a.begin(session.Part{Kind: session.PartReasoning, Field: e.ReasoningField})
	}
	p := a.parts[last]
	p.details = append(p.details, items(e.ReasoningDetails)...)
	return a.add(last, e.Text)
}

// output adds a piece of the answer's text. Of a continuation nothing may come of
// it yet: see splice.
func (a *answer) output(text string) session.Delta {
	if a.seam != nil {
		text = a.seam.add(text)
	}
	return a.write(text)
}

// joinEnd adds what the seam of a continuation still holds.
func (a *answer) joinEnd() session.Delta {
	if a.seam == nil {
		return session.Delta{}
	}
	return a.write(a.seam.flush())
}

func (a *answer) write(text string) session.Delta {
	if text == "" {
		return session.Delta{}
	}
	last := len(a.parts) - 1
	if a.seam != nil {
		last = a.last(session.PartText)
	}
	if last < 0 || a.parts[last].Kind != session.PartText {
		last = a.begin(session.Part{Kind: session.PartText})
	}
	return a.add(last, text)
}

// reclassify makes all text so far reasoning: the server began to reason without
// saying so. What was written of it to the store is put right at the end.
func (a *answer) reclassify() {
	if a.seam != nil {
		return // what was there before is no reasoning
	}
	for _, p := range a.parts {
		if p.Kind == session.PartText {
			p.Kind, p.Field = session.PartReasoning, "<think>"
		}
	}
}

// call adds a fragment of a call to the part of that call. The first id that is
// not empty wins, and the last name: servers that cut a name into pieces give a
// longer one each time.
func (a *answer) call(c api.CallDelta) session.Delta {
	ordinal, ok := a.calls[c.Index]
	if !ok {
		ordinal = a.begin(session.Part{Kind: session.PartToolCall, CallID: c.ID, Name: c.Name})
		if a.calls == nil {
			a.calls = map[int]int{}
		}
		a.calls[c.Index] = ordinal
	}
	p := a.parts[ordinal]
	if p.CallID == "" {
		p.CallID = c.ID
	}
	if c.Name != "" {
		p.Name = c.Name
	}
	if len(c.Extra) > 0 {
		if raw, err := json.Marshal(c.Extra); err == nil {
			p.Extra = raw
		}
	}
	return a.add(ordinal, c.Arguments)
}

// logprobs keeps the log probabilities of the text's tokens with the part that
// the text went to.
func (a *answer) logprobs(raw json.RawMessage) {
	var list struct {
		Content []json.RawMessage `json:"content"`
	}
	last := len(a.parts) - 1
	if last >= 0 && a.parts[last].Kind == session.PartText && json.Unmarshal(raw, &list) == nil {
		a.parts[last].details = append(a.parts[last].details, list.Content...)
	}
}

// keep notes fields of the answer that the document does not name.
func (a *answer) keep(fields map[string]json.RawMessage) { a.extra.add(fields) }

// last is the ordinal of the last part of a kind, -1 when there is none.
func (a *answer) last(k session.PartKind) int {
	for i, p := range slices.Backward(a.parts) {
		if p.Kind == k {
			return i
		}
	}
	return -1
}

func (a *answer) begin(p session.Part) (ordinal int) {
	a.parts = append(a.parts, &part{Part: p})
	return len(a.parts) - 1
}

func (a *answer) add(ordinal int, text string) session.Delta {
	p := a.parts[ordinal]
	p.text.write(text)
	return session.Delta{
		Message: a.message.ID,
		Ordinal: ordinal,
		Kind:    p.Kind,
		Text:    text,
		Field:   p.Field,
		CallID:  p.CallID,
		Name:    p.Name,
	}
}

// settle marks the calls that nobody answered.
func (a *answer) settle() {
	for _, p := range a.parts {
		if p.Kind == session.PartToolCall && p.CallState == "" {
			p.CallState = "cancelled"
		}
	}
}

// snapshot returns the message as it is now. It shares no memory that changes.
func (a *answer) snapshot() session.Message {
	m := a.message
	m.Extra = a.extra.object()
	m.Parts = make([]session.Part, len(a.parts))
	for i, p := range a.parts {
		m.Parts[i] = p.Part
		m.Parts[i].Text = p.text.String()
		if len(p.details) > 0 {
			m.Parts[i].Extra = slices.Concat([]byte("["), bytes.Join(raw(p.details), []byte(",")), []byte("]"))
		}
	}
	return m
}

// items returns the elements of a JSON array, or v itself when it is none.
func items(v json.RawMessage) []json.RawMessage {
	if len(v) == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) == nil {
		return list
	}
	return []json.RawMessage{v}
}

func raw(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}
