package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// Completion is a whole answer.
type Completion struct {
	ID, Model string
	Choices   []Choice
	Usage     *Usage
	RequestID string
	// Extra are the fields of the answer that the document does not name and that
	// were not null, Raw is its whole body: there null and absent differ. Raw is
	// nil when the server streamed although it was not asked to.
	Extra map[string]json.RawMessage
	Raw   json.RawMessage
}

// Choice is one of the answers of a Completion.
type Choice struct {
	Message Message
	Finish  string
	// Logprobs is {"content":[…]} as the server wrote it, if it did.
	Logprobs json.RawMessage
	// Extra are the fields of the choice and of its message that the document
	// does not name; of a streamed one, each with the last of its values, null
	// only if it was never anything else.
	Extra map[string]json.RawMessage
}

// Complete sends req with "stream": false and returns the whole answer. It
// retries like a stream does.
func (c *Client) Complete(ctx context.Context, req Request) (*Completion, error) {
	s := c.newStream(ctx, req, false)
	defer s.Close()
	var b completionBuilder
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		b.add(e)
	}
	for _, c := range s.decoder.choices {
		b.choice(c.index)
	}
	done := b.completion()
	done.ID, done.Model = s.decoder.id, s.decoder.model
	done.Extra, done.Raw = s.Extra(), s.decoder.body
	return done, nil
}

// completionBuilder collects the events of one answer.
type completionBuilder struct {
	choices   []*choiceBuilder
	usage     *Usage
	requestID string
}

type choiceBuilder struct {
	index     int
	text      strings.Builder
	reasoning *strings.Builder
	field     string
	details   []json.RawMessage
	calls     []ToolCall
	finish    string
	logprobs  json.RawMessage
	extra     map[string]json.RawMessage
}

func (b *completionBuilder) add(e Event) {
	switch e.Kind {
	case EventRetry:
		*b = completionBuilder{}
		return
	case EventOpen:
		b.requestID = e.Open.RequestID
		return
	case EventUsage:
		b.usage = e.Usage
		return
	}
	b.choice(e.Choice).add(e)
}

// choice finds or makes the builder of a choice.
func (b *completionBuilder) choice(index int) *choiceBuilder {
	i := slices.IndexFunc(b.choices, func(c *choiceBuilder) bool { return c.index == index })
	if i < 0 {
		i = len(b.choices)
		b.choices = append(b.choices, &choiceBuilder{index: index})
	}
	return b.choices[i]
}

func (c *choiceBuilder) add(e Event) {
	switch e.Kind {
	case EventText:
		c.text.WriteString(e.Text)
	case EventReasoning:
		c.think(e.Text, e.ReasoningField)
		var items []json.RawMessage
		if json.Unmarshal(e.ReasoningDetails, &items) == nil {
			c.details = append(c.details, items...)
		}
	case EventReclassify:
		c.think(c.text.String(), "<think>")
		c.text.Reset()
	case EventToolCall:
		for e.Call.Index >= len(c.calls) {
			c.calls = append(c.calls, ToolCall{})
		}
		call := &c.calls[e.Call.Index]
		setEmpty(&call.ID, e.Call.ID)
		if e.Call.Name != "" {
			call.Name = e.Call.Name
		}
		call.Arguments += e.Call.Arguments
		if e.Call.Extra != nil {
			call.Extra = e.Call.Extra
		}
	case EventLogprobs:
		c.logprobs = e.Logprobs
	case EventExtra:
		c.note(e.Extra)
	case EventFinish:
		c.finish = e.Finish
	}
}

func (c *choiceBuilder) note(fields map[string]json.RawMessage) {
	if c.extra == nil {
		c.extra = map[string]json.RawMessage{}
	}
	for name, value := range fields {
		if c.extra[name] == nil || string(value) != "null" {
			c.extra[name] = value
		}
	}
}

func (c *choiceBuilder) think(text, field string) {
	if c.reasoning == nil {
		c.reasoning = &strings.Builder{}
	}
	c.reasoning.WriteString(text)
	c.field = field
}

func (b *completionBuilder) completion() *Completion {
	done := &Completion{Usage: b.usage, RequestID: b.requestID}
	slices.SortFunc(b.choices, func(x, y *choiceBuilder) int { return x.index - y.index })
	for _, c := range b.choices {
		m := Message{Role: RoleAssistant, ToolCalls: c.calls}
		if text := c.text.String(); text != "" {
			m.Content = []Part{{Text: text}}
		}
		if c.reasoning != nil {
			text := c.reasoning.String()
			m.Reasoning, m.ReasoningField = &text, c.field
		}
		if len(c.details) > 0 {
			m.ReasoningDetails, _ = marshal(c.details) // they were JSON before
		}
		done.Choices = append(done.Choices, Choice{Message: m, Finish: c.finish, Logprobs: c.logprobs, Extra: c.extra})
	}
	return done
}
