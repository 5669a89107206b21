package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var whole = events(textFrame("fine") + finishFrame("stop") + doneFrame)

// failure replies with an error of the connection.
func failure(err error) reply {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func TestAPassingFailureIsRetried(t *testing.T) {
	for name, first := range map[string]reply{
		"408": refused(408, ""), "409": refused(409, ""), "425": refused(425, ""), "429": refused(429, ""),
		"500": refused(500, ""), "502": refused(502, "<html>"), "503": refused(503, ""), "504": refused(504, "Gateway Timeout"),
		"520": refused(520, ""), "529": refused(529, `{"error":{"type":"overloaded_error"}}`),
		"connection refused":              failure(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}),
		"closed before an answer":         failure(io.EOF),
		"reset before the first word":     torn(syscall.ECONNRESET, deltaFrame(`{"role":"assistant","content":""}`)),
		"clean end before the first word": events(": ping\n\n"),
		"overloaded inside the stream":    events(raw(`{"error":{"message":"overloaded","code":503}}`)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, server := newTestClient(t, Options{}, first, whole)
				o := read(c.Stream(t.Context(), hello()))
				wantText(t, o, "fine")
				if len(o.retries) != 1 || server.count() != 2 {
					t.Fatalf("%d retries, %d requests", len(o.retries), server.count())
				}
				r := o.retries[0]
				if r.Attempt != 2 || r.Max != 4 || r.Err == nil || r.Dropped != "" || r.Wait <= 0 || r.Wait > time.Second+1 {
					t.Errorf("%+v", r)
				}
				if last := o.opens[len(o.opens)-1]; last.Attempt != 2 {
					t.Errorf("open %+v", last)
				}
				if server.bodies[0] != server.bodies[1] {
					t.Error("the second request is another one")
				}
			})
		})
	}
}

func TestALastingFailureIsNotRetried(t *testing.T) {
	for name, first := range map[string]reply{
		"400": refused(400, `{"error":{"message":"bad"}}`), "401": refused(401, ""), "402": refused(402, `{"error":{"message":"Insufficient Balance"}}`),
		"403": refused(403, "<html>"), "404": refused(404, ""), "413": refused(413, ""), "422": refused(422, ""),
		"out of quota":             refused(429, `{"error":{"code":"insufficient_quota","message":"quota used up"}}`),
		"zero data retention":      refused(422, `{"error":{"code":"model_zdr_not_supported","message":"no"}}`),
		"context in the stream":    events(raw(`{"error":{"code":"context_length_exceeded","message":"maximum context is 8192 tokens"}}`)),
		"a server of another kind": failure(errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-OpenSSH"`)),
		"after some text":          torn(syscall.ECONNRESET, textFrame("One two ")),
		"after some reasoning":     torn(syscall.ECONNRESET, reasoningFrame("thinking A")),
		"after a tool call":        torn(syscall.ECONNRESET, callFrame("0", `"c1"`, `"shell"`, quoted("{}"))),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, server := newTestClient(t, Options{}, first, whole)
				o := read(c.Stream(t.Context(), hello()))
				if o.err == nil || len(o.retries) != 0 || server.count() != 1 {
					t.Errorf("%v, %d retries, %d requests", o.err, len(o.retries), server.count())
				}
			})
		})
	}
}

func TestRetriesEndAfterThreeAndUnderFifteenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c, server := newTestClient(t, Options{}, refused(503, `{"error":{"message":"busy"}}`))
		o := read(c.Stream(t.Context(), hello()))
		if e := asError[*Error](t, o.err); e.Status != 503 || len(o.retries) != 3 || server.count() != 4 {
			t.Errorf("%v, %d retries, %d requests", o.err, len(o.retries), server.count())
		}
		if d := time.Since(begin); d >= 15*time.Second {
			t.Errorf("waited %s", d)
		}
	})
}

func TestRetryAfterIsAMinimum(t *testing.T) {
	date := func(d time.Duration) string {
		// The fake clock begins at midnight UTC, 2000-01-01.
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Format(http.TimeFormat)
	}
	cases := []struct {
		header   string
		min, max time.Duration // of the wait; max 0: not waited for
		said     time.Duration // RetryAfter of the error that is given instead
	}{
		{"Retry-After: 2", 2 * time.Second, 2300 * time.Millisecond, 0},
		{"Retry-After: 0", 0, 0, -1},
		{"Retry-After: 1.5", 1500 * time.Millisecond, 1800 * time.Millisecond, 0},
		{"Retry-After: -1", 1, time.Second + 1, 0},
		{"Retry-After: soon", 1, time.Second + 1, 0},
		{"Retry-After:", 1, time.Second + 1, 0},
		{"Retry-After: NaN", 1, time.Second + 1, 0},
		{"Retry-After: " + date(4*time.Second), 4 * time.Second, 4300 * time.Millisecond, 0},
		{"Retry-After: " + date(-time.Hour), 1, time.Second + 1, 0},
		{"Retry-After-Ms: 500", 500 * time.Millisecond, 560 * time.Millisecond, 0},
		{"Retry-After: 20", 0, 0, 20 * time.Second},
		{"Retry-After: 3600", 0, 0, time.Hour},
		{"Retry-After: 99999999999", 0, 0, maxRetryAfter},
		{"Retry-After: Inf", 0, 0, maxRetryAfter},
		{"Retry-After: Wed, 21 Oct 2037 07:28:00 GMT", 0, 0, maxRetryAfter},
	}
	for _, c := range cases {
		t.Run(c.header, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				client, server := newTestClient(t, Options{}, refused(429, `{"error":{"message":"slow"}}`, c.header), whole)
				o := read(client.Stream(t.Context(), hello()))
				waited := time.Since(begin)
				switch {
				case c.said > 0:
					if e := asError[*Error](t, o.err); e.RetryAfter != c.said || server.count() != 1 || waited != 0 {
						t.Errorf("%+v after %s", e, waited)
					}
				case c.said < 0:
					if o.err != nil || waited != 0 || len(o.retries) != 1 || o.retries[0].Wait != 0 {
						t.Errorf("%v after %s", o.err, waited)
					}
				default:
					if o.err != nil || waited < c.min || waited > c.max || o.retries[0].Wait != waited {
						t.Errorf("%v after %s: %+v", o.err, waited, o.retries)
					}
				}
			})
		})
	}
}

func TestALimitThatIsUsedUpIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		headers string
		wait    time.Duration
		ok      bool
	}{
		"requests":                {"X-Ratelimit-Reset-Requests: 1s", time.Second, true},
		"the one that is used up": {"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 6m0s|x-ratelimit-remaining-tokens: 5|x-ratelimit-reset-tokens: 9m", 6 * time.Minute, true},
		"both":                    {"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 13ms|x-ratelimit-remaining-tokens: 0|x-ratelimit-reset-tokens: 2.5", 2500 * time.Millisecond, true},
		"none is used up":         {"x-ratelimit-remaining-requests: 3|x-ratelimit-reset-requests: 1s", 0, false},
		"it has been reset":       {"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 0s", 0, false},
		"a time since 1970":       {"x-ratelimit-reset-requests: 1790793243", 0, false},
		"nonsense":                {"x-ratelimit-remaining-tokens: many|x-ratelimit-reset-tokens: soon|x-ratelimit-reset-requests: -4s", 0, false},
		"the server's own word":   {"Retry-After: 3|x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 1h", 3 * time.Second, true},
	} {
		h := http.Header{}
		for line := range strings.SplitSeq(c.headers, "|") {
			name, value, _ := strings.Cut(line, ":")
			h.Set(name, strings.TrimSpace(value))
		}
		if e := decodeError(429, h, nil, "", time.Now()); e.RetryAfter != c.wait || e.asked != c.ok {
			t.Errorf("%s: %s %t", name, e.RetryAfter, e.asked)
		}
		if e := decodeError(503, h, nil, "", time.Now()); e.asked && h.Get("Retry-After") == "" {
			t.Errorf("%s: another error waits %s", name, e.RetryAfter)
		}
	}
}

func TestADateIsMeantByTheServersOwnClock(t *testing.T) {
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		date, after string
		wait        time.Duration
		ok          bool
	}{
		{"", at(4 * time.Second), 4 * time.Second, true},
		{at(-time.Hour), at(4*time.Second - time.Hour), 4 * time.Second, true}, // it is an hour behind
		{at(time.Hour), at(4*time.Second + time.Hour), 4 * time.Second, true},
		{at(time.Hour), at(4 * time.Second), 0, false},
		{"nonsense", at(4 * time.Second), 4 * time.Second, true},
	} {
		h := http.Header{"Retry-After": {c.after}, "Date": {c.date}}
		if wait, ok := parseRetryAfter(h, now); wait != c.wait || ok != c.ok {
			t.Errorf("Date %q, Retry-After %q: %s %t", c.date, c.after, wait, ok)
		}
	}
}

func TestLongRetryAftersShareOneBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c, server := newTestClient(t, Options{}, refused(429, "", "Retry-After: 6"))
		o := read(c.Stream(t.Context(), hello()))
		if e := asError[*Error](t, o.err); e.RetryAfter != 6*time.Second || server.count() != 3 || time.Since(begin) >= 15*time.Second {
			t.Errorf("%v, %d requests in %s", o.err, server.count(), time.Since(begin))
		}
	})
}

func TestARetryIsToldBeforeItIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c, _ := newTestClient(t, Options{}, refused(429, "", "Retry-After: 10"), whole)
		ctx, cancel := context.WithCancel(t.Context())
		s := c.Stream(ctx, hello())
		e, err := s.Next()
		if err != nil || e.Kind != EventRetry || time.Since(begin) != 0 {
			t.Fatalf("%+v %v after %s", e, err, time.Since(begin))
		}
		go func() { time.Sleep(time.Second); cancel() }()
		if _, err := s.Next(); !errors.Is(err, context.Canceled) || time.Since(begin) != time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

func TestARefusedParameterIsLeftOutOnceAndRemembered(t *testing.T) {
	one, half, yes, seed := 1, 0.5, true, int64(7)
	reasoning := "r"
	req := Request{Model: "M", Params: Params{
		MaxTokens: &one, Temperature: &half, TopP: &half, ParallelToolCalls: &yes, Seed: &seed, N: &one, ReasoningEffort: "high",
	}, Messages: []Message{
		{Role: RoleUser, Content: []Part{{Text: "hi"}}},
		{Role: RoleAssistant, Reasoning: &reasoning, ToolCalls: []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		{Role: RoleTool, ToolCallID: "a", Content: []Part{{Text: "x"}}},
	}}
	openAI := func(name string) string {
		return `{"error":{"message":"Unsupported parameter: '` + name + `'","param":"` + name + `","code":"unsupported_parameter"}}`
	}
	for name, body := range map[string]string{
		"temperature": openAI("temperature"), "top_p": openAI("top_p"), "stream_options": openAI("stream_options"),
		"reasoning_effort": openAI("reasoning_effort"), "n": openAI("n"), "seed": openAI("seed"), "max_tokens": openAI("max_tokens"),
		"parallel_tool_calls": `{"error":{"message":"Unrecognized request argument supplied: parallel_tool_calls"}}`,
		"reasoning_content":   `{"detail":[{"loc":["body","messages",1,"reasoning_content"],"msg":"extra fields not permitted"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				c, server := newTestClient(t, Options{BaseURL: "https://example.test"}, refused(422, body), whole)
				o := read(c.Stream(t.Context(), req))
				wantText(t, o, "fine")
				if len(o.retries) != 1 || o.retries[0].Dropped != name || o.retries[0].Wait != 0 || time.Since(begin) != 0 {
					t.Fatalf("%+v", o.retries)
				}
				has := func(i int, name string) bool { return strings.Contains(server.bodies[i], `"`+name+`":`) }
				if !has(0, name) || has(1, name) {
					t.Errorf("bodies\n%s\n%s", server.bodies[0], server.bodies[1])
				}
				if name == "max_tokens" && !has(1, "max_completion_tokens") {
					t.Error("the limit is gone")
				}
				other := req
				other.Model = "m" // ids are compared case-folded
				wantText(t, read(c.Stream(t.Context(), other)), "fine")
				if has(2, name) {
					t.Errorf("sent again: %s", server.bodies[2])
				}
				other.Model = "another"
				wantText(t, read(c.Stream(t.Context(), other)), "fine")
				if !has(3, name) {
					t.Errorf("left out for another model: %s", server.bodies[3])
				}
			})
		})
	}
}

func TestWhatTheUserReliesOnIsNeverLeftOut(t *testing.T) {
	half := 0.5
	req := Request{Model: "m", ZDR: true, Tools: []Tool{{Name: "f"}}, Messages: hello().Messages, Params: Params{
		ResponseFormat: []byte(`{"type":"json_object"}`), Stop: []string{"x"}, ReasoningEffort: "ultra", Temperature: &half, Regex: "a",
	}}
	for name, body := range map[string]string{
		"tools":             `{"error":{"message":"Unsupported parameter: 'tools'","param":"tools"}}`,
		"response_format":   `{"error":{"message":"bad","param":"response_format"}}`,
		"stop":              `{"error":{"message":"bad","param":"stop"}}`,
		"regex":             `{"error":{"message":"bad","param":"regex"}}`,
		"zdr":               `{"error":{"message":"Wafer-ZDR is not supported","code":"model_zdr_not_supported"}}`,
		"a value":           `{"error":{"message":"reasoning_effort 'ultra' is unknown","param":"reasoning_effort","code":"unsupported_value"}}`,
		"what is not sent":  `{"error":{"message":"Unsupported parameter: 'top_p'","param":"top_p"}}`,
		"missing reasoning": `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API."}}`,
		"a word":            `{"error":{"message":"the temperatures of n servers"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, server := newTestClient(t, Options{}, refused(400, body), whole)
			o := read(c.Stream(t.Context(), req))
			if asError[*Error](t, o.err); server.count() != 1 {
				t.Errorf("%d requests, %+v", server.count(), o.retries)
			}
			if got := server.requests[0].Header.Get("Wafer-Zdr"); got != "required" {
				t.Errorf("Wafer-ZDR %q", got)
			}
		})
	}
}

func TestEachParameterIsLeftOutOnlyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		half := 0.5
		req := hello()
		req.Temperature, req.TopP = &half, &half
		refuse := func(name string) reply {
			return refused(400, `{"error":{"message":"not supported","param":"`+name+`"}}`)
		}
		c, server := newTestClient(t, Options{}, refuse("temperature"), refuse("top_p"), refuse("temperature"))
		o := read(c.Stream(t.Context(), req))
		asError[*Error](t, o.err)
		if server.count() != 3 || len(o.retries) != 2 {
			t.Errorf("%d requests", server.count())
		}
		if strings.Contains(server.bodies[2], "temperature") || strings.Contains(server.bodies[2], "top_p") {
			t.Error(server.bodies[2])
		}
	})
}

func TestZDRIsSentWithEveryAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := hello()
		req.ZDR, req.RequestID = true, "mine"
		c, server := newTestClient(t, Options{Key: "k"}, refused(503, ""), refused(503, ""), whole)
		wantText(t, read(c.Stream(t.Context(), req)), "fine")
		for _, r := range server.requests {
			if r.Header.Get("Wafer-Zdr") != "required" || r.Header.Get("X-Request-Id") != "mine" || r.Header.Get("Authorization") != "Bearer k" {
				t.Errorf("%v", r.Header)
			}
		}
	})
}

func TestCompleteRetriesLikeAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := newTestClient(t, Options{}, refused(503, ""), answer(200, []string{"Content-Type: application/json"}, documentResponse))
		if got, err := c.Complete(t.Context(), hello()); err != nil || got.Choices[0].Finish != "stop" || server.count() != 2 {
			t.Errorf("%+v %v", got, err)
		}
	})
}

func TestALostConnectionNeverLooksLikeTheEndOfAnAnswer(t *testing.T) {
	for name, r := range map[string]reply{
		"before the headers": failure(io.EOF), "in the middle": torn(io.ErrUnexpectedEOF, textFrame("a")), "before a word": events(),
	} {
		c, _ := newTestClient(t, noRetries, r)
		if err := read(c.Stream(t.Context(), hello())).err; err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := c.Complete(t.Context(), hello()); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestErrorsAreFinal(t *testing.T) {
	c, server := newTestClient(t, noRetries, refused(400, `{"error":{"message":"bad"}}`))
	s := c.Stream(t.Context(), hello())
	_, first := s.Next()
	_, second := s.Next()
	if first == nil || first != second || server.count() != 1 {
		t.Errorf("%v, then %v", first, second)
	}
}
