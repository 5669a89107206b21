package emulator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Profile says how picky a [Server] is.
type Profile string

// The two profiles. The zero value is Document.
const (
	// Document accepts exactly what the API's document allows.
	Document Profile = "document"
	// Strict also applies the rules of the pickiest real servers, see
	// strict.go, and takes bodies up to 5 MiB only. It accepts any model name:
	// one that contains "think" wants reasoning sent back with tool calls, one
	// that contains "txt" refuses images.
	Strict Profile = "strict"
)

// Options configure a [Server]. The zero value answers as the document says,
// as fast as possible, and accepts any key or none.
type Options struct {
	Profile Profile
	// Key is the only key accepted, as a bearer token or in x-api-key. When
	// empty, every key is, and none is needed.
	Key string
	// Seed chooses among the variants of the demo's answers and their ids. Two
	// servers with the same seed and a clock that stands still give the same
	// bytes to the same sequence of requests; requests that run at the same
	// time may come in any order, as long as none is the beginning of another
	// (then cached_tokens tells which was first).
	Seed uint64
	// Speed is the pace of the demo's answers in tokens a second; 0 means as
	// fast as possible. Scripted replies are not paced.
	Speed float64
	// Now is the clock of everything dated; nil means time.Now.
	Now func() time.Time
	// Sleep waits for d, or returns the context's error as soon as it ends;
	// nil means a timer. It serves Speed and [Pause].
	Sleep func(ctx context.Context, d time.Duration) error
	// Cards are further cards for the catalogue, after the documented ones, as
	// JSON objects with an id. A card may lack any other field.
	Cards []json.RawMessage
	// Forget keeps no record of requests and answers, so that a server that
	// runs for long does not grow. Requests and Sent then return nothing.
	Forget bool
}

// Server is the emulated API. It is safe for concurrent use.
type Server struct {
	o     Options
	cards []card
	texts map[string][]string // the demo's answers by topic

	mu       sync.Mutex
	number   int
	received []Received
	sent     []SentText
	chat     []scripted
	rest     *Reply // for chat requests when chat is empty; nil means the demo
	models   []scripted
	asked    map[uint64]int      // how often each conversation was answered
	cached   map[uint64]struct{} // the prefixes of all prompts so far
	shapes   map[string]*shape   // the schemas of earlier requests

	occurred  map[[sha256.Size]byte]int // how often each request came
	forgotten int                       // how often that was cleared
}

// New returns a server. It panics when one of the options' cards is not a JSON
// object, which is a mistake of the program.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &Server{o: o, cards: roster(o.Cards), texts: loadTexts(), asked: map[uint64]int{}, cached: map[uint64]struct{}{}, shapes: map[string]*shape{}, occurred: map[[sha256.Size]byte]int{}}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exchange is one request and its answer.
type exchange struct {
	s      *Server
	w      http.ResponseWriter
	r      *http.Request
	number int
	same   string // the request and its occurrence, for ids
	id     string
	body   []byte
	seen   Received
}

// ServeHTTP answers GET /v1/models and POST /v1/chat/completions, and anything
// else with 404 or 405. A stream whose client or server goes away is broken
// off, never ended properly.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{s: s, w: w, r: r}
	tooLarge := x.receive()
	w.Header().Set("X-Request-Id", x.id)
	switch {
	case r.URL.Path == "/v1/models" && r.Method == http.MethodGet:
		x.serveModels()
	case r.URL.Path == "/v1/chat/completions" && r.Method == http.MethodPost:
		x.serveChat(tooLarge)
	case r.URL.Path == "/v1/models":
		x.refuseMethod(http.MethodGet)
	case r.URL.Path == "/v1/chat/completions":
		x.refuseMethod(http.MethodPost)
	default:
		x.refuse(&fault{Status: http.StatusNotFound, Code: "not_found", Message: "There is nothing at " + r.Method + " " + r.URL.Path + "."})
	}
}

func (x *exchange) refuseMethod(allow string) {
	x.w.Header().Set("Allow", allow)
	x.refuse(&fault{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "This path answers " + allow + " only."})
}

func (x *exchange) serveModels() {
	if r, ok := x.s.next(&x.s.models, x.seen); ok {
		x.play(r)
		return
	}
	// The catalogue is public, yet a wrong key is refused.
	if state := x.s.keyState(x.r.Header); state == keyWrong {
		x.refuse(invalidKey())
		return
	}
	raw := make([]json.RawMessage, 0, len(x.s.cards))
	for _, c := range x.s.cards {
		raw = append(raw, c.raw)
	}
	x.reply(http.StatusOK, map[string]any{"object": "list", "data": raw})
}

func (x *exchange) serveChat(tooLarge bool) {
	switch x.s.keyState(x.r.Header) {
	case keyMissing:
		x.refuse(&fault{Status: http.StatusUnauthorized, Code: "missing_api_key", Message: "No API key was given. Send it as Authorization: Bearer <key> or in x-api-key."})
		return
	case keyWrong:
		x.refuse(invalidKey())
		return
	}
	if tooLarge {
		x.refuse(&fault{Status: http.StatusRequestEntityTooLarge, Code: "request_too_large", Message: "request too large: the body may have at most " + strconv.Itoa(x.s.bodyLimit()) + " bytes"})
		return
	}
	if x.s.o.Profile == Strict {
		if f := checkStrict(x.body); f != nil {
			x.refuse(f)
			return
		}
	}
	if r, ok := x.s.next(&x.s.chat, x.seen); ok {
		x.play(r)
		return
	}
	x.answer()
}

// reply sends v as JSON.
func (x *exchange) reply(status int, v any) {
	b := encode(v)
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	x.w.WriteHeader(status)
	_, _ = x.w.Write(b)
}

type keyState string

const (
	keyRight   keyState = "matched"
	keyWrong   keyState = "not matched"
	keyMissing keyState = "missing"
)

func (s *Server) keyState(h http.Header) keyState {
	key, given := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if !given {
		key = h.Get("X-Api-Key")
	}
	switch {
	case s.o.Key == "" || key == s.o.Key:
		return keyRight
	case key == "" && h.Get("Authorization") == "":
		return keyMissing
	}
	return keyWrong
}

// bodyLimit is how many bytes a body may have: 5 MiB by the strict rules, and
// under 50 MB by the document.
func (s *Server) bodyLimit() int {
	if s.o.Profile == Strict {
		return 5 << 20
	}
	return 50_000_000 - 1
}

// hexID derives n hexadecimal digits (at most 32) from the seed, a kind and a
// name.
func (s *Server) hexID(kind, name string, n int) string {
	sum := sha256.Sum256([]byte(kind + strconv.FormatUint(s.o.Seed, 10) + "/" + name))
	return hex.EncodeToString(sum[:])[:n]
}
