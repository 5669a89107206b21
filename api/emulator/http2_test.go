package emulator

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func startHTTP2(t *testing.T) (*RunningHTTP2, *running) {
	t.Helper()
	h2, err := StartHTTP2(Options{})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: h2.Roots}, ForceAttemptHTTP2: true}
	transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerConnection: 64 << 10, MaxReceiveBufferPerStream: 64 << 10}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := h2.Close(); err != nil {
			t.Error(err)
		}
	})
	return h2, &running{&Running{Server: h2.Server, URL: h2.URL}, &http.Client{Transport: transport}}
}

func TestAnswersComeOverHTTP2(t *testing.T) {
	_, run := startHTTP2(t)
	res, err := run.client.Get(run.URL + "/models")
	if err != nil {
		t.Fatal(err)
	}
	if a := readAll(res); res.ProtoMajor != 2 || a.status != 200 || !strings.Contains(string(a.body), "GLM-5.3") || a.header.Get("X-Request-Id") == "" {
		t.Errorf("%s %d %s", res.Proto, a.status, a.body)
	}
	var all sync.WaitGroup
	for range 4 {
		run.Script(Stream(Flood(2000, 100), F("stop"), D)) // more than the client's windows hold
		all.Go(func() {
			if a := run.ask(t, "x"); a.err != nil || a.finish() != "stop" || len(a.content()) != 2000*100 {
				t.Errorf("%v after %d bytes", a.err, len(a.body))
			}
		})
	}
	all.Wait()
	large := run.post(t, question(strings.Repeat("x", 200<<10)))
	if large.status != 200 {
		t.Errorf("%d %s", large.status, large.body)
	}
}

func TestHTTP2StreamsEndAsScripted(t *testing.T) {
	h2, run := startHTTP2(t)
	for name, tt := range map[string]struct {
		end  Step
		want string
	}{
		"GOAWAY":            {GoAway, "GOAWAY"},
		"internal error":    {ResetInternal, "INTERNAL_ERROR"},
		"enhance your calm": {ResetCalm, "ENHANCE_YOUR_CALM"},
		"cancel":            {ResetCancel, "CANCEL"},
		"reset":             {RST, "INTERNAL_ERROR"},
		"proper end":        {EOF, ""},
	} {
		t.Run(name, func(t *testing.T) {
			read := make(chan struct{})
			h2.Script(Stream(C("part"), Wait(read), tt.end, D))
			res, err := run.client.Post(run.URL+"/chat/completions", "application/json", nil)
			if err != nil {
				t.Fatal(err)
			}
			begun := make([]byte, len(Bytes(C("part"))))
			if _, err := io.ReadFull(res.Body, begun); err != nil || string(begun) != Bytes(C("part")) {
				t.Fatalf("%v after %q", err, begun)
			}
			close(read)
			if a := readAll(res); len(a.body) > 0 || tt.want == "" != (a.err == nil) || a.err != nil && !strings.Contains(a.err.Error(), tt.want) {
				t.Errorf("%v, %q", a.err, a.body)
			}
			if a := run.ask(t, "hello"); a.status != 200 || a.finish() != "stop" {
				t.Errorf("the next request: %d %v", a.status, a.err)
			}
		})
	}
}

func TestHTTP2EndIsAResetOverHTTP1(t *testing.T) {
	run := start(t, Options{})
	run.Script(Stream(C("part"), ResetCalm, D))
	if a := run.ask(t, "x"); a.content() != "part" || a.err == nil || !strings.Contains(a.err.Error(), "reset") {
		t.Errorf("%v after %q", a.err, a.body)
	}
}
