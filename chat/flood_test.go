package chat

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

func TestAFloodArrivesWhole(t *testing.T) {
	r := newRig(t, func(o *Options, _ *api.Options) { o.Pace = 33 * time.Millisecond })
	r.server.Script(emulator.Stream(emulator.Flood(10_000, 50), emulator.F("stop"), emulator.U, emulator.D))
	v, events := r.say(chat(), "q")
	want := r.server.Text(1)
	if got := textOf(events, session.PartText); got != want {
		t.Errorf("the events tell %d bytes, want %d", len(got), len(want))
	}
	if got := storedMessage(t, r.store, v.Head).Text(); got != want {
		t.Errorf("stored are %d bytes, want %d", len(got), len(want))
	}
}

func TestAnUnwatchedFloodArrivesWhole(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(emulator.Flood(10_000, 50), emulator.F("stop"), emulator.U, emulator.D))
	turn := r.start(chat(), "q")
	turn.Wait()
	events := drain(t, turn)
	if got := textOf(events, session.PartText); got != r.server.Text(1) || len(events) > 12 {
		t.Errorf("%d events tell %d bytes", len(events), len(got))
	}
}

// canned answers every request with the same body.
type canned []byte

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"text/event-stream"}},
		Body:       io.NopCloser(bytes.NewReader(c)),
	}, nil
}

// BenchmarkFlood is a whole turn of 100,000 deltas of 50 bytes with the real
// store, listened to at the pace of a screen.
func BenchmarkFlood(b *testing.B) {
	const deltas = 100_000
	body := emulator.Bytes(emulator.Flood(deltas, 50), emulator.F("stop"), emulator.U, emulator.D)
	engine := benchEngine(b, canned(body))
	for b.Loop() {
		turn, err := engine.Start(b.Context(), chat(), "q")
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for {
			events, err := turn.Next(b.Context())
			if err != nil {
				break
			}
			for _, e := range events {
				n += len(e.Delta.Text)
			}
		}
		if n != deltas*50 {
			b.Fatalf("%d bytes arrived", n)
		}
		engine.Release(turn.Session().ID)
	}
	b.ReportMetric(float64(deltas*b.N)/b.Elapsed().Seconds(), "deltas/s")
}

// BenchmarkDelta compares what a delta costs at the start of an answer and
// after 1 MB of it, in the engine and the store: the ratio is to stay near 1.
func BenchmarkDelta(b *testing.B) {
	const deltas, size = 2_000, 50
	engine := benchEngine(b, canned(nil))
	event := api.Event{Kind: api.EventText, Text: strings.Repeat("x", size)}
	var short, long time.Duration
	for b.Loop() {
		turn := benchTurn(b, engine)
		feed := func(n int) time.Duration {
			start := time.Now()
			for i := range n {
				turn.take(b.Context(), event)
				if i%100 == 0 {
					_ = turn.box.take()
				}
			}
			if err := engine.store.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
			return time.Since(start)
		}
		feed(1 << 10 / size)
		short += feed(deltas)
		feed(1<<20/size - deltas)
		long += feed(deltas)
	}
	b.ReportMetric(float64(short.Nanoseconds())/float64(b.N*deltas), "ns/delta@1KB")
	b.ReportMetric(float64(long.Nanoseconds())/float64(b.N*deltas), "ns/delta@1MB")
	b.ReportMetric(float64(long)/float64(short), "ratio")
}

// BenchmarkMailbox is the cost of a delta that nobody takes, by how many wait.
func BenchmarkMailbox(b *testing.B) {
	for _, waiting := range []int{20, 20_000} {
		b.Run(fmt.Sprint(waiting), func(b *testing.B) {
			e := delta(0, strings.Repeat("x", 50))
			for b.Loop() {
				m := newMailbox(0, time.After)
				for range waiting {
					m.put(e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*waiting), "ns/delta")
		})
	}
}

func benchEngine(b *testing.B, transport http.RoundTripper) *Engine {
	b.Helper()
	store, err := session.Open(b.Context(), b.TempDir()+"/data/sessions.db", session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	client, err := api.New(api.Options{BaseURL: "http://127.0.0.1:1/v1", Transport: transport})
	if err != nil {
		b.Fatal(err)
	}
	engine := New(Options{Store: store, Client: client, Pace: 33 * time.Millisecond})
	b.Cleanup(func() {
		_ = engine.Close(context.Background())
		_ = store.Close()
	})
	return engine
}

// benchTurn stores a new exchange whose answer is fed by hand.
func benchTurn(b *testing.B, engine *Engine) *Turn {
	b.Helper()
	v := chat()
	reply := session.Message{ID: session.NewMessageID(), Session: v.ID, Role: api.RoleAssistant, State: session.Streaming}
	lock, err := engine.store.Lock(b.Context(), v.ID)
	if err != nil {
		b.Fatal(err)
	}
	defer lock.Unlock()
	if err := engine.store.Begin(b.Context(), v, reply); err != nil {
		b.Fatal(err)
	}
	return &Turn{engine: engine, session: v, box: newMailbox(0, engine.after), state: Connecting, choices: []*answer{{message: reply}}}
}
