package emulator

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
)

// Reply is a scripted answer, sent exactly as it says.
type Reply struct {
	Status int // 0 means 200
	Header http.Header
	Steps  []Step
	// demo lets the demo answer.
	demo bool
}

// Step is one thing that a [Reply] does: a write, a pause, an end. The steps
// are made by this package: [Raw], [C], [Pause], [RST] and their like.
type Step interface {
	play(p *player) error
}

// Stream is a reply of status 200 with server-sent events. After its last step
// the body ends properly.
func Stream(steps ...Step) Reply {
	return Reply{Steps: steps}.With("Content-Type", "text/event-stream")
}

// Body is a reply of any status and type with one body.
func Body(status int, contentType, body string) Reply {
	return Reply{Status: status, Steps: []Step{Raw(body)}}.With("Content-Type", contentType)
}

// Err is a reply with the API's error envelope. The type follows from the status.
func Err(status int, code, message string) Reply {
	f := &fault{Status: status, Code: code, Message: message}
	return Reply{Status: status, Steps: []Step{envelopeStep{f, "", ""}}}.With("Content-Type", "application/json")
}

// Whole is a reply with one chat.completion object, the content being text.
func Whole(text string) Reply {
	b := encode(map[string]any{
		"id": "r1", "object": "chat.completion", "created": 1, "model": "m",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{
			"role": "assistant", "content": text, "reasoning_content": nil, "tool_calls": nil}}},
		"usage": map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
	})
	step := frame{bytes: b, texts: []said{{text: text, end: len(b)}}}
	return Reply{Steps: []Step{step}}.With("Content-Type", "application/json")
}

// Demo is a reply that the demo gives, for scripts that only disturb some
// requests.
func Demo() Reply { return Reply{demo: true} }

// With returns the reply with one more header field.
func (r Reply) With(name, value string) Reply {
	if r.Header = r.Header.Clone(); r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Add(name, value)
	return r
}

// scripted is a queued reply; a nil match takes any request.
type scripted struct {
	reply Reply
	match func(Received) bool
}

// Script queues replies, consumed in order by the chat requests to come. A
// request with a wrong key, or one that breaks a rule of the strict profile,
// is refused without consuming a reply; nothing else is checked. When the
// queue is empty, the demo answers.
func (s *Server) Script(replies ...Reply) { s.queue(&s.chat, nil, replies) }

// ScriptWhen queues replies that only requests for which match is true take.
// A request takes the first queued reply that it may. match must not call the
// server.
func (s *Server) ScriptWhen(match func(Received) bool, replies ...Reply) {
	s.queue(&s.chat, match, replies)
}

// ScriptRest makes a reply the answer to every chat request that finds nothing
// in the queue, in place of the demo's own.
func (s *Server) ScriptRest(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = &reply
}

// ScriptModels queues replies for the requests of the catalogue to come.
func (s *Server) ScriptModels(replies ...Reply) { s.queue(&s.models, nil, replies) }

func (s *Server) queue(q *[]scripted, match func(Received) bool, replies []Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range replies {
		*q = append(*q, scripted{r, match})
	}
}

// next takes the first reply in q that the request may have.
func (s *Server) next(q *[]scripted, request Received) (Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range *q {
		if c.match == nil || c.match(request) {
			*q = append((*q)[:i:i], (*q)[i+1:]...)
			return c.reply, true
		}
	}
	if q == &s.chat && s.rest != nil {
		return *s.rest, true
	}
	return Reply{}, false
}

// player plays the steps of one reply. Steps that reshape what others write
// put themselves in the place of out while these play.
type player struct {
	x   *exchange
	out func(b []byte, texts ...said) error
	// dry leaves out all that is no write; x is nil then.
	dry bool
}

var (
	errEnd   = errors.New("the body ends here")
	errReset = errors.New("the connection is reset here")
)

func (x *exchange) play(r Reply) {
	if r.demo {
		x.answer()
		return
	}
	for name, values := range r.Header {
		x.w.Header()[name] = values
	}
	status := r.Status
	if status == 0 {
		status = http.StatusOK
	}
	x.w.WriteHeader(status)
	p := &player{x: x, out: x.write}
	// The headers go out at once, also when the first step is silence.
	_ = http.NewResponseController(x.w).Flush()
	if err := p.run(r.Steps); err != nil && !errors.Is(err, errEnd) {
		x.abort()
	}
}

func (p *player) run(steps []Step) error {
	for _, s := range steps {
		if err := s.play(p); err != nil {
			return err
		}
	}
	return nil
}

// abort breaks the connection off, so that the client sees no proper end: a
// reset where the connection is at hand.
func (x *exchange) abort() {
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's own way for HTTP/2 and others
	}
	raw := conn
	if t, ok := conn.(*tls.Conn); ok {
		raw = t.NetConn()
	}
	if t, ok := raw.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = raw.Close()
}

// envelopeStep writes an error object, with the request's own id in it.
type envelopeStep struct {
	f             *fault
	before, after string
}

func (e envelopeStep) play(p *player) error {
	id := ""
	if !p.dry {
		id = p.x.id
	}
	return p.out([]byte(e.before + string(encode(e.f.envelope(id))) + e.after))
}

// ErrFrame is a data event with an error object, as servers send it when an
// answer fails after the stream has begun.
func ErrFrame(status int, code, message string) Step {
	return envelopeStep{&fault{Status: status, Code: code, Message: message}, "data: ", "\n\n"}
}

// RetryAfter is [Err] with status 429 and a Retry-After header of that many
// seconds.
func RetryAfter(seconds int) Reply {
	return Err(http.StatusTooManyRequests, "rate_limit_exceeded", "Too many requests.").With("Retry-After", strconv.Itoa(seconds))
}
