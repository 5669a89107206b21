package api

import (
	"bufio"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// behindProxy is a TLS server that only a proxy knows the way to.
func behindProxy(t *testing.T) (server *httptest.Server, config *tls.Config) {
	t.Helper()
	server = httptest.NewUnstartedServer(fine)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	config = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com" // the name in the test certificate
	return server, config
}

// forgetProxies empties the variables that name proxies.
func forgetProxies(t *testing.T) {
	t.Helper()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
}

// join passes bytes both ways until either side ends.
func join(a, b net.Conn) {
	go func() {
		_, _ = io.Copy(a, b)
		a.Close()
	}()
	_, _ = io.Copy(b, a)
	b.Close()
}

func TestAnEncryptedServerIsReachedThroughTheProxyOfTheEnvironment(t *testing.T) {
	server, config := behindProxy(t)
	asked := make(chan *http.Request, 1)
	connect, _ := serveRaw(t, func(_ int64, c net.Conn) {
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		asked <- req
		to, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		join(c, to)
	})
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Run(name, func(t *testing.T) {
			forgetProxies(t)
			t.Setenv(name, "http://user:hunter2@"+connect)
			c := dial(t, Options{BaseURL: "https://model.test/v1", MaxRetries: new(int)})
			trust(c, config)
			wantText(t, read(c.Stream(t.Context(), hello())), "fine")
			if req := <-asked; req.Method != http.MethodConnect || req.Host != "model.test:443" || req.Header.Get("Proxy-Authorization") == "" {
				t.Errorf("%s %s %v", req.Method, req.Host, req.Header)
			}
		})
	}
}

func TestAServerIsReachedThroughASOCKSProxy(t *testing.T) {
	server, config := behindProxy(t)
	asked := make(chan string, 1)
	socks, _ := serveRaw(t, func(_ int64, c net.Conn) {
		head := make([]byte, 2)
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		_, _ = io.ReadFull(c, make([]byte, head[1])) // the methods
		_, _ = c.Write([]byte{5, 0})
		request := make([]byte, 5) // version, connect, 0, by name, its length
		if _, err := io.ReadFull(c, request); err != nil {
			return
		}
		target := make([]byte, int(request[4])+2)
		if _, err := io.ReadFull(c, target); err != nil {
			return
		}
		asked <- string(target[:request[4]])
		to, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		join(c, to)
	})
	forgetProxies(t)
	t.Setenv("ALL_PROXY", "socks5://"+socks)
	c := dial(t, Options{BaseURL: "https://model.test/v1", MaxRetries: new(int)})
	trust(c, config)
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
	if host := <-asked; host != "model.test" {
		t.Errorf("the proxy was asked for %q", host)
	}
}

func TestAProxysPasswordIsInNoError(t *testing.T) {
	refusing, _ := serveRaw(t, func(_ int64, c net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_, _ = io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
	})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for proxy, want := range map[string]string{
		"http://user:hunter2@" + refusing:                 "Proxy Authentication Required",
		"http://user:hunter2@" + closed.Addr().String():   "connection refused",
		"socks5://user:hunter2@" + closed.Addr().String(): "connection refused",
	} {
		forgetProxies(t)
		t.Setenv("HTTPS_PROXY", proxy)
		c := dial(t, Options{BaseURL: "https://model.test/v1", MaxRetries: new(int)})
		err := read(c.Stream(t.Context(), hello())).err
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "model.test") {
			t.Errorf("%s: %v", proxy, err)
		}
		if _, err := c.Models(t.Context()); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", proxy, err)
		}
	}
}
