package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

// patience is how long a test waits for what must happen, before it fails.
const patience = 60 * time.Second

// rig is an engine with the real store and the strict server around it.
type rig struct {
	*Engine
	t      *testing.T
	server *emulator.Running
	path   string // of the store
	store  *session.Store
}

// setup changes how a rig is made.
type setup func(*Options, *api.Options)

func newRig(t *testing.T, changes ...setup) *rig {
	t.Helper()
	server, err := emulator.Start(emulator.Options{Profile: emulator.Strict})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, server: server, path: filepath.Join(t.TempDir(), "data", "sessions.db")}
	r.store = openStore(t, r.path)
	r.Engine = r.another(r.store, changes...)
	t.Cleanup(func() { // after the engines, which were closed before it
		if err := r.store.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
		_ = server.Close()
		noLeak(t)
	})
	t.Cleanup(func() { closeEngine(t, r.Engine) })
	return r
}

// another makes a further engine for the rig's server. The caller closes it.
func (r *rig) another(store *session.Store, changes ...setup) *Engine {
	r.t.Helper()
	o := Options{Store: store}
	c := api.Options{BaseURL: r.server.URL}
	for _, change := range changes {
		change(&o, &c)
	}
	client, err := api.New(c)
	if err != nil {
		r.t.Fatal(err)
	}
	o.Client = client
	return New(o)
}

func openStore(t *testing.T, path string) *session.Store {
	t.Helper()
	store, err := session.Open(t.Context(), path, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func closeEngine(t *testing.T, e *Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := e.Close(ctx); err != nil {
		t.Errorf("close the engine: %v", err)
	}
}

// noRetries lets the first failure of a request be the last.
func noRetries(_ *Options, c *api.Options) { c.MaxRetries = new(int) }

// noLeak fails the test when a goroutine of the packages under test is left.
func noLeak(t *testing.T) {
	t.Helper()
	left := ""
	eventually(t, func() bool {
		left = ""
		buf := make([]byte, 1<<20)
		for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")[1:] {
			if strings.Contains(stack, "waferchat/") && !strings.Contains(stack, "testing.tRunner") {
				left = stack
			}
		}
		return left == ""
	}, func() string { return "a goroutine is left:\n" + left })
}

// eventually waits until ok is true.
func eventually(t *testing.T, ok func() bool, why func() string) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Error(why())
			return
		}
	}
}

// chat returns a new session.
func chat() session.Session {
	return session.Session{ID: session.NewID(), Title: "a chat", Model: "m"}
}

// start begins a turn that must begin.
func (r *rig) start(v session.Session, text string) *Turn {
	r.t.Helper()
	turn, err := r.Start(r.t.Context(), v, text)
	if err != nil {
		r.t.Fatalf("start %q: %v", text, err)
	}
	return turn
}

// say sends a text, waits for the whole answer, and returns the session as it
// is then and the events of the turn.
func (r *rig) say(v session.Session, text string) (session.Session, []Event) {
	r.t.Helper()
	turn := r.start(v, text)
	events := drain(r.t, turn)
	return turn.Session(), events
}

// until takes events up to and with the first that is wanted.
func until(t *testing.T, turn *Turn, wanted func(Event) bool) []Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var all []Event
	for {
		events, err := turn.Next(ctx)
		all = append(all, events...)
		if err != nil {
			t.Fatalf("waiting for an event: %v after %s", err, script(all))
		}
		for _, e := range events {
			if wanted(e) {
				return all
			}
		}
	}
}

// drain takes all events of a turn and checks that the end is the last.
func drain(t *testing.T, turn *Turn) []Event {
	t.Helper()
	events := until(t, turn, func(e Event) bool { return e.Kind == EventEnd })
	if last := events[len(events)-1]; last.Kind != EventEnd {
		t.Fatalf("the last event is %s, not the end", last.Kind)
	}
	if more, err := turn.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Fatalf("after the end came %v, %v", more, err)
	}
	return events
}

func last(events []Event) Event { return events[len(events)-1] }

// states returns the states that the events tell of, in order.
func states(events []Event) string {
	var all []string
	for _, e := range events {
		if e.Kind == EventState {
			all = append(all, string(e.State))
		}
	}
	return strings.Join(all, " ")
}

// textOf joins what the deltas of one kind say.
func textOf(events []Event, kind session.PartKind) string {
	var b strings.Builder
	for _, e := range events {
		if e.Kind == EventDelta && e.Delta.Kind == kind {
			b.WriteString(e.Delta.Text)
		}
	}
	return b.String()
}

// storedMessage reads a message from a store.
func storedMessage(t *testing.T, s *session.Store, id session.MessageID) *session.Message {
	t.Helper()
	path, err := s.Path(t.Context(), id, 1)
	if err != nil || len(path) != 1 {
		t.Fatalf("path to %s = %v, %v", id, path, err)
	}
	return &path[0]
}

// sent is a chat request as the server saw it.
type sent struct {
	Model    string
	Messages []struct {
		Role    string
		Content any
	}
	Raw struct{ Messages json.RawMessage }
	All map[string]any
	ZDR string
}

// requests returns the chat requests that arrived.
func (r *rig) requests() []sent {
	r.t.Helper()
	var all []sent
	for _, request := range r.server.Requests() {
		if !strings.HasSuffix(request.Path, "/chat/completions") {
			continue
		}
		var s sent
		for _, into := range []any{&s, &s.Raw, &s.All} {
			if err := json.Unmarshal(request.Body, into); err != nil {
				r.t.Fatal(err)
			}
		}
		s.ZDR = request.Header.Get("Wafer-ZDR")
		all = append(all, s)
	}
	return all
}

// spoken writes the messages of a request as one line.
func (s sent) spoken() string {
	var all []string
	for _, m := range s.Messages {
		text, _ := m.Content.(string)
		all = append(all, m.Role+": "+text)
	}
	return strings.Join(all, " | ")
}

// clock is a clock that a test turns.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
