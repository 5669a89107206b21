package chat

import (
	"context"
	"errors"
	"fmt"
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
	choices []*answer // the first is the answer, the others are its siblings
	only    *int      // the number of the only choice, nil until it comes
	retry   *Event    // the last retry
	savings error     // why saving fails, nil while it works
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

// Attach returns the turn's messages as they are now, the user's, its answer,
// and where several choices were asked for those behind it, and drops the events that led there, for a listener that comes back:
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
	msgs = []session.Message{t.user}
	for _, a := range t.choices {
		msgs = append(msgs, a.snapshot())
	}
	return t.state, msgs
}

// Cancel ends the turn; what arrived is kept. It returns at once.
func (t *Turn) Cancel() { t.cancel() }

// Wait returns when the turn has ended and is stored.
func (t *Turn) Wait() { <-t.done }

// run reads the answer to its end and commits it. It is the turn's goroutine.
func (t *Turn) run(ctx context.Context, req api.Request) {
	defer t.cancel()
	// A fault of the program ends the turn and not the program: what arrived is
	// kept, and the user is told.
	defer func() {
		if v := recover(); v != nil {
			t.end(ctx, fmt.Errorf("fault in the turn: %v", v))
		}
	}()
	stream := t.engine.client.Stream(ctx, req)
	err := t.read(ctx, stream)
	// Only now, so that it delays nothing.
	estimate, limit := t.engine.expect(context.WithoutCancel(ctx), req)
	t.mu.Lock()
	a := t.answer()
	a.keep(stream.Extra())
	a.message.Estimate, a.message.Limit = estimate, limit
	t.mu.Unlock()
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
	m := &t.answer().message
	switch e.Kind {
	case api.EventRetry:
		t.again(ctx, at, *e.Retry)
	case api.EventOpen:
		m.RequestID, m.Attempts = e.Open.RequestID, e.Open.Attempt
		t.move(sigOpen, at)
	case api.EventUsage:
		m.Usage = e.Usage
	default:
		if a := t.choice(e.Choice); a != nil { // what was not asked for is dropped
			t.grow(a, e, at)
		}
	}
}

// choice is the message that a choice fills, nil for one that was not asked for.
// Some servers do not number an only choice from 0: then it is the first one that
// comes. t.mu is held.
func (t *Turn) choice(index int) *answer {
	if len(t.choices) == 1 {
		if t.only == nil {
			first := index
			t.only = &first
		}
		index -= *t.only
	}
	if index < 0 || index >= len(t.choices) {
		return nil
	}
	return t.choices[index]
}

// answer is the first choice, which the turn's state and times are about.
func (t *Turn) answer() *answer { return t.choices[0] }

// grow adds to a choice. The store has a delta before anybody is told of it.
// t.mu is held.
func (t *Turn) grow(a *answer, e api.Event, at time.Time) {
	var d session.Delta
	switch e.Kind {
	case api.EventReasoning:
		t.move(sigReasoning, at)
		d = a.reasoning(e)
	case api.EventText:
		t.move(sigOutput, at)
		d = a.output(e.Text)
	case api.EventToolCall:
		t.move(sigOutput, at)
		d = a.call(*e.Call)
	case api.EventLogprobs:
		a.logprobs(e.Logprobs)
		return
	case api.EventExtra:
		a.keep(e.Extra)
		return
	case api.EventFinish:
		a.message.Finish = e.Finish
		return
	case api.EventReclassify:
		a.reclassify()
		m := a.snapshot()
		t.box.put(Event{Kind: EventReclassified, State: t.state, At: at, Stored: &m})
		return
	default:
		return
	}
	t.append(d, at)
}

// append stores a delta and tells of it. t.mu is held.
func (t *Turn) append(d session.Delta, at time.Time) {
	if d.Message == "" {
		return // a seam holds it
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
	timing := &t.answer().message.Timing
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
	t.answer().message.Attempts = r.Attempt - 1
	t.only = nil
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
	t.answer().message.Attempts = n
	t.move(sigAttempt, t.engine.now())
}

func copyRetry(e Event) Event {
	r := *e.Retry
	e.Retry = &r
	return e
}

// end settles the answer, commits it and says that the turn is over.
func (t *Turn) end(ctx context.Context, err error) {
	all, err := t.settle(ctx, err)
	saved := t.store(context.WithoutCancel(ctx), all)
	t.engine.ended(t, all, saved)
	t.saving(saved)
	t.mu.Lock()
	for _, m := range all[1:] {
		if !m.Deleted {
			t.box.put(Event{Kind: EventChoice, State: t.state, At: t.engine.now(), Stored: &m})
		}
	}
	t.box.put(Event{Kind: EventEnd, State: t.state, At: t.engine.now(), Stored: &all[0], Err: err})
	t.mu.Unlock()
	close(t.done)
}

// settle brings the turn to its final state, which why decides, and returns the
// finished messages and the error that is to be told.
func (t *Turn) settle(ctx context.Context, why error) ([]session.Message, error) {
	prices := t.engine.prices(t.session.Model)
	why = t.engine.named(why, t.session.Model)
	t.mu.Lock()
	defer t.mu.Unlock()
	m := &t.answer().message
	g := outcome(ctx, why)
	t.append(t.answer().joinEnd(), t.engine.now())
	if t.state == Retrying && g != sigCancel { // the last attempt was under way
		m.Attempts = t.retry.Retry.Attempt
	}
	m.Attempts = max(m.Attempts, 1)
	t.move(g, t.engine.now())
	var failed *session.Failure
	if g == sigDone || g == sigCancel {
		why = nil
	} else {
		failed = failure(why)
		if id := requestID(why); id != "" {
			m.RequestID = id
		}
	}
	m.Prices = prices
	return t.settled(failed), why
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
