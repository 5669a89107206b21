package api

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	dialTimeout = 15 * time.Second
	// deadPeer is how long a peer may leave what was sent to it unanswered:
	// HTTP/2 pings, keep-alive probes, unacknowledged data.
	deadPeer  = 15 * time.Second
	idleConns = 90 * time.Second
)

// newTransport makes a transport whose connections notice when they are dead.
// trust is nil for the system's own trust.
func newTransport(trust *tls.Config) *http.Transport {
	dialer := &net.Dialer{
		Timeout: dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: deadPeer, Interval: deadPeer / 3, Count: 3,
		},
		Control: limitUnacknowledged,
	}
	return &http.Transport{
		Proxy:                  environmentProxy(),
		OnProxyConnectResponse: proxyAnswer,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        trust,
		TLSHandshakeTimeout:    dialTimeout,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: deadPeer, PingTimeout: deadPeer},
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        idleConns,
		ExpectContinueTimeout:  time.Second,
	}
}

// pool is the client's connections. renew forgets all of them at once, also
// those that a dead stream still holds.
type pool struct {
	mu      sync.Mutex
	current http.RoundTripper
	fresh   func() http.RoundTripper // makes the next current
	custom  bool
}

func newPool(custom http.RoundTripper, trust *tls.Config) *pool {
	if custom != nil {
		return &pool{current: custom, custom: true}
	}
	p := &pool{fresh: func() http.RoundTripper { return newTransport(trust.Clone()) }}
	p.current = p.fresh()
	return p
}

// RoundTrip implements http.RoundTripper.
func (p *pool) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	t := p.current
	p.mu.Unlock()
	return t.RoundTrip(req)
}

// renew makes the next request dial anew. Streams that are alive go on.
func (p *pool) renew() {
	p.mu.Lock()
	old := p.current
	if !p.custom {
		p.current = p.fresh()
	}
	p.mu.Unlock()
	closeIdle(old)
}

func closeIdle(t http.RoundTripper) {
	if c, ok := t.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// CloseIdleConnections lets [http.Client] close what is not in use.
func (p *pool) CloseIdleConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	closeIdle(p.current)
}

// checkRedirect follows a redirect only within one origin, so that the key and
// the conversation go nowhere else, and only if it stays the same request.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 5 || req.Method != first.Method || !sameOrigin(req.URL, first.URL) {
		return http.ErrUseLastResponse
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && originPort(a) == originPort(b)
}

func originPort(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// cutAfter ends ctx with cause when d has passed; stop calls it off.
func cutAfter(cancel context.CancelCauseFunc, d time.Duration, cause error) *time.Timer {
	return time.AfterFunc(d, func() { cancel(cause) })
}
