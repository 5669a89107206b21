package api

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// raw is a chunk of literal JSON.
func raw(json string) string { return "data: " + json + "\n\n" }

func TestTextArrivesWholeWhateverTheFramesLookLike(t *testing.T) {
	long := strings.Repeat("A", 65500) + strings.Repeat("B", 70000) + strings.Repeat("C", 1100000) + strings.Repeat("D", 5000000)
	cases := []struct {
		name   string
		stream string
		want   string
	}{
		{"keep-alive comments and empty blocks", ": OPENROUTER PROCESSING\n\n" + "retry: 3000\n\n" + "id: 7\n\n" + "event: ping\n\n" + "data:\n\n" + "\n\n" +
			textFrame("hel") + ": ping - 2026-01-01\n\n" + textFrame("lo") + ":\n" + textFrame("!") + finishFrame("stop") + doneFrame, "hello!"},
		{"a comment inside a block", ": c\n" + textFrame("a") + finishFrame("stop") + doneFrame, "a"},
		{"no space after data:", "data:" + `{"choices":[{"index":0,"delta":{"content":" hi"}}]}` + "\n\n" + "data:" + finishFrame("stop")[6:] + "data:[DONE]\n\n", " hi"},
		{"more spaces after data: and around [DONE]", `data:   {"choices":[{"index":0,"delta":{"content":" hi"}}]}` + "\n\n" + "data:  [DONE] \n\n", " hi"},
		{"DATA: is not data", "DATA: {\"choices\":[{\"delta\":{\"content\":\"no\"}}]}\n\n" + textFrame("yes") + doneFrame, "yes"},
		{"a byte order mark", "\xef\xbb\xbf" + textFrame("a") + textFrame("b") + doneFrame, "ab"},
		{"several lines of data in one event", "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"two lines\"}}]}\n\n" + doneFrame, "two lines"},
		{"forgotten blank lines", strings.ReplaceAll(textFrame("a")+textFrame("b"), "\n\n", "\n") + "\n" + strings.TrimSuffix(textFrame("c"), "\n") + doneFrame, "abc"},
		{"a frame broken off with the next inside it", `data: {"choices":[{"index":0,"delta":{"con` + textFrame("ok") + doneFrame, "ok"},
		{"a frame that is no JSON", textFrame("a") + raw(`{"choices":[{"index":0,"delta":{"content":"lost`) + textFrame("b") + finishFrame("stop") + doneFrame, "ab"},
		{"chunks with nothing in them", raw(`{"choices":[],"prompt_filter_results":[]}`) + raw(`{}`) + raw(`{"choices":null}`) +
			raw(`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}`) + raw(`{"choices":[{"index":0,"finish_reason":null}]}`) +
			raw(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`) + raw(`null`) + raw(`[]`) + raw(`7`) + raw(`"x"`) +
			textFrame("ok") + finishFrame("stop") + usageFrame + doneFrame, "ok"},
		{"values of the wrong type", raw(`{"id":7,"created":"x","model":{},"choices":{"a":1}}`) + raw(`{"choices":[{"index":"0","delta":{"role":3,"content":"ok","tool_calls":"none"},"finish_reason":false}],"usage":"no"}`) + doneFrame, "ok"},
		{"content in parts", raw(`{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},null,{"type":"image"}]}}]}`) + doneFrame, "ab"},
		{"a refusal", deltaFrame(`{"refusal":"I will not"}`) + finishFrame("stop") + doneFrame, "I will not"},
		{"a message where a delta belongs", raw(`{"choices":[{"index":0,"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}`) + doneFrame, "whole"},
		{"a message after its deltas", textFrame("once") + raw(`{"choices":[{"index":0,"message":{"content":"once"},"finish_reason":"stop"}]}`) + doneFrame, "once"},
		{"finish and last text in one chunk", textFrame("Hel") + raw(`{"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}`) + doneFrame, "Hello"},
		{"a finish reason on every chunk", raw(`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`) + raw(`{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}`) + doneFrame, "ab"},
		{"no blank line at the end", textFrame("a") + strings.TrimRight(finishFrame("stop"), "\n"), "a"},
		{"long lines", textFrame(long[:65500]) + textFrame(long[65500:135500]) + textFrame(long[135500:1235500]) + textFrame(long[1235500:]) + finishFrame("stop") + doneFrame, long},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for ends, stream := range map[string]string{
				"LF": c.stream, "CRLF": strings.ReplaceAll(c.stream, "\n", "\r\n"), "CR": strings.ReplaceAll(c.stream, "\n", "\r"),
			} {
				if o := play(t, stream); o.err != nil || o.text != c.want {
					t.Errorf("%s: %.80q, error %v", ends, o.text, o.err)
				}
			}
		})
	}
}

func TestEachByteAloneGivesTheSameText(t *testing.T) {
	want := "那个 🌍 é 👩‍👩‍👧 ok"
	for _, ends := range []string{"\n", "\r\n", "\r"} {
		stream := strings.ReplaceAll("\xef\xbb\xbf: hi\n\ndata: {\"choices\":\ndata: [{\"delta\":{\"content\":\"2 lines \"}}]}\n\n"+
			textFrame(want)+finishFrame("stop")+doneFrame, "\n", ends)
		want := "2 lines " + want
		wantText(t, play(t, strings.Split(stream, "")...), want)
		var bytes []string
		for i := range len(stream) {
			bytes = append(bytes, stream[i:i+1])
		}
		wantText(t, play(t, bytes...), want)
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

func TestAnInterruptedAnswerIsNeverComplete(t *testing.T) {
	cases := []struct {
		name   string
		reply  reply
		text   string
		clean  bool
		reason string
	}{
		{"clean end in the middle", events(textFrame("The answer is fo")), "The answer is fo", true, ""},
		{"reset in the middle", torn(io.ErrUnexpectedEOF, textFrame("The answer is fo")), "The answer is fo", false, ""},
		{"reasoning only", events(reasoningFrame("thinking...")), "", true, "thinking..."},
		{"no event at all", events(), "", true, ""},
		{"usage but no finish", events(textFrame("x") + usageFrame), "x", true, ""},
		{"half a tool call", events(callFrame("0", `"c1"`, `"write_file"`, quoted("{"))), "", true, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			client, _ := newTestClient(t, noRetries, c.reply)
			o := read(client.Stream(t.Context(), hello()))
			cut := asError[*InterruptedError](t, o.err)
			if (cut.Cause == io.ErrUnexpectedEOF) != c.clean {
				t.Errorf("cause %v", cut.Cause)
			}
			if o.text != c.text || o.reasoning != c.reason || o.finish != "" {
				t.Errorf("%+v", o)
			}
		})
	}
}

func TestAFinishReasonWithoutDoneIsComplete(t *testing.T) {
	wantText(t, play(t, textFrame("full")+finishFrame("stop")), "full")
	c, _ := newTestClient(t, noRetries, torn(io.ErrUnexpectedEOF, textFrame("full")+finishFrame("stop")))
	wantText(t, read(c.Stream(t.Context(), hello())), "full")
}

func TestDoneWithoutAFinishReasonIsComplete(t *testing.T) {
	o := play(t, textFrame("full")+doneFrame)
	wantText(t, o, "full")
	if o.finish != "" {
		t.Errorf("finish %q", o.finish)
	}
}

func TestAFinishReasonIsWhatTheServerSaid(t *testing.T) {
	for sent, want := range map[string]string{
		`"stop"`: "stop", `"length"`: "length", `"content_filter"`: "content_filter", `"weird"`: "weird", `""`: "", `null`: "",
	} {
		o := play(t, textFrame("hi")+raw(`{"choices":[{"index":0,"delta":{},"finish_reason":`+sent+`}]}`)+doneFrame)
		wantText(t, o, "hi")
		if o.finish != want {
			t.Errorf("%s gave %q", sent, o.finish)
		}
	}
}

func TestUsageIsTheLastOneSent(t *testing.T) {
	usage := func(s string) string { return raw(`{"choices":[],"usage":` + s + `}`) }
	cases := []struct {
		name   string
		stream string
		want   [5]*int64
	}{
		{"in its own chunk", usage(`{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}`), [5]*int64{number(5), number(2), number(7), nil, nil}},
		{"null details", usage(`{"prompt_tokens":5,"prompt_tokens_details":null,"completion_tokens_details":null}`), [5]*int64{number(5), nil, nil, nil, nil}},
		{"null on later chunks", usage(`{"prompt_tokens":5}`) + usage(`null`), [5]*int64{number(5), nil, nil, nil, nil}},
		{"growing", usage(`{"completion_tokens":1}`) + usage(`{"completion_tokens":2}`), [5]*int64{nil, number(2), nil, nil, nil}},
		{"inside the choice", raw(`{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":9}}]}`), [5]*int64{number(9), nil, nil, nil, nil}},
		{"cached tokens at the top", usage(`{"prompt_tokens":9,"cached_tokens":4}`), [5]*int64{number(9), nil, nil, number(4), nil}},
		{"all of it", usage(`{"prompt_tokens":9,"completion_tokens":8,"total_tokens":17,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}`),
			[5]*int64{number(9), number(8), number(17), number(4), number(3)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := play(t, textFrame("Hello")+finishFrame("stop")+c.stream+doneFrame)
			wantText(t, o, "Hello")
			sameUsage(t, o.usage, c.want[0], c.want[1], c.want[2], c.want[3], c.want[4])
			if n := strings.Count(kinds(o), "usage"); n != 1 {
				t.Errorf("%d usage events", n)
			}
		})
	}
	if o := play(t, textFrame("x")+finishFrame("stop")+doneFrame); o.usage != nil {
		t.Errorf("usage %+v, want unknown", o.usage)
	}
}

func TestReasoningIsReadWhereverItComes(t *testing.T) {
	cases := []struct {
		name, stream, text, reasoning, field string
	}{
		{"reasoning_content", reasoningFrame("We ") + reasoningFrame("know") + textFrame("42"), "42", "We know", "reasoning_content"},
		{"reasoning", deltaFrame(`{"content":"","reasoning":"We "}`) + deltaFrame(`{"reasoning":"know"}`) + textFrame("42"), "42", "We know", "reasoning"},
		{"reasoning_text", deltaFrame(`{"reasoning_text":"We"}`) + textFrame("42"), "42", "We", "reasoning_text"},
		{"thinking", deltaFrame(`{"thinking":"We"}`) + textFrame("42"), "42", "We", "thinking"},
		{"both names", deltaFrame(`{"reasoning_content":"We","reasoning":"We"}`) + textFrame("42"), "42", "We", "reasoning_content"},
		{"empty and null beside it", deltaFrame(`{"reasoning_content":"","reasoning":"We","content":null}`) + deltaFrame(`{"reasoning_content":null,"content":"42"}`), "42", "We", "reasoning"},
		{"details alone", deltaFrame(`{"reasoning_details":[{"type":"reasoning.text","text":"We "}]}`) + deltaFrame(`{"reasoning_details":[{"type":"reasoning.summary","summary":"know"}]}`) + textFrame("42"), "42", "We know", "reasoning_details"},
		{"thinking parts in content", deltaFrame(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}`) + textFrame("42"), "42", "t", "reasoning_content"},
		{"interleaved", textFrame("") + deltaFrame(`{"content":null}`) + reasoningFrame("x") + textFrame("y") + reasoningFrame("z") + textFrame("w"), "yw", "xz", "reasoning_content"},
		{"nothing else", reasoningFrame("The answer is 4."), "", "The answer is 4.", "reasoning_content"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := play(t, c.stream+finishFrame("stop")+doneFrame)
			wantText(t, o, c.text)
			if o.reasoning != c.reasoning || o.field != c.field {
				t.Errorf("reasoning %q under %q", o.reasoning, o.field)
			}
		})
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

func TestSkippedFramesAreCounted(t *testing.T) {
	c, _ := newTestClient(t, noRetries, events(raw("{bad")+textFrame("a")+raw("{worse")+doneFrame))
	s := c.Stream(t.Context(), hello())
	wantText(t, read(s), "a")
	if s.Skipped() != 2 {
		t.Errorf("skipped %d", s.Skipped())
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

func TestAHostileLineIsGivenUpWithThePartialKept(t *testing.T) {
	pieces := []string{textFrame("kept"), `data: {"choices":[{"delta":{"content":"`}
	block := strings.Repeat("x", 1<<20)
	for range 70 {
		pieces = append(pieces, block)
	}
	c, server := newTestClient(t, Options{}, events(pieces...))
	o := read(c.Stream(t.Context(), hello()))
	if cut := asError[*InterruptedError](t, o.err); cut.Cause != ErrTooLarge || o.text != "kept" || server.count() != 1 {
		t.Errorf("%v, text %q, %d requests", o.err, o.text, server.count())
	}
}

func TestAManyLinedEventIsGivenUp(t *testing.T) {
	block := strings.Repeat("data: x\n", 1<<17)
	var pieces []string
	for range 80 {
		pieces = append(pieces, block)
	}
	c, _ := newTestClient(t, noRetries, events(pieces...))
	o := read(c.Stream(t.Context(), hello()))
	if cut := asError[*InterruptedError](t, o.err); cut.Cause != ErrTooLarge {
		t.Error(o.err)
	}
}
