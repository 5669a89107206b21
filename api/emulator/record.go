package emulator

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Received is one request as it arrived.
type Received struct {
	Number int // 1 for the first request of this server, of any path
	Time   time.Time
	Method string
	Path   string
	// Header has the values of Authorization and X-Api-Key, where they were
	// sent, replaced by "matched" or "not matched". Every value matches a
	// server without a key.
	Header http.Header
	// Body is empty for a body that was too large.
	Body []byte
}

// SentText is a piece of visible text handed to a connection: one delta of a
// stream, or the text of a whole answer.
type SentText struct {
	Request   int // the number of the request it answers
	Time      time.Time
	Reasoning bool
	Text      string
}

// Requests returns what was received so far, in order. The bodies are shared
// and must not be changed.
func (s *Server) Requests() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// Sent returns the texts that were handed to connections so far, in order. A
// text is listed before its last byte is written, so a client that has seen a
// text always finds it here; it is taken off the list when writing it fails.
func (s *Server) Sent() []SentText {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// Text returns the whole content, without reasoning, that was sent in answer to
// the request with this number.
func (s *Server) Text(request int) string {
	var b strings.Builder
	for _, t := range s.Sent() {
		if t.Request == request && !t.Reasoning {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// receive reads the body, gives the exchange its number and id, and records
// it. It tells whether the body was too large; then nothing of it is kept.
func (x *exchange) receive() (tooLarge bool) {
	limit := int64(x.s.bodyLimit())
	var b bytes.Buffer
	n, _ := io.Copy(&b, io.LimitReader(x.r.Body, limit+1))
	if n > limit {
		// Reading on lets the client see the answer instead of a broken pipe.
		_, _ = io.Copy(io.Discard, io.LimitReader(x.r.Body, 4*limit))
		b.Reset()
		tooLarge = true
	}
	x.body = b.Bytes()
	h := x.r.Header.Clone()
	state := string(x.s.keyState(x.r.Header))
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if h.Get(name) != "" {
			h.Set(name, state)
		}
	}
	s := x.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	x.number = s.number
	x.same = s.occurrence(x.r.Method + " " + x.r.URL.Path + "\n" + string(x.body))
	x.id = "req_" + s.hexID("request", x.same, 12)
	if own := x.r.Header.Get("X-Request-Id"); own != "" {
		x.id = "client_" + own
	}
	x.seen = Received{x.number, s.o.Now(), x.r.Method, x.r.URL.Path, h, x.body}
	if !s.o.Forget {
		s.received = append(s.received, x.seen)
	}
	return tooLarge
}

// occurrence names a request by what it says and how often the same was said
// before, so that its ids do not depend on what else arrives meanwhile. The
// caller holds the lock.
func (s *Server) occurrence(request string) string {
	if len(s.occurred) > maxRemembered {
		clear(s.occurred)
		s.forgotten++
	}
	sum := sha256.Sum256([]byte(request))
	s.occurred[sum]++
	return fmt.Sprintf("%x/%d/%d", sum, s.forgotten, s.occurred[sum])
}

// said is a text whose last byte is at offset end of a write.
type said struct {
	text      string
	reasoning bool
	end       int
}

// write sends b at once and records what it says.
func (x *exchange) write(b []byte, texts ...said) error {
	if err := x.r.Context().Err(); err != nil {
		return err
	}
	x.s.record(x.number, texts)
	_, err := x.w.Write(b)
	if err == nil {
		err = http.NewResponseController(x.w).Flush()
	}
	if err != nil {
		x.s.unrecord(x.number, len(texts))
	}
	return err
}

func (s *Server) record(number int, texts []said) {
	if s.o.Forget || len(texts) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	for _, t := range texts {
		s.sent = append(s.sent, SentText{number, now, t.reasoning, t.text})
	}
}

func (s *Server) unrecord(number, count int) {
	if s.o.Forget {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.sent) - 1; i >= 0 && count > 0; i-- {
		if s.sent[i].Request == number {
			s.sent = slices.Delete(s.sent, i, i+1)
			count--
		}
	}
}
