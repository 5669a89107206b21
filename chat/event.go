package chat

import (
	"time"

	"waferchat/api"
	"waferchat/session"
)

// EventKind says what an [Event] carries.
type EventKind string

// The kinds of events.
const (
	// EventMessage: Event.Stored is a message that was added to the tree, and
	// that deltas may follow for.
	EventMessage EventKind = "message"
	// EventState: the turn is now in Event.State since Event.At.
	EventState EventKind = "state"
	// EventRetry: a retry happens at Event.At + Event.Retry.Wait.
	EventRetry EventKind = "retry"
	// EventDelta: Event.Delta was added. Neighbouring deltas of one part are
	// joined.
	EventDelta EventKind = "delta"
	// EventReclassified: text that was given so far turned out to be reasoning.
	// Event.Stored is the message as it is now; deltas follow on from there.
	EventReclassified EventKind = "reclassified"
	// EventChoice: of several choices, Event.Stored is one behind the first,
	// finished: a sibling of the answer. Deltas with its id came before.
	EventChoice EventKind = "choice"
	// EventSaving: saving failed (Event.Err), or works again (nil).
	EventSaving EventKind = "saving"
	// EventEnd is the last event of a turn, given after the commit: Event.State
	// is final, Event.Stored the finished assistant message, Event.Err why the turn
	// failed or was interrupted. Of several choices those that had come to their
	// end before are done all the same, also the first. When the commit failed, an
	// EventSaving with the reason comes before it, and the engine goes on trying to
	// commit.
	EventEnd EventKind = "end"
)

// Event is one thing that happened in a turn. Every event carries the time At
// and the State that the turn was in then; for joined deltas it is that of the
// first. What Stored and Retry point to belongs to the receiver.
type Event struct {
	Kind   EventKind
	State  State
	At     time.Time
	Delta  session.Delta
	Stored *session.Message
	Retry  *api.Retry
	Err    error
}
