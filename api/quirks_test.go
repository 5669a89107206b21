package api

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// raw is a chunk of literal JSON.
func raw(json string) string { return "data: " + json + "\n\n" }

func TestLongLinesArriveWhole(t *testing.T) {
	pieces := []string{strings.Repeat("A", 65500), strings.Repeat("B", 70000), strings.Repeat("C", 1100000)}
	var stream strings.Builder
	for _, piece := range pieces {
		stream.WriteString(textFrame(piece))
	}
	for _, ends := range []string{"\n", "\r\n", "\r"} {
		o := play(t, strings.ReplaceAll(stream.String()+finishFrame("stop")+doneFrame, "\n", ends))
		if o.err != nil || o.text != strings.Join(pieces, "") {
			t.Errorf("%q: %.80q, error %v", ends, o.text, o.err)
		}
	}
}

func TestCharactersCutBetweenDeltasAreWhole(t *testing.T) {
	half := func(s string) string { return deltaFrame(`{"content":"` + s + `"}`) }
	cases := []struct {
		name   string
		stream string
		want   string
	}{
		{"surrogate escapes", half(`a\ud83c`) + half(`\udf0db`), "a🌍b"},
		{"raw bytes of E9 82 A3", half("\xe9") + half("\x82\xa3"), "那"},
		{"raw bytes of F0 9F 8C 8D", half("x\xf0\x9f") + half("\x8c") + half("\x8dy"), "x🌍y"},
		{"half a pair at the end", half(`a\ud83c`), "a�"},
		{"half a pair, then something else", half(`a\ud83c`) + half(`b`), "a�b"},
		{"a low half alone", half(`a\udf0db`), "a�b"},
		{"bytes that are no UTF-8", half("a\xff\xfeb"), "a��b"},
		{"a whole pair", half(`\ud83c\udf0d`), "🌍"},
		{"every escape", half(`\"\\\/\b\f\n\r\t\u0041é`), "\"\\/\b\f\n\r\tAé"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := play(t, c.stream+finishFrame("stop")+doneFrame)
			wantText(t, o, c.want)
			if !utf8.ValidString(o.text) {
				t.Error("not valid UTF-8")
			}
		})
	}
}

func TestTheFirstWordIsShownBeforeTheSecondIsSent(t *testing.T) {
	for _, ends := range []string{"\n", "\r\n", "\r"} {
		r, w := io.Pipe()
		c, _ := newTestClient(t, noRetries)
		c.http.Transport = roundTripper(func(reqBody io.Reader) io.ReadCloser { return r })
		s := c.Stream(t.Context(), hello())
		write := func(frame string) { _, _ = io.WriteString(w, strings.ReplaceAll(frame, "\n", ends)) }
		go write(textFrame("one"))
		for _, want := range []string{"", "one", "two"} {
			e, err := s.Next()
			if err != nil || e.Text != want {
				t.Fatalf("%q %v, want %q", e.Text, err, want)
			}
			if want == "one" {
				go write(textFrame("two"))
			}
		}
		s.Close()
		w.Close()
	}
}

func TestReasoningDetailsAreKeptAsTheyCame(t *testing.T) {
	o := play(t, deltaFrame(`{"reasoning":"We","reasoning_details":[{"type":"reasoning.text","text":"We","signature":"s<1>"}]}`)+
		deltaFrame(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"AAAA"}]}`)+textFrame("42")+finishFrame("stop")+doneFrame)
	wantText(t, o, "42")
	want := `[{"type":"reasoning.text","text":"We","signature":"s<1>"},{"type":"reasoning.encrypted","data":"AAAA"}]`
	if o.details != want || o.reasoning != "We" || o.field != "reasoning" {
		t.Errorf("details %s reasoning %q field %q", o.details, o.reasoning, o.field)
	}
}

func TestLogprobsAreGivenRaw(t *testing.T) {
	o := play(t, raw(`{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-0.1}]}}]}`)+
		raw(`{"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`)+doneFrame)
	wantText(t, o, "a")
	if o.logprobs != `{"content":[{"token":"a","logprob":-0.1}]}` {
		t.Errorf("logprobs %s", o.logprobs)
	}
}

func TestChoicesAreNotMerged(t *testing.T) {
	stream := raw(`{"choices":[{"index":1,"delta":{"content":"B"}},{"index":0,"delta":{"content":"A"}}]}`) +
		raw(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`) +
		raw(`{"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"length"}]}`)
	two := 2
	req := hello()
	req.N = &two
	c, _ := newTestClient(t, noRetries, events(stream))
	got, err := c.Complete(t.Context(), req)
	if err != nil || len(got.Choices) != 2 {
		t.Fatalf("%+v %v", got, err)
	}
	for i, want := range []string{"Aa stop", "Bb length"} {
		if s := got.Choices[i].Message.Content[0].Text + " " + got.Choices[i].Finish; s != want {
			t.Errorf("choice %d: %q", i, s)
		}
	}
	// One of two finished choices is not the whole answer.
	c, _ = newTestClient(t, noRetries, events(raw(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`)))
	if _, err := c.Complete(t.Context(), req); err == nil {
		t.Error("half of the choices counted as complete")
	}
}

func TestAnAnswerIsWholeWithTheChoicesThatTheServerWasAskedFor(t *testing.T) {
	two, one := 2, raw(`{"choices":[{"index":0,"delta":{"content":"fine"},"finish_reason":"stop"}]}`)
	refuses := refused(400, `{"error":{"message":"unknown parameter","param":"n"}}`)
	for name, c := range map[string]struct {
		params  Params
		replies []reply
		whole   bool
	}{
		"two were asked for":                {Params{N: &two}, []reply{events(one)}, false},
		"two were refused":                  {Params{N: &two}, []reply{refuses, events(one)}, true},
		"two were asked for by name":        {Params{Extra: map[string]json.RawMessage{"n": json.RawMessage("2")}}, []reply{events(one)}, false},
		"two and then one were asked for":   {Params{N: &two, Extra: map[string]json.RawMessage{"n": json.RawMessage("1")}}, []reply{events(one)}, true},
		"something that no server can read": {Params{Extra: map[string]json.RawMessage{"n": json.RawMessage(`"x"`)}}, []reply{events(one)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := newTestClient(t, Options{}, c.replies...)
			req := hello()
			req.Params = c.params
			o := read(client.Stream(t.Context(), req))
			if c.whole {
				wantText(t, o, "fine")
			} else {
				asError[*InterruptedError](t, o.err)
			}
			if server.count() != len(c.replies) {
				t.Errorf("%d requests", server.count())
			}
		})
	}
}

func TestTheInspectorSeesTheFramesAsTheyCame(t *testing.T) {
	c, _ := newTestClient(t, noRetries, events(": c\n\n"+textFrame("a")+doneFrame))
	s := c.Stream(t.Context(), hello())
	var seen []string
	s.OnFrame(func(f Frame) { seen = append(seen, f.Data) })
	wantText(t, read(s), "a")
	if want := strings.TrimSuffix(strings.TrimPrefix(textFrame("a"), "data: "), "\n\n"); len(seen) != 2 || seen[0] != want || seen[1] != "[DONE]" {
		t.Errorf("%q", seen)
	}
}

// hostile makes a client that gives up at a megabyte, so that a test need not
// send as much as a user's client takes.
func hostile(t *testing.T, r reply) (*Client, *scripted) {
	t.Helper()
	c, server := newTestClient(t, Options{}, r)
	if c.largest != 64<<20 {
		t.Errorf("users' clients give up at %d bytes", c.largest)
	}
	c.largest = 1 << 20
	return c, server
}

func TestAHostileLineIsGivenUpWithThePartialKept(t *testing.T) {
	const begin = `data: {"choices":[{"delta":{"content":"`
	line := strings.Repeat("x", 900<<10)
	for size, pieces := range map[string][]string{
		"as much as may be": {textFrame("kept"), begin, line, `"}}]}` + "\n\n" + doneFrame},
		"more":              {textFrame("kept"), begin, line, line},
	} {
		c, server := hostile(t, events(pieces...))
		o := read(c.Stream(t.Context(), hello()))
		if size != "more" {
			wantText(t, o, "kept"+line)
		} else if cut := asError[*InterruptedError](t, o.err); cut.Cause != ErrTooLarge || o.text != "kept" || server.count() != 1 {
			t.Errorf("%v, text %q, %d requests", o.err, o.text, server.count())
		}
	}
}

func TestAManyLinedEventIsGivenUp(t *testing.T) {
	block := strings.Repeat("data: x\n", 1<<14)
	var pieces []string
	for range 10 {
		pieces = append(pieces, block)
	}
	c, server := hostile(t, events(pieces...))
	o := read(c.Stream(t.Context(), hello()))
	if cut := asError[*InterruptedError](t, o.err); cut.Cause != ErrTooLarge || server.count() != 1 {
		t.Errorf("%v, %d requests", o.err, server.count())
	}
}

func TestAHostileAnswerInOnePieceIsGivenUp(t *testing.T) {
	block := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 1<<20)
	c, server := hostile(t, answer(200, []string{"Content-Type: application/json"}, block))
	o := read(c.Stream(t.Context(), hello()))
	if cut := asError[*InterruptedError](t, o.err); cut.Cause != ErrTooLarge || server.count() != 1 {
		t.Errorf("%v, %d requests", o.err, server.count())
	}
}
