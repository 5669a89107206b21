package api

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What the client itself noticed about a connection. They are the Cause of an
// [InterruptedError].
var (
	// ErrFirstByte: no byte of a body came within Options.FirstByte.
	ErrFirstByte = errors.New("no byte of an answer came in time")
	// ErrIdle: the server was silent for Options.Idle in the middle of a body.
	ErrIdle = errors.New("the server fell silent")
	// ErrAsleep: this machine slept, and the connection did not survive it.
	ErrAsleep = errors.New("the connection was lost while this machine slept")
	// ErrTooLarge: a body or an event is larger than any real one.
	ErrTooLarge = errors.New("the server sent more than fits into memory")
)

// ErrNoCatalogue: what the server sent is no list of models. It comes with the
// [Error] that says what it sent instead.
var ErrNoCatalogue = errors.New("the server sent no list of models")

// ErrBodyTooLarge: a request has 50 MB or more, which Wafer refuses. Nothing was
// sent.
var ErrBodyTooLarge = errors.New("the request is larger than the 50 MB that the server takes")

// Error is a failure that the server reported, by status or inside a stream.
// Its texts are the server's, cut to a few hundred characters and free of
// keys and control characters.
type Error struct {
	Status     int    // HTTP status; 200 when reported inside a stream
	Type       string // broad bucket, such as "invalid_request_error"
	Code       string // what to branch on; numbers are kept as text
	Message    string
	Param      string
	RequestID  string
	DocsURL    string
	RetryAfter time.Duration // 0 when not said
	HTML       bool          // the body was a web page, so not this API's own answer
	// Raw tells that the body is no error in any shape that servers give one:
	// Message is what it begins with.
	Raw bool
	// Encoding is the compression of a body that could not be read because of it,
	// such as "br"; "" is the rule.
	Encoding string
	// Visible tells that something of the answer had come before: reasoning, text
	// or a call.
	Visible bool

	// asked tells that the server said when to try again, 0 included.
	asked bool
}

// Error is one line: the status or code, the server's message, the request id.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Status != 0 && e.Status != http.StatusOK:
		b.WriteString(strconv.Itoa(e.Status))
		if e.Code != "" && e.Code != strconv.Itoa(e.Status) {
			b.WriteString(" " + e.Code)
		}
	case e.Code != "":
		b.WriteString("server error " + e.Code)
	default:
		b.WriteString("server error")
	}
	if e.HTML {
		b.WriteString(": the server answered with a web page, check the base URL and the proxy")
		if e.Message != "" {
			b.WriteString(" (" + strconv.Quote(e.Message) + ")")
		}
	} else if e.Message != "" {
		b.WriteString(": " + e.Message)
	} else if e.Type != "" {
		b.WriteString(": " + e.Type)
	}
	if e.Encoding != "" {
		b.WriteString(": the answer is compressed with " + e.Encoding + ", which was not asked for and cannot be read")
	}
	if e.RequestID != "" {
		b.WriteString(" (request " + e.RequestID + ")")
	}
	return b.String()
}

// Retryable tells whether the same request may succeed later.
func (e *Error) Retryable() bool {
	status := e.Status
	if status == http.StatusOK {
		if n, err := strconv.Atoi(e.Code); err == nil {
			status = n
		} else {
			return !e.HTML && e.transientName()
		}
	}
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return true
	case http.StatusTooManyRequests:
		return !e.outOfQuota()
	}
	return status >= 500 && status <= 599
}

// outOfQuota tells a quota that time does not heal from a rate limit. "Quota
// exceeded" alone is how some servers word a rate limit.
func (e *Error) outOfQuota() bool {
	for _, name := range []string{e.Code, e.Type} {
		name = strings.ToLower(name)
		for _, part := range []string{"insufficient", "billing", "credit", "balance", "payment"} {
			if strings.Contains(name, part) {
				return true
			}
		}
	}
	message := strings.ToLower(e.Message)
	return strings.Contains(message, "billing details") ||
		strings.Contains(message, "insufficient balance") || strings.Contains(message, "insufficient quota")
}

// transientName tells whether an error inside a stream, which has no status of
// its own, is named like one that passes.
func (e *Error) transientName() bool {
	for _, name := range []string{e.Code, e.Type} {
		switch strings.ToLower(name) {
		case "server_error", "internal_server_error", "internal_error", "api_error", "overloaded_error",
			"overloaded", "rate_limit_error", "rate_limit_exceeded", "timeout", "timeout_error",
			"service_unavailable", "ttfb_gate_shed":
			return !e.outOfQuota()
		}
	}
	return false
}

// InterruptedError tells that an answer ended before it was complete: neither
// [DONE] had arrived nor the finish reason of every choice that was asked for, or
// the server had gone on behind its finish reasons.
type InterruptedError struct {
	// Cause says what was noticed: io.ErrUnexpectedEOF for a clean end, ErrIdle,
	// ErrFirstByte, ErrAsleep, ErrTooLarge, or the network's error.
	Cause     error
	RequestID string
	// Visible tells that something of the answer had come: reasoning, text or a
	// call.
	Visible bool
}

func (e *InterruptedError) Error() string {
	what := "the server ended the answer early"
	if e.Cause != io.ErrUnexpectedEOF { //nolint:errorlint // wrapped, it is the network's error
		what = reason(e.Cause)
	}
	if e.RequestID != "" {
		return fmt.Sprintf("answer interrupted: %s (request %s)", what, e.RequestID)
	}
	return "answer interrupted: " + what
}

func (e *InterruptedError) Unwrap() error { return e.Cause }

// ConnectError tells that no answer began: the server could not be reached, or
// what was reached does not speak this protocol.
type ConnectError struct {
	Host string // host and port of the base URL
	Err  error  // the network's error
}

func (e *ConnectError) Error() string {
	line := fmt.Sprintf("reach %s: %s", e.Host, reason(e.Err))
	if isCertificate(e.Err) {
		line += " (a private certificate authority is trusted with SSL_CERT_FILE or with ca_file in the configuration)"
	}
	return line
}

func (e *ConnectError) Unwrap() error { return e.Err }

// retryable tells whether the same connection may succeed later. A wrong
// certificate or a server of another kind stays what it is.
func (e *ConnectError) retryable() bool {
	var proxy *proxyError
	if errors.As(e.Err, &proxy) {
		return proxy.retryable()
	}
	text := e.Err.Error()
	return !isCertificate(e.Err) && !strings.Contains(text, "malformed HTTP") &&
		!strings.Contains(text, "HTTP response to HTTPS client") &&
		!strings.Contains(text, "first record does not look like a TLS handshake") &&
		!strings.Contains(text, "unsupported protocol scheme") &&
		!strings.Contains(text, "invalid header field")
}

func isCertificate(err error) bool {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// reason is the innermost thing that an error of the network says, on one line
// and without the addresses that its callers have already named.
func reason(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case err == nil:
		return "unknown"
	case errors.As(err, &dns):
		return oneLine("look up "+dns.Name+": "+dns.Err, maxErrorText)
	case strings.Contains(err.Error(), "readLoopPeekFailLocked"):
		return "the server does not speak HTTP" // net/http has no words for it
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "connection reset by the server"
	case errors.As(err, &op) && op.Timeout():
		return op.Op + " timed out"
	case errors.As(err, &op) && !slices.Contains([]string{"proxyconnect", "socks connect"}, op.Op):
		return oneLine(op.Op+": "+op.Err.Error(), maxErrorText)
	}
	return oneLine(err.Error(), maxErrorText)
}
