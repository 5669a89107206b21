package chat

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"waferchat/api"
	"waferchat/session"
)

// sqliteError has the shape of the store driver's error.
type sqliteError int

func (e sqliteError) Error() string { return fmt.Sprintf("sqlite: %d", int(e)) }
func (e sqliteError) Code() int     { return int(e) }

// request wraps an error as net/http does.
func request(err error) error {
	return fmt.Errorf("send request: %w", &url.Error{Op: "Post", URL: "https://pass.wafer.ai/v1/chat/completions", Err: err})
}

func dial(err error) error {
	return request(&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}, Err: os.NewSyscallError("connect", err)})
}

// broken is an answer that broke off; unbegun one of which nothing had come.
func broken(cause error) error {
	return &api.InterruptedError{Cause: cause, RequestID: "req_7", Visible: true}
}

func unbegun(cause error) error { return &api.InterruptedError{Cause: cause, RequestID: "req_7"} }

func refusal(status int, code, message string) *api.Error {
	return &api.Error{Status: status, Code: code, Message: message, RequestID: "req_1"}
}

func TestEveryErrorIsExplained(t *testing.T) {
	tests := []struct {
		name          string
		err           error
		title, advice string // the whole title; what the advice contains
	}{
		{"no key", refusal(401, "missing_api_key", "No API key."), "The server wants an API key (401 missing_api_key).", "WAFER_API_KEY"},
		{"wrong key", refusal(401, "invalid_api_key", "The API key is not valid."), "The server did not accept the API key (401 invalid_api_key).", "waferchat key set"},
		{"no credit", refusal(402, "", "Insufficient Balance"), "There is no credit left for this API key (402).", "The server says: “Insufficient Balance” Request req_1."},
		{"no access", refusal(403, "", ""), "The API key may not do this (403).", "access to the model"},
		{"model gone", refusal(404, "model_not_found", "no such model"), "The server does not have this model (404 model_not_found).", "Alt+M"},
		{"model gone, no code", refusal(404, "", "The model `x` does not exist"), "The server does not have this model (404).", "waferchat models"},
		{"wrong path", refusal(404, "", "Not Found"), "There is no chat API at this address (404).", "/v1"},
		{"wrong method", refusal(405, "", ""), "This address does not take chat completions (405).", "/v1"},
		{"request timeout", refusal(408, "", ""), "The server gave up waiting for the request (408).", "try again"},
		{"conflict", refusal(409, "", ""), "The server was busy with a conflicting request (409).", "again"},
		{"too large", refusal(413, "request_too_large", "request too large"), "The request is too large for the server (413 request_too_large).", "pictures"},
		{"no ZDR", refusal(422, "model_zdr_not_supported", "m has no ZDR"), "This model does not support Zero Data Retention, so the request was not run (422 model_zdr_not_supported).", "--zdr"},
		{"invalid field", &api.Error{Status: 422, Code: "schema_validation_failed", Param: "messages[0].content"}, "The server refused the request because of messages[0].content (422 schema_validation_failed).", "Change or unset it"},
		{"bad value", &api.Error{Status: 400, Code: "unsupported_value", Param: "reasoning_effort", Message: "unknown effort"}, "The server refused the request because of reasoning_effort (400 unsupported_value).", "“unknown effort”"},
		{"plain 400", refusal(400, "", ""), "The server refused the request (400).", "Request req_1."},
		{"too long", refusal(400, "context_length_exceeded", ""), "The chat is too long for this model (400 context_length_exceeded).", "new chat"},
		{"too long, in words", refusal(400, "", "prompt is too long"), "The chat is too long for this model (400).", "new chat"},
		{"too long, in the stream", refusal(200, "400", "Input length exceeds the limit"), "The chat is too long for this model (400).", "new chat"},
		{"limit too large", refusal(400, "", "max_tokens is too large: 8192. This model's maximum context length is 4096 tokens and your request has 20 input tokens (8192 > 4096 - 20)."), "max_tokens is too large for this model (400).", "Lower it, or unset it"},
		{"limit too large, both names", refusal(400, "", "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 20 input tokens (8192 > 4096 - 20)."), "max_tokens is too large for this model (400).", "Lower it"},
		{"limit too large, in numbers", refusal(400, "context_length_exceeded", "This model's maximum context length is 4,096 tokens. However, you requested 8,212 tokens (20 in the messages, 8,192 in the completion). Please reduce the length of the messages or completion."), "max_tokens is too large for this model (400 context_length_exceeded).", "Lower it"},
		{"limit too large, by its place", &api.Error{Status: 400, Code: "context_length_exceeded", Param: "max_tokens", RequestID: "req_1"}, "max_tokens is too large for this model (400 context_length_exceeded).", "Lower it"},
		{"prompt that leaves no room", refusal(400, "", "max_tokens is too large: 100. This model's maximum context length is 4096 tokens and your request has 4090 input tokens (100 > 4096 - 4090)."), "The chat is too long for this model (400).", "new chat"},
		{"prompt too long, in numbers", refusal(400, "", "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages."), "The chat is too long for this model (400).", "new chat"},
		{"schema reference", refusal(400, "json_schema_refs_recursive", ""), "The server cannot resolve a reference in the JSON schema (400 json_schema_refs_recursive).", "$ref"},
		{"rejected", refusal(400, "model_request_rejected", ""), "The model refused the request (400 model_request_rejected).", "picture"},
		{"tool schema", refusal(400, "tool_schema_invalid", "tools[0]"), "The server does not take the parameters of a tool (400 tool_schema_invalid).", "“tools[0]”"},
		{"unknown tool", refusal(400, "tool_choice_unknown_tool", ""), "The tool that tool_choice names is not offered (400 tool_choice_unknown_tool).", "unset tool_choice"},
		{"unreadable", refusal(400, "invalid_json_request", ""), "The server could not read the request (400 invalid_json_request).", "unset it"},
		{"too large to be sent", fmt.Errorf("send request of 60 MB: %w", api.ErrBodyTooLarge), "The request is larger than the 50 MB that the server takes, so it was not sent.", "pictures"},
		{"nothing to go on with", ErrNothingToContinue, "There is no cut text to go on with.", "again"},
		{"quota", refusal(429, "insufficient_quota", "quota used up"), "There is no credit left for this API key (429 insufficient_quota).", "“quota used up”"},
		{"rate", &api.Error{Status: 429, Code: "rate_limit_exceeded", RetryAfter: 20 * time.Second}, "The server limits how often this key may ask (429 rate_limit_exceeded).", "asks to wait 20s"},
		{"rate, for a blink", &api.Error{Status: 429, RetryAfter: 200 * time.Millisecond}, "The server limits how often this key may ask (429).", "Wait a moment, then try again."},
		{"rate, for minutes", &api.Error{Status: 429, RetryAfter: 61 * time.Second}, "The server limits how often this key may ask (429).", "asks to wait 2 min."},
		{"rate, for hours", &api.Error{Status: 429, RetryAfter: 90 * time.Minute}, "The server limits how often this key may ask (429).", "asks to wait 1 h 30 min."},
		{"rate, for days", &api.Error{Status: 429, RetryAfter: 25 * time.Hour}, "The server limits how often this key may ask (429).", "asks to wait 2 days."},
		{"rate, for ever", &api.Error{Status: 429, RetryAfter: 87600 * time.Hour}, "The server limits how often this key may ask (429).", "asks to wait for months."},
		{"rate, no code", refusal(429, "", "Quota exceeded: 100 requests/minute"), "The server limits how often this key may ask (429).", "Wait a moment"},
		{"at capacity", refusal(429, "ttfb_gate_shed", ""), "The model is at capacity just now (429 ttfb_gate_shed).", "another model"},
		{"500", refusal(500, "", "boom"), "The server failed to answer (500).", "“boom”"},
		{"502", refusal(502, "", "Bad Gateway"), "The server is not available just now (502).", "Try again"},
		{"503", refusal(503, "", ""), "The server is overloaded (503).", "another model"},
		{"504", refusal(504, "", "Gateway Timeout"), "The model did not answer the server in time (504).", "Try again"},
		{"529", refusal(529, "overloaded", ""), "The server is overloaded (529 overloaded).", "Try again"},
		{"gateway's page", &api.Error{Status: 502, HTML: true, Message: "<html>Ray ID: 1234"}, "The server is not available just now; a gateway in front of it answered with a web page (502).", "Try again"},
		{"login page", &api.Error{Status: 200, HTML: true}, "A web page answered instead of the API.", "network login"},
		{"forbidding page", &api.Error{Status: 403, HTML: true}, "A web page answered instead of the API, and it forbids access (403).", "firewall"},
		{"in the stream", &api.Error{Status: 200, Message: "boom", Visible: true}, "The server reported an error in the middle of the answer.", "What arrived is kept"},
		{"instead of an answer", refusal(200, "", "boom"), "The server reported an error instead of an answer.", "another model. The server says: “boom” Request req_1."},
		{"no answer at all", &api.Error{Status: 200, Message: "[]", Raw: true}, "What the server sent is no answer of a chat API.", "/v1. The server says: “[]”"},
		{"no catalogue", fmt.Errorf("read catalogue: %w: %w", api.ErrNoCatalogue, &api.Error{Status: 200, Message: "hello", Raw: true}), "The server sent no list of models.", "/v1. The server says: “hello”"},
		{"a page for a catalogue", fmt.Errorf("read catalogue: %w: %w", api.ErrNoCatalogue, &api.Error{Status: 200, HTML: true}), "A web page answered instead of the API.", "network login"},
		{"an error for a catalogue", fmt.Errorf("read catalogue: %w: %w", api.ErrNoCatalogue, refusal(200, "model_not_found", "")), "The server does not have this model (model_not_found).", "Alt+M"},
		{"a redirect", &api.Error{Status: 301, Message: "the server redirects to https://there.test/v1: nothing was sent there, check the base URL", RequestID: "req_1"}, "The server sends the request elsewhere (301).", "The server redirects to https://there.test/v1: nothing was sent there, check the base URL. Request req_1."},
		{"compressed", &api.Error{Status: 200, Encoding: "br"}, "The server's answer is compressed with br, which waferchat cannot read.", "base URL"},
		{"a refusal that is compressed", &api.Error{Status: 401, Encoding: "zstd"}, "The server did not accept the API key (401).", "What it says about that is compressed with zstd, which cannot be read."},
		{"in the stream, with a code", refusal(200, "503", "overloaded"), "The server is overloaded (503).", "“overloaded” Request req_1."},

		{"cut", broken(io.ErrUnexpectedEOF), "The answer ended before it was complete.", "What arrived is kept: answer again, or ask to go on. Request req_7."},
		{"cut before it began", unbegun(io.ErrUnexpectedEOF), "The answer ended before it was complete.", "Nothing of it had arrived: try again, or choose another model. Request req_7."},
		{"silent before it began", unbegun(api.ErrIdle), "The server went silent before the answer was complete.", "Nothing of it had arrived"},
		{"asleep before it began", unbegun(api.ErrAsleep), "The computer slept while the answer was awaited.", "Nothing of it had arrived"},
		{"reset before it began", unbegun(request(syscall.ECONNRESET)), "The connection to pass.wafer.ai:443 broke before the answer was complete.", "Nothing of it had arrived"},
		{"endless before it began", unbegun(api.ErrTooLarge), "The server sent more than an answer can hold.", "Nothing of it had arrived"},
		{"silent", broken(api.ErrIdle), "The server went silent before the answer was complete.", "kept"},
		{"nothing came", broken(api.ErrFirstByte), "The server sent nothing for too long.", "another model"},
		{"endless", broken(api.ErrTooLarge), "The server sent more than an answer can hold.", "base URL"},
		{"asleep", broken(api.ErrAsleep), "The computer slept while the answer was arriving.", "kept"},
		{"reset in the middle", broken(request(syscall.ECONNRESET)), "The connection to pass.wafer.ai:443 broke before the answer was complete.", "kept"},
		{"timeout in the middle", broken(request(os.ErrDeadlineExceeded)), "The connection to pass.wafer.ai:443 timed out before the answer was complete.", "kept"},
		{"refused, as an interruption", broken(dial(syscall.ECONNREFUSED)), "The server at pass.wafer.ai:443 refused the connection.", "running"},

		{"cancelled", fmt.Errorf("read: %w", context.Canceled), "The request was cancelled.", "again"},
		{"deadline", fmt.Errorf("read: %w", context.DeadlineExceeded), "It took too long and was given up.", "again"},

		{"unknown host", request(&net.OpError{Op: "dial", Err: &net.DNSError{Name: "pass.wafer.ai", IsNotFound: true}}), "The host name pass.wafer.ai could not be found.", "base URL"},
		{"name server silent", request(&net.DNSError{Name: "pass.wafer.ai", IsTimeout: true}), "The name server did not answer for pass.wafer.ai.", "network"},
		{"name server broken", request(&net.DNSError{Name: "pass.wafer.ai", Err: "server misbehaving"}), "The host name pass.wafer.ai could not be looked up.", "network"},
		{"refused", dial(syscall.ECONNREFUSED), "The server at pass.wafer.ai:443 refused the connection.", "port"},
		{"refused, number only", &net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, Err: syscall.ECONNREFUSED}, "The server at 127.0.0.1:8080 refused the connection.", "running"},
		{"refused, by the client", &api.ConnectError{Host: "localhost:11434", Err: dial(syscall.ECONNREFUSED)}, "The server at localhost:11434 refused the connection.", "running"},
		{"no HTTP", &api.ConnectError{Host: "localhost:22", Err: errors.New(`malformed HTTP response "SSH-2.0"`)}, "The server at localhost:22 does not speak HTTP.", "port"},
		{"proxy password", request(errors.New("Proxy Authentication Required")), "The proxy on the way to the server at pass.wafer.ai:443 wants a name and a password.", "HTTPS_PROXY"},
		{"unreachable", dial(syscall.ENETUNREACH), "The server at pass.wafer.ai:443 cannot be reached from this network.", "VPN"},
		{"reset", request(syscall.ECONNRESET), "The connection to pass.wafer.ai:443 broke.", "again"},
		{"timeout", request(os.ErrDeadlineExceeded), "The server at pass.wafer.ai:443 did not answer in time.", "again"},
		{"proxy", request(&net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED}), "The proxy could not be reached on the way to the server at pass.wafer.ai:443.", "HTTPS_PROXY"},
		{"other network error", request(errors.New("proxy says no")), "The request to pass.wafer.ai:443 failed: proxy says no.", "base URL"},
		{"unknown authority", request(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), "The certificate of the server at pass.wafer.ai:443 is signed by an unknown authority.", "SSL_CERT_FILE"},
		{"expired", request(&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}), "The certificate of the server at pass.wafer.ai:443 has expired or is not valid yet.", "date and time"},
		{"wrong host", request(&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}}}), "The certificate of the server at pass.wafer.ai:443 belongs to another host name.", "base URL"},
		{"invalid certificate", request(&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}}), "The certificate of the server at pass.wafer.ai:443 is not valid.", "SSL_CERT_FILE"},
		{"no TLS", request(http.ErrSchemeMismatch), "The server at pass.wafer.ai:443 does not speak TLS.", "http://"},
		{"other protocol", request(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), "The server at pass.wafer.ai:443 does not speak TLS.", "port"},

		{"locked", fmt.Errorf("lock: %w", session.ErrLocked), "Another waferchat is writing this chat.", "Go on there"},
		{"moved", session.ErrMoved, "This chat went on in another waferchat.", "Open it again"},
		{"newer", session.ErrNewer, "The chats were saved by a newer waferchat.", "Update"},
		{"removed", fmt.Errorf("save: %w", session.ErrGone), "The file with the chats was removed or replaced while it was in use.", "puts it back"},
		{"no chat", session.ErrNotFound, "There is no such chat.", "sessions list"},
		{"no message", fmt.Errorf("finish: %w", session.ErrNoMessage), "There is no such message in this chat.", "Open the chat again"},
		{"not a store", fmt.Errorf("open: %w", session.ErrCorrupt), "The file with the chats is damaged.", "sessions path"},
		{"ambiguous", &session.AmbiguousError{Name: "x"}, "More than one chat matches that name.", "id"},
		{"disk full", fmt.Errorf("write: %w", syscall.ENOSPC), "The disk is full, so this chat cannot be saved.", "Free some space"},
		{"store full", fmt.Errorf("commit: %w", sqliteError(13)), "The disk is full, so this chat cannot be saved.", "Free some space"},
		{"read-only", &fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}, "The chats cannot be saved, because their place on the disk is read-only.", "--data-dir"},
		{"read-only store", sqliteError(8 | 3<<8), "The chats cannot be saved, because their place on the disk is read-only.", "--data-dir"},
		{"no permission", &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, "The chats cannot be read or saved, because the permission is missing.", "--data-dir"},
		{"cannot open", sqliteError(14), "The file with the chats cannot be opened.", "--data-dir"},
		{"damaged", sqliteError(11), "The file with the chats is damaged.", "sessions path"},
		{"no store", sqliteError(26), "The file with the chats is damaged.", "sessions path"},
		{"store in use", sqliteError(5), "The file with the chats is in use by another program.", "moment"},
		{"disk broken", sqliteError(10), "The disk reported an error, so this chat cannot be saved.", "Check the disk"},

		{"busy", ErrBusy, "An answer is still arriving in this chat.", "Wait"},
		{"closed", ErrClosed, "waferchat is closing.", "saved"},
		{"answered", ErrAnswered, "The message cannot be taken back, because its answer has begun.", "delete"},
		{"unknown", errors.New("the moon is full"), "An unexpected error occurred: the moon is full.", "log"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			title, advice := Explain(test.err)
			if title != test.title {
				t.Errorf("title = %q\n  want  %q", title, test.title)
			}
			if !strings.Contains(advice, test.advice) {
				t.Errorf("advice = %q, which lacks %q", advice, test.advice)
			}
			var refused *api.Error
			if errors.As(test.err, &refused) && !strings.Contains(advice, refused.RequestID) {
				t.Errorf("advice = %q, which lacks the request id", advice)
			}
		})
	}
}

func TestNothingIsSaidOfAWaitThatIsOverAtOnce(t *testing.T) {
	for wait, want := range map[time.Duration]bool{0: false, 1: false, 200 * time.Millisecond: false, 700 * time.Millisecond: true, time.Second: true} {
		if _, advice := Explain(&api.Error{Status: 429, RetryAfter: wait}); strings.Contains(advice, "asks to wait") != want || strings.Contains(advice, "0s") {
			t.Errorf("%v: %s", wait, advice)
		}
	}
}

func TestNoErrorNeedsNoWords(t *testing.T) {
	if title, advice := Explain(nil); title != "" || advice != "" {
		t.Errorf("Explain(nil) = %q, %q", title, advice)
	}
}

func TestForeignTextIsFitToBeShown(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Too many requests.", "Too many requests."},
		{"lines", " a\r\n\tb\n\nc ", "a b c"},
		{"escapes", "a\x1b]0;PWNED\ab\x9b31mc", "a ]0;PWNED b�31mc"},
		{"C1", "a\u009b31mb", "a 31mb"},
		{"bidi", "a\u202etxt\u2066b", "atxtb"},
		{"joiners stay", "👩\u200d👩", "👩\u200d👩"},
		{"key", "Incorrect API key provided: sk-SECRET-123456.", "Incorrect API key provided: •••"},
		{"keys", `{"a":"wfr_abcdef1234","b":"sk-proj-abcdef12"}`, `{"a":"•••","b":"•••"}`},
		{"bearer", "Authorization: Bearer abcdef123456", "Authorization: Bearer •••"},
		{"no key", "Use Authorization: Bearer or x-api-key; see task-management", "Use Authorization: Bearer or x-api-key; see task-management"},
		{"page", "<!DOCTYPE html><html><body>Ray ID", ""},
		{"invalid", "a\xffb", "a�b"},
		{"long", strings.Repeat("é", 400), strings.Repeat("é", 300) + "…"},
	}
	for _, test := range tests {
		if got := clean(test.in); got != test.want {
			t.Errorf("%s: clean(%q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

func FuzzExplain(f *testing.F) {
	f.Add(429, "rate_limit_exceeded", "slow\x1b[31m down", "par\u202eam", "req_\n1", false)
	f.Add(200, "503", "<html>", "", "", true)
	f.Fuzz(func(t *testing.T, status int, code, message, param, id string, html bool) {
		for _, err := range []error{
			&api.Error{Status: status, Code: code, Message: message, Param: param, RequestID: id, HTML: html},
			&api.Error{Status: status, Code: code, Message: message, Param: param, Encoding: id, Raw: html, Visible: !html},
			&api.InterruptedError{Cause: errors.New(message), RequestID: id},
			&url.Error{Op: "Post", URL: message, Err: errors.New(code)},
			errors.New(message),
		} {
			title, advice := Explain(err)
			if title == "" || advice == "" {
				t.Fatalf("no words for %#v", err)
			}
			for _, r := range title + advice {
				if unicode.IsControl(r) || r == '\u202e' {
					t.Fatalf("%q in the words for %#v", r, err)
				}
			}
		}
	})
}
