package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Body returns the JSON body that req would be sent as to Wafer, streamed or
// not. It holds no key. What is sent to another host can differ: see
// [Client.Body].
func (r Request) Body(stream bool) ([]byte, error) {
	e, err := encode(r, stream, false, nil)
	return e.body, err
}

// inMessages is in front of the names of fields that messages have, which can be
// those of parameters too.
const inMessages = "messages."

// fieldName is the name of a field without what is in front of it.
func fieldName(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, inCalls), inMessages)
}

// emptyContent is the name of the empty content of messages with tool calls.
const emptyContent = inMessages + "content"

// emptyReasoning is the name of the empty reasoning that messages with tool calls
// can have. It is no field to leave out, but one to add.
const emptyReasoning = inMessages + "+reasoning_content"

// encoded is a request body and the names of the optional things in it.
type encoded struct {
	body []byte
	// optional has the names that a server may refuse: top-level fields that are
	// not in Extra, which the user asked for by name, and fields of messages.
	optional map[string]bool
}

// has tells whether a field of its own is in the body: not one from Extra.
func (e *encoded) has(name string) bool {
	_, ok := e.optional[name]
	return ok
}

// dropped are the names of optional parameters that a model's server refused.
type dropped map[string]bool

// encode builds the body: model, messages and stream first, then the other
// fields by name, so that the bytes of a conversation keep their prefix.
func encode(r Request, stream, includeUsage bool, without dropped) (encoded, error) {
	e := encoded{optional: map[string]bool{}}
	messages, err := encodeMessages(r.Messages, without, e.optional)
	if err != nil {
		return encoded{}, err
	}
	fields, err := optionalFields(r, stream && includeUsage)
	if err != nil {
		return encoded{}, err
	}
	model, err := marshal(r.Model)
	if err != nil {
		return encoded{}, fmt.Errorf("encode model: %w", err)
	}
	dropFields(fields, without)
	e.mark(fields, without)
	for name, raw := range r.Extra {
		if !json.Valid(raw) {
			return encoded{}, fmt.Errorf("encode field %q: not valid JSON", name)
		}
		switch name {
		case "model":
			model = raw
		case "messages":
			messages = raw
		case "stream": // follows the call that is made
		default:
			fields[name] = raw
			delete(e.optional, name)
		}
	}
	var b bytes.Buffer
	b.WriteString(`{"model":`)
	b.Write(model)
	b.WriteString(`,"messages":`)
	b.Write(messages)
	fmt.Fprintf(&b, `,"stream":%t`, stream)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		appendField(&b, name, fields[name])
	}
	b.WriteByte('}')
	e.body = repairText(b.Bytes())
	return e, nil
}

// appendField writes a field of an object, with a comma in front.
func appendField(b *bytes.Buffer, name string, value json.RawMessage) {
	b.WriteByte(',')
	b.WriteString(quote(name))
	b.WriteByte(':')
	b.Write(value)
}

// mark notes which fields may be refused. The limit of an answer that has got
// its other name already has no third.
func (e *encoded) mark(fields map[string]json.RawMessage, without dropped) {
	for name := range fields {
		e.optional[name] = !without[otherLimit(name)]
	}
}

// optionalFields are the typed fields of r that are set.
func optionalFields(r Request, includeUsage bool) (map[string]json.RawMessage, error) {
	params, err := marshal(namedParams(r.Params))
	if err != nil {
		return nil, fmt.Errorf("encode parameters: %w", err)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(params, &fields); err != nil {
		return nil, fmt.Errorf("encode parameters: %w", err)
	}
	if includeUsage {
		fields["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	}
	if len(r.Tools) > 0 {
		tools := make([]wireTool, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = wireTool{Type: "function", Function: wireFunction{
				Name: t.Name, Description: t.Description, Parameters: t.Parameters,
			}}
			if len(t.Parameters) == 0 {
				tools[i].Function.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
			}
		}
		raw, err := marshal(tools)
		if err != nil {
			return nil, fmt.Errorf("encode tools: %w", err)
		}
		fields["tools"] = raw
	}
	return fields, nil
}

// dropFields leaves out what the server refused. A server that refuses one name
// of the limit of an answer wants the same limit under the other.
func dropFields(fields map[string]json.RawMessage, without dropped) {
	for name := range without {
		raw, ok := fields[name]
		other := otherLimit(name)
		if !ok || without[other] {
			continue
		}
		delete(fields, name)
		if _, both := fields[other]; other != "" && !both {
			fields[other] = raw
		}
		if name == "logprobs" {
			delete(fields, "top_logprobs")
		}
	}
}

// otherLimit is the other name of the limit of an answer, "" for what is none.
func otherLimit(name string) string {
	switch name {
	case "max_tokens":
		return "max_completion_tokens"
	case "max_completion_tokens":
		return "max_tokens"
	}
	return ""
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type wireMessage struct {
	Role             Role              `json:"role"`
	Content          any               `json:"content,omitempty"` // absent only when nil
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        *string           `json:"reasoning,omitempty"`
	ReasoningText    *string           `json:"reasoning_text,omitempty"`
	Thinking         *string           `json:"thinking,omitempty"`
	ReasoningDetails json.RawMessage   `json:"reasoning_details,omitempty"`
	ToolCalls        []json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
}

type wirePart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitempty"`
	ImageURL *wireImage `json:"image_url,omitempty"`
}

type wireImage struct {
	URL string `json:"url"`
}

func encodeMessages(messages []Message, without dropped, optional map[string]bool) (json.RawMessage, error) {
	out := make([]wireMessage, len(messages))
	for i, m := range messages {
		w := wireMessage{Role: m.Role, Content: wireContent(m.Content), ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			raw, err := encodeCall(c, without, optional)
			if err != nil {
				return nil, fmt.Errorf("encode call %q: %w", c.ID, err)
			}
			w.ToolCalls = append(w.ToolCalls, raw)
		}
		if m.Role == RoleAssistant && len(m.ToolCalls) > 0 && w.Content == "" {
			// Some servers refuse "" here, some its absence, many null. "" is sent
			// until a server has said that it wants none.
			if optional[emptyContent] = !without[emptyContent]; without[emptyContent] {
				w.Content = nil
			}
		}
		if field := replayField(m.ReasoningField); m.Reasoning != nil && !without[inMessages+field] {
			w.setReasoning(field, m.Reasoning)
			optional[inMessages+field] = true
		}
		if m.Role == RoleAssistant && len(m.ToolCalls) > 0 && m.Reasoning == nil {
			// Models that think want it back with their calls, also when there was
			// none; others refuse the field. It is sent when a server has asked for it.
			if optional[emptyReasoning] = !without[emptyReasoning]; without[emptyReasoning] {
				w.ReasoningContent = new(string)
			}
		}
		if len(m.ReasoningDetails) > 0 && !without[inMessages+"reasoning_details"] {
			w.ReasoningDetails = m.ReasoningDetails
			optional[inMessages+"reasoning_details"] = true
		}
		out[i] = w
	}
	raw, err := marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode messages: %w", err)
	}
	return raw, nil
}

// wireContent is never null: servers of this family refuse that, and the empty
// string is what a message of tool calls alone has. Texts are joined without a
// separator.
func wireContent(parts []Part) any {
	var text strings.Builder
	var array []wirePart
	images := false
	for _, p := range parts {
		if p.ImageURL != "" {
			images = true
			array = append(array, wirePart{Type: "image_url", ImageURL: &wireImage{URL: p.ImageURL}})
		} else if p.Text != "" {
			text.WriteString(p.Text)
			array = append(array, wirePart{Type: "text", Text: p.Text})
		}
	}
	if images {
		return array
	}
	return text.String()
}

// replayField is the wire name that reasoning goes back under. Reasoning that
// arrived inside tags or details has no name of its own.
func replayField(arrived string) string {
	switch arrived {
	case "reasoning", "reasoning_text", "thinking":
		return arrived
	}
	return "reasoning_content"
}

func (w *wireMessage) setReasoning(field string, text *string) {
	switch field {
	case "reasoning":
		w.Reasoning = text
	case "reasoning_text":
		w.ReasoningText = text
	case "thinking":
		w.Thinking = text
	default:
		w.ReasoningContent = text
	}
}

// marshal is json.Marshal with <, > and & as they are.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// repairText makes the whole body valid UTF-8 without half surrogate escapes,
// which raw pieces can bring in and strict servers refuse.
func repairText(body []byte) []byte {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte(string(utf8.RuneError)))
	}
	for i := bytes.IndexByte(body, '\\'); i >= 0 && i+1 < len(body); {
		next := i + 2
		if r, ok := hexEscape(string(body[i:min(i+6, len(body))])); ok {
			next = i + 6
			low, paired := hexEscape(string(body[next:min(next+6, len(body))]))
			switch {
			case isHighSurrogate(r) && paired && isLowSurrogate(low):
				next += 6
			case isHighSurrogate(r) || isLowSurrogate(r):
				copy(body[i:], `\ufffd`)
			}
		}
		step := bytes.IndexByte(body[next:], '\\')
		if step < 0 {
			break
		}
		i = next + step
	}
	return body
}
