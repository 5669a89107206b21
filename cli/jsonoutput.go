package cli

import (
	"io"
	"strings"

	"waferchat/chat"
	"waferchat/session"
)

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
		case e.Kind != chat.EventDelta || o.choices.of(e.Delta.Message) > 0:
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
		r.ToolCalls, r.Logprobs, r.Unsatisfied = callRecords(m), logprobsOf(m), unsatisfied(m)
		r.setUsage(m)
		if len(o.others) > 0 {
			for _, m := range append([]*session.Message{m}, o.others...) {
				r.Choices = append(r.Choices, choiceRecord{o.choices.of(m.ID), m.Text(), m.ReasoningText(),
					callRecords(m), logprobsOf(m), m.Finish, unsatisfied(m)})
			}
		}
	}
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
		for _, r := range o.lines(e) {
			if err := writeJSON(o.w, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// lines are what an event has to say at once.
func (o *streamOutput) lines(e chat.Event) []record {
	switch {
	case e.Kind == chat.EventChoice:
		n := o.choices.of(e.Stored.ID)
		return append(o.whole(e.Stored), record{Type: "choice", Choice: n, Finish: e.Stored.Finish, Unsatisfied: unsatisfied(e.Stored)})
	case e.Kind != chat.EventDelta || e.Delta.Text == "": // reasoning can be details alone
		return nil
	}
	r := record{Type: "content", Text: e.Delta.Text, Choice: o.choices.of(e.Delta.Message)}
	switch e.Delta.Kind {
	case session.PartReasoning:
		r.Type = "reasoning"
	case session.PartToolCall: // told whole
		return nil
	}
	return []record{r}
}

// whole are the lines about what is told of a finished answer as a whole.
func (o *streamOutput) whole(m *session.Message) []record {
	var lines []record
	n := o.choices.of(m.ID)
	if list := logprobsOf(m); len(list) > 0 {
		lines = append(lines, record{Type: "logprobs", Choice: n, Logprobs: list})
	}
	for _, c := range callRecords(m) {
		lines = append(lines, record{Type: "tool_call", Choice: n, ID: c.ID, Name: c.Name, Arguments: &c.Arguments})
	}
	return lines
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
	var lines []record
	end := record{Type: "end", Session: o.record.Session, State: string(last.State)}
	if m := last.Stored; m != nil {
		lines = o.whole(m)
		if m.Usage != nil {
			used := record{Type: "usage"}
			used.setUsage(m)
			lines = append(lines, used)
		}
		end.Finish, end.RequestID, end.Unsatisfied = m.Finish, m.RequestID, unsatisfied(m)
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
