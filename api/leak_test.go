package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// waitForGoroutines waits until nothing of this package runs any more.
func waitForGoroutines(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		buf := make([]byte, 1<<20)
		stacks := string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "api.(*attempt)") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("goroutines are left:\n%s", stacks)
		}
		<-time.After(time.Millisecond)
	}
}

func TestNoGoroutineIsLeftBehind(t *testing.T) {
	hang := make(chan struct{})
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Request-Id") {
		case "hang":
			stream(textFrame("a"))(w, r)
			<-hang
		case "silent":
			<-hang
		case "flood":
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if _, err := io.WriteString(w, textFrame("a")); err != nil {
					return
				}
			}
		case "error":
			stream(raw(`{"error":{"message":"x"}}`), textFrame("a"))(w, r)
			<-hang
		default:
			fine(w, r)
		}
	}), nil)
	defer close(hang)
	for _, id := range []string{"", "hang", "flood", "error", "silent"} {
		t.Run(fmt.Sprintf("server that is %q", id), func(t *testing.T) {
			c := dial(t, Options{BaseURL: server.URL, MaxRetries: new(int)})
			req := hello()
			req.RequestID = id
			ctx, cancel := context.WithCancel(t.Context())
			s := c.Stream(ctx, req)
			closer := make(chan struct{})
			if id == "silent" {
				go func() { s.Close(); close(closer) }()
			} else {
				close(closer)
			}
			for range 2 { // a third would wait for the server that hangs
				if _, err := s.Next(); err != nil {
					break
				}
			}
			<-closer
			s.Close()
			s.Close()
			waitForGoroutines(t)
			cancel()
		})
	}
	c := dial(t, Options{BaseURL: server.URL})
	c.Stream(t.Context(), hello()).Close() // one that never began
	waitForGoroutines(t)
}

func TestManyStreamsOfOneClientDoNotMix(t *testing.T) {
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(textFrame(r.Header.Get("X-Request-Id")), finishFrame("stop"), doneFrame)(w, r)
	}), nil)
	c := dial(t, Options{BaseURL: server.URL})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			req := hello()
			req.RequestID = fmt.Sprint("stream ", i)
			c.SetKey(Key(req.RequestID))
			if o := read(c.Stream(t.Context(), req)); o.err != nil || o.text != req.RequestID {
				t.Errorf("%q %v", o.text, o.err)
			}
		})
	}
	wg.Wait()
}
