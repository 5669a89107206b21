package api

import (
	"strconv"
	"strings"
	"testing"
)

// partial is a chunk that ends in the middle of its JSON.
const partial = `data: {"id":"r1","choices":[{"index":0,"delta":{"content":"lo`

// framingCases are answers whose frames do not look like those of the document.
func framingCases() []wireCase {
	hi := `{"choices":[{"index":0,"delta":{"content":" hi"}}]}`
	end := finishFrame("stop") + doneFrame
	emoji := "那个 🌍 é 👩‍👩‍👧 ok"
	return []wireCase{
		{saw: "unexpected end of JSON input at a keep-alive comment", body: ": OPENROUTER PROCESSING\n\n" + "retry: 3000\n\n" + "id: 7\n\n" + "event: ping\n\n" +
			"data:\n\n" + "\n\n" + textFrame("hel") + ": ping - 2026-01-01\n\n" + textFrame("lo") + ":\n" + textFrame("!") + ": c\n" + end, want: `text "hello!", finish stop`},
		{saw: "unexpected end of JSON input once the model reasons", body: reasoningFrame("hm") + "data:\n\n" + "data: \n\n" + textFrame("") + callFrame("0", `"a"`, `"now"`, quoted("")) +
			"event: message\ndata:\n\n" + finishFrame("tool_calls") + doneFrame, want: `reasoning_content "hm", calls a:now(), finish tool_calls`},
		{saw: "no answer because of a byte order mark", body: "\xef\xbb\xbf" + textFrame("a") + textFrame("b") + end, want: `text "ab", finish stop`},
		{saw: "no answer because there is no space after the colon", body: "data:" + hi + "\n\n" + "data:  " + hi + "\n\n" + "DATA: " + hi + "\n\n" + "data:[DONE]\n\n", want: `text " hi hi"`},
		{saw: "waiting for a [DONE] that has blanks around it", body: textFrame("a") + finishFrame("stop") + "data:  [DONE] \n\n", want: `text "a", finish stop`},
		{saw: "two events in one because a blank line is missing", body: strings.ReplaceAll(textFrame("a")+textFrame("b"), "\n\n", "\n") + "\n" +
			strings.TrimSuffix(finishFrame("stop"), "\n") + doneFrame, want: `text "ab", finish stop`},
		{saw: "JSON over several data lines", body: "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"two lines\"}}]}\n\n" + end, want: `text "two lines", finish stop`},
		{saw: "a crash at chunks without choices", body: raw(`{"choices":[],"prompt_filter_results":[]}`) + raw(`{}`) + raw(`{"choices":null}`) +
			raw(`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}`) + raw(`{"choices":[{"index":0,"finish_reason":null}]}`) +
			raw(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`) + raw(`null`) + raw(`[]`) + raw(`7`) + raw(`"x"`) + textFrame("ok") + finishFrame("stop") + usageFrame + doneFrame,
			want: `text "ok", finish stop, usage 10 5 15 - -`},
		{saw: "null in every field of a delta", body: deltaFrame(`{"role":null,"content":null,"reasoning_content":null,"tool_calls":null,"refusal":null,"function_call":null}`) +
			textFrame("ok") + end, want: `text "ok", finish stop`},
		{saw: "a crash at values of the wrong kinds", body: raw(`{"id":7,"created":"x","model":{},"choices":{"a":1}}`) +
			raw(`{"choices":[{"index":"0","delta":{"role":3,"content":"ok","tool_calls":"none"},"finish_reason":false}],"usage":"no"}`) + end, want: `text "ok", finish stop`},
		{saw: "content in parts lost", body: raw(`{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},null,{"type":"image"}]}}]}`) + end, want: `text "ab", finish stop`},
		{saw: "a blank answer for a refusal", body: deltaFrame(`{"refusal":"I will not"}`) + end, want: `text "I will not", finish stop`},
		{saw: "a message where a delta belongs lost", body: raw(`{"choices":[{"index":0,"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}`) + doneFrame, want: `text "whole", finish stop`},
		{saw: "the answer twice because a message repeats it", body: textFrame("once") + raw(`{"choices":[{"index":0,"message":{"content":"once"},"finish_reason":"stop"}]}`) + doneFrame, want: `text "once", finish stop`},
		{saw: "the answer gone because of bad frames", body: textFrame("a") + partial + "\n\n" + textFrame("b") + raw("{worse") + end, want: `text "ab", finish stop`, skipped: 2},
		{saw: "the next event begins inside a broken one", body: textFrame("a") + partial + textFrame("b") + end, want: `text "ab", finish stop`},
		{saw: "characters turned into question marks", body: textFrame(emoji) + end, want: "text " + strconv.Quote(emoji) + ", finish stop"},
		{saw: "question marks for an emoji in two deltas", body: deltaFrame(`{"content":"\ud83c"}`) + deltaFrame(`{"content":"\udf0d"}`) +
			deltaFrame("{\"content\":\"\xe9\"}") + deltaFrame("{\"content\":\"\x82\xa3\"}") + end, want: `text "🌍那", finish stop`},
		{saw: "a crash at half an emoji", body: deltaFrame(`{"content":"a\ud83c"}`) + end, want: "text \"a\uFFFD\", finish stop"},
		{saw: "equal words in a row swallowed", body: strings.Repeat(textFrame("ha "), 5) + end, want: `text "ha ha ha ha ha ", finish stop`},
		{saw: "the answer cut at 64 KiB", body: textFrame(strings.Repeat("B", 70000)) + textFrame("!") + end, want: `text "` + strings.Repeat("B", 70000) + `!", finish stop`},
		{saw: "blank lines before an answer in one piece", kind: "application/json", body: "\n\n\n" + `{"id":"r1","choices":[{"index":0,"message":{"role":"assistant","content":"ok","tool_calls":null},"finish_reason":"stop"}],"usage":{"total_tokens":3}}`,
			want: `text "ok", finish stop, usage - - 3 - -`},
		{saw: "an answer in one piece with all it can have", kind: "application/json; charset=utf-8", body: `{"choices":[{"message":{"content":[{"type":"text","text":"ok"}],"reasoning":"hm","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}},{"function":{"name":"g"}}]},"finish_reason":"tool_calls","usage":{"prompt_tokens":3}}]}`,
			want: `reasoning "hm", text "ok", calls a:f({"x":1}) made-up:g(), finish tool_calls, usage 3 - - - -`},
		{saw: "a stream that is announced as JSON", kind: "application/json", body: ": ping\n\n" + textFrame("ok") + end, want: `text "ok", finish stop`},
		{saw: "a stream that is announced as nothing", kind: "application/octet-stream", body: textFrame("ok") + end, want: `text "ok", finish stop`},
	}
}

// endCases are the ways an answer ends.
func endCases() []wireCase {
	last := raw(`{"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}`)
	return []wireCase{
		{saw: "half an answer kept as a whole one", body: textFrame("The answer is fo"), want: `text "The answer is fo", cut off`},
		{saw: "half an answer kept as a whole one after a reset", body: textFrame("The answer is fo"), reset: true,
			want: `text "The answer is fo", cut off: connection reset by the server`},
		{saw: "only reasoning, and then the end", body: reasoningFrame("thinking..."), want: `reasoning_content "thinking...", cut off`},
		{saw: "an empty answer", body: "", times: 4, want: `cut off`},
		{saw: "an empty answer after comments", body: ": ping\n\n: ping\n\n", times: 4, want: `cut off`},
		{saw: "a blank delta and then the end", body: textFrame("") + textFrame(" \n"), times: 4, want: `text " \n", cut off`},
		{saw: "a warning though only [DONE] is missing", body: textFrame("full") + finishFrame("stop"), want: `text "full", finish stop`},
		{saw: "a warning though only [DONE] is missing, with usage", body: textFrame("full") + finishFrame("stop") + usageFrame, want: `text "full", finish stop, usage 10 5 15 - -`},
		{saw: "a warning though the reset came behind the finish", body: textFrame("full") + finishFrame("stop"), reset: true, want: `text "full", finish stop`},
		{saw: "a warning though the last blank line alone is missing", body: textFrame("full") + strings.TrimRight(finishFrame("stop"), "\n"), want: `text "full", finish stop`},
		{saw: "usage but no finish taken for the end", body: textFrame("x") + usageFrame, want: `text "x", usage 10 5 15 - -, cut off`},
		{saw: "the last words lost because they finish", body: textFrame("Hel") + last + raw(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`) + doneFrame,
			want: `text "Hello", finish stop, usage 5 2 7 - -`},
		{saw: "words lost behind an early finish", body: strings.ReplaceAll(textFrame("Hel")+textFrame("lo"), `"finish_reason":null`, `"finish_reason":"stop"`) + doneFrame, want: `text "Hello", finish stop`},
		{saw: "half an answer kept as a whole one though its finish came with every word", reset: true,
			body: strings.ReplaceAll(textFrame("Hel")+textFrame("lo"), `"finish_reason":null`, `"finish_reason":"stop"`), want: `text "Hello", cut off: connection reset by the server`},
		{saw: "a warning though the finish came with every word", body: strings.ReplaceAll(reasoningFrame("hm")+textFrame("Hello"), `"finish_reason":null`, `"finish_reason":"stop"`),
			want: `reasoning_content "hm", text "Hello", finish stop`},
		{saw: "a warning for a choice that nobody asked for", body: raw(`{"choices":[{"index":0,"delta":{"content":"Hel"}},{"index":1,"delta":{"content":"lo"}}]}`) + finishFrame("stop"), want: `text "Hello", finish stop`},
		{saw: "a warning though the only choice has another number", body: raw(`{"choices":[{"index":1,"delta":{"content":"Hello"},"finish_reason":"stop"}]}`), want: `text "Hello", finish stop`},
		{saw: "half an answer kept as a whole one for the end of another", body: textFrame("Hel") + raw(`{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`), want: `text "Hel", cut off`},
		{saw: "stopped at a finish that is an empty string", body: strings.ReplaceAll(textFrame("Hel")+textFrame("lo"), `"finish_reason":null`, `"finish_reason":""`) + finishFrame("stop") + doneFrame,
			want: `text "Hello", finish stop`},
		{saw: "an empty finish taken for the end", body: textFrame("Hello") + finishFrame(""), want: `text "Hello", cut off`},
		{saw: "a finish that nobody knows hidden", body: textFrame("hi") + finishFrame("weird") + doneFrame, want: `text "hi", finish weird`},
		{saw: "a filtered answer shown as finished", body: textFrame("hi") + finishFrame("content_filter") + doneFrame, want: `text "hi", finish content_filter`},
		{saw: "escape codes in a finish reason", body: textFrame("hi") + raw(`{"choices":[{"delta":{},"finish_reason":"\u001b[31mstop\u0007"}]}`) + doneFrame, want: `text "hi", finish stop`},
		{saw: "a loop of equal lines that the server ended", body: strings.Repeat(textFrame("again\n"), 3) + finishFrame("length") + usageFrame + doneFrame,
			want: `text "again\nagain\nagain\n", finish length, usage 10 5 15 - -`},
		{saw: "nothing at all behind [DONE]", body: textFrame("full") + doneFrame + textFrame("more") + finishFrame("length"), want: `text "full"`},
		{saw: "half an answer in one piece", kind: "application/json", times: 4, body: `{"choices":[{"index":0,"message":{"content":"The answer is fo`, want: `cut off`},
	}
}

func TestFramesOfEveryDressAreRead(t *testing.T)       { checkCases(t, framingCases()) }
func TestAnAnswerIsWholeOnlyIfItsEndCame(t *testing.T) { checkCases(t, endCases()) }
