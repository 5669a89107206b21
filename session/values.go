package session

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"waferchat/api"
)

// ID names a session. IDs are 12 characters of [0-9a-z], random, so that a
// short prefix is usually enough to name one.
type ID string

// MessageID names a message of any session. Same form as [ID].
type MessageID string

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's base 32: no i, l, o, u

func randomID() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails (crypto/rand's promise)
	for i := range b {
		b[i] = idAlphabet[b[i]&31]
	}
	return string(b)
}

// NewID returns a fresh session id.
func NewID() ID { return ID(randomID()) }

// NewMessageID returns a fresh message id.
func NewMessageID() MessageID { return MessageID(randomID()) }

// Session is a conversation's own data, without its messages. Times that were
// stored come back in the local time zone.
type Session struct {
	ID    ID
	Title string
	// TitleSource says who chose the title.
	TitleSource TitleSource
	Profile     string
	BaseURL     string
	Model       string
	Effort      string // "" is the model's default
	Params      api.Params
	System      string
	ZDR         bool
	Tools       []string
	Head        MessageID // the active leaf, "" in an empty session
	// View is the reader's state: scroll anchor and how reasoning is shown.
	View     View
	Pinned   bool
	Archived bool
	Tags     []string
	// Parent and ParentMessage are set in a fork.
	Parent        ID
	ParentMessage MessageID
	Created       time.Time
	// Updated is when a message was last added or finished.
	Updated time.Time
}

// TitleSource says where a title came from.
type TitleSource string

// A title by the user is never replaced automatically.
const (
	TitleNone      TitleSource = ""
	TitleHeuristic TitleSource = "heuristic"
	TitleModel     TitleSource = "model"
	TitleUser      TitleSource = "user"
)

// View is where the reader was.
type View struct {
	// Message and Offset (in bytes of that message's source text) are the top
	// line on screen; an empty Message means the tail was followed.
	Message MessageID `json:"message,omitempty"`
	Offset  int       `json:"offset,omitempty"`
	// Reasoning is "hidden", "line", "tail", "full" or "" for the setting.
	Reasoning string `json:"reasoning,omitempty"`
}

// Draft is what was typed but not sent.
type Draft struct {
	Text string `json:"text"`
	// Attachments are kept as JSON by whoever owns them.
	Attachments json.RawMessage `json:"attachments,omitempty"`
}

// State is where a message is in its life.
type State string

// A message by the user is done from the start. Streaming in the store means
// that a process is writing it or died while doing so.
const (
	Streaming   State = "streaming"
	Done        State = "done"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted"
)

// Message is a node of the tree.
type Message struct {
	ID      MessageID
	Session ID
	Parent  MessageID // "" for a root
	Role    api.Role
	State   State
	Parts   []Part
	// Deleted nodes stay in the tree; the projection skips them.
	Deleted bool
	Created time.Time

	// What follows is about the request that made an assistant message.

	Model     string
	Effort    string
	Params    api.Params
	Usage     *api.Usage  // nil: unknown
	Prices    *api.Prices // those in force at the time; nil: unknown
	Timing    Timing
	Finish    string
	Failure   *Failure
	RequestID string
	Attempts  int
	// Estimate is what the prompt's tokens were locally estimated at when it was
	// sent, before calibration; 0: not estimated.
	Estimate int64
	// Limit is the effective max_tokens that the answer had; 0: unknown.
	Limit int64
	// Extra is a JSON object of the answer's fields that the API's document does
	// not name; nil: none.
	Extra json.RawMessage
}

// Repeating tells whether the answer was possibly ended because the model began
// to repeat itself: it finished for its length with fewer tokens than its limit,
// which the API's document gives no other reason for. Reasoning counts, also
// where the server hides it. Where the count or the limit is unknown, it is
// false.
func (m *Message) Repeating() bool {
	if !api.LimitReached(m.Finish) || m.Limit <= 0 || m.Usage == nil || m.Usage.CompletionTokens == nil {
		return false
	}
	n := *m.Usage.CompletionTokens
	if r := m.Usage.ReasoningTokens; r != nil && *r > n { // counted apart
		n += *r
	}
	return n < m.Limit
}

// Timing of an assistant message. Each is since the request was sent, 0 when
// it did not happen.
type Timing struct {
	FirstToken time.Duration `json:"first_token,omitempty"` // reasoning counts
	Reasoning  time.Duration `json:"reasoning,omitempty"`   // time spent reasoning
	End        time.Duration `json:"end,omitempty"`
}

// Failure is why a message failed or was interrupted, in words for the user.
type Failure struct {
	Title  string `json:"title"`
	Advice string `json:"advice,omitempty"`
	Code   string `json:"code,omitempty"`
	Status int    `json:"status,omitempty"`
}

// PartKind says what a [Part] holds.
type PartKind string

// The kinds of parts.
const (
	PartReasoning  PartKind = "reasoning"
	PartText       PartKind = "text"
	PartToolCall   PartKind = "tool_call"
	PartToolResult PartKind = "tool_result"
	PartImage      PartKind = "image"
	PartRefusal    PartKind = "refusal"
)

// Part is a piece of a message, in order of arrival.
type Part struct {
	Kind PartKind
	// Text is the exact text: reasoning, answer, a call's raw arguments, a
	// result, or an image's data URI or URL.
	Text string
	// CallID and Name belong to calls and results.
	CallID string
	Name   string
	// CallState, of a call: "", "waiting", "running", "ok", "failed", "denied",
	// "cancelled".
	CallState string
	// Approval, of a call, is how it was allowed or refused, in the words of
	// whoever asked. Started and Ended are when it ran.
	Approval string
	Started  time.Time
	Ended    time.Time
	// Field is the wire name that reasoning came under.
	Field string
	// Extra is raw JSON: what is sent back with reasoning (reasoning_details) and
	// with a call (an object of fields that the API's document does not name), and
	// the log probabilities of a text, an array with one item a token.
	Extra json.RawMessage
	// Blob is the SHA-256 (hex) of stored bytes, for images.
	Blob string
}

// Text returns the message's text parts joined.
func (m *Message) Text() string { return m.join(PartText) }

// ReasoningText returns the message's reasoning parts joined.
func (m *Message) ReasoningText() string { return m.join(PartReasoning) }

func (m *Message) join(k PartKind) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if p.Kind == k {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Delta is a piece of a streaming message. Ordinal is the index of its part in
// Message.Parts; the first delta of an ordinal creates the part with Kind,
// Field, CallID and Name.
type Delta struct {
	Message MessageID
	Ordinal int
	Kind    PartKind
	Text    string
	Field   string
	CallID  string
	Name    string
}

// Summary is a line of the session list.
type Summary struct {
	ID       ID
	Title    string
	Model    string
	Created  time.Time
	Updated  time.Time
	Turns    int // user messages on all branches
	Pinned   bool
	Archived bool
	// First is the start of the first user message, at most 200 characters.
	First string
	// State of the newest assistant message.
	State State
	// Cost in micro-cents over all branches, nil when any part is unknown. A
	// message of which nothing arrived costs nothing.
	Cost *int64
}
