package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

// output writes an answer. Its methods return the error of the write.
type output interface {
	events(events []chat.Event) error
	end(last chat.Event) error
}

func (p *program) output(j job) output {
	r := record{Session: string(j.session.ID), Model: j.session.Model, unsaved: j.unsaved != nil}
	if r.unsaved {
		r.Session = ""
	}
	switch {
	case p.flags.output == "json":
		return &jsonOutput{w: p.out, record: r}
	case p.flags.output == "stream-json":
		return &streamOutput{w: p.out, record: r}
	case p.flags.extractSet:
		return &extractOutput{w: p.out, lang: strings.TrimPrefix(p.flags.extract, pick)}
	}
	return &textOutput{w: p.out}
}

// choices tells the answers apart that one request fills: the first one is the
// answer, those behind it are its variants.
type choices []session.MessageID

func (c *choices) learn(e chat.Event) {
	if e.Kind == chat.EventMessage && e.Stored.Role == api.RoleAssistant {
		*c = append(*c, e.Stored.ID)
	}
}

// of is the place of the answer that a delta belongs to.
func (c choices) of(d session.Delta) int { return max(0, slices.Index(c, d.Message)) }

// textOutput writes the answer alone, each batch as it comes in one write.
type textOutput struct {
	w       io.Writer
	last    byte // the last byte written, 0 before the first
	choices choices
}

func (o *textOutput) events(events []chat.Event) error {
	var b strings.Builder
	for _, e := range events {
		o.choices.learn(e)
		if e.Kind == chat.EventDelta && isAnswer(e.Delta.Kind) && o.choices.of(e.Delta) == 0 {
			b.WriteString(untrusted.Plain(e.Delta.Text))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	text := b.String()
	o.last = text[len(text)-1]
	_, err := io.WriteString(o.w, text)
	return err
}

func (o *textOutput) end(chat.Event) error {
	if o.last == 0 || o.last == '\n' {
		return nil
	}
	_, err := io.WriteString(o.w, "\n")
	return err
}

func isAnswer(k session.PartKind) bool { return k == session.PartText || k == session.PartRefusal }

// record is what the JSON outputs say. A line of stream-json has a type and
// what belongs to it.
type record struct {
	Type      string         `json:"type,omitempty"`
	Session   string         `json:"session,omitempty"`
	Model     string         `json:"model,omitempty"`
	Text      string         `json:"text,omitempty"`
	Choice    int            `json:"choice,omitempty"`
	Content   *string        `json:"content,omitempty"`
	Reasoning string         `json:"reasoning,omitempty"`
	Choices   []choiceRecord `json:"choices,omitempty"`
	ID        string         `json:"id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Arguments string         `json:"arguments,omitempty"`
	State     string         `json:"state,omitempty"`
	Finish    string         `json:"finish_reason,omitempty"`
	RequestID string         `json:"request_id,omitempty"`
	Usage     *api.Usage     `json:"usage,omitempty"`
	// Cost is an estimate in micro-cents, absent when it is unknown.
	Cost *int64 `json:"cost,omitempty"`
	// Unsatisfied is how the answer misses what was asked for.
	Unsatisfied string   `json:"unsatisfied,omitempty"`
	Error       *problem `json:"error,omitempty"`

	unsaved bool
}

// choiceRecord is one of several answers to one request.
type choiceRecord struct {
	Index     int    `json:"index"`
	Content   string `json:"content"`
	Reasoning string `json:"reasoning,omitempty"`
	Finish    string `json:"finish_reason,omitempty"`
}

// problem is why an answer failed.
type problem struct {
	Title  string `json:"title"`
	Advice string `json:"advice,omitempty"`
	Code   string `json:"code,omitempty"`
	Status int    `json:"status,omitempty"`
}

// setUsage puts in what a message used and cost. The server's own object, which
// the usage was read from, says nothing more that is known to mean something.
func (r *record) setUsage(m *session.Message) {
	if m.Usage == nil {
		return
	}
	usage := *m.Usage
	usage.Raw = nil
	r.Usage, r.Cost = &usage, session.Cost(m.Usage, m.Prices)
}

// learn takes the model's name as it was sent.
func (r *record) learn(e chat.Event) {
	if e.Kind == chat.EventMessage && e.Stored.Role == api.RoleAssistant && e.Stored.Model != "" {
		r.Model = e.Stored.Model
	}
}

func (r *record) setUnsatisfied(last chat.Event) {
	if miss := unsatisfied(last); miss != nil && !miss.Unchecked {
		r.Unsatisfied = miss.Error()
	}
}

func problemOf(last chat.Event) *problem {
	if last.State != chat.Failed && last.State != chat.Interrupted {
		return nil
	}
	if last.Stored != nil && last.Stored.Failure != nil {
		f := last.Stored.Failure
		return &problem{f.Title, f.Advice, f.Code, f.Status}
	}
	title, advice := chat.Explain(last.Err)
	return &problem{Title: title, Advice: advice}
}

func writeJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	_, err = w.Write(append(escapeJSON(data), '\n'))
	return err
}

// escapeJSON writes the characters that a terminal might obey, or that reorder
// text, as \u escapes: the JSON means the same.
func escapeJSON(data []byte) []byte {
	if untrusted.Plain(string(data)) == string(data) {
		return data
	}
	var b strings.Builder
	for _, r := range string(data) {
		if s := string(r); r != '\n' && r > 0x7e && untrusted.Plain(s) != s {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return []byte(b.String())
}

// jsonOutput writes one object at the end.
type jsonOutput struct {
	w       io.Writer
	record  record
	text    strings.Builder
	reason  strings.Builder
	choices choices
	others  []*session.Message // the finished choices behind the first
}

func (o *jsonOutput) events(events []chat.Event) error {
	for _, e := range events {
		o.record.learn(e)
		o.choices.learn(e)
		switch {
		case e.Kind == chat.EventChoice:
			o.others = append(o.others, e.Stored)
		case e.Kind != chat.EventDelta || o.choices.of(e.Delta) > 0:
		case isAnswer(e.Delta.Kind):
			o.text.WriteString(e.Delta.Text)
		case e.Delta.Kind == session.PartReasoning:
			o.reason.WriteString(e.Delta.Text)
		}
	}
	return nil
}

func (o *jsonOutput) end(last chat.Event) error {
	r, text := o.record, o.text.String()
	r.Content, r.Reasoning, r.State = &text, o.reason.String(), string(last.State)
	r.Error = problemOf(last)
	if m := last.Stored; m != nil {
		r.Finish, r.RequestID = m.Finish, m.RequestID
		text, r.Reasoning = m.Text(), m.ReasoningText() // what turned out to be reasoning is in its place
		r.setUsage(m)
		if len(o.others) > 0 {
			for i, m := range append([]*session.Message{m}, o.others...) {
				r.Choices = append(r.Choices, choiceRecord{i, m.Text(), m.ReasoningText(), m.Finish})
			}
		}
	}
	r.setUnsatisfied(last)
	return writeJSON(o.w, r)
}

// streamOutput writes one object a line as things happen.
type streamOutput struct {
	w       io.Writer
	record  record
	started bool
	choices choices
}

func (o *streamOutput) events(events []chat.Event) error {
	for _, e := range events {
		o.record.learn(e)
		o.choices.learn(e)
	}
	if err := o.start(); err != nil {
		return err
	}
	for _, e := range events {
		if e.Kind == chat.EventChoice {
			r := record{Type: "choice", Choice: o.choices.of(session.Delta{Message: e.Stored.ID}), Finish: e.Stored.Finish}
			if err := writeJSON(o.w, r); err != nil {
				return err
			}
		}
		if e.Kind != chat.EventDelta {
			continue
		}
		r := record{Text: e.Delta.Text, Choice: o.choices.of(e.Delta)}
		switch e.Delta.Kind {
		case session.PartReasoning:
			r.Type = "reasoning"
		case session.PartToolCall: // told whole, at the end
			continue
		default:
			r.Type = "content"
		}
		if err := writeJSON(o.w, r); err != nil {
			return err
		}
	}
	return nil
}

func (o *streamOutput) start() error {
	if o.started {
		return nil
	}
	o.started = true
	r := o.record
	r.Type = "start"
	return writeJSON(o.w, r)
}

func (o *streamOutput) end(last chat.Event) error {
	lines := []record{}
	end := record{Type: "end", Session: o.record.Session, State: string(last.State)}
	if m := last.Stored; m != nil {
		for _, part := range m.Parts {
			if part.Kind == session.PartToolCall {
				lines = append(lines, record{Type: "tool_call", ID: part.CallID, Name: part.Name, Arguments: part.Text})
			}
		}
		if m.Usage != nil {
			used := record{Type: "usage"}
			used.setUsage(m)
			lines = append(lines, used)
		}
		end.Finish, end.RequestID = m.Finish, m.RequestID
	}
	end.setUnsatisfied(last)
	if e := problemOf(last); e != nil {
		lines = append(lines, record{Type: "error", Error: e})
	}
	if err := o.start(); err != nil {
		return err
	}
	for _, r := range append(lines, end) {
		if err := writeJSON(o.w, r); err != nil {
			return err
		}
	}
	return nil
}
