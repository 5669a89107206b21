package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// Stream is an answer that is arriving. It is used by one goroutine.
type Stream struct {
	client *Client
	req    Request
	stream bool // false when the whole answer is asked for at once
	ctx    context.Context
	cancel context.CancelFunc

	body    encoded
	retrier retrier
	pause   time.Duration // before the next attempt
	attempt *attempt      // nil between attempts
	decoder *decoder
	skipped int
	onFrame func(Frame)
	events  []Event
	err     error // what Next returns when there are no events left
}

// Frame is one server-sent event as it arrived, for an inspector or a record.
type Frame struct {
	Time  time.Time
	Event string // the event's type, nearly always ""
	Data  string // its data; of an answer that was not streamed, the whole body
}

// Stream sends req with "stream": true and returns at once: the connection is
// made by the first Next. ctx bounds the whole stream.
func (c *Client) Stream(ctx context.Context, req Request) *Stream {
	return c.newStream(ctx, req, true)
}

func (c *Client) newStream(ctx context.Context, req Request, stream bool) *Stream {
	s := &Stream{client: c, req: req, stream: stream, retrier: newRetrier(c.retries)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if s.body, s.err = c.encode(req, stream); s.err == nil {
		s.err = c.check(req, s.body.body)
	}
	return s
}

// OnFrame makes Next call f with every frame before its events. It is to be
// called before the first Next.
func (s *Stream) OnFrame(f func(Frame)) { s.onFrame = f }

// Skipped is the number of frames that could not be read and were left out.
func (s *Stream) Skipped() int {
	n := s.skipped
	if s.decoder != nil {
		n += s.decoder.skipped
	}
	return n
}

// Extra are the fields of the chunks so far that the document does not name,
// such as system_fingerprint, each with the last of its values that was not
// null. Those of a choice come with [EventExtra], those of a call with
// [EventToolCall]. It is a copy; an attempt that was given up leaves nothing in it.
func (s *Stream) Extra() map[string]json.RawMessage {
	if s.decoder == nil {
		return nil
	}
	return s.decoder.extra.byName()
}

// Close ends the stream and frees its connection. It may be called at any
// time, several times, and by another goroutine.
func (s *Stream) Close() error {
	s.cancel()
	return nil
}

// Next returns the next event. It blocks until there is one. After the last
// event of a complete answer it returns io.EOF. It returns the context's error
// when cancelled, *[Error] when the server refused or reported an error,
// *[InterruptedError] when the answer ended before it was complete, and
// *[ConnectError] when none began. An error is final.
func (s *Stream) Next() (Event, error) {
	for {
		if len(s.events) > 0 {
			e := s.events[0]
			s.events[0] = Event{}
			if s.events = s.events[1:]; len(s.events) == 0 {
				s.recycle()
			}
			return e, nil
		}
		if s.err != nil {
			s.cancel()
			return Event{}, s.err
		}
		s.step()
	}
}

// recycle gives the decoder its memory for events back.
func (s *Stream) recycle() {
	if s.decoder != nil {
		s.events, s.decoder.events = nil, s.decoder.events[:0]
	}
}

// step waits for one thing to happen.
func (s *Stream) step() {
	if s.attempt == nil {
		if !s.wait() {
			return
		}
		s.decoder = newDecoder(s.client.currentKey(), s.choices())
		s.attempt = s.client.startAttempt(s.ctx, s.retrier.attempt, s.request)
	}
	var late <-chan time.Time
	if wait, ok := s.decoder.patience(); ok {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case d := <-s.attempt.out:
		s.take(d)
	case <-late:
		s.over(nil)
	case <-s.ctx.Done():
		s.over(s.ctx.Err())
	}
}

// choices is the number of answers that the body asks for: N is not in it when
// it was refused, and Extra can have another.
func (s *Stream) choices() int {
	n := 1
	if s.req.N != nil && s.body.optional["n"] {
		n = *s.req.N
	}
	_ = json.Unmarshal(s.req.Extra["n"], &n) // leaves n when there is none
	return n
}

// wait sits out the pause before an attempt. It reports whether the stream
// goes on.
func (s *Stream) wait() bool {
	if s.ctx.Err() == nil && s.pause > 0 {
		timer := time.NewTimer(s.pause)
		defer timer.Stop()
		s.pause = 0
		select {
		case <-timer.C:
		case <-s.ctx.Done():
		}
	}
	if s.err = s.ctx.Err(); s.err != nil {
		return false
	}
	return true
}

// request makes the HTTP request of one attempt.
func (s *Stream) request(ctx context.Context) (*http.Request, error) {
	req, err := s.client.newRequest(ctx, http.MethodPost, "chat/completions", s.client.currentKey())
	if err != nil {
		return nil, err
	}
	body := s.body.body
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if s.stream {
		req.Header.Set("Accept", "text/event-stream")
		// Compression holds deltas back.
		req.Header.Set("Accept-Encoding", "identity")
	}
	if s.req.ZDR {
		req.Header.Set("Wafer-ZDR", "required")
	}
	if s.req.RequestID != "" {
		req.Header.Set("X-Request-Id", s.req.RequestID)
	}
	return req, nil
}

// take applies what the attempt delivered.
func (s *Stream) take(d delivery) {
	switch d.kind {
	case deliverOpen:
		s.decoder.requestID = d.open.RequestID
		s.events = append(s.events, Event{Kind: EventOpen, Open: d.open})
		return
	case deliverFrame:
		s.observe(d.event, d.data)
		s.decoder.frame(d.event, d.data)
		if s.decoder.done || s.decoder.err != nil {
			s.over(nil)
			return
		}
		s.events = s.decoder.events
	case deliverWhole:
		s.observe("", d.data)
		switch body := []byte(d.data); {
		case s.decoder.whole(body):
			s.over(nil)
		case body[0] == '{':
			s.over(s.cut(io.ErrUnexpectedEOF))
		default:
			s.decoder.fail(body)
			s.over(nil)
		}
	case deliverEnd:
		s.decoder.stray = append(d.stray, s.decoder.stray...)
		s.over(d.err)
	}
}

func (s *Stream) observe(event, data string) {
	if s.onFrame != nil {
		s.onFrame(Frame{Time: time.Now(), Event: event, Data: data})
	}
}

func (s *Stream) cut(cause error) error {
	return &InterruptedError{Cause: cause, RequestID: s.decoder.requestID}
}

// over ends the attempt: with the end of the answer, another attempt, or the
// error. err is what the connection reported, nil when it ended cleanly.
func (s *Stream) over(err error) {
	s.attempt.leave()
	s.attempt = nil
	d := s.decoder
	d.torn = err != nil && !errors.Is(err, ErrIdle)
	switch cancelled := s.ctx.Err(); {
	case cancelled != nil && !d.complete():
		err = cancelled
	case d.err != nil:
		err = d.err
	case d.complete():
		err = io.EOF
	case err == nil:
		if stray := d.strayError(); stray != nil {
			err = stray
		} else if d.complete() {
			err = io.EOF
		} else {
			err = s.cut(io.ErrUnexpectedEOF)
		}
	}
	if !d.visible && s.again(err) {
		return
	}
	d.close()
	s.events, s.err = d.events, err
	var refused *Error
	var broken *InterruptedError
	switch {
	case errors.As(err, &refused):
		refused.Visible = d.visible
	case errors.As(err, &broken):
		broken.Visible = d.visible
	}
}

// again plans another attempt if one may be made, and gives its event.
func (s *Stream) again(err error) bool {
	retry := s.withoutRefused(err)
	if retry == nil {
		var ok bool
		if retry, ok = s.retrier.next(err); !ok {
			return false
		}
	}
	s.pause = retry.Wait
	s.skipped += s.decoder.skipped
	s.decoder = nil
	s.events = append(s.events[:0:0], Event{Kind: EventRetry, Retry: retry})
	return true
}

// withoutRefused plans the sending without a parameter that err names, nil if
// it names none that can be left out.
func (s *Stream) withoutRefused(err error) *Retry {
	if s.retrier.max <= 1 {
		return nil
	}
	name, ok := refusedParameter(err, s.body.optional, func(name string) bool { return s.req.Extra[name] != nil })
	if !ok {
		return nil
	}
	s.client.remember(s.req.Model, name)
	body, encodeErr := s.client.encode(s.req, s.stream)
	if encodeErr != nil {
		return nil
	}
	retry := s.retrier.drop(err, fieldName(name))
	if other := otherLimit(name); other != "" && !s.body.has(other) && body.has(other) {
		retry.Renamed = other
	}
	s.body = body
	if name == emptyReasoning {
		retry.Dropped, retry.Added = "", "reasoning_content"
	}
	return retry
}
