package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

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
	ToolCalls []callRecord   `json:"tool_calls,omitempty"`
	Logprobs  logprobs       `json:"logprobs,omitempty"`
	Choices   []choiceRecord `json:"choices,omitempty"`
	ID        string         `json:"id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Arguments *string        `json:"arguments,omitempty"`
	State     string         `json:"state,omitempty"`
	Finish    string         `json:"finish_reason,omitempty"`
	RequestID string         `json:"request_id,omitempty"`
	Usage     *api.Usage     `json:"usage,omitempty"`
	// Cost is an estimate in micro-cents, absent when it is unknown.
	Cost *int64 `json:"cost,omitempty"`
	// Unsatisfied is how the answer misses what was asked for.
	Unsatisfied string   `json:"unsatisfied,omitempty"`
	Error       *problem `json:"error,omitempty"`
}

// choiceRecord is one of several answers to one request.
type choiceRecord struct {
	Index       int          `json:"index"`
	Content     string       `json:"content"`
	Reasoning   string       `json:"reasoning,omitempty"`
	ToolCalls   []callRecord `json:"tool_calls,omitempty"`
	Logprobs    logprobs     `json:"logprobs,omitempty"`
	Finish      string       `json:"finish_reason,omitempty"`
	Unsatisfied string       `json:"unsatisfied,omitempty"`
}

// callRecord is a function call that the model wants.
type callRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments are as the model wrote them: JSON, unless it was cut off.
	Arguments string `json:"arguments"`
}

func callRecords(m *session.Message) []callRecord {
	var out []callRecord
	for _, c := range calls(m) {
		out = append(out, callRecord{c.CallID, c.Name, c.Text})
	}
	return out
}

// logprobs are the log probabilities of a text's tokens as the server wrote
// them, an array with an item a token.
type logprobs []json.RawMessage

func logprobsOf(m *session.Message) logprobs {
	var all logprobs
	for _, part := range m.Parts {
		var items logprobs
		if part.Kind == session.PartText && json.Unmarshal(part.Extra, &items) == nil {
			all = append(all, items...)
		}
	}
	return all
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

// unsatisfied is how an answer misses what was asked for, "" when it does not.
func unsatisfied(m *session.Message) string {
	if miss := missed(m); miss != nil {
		return miss.Error()
	}
	return ""
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

// notStarted tells those who read JSON why no answer came. It returns err, or why
// that could not be written. Mistakes on the command line are told on stderr
// alone.
func (p *program) notStarted(ctx context.Context, err error) error {
	var exit *exitError
	mistake := errors.As(err, &exit) && exit.status == exitUsage
	if p.flags.dryRun || mistake || p.flags.output == "" || p.flags.output == "text" {
		return err
	}
	end := record{State: string(chat.Failed), Error: startProblem(err)}
	if ctx.Err() != nil {
		end = record{State: string(chat.Cancelled)}
	}
	lines := []record{end}
	if p.flags.output == "stream-json" {
		lines = nil
		if end.Error != nil {
			lines = append(lines, record{Type: "error", Error: end.Error})
		}
		lines = append(lines, record{Type: "end", State: end.State})
	}
	for _, r := range lines {
		if err := writeJSON(p.out, r); err != nil {
			return err
		}
	}
	return err
}

// startProblem puts why an answer did not begin into the words that stderr has
// for it.
func startProblem(err error) *problem {
	var exit *exitError
	if errors.As(err, &exit) && exit.err != nil {
		return &problem{Title: exit.err.Error()}
	}
	title, advice := chat.Explain(err)
	if !explained(title) {
		return &problem{Title: err.Error()}
	}
	return &problem{Title: title, Advice: advice}
}

// writeJSON writes a value on a line of its own.
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
	var b bytes.Buffer
	for _, r := range string(data) {
		if s := string(r); r != '\n' && r > 0x7e && untrusted.Plain(s) != s {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
