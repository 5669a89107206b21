package chat

import (
	"encoding/json"

	"waferchat/api"
)

// What a request has besides its texts, in tokens. Chat templates put two to
// five around a message and begin the answer with a few; the tools' preamble is
// none to two hundred, and each tool stands in JSON that is not counted here.
const (
	perRequest  = 3
	perMessage  = 3
	perCall     = 8
	perTool     = 12
	perToolList = 60
)

// Estimate is how many tokens the prompt of a request comes to, without the
// model's tokenizer: see session.UncalibratedError for how far it may be off.
// It counts the messages with their calls, reasoning that is sent back and
// images, the tools and the response format. It takes about 3 ms for a megabyte
// of text.
func Estimate(req api.Request) int64 { return whole(newMeter().request(req)) }

// request is the estimate of a request in hundredths of a token.
func (m *meter) request(req api.Request) int64 {
	sum := tokens(perRequest)
	for i := range req.Messages {
		sum += m.message(&req.Messages[i])
	}
	if len(req.Tools) > 0 {
		sum += tokens(perToolList)
	}
	for _, t := range req.Tools {
		sum += tokens(perTool) + m.count(t.Name) + m.count(t.Description) + m.count(string(t.Parameters))
	}
	if f, ok := formatOf(req.ResponseFormat); ok {
		sum += m.count(string(f.Schema.Schema))
	}
	return sum
}

// message is the estimate of a message in hundredths of a token.
func (m *meter) message(msg *api.Message) int64 {
	sum := tokens(perMessage)
	for _, p := range msg.Content {
		if p.ImageURL != "" {
			sum += tokens(imageTokens(p.ImageURL))
		} else {
			sum += m.count(p.Text)
		}
	}
	if msg.Reasoning != nil {
		sum += m.count(*msg.Reasoning)
	}
	for _, c := range msg.ToolCalls {
		sum += tokens(perCall) + m.count(c.Name) + m.count(c.Arguments)
	}
	return sum
}

// tokens gives tokens in the unit of the meter.
func tokens(n int64) int64 { return n * 100 }

// whole rounds the meter's unit up to tokens.
func whole(n int64) int64 { return (n + 99) / 100 }

// format is what a response_format asks for.
type format struct {
	Type   string `json:"type"`
	Schema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// The types of a response_format that the API's document names.
const (
	formatJSON    = "json_object"
	formatSchema  = "json_schema"
	formatGrammar = "grammar"
)

// formatOf reads a response_format; ok is false when there is none to be read.
func formatOf(raw json.RawMessage) (f format, ok bool) {
	ok = len(raw) > 0 && json.Unmarshal(raw, &f) == nil && f.Type != ""
	return f, ok
}
