package emulator

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestClosingBreaksOffOpenStreamsAndLeaksNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	run, err := Start(Options{Speed: 0.001, Forget: true}) // the demo would take years
	if err != nil {
		t.Fatal(err)
	}
	run.Script(Stream(C("a"), Hang), Stream(C("a"), Wait(make(chan struct{}))), Stream(Flood(1<<30, 100)))
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	var ends sync.WaitGroup
	for i := range 5 {
		res, err := client.Post(run.URL+"/chat/completions", "application/json", strings.NewReader(string(question("long", `"stream":true`))))
		if err != nil {
			t.Fatal(err)
		}
		ends.Go(func() {
			defer res.Body.Close()
			if _, err := io.Copy(io.Discard, res.Body); err == nil {
				t.Errorf("stream %d ended properly", i)
			}
		})
	}
	if err := run.Close(); err != nil {
		t.Error(err)
	}
	ends.Wait()
	_ = run.Close()
	transport.CloseIdleConnections()
	for range 1_000_000 { // goroutines that were told to end may need a moment on the processor
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
}

func TestClientThatLeavesEndsItsStream(t *testing.T) {
	s := New(Options{})
	left := make(chan struct{})
	s.Script(Stream(C("a"), Hang))
	gone := &leaving{Handler: s, left: left}
	res := gone.begin(t)
	_ = res.Body.Close()
	<-left
}

// leaving serves one request and tells when its handler has returned.
type leaving struct {
	http.Handler
	left chan struct{}
}

func (l *leaving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer close(l.left)
	l.Handler.ServeHTTP(w, r)
}

func (l *leaving) begin(t *testing.T) *http.Response {
	t.Helper()
	server := &http.Server{Handler: l}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Post("http://"+listener.Addr().String()+"/v1/chat/completions", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestListenNamesWhatFailed(t *testing.T) {
	if _, err := Listen("127.0.0.1:-1", Options{}); err == nil || !strings.HasPrefix(err.Error(), "listen for the emulator: ") {
		t.Errorf("error %v", err)
	}
}
