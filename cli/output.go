package cli

import (
	"encoding/json"
	"fmt"
	"io"
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
	switch p.flags.output {
	case "json":
		return &jsonOutput{w: p.out, record: r}
	case "stream-json":
		return &streamOutput{w: p.out, record: r}
	}
	return &textOutput{w: p.out}
}

// textOutput writes the answer alone, each batch as it comes in one write.
type textOutput struct {
	w    io.Writer
	last byte // the last byte written, 0 before the first
}

func (o *textOutput) events(events []chat.Event) error {
	var b strings.Builder
	for _, e := range events {
		if e.Kind == chat.EventDelta && isAnswer(e.Delta.Kind) {
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
	Type      string     `json:"type,omitempty"`
	Session   string     `json:"session,omitempty"`
	Model     string     `json:"model,omitempty"`
	Text      string     `json:"text,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	ID        string     `json:"id,omitempty"`
	Name      string     `json:"name,omitempty"`
	Arguments string     `json:"arguments,omitempty"`
	State     string     `json:"state,omitempty"`
	Finish    string     `json:"finish_reason,omitempty"`
	RequestID string     `json:"request_id,omitempty"`
	Usage     *api.Usage `json:"usage,omitempty"`
	Error     *problem   `json:"error,omitempty"`

	unsaved bool
}

// problem is why an answer failed.
type problem struct {
	Title  string `json:"title"`
	Advice string `json:"advice,omitempty"`
	Code   string `json:"code,omitempty"`
	Status int    `json:"status,omitempty"`
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
	w      io.Writer
	record record
	text   strings.Builder
	reason strings.Builder
}

func (o *jsonOutput) events(events []chat.Event) error {
	for _, e := range events {
		switch {
		case e.Kind != chat.EventDelta:
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
		r.Finish, r.Usage, r.RequestID = m.Finish, m.Usage, m.RequestID
	}
	return writeJSON(o.w, r)
}

// streamOutput writes one object a line as things happen.
type streamOutput struct {
	w       io.Writer
	record  record
	started bool
}

func (o *streamOutput) events(events []chat.Event) error {
	if err := o.start(); err != nil {
		return err
	}
	for _, e := range events {
		if e.Kind != chat.EventDelta {
			continue
		}
		r := record{Text: e.Delta.Text}
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
			lines = append(lines, record{Type: "usage", Usage: m.Usage})
		}
		end.Finish, end.RequestID = m.Finish, m.RequestID
	}
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
