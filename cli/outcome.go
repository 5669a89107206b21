package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
)

// outcome turns the end of a turn into the end of the run. others are the choices
// behind the first.
func (p *program) outcome(end chat.Event, others []*session.Message, saving error) error {
	p.log.Info("answered", "state", end.State, "finish", finish(end))
	switch end.State {
	case chat.Failed:
		return &exitError{exitFailed, failure(end)}
	case chat.Interrupted:
		return &exitError{exitCut, failure(end)}
	case chat.Cancelled:
		return &exitError{status: exitInterrupted}
	}
	if end.Stored == nil {
		return nil
	}
	all := append([]*session.Message{end.Stored}, others...)
	p.tellMissing(end.Stored, len(all))
	p.tellCalls(all)
	if err := faults(all); err != nil {
		return err
	}
	if saving != nil || p.lost {
		return &exitError{status: exitFailed}
	}
	if strings.TrimSpace(end.Stored.Text()) == "" && len(calls(end.Stored)) == 0 {
		p.note("the model gave no answer text")
	}
	return nil
}

// faults are what is wrong with finished answers: those that were cut short, else
// those that are not what was asked for, with the status that says so.
func faults(all []*session.Message) error {
	var texts []string
	status := exitUnsatisfied
	for i, m := range all {
		name := "the answer"
		if len(all) > 1 {
			name = fmt.Sprintf("choice %d", i)
		}
		if text := cutShort(m); text != "" {
			status, texts = exitCut, append(texts, name+" "+text)
		} else if miss := missed(m); miss != nil && len(all) > 1 {
			texts = append(texts, name+": "+indented(miss))
		} else if miss != nil {
			texts = append(texts, indented(miss))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return &exitError{status, errors.New(strings.Join(texts, "\nwaferchat: "))}
}

// cutShort says how a finished answer was cut short, "" when it was not.
func cutShort(m *session.Message) string {
	empty := strings.TrimSpace(m.Text()) == "" && len(calls(m)) == 0
	switch {
	case m.Finish == "content_filter":
		return "was cut short by the server's content filter"
	case !api.LimitReached(m.Finish):
		return ""
	case m.Repeating() && empty:
		return "is empty: it was possibly stopped for repeating itself"
	case m.Repeating():
		return "was cut short: it was possibly stopped for repeating itself"
	case empty:
		return "is empty: it reached the most tokens it may have before its text began; raise max_tokens or lower the effort"
	}
	return "was cut short: it reached the most tokens it may have"
}

// tellMissing tells that fewer choices came than were asked for.
func (p *program) tellMissing(m *session.Message, got int) {
	if m.Params.N != nil && got < *m.Params.N {
		p.note("%d of the %d choices that were asked for came", got, *m.Params.N)
	}
}

// tellCalls names the functions that the model wants to call. Nobody else would
// tell where only the text is printed.
func (p *program) tellCalls(all []*session.Message) {
	var names []string
	for _, m := range all {
		for _, c := range calls(m) {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	hint := ""
	if p.flags.output == "" || p.flags.output == "text" {
		hint = " (--output json shows the arguments)"
	}
	p.note("the model wants to call %s; tools are not run here%s", strings.Join(names, ", "), hint)
}

// calls are the function calls of an answer.
func calls(m *session.Message) []session.Part {
	return slices.DeleteFunc(slices.Clone(m.Parts), func(part session.Part) bool { return part.Kind != session.PartToolCall })
}

func finish(end chat.Event) string {
	if end.Stored == nil {
		return ""
	}
	return end.Stored.Finish
}

// failure is why a turn failed, in words.
func failure(end chat.Event) error {
	if end.Stored != nil && end.Stored.Failure != nil {
		f := end.Stored.Failure
		return errors.New(strings.TrimSpace(f.Title + " " + f.Advice))
	}
	if end.Err != nil {
		return explain(end.Err)
	}
	return errors.New("the answer was cut short")
}

// missed tells how a finished answer misses what was asked for: a schema, JSON, a
// regular expression. It is nil when it does not, and when that cannot be told,
// which is told before the answer.
func missed(m *session.Message) *chat.AnswerError {
	miss := chat.Unsatisfied(*m)
	if miss == nil || miss.Unchecked {
		return nil
	}
	return miss
}

// indented puts the details below the title.
func indented(miss *chat.AnswerError) string { return strings.ReplaceAll(miss.Error(), "\n", "\n  ") }
