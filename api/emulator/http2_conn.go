package emulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// connection is one client's, with the streams on it.
type connection struct {
	server *Server
	ctx    context.Context
	framer *http2.Framer
	busy   sync.WaitGroup

	mu      sync.Mutex // of everything below, and of writing
	freed   *sync.Cond // when a window has grown or a stream has gone
	window  int        // bytes that may still be sent on all streams
	initial int        // and on a new stream
	streams map[uint32]*stream
}

// stream is one request and its answer.
type stream struct {
	request *http.Request
	body    bytes.Buffer
	window  int
	cancel  context.CancelFunc
}

// write writes frames that no other may come between.
func (c *connection) write(f func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = f() // a broken connection is noticed where it is read
}

// take acts on a frame of the client.
func (c *connection) take(frame http2.Frame) {
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		if f.IsAck() {
			return
		}
		c.write(func() error {
			if n, ok := f.Value(http2.SettingInitialWindowSize); ok {
				for _, s := range c.streams {
					s.window += int(n) - c.initial
				}
				c.initial = int(n)
			}
			return c.framer.WriteSettingsAck()
		})
	case *http2.PingFrame:
		if !f.IsAck() {
			c.write(func() error { return c.framer.WritePing(true, f.Data) })
		}
	case *http2.WindowUpdateFrame:
		c.grow(f.StreamID, int(f.Increment))
	case *http2.MetaHeadersFrame:
		c.open(f)
	case *http2.DataFrame:
		c.receive(f)
	case *http2.RSTStreamFrame:
		c.forget(f.StreamID)
	}
}

func (c *connection) grow(id uint32, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[id]; s != nil {
		s.window += n
	} else if id == 0 {
		c.window += n
	}
	c.freed.Broadcast()
}

// open begins a stream, and answers it when it has no body.
func (c *connection) open(f *http2.MetaHeadersFrame) {
	ctx, cancel := context.WithCancel(c.ctx)
	header := http.Header{}
	for _, h := range f.RegularFields() {
		header.Add(http.CanonicalHeaderKey(h.Name), h.Value)
	}
	request, err := http.NewRequestWithContext(ctx, f.PseudoValue("method"), "https://"+f.PseudoValue("authority")+f.PseudoValue("path"), nil)
	if err != nil {
		cancel()
		c.write(func() error { return c.framer.WriteRSTStream(f.StreamID, http2.ErrCodeProtocol) })
		return
	}
	request.Header, request.Proto, request.ProtoMajor, request.ProtoMinor = header, "HTTP/2.0", 2, 0
	s := &stream{request: request, cancel: cancel}
	c.mu.Lock()
	s.window = c.initial
	c.streams[f.StreamID] = s
	c.mu.Unlock()
	if f.StreamEnded() {
		c.answer(f.StreamID, s)
	}
}

func (c *connection) receive(f *http2.DataFrame) {
	c.mu.Lock()
	s := c.streams[f.StreamID]
	c.mu.Unlock()
	if n := uint32(len(f.Data())); n > 0 {
		c.write(func() error {
			return errors.Join(c.framer.WriteWindowUpdate(0, n), c.framer.WriteWindowUpdate(f.StreamID, n))
		})
	}
	if s == nil {
		return
	}
	if s.body.Len() <= c.server.bodyLimit() { // one byte more tells that it is too large
		s.body.Write(f.Data())
	}
	if f.StreamEnded() {
		c.answer(f.StreamID, s)
	}
}

func (c *connection) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[id]; s != nil {
		s.cancel()
		delete(c.streams, id)
	}
	c.freed.Broadcast()
}

// answer serves a stream whose request is complete.
func (c *connection) answer(id uint32, s *stream) {
	s.request.Body = io.NopCloser(&s.body)
	w := &streamWriter{conn: c, id: id, stream: s, header: http.Header{}}
	c.busy.Go(func() {
		defer s.cancel()
		defer c.forget(id)
		defer func() {
			if v := recover(); v == nil {
				w.finish()
			} else if isAbort(v) {
				c.end(id, ResetInternal)
			} else {
				panic(v)
			}
		}()
		c.server.ServeHTTP(w, s.request)
	})
}

// end ends a stream that has not ended yet in the way of a step.
func (c *connection) end(id uint32, as StreamEnd) {
	c.write(func() error {
		if c.streams[id] == nil {
			return nil
		}
		delete(c.streams, id)
		code := map[StreamEnd]http2.ErrCode{ResetInternal: http2.ErrCodeInternal, ResetCalm: http2.ErrCodeEnhanceYourCalm, ResetCancel: http2.ErrCodeCancel}
		if as == GoAway {
			return c.framer.WriteGoAway(0, http2.ErrCodeNo, nil)
		}
		return c.framer.WriteRSTStream(id, code[as])
	})
}

// streamWriter is the [http.ResponseWriter] of one stream.
type streamWriter struct {
	conn   *connection
	id     uint32
	stream *stream
	header http.Header
	begun  bool
}

func (w *streamWriter) Header() http.Header { return w.header }

func (w *streamWriter) Flush() { w.WriteHeader(http.StatusOK) }

func (w *streamWriter) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	fields := []hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(status)}}
	for name, values := range sorted(w.header) {
		for _, v := range values {
			fields = append(fields, hpack.HeaderField{Name: strings.ToLower(name), Value: v})
		}
	}
	for _, f := range fields {
		_ = e.WriteField(f) // to a buffer
	}
	w.conn.write(func() error {
		return w.conn.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: w.id, BlockFragment: block.Bytes(), EndHeaders: true})
	})
}

// Write sends b in frames as large as the client's windows allow.
func (w *streamWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	c := w.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	written := 0
	for written < len(b) {
		for c.streams[w.id] == w.stream && c.ctx.Err() == nil && min(c.window, w.stream.window) <= 0 {
			c.freed.Wait()
		}
		if c.streams[w.id] != w.stream || c.ctx.Err() != nil {
			return written, io.ErrClosedPipe
		}
		n := min(len(b)-written, c.window, w.stream.window, 16<<10)
		if err := c.framer.WriteData(w.id, false, b[written:written+n]); err != nil {
			return written, fmt.Errorf("write data frame: %w", err)
		}
		c.window -= n
		w.stream.window -= n
		written += n
	}
	return written, nil
}

// finish ends the stream properly.
func (w *streamWriter) finish() {
	w.WriteHeader(http.StatusOK)
	w.conn.write(func() error {
		if w.conn.streams[w.id] == nil {
			return nil
		}
		return w.conn.framer.WriteData(w.id, true, nil)
	})
}
