package chat

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"waferchat/api"
)

// isNetwork tells whether an error comes from the network.
func isNetwork(err error) bool {
	var op *net.OpError
	var u *url.Error
	var connect *api.ConnectError
	return errors.As(err, &op) || errors.As(err, &u) || errors.As(err, &connect)
}

// explainNetwork explains why a server could not be reached or was lost.
func explainNetwork(err error) words {
	for _, explain := range []func(error) words{explainName, explainTLS, explainDial} {
		if w := explain(err); !w.none() {
			return w
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && !isNetwork(err):
		return words{"It took too long and was given up.", "Try again."}
	case timedOut(err):
		return words{"The server" + at(err) + " did not answer in time.", "Check the network, then try again."}
	case isReset(err):
		return words{"The connection" + to(err) + " broke.", "Check the network, then try again."}
	case isNetwork(err):
		return words{"The request" + to(err) + " failed: " + sentence(cleanOr(root(err).Error(), "no reason was given")), "Check the network and the base URL, then try again."}
	}
	return words{}
}

func explainName(err error) words {
	var dns *net.DNSError
	switch {
	case !errors.As(err, &dns):
		return words{}
	case dns.IsNotFound:
		return words{"The host name" + named(dns.Name) + " could not be found.", "Check the base URL and the network, then try again."}
	case dns.IsTimeout:
		return words{"The name server did not answer for" + orHost(named(dns.Name)) + ".", "Check the network, then try again."}
	}
	return words{"The host name" + named(dns.Name) + " could not be looked up.", "Check the network, then try again."}
}

func explainTLS(err error) words {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		return words{"The certificate of the server" + at(err) + " is signed by an unknown authority.", "If that authority is yours (a company's proxy, a private server), name its certificate file in SSL_CERT_FILE or, in the configuration, in ca_file."}
	case errors.As(err, &host):
		return words{"The certificate of the server" + at(err) + " belongs to another host name.", "Check the base URL; the name in it must be one of the certificate's."}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return words{"The certificate of the server" + at(err) + " has expired or is not valid yet.", "Check the date and time of this computer; otherwise the server's owner must renew it."}
	case errors.As(err, &invalid), errors.As(err, &verify):
		return words{"The certificate of the server" + at(err) + " is not valid.", "The server's owner must replace it; for an authority of your own, name its certificate file in SSL_CERT_FILE or, in the configuration, in ca_file."}
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return words{"The server" + at(err) + " does not speak TLS.", "Check the base URL: http:// instead of https://, or another port."}
	}
	return words{}
}

func explainDial(err error) words {
	var op *net.OpError
	switch {
	case says(err, "Proxy Authentication Required"):
		return words{"The proxy on the way to the server" + at(err) + " wants a name and a password.", "Put them into HTTPS_PROXY, as in http://name:password@proxy:3128."}
	case says(err, "is not the address of a proxy"):
		return words{sentence(clean(root(err).Error())), "Correct or unset the variable, then start again."}
	case says(err, "the proxy refused the connection"):
		return words{"The proxy on the way to the server" + at(err) + " refused the connection: " + sentence(clean(root(err).Error())), "Check HTTPS_PROXY and NO_PROXY, or ask whoever runs the proxy."}
	case says(err, "malformed HTTP"):
		return words{"The server" + at(err) + " does not speak HTTP.", "Check the port in the base URL."}
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return words{"The proxy could not be reached on the way to the server" + at(err) + ".", "Check HTTPS_PROXY and NO_PROXY, then try again."}
	case isErrno(err, syscall.ECONNREFUSED, 10061):
		return words{"The server" + at(err) + " refused the connection.", "Check that it is running and that the base URL has the right port."}
	case isErrno(err, syscall.ENETUNREACH, 10051), isErrno(err, syscall.EHOSTUNREACH, 10065):
		return words{"The server" + at(err) + " cannot be reached from this network.", "Check the network or the VPN, then try again."}
	}
	return words{}
}

// says looks for what net/http tells in words only.
func says(err error, text string) bool {
	return isNetwork(err) && strings.Contains(err.Error(), text)
}

// isErrno looks for a system's error, by its name on Unix or by the number that
// Windows Sockets gives it.
func isErrno(err error, unix, winsock syscall.Errno) bool {
	return errors.Is(err, unix) || errors.Is(err, winsock)
}

func isReset(err error) bool {
	return isErrno(err, syscall.ECONNRESET, 10054) || isErrno(err, syscall.ECONNABORTED, 10053) || errors.Is(err, syscall.EPIPE)
}

func timedOut(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &timeout) && timeout.Timeout()
}

// at, to and named give the host of an error as part of a sentence, with a
// blank in front, or nothing when it is not known.
func at(err error) string   { return prefixed(" at ", address(err)) }
func to(err error) string   { return prefixed(" to ", address(err)) }
func named(s string) string { return prefixed(" ", clean(s)) }

func orHost(s string) string {
	if s == "" {
		return " the host"
	}
	return s
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// address returns host:port of the server that an error is about, or "". The
// client and the URL say it in the user's words; the connection knows only the
// number.
func address(err error) string {
	var connect *api.ConnectError
	if errors.As(err, &connect) && connect.Host != "" {
		return clean(connect.Host)
	}
	var u *url.Error
	if errors.As(err, &u) {
		if parsed, perr := url.Parse(u.URL); perr == nil && parsed.Hostname() != "" {
			port := parsed.Port()
			if port == "" {
				port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(parsed.Scheme)]
			}
			return clean(net.JoinHostPort(parsed.Hostname(), port))
		}
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Addr != nil {
		return clean(op.Addr.String())
	}
	return ""
}

// root returns the innermost error, which says what happened without where.
func root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
