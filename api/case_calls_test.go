package api

import (
	"strings"
	"testing"
)

// callCases are calls whose fragments do not say what belongs together as those
// of the document do.
func callCases() []wireCase {
	const f, g, x, y = `"f"`, `"g"`, `"{\"x\":1}"`, `"{\"y\":2}"`
	const two = `calls a:f({"x":1}) b:g({"y":2}), finish tool_calls`
	const neither = `calls a:f() b:g(), finish tool_calls`
	end := finishFrame("tool_calls") + doneFrame
	both := func(firstID, first, secondID, second string) string {
		return deltaFrame(`{"tool_calls":[{"index":0,` + firstID + `"function":{"name":` + first + `}},{"index":0,` + secondID + `"function":{"name":` + second + `}}]}`)
	}
	return []wireCase{
		{saw: "two calls of one delta ran as one", want: two,
			body: deltaFrame(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":`+x+`}},{"id":"b","function":{"name":"g","arguments":`+y+`}}]}`) + end},
		{saw: "two calls without an index ran as one", body: callFrame("-", `"a"`, f, x) + callFrame("-", `"b"`, g, y) + end, want: two},
		{saw: "two calls with index null ran as one", body: callFrame("null", `"a"`, f, x) + callFrame("null", `"b"`, g, y) + end, want: two},
		{saw: "two calls of index 0 ran as one", body: callFrame("0", `"a"`, f, x) + callFrame("0", `"b"`, g, y) + end, want: two},
		{saw: "one call f and g of two that want nothing", body: callFrame("0", `"a"`, f, `""`) + callFrame("0", `"b"`, g, `""`) + end, want: neither},
		{saw: "one call f and g of two whose arguments are null", body: callFrame("0", `"a"`, f, `null`) + callFrame("0", `"b"`, g, `null`) + end, want: neither},
		{saw: "one call f and g of two without arguments", body: callFrame("0", `"a"`, f, `-`) + callFrame("0", `"b"`, g, `-`) + end, want: neither},
		{saw: "one call f and g of two with a blank for arguments", body: callFrame("0", `"a"`, f, `" "`) + callFrame("0", `"b"`, g, `""`) + end, want: `calls a:f( ) b:g(), finish tool_calls`},
		{saw: "one call f and g of two in one delta", body: both(`"id":"a",`, `"f","arguments":""`, `"id":"b",`, `"g","arguments":""`) + end, want: neither},
		{saw: "one call f and g of two in one delta, with null", body: both(`"id":"a",`, `"f","arguments":null`, `"id":"b",`, `"g","arguments":null`) + end, want: neither},
		{saw: "one call of two in one delta with one name", body: both(`"id":"a",`, `"f"`, `"id":"b",`, `"f"`) + end, want: `calls a:f() b:f(), finish tool_calls`},
		{saw: "one call f and g of two in one delta, the first of them cut", body: both(`"id":"a",`, `"f","arguments":"{"`, `"id":"b",`, `"g"`) + end, want: `calls a:f({) b:g(), finish tool_calls`},
		{saw: "one call f and g of two in one delta without ids", body: both(``, `"f"`, ``, `"g"`) + end, want: `calls made-up:f() made-up:g(), finish tool_calls`},
		{saw: "the arguments of the second call in the first", body: callFrame("0", `"a"`, f, `""`) + callFrame("0", `"b"`, g, `""`) + callFrame("0", "-", "-", `"{\"y\""`) + callFrame("0", `"b"`, "-", `":2}"`) + end,
			want: `calls a:f() b:g({"y":2}), finish tool_calls`},
		{saw: "the arguments of the first call in the second", body: callFrame("0", `"a"`, f, `""`) + callFrame("0", `"b"`, g, `"{\"y\":"`) + callFrame("0", `"a"`, "-", `"{\"x\":1}"`) + callFrame("0", `"b"`, "-", `"2}"`) + end, want: two},
		{saw: "two calls of index 0 without ids ran as one", body: callFrame("0", "-", f, x) + callFrame("0", "-", g, y) + end, want: `calls made-up:f({"x":1}) made-up:g({"y":2}), finish tool_calls`},
		{saw: "two calls for fragments of one call in one delta", body: deltaFrame(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":0,"function":{"arguments":"{\"x\""}},{"index":0,"id":"a","function":{"arguments":":1}"}}]}`) + end,
			want: `calls a:f({"x":1}), finish tool_calls`},
		{saw: "many calls for ids that change with every fragment", body: callFrame("0", `"a"`, f, `"{\"x\""`) + callFrame("0", `"b"`, f, `":"`) + callFrame("0", `"c"`, f, `"1}"`) + end, want: `calls a:f({"x":1}), finish tool_calls`},
		{saw: "three calls with neither index nor id ran as one", body: callFrame("-", "-", f, x) + callFrame("-", "-", f, y) + callFrame("-", "-", f, x) + end,
			want: `calls made-up:f({"x":1}) made-up:f({"y":2}) made-up:f({"x":1}), finish tool_calls`},
		{saw: "one call without an index ran as two", body: callFrame("-", `"a"`, f, `"{\"x\""`) + callFrame("-", "-", "-", `":1}"`) + end, want: `calls a:f({"x":1}), finish tool_calls`},
		{saw: "one call whose index comes late ran as two", body: callFrame("-", `"a"`, f, `""`) + callFrame("0", "-", "-", `"{\"x\""`) + callFrame("0", "-", "-", `":1}"`) + end,
			want: `calls a:f({"x":1}), finish tool_calls`},
		{saw: "a panic at an index that is a string", body: callFrame(`"0"`, `"a"`, f, x) + callFrame(`"1"`, `"b"`, g, y) + end, want: two},
		{saw: "a panic at an index that begins with 1", body: callFrame("1", `"a"`, f, x) + callFrame("2", `"b"`, g, y) + end, want: two},
		{saw: "a panic at a gap in the index", body: callFrame("0", `"a"`, f, x) + callFrame("2", `"b"`, g, y) + end, want: two},
		{saw: "a panic at an absurd index", body: callFrame("-7", `"a"`, f, x) + callFrame("99999999999", `"b"`, g, y) + end, want: two},
		{saw: "arguments of two calls mixed", body: callFrame("0", `"a"`, f, `"{\"x\""`) + callFrame("1", `"b"`, g, `"{\"y\""`) + callFrame("0", "-", "-", `":1}"`) + callFrame("1", "-", "-", `":2}"`) + end, want: two},
		{saw: "three calls of one delta with nothing but names ran as one", body: deltaFrame(`{"tool_calls":[{"function":{"name":"f"}},{"function":{"name":"f"}},{"function":{"name":"f"}}]}`) + end,
			want: `calls made-up:f() made-up:f() made-up:f(), finish tool_calls`},
		{saw: "many calls for ids that change and names that are null", body: callFrame("0", `"a"`, f, `""`) + callFrame("0", `"b"`, "null", `"{\"x\""`) + callFrame("0", `"c"`, "null", `":1}"`) + end,
			want: `calls a:f({"x":1}), finish tool_calls`},
	}
}

// callPartCases are calls whose names, ids and arguments do not look like those
// of the document.
func callPartCases() []wireCase {
	const f, g, x, y = `"f"`, `"g"`, `"{\"x\":1}"`, `"{\"y\":2}"`
	end := finishFrame("tool_calls") + doneFrame
	now := func(arguments string) string { return callFrame("0", `"a"`, `"now"`, arguments) + end }
	long := `{"content":"` + strings.Repeat("x", 70000) + `"}`
	return []wireCase{
		{saw: "tool read_fileread_file not found", body: callFrame("0", `"a"`, `"read_file"`, `"{"`) + callFrame("0", `"a"`, `"read_file"`, `"}"`) + end, want: `calls a:read_file({}), finish tool_calls`},
		{saw: "tool without a name not found", body: callFrame("0", `"a"`, `"read_file"`, `"{"`) + callFrame("0", `""`, `""`, `"}"`) + end, want: `calls a:read_file({}), finish tool_calls`},
		{saw: "tool file not found", body: callFrame("0", `"a"`, `"read_"`, `""`) + callFrame("0", "-", `"file"`, `"{}"`) + end, want: `calls a:read_file({}), finish tool_calls`},
		{saw: "tool read_read_file not found", body: callFrame("0", `"a"`, `"read_"`, `""`) + callFrame("0", `"a"`, `"read_file"`, `"{}"`) + end, want: `calls a:read_file({}), finish tool_calls`},
		{saw: "tool null not found", body: callFrame("0", `"a"`, `"read_file"`, `"{"`) + callFrame("0", `"a"`, "null", `"}"`) + end, want: `calls a:read_file({}), finish tool_calls`},
		{saw: "a crash at a call that never gets a name", body: callFrame("0", `"a"`, "-", `"{}"`) + end, want: `calls a:({}), finish tool_calls`},
		{saw: "a tool not found for special tokens behind its name", body: callFrame("0", `"functions.f:0"`, `"f<|tool_call_argument_begin|>"`, `"{}"`) + end,
			want: `calls functions.f:0:f({}), finish tool_calls`},
		{saw: "a tool not found for special tokens behind its name, in pieces", body: callFrame("0", `"a"`, `"read_"`, `""`) + callFrame("0", "-", `"file<"`, `""`) + callFrame("0", "-", `"|tool_call"`, `""`) +
			callFrame("0", "-", `"_begin|>"`, `"{}"`) + end, want: `calls a:read_file({}), finish tool_calls`},
		{saw: "a result that answers no call, for want of ids", body: callFrame("0", `""`, f, `"{}"`) + callFrame("1", "null", g, `"{}"`) + end, want: `calls made-up:f({}) made-up:g({}), finish tool_calls`},
		{saw: "two results for one call, for ids that are equal", body: callFrame("0", `"a"`, f, x) + callFrame("1", `"a"`, g, y) + end, want: `calls a:f({"x":1}) made-up:g({"y":2}), finish tool_calls`},
		{saw: "an id that is a number lost", body: callFrame("0", `7`, f, x) + end, want: `calls 7:f({"x":1}), finish tool_calls`},

		{saw: "a call without arguments refused", body: now(`""`), want: `calls a:now(), finish tool_calls`},
		{saw: "a call with arguments null refused", body: now(`null`), want: `calls a:now(), finish tool_calls`},
		{saw: "a call whose arguments are left out refused", body: now(`-`), want: `calls a:now(), finish tool_calls`},
		{saw: "a call with blank arguments refused", body: now(`" \n"`), want: "calls a:now( \n), finish tool_calls"},
		{saw: "a call with the word null as arguments refused", body: now(`"null"`), want: `calls a:now(null), finish tool_calls`},
		{saw: "a call whose arguments are an object lost", body: now(`{"x":1}`), want: `calls a:now({"x":1}), finish tool_calls`},
		{saw: "arguments cut at 64 KiB", body: now(quoted(long)), want: `calls a:now(` + long + `), finish tool_calls`},
		{saw: "question marks for an emoji in two fragments", body: callFrame("0", `"a"`, f, `"{\"t\":\"\ud83d"`) + callFrame("0", "-", "-", `"\udd11\"}"`) + end, want: `calls a:f({"t":"🔑"}), finish tool_calls`},
		{saw: "an escape inside the arguments resolved", body: now(`"{\"t\":\"\\ud99c x\"}"`), want: `calls a:now({"t":"\ud99c x"}), finish tool_calls`},
		{saw: "a crash at null where calls belong", body: deltaFrame(`{"role":null,"content":null,"tool_calls":null}`) + callFrame("0", `"a"`, f, x) + end, want: `calls a:f({"x":1}), finish tool_calls`},
		{saw: "a call outside a list lost", body: deltaFrame(`{"tool_calls":{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}}`) + end, want: `calls a:f({}), finish tool_calls`},
		{saw: "the old function_call ignored", body: deltaFrame(`{"function_call":{"name":"f","arguments":"{\"x\""}}`) + deltaFrame(`{"function_call":{"arguments":":1}"}}`) + finishFrame("function_call") + doneFrame,
			want: `calls made-up:f({"x":1}), finish function_call`},
	}
}

// callEndCases are answers whose end does not fit their calls.
func callEndCases() []wireCase {
	call := callFrame("0", `"a"`, `"f"`, `"{}"`)
	return []wireCase{
		{saw: "a call never run because the answer says stop", body: call + finishFrame("stop") + doneFrame, want: `calls a:f({}), finish stop`},
		{saw: "a call never run because no reason is given", body: call + doneFrame, want: `calls a:f({})`},
		{saw: "a call lost because it finishes the answer", body: strings.Replace(call, `"finish_reason":null`, `"finish_reason":"tool_calls"`, 1), want: `calls a:f({}), finish tool_calls`},
		{saw: "a wait without end for calls that do not come", body: textFrame("hi") + finishFrame("tool_calls") + doneFrame, want: `text "hi", finish tool_calls`},
		{saw: "a tool without a name not found for a call that is but an index", body: textFrame("hi") + callFrame("0", "-", "-", "-") + callFrame("1", `""`, `""`, `""`) + finishFrame("tool_calls"), want: `text "hi", finish tool_calls`},
		{saw: "a wait without end for calls that were dropped", body: textFrame("") + finishFrame("tool_calls"), want: `finish tool_calls`},
		{saw: "text where a call was required taken for a failure", body: textFrame("It is sunny.") + finishFrame("stop") + usageFrame + doneFrame, want: `text "It is sunny.", finish stop, usage 10 5 15 - -`},
		{saw: "words before and between calls lost", body: textFrame("let me ") + call + textFrame("look") + callFrame("1", `"b"`, `"g"`, `"{}"`) + finishFrame("tool_calls") + doneFrame,
			want: `text "let me look", calls a:f({}) b:g({}), finish tool_calls`},
		{saw: "the limit blamed for a lost connection", body: callFrame("0", `"c1"`, `"write_file"`, `"{"`), want: `calls c1:write_file({), cut off`},
		{saw: "a lost connection blamed for the limit", body: callFrame("0", `"c1"`, `"write_file"`, `"{\"path\":\"/tmp/x\",\"content\":\"abc"`) + finishFrame("length") + doneFrame,
			want: `calls c1:write_file({"path":"/tmp/x","content":"abc), finish length`},
		{saw: "a call run though the answer broke off behind it", body: callFrame("0", `"c1"`, `"write_file"`, `"{\"path\":\"/tmp/x\"}"`), reset: true,
			want: `calls c1:write_file({"path":"/tmp/x"}), cut off: connection reset by the server`},
		{saw: "a second request behind a call that broke off", body: reasoningFrame("A") + textFrame("One two ") + call, want: `reasoning_content "A", text "One two ", calls a:f({}), cut off`},
		{saw: "arguments that never close thrown away", body: callFrame("0", `"call_1"`, `"shell"`, `"{\"cmd\": \"echo hi"`) + finishFrame("tool_calls") + doneFrame,
			want: `calls call_1:shell({"cmd": "echo hi), finish tool_calls`},
	}
}

// callExtraCases are calls with fields that the document does not name.
func callExtraCases() []wireCase {
	end := finishFrame("tool_calls") + doneFrame
	call := func(fields string) string { return deltaFrame(`{"tool_calls":[{"index":0,` + fields + `}]}`) }
	const signed = `"extra_content":{"google":{"thought_signature":"s<1>"}}`
	return []wireCase{
		{saw: "the signature of a thought lost", body: call(`"id":"a","type":"function","function":{"name":"f","arguments":"{}"},`+signed) + end,
			want: `calls a:f({}){` + signed + `}, finish tool_calls`},
		{saw: "the signature of the first of two calls at the second", body: deltaFrame(`{"tool_calls":[{"id":"a","function":{"name":"f"},`+signed+`},{"id":"b","function":{"name":"g"}}]}`) + end,
			want: `calls a:f(){` + signed + `} b:g(), finish tool_calls`},
		{saw: "a signature that comes alone lost", body: call(`"id":"a","function":{"name":"f","arguments":"{}"}`) + call(signed) + end, want: `calls a:f({}){` + signed + `}, finish tool_calls`},
		{saw: "a signature that comes first lost", body: call(signed) + call(`"id":"a","function":{"name":"f","arguments":"{}"}`) + end, want: `calls made-up:f({}){` + signed + `}, finish tool_calls`},
		{saw: "a signature taken back by null", body: call(`"id":"a","function":{"name":"f"},"x":1,"y":[2]`) + call(`"x":null,"y":{"n":1.0},"z":null`) + end, want: `calls a:f(){"x":1,"y":{"n":1.0}}, finish tool_calls`},
		{saw: "a field of a function beside it", body: call(`"id":"a","x":1,"function":{"name":"f","y":2}`) + call(`"function":{"arguments":"{}","z":3}`) + call(`"function":{"y":4,"z":null}`) + end,
			want: `calls a:f({}){"function":{"y":4,"z":3},"x":1}, finish tool_calls`},
		{saw: "a field of the document kept as one that nobody knows", body: call(`"ID":"a","Type":"function","Function":{"NAME":"f","Arguments":"{}"}`) + end, want: `calls a:f({}), finish tool_calls`},
		{saw: "the signature of a call outside a list lost", body: deltaFrame(`{"tool_calls":{"id":"a","function":{"name":"f"},`+signed+`}}`) + end, want: `calls a:f(){` + signed + `}, finish tool_calls`},
		{saw: "a crash at calls of the wrong kinds", body: deltaFrame(`{"tool_calls":[7,{"id":"a","function":{"name":"f"},"x":1},null,[],"s"]}`) + deltaFrame(`{"tool_calls":"none"}`) + end, want: `calls a:f(){"x":1}, finish tool_calls`},
		{saw: "the signature of an answer in one piece lost", kind: "application/json", body: `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"},` + signed + `}]},"finish_reason":"tool_calls"}]}`,
			want: `calls a:f({}){` + signed + `}, finish tool_calls`},
	}
}

func TestCallsKeepTheFieldsThatNobodyKnows(t *testing.T) { checkCases(t, callExtraCases()) }

func TestCallsAreToldApart(t *testing.T)                          { checkCases(t, callCases()) }
func TestCallsAreWholeWhateverTheirPartsLookLike(t *testing.T)    { checkCases(t, callPartCases()) }
func TestTheEndOfAnAnswerDoesNotDecideAboutItsCalls(t *testing.T) { checkCases(t, callEndCases()) }

// TestWhatTheModelSaidGoesBackByteForByte: the calls, and the thoughts under the
// name that they came under.
func TestWhatTheModelSaidGoesBackByteForByte(t *testing.T) {
	call := callFrame("0", `"c1"`, `"read"`, `"{\"path\":\"a\"}"`) + finishFrame("tool_calls") + doneFrame
	const called = `"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]`
	for saw, c := range map[string]struct{ body, want string }{
		"reasoning that must be passed back missing": {reasoningFrame("I should <look>. ") + reasoningFrame("Calling.") + call,
			`{"role":"assistant","content":"","reasoning_content":"I should <look>. Calling.",` + called + `}`},
		"reasoning sent back under another name": {deltaFrame(`{"reasoning":"hm"}`) + call, `{"role":"assistant","content":"","reasoning":"hm",` + called + `}`},
		"reasoning from tags sent back as text":  {textFrame("<think>hm</think>") + call, `{"role":"assistant","content":"","reasoning_content":"hm",` + called + `}`},
		"details of reasoning rewritten": {deltaFrame(`{"reasoning":"hm","reasoning_details":[{"type": "reasoning.text","text":"hm","signature":"<1>"}]}`) + call,
			`{"role":"assistant","content":"","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"<1>"}],` + called + `}`},
		"the signature of a call missing": {deltaFrame(`{"tool_calls":[{"index":0,"id":"c1","x":{"b": 1.0,"a":"<"},"extra_content":{"google":{"thought_signature":"s1"}},"function":{"name":"read","arguments":"{\"path\":\"a\"}","z":[1]}}]}`) + finishFrame("tool_calls") + doneFrame,
			`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}","z":[1]},"extra_content":{"google":{"thought_signature":"s1"}},"x":{"b":1.0,"a":"<"}}]}`},
		"reasoning made up where there was none": {call, `{"role":"assistant","content":"",` + called + `}`},
	} {
		t.Run(saw, func(t *testing.T) {
			client, server := newTestClient(t, noRetries, events(c.body))
			done, err := client.Complete(t.Context(), hello())
			if err != nil {
				t.Fatal(err)
			}
			next := hello()
			next.Messages = append(next.Messages, done.Choices[0].Message, Message{Role: RoleTool, ToolCallID: "c1", Content: []Part{{Text: "x"}}})
			if _, err := client.Complete(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			want := `[{"role":"user","content":"hi"},` + c.want + `,{"role":"tool","content":"x","tool_call_id":"c1"}]`
			if !strings.Contains(server.bodies[1], `"messages":`+want) {
				t.Errorf("%s\nwant %s", server.bodies[1], want)
			}
		})
	}
}
