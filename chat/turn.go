package chat

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"waferchat/api"
	"waferchat/session"
)

// Turn is one exchange: a user message and what answers it. Its methods are
// safe for concurrent use, but that one goroutine at a time may call Next.
type Turn struct {
	id      int64
	engine  *Engine
	session session.Session
	user    session.Message
	started time.Time
	cancel  context.CancelFunc
	done    chan struct{}
	box     *mailbox

	// mu holds together what arrived and the events that tell of it, so that
	// Attach can cut between two events.
	mu      sync.Mutex
	state   State
	since   time.Time
	answer  answer
	retry   *Event // the last retry
	savings error  // why saving fails, nil while it works
}

// ID tells turns of one engine apart: 1, 2, …
func (t *Turn) ID() int64 { return t.id }

// Session is the session that the turn belongs to; Session().Head is its newest message.
func (t *Turn) Session() session.Session { return t.session }

// State returns the state that the turn is in now.
func (t *Turn) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// Next waits for events and takes all there are, in order; after EventEnd was
// taken it returns io.EOF. One goroutine at a time may wait. When ctx ends
// first it returns ctx's error and no event is lost.
func (t *Turn) Next(ctx context.Context) ([]Event, error) { return t.box.next(ctx) }

// Attach returns the turn's messages as they are now, the user's and its
// answer, and drops the events that led there, for a listener that comes back:
// Next continues from exactly this point. Only what messages cannot tell stays
// or is told again: an EventState with the time the state began, an EventRetry
// or EventSaving that still holds, and an EventEnd that nobody took.
func (t *Turn) Attach() (state State, msgs []session.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var standing []Event
	if !t.state.Ended() {
		standing = append(standing, Event{Kind: EventState, State: t.state, At: t.since})
		if t.state == Retrying && t.retry != nil {
			standing = append(standing, copyRetry(*t.retry))
		}
	}
	if t.savings != nil {
		standing = append(standing, Event{Kind: EventSaving, State: t.state, At: t.engine.now(), Err: t.savings})
	}
	t.box.reset(standing...)
	return t.state, []session.Message{t.user, t.answer.snapshot()}
}

// Cancel ends the turn; what arrived is kept. It returns at once.
func (t *Turn) Cancel() { t.cancel() }

// Wait returns when the turn has ended and is stored.
func (t *Turn) Wait() { <-t.done }

// run reads the answer to its end and commits it. It is the turn's goroutine.
func (t *Turn) run(ctx context.Context, req api.Request) {
	defer t.cancel()
	stream := t.engine.client.Stream(ctx, req)
	err := t.read(ctx, stream)
	_ = stream.Close()
	t.end(ctx, err)
}

// read takes what the server sends until the answer is complete (nil) or
// something ended it.
func (t *Turn) read(ctx context.Context, stream *api.Stream) error {
	for {
		e, err := stream.Next()
		if err == io.EOF { //nolint:errorlint // a broken connection may wrap one
			return nil
		}
		if err != nil {
			return err
		}
		t.take(ctx, e)
	}
}

// take applies one event of the stream.
func (t *Turn) take(ctx context.Context, e api.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.engine.now()
	m := &t.answer.message
	switch e.Kind {
	case api.EventRetry:
		t.again(ctx, at, *e.Retry)
	case api.EventOpen:
		m.RequestID, m.Attempts = e.Open.RequestID, e.Open.Attempt
		t.move(sigOpen, at)
	case api.EventUsage:
		m.Usage = e.Usage
	default:
		if e.Choice == 0 { // of several choices only the first is kept
			t.grow(e, at)
		}
	}
}

// grow adds to the answer. The store has a delta before anybody is told of it.
// t.mu is held.
func (t *Turn) grow(e api.Event, at time.Time) {
	var d session.Delta
	switch e.Kind {
	case api.EventReasoning:
		t.move(sigReasoning, at)
		d = t.answer.reasoning(e)
	case api.EventText:
		t.move(sigOutput, at)
		d = t.answer.output(e.Text)
	case api.EventToolCall:
		t.move(sigOutput, at)
		d = t.answer.call(*e.Call)
	case api.EventFinish:
		t.answer.message.Finish = e.Finish
		return
	case api.EventReclassify:
		t.answer.reclassify()
		m := t.answer.snapshot()
		t.box.put(Event{Kind: EventReclassified, State: t.state, At: at, Stored: &m})
		return
	default:
		return
	}
	t.engine.store.Append(d)
	t.box.put(Event{Kind: EventDelta, State: t.state, At: at, Delta: d})
}

// move makes a transition and tells of it. t.mu is held.
func (t *Turn) move(g signal, at time.Time) {
	to := t.state.next(g)
	if to == t.state {
		return
	}
	timing := &t.answer.message.Timing
	if t.state == Reasoning {
		timing.Reasoning += at.Sub(t.since)
	}
	if (to == Reasoning || to == Answering) && timing.FirstToken == 0 {
		timing.FirstToken = at.Sub(t.started)
	}
	if to.Ended() {
		timing.End = at.Sub(t.started)
	}
	t.state, t.since = to, at
	t.box.put(Event{Kind: EventState, State: to, At: at})
}

// again tells of a retry, and lets the turn be connecting again when the wait
// for it is over. t.mu is held.
func (t *Turn) again(ctx context.Context, at time.Time, r api.Retry) {
	t.answer.message.Attempts = r.Attempt - 1
	t.move(sigRetry, at)
	t.retry = &Event{Kind: EventRetry, State: t.state, At: at, Retry: &r}
	t.box.put(copyRetry(*t.retry))
	wait := t.engine.after(r.Wait)
	go func() {
		select {
		case <-ctx.Done():
		case <-wait:
			t.attempt(r.Attempt)
		}
	}()
}

// attempt says that the nth attempt is being made, unless more is known by now.
func (t *Turn) attempt(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != Retrying || t.retry.Retry.Attempt != n {
		return
	}
	t.answer.message.Attempts = n
	t.move(sigAttempt, t.engine.now())
}

func copyRetry(e Event) Event {
	r := *e.Retry
	e.Retry = &r
	return e
}

// end settles the answer, commits it and says that the turn is over.
func (t *Turn) end(ctx context.Context, err error) {
	m, err := t.settle(ctx, err)
	saved := t.engine.store.Finish(context.WithoutCancel(ctx), m)
	t.engine.ended(t, m, saved)
	t.saving(saved)
	t.mu.Lock()
	t.box.put(Event{Kind: EventEnd, State: t.state, At: t.engine.now(), Stored: &m, Err: err})
	t.mu.Unlock()
	close(t.done)
}

// settle brings the turn to its final state, which why decides, and returns the
// finished message and the error that is to be told.
func (t *Turn) settle(ctx context.Context, why error) (session.Message, error) {
	prices := t.engine.prices(t.session.Model)
	t.mu.Lock()
	defer t.mu.Unlock()
	m := &t.answer.message
	g := outcome(ctx, why)
	if t.state == Retrying && g != sigCancel { // the last attempt was under way
		m.Attempts = t.retry.Retry.Attempt
	}
	m.Attempts = max(m.Attempts, 1)
	t.move(g, t.engine.now())
	m.State = stored(t.state)
	if g == sigDone || g == sigCancel {
		why = nil
	} else {
		m.Failure = failure(why)
		if id := requestID(why); id != "" {
			m.RequestID = id
		}
	}
	m.Prices = prices
	t.answer.settle()
	return t.answer.snapshot(), why
}

// saving tells that saving began to fail or works again.
func (t *Turn) saving(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && t.savings == nil {
		return
	}
	t.savings = err
	t.box.put(Event{Kind: EventSaving, State: t.state, At: t.engine.now(), Err: err})
}

// outcome tells what an error means for the turn; nil is a complete answer.
func outcome(ctx context.Context, err error) signal {
	var refused *api.Error
	switch {
	case err == nil:
		return sigDone
	case errors.As(err, &refused):
		return sigFail
	case ctx.Err() != nil: // whatever broke when the connection was taken away
		return sigCancel
	case interrupted(err):
		return sigCut
	}
	return sigFail
}

func interrupted(err error) bool {
	var cut *api.InterruptedError
	return errors.As(err, &cut)
}

// requestID returns the id of the request that an error tells of.
func requestID(err error) string {
	var refused *api.Error
	var cut *api.InterruptedError
	switch {
	case errors.As(err, &refused):
		return refused.RequestID
	case errors.As(err, &cut):
		return cut.RequestID
	}
	return ""
}

// failure puts an error into the words that are kept with the message.
func failure(err error) *session.Failure {
	f := &session.Failure{}
	f.Title, f.Advice = Explain(err)
	var refused *api.Error
	if errors.As(err, &refused) {
		f.Code, f.Status = clean(refused.Code), refused.Status
	}
	return f
}

// stored translates the final state of a turn to that of its message.
func stored(s State) session.State {
	switch s {
	case Done:
		return session.Done
	case Cancelled:
		return session.Cancelled
	case Interrupted:
		return session.Interrupted
	}
	return session.Failed
}
