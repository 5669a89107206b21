package api

import (
	"fmt"
	"strings"
	"testing"
)

func callsOf(o outcome) string {
	var b strings.Builder
	for _, c := range o.calls {
		id := c.ID
		if strings.HasPrefix(id, "call_") && len(id) == len("call_")+24 {
			id = "made-up"
		}
		fmt.Fprintf(&b, "%s:%s(%s) ", id, c.Name, c.Arguments)
	}
	return strings.TrimSpace(b.String())
}

func TestToolCallsAreToldApart(t *testing.T) {
	f, g := `"f"`, `"g"`
	x, y := quoted(`{"x":1}`), quoted(`{"y":2}`)
	cases := []struct{ name, stream, want string }{
		{"two in one delta without index", deltaFrame(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":` + x + `}},{"id":"b","function":{"name":"g","arguments":` + y + `}}]}`),
			`a:f({"x":1}) b:g({"y":2})`},
		{"two deltas without index", callFrame("-", `"a"`, f, x) + callFrame("-", `"b"`, g, y), `a:f({"x":1}) b:g({"y":2})`},
		{"neither index nor id, one name three times", callFrame("-", "-", f, x) + callFrame("-", "-", f, y) + callFrame("-", "-", f, x),
			`made-up:f({"x":1}) made-up:f({"y":2}) made-up:f({"x":1})`},
		{"three in one delta with nothing but names", deltaFrame(`{"tool_calls":[{"function":{"name":"f"}},{"function":{"name":"f"}},{"function":{"name":"f"}}]}`),
			`made-up:f() made-up:f() made-up:f()`},
		{"no index, arguments go on without an id", callFrame("-", `"a"`, f, quoted(`{"x"`)) + callFrame("-", "-", "-", quoted(`:1}`)), `a:f({"x":1})`},
		{"index in later chunks only", callFrame("-", `"a"`, f, quoted("")) + callFrame("0", "-", "-", quoted(`{"x"`)) + callFrame("0", "-", "-", quoted(`:1}`)), `a:f({"x":1})`},
		{"index null", callFrame("null", `"a"`, f, x) + callFrame("null", `"b"`, g, y), `a:f({"x":1}) b:g({"y":2})`},
		{"index as a string", callFrame(`"0"`, `"a"`, f, quoted(`{"x"`)) + callFrame(`"1"`, `"b"`, g, y) + callFrame(`"0"`, "-", "-", quoted(`:1}`)), `a:f({"x":1}) b:g({"y":2})`},
		{"index from 1 on", callFrame("1", `"a"`, f, x) + callFrame("2", `"b"`, g, quoted(`{"y"`)) + callFrame("2", "-", "-", quoted(`:2}`)), `a:f({"x":1}) b:g({"y":2})`},
		{"a gap in the index", callFrame("0", `"a"`, f, x) + callFrame("2", `"b"`, g, y), `a:f({"x":1}) b:g({"y":2})`},
		{"interleaved fragments", callFrame("0", `"a"`, f, quoted(`{"x"`)) + callFrame("1", `"b"`, g, quoted(`{"y"`)) + callFrame("0", "-", "-", quoted(`:1}`)) + callFrame("1", "-", "-", quoted(`:2}`)), `a:f({"x":1}) b:g({"y":2})`},
		{"every call has index 0", callFrame("0", `"a"`, f, x) + callFrame("0", `"b"`, g, y), `a:f({"x":1}) b:g({"y":2})`},
		{"another id in every chunk", callFrame("0", `"a"`, f, quoted("")) + callFrame("0", `"b"`, "null", quoted(`{"x"`)) + callFrame("0", `"c"`, "null", quoted(`:1}`)), `a:f({"x":1})`},
		{"id and name in every chunk", callFrame("0", `"a"`, `"read_file"`, quoted("{")) + callFrame("0", `"a"`, `"read_file"`, quoted("}")), `a:read_file({})`},
		{"empty id and name later", callFrame("0", `"a"`, `"read_file"`, quoted("{")) + callFrame("0", `""`, `""`, quoted("}")), `a:read_file({})`},
		{"null name later", callFrame("0", `"a"`, `"read_file"`, quoted("{")) + callFrame("0", `"a"`, "null", quoted("}")), `a:read_file({})`},
		{"a name in pieces", callFrame("0", `"a"`, `"read_"`, quoted("")) + callFrame("0", "-", `"file"`, quoted("{}")), `a:read_file({})`},
		{"a name that grows", callFrame("0", `"a"`, `"read_"`, quoted("")) + callFrame("0", `"a"`, `"read_file"`, quoted("{}")), `a:read_file({})`},
		{"no name ever", callFrame("0", `"a"`, "-", quoted("{}")), `a:({})`},
		{"no id", callFrame("0", `""`, f, quoted("{}")) + callFrame("1", "null", g, quoted("{}")), `made-up:f({}) made-up:g({})`},
		{"the same id twice", callFrame("0", `"a"`, f, x) + callFrame("1", `"a"`, g, y), `a:f({"x":1}) made-up:g({"y":2})`},
		{"an opaque id", callFrame("0", `"functions.f:0"`, f, x), `functions.f:0:f({"x":1})`},
		{"arguments as an object", callFrame("0", `"a"`, f, `{"x":1}`), `a:f({"x":1})`},
		{"arguments null", callFrame("0", `"a"`, f, "null"), `a:f()`},
		{"arguments missing", callFrame("0", `"a"`, f, "-"), `a:f()`},
		{"arguments blank", callFrame("0", `"a"`, f, quoted(" \n")), "a:f( \n)"},
		{"arguments that never close", callFrame("0", `"a"`, f, quoted(`{"cmd": "echo hi`)), `a:f({"cmd": "echo hi)`},
		{"one call outside an array", deltaFrame(`{"tool_calls":{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}}`), `a:f({})`},
		{"the old function_call", deltaFrame(`{"function_call":{"name":"f","arguments":"{\"x\""}}`) + deltaFrame(`{"function_call":{"arguments":":1}"}}`), `made-up:f({"x":1})`},
		{"a character cut between fragments", callFrame("0", `"a"`, f, `"{\"t\":\"\ud83d"`) + callFrame("0", "-", "-", `"\udd11\"}"`), `a:f({"t":"🔑"})`},
		{"null where calls belong", deltaFrame(`{"role":null,"content":null,"tool_calls":null}`) + callFrame("0", `"a"`, f, x), `a:f({"x":1})`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := play(t, c.stream+finishFrame("tool_calls")+doneFrame)
			wantText(t, o, "")
			if got := callsOf(o); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			seen := map[string]bool{}
			for _, call := range o.calls {
				if call.ID == "" || seen[call.ID] {
					t.Errorf("id %q twice or empty", call.ID)
				}
				seen[call.ID] = true
			}
		})
	}
}

func TestACallIsShownBeforeItsArgumentsCome(t *testing.T) {
	c, _ := newTestClient(t, noRetries, hanging(callFrame("0", `"a"`, `"slow"`, quoted(""))))
	s := c.Stream(t.Context(), hello())
	defer s.Close()
	_, _ = s.Next()
	e, err := s.Next()
	if err != nil || e.Kind != EventToolCall || e.Call.Name != "slow" || e.Call.ID != "a" {
		t.Errorf("%+v %v", e, err)
	}
}

func TestHugeArgumentsArriveWhole(t *testing.T) {
	args := `{"content":"` + strings.Repeat("x", 5000000) + `"}`
	o := play(t, callFrame("0", `"a"`, `"write"`, quoted(args))+finishFrame("tool_calls")+doneFrame)
	if len(o.calls) != 1 || o.calls[0].Arguments != args {
		t.Errorf("%d calls", len(o.calls))
	}
}
