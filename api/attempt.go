package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

// drainTime is how long the end of a finished body is waited for, so that its
// connection can be used again. Nobody waits for that.
const drainTime = time.Second

// delivery is what an attempt's goroutine hands to the stream.
type delivery struct {
	kind  deliveryKind
	open  *Open  // deliverOpen
	event string // deliverFrame: the event's type
	data  string // deliverFrame: its data; deliverWhole: the body
	stray []byte // deliverEnd: lines that were no events
	err   error  // deliverEnd: nil when the body ended cleanly
}

type deliveryKind string

const (
	deliverOpen  deliveryKind = "open"
	deliverFrame deliveryKind = "frame"
	deliverWhole deliveryKind = "whole"
	deliverEnd   deliveryKind = "end"
)

// attempt is one sending of a request. Its goroutine reads, and ends when the
// response is over or life is cancelled.
type attempt struct {
	client *Client
	number int
	out    chan delivery
	life   context.Context // of the consumer's interest
	leave  context.CancelFunc
	ctx    context.Context // of the HTTP request; its cause says who cut it
	cut    context.CancelCauseFunc
	detach func() bool // makes ctx independent of life

	requestID string
	body      *pulseReader
	asleep    atomic.Bool // the clock jumped and no byte has come since
}

// startAttempt sends a request in the background. send makes it anew each time.
func (c *Client) startAttempt(ctx context.Context, number int, send func(context.Context) (*http.Request, error)) *attempt {
	a := &attempt{client: c, number: number, out: make(chan delivery, 64)}
	a.life, a.leave = context.WithCancel(ctx)
	a.ctx, a.cut = context.WithCancelCause(context.WithoutCancel(ctx))
	a.detach = context.AfterFunc(a.life, func() { a.cut(context.Canceled) })
	a.body = &pulseReader{attempt: a}
	go a.run(send)
	return a
}

// run makes the exchange and reports how it ended.
func (a *attempt) run(send func(context.Context) (*http.Request, error)) {
	if a.client.clock.slept(0) {
		a.client.pool.renew()
	}
	first := cutAfter(a.cut, a.client.firstByte, ErrFirstByte)
	idle := cutAfter(a.cut, a.client.idle, ErrIdle)
	idle.Stop()
	a.body.first, a.body.idle = first, idle
	stop := a.watchSleep()
	d := a.exchange(send)
	stop()
	first.Stop()
	idle.Stop()
	a.cut(context.Canceled)
	d.kind = deliverEnd
	a.deliver(d)
}

// deliver hands d over unless the consumer has left.
func (a *attempt) deliver(d delivery) bool {
	select {
	case a.out <- d:
		return true
	case <-a.life.Done():
		return false
	}
}

// exchange sends the request and delivers its response.
func (a *attempt) exchange(send func(context.Context) (*http.Request, error)) delivery {
	resp, err := a.roundTrip(send)
	if err != nil {
		return delivery{err: a.noAnswer(err)}
	}
	defer resp.Body.Close()
	a.requestID = scrub(resp.Header.Get("X-Request-Id"), "", 200)
	a.body.body = resp.Body
	if coding := unreadable(resp); coding != "" {
		return delivery{err: encodedError(resp, coding, a.client.currentKey())}
	}
	body := decompressed(resp, a.body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		// What was read before a failure is worth more than the failure.
		text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		if cause := a.cause(); cause != nil && len(text) == 0 {
			return delivery{err: a.interrupted(cause)}
		}
		return delivery{err: decodeError(resp.StatusCode, resp.Header, text, a.client.currentKey(), time.Now())}
	}
	if !a.deliver(delivery{kind: deliverOpen, open: &Open{RequestID: a.requestID, Attempt: a.number}}) {
		return delivery{}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "text/event-stream" {
		buffered := bufio.NewReaderSize(body, readSize)
		if first := peekText(buffered); first == '{' || first == '<' {
			return a.readWhole(buffered)
		}
		body = buffered
	}
	return a.readEvents(body)
}

// roundTrip sends the request. A connection from the pool that turns out to
// be dead before anything came back is replaced once, silently.
func (a *attempt) roundTrip(send func(context.Context) (*http.Request, error)) (*http.Response, error) {
	for again := false; ; again = true {
		var reused atomic.Bool
		trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused.Store(i.Reused) }}
		req, err := send(httptrace.WithClientTrace(a.ctx, trace))
		if err != nil {
			return nil, err
		}
		resp, err := a.client.http.Do(req)
		if err == nil {
			return resp, nil
		}
		if again || !reused.Load() || a.ctx.Err() != nil {
			return nil, err
		}
		a.client.pool.renew()
	}
}

// cause is the client's own reason to have cut the connection, if it had one.
func (a *attempt) cause() error {
	cause := context.Cause(a.ctx)
	if cause == nil || errors.Is(cause, context.Canceled) {
		return nil
	}
	return cause
}

// noAnswer is the error of a request that brought no response.
func (a *attempt) noAnswer(err error) error {
	if cause := a.cause(); cause != nil {
		return a.interrupted(cause)
	}
	if a.life.Err() == nil {
		a.client.pool.renew()
	}
	return a.client.connectError(err)
}

// interrupted is the error of a response that broke off. Its connection, and
// those that share its fate, are not used again.
func (a *attempt) interrupted(err error) error {
	if cause := a.cause(); cause != nil {
		err = cause
	} else if a.asleep.Load() && err != io.ErrUnexpectedEOF { //nolint:errorlint // the bare value is a clean end
		err = ErrAsleep
	}
	if err != io.ErrUnexpectedEOF && a.life.Err() == nil { //nolint:errorlint // as above
		a.client.pool.renew()
	}
	return &InterruptedError{Cause: err, RequestID: a.requestID}
}

// readWhole delivers a body that is not a stream.
func (a *attempt) readWhole(body io.Reader) delivery {
	text, err := io.ReadAll(io.LimitReader(body, int64(a.client.largest)+1))
	switch {
	case len(text) > a.client.largest:
		return delivery{err: a.interrupted(ErrTooLarge)}
	case err != nil:
		return delivery{err: a.interrupted(lost(err))}
	}
	a.deliver(delivery{kind: deliverWhole, data: string(text)})
	return delivery{}
}

// readEvents delivers server-sent events as they come.
func (a *attempt) readEvents(body io.Reader) delivery {
	f := newFramer(body)
	f.limit = a.client.largest
	for e, err := range f.events() {
		if err != nil {
			return delivery{err: a.interrupted(ErrTooLarge)}
		}
		if e.Data == "" {
			continue
		}
		if !a.deliver(delivery{kind: deliverFrame, event: e.Type, data: e.Data}) {
			return delivery{}
		}
		if strings.TrimSpace(e.Data) == "[DONE]" {
			a.drain(body)
			return delivery{}
		}
	}
	if f.err != io.EOF { //nolint:errorlint // readers return it bare
		return delivery{err: a.interrupted(lost(f.err)), stray: f.stray}
	}
	return delivery{stray: f.stray}
}

// drain reads the end of a finished body, so that the connection can be used
// again; the consumer may leave meanwhile. Connections that are not the
// client's own end with the consumer's interest.
func (a *attempt) drain(body io.Reader) {
	if a.client.pool.custom || !a.detach() {
		return
	}
	stop := cutAfter(a.cut, drainTime, context.Canceled)
	defer stop.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(body, readSize))
}

// lost says of a network error that it is one, so that it differs from a body
// that ended cleanly. An io.EOF in the chain would look like a complete answer.
func lost(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &lostError{err}
}

type lostError struct{ err error }

func (e *lostError) Error() string { return "connection lost: " + reason(e.err) }
func (e *lostError) Unwrap() error { return e.err }

// watchSleep cuts the connection when the machine slept and the connection
// shows no life after it.
func (a *attempt) watchSleep() (stop func()) {
	var seen int64
	clock := newSleepClock(a.client.clock.wall)
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		ticker := time.NewTicker(sleepTick)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-a.ctx.Done():
				return
			case <-ticker.C:
			}
			reads := a.body.reads.Load()
			switch {
			case clock.slept(sleepTick):
				a.client.pool.renew()
				a.asleep.Store(true)
				seen = reads
			case a.asleep.Load() && reads == seen:
				a.cut(ErrAsleep)
				return
			default:
				a.asleep.Store(false)
			}
		}
	}()
	return func() { close(done); <-finished }
}

// pulseReader runs the timers of silence on the bytes of a body: comments
// count, a consumer that is slow does not.
type pulseReader struct {
	attempt *attempt
	body    io.Reader
	first   *time.Timer
	idle    *time.Timer
	reads   atomic.Int64 // reads that brought something
}

func (r *pulseReader) Read(p []byte) (int, error) {
	if r.reads.Load() > 0 {
		r.idle.Reset(r.attempt.client.idle)
		defer r.idle.Stop()
	}
	n, err := r.body.Read(p)
	if n > 0 {
		r.first.Stop()
		r.reads.Add(1)
	}
	return n, err
}

// peekText is the first byte of a body that is not blank; 0 if there is none.
func peekText(r *bufio.Reader) byte {
	for {
		b, err := r.Peek(1)
		if err != nil {
			return 0
		}
		if !bytes.ContainsAny(b, " \t\r\n"+byteOrderMark) {
			return b[0]
		}
		_, _ = r.Discard(1)
	}
}
