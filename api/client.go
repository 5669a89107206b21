package api

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultUserAgent = "waferchat"
	defaultSilence   = 10 * time.Minute
	// waferHost sends usage with every stream without being asked, as the API's
	// document says.
	waferHost = "pass.wafer.ai"
	// maxWaferBody is what a request's body must stay under there, in bytes: 50
	// MB, as the API's document says.
	maxWaferBody = 50_000_000
	// maxRequestID bounds what a caller may name a request, in characters.
	maxRequestID = 200
)

// Options configure a [Client]. Only BaseURL is required.
type Options struct {
	// BaseURL is the API's root with or without /v1, a trailing slash, or the
	// full /chat/completions endpoint; a loopback address needs no scheme.
	BaseURL string
	Key     Key
	// UserAgent defaults to "waferchat".
	UserAgent string
	// Transport replaces the sleep-proof transport; nil is what users want.
	Transport http.RoundTripper
	// RootCAs are trusted besides those of the system and of SSL_CERT_FILE; nil
	// adds none. Not used with Transport.
	RootCAs *x509.CertPool
	// FirstByte bounds the wait for the first byte of the body (headers
	// alone do not count), Idle the silence between two reads after that
	// (comments are not silence). 0 means 10 minutes each. A request that silence
	// has ended before the answer began is sent once more and not again.
	FirstByte time.Duration
	Idle      time.Duration
	// MaxRetries is the number of retries after the first attempt; nil means 3.
	// The waits of three retries last under 15 s together, more retries may
	// wait longer in proportion. 0 also means that no request is sent again
	// without a parameter that the server refused.
	MaxRetries *int
	// Refused is what an earlier client knew, as [Client.Refused] gave it: by
	// model, what its server has refused and is not sent again. Names that nobody
	// knows are ignored. New copies it.
	Refused map[string][]string
}

// Client talks to one server. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	userAgent string
	firstByte time.Duration
	idle      time.Duration
	retries   *int
	largest   int // what one event, or an answer in one piece, may have, in bytes
	http      *http.Client
	pool      *pool
	clock     *sleepClock

	// key is behind a pointer because fmt prints the fields of a struct without
	// asking their types.
	key atomic.Pointer[Key]

	mu      sync.Mutex
	refused map[string]dropped // by folded model id
}

// New checks the options and returns a client. It opens no connection. Its
// error names no value: a base URL can hold a password.
func New(o Options) (*Client, error) {
	base, err := parseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	c := &Client{
		base:      base,
		userAgent: o.UserAgent,
		firstByte: o.FirstByte,
		idle:      o.Idle,
		retries:   o.MaxRetries,
		largest:   maxEventSize,
		pool:      newPool(o.Transport, trusting(o.RootCAs, base.Hostname())),
		clock:     newSleepClock(wallClock),
		refused:   map[string]dropped{},
	}
	for model, names := range o.Refused {
		for _, name := range names {
			if isRefusable(name) {
				c.remember(model, name)
			}
		}
	}
	c.SetKey(o.Key)
	if c.userAgent == "" {
		c.userAgent = defaultUserAgent
	}
	if c.firstByte <= 0 {
		c.firstByte = defaultSilence
	}
	if c.idle <= 0 {
		c.idle = defaultSilence
	}
	if strings.ContainsAny(c.userAgent, "\r\n") || strings.ContainsAny(o.Key.Reveal(), "\r\n") {
		return nil, errors.New("make client: a line break in the user agent or the key")
	}
	c.http = &http.Client{Transport: c.pool, CheckRedirect: checkRedirect}
	return c, nil
}

// SetKey replaces the key for the requests to come.
func (c *Client) SetKey(k Key) { c.key.Store(&k) }

func (c *Client) currentKey() Key { return *c.key.Load() }

// BaseURL returns the normalised root that requests go to, without userinfo
// and without a query.
func (c *Client) BaseURL() string { return printable(c.base) }

// CloseIdleConnections closes the connections that no stream uses.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// Body returns the exact JSON body that the next sending of req would have:
// [Request.Body] with stream_options for hosts that need them, and without the
// parameters that the model's server has refused before. It holds no key.
func (c *Client) Body(req Request, stream bool) ([]byte, error) {
	e, err := c.encode(req, stream)
	return e.body, err
}

func (c *Client) encode(req Request, stream bool) (encoded, error) {
	return encode(req, stream, !c.isWafer(), c.without(req.Model))
}

func (c *Client) isWafer() bool { return strings.EqualFold(c.base.Hostname(), waferHost) }

// check refuses what need not be tried: a request that is larger than Wafer
// takes, and an id that no header can carry.
func (c *Client) check(req Request, body []byte) error {
	if c.isWafer() && len(body) >= maxWaferBody {
		return fmt.Errorf("send request of %d MB: %w", len(body)/1_000_000, ErrBodyTooLarge)
	}
	id := req.RequestID
	if len(id) > maxRequestID || strings.TrimSpace(id) != id || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("send request: its id is not up to %d plain characters of ASCII", maxRequestID)
	}
	return nil
}

// endpoint is the URL of a path below the root.
func (c *Client) endpoint(path string) string {
	u := c.base.JoinPath(path)
	u.RawQuery = c.base.RawQuery
	return u.String()
}

// newRequest makes a request with the headers that all of them have.
func (c *Client) newRequest(ctx context.Context, method, path string, key Key) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.endpoint(path), nil)
	if err != nil {
		return nil, errors.New("make request: the base URL cannot be used")
	}
	req.Header.Set("User-Agent", c.userAgent)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
	return req, nil
}

// connectError wraps what the network said about a request without its URL,
// which can hold a password.
func (c *Client) connectError(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	// An io.EOF in the chain would look like the end of an answer.
	if errors.Is(err, io.EOF) {
		err = errors.New("the server closed the connection without an answer")
	}
	return &ConnectError{Host: c.base.Host, Err: err}
}
