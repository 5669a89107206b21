package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Key is an API key. Every way of printing it gives "•••"; only [Key.Reveal]
// gives the secret, and only the transport needs it.
type Key string

// Reveal returns the secret itself.
func (k Key) Reveal() string { return string(k) }

// String returns "•••", or "" for the empty key.
func (k Key) String() string {
	if k == "" {
		return ""
	}
	return "•••"
}

// GoString is String, so that %#v is as safe as %v.
func (k Key) GoString() string { return k.String() }

// Format prints String for every verb, %x and %q included.
func (k Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

// MarshalText gives "•••": a key is never written out by an encoder.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogValue is String for slog.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// Role says who speaks in a [Message].
type Role string

// The roles of the API's document.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a request's messages.
type Message struct {
	Role Role
	// Content is the message's content in order. Text alone is sent as a JSON
	// string; with an image it is sent as an array of parts.
	Content []Part
	// ToolCalls are the calls that an assistant message made.
	ToolCalls []ToolCall
	// ToolCallID names the call that a tool message answers.
	ToolCallID string
	// Reasoning, when not nil, is sent back with an assistant message, also
	// when empty, under ReasoningField.
	Reasoning *string
	// ReasoningField is the name the reasoning arrived under, as
	// [Event.ReasoningField] has it. It goes back under "reasoning",
	// "reasoning_text" and "thinking" if it came so, and else, also for "", under
	// "reasoning_content".
	ReasoningField string
	// ReasoningDetails is sent back verbatim when not empty.
	ReasoningDetails json.RawMessage
}

// Part is a piece of a message's content: text, or an image when ImageURL is
// not empty (an https URL or a base64 data URI without newlines).
type Part struct {
	Text     string
	ImageURL string
}

// ToolCall is a function call made by the model. Arguments is the JSON text
// exactly as the model wrote it, which may be invalid JSON.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
	// Extra are the fields of the call that the document does not name, such as
	// extra_content, in which some servers sign the model's thoughts; each with
	// the last of its values that was not null. They are sent back as they came
	// where the call is sent back. Those of the call's function are an object
	// under "function" and go back into the function. Names that the document
	// has are not sent from here; a server that refuses another is not sent it
	// again. A value that is not JSON fails the request.
	Extra map[string]json.RawMessage
}

// Tool is a function offered to the model. Parameters is a JSON Schema of
// type object.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Request is a chat completion request. Model and Messages are required. It is
// not for encoding/json: [Request.Body] makes the body of the wire.
type Request struct {
	Model    string
	Messages []Message
	Params
	Tools []Tool
	// ZDR sends "Wafer-ZDR: required". It is never dropped on a retry.
	ZDR bool
	// RequestID, when set, is sent as x-request-id with every attempt; Wafer
	// echoes it with a "client_" prefix, and [Open] has what the server answers.
	// Up to 200 printable characters of ASCII, no blank at either end; a request
	// with another id is not sent.
	RequestID string
}

// Usage counts the tokens of an answer. A nil field was not reported, which is
// "unknown" and never 0.
type Usage struct {
	PromptTokens     *int64 `json:"prompt_tokens,omitempty"`
	CompletionTokens *int64 `json:"completion_tokens,omitempty"`
	TotalTokens      *int64 `json:"total_tokens,omitempty"`
	// CachedTokens are part of PromptTokens.
	CachedTokens *int64 `json:"cached_tokens,omitempty"`
	// ReasoningTokens are part of CompletionTokens.
	ReasoningTokens *int64 `json:"reasoning_tokens,omitempty"`
	// Raw is the usage object as the server wrote it, with the fields that are
	// not named here; nil for a usage that no server wrote.
	Raw json.RawMessage `json:"raw,omitempty"`
}
