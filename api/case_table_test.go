package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"unicode/utf8"
)

// wireCase is a response of literal bytes and all that must come of it.
type wireCase struct {
	saw     string // what a user saw, or must not see
	body    string
	want    string // as tell tells it
	status  int    // 0 is 200
	kind    string // Content-Type, "" is text/event-stream
	reset   bool   // the connection is reset behind the body, which else ends properly
	times   int    // the requests that the server gets, 0 is 1
	skipped int    // frames that could not be read
}

const caseID = "req_0123456789ab"

// everyCase has the cases of all tables.
func everyCase() []wireCase {
	return slices.Concat(framingCases(), endCases(), reasoningCases(), tagCases(), callCases(), callPartCases(), callExtraCases(), callEndCases(), usageCases(),
		streamErrorCases(), refusalCases(), errorBodyCases(), pageCases())
}

// reply answers with the body in the given pieces.
func (c wireCase) reply(pieces ...string) reply {
	return func(req *http.Request) (*http.Response, error) {
		body := &pieceReader{pieces: slices.Clone(pieces), err: io.EOF, ctx: req.Context()}
		if c.reset {
			body.err = syscall.ECONNRESET
		}
		headers := []string{"Content-Type: " + cmp.Or(c.kind, "text/event-stream"), "X-Request-Id: " + caseID}
		return response(cmp.Or(c.status, http.StatusOK), headers, body), nil
	}
}

// dressed is the body with each of the line ends that servers use.
func (c wireCase) dressed() []string {
	return []string{c.body, strings.ReplaceAll(c.body, "\n", "\r\n"), strings.ReplaceAll(c.body, "\n", "\r")}
}

// tell says in words all that came of an answer.
func tell(o outcome) string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if o.field != "" {
		say("%s %q", o.field, o.reasoning)
	}
	if o.details != "" {
		say("details %s", o.details)
	}
	if o.text != "" {
		say("text %q", o.text)
	}
	if len(o.calls) > 0 {
		say("calls %s", callsOf(o))
	}
	if o.finish != "" {
		say("finish %s", o.finish)
	}
	if u := o.usage; u != nil {
		say("usage %s", tellCounts(u.PromptTokens, u.CompletionTokens, u.TotalTokens, u.CachedTokens, u.ReasoningTokens))
	}
	if n := strings.Count(kinds(o), string(EventUsage)); n > 1 {
		say("usage %d times", n)
	}
	if o.err != nil {
		say("%s", tellError(o.err))
		if line := o.err.Error(); strings.ContainsAny(line, "\n\x1b") || utf8.RuneCountInString(line) > 600 {
			say("no good line")
		}
	}
	return strings.Join(all, ", ")
}

// tellCounts writes "-" for what was not reported.
func tellCounts(counts ...*int64) string {
	var all []string
	for _, n := range counts {
		if n == nil {
			all = append(all, "-")
		} else {
			all = append(all, fmt.Sprint(*n))
		}
	}
	return strings.Join(all, " ")
}

// tellError says what kind of error it is, with what the server said of it.
func tellError(err error) string {
	var refused *Error
	var cut *InterruptedError
	switch {
	case errors.As(err, &refused):
		name := "error"
		if refused.HTML {
			name = "page"
		}
		line := fmt.Sprintf("%s %d", name, refused.Status)
		for _, field := range []string{refused.Code, refused.Type, refused.Param, refused.DocsURL} {
			if field != "" {
				line += " " + field
			}
		}
		if refused.RequestID != caseID {
			line += " without the request's id"
		}
		return line + fmt.Sprintf(" %q", refused.Message)
	case errors.As(err, &cut):
		line := "cut off"
		if cut.Cause != io.ErrUnexpectedEOF { //nolint:errorlint // the bare value is a clean end
			line += ": " + reason(cut.Cause)
		}
		if cut.RequestID != caseID {
			line += " without the request's id"
		}
		return line
	}
	return err.Error()
}

// checkCases plays each case to a client as users have it, retries included.
func checkCases(t *testing.T, cases []wireCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.saw, func(t *testing.T) {
			for _, body := range c.dressed() {
				synctest.Test(t, func(t *testing.T) {
					client, server := newTestClient(t, Options{}, c.reply(body))
					s := client.Stream(t.Context(), hello())
					got := tell(read(s))
					if got != c.want {
						t.Errorf("%.600s\nwant %.600s\nof %.300q", got, c.want, body)
					}
					if n, want := server.count(), max(1, c.times); n != want {
						t.Errorf("the server got %d requests, want %d", n, want)
					}
					if n, want := s.Skipped(), c.skipped*max(1, c.times); n != want {
						t.Errorf("%d frames were skipped, want %d", n, want)
					}
				})
			}
		})
	}
}

// transcript is every event that comes of the body in the given pieces, and the
// error. Ids that the client makes up are left out.
func (c wireCase) transcript(t testing.TB, pieces ...string) string {
	client, _ := newTestClient(t, noRetries, c.reply(pieces...))
	s := client.Stream(context.Background(), hello())
	defer s.Close()
	var all strings.Builder
	for {
		e, err := s.Next()
		if err != nil {
			fmt.Fprintf(&all, "%v, %d skipped", err, s.Skipped())
			return all.String()
		}
		if e.Call != nil && strings.HasPrefix(e.Call.ID, "call_") {
			e.Call.ID = "made-up"
		}
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(line, '\n'))
	}
}

// inPieces cuts a body into pieces of the given sizes plus one, again and again.
func inPieces(body string, sizes []byte) []string {
	var pieces []string
	for i := 0; body != ""; i++ {
		n := len(body)
		if len(sizes) > 0 {
			n = min(n, int(sizes[i%len(sizes)])+1)
		}
		pieces, body = append(pieces, body[:n]), body[n:]
	}
	return pieces
}

func TestWhereverTheNetworkCutsTheBytesTheSameComesOfThem(t *testing.T) {
	for number, c := range everyCase() {
		t.Run(c.saw, func(t *testing.T) {
			t.Parallel()
			want := c.transcript(t, c.body)
			compare := func(where string, pieces ...string) {
				t.Helper()
				if got := c.transcript(t, pieces...); got != want {
					t.Fatalf("%s:\n%.2000s\nwhole:\n%.2000s", where, got, want)
				}
			}
			for dress, body := range c.dressed() {
				if len(body) < 10000 {
					compare("byte by byte", inPieces(body, []byte{0})...)
				} else {
					compare("in small pieces", inPieces(body, []byte{255, 0, 90})...)
				}
				step := 1 + len(body)/(6-2*dress)
				for i := number % step; i < len(body); i += step {
					compare(fmt.Sprintf("cut at %d of %.3000q", i, body), body[:i], body[i:])
				}
			}
		})
	}
}

func FuzzCasesUnderAnyChunking(f *testing.F) {
	cases := everyCase()
	for i := range cases {
		f.Add(uint16(i), []byte{byte(i), 0, 13})
		f.Add(uint16(i+(1+i%2)*len(cases)), []byte{0, 1})
	}
	f.Fuzz(func(t *testing.T, number uint16, sizes []byte) {
		c, dress := cases[int(number)%len(cases)], int(number)/len(cases)%3
		want, got := c.transcript(t, c.body), c.transcript(t, inPieces(c.dressed()[dress], sizes)...)
		if got != want {
			t.Fatalf("%s: in pieces\n%s\nwhole\n%s", c.saw, got, want)
		}
	})
}

// ServeHTTP answers over a real connection, in small writes.
func (c wireCase) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", cmp.Or(c.kind, "text/event-stream"))
	w.Header().Set("X-Request-Id", caseID)
	w.WriteHeader(cmp.Or(c.status, http.StatusOK))
	control := http.NewResponseController(w)
	for _, piece := range inPieces(c.body, []byte{16, byte(len(c.body)), 40}) {
		_, _ = io.WriteString(w, piece)
		_ = control.Flush()
	}
	if !c.reset {
		return
	}
	if conn, _, err := control.Hijack(); err == nil {
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

// TestOverARealConnectionTheSameComesOfTheBytes: chunks of HTTP, a real reset,
// and nothing that goes on running.
func TestOverARealConnectionTheSameComesOfTheBytes(t *testing.T) {
	cases := everyCase()
	var requests atomic.Int64
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if n, err := strconv.Atoi(r.Header.Get("X-Request-Id")); err == nil {
			cases[n].ServeHTTP(w, r)
		}
	}), nil)
	client := dial(t, Options{BaseURL: server.URL, MaxRetries: new(int)})
	for i, c := range cases {
		t.Run(c.saw, func(t *testing.T) {
			before, req := requests.Load(), hello()
			req.RequestID = strconv.Itoa(i)
			got := tell(read(client.Stream(t.Context(), req)))
			if c.reset { // net/http has more than one word for it
				got = strings.Replace(got, "unexpected EOF", reason(syscall.ECONNRESET), 1)
			}
			if got != c.want {
				t.Errorf("%.600s\nwant %.600s", got, c.want)
			}
			if n := requests.Load() - before; n != 1 {
				t.Errorf("the server got %d requests", n)
			}
		})
	}
	waitForGoroutines(t)
}
