package api

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
)

const (
	// maxChoices bounds the choices of an answer against a server that floods.
	maxChoices = 256
	// maxStray bounds what is kept of a body that is not server-sent events.
	maxStray = 64 << 10
)

// decoder turns the frames of one attempt into events. It decodes streamed
// chunks and whole completions alike.
type decoder struct {
	key       Key
	requestID string
	expected  int // choices that were asked for
	newID     func() string

	id, model string
	choices   []*choiceState
	usage     *Usage
	done      bool   // [DONE] came
	visible   bool   // the user has seen something of this attempt
	err       *Error // the server reported it inside the stream
	skipped   int    // frames that were not JSON
	stray     []byte // lines and frames that look like another protocol
	torn      bool   // the connection broke, by more than silence
	closed    bool   // the finishing events were given
	extra     extraFields
	body      json.RawMessage // of an answer that came whole

	events []Event
	chunk  chunk  // reused, to spare allocations
	buf    []byte // reused
	twin   twin
}

// choiceState is what is known about one choice of the answer.
type choiceState struct {
	index     int
	text      joiner
	reasoning joiner
	field     string // the wire name of the last reasoning
	splitter  splitter
	calls     assembler
	started   bool   // something came in a delta
	spoke     bool   // the last chunk said something
	finish    string // why the choice ended, as it seems
	inWords   bool   // the finish reason came in a chunk that said something
	resumed   bool   // the choice went on after its finish reason
}

func newDecoder(key Key, expected int) *decoder {
	return &decoder{key: key, expected: max(1, expected), newID: randomCallID}
}

func randomCallID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return "call_" + hex.EncodeToString(b[:])
}

// frame decodes the data of one server-sent event.
func (d *decoder) frame(event, data string) {
	data = strings.TrimSpace(data)
	switch {
	case data == "":
		return
	case data == "[DONE]":
		d.done = true
		return
	}
	if event == "" {
		if c := d.twin.take(data); c != nil {
			if d.twin.news {
				d.twin.news = false
				d.extra.note(d.twin.extra)
			}
			d.choice(c, 0)
			return
		}
	}
	d.buf = append(d.buf[:0], data...)
	if event == "error" {
		d.fail(d.buf)
		d.err.Raw = false // it says that it is an error, in whatever words
		return
	}
	if d.object(d.buf) {
		d.twin.learn(data)
		return
	}
	// Servers have been seen to forget the blank line between two events, and
	// to break off in one event and begin the next inside it.
	found := false
	for line := range bytes.SplitSeq(d.buf, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if i := bytes.LastIndex(line, []byte("data:")); i >= 0 && !json.Valid(line) {
			line = bytes.TrimSpace(line[i+len("data:"):])
		}
		if bytes.Equal(line, []byte("[DONE]")) {
			d.done, found = true, true
		} else if len(line) > 0 && len(line) < len(d.buf) && d.object(line) {
			found = true
		}
	}
	if !found {
		d.skipped++
		if data[0] != '{' && data[0] != '[' {
			d.addStray(data)
		}
	}
}

// whole decodes a body that is one JSON value, and keeps it. It reports whether
// it was one.
func (d *decoder) whole(body []byte) bool {
	if !d.object(body) {
		return false
	}
	if len(d.choices) == 0 && d.err == nil {
		d.fail(body)
		return true
	}
	// A whole answer is complete by being whole.
	d.done = true
	d.body = bytes.TrimSpace(body)
	return true
}

// object decodes one JSON value. It reports whether data was JSON at all.
func (d *decoder) object(data []byte) bool {
	clear(d.chunk.Choices[:cap(d.chunk.Choices)])
	d.chunk = chunk{
		ID: d.chunk.ID[:0], Model: d.chunk.Model[:0], Object: d.chunk.Object[:0], Choices: d.chunk.Choices[:0], extra: d.chunk.extra[:0],
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &d.chunk); errors.As(err, &syntax) {
		return false
	}
	c := &d.chunk
	c.scan(data)
	if string(c.Object) != "error" && d.extra.note(c.extra) {
		d.twin.news = true
	}
	if d.id == "" {
		d.id = new(joiner).add(string(c.ID))
	}
	if d.model == "" {
		d.model = new(joiner).add(string(c.Model))
	}
	for i := range c.Choices {
		d.choice(&c.Choices[i], i)
	}
	if u := c.Usage.usage(); u != nil {
		d.usage = u
	}
	if string(c.Object) == "error" || len(c.Error) > 0 {
		d.fail(data)
	}
	return true
}

// fail notes an error that came inside the answer; the first one counts.
func (d *decoder) fail(raw []byte) {
	if d.err == nil {
		d.err = streamError(raw, d.requestID, d.key)
	}
}

func (d *decoder) choice(c *choice, position int) {
	index := position
	if c.Index.ok {
		index = c.Index.n
	}
	s := d.state(index)
	if s == nil {
		return
	}
	s.spoke = false
	d.delta(s, &c.Delta)
	// A message in a stream is the answer only if no delta was.
	if !s.started {
		d.delta(s, &c.Message)
	}
	if len(c.extra) > 0 {
		d.give(Event{Kind: EventExtra, Choice: s.index, Extra: c.extra})
	}
	if len(c.Logprobs) > 0 {
		d.give(Event{Kind: EventLogprobs, Choice: s.index, Logprobs: json.RawMessage(c.Logprobs)})
	}
	if u := c.Usage.usage(); u != nil {
		d.usage = u
	}
	switch {
	case len(c.Error) > 0:
		d.fail(c.Error)
	case c.FinishReason == "error":
		if len(d.chunk.Error) == 0 {
			d.fail([]byte(`{"message":"the server gave up on the answer"}`))
		}
	case c.FinishReason != "":
		s.end(scrub(string(c.FinishReason), d.key, 80))
	}
}

// state finds or makes the state of a choice; nil when there are too many.
func (d *decoder) state(index int) *choiceState {
	for _, s := range d.choices {
		if s.index == index {
			return s
		}
	}
	if len(d.choices) >= maxChoices {
		return nil
	}
	s := &choiceState{index: index, calls: assembler{newID: d.newID}}
	d.choices = append(d.choices, s)
	return s
}

// delta decodes one delta: reasoning, then text, then tool calls.
func (d *decoder) delta(s *choiceState, m *delta) {
	thought, field := m.thought()
	if thought != "" || len(m.ReasoningDetails) > 0 {
		d.think(s, thought, field, json.RawMessage(m.ReasoningDetails))
	}
	if text := m.Content.text + string(m.Refusal); text != "" {
		s.speak()
		s.splitter.fielded = s.field != ""
		d.pieces(s, s.splitter.add(s.text.add(text)))
	}
	fragments := m.ToolCalls
	if f := m.FunctionCall; f != nil && (f.Name != "" || f.Arguments != "") {
		fragments = append(fragments, fragment{Index: index{n: len(fragments), ok: true}, Function: *f})
	}
	if len(fragments) > 0 {
		s.speak()
		d.flushText(s)
		s.calls.add(fragments, func(c CallDelta) { d.call(s, c) })
	}
}

// thought is the reasoning of a delta and the wire name it came under. Servers
// that send it under two names send it twice, so one is taken.
func (m *delta) thought() (thought, field string) {
	switch {
	case m.ReasoningContent != content{}:
		return m.ReasoningContent.text + m.ReasoningContent.thought, "reasoning_content"
	case m.Reasoning != content{}:
		return m.Reasoning.text + m.Reasoning.thought, "reasoning"
	case m.ReasoningText != content{}:
		return m.ReasoningText.text + m.ReasoningText.thought, "reasoning_text"
	case m.Thinking != content{}:
		return m.Thinking.text + m.Thinking.thought, "thinking"
	case m.Content.thought != "":
		return m.Content.thought, "reasoning_content"
	case len(m.ReasoningDetails) > 0:
		var c content
		_ = c.UnmarshalJSON(m.ReasoningDetails)
		return c.text + c.thought, "reasoning_details"
	}
	return "", ""
}

func (d *decoder) think(s *choiceState, thought, field string, details json.RawMessage) {
	s.speak()
	d.flushText(s)
	if thought != "" || s.field == "" {
		s.field = field
	}
	if thought = s.reasoning.add(thought); thought != "" || len(details) > 0 {
		d.give(Event{
			Kind: EventReasoning, Choice: s.index, Text: thought, ReasoningField: s.field, ReasoningDetails: details,
		})
	}
}

func (d *decoder) call(s *choiceState, c CallDelta) {
	d.give(Event{Kind: EventToolCall, Choice: s.index, Call: &c})
}

func (d *decoder) pieces(s *choiceState, pieces []piece) {
	for _, p := range pieces {
		e := Event{Kind: p.kind, Choice: s.index, Text: p.text}
		if p.kind == EventReasoning {
			e.ReasoningField = "<think>"
		}
		d.give(e)
	}
}

func (d *decoder) give(e Event) {
	switch e.Kind {
	case EventText, EventReasoning, EventToolCall:
		d.visible = true
	}
	d.events = append(d.events, e)
}

// flushText gives what is held of the text: what follows is something else.
func (d *decoder) flushText(s *choiceState) {
	if rest := s.text.flush(); rest != "" {
		d.pieces(s, s.splitter.add(rest))
	}
	d.pieces(s, s.splitter.flush())
}

// flush gives everything that is held; nothing more will come.
func (d *decoder) flush() {
	for _, s := range d.choices {
		if rest := s.reasoning.flush(); rest != "" {
			d.give(Event{Kind: EventReasoning, Choice: s.index, Text: rest, ReasoningField: s.field})
		}
		d.flushText(s)
		s.calls.flush(func(c CallDelta) { d.call(s, c) })
	}
}

func (d *decoder) addStray(s string) {
	if room := maxStray - len(d.stray); room > 0 {
		d.stray = append(append(d.stray, s[:min(len(s), room)]...), '\n')
	}
}

// strayError is what a body that was not server-sent events says, nil if it
// says nothing. A whole answer in it is taken for one.
func (d *decoder) strayError() error {
	stray := bytes.TrimSpace(d.stray)
	if len(stray) == 0 {
		return nil
	}
	if stray[0] == '{' && d.whole(stray) && d.err == nil {
		return nil
	}
	if d.err == nil {
		d.fail(stray)
	}
	return d.err
}
