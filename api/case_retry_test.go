package api

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// logged replies like r and notes when it was asked.
func logged(times *[]time.Time, r reply) reply {
	return func(req *http.Request) (*http.Response, error) {
		*times = append(*times, time.Now())
		return r(req)
	}
}

func TestABusyServerIsLeftAloneAsLongAsItWants(t *testing.T) {
	for saw, c := range map[string]struct {
		reply    reply
		least    time.Duration
		requests int
	}{
		"a storm at a rate limit":                     {refused(429, "", "Retry-After: 2"), 2 * time.Second, 4},
		"a storm at an overloaded server":             {refused(503, "", "Retry-After: 2"), 2 * time.Second, 4},
		"a storm at a server of another kind of busy": {refused(529, "", "Retry-After-Ms: 1500"), 1500 * time.Millisecond, 4},
		"a storm at milliseconds taken for seconds":   {refused(429, "", "Retry-After: 2", "Retry-After-Ms: 2500"), 2500 * time.Millisecond, 4},
		"a storm before the limit is reset":           {refused(429, "", "X-Ratelimit-Remaining-Requests: 0", "X-Ratelimit-Reset-Requests: 1s"), time.Second, 4},
		"ten tries in two seconds":                    {refused(503, ""), 1, 4},
	} {
		t.Run(saw, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var times []time.Time
				client, _ := newTestClient(t, Options{}, logged(&times, c.reply))
				o := read(client.Stream(t.Context(), hello()))
				if asError[*Error](t, o.err); len(times) != c.requests {
					t.Errorf("%d requests", len(times))
				}
				for i := range times[1:] {
					gap := times[i+1].Sub(times[i])
					if gap < c.least || gap > c.least+8*time.Second || gap != o.retries[i].Wait {
						t.Errorf("request %d came after %s, announced were %s", i+2, gap, o.retries[i].Wait)
					}
				}
			})
		})
	}
}

// TestEachMessageHasItsOwnTries: what one message used up is not missing for the
// next.
func TestEachMessageHasItsOwnTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := newTestClient(t, Options{}, refused(503, ""), refused(529, ""), refused(502, ""), whole, refused(504, ""), whole, refused(500, ""))
		for i, c := range []struct {
			want     string
			requests int
		}{{`text "fine", finish stop`, 4}, {`text "fine", finish stop`, 6}, {`error 500 without the request's id "Internal Server Error"`, 10}} {
			if got := tell(read(client.Stream(t.Context(), hello()))); got != c.want || server.count() != c.requests {
				t.Errorf("message %d: %s, %d requests", i+1, got, server.count())
			}
		}
	})
}

// TestWhatWasShownIsNeverSaidTwice: the second answer is ready, and not wanted.
func TestWhatWasShownIsNeverSaidTwice(t *testing.T) {
	again := events(reasoningFrame("thinking B") + textFrame("One two three") + finishFrame("stop") + doneFrame)
	lost := func(shown string) reply { return wireCase{body: shown, reset: true}.reply(shown) }
	const reset = "cut off: connection reset by the server"
	for saw, c := range map[string]struct {
		first    reply
		want     string
		requests int
	}{
		"the answer twice":                  {lost(reasoningFrame("thinking A") + textFrame("One two ")), `reasoning_content "thinking A", text "One two ", ` + reset, 1},
		"the thoughts twice":                {lost(reasoningFrame("thinking A")), `reasoning_content "thinking A", ` + reset, 1},
		"the call run twice":                {lost(callFrame("0", `"c1"`, `"shell"`, `"{\"cmd\":\"touch /tmp/x\"}"`)), `calls c1:shell({"cmd":"touch /tmp/x"}), ` + reset, 1},
		"half a call run":                   {lost(callFrame("0", `"c1"`, `"shell"`, `"{\"cmd\":"`)), `calls c1:shell({"cmd":), ` + reset, 1},
		"a role lost for an answer":         {lost(deltaFrame(`{"role":"assistant","content":""}`)), `reasoning_content "thinking B", text "One two three", finish stop`, 2},
		"the first byte lost for an answer": {lost("d"), `reasoning_content "thinking B", text "One two three", finish stop`, 2},
	} {
		t.Run(saw, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := newTestClient(t, Options{}, c.first, again)
				o := read(client.Stream(t.Context(), hello()))
				got := strings.TrimSuffix(tell(o), " without the request's id")
				if got != c.want || server.count() != c.requests || len(o.retries) != c.requests-1 {
					t.Errorf("%s, %d requests", got, server.count())
				}
			})
		})
	}
}

// TestARefusedOptionIsNamedInAnyShape: both shapes of servers, both statuses.
func TestARefusedOptionIsNamedInAnyShape(t *testing.T) {
	for saw, first := range map[string]reply{
		"extra fields":          refused(422, `{"detail":[{"loc":["body","stream_options"],"msg":"extra fields"}]}`),
		"unsupported parameter": refused(400, `{"error":{"message":"Unsupported parameter: 'stream_options'","param":"stream_options","code":"unsupported_parameter"}}`),
		"a word in the message": refused(400, `{"error":{"message":"unknown field \"stream_options\""}}`),
	} {
		t.Run(saw, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				client, server := newTestClient(t, Options{BaseURL: "https://example.test"}, first, whole)
				if got := tell(read(client.Stream(t.Context(), hello()))); got != `text "fine", finish stop` || server.count() != 2 || time.Since(begin) != 0 {
					t.Errorf("%s, %d requests", got, server.count())
				}
				if !strings.Contains(server.bodies[0], "stream_options") || strings.Contains(server.bodies[1], "stream_options") {
					t.Errorf("bodies %q", server.bodies)
				}
			})
		})
	}
}

// TestAServerThatWantsNoEmptyContentGetsNone: most want it beside calls, some
// refuse it, and nobody gets null.
func TestAServerThatWantsNoEmptyContentGetsNone(t *testing.T) {
	req := hello()
	req.Messages = append(req.Messages, Message{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		Message{Role: RoleTool, ToolCallID: "a", Content: []Part{{Text: "x"}}})
	for saw, c := range map[string]struct {
		refuses, message string
		requests         int
	}{
		"null refused":         {`"content":null`, "content must not be null", 1},
		"empty text refused":   {`"content":""`, "messages: text content blocks must be non-empty", 2},
		"empty string refused": {`"content":""`, "messages[1].content cannot be an empty string", 2},
	} {
		t.Run(saw, func(t *testing.T) {
			var bodies []string
			server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bodies = append(bodies, string(body)); strings.Contains(string(body), c.refuses) {
					http.Error(w, `{"error":{"message":`+quoted(c.message)+`,"type":"invalid_request_error"}}`, http.StatusBadRequest)
					return
				}
				fine(w, r)
			}), nil)
			client := dial(t, Options{BaseURL: server.URL})
			for i := range 2 { // the second time it is known
				if o := read(client.Stream(t.Context(), req)); o.err != nil || o.text != "fine" || len(bodies) != c.requests+i {
					t.Errorf("%v, text %q, %d requests", o.err, o.text, len(bodies))
				}
			}
			if last := bodies[len(bodies)-1]; strings.Contains(last, "null") || !strings.Contains(last, `"content":"hi"`) {
				t.Error(last)
			}
		})
	}
}

// Models that think want reasoning back with every call, also with one that came
// without any.
func TestAServerThatWantsReasoningWithEveryCallGetsIt(t *testing.T) {
	req := hello()
	req.Messages = append(req.Messages, Message{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		Message{Role: RoleTool, ToolCallID: "a", Content: []Part{{Text: "x"}}})
	var bodies []string
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bodies = append(bodies, string(body)); !strings.Contains(string(body), `"reasoning_content":""`) {
			http.Error(w, `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API.","type":"invalid_request_error"}}`, http.StatusBadRequest)
			return
		}
		fine(w, r)
	}), nil)
	client := dial(t, Options{BaseURL: server.URL})
	for i := range 2 { // the second time it is known
		s := client.Stream(t.Context(), req)
		if o := read(s); o.err != nil || o.text != "fine" || len(bodies) != 2+i {
			t.Errorf("%v, text %q, %d requests", o.err, o.text, len(bodies))
		}
	}
	thought := "I look"
	req.Messages[1].Reasoning = &thought // what was thought is never replaced
	if body, err := client.Body(req, true); err != nil || strings.Contains(string(body), `"reasoning_content":""`) {
		t.Errorf("%s, %v", body, err)
	}
}
