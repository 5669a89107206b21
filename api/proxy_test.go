package api

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
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

// passing starts a proxy that connects everyone to one server.
func passing(t *testing.T, to string) (address string) {
	t.Helper()
	address, _ = serveRaw(t, func(_ int64, c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			return
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		join(c, server)
	})
	return address
}

func TestACompanysOwnAuthorityIsTrustedBehindItsProxy(t *testing.T) {
	a := newAuthority(t, "Company CA")
	server := a.server(t, fine, &x509.Certificate{DNSNames: []string{"model.test"}})
	forgetProxies(t)
	t.Setenv("HTTPS_PROXY", "http://user:p%40ss@"+passing(t, server.Listener.Addr().String()))
	c := dial(t, Options{BaseURL: "https://model.test/v1", MaxRetries: new(int), RootCAs: a.pool()})
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
	c = dial(t, Options{BaseURL: "https://other.test/v1", MaxRetries: new(int), RootCAs: a.pool()})
	if err := read(c.Stream(t.Context(), hello())).err; err == nil || !strings.Contains(err.Error(), "other.test") {
		t.Errorf("another name: %v", err)
	}
}

func TestAProxyAddressThatIsNoneIsNamedAndNotGoneAround(t *testing.T) {
	for _, value := range []string{
		"http://user:hunter2/3@proxy:3128", "http://user:hunter2#@proxy:3128", "http://user:hunter2%zz@proxy:3128", "user:hunter2@proxy:port",
		"http://user:hunter2@proxy:99999", "http://user:hunter2@:3128", "ftp://user:hunter2@proxy", "http://user:12/hunter2@proxy:3128", "http://", "::hunter2", "http://hunter 2",
	} {
		for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
			forgetProxies(t)
			t.Setenv(name, value)
			c := dial(t, Options{BaseURL: "https://model.test/v1"})
			o := read(c.Stream(t.Context(), hello()))
			line := asError[*ConnectError](t, o.err).Error()
			if !strings.Contains(line, name) || strings.Contains(line, "hunter") || !strings.Contains(line, "model.test") || len(o.retries) != 0 {
				t.Errorf("%s=%s: %s, %d retries", name, value, line, len(o.retries))
			}
			if _, err := c.Models(t.Context()); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
	// HTTP_PROXY is for servers without encryption.
	forgetProxies(t)
	t.Setenv("HTTP_PROXY", "http://user:hunter2/@proxy")
	err := read(dial(t, Options{BaseURL: "http://model.test/v1"}).Stream(t.Context(), hello())).err
	if err == nil || !strings.Contains(err.Error(), "HTTP_PROXY") {
		t.Errorf("%v", err)
	}
}

func TestABrokenProxyAddressThatIsNotNeededIsNoError(t *testing.T) {
	server := newServer(t, fine, nil)
	forgetProxies(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://user:hunter2/@proxy")
	}
	wantText(t, read(dial(t, Options{BaseURL: server.URL}).Stream(t.Context(), hello())), "fine") // this machine
	t.Setenv("NO_PROXY", "model.test")
	choose := environmentProxy()
	for base, proxied := range map[string]bool{"https://model.test": false, "http://model.test": false, "https://other.test": true} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := choose(req); u != nil || (err != nil) != proxied {
			t.Errorf("%s: %v %v", base, u, err)
		}
	}
}

func TestAProxyIsUnderstoodHoweverItIsWritten(t *testing.T) {
	for value, want := range map[string]string{
		"proxy:3128": "http://proxy:3128", "http://proxy:3128/": "http://proxy:3128/", " https://proxy ": "https://proxy", "socks5h://u:p%40@proxy:1": "socks5h://u:p%40@proxy:1",
		"socks://127.0.0.1:1080/": "socks5://127.0.0.1:1080/", "HTTP://[::1]:3128": "http://[::1]:3128", "user:p@ss@proxy:1": "http://user:p%40ss@proxy:1",
	} {
		if u, err := parseProxy(value); err != nil || u.String() != want {
			t.Errorf("%q: %v %v", value, u, err)
		}
	}
}

func TestAProxyThatRefusesIsToldFromTheServer(t *testing.T) {
	for status, c := range map[string]struct {
		want    string
		retries int
	}{
		"407 Who are you":         {"407 Proxy Authentication Required", 0},
		"403 Blocked by hunter2":  {"the proxy refused the connection: 403 Forbidden", 0},
		"503 Service Unavailable": {"the proxy refused the connection: 503 Service Unavailable", 1},
	} {
		t.Run(status, func(t *testing.T) {
			address, _ := serveRaw(t, func(_ int64, c net.Conn) {
				_, _ = http.ReadRequest(bufio.NewReader(c))
				_, _ = io.WriteString(c, "HTTP/1.1 "+status+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			})
			forgetProxies(t)
			t.Setenv("HTTPS_PROXY", "http://user:hunter2@"+address)
			one := 1
			o := read(dial(t, Options{BaseURL: "https://model.test/v1", MaxRetries: &one}).Stream(t.Context(), hello()))
			if line := asError[*ConnectError](t, o.err).Error(); !strings.Contains(line, c.want) || strings.Contains(line, "hunter2") || len(o.retries) != c.retries {
				t.Errorf("%s, %d retries", line, len(o.retries))
			}
		})
	}
}
