package api

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// chunked is a whole answer as HTTP/1.1 writes it; the connection stays open.
func chunked(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
}

// serveRaw gives each connection to a func with its number, from 1 on.
func serveRaw(t *testing.T, serve func(n int64, c net.Conn)) (address string, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	connections = new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(connections.Add(1), c)
			}()
		}
	}()
	return l.Addr().String(), connections
}

// TestAConnectionThatWasDroppedWhileIdleCostsNothing: servers and routers forget
// idle connections, and only the next request finds out.
func TestAConnectionThatWasDroppedWhileIdleCostsNothing(t *testing.T) {
	answer := chunked(textFrame("fine") + finishFrame("stop") + doneFrame)
	for name, drop := range map[string]func(net.Conn){
		"by a reset": func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
		"properly":   func(net.Conn) {},
		"with half a status line": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			bodies := make(chan string, 4)
			address, connections := serveRaw(t, func(n int64, c net.Conn) {
				r := bufio.NewReader(c)
				for i := 0; ; i++ {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					body, _ := io.ReadAll(req.Body)
					bodies <- string(body)
					if n == 1 && i == 1 {
						drop(c)
						return
					}
					_, _ = io.WriteString(c, answer)
				}
			})
			c := dial(t, Options{BaseURL: address, MaxRetries: new(int)}) // not even one retry is needed
			for range 3 {
				o := read(c.Stream(t.Context(), hello()))
				wantText(t, o, "fine")
				if len(o.retries) != 0 {
					t.Errorf("the user saw %+v", o.retries)
				}
				waitForGoroutines(t)
			}
			if n := connections.Load(); n != 2 {
				t.Errorf("%d connections", n)
			}
			if first, second, again := <-bodies, <-bodies, <-bodies; first != second || second != again {
				t.Error("not the same request was sent again")
			}
		})
	}
}

// TestAConnectionThatDiesInItsFirstRequestIsNotHidden: only a connection that
// worked before may be stale.
func TestAConnectionThatDiesInItsFirstRequestIsNotHidden(t *testing.T) {
	address, connections := serveRaw(t, func(_ int64, c net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
	})
	c := dial(t, Options{BaseURL: address, MaxRetries: new(int)})
	o := read(c.Stream(t.Context(), hello()))
	if asError[*ConnectError](t, o.err); connections.Load() != 1 {
		t.Errorf("%v after %d connections", o.err, connections.Load())
	}
}

// TestAnIdleConnectionThatWentDarkIsNoticedAndReplaced: nobody says that it is
// gone, the request goes nowhere.
func TestAnIdleConnectionThatWentDarkIsNoticedAndReplaced(t *testing.T) {
	t.Run("HTTP/1.1, by the silence", func(t *testing.T) {
		server := newServer(t, fine, nil)
		wire := newLine(t, strings.TrimPrefix(server.URL, "http://"))
		c := dial(t, Options{BaseURL: wire.addr, FirstByte: 300 * time.Millisecond})
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		waitForGoroutines(t)
		wire.blackhole()
		o := read(c.Stream(t.Context(), hello()))
		wantText(t, o, "fine")
		if cut := asError[*InterruptedError](t, o.retries[0].Err); cut.Cause != ErrFirstByte {
			t.Errorf("cause %v", cut.Cause)
		}
	})
	t.Run("HTTP/2, by its pings", func(t *testing.T) {
		server := httptest.NewUnstartedServer(fine)
		server.EnableHTTP2 = true
		server.StartTLS()
		defer server.Close()
		wire := newLine(t, server.Listener.Addr().String())
		c := dial(t, Options{BaseURL: "https://" + wire.addr, MaxRetries: new(int)})
		trust(c, server.Client().Transport.(*http.Transport).TLSClientConfig)
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		waitForGoroutines(t)
		wire.blackhole()
		o := read(c.Stream(t.Context(), hello()))
		wantText(t, o, "fine")
		if len(o.retries) != 0 {
			t.Errorf("the user saw %+v", o.retries)
		}
	})
}

func TestEveryConnectionIsWatched(t *testing.T) {
	transport := newTransport(nil)
	if h2 := transport.HTTP2; h2 == nil || h2.SendPingTimeout <= 0 || h2.SendPingTimeout > 30*time.Second || h2.PingTimeout <= 0 || h2.PingTimeout > 30*time.Second {
		t.Errorf("HTTP/2 pings: %+v", h2)
	}
	if !transport.ForceAttemptHTTP2 || transport.IdleConnTimeout <= 0 || transport.ResponseHeaderTimeout != 0 {
		t.Errorf("%+v", transport)
	}
}

// goesAway is an HTTP/2 server that answers a request in its own way.
func goesAway(t *testing.T, first func(f *http2.Framer, stream uint32)) (address string, config *tls.Config) {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	config = certified.Client().Transport.(*http.Transport).TLSClientConfig
	own := &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}}
	certified.Close()
	address, _ = serveRaw(t, func(n int64, raw net.Conn) {
		c := tls.Server(raw, own)
		if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f := http2.NewFramer(c, c)
		_ = f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if data, ok := frame.(*http2.DataFrame); ok && data.StreamEnded() {
				if n > 1 {
					answerH2(f, data.StreamID, textFrame("fine")+finishFrame("stop")+doneFrame, true)
					continue
				}
				answerH2(f, data.StreamID, textFrame("part"), false)
				first(f, data.StreamID)
			}
		}
	})
	return address, config
}

func answerH2(f *http2.Framer, stream uint32, body string, end bool) {
	var headers strings.Builder
	e := hpack.NewEncoder(&headers)
	_ = e.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = e.WriteField(hpack.HeaderField{Name: "content-type", Value: "text/event-stream"})
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(headers.String()), EndHeaders: true})
	_ = f.WriteData(stream, end, []byte(body))
}

func TestAServerThatGoesAwayMidAnswerKeepsThePartialAndTheNextRequestWorks(t *testing.T) {
	for name, away := range map[string]func(f *http2.Framer, stream uint32){
		"GOAWAY": func(f *http2.Framer, _ uint32) { _ = f.WriteGoAway(0, http2.ErrCodeNo, nil) },
		"GOAWAY, the stream still allowed": func(f *http2.Framer, stream uint32) {
			_ = f.WriteGoAway(stream, http2.ErrCodeNo, nil)
			_ = f.WriteRSTStream(stream, http2.ErrCodeCancel)
		},
		"RST_STREAM, internal error": func(f *http2.Framer, stream uint32) { _ = f.WriteRSTStream(stream, http2.ErrCodeInternal) },
		"RST_STREAM, calm down": func(f *http2.Framer, stream uint32) {
			_ = f.WriteRSTStream(stream, http2.ErrCodeEnhanceYourCalm)
		},
		"RST_STREAM, no error": func(f *http2.Framer, stream uint32) { _ = f.WriteRSTStream(stream, http2.ErrCodeNo) },
	} {
		t.Run(name, func(t *testing.T) {
			address, config := goesAway(t, away)
			c := dial(t, Options{BaseURL: "https://" + address, MaxRetries: new(int)})
			trust(c, config)
			o := read(c.Stream(t.Context(), hello()))
			cut := asError[*InterruptedError](t, o.err)
			if o.text != "part" || cut.Cause == ErrIdle || strings.ContainsAny(o.err.Error(), "\n{") {
				t.Errorf("text %q, %v", o.text, o.err)
			}
			wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		})
	}
}
