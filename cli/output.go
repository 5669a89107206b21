package cli

import (
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
	r := record{Session: string(j.session.ID), Model: j.session.Model}
	if j.unsaved != nil {
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

// of is the place of the answer that a message is.
func (c choices) of(id session.MessageID) int { return max(0, slices.Index(c, id)) }

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
		if e.Kind == chat.EventDelta && isAnswer(e.Delta.Kind) && o.choices.of(e.Delta.Message) == 0 {
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
