package emulator

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
)

// RoundTripper returns a transport that hands requests to the server within
// the process, whatever their host: no port, no socket, so that a test with a
// fake clock can use it. Every write of the server is one read of the client;
// a reset shows as syscall.ECONNRESET.
func (s *Server) RoundTripper() http.RoundTripper { return pipeTransport{s} }

type pipeTransport struct{ s *Server }

// RoundTrip implements [http.RoundTripper]. The server runs until it has
// answered, the request's context ends, or the body is closed.
func (t pipeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(ctx)
	if in.Body == nil {
		in.Body = http.NoBody
	}
	body, out := io.Pipe()
	w := &pipeWriter{out: out, header: http.Header{}, sent: make(chan *http.Response, 1), request: r, body: pipeBody{body, cancel}}
	context.AfterFunc(ctx, func() { _ = out.CloseWithError(ctx.Err()) })
	go func() {
		defer cancel()
		defer in.Body.Close()
		defer w.finish()
		t.s.ServeHTTP(w, in)
	}()
	select {
	case res := <-w.sent:
		return res, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// pipeBody is a body whose Close tells the server that the client has left.
type pipeBody struct {
	*io.PipeReader
	leave context.CancelFunc
}

func (b pipeBody) Close() error {
	b.leave()
	return b.PipeReader.Close()
}

// pipeWriter is the [http.ResponseWriter] of one exchange in memory.
type pipeWriter struct {
	out     *io.PipeWriter
	header  http.Header
	begun   bool
	sent    chan *http.Response
	request *http.Request
	body    io.ReadCloser
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	w.sent <- &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header.Clone(), Body: w.body, ContentLength: -1, Request: w.request,
	}
}

func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(b)
}

func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }

// finish ends the body the way the handler ended: a handler that panics with
// [http.ErrAbortHandler] wants the connection broken off.
func (w *pipeWriter) finish() {
	switch v := recover(); {
	case v == nil:
		w.WriteHeader(http.StatusOK)
		_ = w.out.Close()
	case isAbort(v):
		w.WriteHeader(http.StatusOK)
		_ = w.out.CloseWithError(syscall.ECONNRESET)
	default:
		panic(v)
	}
}

func isAbort(v any) bool {
	err, ok := v.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}
