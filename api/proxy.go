package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyError is what is wrong with a proxy. It names no address: that can hold a
// password.
type proxyError struct {
	variable string // the variable of the environment that is no address
	status   int    // what the proxy answered
}

func (e *proxyError) Error() string {
	if e.variable != "" {
		return e.variable + " is not the address of a proxy, such as http://name:password@proxy:3128 (%40 for an @ in the password)"
	}
	return fmt.Sprintf("the proxy refused the connection: %d %s", e.status, http.StatusText(e.status))
}

// retryable tells whether the proxy may think otherwise later.
func (e *proxyError) retryable() bool {
	return e.status >= 500 || e.status == http.StatusTooManyRequests || e.status == http.StatusRequestTimeout
}

// proxyAnswer turns what a proxy answers instead of a connection into an error
// that says so.
func proxyAnswer(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{status: r.StatusCode}
}

// environmentProxy honours HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in
// either case. A request that would go through a proxy whose address cannot be
// understood fails: it must not go around it.
func environmentProxy() func(*http.Request) (*url.URL, error) {
	c := httpproxy.FromEnvironment()
	encrypted, plain := proxyVariable("HTTPS_PROXY"), proxyVariable("HTTP_PROXY")
	c.HTTPSProxy, c.HTTPProxy = encrypted.address, plain.address
	choose := c.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) {
		v := plain
		if r.URL.Scheme == "https" {
			v = encrypted
		}
		u, err := choose(r.URL)
		if u != nil && v.bad {
			return nil, &proxyError{variable: v.name}
		}
		return u, err
	}
}

// variable is a variable of the environment that names a proxy.
type variable struct {
	name    string
	address string // in normal form; of a bad one, anything
	bad     bool
}

// proxyVariable reads the variable that is set: the name itself or ALL_PROXY,
// each in either case.
func proxyVariable(name string) variable {
	names := []string{name, strings.ToLower(name), "ALL_PROXY", "all_proxy"}
	i := slices.IndexFunc(names, func(n string) bool { return os.Getenv(n) != "" })
	if i < 0 {
		return variable{}
	}
	v := variable{name: names[i], address: "http://proxy.invalid"}
	if u, err := parseProxy(os.Getenv(v.name)); err != nil {
		v.bad = true
	} else {
		v.address = u.String()
	}
	return v
}

// parseProxy understands the address of a proxy, with or without a scheme. What
// an unescaped password has torn apart is not taken for an address.
func parseProxy(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "1"), 10, 16)
	switch u.Scheme {
	case "socks": // as desktops write it
		u.Scheme = "socks5"
	case "http", "https", "socks5", "socks5h":
	default:
		return nil, errors.New("another kind of proxy")
	}
	rest := u.Path + u.RawQuery + u.Fragment
	if err != nil || port == 0 || u.Hostname() == "" || strings.ContainsAny(u.Host, " \t") || strings.Contains(rest, "@") {
		return nil, errors.New("not an address")
	}
	return u, nil
}
