package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The frames below are literal bytes of the wire.

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// deltaFrame is a chunk with the given delta.
func deltaFrame(delta string) string {
	return `data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` +
		delta + `,"finish_reason":null}]}` + "\n\n"
}

func textFrame(s string) string      { return deltaFrame(`{"content":` + quoted(s) + `}`) }
func reasoningFrame(s string) string { return deltaFrame(`{"reasoning_content":` + quoted(s) + `}`) }

// callFrame leaves a field out that is "-"; id, name and args are JSON.
func callFrame(index, id, name, args string) string {
	field := func(name, value string) string {
		if value == "-" {
			return ""
		}
		return fmt.Sprintf("%q:%s,", name, value)
	}
	function := strings.TrimSuffix(field("name", name)+field("arguments", args), ",")
	return deltaFrame(`{"tool_calls":[{` + field("index", index) + field("id", id) +
		`"type":"function","function":{` + function + `}}]}`)
}

func finishFrame(reason string) string {
	return `data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":` +
		quoted(reason) + `}]}` + "\n\n"
}

const (
	usageFrame = `data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}` + "\n\n"
	doneFrame  = "data: [DONE]\n\n"
)

// reply makes one response.
type reply func(*http.Request) (*http.Response, error)

// scripted is a transport that gives its replies in order, the last one for
// ever, and keeps the requests.
type scripted struct {
	mu       sync.Mutex
	replies  []reply
	requests []*http.Request
	bodies   []string
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		req.Body.Close()
	}
	s.mu.Lock()
	n := min(len(s.requests), len(s.replies)-1)
	s.requests, s.bodies = append(s.requests, req), append(s.bodies, string(body))
	s.mu.Unlock()
	resp, err := s.replies[n](req)
	if resp != nil && resp.Request == nil {
		resp.Request = req
	}
	return resp, err
}

func (s *scripted) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// answer replies with a status, headers ("Name: value") and a body that comes
// in the given pieces.
func answer(status int, headers []string, pieces ...string) reply {
	return func(req *http.Request) (*http.Response, error) {
		return response(status, headers, &pieceReader{pieces: slices.Clone(pieces), err: io.EOF, ctx: req.Context()}), nil
	}
}

func response(status int, headers []string, body io.Reader) *http.Response {
	h := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ":")
		h.Add(name, strings.TrimSpace(value))
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), ProtoMajor: 1, ProtoMinor: 1}
}

// events replies with a stream.
func events(pieces ...string) reply {
	return answer(200, []string{"Content-Type: text/event-stream", "X-Request-Id: req_0123456789ab"}, pieces...)
}

// torn replies with a stream that ends in an error of the network.
func torn(err error, pieces ...string) reply {
	return func(*http.Request) (*http.Response, error) {
		return response(200, []string{"Content-Type: text/event-stream"}, &pieceReader{pieces: slices.Clone(pieces), err: err}), nil
	}
}

// hanging replies with a stream that falls silent until the request ends.
func hanging(pieces ...string) reply {
	return func(req *http.Request) (*http.Response, error) {
		return response(200, []string{"Content-Type: text/event-stream"},
			&pieceReader{pieces: slices.Clone(pieces), ctx: req.Context()}), nil
	}
}

func refused(status int, body string, headers ...string) reply {
	return answer(status, append([]string{"Content-Type: application/json"}, headers...), body)
}

// pieceReader gives one piece a read, then its error; without one it hangs
// until its context ends.
type pieceReader struct {
	pieces []string
	err    error
	ctx    context.Context
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if r.ctx != nil && r.ctx.Err() != nil {
		return 0, r.ctx.Err()
	}
	for len(r.pieces) > 0 && r.pieces[0] == "" {
		r.pieces = r.pieces[1:]
	}
	if len(r.pieces) == 0 {
		if r.err == nil {
			<-r.ctx.Done()
			return 0, r.ctx.Err()
		}
		return 0, r.err
	}
	n := copy(p, r.pieces[0])
	r.pieces[0] = r.pieces[0][n:]
	return n, nil
}

// newTestClient makes a client of a scripted server.
func newTestClient(t testing.TB, o Options, replies ...reply) (*Client, *scripted) {
	t.Helper()
	s := &scripted{replies: replies}
	if o.Transport == nil {
		o.Transport = s
	}
	if o.BaseURL == "" {
		o.BaseURL = "https://pass.wafer.ai/v1"
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

var noRetries = Options{MaxRetries: new(int)}

func hello() Request {
	return Request{Model: "m", Messages: []Message{{Role: RoleUser, Content: []Part{{Text: "hi"}}}}}
}

// outcome is what a consumer of a stream ends up with.
type outcome struct {
	text, reasoning, field string
	calls                  []ToolCall
	finish                 string
	usage                  *Usage
	details                string
	logprobs               string
	retries                []Retry
	opens                  []Open
	kinds                  []EventKind
	err                    error // nil for a complete answer
}

// read consumes a stream.
func read(s *Stream) outcome {
	defer s.Close()
	var o outcome
	var b completionBuilder
	for {
		e, err := s.Next()
		if err != nil {
			if err != io.EOF {
				o.err = err
			}
			break
		}
		o.kinds = append(o.kinds, e.Kind)
		b.add(e)
		switch e.Kind {
		case EventRetry:
			o.retries = append(o.retries, *e.Retry)
		case EventOpen:
			o.opens = append(o.opens, *e.Open)
		}
	}
	done := b.completion()
	o.usage = done.Usage
	for _, c := range done.Choices {
		if len(c.Message.Content) > 0 {
			o.text += c.Message.Content[0].Text
		}
		if c.Message.Reasoning != nil {
			o.reasoning += *c.Message.Reasoning
		}
		o.field = c.Message.ReasoningField
		o.calls = append(o.calls, c.Message.ToolCalls...)
		o.finish += c.Finish
		o.details += string(c.Message.ReasoningDetails)
		o.logprobs += string(c.Logprobs)
	}
	return o
}

// play streams an answer of literal bytes that is not retried.
func play(t testing.TB, pieces ...string) outcome {
	t.Helper()
	c, _ := newTestClient(t, noRetries, events(pieces...))
	return read(c.Stream(context.Background(), hello()))
}

func wantText(t *testing.T, o outcome, text string) {
	t.Helper()
	if o.err != nil {
		t.Fatalf("error: %v", o.err)
	}
	if o.text != text {
		t.Fatalf("text %q, want %q", o.text, text)
	}
}

func asError[E error](t *testing.T, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want %T", err, err, e)
	}
	return e
}

// roundTripper answers every request with a stream over the given body.
type roundTripper func(io.Reader) io.ReadCloser

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := response(200, []string{"Content-Type: text/event-stream"}, nil)
	resp.Body, resp.Request = f(req.Body), req
	return resp, nil
}
