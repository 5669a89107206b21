package emulator

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const head = `data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m",`

func TestNotationWritesTheBytesItStandsFor(t *testing.T) {
	one := func(delta string) string {
		return head + `"choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
	}
	for name, tt := range map[string]struct {
		step Step
		want string
	}{
		"content":        {C("a <b> \"é\"\n"), one(`{"content":"a <b> \"é\"\n"}`)},
		"reasoning":      {R("x"), one(`{"reasoning_content":"x"}`)},
		"call":           {T(1, "c", "f", "{}"), one(`{"tool_calls":[{"index":1,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`)},
		"call, left out": {T(0, Omit, Omit, "x"), one(`{"tool_calls":[{"index":0,"type":"function","function":{"arguments":"x"}}]}`)},
		"call, null":     {T(0, Null, Omit, Null), one(`{"tool_calls":[{"index":0,"id":null,"type":"function","function":{"arguments":null}}]}`)},
		"finish":         {F("stop"), head + `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"},
		"usage":          {U, head + `"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}` + "\n\n"},
		"done":           {D, "data: [DONE]\n\n"},
		"own usage":      {Usage(7, 3, 2, 1), head + `"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":1}}}` + "\n\n"},
		"frame":          {Frame("{}"), "data: {}\n\n"},
		"flood":          {Flood(2, 12), one(`{"content":"0000001 word"}`) + one(`{"content":"0000002 word"}`)},
		"repeat":         {Repeat(2, Raw("a"), Pause(time.Hour)), "aa"},
		"cut":            {Cut(3, Raw("ab"), Raw("cd"), Raw("ef")), "abc"},
		"split":          {Split(2, Raw("abc"), Raw("de")), "abcde"},
		"cut in a split": {Split(1, Cut(2, Raw("abc")), Raw("d")), "abd"},
		"error":          {ErrFrame(503, "overloaded", "x"), `data: {"error":{"code":"overloaded","docs_url":"https://docs.wafer.ai/errors#overloaded","message":"x","param":null,"request_id":"","type":"server_error"}}` + "\n\n"},
		"no write":       {Hang, ""},
	} {
		if got := Bytes(tt.step); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tt.want)
		}
	}
}

func TestScriptedRepliesAreConsumedInOrder(t *testing.T) {
	run := start(t, Options{})
	run.Script(Stream(C("one"), F("stop"), U, D), Err(404, "model_not_found", "gone"), RetryAfter(3),
		Body(502, "text/html", "<html>"), Whole("whole"), Demo())
	if a := run.post(t, []byte("not even JSON")); string(a.body) != Bytes(C("one"), F("stop"), U, D) || a.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("stream: %s", a.body)
	}
	a := run.ask(t, "x")
	if e := a.envelope(t).Error; a.status != 404 || e.Code != "model_not_found" || e.Type != "invalid_request_error" {
		t.Errorf("error: %d %+v", a.status, e)
	}
	if a := run.ask(t, "x"); a.status != 429 || a.header.Get("Retry-After") != "3" || a.envelope(t).Error.Type != "rate_limit_error" {
		t.Errorf("429: %d %s", a.status, a.body)
	}
	if a := run.ask(t, "x"); a.status != 502 || string(a.body) != "<html>" || a.header.Get("Content-Type") != "text/html" {
		t.Errorf("page: %d %s", a.status, a.body)
	}
	if a := run.ask(t, "x"); !strings.Contains(string(a.body), `"content":"whole"`) {
		t.Errorf("whole: %s", a.body)
	}
	for range 2 { // the demo's turn, then the empty queue
		if a := run.ask(t, "count to 3"); !strings.HasPrefix(a.content(), "1, 2, 3") {
			t.Errorf("demo: %s", a.body)
		}
	}
}

func TestReplyForMatchingRequestsOnly(t *testing.T) {
	run := start(t, Options{})
	run.ScriptWhen(func(r Received) bool { return strings.Contains(string(r.Body), "title") }, Stream(C("title"), D))
	run.Script(Stream(C("other"), D))
	if got := run.ask(t, "x").content(); got != "other" {
		t.Errorf("got %q", got)
	}
	if got := run.ask(t, "a title").content(); got != "title" {
		t.Errorf("got %q", got)
	}
}

func TestCatalogueCanBeScripted(t *testing.T) {
	run := start(t, Options{})
	run.ScriptModels(Body(500, "text/plain", "down"))
	if a := run.get(t, "/models"); a.status != 500 || string(a.body) != "down" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := run.get(t, "/models"); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestConnectionBreaksAsScripted(t *testing.T) {
	run := start(t, Options{})
	whole := Bytes(C("héllo"))
	for name, tt := range map[string]struct {
		reply Reply
		body  string
		reset bool
	}{
		"ends after its steps":     {Stream(C("héllo")), whole, false},
		"ends early":               {Stream(C("héllo"), EOF, D), whole, false},
		"nothing at all":           {Stream(), "", false},
		"reset":                    {Stream(C("héllo"), RST), whole, true},
		"reset before any byte":    {Stream(RST), "", true},
		"cut inside a rune, reset": {Stream(Cut(strings.Index(whole, "é")+1, C("héllo")), RST), whole[:strings.Index(whole, "é")+1], true},
		"cut, then a proper end":   {Stream(Cut(10, C("héllo"), D)), whole[:10], false},
		"byte by byte":             {Stream(Split(1, C("héllo"), D)), whole + string(D), false},
		"one write":                {Stream(Split(0, C("héllo"), F("stop"), D)), Bytes(C("héllo"), F("stop"), D), false},
	} {
		t.Run(name, func(t *testing.T) {
			run.Script(tt.reply)
			a := run.ask(t, "x")
			if string(a.body) != tt.body {
				t.Errorf("body %q, want %q", a.body, tt.body)
			}
			if tt.reset != (a.err != nil) || tt.reset && !strings.Contains(a.err.Error(), "reset") {
				t.Errorf("error %v, want a reset: %v", a.err, tt.reset)
			}
		})
	}
}

func TestSplitWritesPiecesOfTheirOwn(t *testing.T) {
	for n, want := range map[int]string{1: "a|b|c|d|e", 2: "ab|cd|e", 0: "abcde", 9: "abcde"} {
		var pieces []string
		p := &player{dry: true, out: func(b []byte, _ ...said) error { pieces = append(pieces, string(b)); return nil }}
		if err := Split(n, Raw("abc"), Raw("de")).play(p); err != nil || strings.Join(pieces, "|") != want {
			t.Errorf("Split(%d) wrote %q (%v), want %q", n, pieces, err, want)
		}
	}
}

func TestSentListsWhatWasWrittenWhole(t *testing.T) {
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	run := start(t, Options{Now: func() time.Time { return at }})
	run.Script(Stream(R("think"), C("a"), Split(1, C("b")), Cut(len(Bytes(C("c")))+5, C("c"), C("never")), Delta(`{"content":"raw"}`), Flood(2, 8)))
	run.get(t, "/models")
	run.ask(t, "x")
	want := fmt.Sprint([]SentText{{2, at, true, "think"}, {2, at, false, "a"}, {2, at, false, "b"}, {2, at, false, "c"}, {2, at, false, "0000001 "}, {2, at, false, "0000002 "}})
	if got := fmt.Sprint(run.Sent()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := run.Text(2); got != "abc0000001 0000002 " {
		t.Errorf("text %q", got)
	}
}

func TestReplyWaitsForTheTest(t *testing.T) {
	run := start(t, Options{})
	gate, reached := make(chan struct{}), make(chan struct{})
	run.Script(Stream(C("a"), Do(func() { close(reached) }), Wait(gate), C("b"), D))
	res, err := run.client.Post(run.URL+"/chat/completions", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Scan()
	<-reached
	if got := run.Text(1); got != "a" {
		t.Errorf("before the gate %q", got)
	}
	close(gate)
	for lines.Scan() {
		continue
	}
	if got := run.Text(1); got != "ab" {
		t.Errorf("behind the gate %q", got)
	}
}

func TestPauseUsesTheInjectedSleep(t *testing.T) {
	var slept []time.Duration
	var mu sync.Mutex
	run := start(t, Options{Sleep: func(_ context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		slept = append(slept, d)
		return nil
	}})
	run.Script(Stream(C("a"), Pause(time.Hour), C("b"), Repeat(2, Pause(time.Minute))))
	run.ask(t, "x")
	if got := fmt.Sprint(slept); got != "[1h0m0s 1m0s 1m0s]" {
		t.Errorf("slept %s", got)
	}
}

func TestFloodArrivesComplete(t *testing.T) {
	run := start(t, Options{})
	run.Script(Stream(Flood(5000, 20), F("stop"), D))
	got := run.ask(t, "x").content()
	if len(got) != 5000*20 || !strings.HasPrefix(got[4999*20:], "0005000 ") || got != run.Text(1) {
		t.Errorf("%d bytes, ending in %q", len(got), got[max(0, len(got)-40):])
	}
}

func TestTransportInMemoryWithAFakeClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		s.Script(Stream(C("a"), Pause(10*time.Minute), C("b"), RST), Stream(C("c"), Hang), Stream(C("d"), Hang))
		client := &http.Client{Transport: s.RoundTripper()}
		began := time.Now()
		res, err := client.Post("https://anything.example/v1/chat/completions", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		a := readAll(res)
		if a.content() != "ab" || a.err == nil || !strings.Contains(a.err.Error(), "reset") || time.Since(began) != 10*time.Minute {
			t.Errorf("%q, %v after %v", a.content(), a.err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		q, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://anything.example/v1/chat/completions", nil)
		if res, err = client.Do(q); err != nil {
			t.Fatal(err)
		}
		if a := readAll(res); a.content() != "c" || a.err == nil {
			t.Errorf("%q, %v", a.content(), a.err)
		}
		if res, err = client.Post("https://anything.example/v1/chat/completions", "", nil); err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close() // ends the server's goroutine, else the bubble deadlocks
	})
}
