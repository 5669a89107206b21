package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
)

// request is a chat completion request as the document lists its fields.
// Unknown fields are ignored.
type request struct {
	Model               string            `json:"model"`
	RawMessages         []json.RawMessage `json:"messages"`
	MaxTokens           *int              `json:"max_tokens"`
	MaxCompletionTokens *int              `json:"max_completion_tokens"`
	Temperature         *float64          `json:"temperature"`
	TopP                *float64          `json:"top_p"`
	TopK                *int              `json:"top_k"`
	MinP                *float64          `json:"min_p"`
	FrequencyPenalty    *float64          `json:"frequency_penalty"`
	PresencePenalty     *float64          `json:"presence_penalty"`
	RepetitionPenalty   *float64          `json:"repetition_penalty"`
	Stop                stopList          `json:"stop"`
	Seed                *int64            `json:"seed"`
	N                   *int              `json:"n"`
	Logprobs            bool              `json:"logprobs"`
	TopLogprobs         *int              `json:"top_logprobs"`
	Stream              bool              `json:"stream"`
	Tools               []tool            `json:"tools"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls"`
	ResponseFormat      *responseFormat   `json:"response_format"`
	Regex               *string           `json:"regex"`
	ReasoningEffort     *string           `json:"reasoning_effort"`
	Reasoning           struct {
		Effort *string `json:"effort"`
	} `json:"reasoning"`
	Thinking *struct {
		Type string `json:"type"`
	} `json:"thinking"`

	messages []message
	card     card
	effort   string
	forced   string // the tool that must be called; "*" for any
	noTools  bool
}

type message struct {
	raw        json.RawMessage
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`

	text   string
	images []picture
}

type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`

	shape *shape // nil without parameters
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
	// The document leaves open where a grammar stands; either name is taken.
	Grammar    *string `json:"grammar"`
	Definition *string `json:"definition"`

	shape   *shape   // with the type json_schema
	grammar *grammar // with the type grammar
}

// stopList is a string or an array of strings.
type stopList []string

func (l *stopList) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*l = make(stopList, 1)
		return json.Unmarshal(b, &(*l)[0])
	}
	return json.Unmarshal(b, (*[]string)(l))
}

type part struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	ImageURL *struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

// decodeRequest reads a body and checks the shape of what the document names.
func decodeRequest(body []byte) (*request, *fault) {
	if !json.Valid(body) {
		return nil, &fault{Status: http.StatusBadRequest, Code: "invalid_json_request", Message: "The request body is not valid JSON."}
	}
	q := &request{}
	if f := decodeAt("", body, q); f != nil {
		return nil, f
	}
	if q.Model == "" {
		return nil, schemaFault("model", "model is required.")
	}
	if len(q.RawMessages) == 0 {
		return nil, schemaFault("messages", "messages is required and must not be empty.")
	}
	for i, raw := range q.RawMessages {
		m := message{raw: raw}
		at := fmt.Sprintf("messages[%d]", i)
		if f := decodeAt(at+".", raw, &m); f != nil {
			return nil, f
		}
		if !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.Role) {
			return nil, schemaFault(at+".role", "role must be system, user, assistant or tool.")
		}
		if f := m.readContent(at); f != nil {
			return nil, f
		}
		q.messages = append(q.messages, m)
	}
	return q, nil
}

// decodeAt decodes b, naming the field at fault from prefix on.
func decodeAt(prefix string, b []byte, v any) *fault {
	err := json.Unmarshal(b, v)
	if err == nil {
		return nil
	}
	param, want := strings.TrimSuffix(prefix, "."), "another type"
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		if te.Field != "" {
			param = prefix + te.Field
		}
		want = te.Type.String()
	}
	return schemaFault(param, "This field has the wrong type: "+want+" is wanted.")
}

// readContent takes a string, an array of text and image_url parts, or, with
// tool calls, nothing.
func (m *message) readContent(at string) *fault {
	at += ".content"
	c := bytes.TrimSpace(m.Content)
	switch {
	case len(c) == 0 || string(c) == "null":
		if m.Role == "assistant" {
			return nil
		}
		return schemaFault(at, "content is required.")
	case c[0] == '"':
		return decodeAt(at, c, &m.text)
	case c[0] != '[':
		return schemaFault(at, "content must be a string or an array of parts.")
	}
	var parts []part
	if f := decodeAt(at, c, &parts); f != nil {
		return f
	}
	var texts []string
	for i, p := range parts {
		switch {
		case p.Type == "text" && p.Text != nil:
			texts = append(texts, *p.Text)
		case p.Type == "image_url" && p.ImageURL != nil:
			m.images = append(m.images, picture{url: p.ImageURL.URL, param: fmt.Sprintf("%s[%d].image_url.url", at, i)})
		default:
			return schemaFault(fmt.Sprintf("%s[%d]", at, i), "A part must be a text or an image_url with its value.")
		}
	}
	m.text = strings.Join(texts, "\n")
	return nil
}

// limit is the number of tokens that the answer may have, as the document
// bounds it, given the size of the prompt.
func (q *request) limit(prompt int) int {
	w := q.card.Wafer
	room := math.MaxInt
	if w.Context > 0 {
		room = max(0, w.Context-prompt)
	}
	usual := 65536
	switch {
	case w.MaxOutput > 0:
		usual = w.MaxOutput
	case w.Context > 0:
		usual = min(usual, w.Context/2)
	}
	asked := q.MaxTokens
	if asked == nil {
		asked = q.MaxCompletionTokens
	}
	if asked == nil || w.Context > 0 && *asked > w.Context {
		return min(usual, room) // absent, or ignored for being larger than the window
	}
	limit := *asked
	if w.MaxOutput > 0 {
		limit = min(limit, w.MaxOutput)
	}
	if limit > room {
		return min(usual, room) // the retry without max_tokens
	}
	return limit
}
