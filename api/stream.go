package api

import (
	"encoding/json"
	"time"
)

// EventKind says what an [Event] carries.
type EventKind string

// The kinds of events, in the order a stream may give them.
const (
	// EventRetry: an attempt failed before any visible output; Next will wait
	// Event.Retry.Wait (or until its context ends) and try again.
	EventRetry EventKind = "retry"
	// EventOpen: the response headers have arrived with status 200.
	EventOpen EventKind = "open"
	// EventReasoning and EventText carry a delta in Event.Text, never empty,
	// but for a reasoning delta that has nothing but ReasoningDetails.
	EventReasoning EventKind = "reasoning"
	EventText      EventKind = "text"
	// EventToolCall carries a fragment of a call in Event.Call.
	EventToolCall EventKind = "tool_call"
	// EventReclassify tells that all text given so far for the choice was
	// reasoning: a </think> came that no tag had opened. Who does not care may
	// ignore it; the tag itself is never given.
	EventReclassify EventKind = "reclassify"
	// EventLogprobs carries the raw logprobs object of a chunk in Event.Logprobs.
	EventLogprobs EventKind = "logprobs"
	// EventExtra carries the fields of a choice and of its delta or message that
	// the document does not name, raw, in Event.Extra, once for each delta that
	// has some, after what else the delta holds. An attempt that gave nothing but
	// these may be followed by EventRetry.
	EventExtra EventKind = "extra"
	// EventFinish carries the finish reason of one choice in Event.Finish, once
	// for each choice, after its last delta; see [LimitReached]. When the answer
	// broke, of several choices those have one that had come to their end.
	EventFinish EventKind = "finish"
	// EventUsage carries the last usage object of the stream, once, after the
	// last choice has finished, or last before the error when the answer broke.
	EventUsage EventKind = "usage"
)

// Event is one thing that happened on a [Stream].
type Event struct {
	Kind   EventKind
	Choice int    // index of the choice that a delta, call or finish belongs to
	Text   string // EventReasoning, EventText: valid UTF-8
	// ReasoningField is the wire name that a reasoning delta came under;
	// "<think>" when it was cut out of the text.
	ReasoningField string
	// ReasoningDetails are the raw items of a reasoning_details array, if any
	// came with this reasoning delta.
	ReasoningDetails json.RawMessage
	// Logprobs is {"content":[…]} as the server wrote it.
	Logprobs json.RawMessage
	// Extra is by name, null values included. It is to be read only: events that
	// say the same share it.
	Extra  map[string]json.RawMessage
	Call   *CallDelta
	Finish string
	Usage  *Usage
	Retry  *Retry
	Open   *Open
}

// CallDelta is a fragment of a tool call. Index is the position of the call
// among the calls of its choice, in order of first appearance, 0 upwards,
// whatever the server wrote. ID and Name come with the first fragment of a
// call (an id is made up when the server gives none) and may be repeated; a
// later Name that is not empty replaces the one before, because some servers
// send a name in pieces. Arguments are to be appended; they are valid UTF-8
// and, when the model was cut off, not always valid JSON. Extra is what
// [ToolCall.Extra] is to be from now on; nil says that nothing has changed. It
// is to be read only.
type CallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
	Extra     map[string]json.RawMessage
}

// Retry describes a retry that is about to happen.
type Retry struct {
	Attempt int           // the attempt that will be made: 2, 3, …
	Max     int           // the last attempt that may be made
	Wait    time.Duration // how long until then
	Err     error         // why the attempt before failed
	// Dropped is the optional parameter, or the field of messages or of their
	// calls, that is left out from now on, if that is the reason; "content" is the
	// empty content of messages with tool calls.
	Dropped string
	// Renamed is the name that the value of Dropped is sent under from now on, if
	// it is not left out but renamed: max_tokens and max_completion_tokens.
	Renamed string
	Added   string // the optional field that is sent from now on, if that is the reason
}

// Open tells what the response headers said.
type Open struct {
	RequestID string // x-request-id, "" when the server sent none
	Attempt   int    // 1 for the first
}
