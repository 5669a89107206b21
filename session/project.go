package session

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"waferchat/api"
)

// ReplayPolicy says when stored reasoning is sent back.
type ReplayPolicy string

// ReplayAuto sends it with assistant messages that carry tool calls.
const (
	ReplayAuto   ReplayPolicy = "auto"
	ReplayNever  ReplayPolicy = "never"
	ReplayAlways ReplayPolicy = "always"
)

// Projection says how a path becomes API messages.
type Projection struct {
	System string
	Replay ReplayPolicy // "" is auto
	Vision api.Support  // No: images become a short text note
}

// Texts that stand for what can't be sent. They never change with the state of
// a call, so that a later request begins with the same bytes.
const (
	noteImage    = "[image left out: this model reads text only]"
	noteNoImage  = "[image left out]"
	noteNoResult = "[no result: the call was cancelled before it finished]"
	noteNoOutput = "[no output]"
)

// thinkTag is the field of reasoning that was cut out of the answer's text. No
// server has a field for it.
const thinkTag = "<think>"

// Project returns the API messages of a path. It is a pure function, and a
// stable one: what it gives for a longer path begins with what it gave for the
// shorter one that a request was made for, so that a server's prompt cache
// holds; only the text of a user who got no answer grows by the next one. It skips deleted and
// empty messages, merges user messages that would follow each other, answers
// every unanswered tool call, drops orphan results, and makes every call's
// arguments a JSON object. The stored messages are not changed.
//
// Reasoning goes back as it came, under the field it came by. Once an answer
// had reasoning, the model is in thinking mode: an assistant message that
// would carry reasoning but has none gets an empty one from then on.
func Project(p Projection, path []Message) []api.Message {
	r := projector{p: p, used: map[string]bool{}}
	if strings.TrimSpace(p.System) != "" {
		r.out = append(r.out, textMessage(api.RoleSystem, p.System))
	}
	for i := range path {
		if m := &path[i]; !m.Deleted {
			r.add(m)
		}
	}
	r.answerCalls()
	return r.out
}

type projector struct {
	p        Projection
	out      []api.Message
	open     []*openCall     // calls of the last assistant message
	used     map[string]bool // call ids of this turn
	thinking bool            // an answer had reasoning
	field    string          // the name it came under
}

// openCall is a call that waits for its result. stored is the id that results
// in the store name, sent the one on the wire.
type openCall struct {
	stored, sent string
	answered     bool
	result       string
}

func (r *projector) add(m *Message) {
	switch m.Role {
	case api.RoleUser:
		r.addUser(m)
	case api.RoleAssistant:
		r.addAssistant(m)
	case api.RoleTool:
		r.addResults(m)
	case api.RoleSystem:
		if text := valid(m.Text()); strings.TrimSpace(text) != "" {
			r.answerCalls()
			r.out = append(r.out, textMessage(api.RoleSystem, text))
		}
	}
}

func (r *projector) addUser(m *Message) {
	var content []api.Part
	blank, between := true, ""
	for _, p := range m.Parts {
		switch {
		case p.Kind == PartText && p.Text != "":
			content = appendText(content, valid(p.Text), between)
			blank, between = blank && strings.TrimSpace(p.Text) == "", ""
		case p.Kind == PartImage:
			content = appendImage(content, p.Text, r.p.Vision)
			blank, between = false, "\n" // between a note and the text behind it
		}
	}
	if blank {
		return
	}
	r.answerCalls()
	clear(r.used)
	if n := len(r.out); n > 0 && r.out[n-1].Role == api.RoleUser {
		r.out[n-1].Content = join(r.out[n-1].Content, content)
		return
	}
	r.out = append(r.out, api.Message{Role: api.RoleUser, Content: content})
}

func (r *projector) addAssistant(m *Message) {
	r.answerCalls() // as in the request for m, whether or not m says anything
	var text strings.Builder
	var calls []Part
	for _, p := range m.Parts {
		switch p.Kind {
		case PartText, PartRefusal:
			text.WriteString(p.Text)
		case PartImage:
			text.WriteString(noteNoImage)
		case PartToolCall:
			calls = append(calls, p)
		}
	}
	reasoning, details := r.reasoning(m, len(calls) > 0)
	if len(calls) == 0 && strings.TrimSpace(text.String()) == "" {
		return // also when it has reasoning: servers refuse that alone
	}
	out := api.Message{Role: api.RoleAssistant, Reasoning: reasoning, ReasoningDetails: details}
	if reasoning != nil {
		out.ReasoningField = r.field
	}
	if text.Len() > 0 {
		out.Content = []api.Part{{Text: valid(text.String())}}
	}
	for i, c := range calls {
		id := r.callID(c.CallID, i)
		out.ToolCalls = append(out.ToolCalls, api.ToolCall{ID: id, Name: toolName(c.Name), Arguments: arguments(c.Text), Extra: callExtra(c.Extra)})
		r.open = append(r.open, &openCall{stored: c.CallID, sent: id})
	}
	r.out = append(r.out, out)
	r.addResults(m)
}

// callExtra are the fields of a call that the API's document does not name, such
// as signatures of thoughts, which some servers want back.
func callExtra(raw json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	for name, v := range fields {
		fields[name] = json.RawMessage(noSurrogates(valid(string(v))))
	}
	return fields
}

// reasoning returns what goes back with m, and notices thinking mode.
func (r *projector) reasoning(m *Message, calls bool) (*string, json.RawMessage) {
	var text strings.Builder
	var details []json.RawMessage
	replay := r.p.Replay == ReplayAlways || calls && r.p.Replay != ReplayNever
	first := true
	for _, p := range m.Parts {
		if p.Kind != PartReasoning || p.Field == thinkTag && r.p.Replay != ReplayAlways {
			continue
		}
		if first {
			r.field, first = valid(strings.TrimPrefix(p.Field, thinkTag)), false
		}
		r.thinking = true
		text.WriteString(p.Text)
		if json.Valid(p.Extra) {
			details = append(details, p.Extra)
		}
	}
	if !replay || !r.thinking {
		return nil, nil
	}
	s := valid(text.String())
	return &s, joinDetails(details)
}

// addResults notes the results that m has of open calls. Others are orphans.
func (r *projector) addResults(m *Message) {
	var last *openCall
	for _, p := range m.Parts {
		switch p.Kind {
		case PartToolResult:
			last = nil
			for _, c := range r.open {
				if !c.answered && c.stored == p.CallID {
					c.answered, c.result, last = true, valid(p.Text), c
					break
				}
			}
		case PartImage:
			if last != nil && m.Role == api.RoleTool {
				last.result = strings.TrimPrefix(last.result+"\n"+noteNoImage, "\n")
			}
		}
	}
}

// answerCalls writes the results of the open calls, in the order of the calls.
func (r *projector) answerCalls() {
	for _, c := range r.open {
		text := c.result
		if !c.answered {
			text = noteNoResult
		} else if strings.TrimSpace(text) == "" {
			text = noteNoOutput
		}
		m := textMessage(api.RoleTool, text)
		m.ToolCallID = c.sent
		r.out = append(r.out, m)
	}
	r.open = nil
}

// callID makes an id that is not empty and not used before in the turn: some
// servers number the calls of each answer from 0.
func (r *projector) callID(id string, i int) string {
	id = valid(id)
	if strings.TrimSpace(id) == "" {
		id = "call_" + strconv.Itoa(i)
	}
	for base, n := id, 2; r.used[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
	}
	r.used[id] = true
	return id
}

func textMessage(role api.Role, text string) api.Message {
	return api.Message{Role: role, Content: []api.Part{{Text: valid(text)}}}
}

// appendText adds to the last part when that is text too.
func appendText(content []api.Part, text, between string) []api.Part {
	if n := len(content); n > 0 && content[n-1].ImageURL == "" {
		content[n-1].Text += between + text
		return content
	}
	return append(content, api.Part{Text: text})
}

func appendImage(content []api.Part, address string, vision api.Support) []api.Part {
	address = valid(address)
	switch {
	case address == "":
		return appendText(content, noteNoImage, "\n")
	case vision == api.No:
		return appendText(content, noteImage, "\n")
	}
	return append(content, api.Part{ImageURL: address})
}

// join makes one content of two, texts apart by a blank line.
func join(a, b []api.Part) []api.Part {
	for i, p := range b {
		switch {
		case p.ImageURL != "":
			a = append(a, p)
		case i == 0:
			a = appendText(a, p.Text, "\n\n")
		default:
			a = appendText(a, p.Text, "")
		}
	}
	return a
}

// joinDetails makes one array of the arrays of several parts; a single one
// stays as it is.
func joinDetails(details []json.RawMessage) json.RawMessage {
	if len(details) == 0 {
		return nil
	}
	if len(details) == 1 {
		return json.RawMessage(noSurrogates(valid(string(details[0]))))
	}
	var all []json.RawMessage
	for _, d := range details {
		var items []json.RawMessage
		if json.Unmarshal(d, &items) != nil {
			items = []json.RawMessage{d}
		}
		all = append(all, items...)
	}
	items := make([][]byte, len(all))
	for i, d := range all {
		items[i] = []byte(noSurrogates(valid(string(d))))
	}
	return json.RawMessage("[" + string(bytes.Join(items, []byte(","))) + "]")
}
