package config

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"unicode"
)

// The errors never hold the address: it may contain a password.
var (
	errURL    = errors.New("is not an address such as https://pass.wafer.ai/v1")
	errScheme = errors.New("needs http:// or https:// in front")
)

// pasted is what quoting and pasting leave around an address.
const pasted = "\"'`<>“”‘’\u00ab\u00bb\ufeff\u200b\x00"

// CleanBaseURL understands an odd but unambiguous base URL: surrounding blanks
// or quotes of any kind, no scheme for a loopback address (http) or a domain name (https).
// It returns it trimmed and with a scheme; userinfo stays. Its errors never
// contain the address.
func CleanBaseURL(s string) (string, error) {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(pasted, r) })
	if s == "" {
		return "", errors.New("is empty")
	}
	if !strings.Contains(s, "://") {
		scheme, err := missingScheme(s)
		if err != nil {
			return "", err
		}
		s = scheme + "://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(s, " \t\r\n") || strings.HasSuffix(u.Host, ":") {
		return "", errURL
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", errScheme
	}
	return s, nil
}

func missingScheme(s string) (string, error) {
	u, err := url.Parse("http://" + s)
	if err != nil {
		return "", errURL
	}
	switch host := u.Hostname(); {
	case loopback(host):
		return "http", nil
	case strings.Contains(host, ".") && net.ParseIP(host) == nil:
		return "https", nil
	}
	return "", errScheme
}

// Host returns the host and port that a base URL leads to, as keys are bound to
// it: lower case, the port left out when it is https's own. Two base URLs
// belong together only if their hosts are equal. It is "" for no usable URL.
func Host(baseURL string) string {
	s, err := CleanBaseURL(baseURL)
	if err != nil {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if port == "" && u.Scheme == "http" {
		port = "80"
	}
	if port == "" || port == "443" && u.Scheme == "https" {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

// Plain tells whether a base URL sends everything, keys included, unencrypted
// over a network: http to another machine.
func Plain(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return err == nil && u.Scheme == "http" && !loopback(u.Hostname())
}

// Loopback tells whether a base URL leads to this machine.
func Loopback(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return err == nil && loopback(u.Hostname())
}

// Redacted returns a base URL without its userinfo and query, to be shown.
func Redacted(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}
