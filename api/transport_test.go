package api

import (
	"compress/gzip"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// stream makes a handler that writes each frame at once.
func stream(frames ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, f := range frames {
			_, _ = io.WriteString(w, f)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

var fine = stream(textFrame("fine"), finishFrame("stop"), usageFrame, doneFrame)

// newServer starts a server that counts its connections.
func newServer(t *testing.T, h http.Handler, connections *atomic.Int64) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew && connections != nil {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func dial(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func TestABlackholedConnectionIsNeverUsedAgain(t *testing.T) {
	var turn atomic.Int64
	hang := make(chan struct{})
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if turn.Add(1) == 1 {
			stream(textFrame("partial"))(w, r)
			<-hang
			return
		}
		fine(w, r)
	}), nil)
	defer close(hang)
	wire := newLine(t, strings.TrimPrefix(server.URL, "http://"))
	c := dial(t, Options{BaseURL: wire.addr, Idle: 200 * time.Millisecond})
	s := c.Stream(t.Context(), hello())
	for {
		e, err := s.Next()
		if err != nil {
			if cut := asError[*InterruptedError](t, err); cut.Cause != ErrIdle {
				t.Errorf("cause %v", cut.Cause)
			}
			break
		}
		if e.Kind == EventText {
			wire.blackhole()
		}
	}
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
}

func TestAPooledConnectionThatDiedIsReplacedWithoutAWord(t *testing.T) {
	var connections atomic.Int64
	server := newServer(t, fine, &connections)
	c := dial(t, Options{BaseURL: server.URL, MaxRetries: new(int)})
	for i := range 3 {
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		if i == 0 {
			server.CloseClientConnections()
		}
	}
	if n := connections.Load(); n < 2 {
		t.Errorf("%d connections", n)
	}
}

func TestAFinishedStreamLeavesItsConnectionForTheNext(t *testing.T) {
	var connections atomic.Int64
	over := make(chan struct{})
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fine(w, r)
		<-over // the end of the body comes after the reader has left
	}), &connections)
	c := dial(t, Options{BaseURL: server.URL})
	for range 5 {
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		over <- struct{}{}
		waitForGoroutines(t)
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestALateSleepBeforeARequestDialsAnew(t *testing.T) {
	var connections atomic.Int64
	server := newServer(t, fine, &connections)
	c := dial(t, Options{BaseURL: server.URL})
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
	waitForGoroutines(t)
	c.clock.wall = func() time.Time { return time.Now().Round(0).Add(time.Hour) }
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
	if n := connections.Load(); n != 2 {
		t.Errorf("%d connections", n)
	}
}

func TestHTTP2StreamsEndWithWhatHappened(t *testing.T) {
	var turn atomic.Int64
	hang := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("protocol %s", r.Proto)
		}
		switch turn.Add(1) {
		case 1: // RST_STREAM
			stream(textFrame("part"))(w, r)
			panic(http.ErrAbortHandler)
		case 2: // nothing more, on a dead connection
			stream(textFrame("part"))(w, r)
			<-hang
		default:
			fine(w, r)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	defer close(hang)
	wire := newLine(t, server.Listener.Addr().String())
	c := dial(t, Options{BaseURL: "https://" + wire.addr})
	trust(c, server.Client().Transport.(*http.Transport).TLSClientConfig)
	o := read(c.Stream(t.Context(), hello()))
	if asError[*InterruptedError](t, o.err); o.text != "part" {
		t.Errorf("text %q", o.text)
	}
	s := c.Stream(t.Context(), hello())
	for {
		e, err := s.Next()
		if err != nil {
			asError[*InterruptedError](t, err)
			break
		}
		if e.Kind == EventText {
			wire.blackhole()
		}
	}
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
}

// trust makes a client trust a test server and ping it often.
func trust(c *Client, config *tls.Config) {
	c.pool.fresh = func() http.RoundTripper {
		transport := newTransport(config.Clone())
		transport.HTTP2.SendPingTimeout, transport.HTTP2.PingTimeout = 50*time.Millisecond, 50*time.Millisecond
		return transport
	}
	c.pool.renew()
}

func TestTheKeyFollowsNoRedirectToAnotherOrigin(t *testing.T) {
	var reached atomic.Int64
	other := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached.Add(1) }), nil)
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := newServer(t, http.RedirectHandler(other.URL+"/v1/chat/completions?key=hidden", status), nil)
		c := dial(t, Options{BaseURL: server.URL, Key: "wfr_secret_key"})
		e := asError[*Error](t, read(c.Stream(t.Context(), hello())).err)
		if e.Status != status || !strings.Contains(e.Message, other.URL) || strings.Contains(e.Message, "hidden") {
			t.Errorf("%v", e)
		}
		if _, err := c.Models(t.Context()); err == nil {
			t.Error("the catalogue was read elsewhere")
		}
	}
	if reached.Load() != 0 {
		t.Error("another origin was reached")
	}
}

func TestARedirectWithinTheOriginIsFollowedWithTheBody(t *testing.T) {
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			http.Redirect(w, r, "/v2/chat/completions", http.StatusTemporaryRedirect)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || !strings.Contains(string(body), `"hi"`) || r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("%s %s %v", r.Method, body, r.Header)
		}
		fine(w, r)
	}), nil)
	c := dial(t, Options{BaseURL: server.URL, Key: "k"})
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
}

func TestARedirectThatWouldLoseTheRequestIsNotFollowed(t *testing.T) {
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			fine(w, r)
			return
		}
		http.Redirect(w, r, "/login", http.StatusFound)
	}), nil)
	c := dial(t, Options{BaseURL: server.URL})
	if e := asError[*Error](t, read(c.Stream(t.Context(), hello())).err); e.Status != http.StatusFound {
		t.Errorf("%v", e)
	}
}

func TestAnUnreachableServerIsNamedWithTheCause(t *testing.T) {
	closed := httptest.NewServer(fine)
	address := strings.TrimPrefix(closed.URL, "http://")
	closed.Close()
	ssh, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ssh.Close()
	go func() {
		for {
			c, err := ssh.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1)) // the request first, for one and the same error
			_, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.0\r\n")
			c.Close()
		}
	}()
	plain := newServer(t, fine, nil)
	secure := httptest.NewUnstartedServer(fine)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	cases := []struct{ name, base, host, cause string }{
		{"nothing listens", "http://user:hunter2@" + address, address, "connection refused"},
		{"speaks SSH", "http://" + ssh.Addr().String(), ssh.Addr().String(), "SSH"},
		{"TLS to a plain port", strings.Replace(plain.URL, "http:", "https:", 1), plain.Listener.Addr().String(), "HTTP response to HTTPS client"},
		{"unknown authority", secure.URL, secure.Listener.Addr().String(), "SSL_CERT_FILE"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			client := dial(t, Options{BaseURL: c.base, MaxRetries: new(int)})
			err := read(client.Stream(t.Context(), hello())).err
			e := asError[*ConnectError](t, err)
			line := e.Error()
			if e.Host != c.host || !strings.Contains(line, c.host) || !strings.Contains(line, c.cause) || strings.Contains(line, "hunter2") || strings.Contains(line, "\n") {
				t.Errorf("%q", line)
			}
			if c.name == "nothing listens" && !errors.Is(err, syscall.ECONNREFUSED) {
				t.Error("the cause is lost")
			}
		})
	}
}

func TestTheSameClientWorksWhenTheServerIsBack(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	c := dial(t, Options{BaseURL: address, MaxRetries: new(int)})
	asError[*ConnectError](t, read(c.Stream(t.Context(), hello())).err)
	if l, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: fine}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
}

func TestProxiesOfTheEnvironmentAreUsed(t *testing.T) {
	proxy := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host != "model.test" {
			t.Errorf("host %q", r.URL.Host)
		}
		fine(w, r)
	}), nil)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Run(name, func(t *testing.T) {
			for _, other := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"} {
				t.Setenv(other, "")
			}
			t.Setenv(name, proxy.URL)
			c := dial(t, Options{BaseURL: "http://model.test/v1", MaxRetries: new(int)})
			wantText(t, read(c.Stream(t.Context(), hello())), "fine")
			t.Setenv("NO_PROXY", "model.test,.lan")
			c = dial(t, Options{BaseURL: "http://model.test/v1"})
			if u, err := c.pool.current.(*http.Transport).Proxy(&http.Request{URL: c.base}); u != nil || err != nil {
				t.Errorf("NO_PROXY is not honoured: %v %v", u, err)
			}
		})
	}
}

func TestACompressedStreamIsReadAsItComes(t *testing.T) {
	more := make(chan struct{})
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		for i, f := range []string{textFrame("one"), textFrame("two") + finishFrame("stop") + doneFrame} {
			if i == 1 {
				<-more
			}
			_, _ = io.WriteString(zip, f)
			_ = zip.Flush()
			_ = http.NewResponseController(w).Flush()
		}
		zip.Close()
	}), nil)
	c := dial(t, Options{BaseURL: server.URL})
	s := c.Stream(t.Context(), hello())
	var text string
	for {
		e, err := s.Next()
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
		if text += e.Text; e.Text == "one" {
			close(more)
		}
	}
	if text != "onetwo" {
		t.Errorf("text %q", text)
	}
}
