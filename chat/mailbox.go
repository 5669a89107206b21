package chat

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"
)

// mailbox is an unbounded queue of events between a turn and its listener.
// Neighbouring deltas of one part become one event, so that it stays short
// when nobody takes them. It is safe for one taker and any number of putters.
type mailbox struct {
	pace  time.Duration
	after func(time.Duration) <-chan time.Time

	mu    sync.Mutex
	queue []queued
	ended bool          // EventEnd was taken
	wake  chan struct{} // holds one token when something was put
	// rest fires when the next batch may be given; only the taker uses it.
	rest <-chan time.Time
}

// queued is an event that waits; more is the text of a delta that others were
// joined to, so that joining n deltas costs n and not n².
type queued struct {
	Event
	more *strings.Builder
}

func newMailbox(pace time.Duration, after func(time.Duration) <-chan time.Time) *mailbox {
	return &mailbox{pace: pace, after: after, wake: make(chan struct{}, 1)}
}

// put adds events at the end.
func (m *mailbox) put(events ...Event) {
	m.mu.Lock()
	for _, e := range events {
		if !m.join(e) {
			m.queue = append(m.queue, queued{Event: e})
		}
	}
	m.mu.Unlock()
	m.signal()
}

// reset replaces what waits. An end that waits is kept, as the last event: a
// listener is always told of it.
func (m *mailbox) reset(events ...Event) {
	m.mu.Lock()
	var last []queued
	if n := len(m.queue); n > 0 && m.queue[n-1].Kind == EventEnd {
		last = m.queue[n-1:]
	}
	queue := make([]queued, 0, len(events)+len(last))
	for _, e := range events {
		queue = append(queue, queued{Event: e})
	}
	m.queue = append(queue, last...)
	m.mu.Unlock()
	m.signal()
}

func (m *mailbox) signal() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// join appends a delta to the last event when both belong to one part.
func (m *mailbox) join(e Event) bool {
	if e.Kind != EventDelta || len(m.queue) == 0 {
		return false
	}
	last := &m.queue[len(m.queue)-1]
	if last.Kind != EventDelta || last.Delta.Message != e.Delta.Message || last.Delta.Ordinal != e.Delta.Ordinal {
		return false
	}
	if last.more == nil {
		last.more = new(strings.Builder)
		last.more.WriteString(last.Delta.Text)
	}
	last.more.WriteString(e.Delta.Text)
	return true
}

// next implements [Turn.Next].
func (m *mailbox) next(ctx context.Context) ([]Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m.over() {
			return nil, io.EOF
		}
		if m.rest != nil {
			select {
			case <-m.rest:
				m.rest = nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		if batch := m.take(); batch != nil {
			if m.pace > 0 {
				m.rest = m.after(m.pace)
			}
			return batch, nil
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (m *mailbox) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ended
}

// take removes all events, nil when there are none.
func (m *mailbox) take() []Event {
	m.mu.Lock()
	queue := m.queue
	m.queue = nil
	if n := len(queue); n > 0 && queue[n-1].Kind == EventEnd {
		m.ended = true
	}
	m.mu.Unlock()
	if len(queue) == 0 {
		return nil
	}
	batch := make([]Event, len(queue))
	for i, q := range queue {
		batch[i] = q.Event
		if q.more != nil {
			batch[i].Delta.Text = q.more.String()
		}
	}
	return batch
}
