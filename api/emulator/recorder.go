package emulator

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// Recorder writes a cassette while an answer arrives. Its order is Begin, Write
// for every piece as it comes, Close. Reading a body through
// io.TeeReader(body, recorder) records it. It is not for concurrent use, and
// every error is an error of writing or of the order.
type Recorder struct {
	out   io.Writer
	now   func() time.Time
	last  time.Time // when something was recorded
	begun bool
	ended bool
}

// NewRecorder returns a recorder that writes to out, which stays the caller's
// to close, with now as its clock; nil means time.Now.
func NewRecorder(out io.Writer, now func() time.Time) *Recorder {
	if now == nil {
		now = time.Now
	}
	return &Recorder{out: out, now: now}
}

// Begin records the status, the header and, unless it is nil, the request. What
// the header says of cookies is left out; the request has no header.
func (r *Recorder) Begin(status int, header http.Header, request *RecordedRequest) error {
	if r.begun {
		return errors.New("record answer: it has begun before")
	}
	r.begun, r.last = true, r.now()
	kept := header.Clone()
	kept.Del("Set-Cookie")
	if len(kept) == 0 {
		kept = nil
	}
	return r.line(cassetteLine{Status: &status, Headers: kept, Request: request})
}

// Write records a piece that has just arrived. It keeps nothing of p.
func (r *Recorder) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	line := cassetteLine{AfterMS: r.since()}
	if text := string(p); utf8.Valid(p) {
		line.Bytes = &text
	} else {
		code := base64.StdEncoding.EncodeToString(p)
		line.Base64 = &code
	}
	if err := r.line(line); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close records how the answer ended; nothing may be recorded after it.
func (r *Recorder) Close(end End) error {
	err := r.line(cassetteLine{AfterMS: r.since(), End: &end})
	r.ended = true
	return err
}

// since is the time since the last line in milliseconds, to the microsecond.
func (r *Recorder) since() *float64 {
	now := r.now()
	ms := float64(min(max(0, now.Sub(r.last)), longestPause).Microseconds()) / 1000
	r.last = now
	return &ms
}

func (r *Recorder) line(l cassetteLine) error {
	if !r.begun || r.ended {
		return errors.New("record answer: pieces belong between Begin and Close")
	}
	if _, err := r.out.Write(append(encode(l), '\n')); err != nil {
		return fmt.Errorf("record answer: %w", err)
	}
	return nil
}

// WriteCassette writes a cassette as a file, see [Cassette] for the format.
// Times are kept to the microsecond; empty pieces are left out, their time goes
// to the next line.
func WriteCassette(out io.Writer, c Cassette) error {
	var at time.Time // a clock that each piece moves on
	r := NewRecorder(out, func() time.Time { return at })
	if err := r.Begin(c.Status, c.Header, c.Request); err != nil {
		return err
	}
	for _, p := range c.Pieces {
		at = at.Add(p.After)
		if _, err := r.Write(p.Bytes); err != nil {
			return err
		}
	}
	at = at.Add(c.EndAfter)
	return r.Close(c.End)
}
