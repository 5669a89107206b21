package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// paced replies with one piece every so often, and a proper end.
func paced(every time.Duration, pieces ...string) reply {
	return func(req *http.Request) (*http.Response, error) {
		return response(200, []string{"Content-Type: text/event-stream", "X-Request-Id: " + caseID}, &slowBody{every, pieces, req.Context()}), nil
	}
}

func TestAServerThatStaysSilentIsGivenUpAndSaidSo(t *testing.T) {
	never := func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() }
	for saw, c := range map[string]struct {
		reply    reply
		cause    error
		requests int
	}{
		"a spinner for ever before the headers":  {never, ErrFirstByte, 2},
		"a spinner for ever behind the headers":  {hanging(), ErrFirstByte, 2},
		"a spinner for ever behind a comment":    {hanging(": ping\n\n"), ErrIdle, 2},
		"a spinner for ever behind a word":       {hanging(textFrame("partial")), ErrIdle, 1},
		"a spinner for ever behind a thought":    {hanging(reasoningFrame("x")), ErrIdle, 1},
		"a spinner for ever behind half a call":  {hanging(callFrame("0", `"a"`, `"f"`, `"{"`)), ErrIdle, 1},
		"a spinner for ever behind half a frame": {hanging(textFrame("partial") + partial), ErrIdle, 1},
	} {
		t.Run(saw, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				client, server := newTestClient(t, Options{}, c.reply)
				o := read(client.Stream(t.Context(), hello()))
				if cut := asError[*InterruptedError](t, o.err); !errors.Is(cut.Cause, c.cause) || server.count() != c.requests {
					t.Errorf("%v, %d requests", o.err, server.count())
				}
				patience := time.Duration(c.requests) * 10 * time.Minute
				if d := time.Since(begin); d < patience || d >= patience+15*time.Second {
					t.Errorf("after %s", d)
				}
			})
		})
	}
}

func TestAServerThatOnlyThinksLongIsNeverGivenUp(t *testing.T) {
	end := finishFrame("stop") + usageFrame + doneFrame
	const done = "finish stop, usage 10 5 15 - -"
	every := func(text string) string {
		return strings.Replace(textFrame(text), `"finish_reason":null`, `"finish_reason":"stop"`, 1)
	}
	args := `{"content":"` + strings.Repeat("x", 20000) + `"}`
	for saw, c := range map[string]struct {
		reply reply
		want  string
	}{
		"90 seconds without a byte": {paced(90*time.Second, textFrame("ok")+end), `text "ok", ` + done},
		"the arguments in one delta after nine minutes": {paced(9*time.Minute, callFrame("0", `"a"`, `"f"`, `""`), callFrame("0", "-", "-", quoted(args)), end),
			"calls a:f(" + args + "), " + done},
		"thoughts with nine minutes between": {paced(9*time.Minute, reasoningFrame("a"), reasoningFrame("b"), textFrame("ok"), end), `reasoning_content "ab", text "ok", ` + done},
		"comments alone for ten minutes": {paced(5*time.Second, append(strings.SplitAfter(strings.Repeat(": ping\n\n", 120), "\n\n"), textFrame("ok"), end)...),
			`text "ok", ` + done},
		"one character of a frame every minute":                   {paced(time.Minute, append(strings.Split(textFrame("ok"), ""), end)...), `text "ok", ` + done},
		"a finish with every word and 20 seconds between":         {paced(20*time.Second, every("a"), every("b"), every("c"), doneFrame), `text "abc", finish stop`},
		"a finish with every word, 20 seconds between, no [DONE]": {paced(20*time.Second, every("a"), every("b"), every("c")), `text "abc", finish stop`},
		"a finish with every word and then nine minutes between":  {paced(9*time.Minute, every("a")+every("b"), every("c"), every("d")+end), `text "abcd", ` + done},
		"a finish with every thought and then nine minutes between": {paced(9*time.Minute, strings.Repeat(strings.Replace(reasoningFrame("a"), `"finish_reason":null`, `"finish_reason":"stop"`, 1), 2), textFrame("ok"), end),
			`reasoning_content "aa", text "ok", ` + done},
		"usage three seconds behind the finish": {paced(3*time.Second, textFrame("ok"), finishFrame("stop"), usageFrame, doneFrame), `text "ok", ` + done},
	} {
		t.Run(saw, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := newTestClient(t, Options{}, c.reply)
				if got := tell(read(client.Stream(t.Context(), hello()))); got != c.want || server.count() != 1 {
					t.Errorf("%.300s, %d requests", got, server.count())
				}
			})
		})
	}
}

// TestAServerThatHoldsTheLineBehindItsAnswerIsLeft: as soon as its finish reason
// can be believed.
func TestAServerThatHoldsTheLineBehindItsAnswerIsLeft(t *testing.T) {
	in := func(frame string) string {
		return strings.Replace(frame, `"finish_reason":null`, `"finish_reason":"stop"`, 1)
	}
	for saw, c := range map[string]struct {
		body  string
		after time.Duration
	}{
		"a finish of its own":                    {textFrame("fine") + finishFrame("stop"), afterFinish},
		"a finish of its own, then usage":        {textFrame("fine") + finishFrame("stop") + usageFrame, afterFinish},
		"a finish with the last word":            {textFrame("fi") + in(textFrame("ne")), afterLastWords},
		"a finish with a blank, then usage":      {textFrame("fine") + in(textFrame("")) + usageFrame, afterFinish},
		"a finish with every word":               {in(textFrame("fi")) + in(textFrame("ne")), 10 * time.Minute},
		"a finish with words and one of its own": {in(textFrame("fine")) + finishFrame("stop"), afterFinish},
	} {
		t.Run(saw, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				client, server := newTestClient(t, Options{}, hanging(c.body))
				o := read(client.Stream(t.Context(), hello()))
				wantText(t, o, "fine")
				if d := time.Since(begin); o.finish != "stop" || d != c.after || server.count() != 1 {
					t.Errorf("finish %q after %s, %d requests", o.finish, d, server.count())
				}
			})
		})
	}
}
