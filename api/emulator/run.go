package emulator

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// Running is a [Server] that listens.
type Running struct {
	*Server
	// URL is the base URL, ending in /v1, as every OpenAI client takes it.
	URL string

	http   *http.Server
	cancel context.CancelFunc
	busy   sync.WaitGroup
}

// Start listens on a free loopback port.
func Start(o Options) (*Running, error) { return Listen("127.0.0.1:0", o) }

// Listen listens on the TCP address addr, such as "127.0.0.1:8080".
func Listen(addr string, o Options) (*Running, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the emulator: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Running{Server: New(o), URL: "http://" + l.Addr().String() + "/v1", cancel: cancel}
	r.http = &http.Server{
		Handler:     r.Server,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnState:   r.count,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	r.busy.Go(func() { _ = r.http.Serve(l) })
	return r, nil
}

// count keeps busy until every connection has ended. A connection is new
// before Serve can return, so that Wait never meets the first Add.
func (r *Running) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		r.busy.Add(1)
	case http.StateClosed, http.StateHijacked:
		r.busy.Done()
	}
}

// Close breaks off every stream, closes all connections and the port, and
// returns when nothing of the server runs any more. It may be called again.
func (r *Running) Close() error {
	r.cancel()
	err := r.http.Close()
	r.busy.Wait()
	if err != nil {
		return fmt.Errorf("close the emulator: %w", err)
	}
	return nil
}
