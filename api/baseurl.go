package api

import (
	"errors"
	"net"
	"net/url"
	"path"
	"strings"
)

// errBaseURL has no value in it: a base URL can hold a password.
var errBaseURL = errors.New("parse base URL: not an http or https address")

// parseBaseURL understands a base URL however it was written down: quoted,
// with or without /v1, with a trailing slash, as the full endpoint, and
// without a scheme for a loopback address (http) or a domain name (https).
// A path that is not the endpoint's is kept as it is.
func parseBaseURL(s string) (*url.URL, error) {
	s = strings.Trim(unwrapPasted(s), "<>")
	if s == "" {
		return nil, errors.New("parse base URL: empty")
	}
	if !strings.Contains(s, "://") {
		scheme, err := schemeFor(s)
		if err != nil {
			return nil, err
		}
		s = scheme + "://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, " \t") {
		return nil, errBaseURL
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, errBaseURL
	}
	u.Path, u.RawPath = rootPath(u.Path), ""
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// schemeFor chooses the scheme of an address that was written without one.
func schemeFor(s string) (string, error) {
	u, err := url.Parse("http://" + s)
	if err != nil || u.Hostname() == "" {
		return "", errBaseURL
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case isLoopback(host):
		return "http", nil
	case net.ParseIP(host) == nil && strings.Contains(host, "."):
		return "https", nil
	}
	return "", errors.New("parse base URL: no http:// or https:// in front")
}

// rootPath cuts the endpoint off a path. A bare host has its API under /v1.
func rootPath(p string) string {
	p = strings.TrimSuffix(path.Clean("/"+p), "/")
	for _, endpoint := range []string{"/chat/completions", "/models"} {
		if root, ok := strings.CutSuffix(p, endpoint); ok {
			return root
		}
	}
	if p == "" {
		return "/v1"
	}
	return p
}

// isLoopback tells whether a host name is this machine's own.
func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// printable is u without what may be secret: userinfo and query.
func printable(u *url.URL) string {
	v := *u
	v.User, v.RawQuery, v.Fragment = nil, "", ""
	return v.String()
}
