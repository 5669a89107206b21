package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/chat"
	"waferchat/session"
)

// choice is a piece of an answer behind the first.
func choice(index int, text, finish string) emulator.Raw {
	f, _ := json.Marshal(finish)
	if finish == "" {
		f = []byte("null")
	}
	content, _ := json.Marshal(text)
	i, _ := json.Marshal(index)
	return emulator.Chunk(`"choices":[{"index":` + string(i) + `,"delta":{"content":` + string(content) + `},"finish_reason":` + string(f) + `}]`)
}

func TestAnAnswerThatWasCutShortSaysHow(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply emulator.Reply
		out   string
		err   string
	}{
		{"the limit", emulator.Stream(emulator.C("half"), emulator.F("length"), emulator.Usage(10, 5, 0, 0), emulator.D), "half\n",
			"the answer was cut short: it reached the most tokens it may have\n"},
		{"in other words", emulator.Stream(emulator.C("half"), emulator.F("max_tokens"), emulator.Usage(10, 5, 0, 0), emulator.D), "half\n",
			"the answer was cut short: it reached the most tokens it may have\n"},
		{"nothing but reasoning", emulator.Stream(emulator.R("hm"), emulator.F("length"), emulator.Usage(10, 5, 0, 5), emulator.D), "",
			"the answer is empty: it reached the most tokens it may have before its text began; raise max_tokens or lower the effort\n"},
		{"nothing at all", emulator.Stream(emulator.F("length"), emulator.Usage(10, 5, 0, 0), emulator.D), "",
			"the answer is empty: it reached the most tokens it may have before its text began; raise max_tokens or lower the effort\n"},
		{"a filter", emulator.Stream(emulator.C("half"), emulator.F("content_filter"), emulator.U, emulator.D), "half\n",
			"the answer was cut short by the server's content filter\n"},
	} {
		h := newHome(t)
		h.server.Script(tt.reply)
		h.run("-p", "--max-tokens", "5", "hi").want(t, 3, tt.out, "waferchat: "+tt.err)
	}
}

func TestAnAnswerThatRepeatedItselfIsNotTakenForALongOne(t *testing.T) {
	for text, want := range map[string]string{
		"again and again": "the answer was cut short: it was possibly stopped for repeating itself",
		"":                "the answer is empty: it was possibly stopped for repeating itself",
	} {
		few := int64(7)
		m := session.Message{State: session.Done, Finish: "length", Limit: 1000, Usage: &api.Usage{CompletionTokens: &few},
			Parts: []session.Part{{Kind: session.PartText, Text: text}}}
		err := newProgram(System{}).outcome(chat.Event{Kind: chat.EventEnd, State: chat.Done, Stored: &m}, nil, nil)
		var exit *exitError
		if !errors.As(err, &exit) || exit.status != exitCut || exit.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// tolerant is a home whose server does not check what it answers.
func tolerant(t *testing.T) *home {
	h := newHome(t)
	h.server = h.serve(emulator.Options{Key: secret})
	h.env["WAFER_BASE_URL"] = h.server.URL
	return h
}

func TestEveryChoiceIsJudged(t *testing.T) {
	finish := func(steps ...emulator.Step) emulator.Reply {
		return emulator.Stream(append(steps, emulator.F("stop"), emulator.U, emulator.D)...)
	}
	for _, tt := range []struct {
		name   string
		args   string
		reply  emulator.Reply
		status int
		err    string // the whole of it
	}{
		{"all came", "-o n=2", finish(emulator.C("one"), choice(1, "two", "stop")), 0, ""},
		{"one came", "-o n=3", finish(emulator.C("one")), 0, "waferchat: 1 of the 3 choices that were asked for came\n"},
		{"the other was cut short", "-o n=2", finish(emulator.C("one"), choice(1, "tw", "length")), 3,
			"waferchat: choice 1 was cut short: it reached the most tokens it may have\n"},
		{"the other is empty", "-o n=2", finish(emulator.C("one"), emulator.Chunk(`"choices":[{"index":1,"delta":{"reasoning_content":"hm"},"finish_reason":"length"}]`)), 3,
			"waferchat: choice 1 is empty: it reached the most tokens it may have before its text began; raise max_tokens or lower the effort\n"},
		{"a filter took the third", "-o n=3", finish(emulator.C("one"), choice(1, "two", "stop"), choice(2, "th", "content_filter")), 3,
			"waferchat: choice 2 was cut short by the server's content filter\n"},
		{"all are JSON", "-o n=2 --json-mode", finish(emulator.C("{}"), choice(1, "{}", "stop")), 0, ""},
		{"the other is no JSON", "-o n=2 --json-mode", finish(emulator.C("{}"), choice(1, "[]", "stop")), 4,
			"waferchat: choice 1: The answer is JSON, but no JSON object.\n"},
		{"none is JSON", "-o n=2 --json-mode", finish(emulator.C("[]"), choice(1, "[]", "stop")), 4,
			"waferchat: choice 0: The answer is JSON, but no JSON object.\nwaferchat: choice 1: The answer is JSON, but no JSON object.\n"},
		{"one is no JSON, one was cut short", "-o n=2 --json-mode", finish(emulator.C("[]"), choice(1, "{", "length")), 3,
			"waferchat: choice 0: The answer is JSON, but no JSON object.\nwaferchat: choice 1 was cut short: it reached the most tokens it may have\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := tolerant(t)
			h.server.Script(tt.reply)
			r := h.run(append(strings.Fields("-p -m Qwen3.8-27B "+tt.args), "hi")...)
			if r.status != tt.status || r.err != tt.err {
				t.Errorf("%+v", r)
			}
		})
	}
}

const twoTools = `[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}},` +
	`{"type":"function","function":{"name":"get_time","parameters":{"type":"object","properties":{}}}}]`

func TestToolsAreSentAndCallsAreShownAndNotRun(t *testing.T) {
	h := newHome(t)
	call := emulator.Stream(emulator.T(0, "call_1", "get_weather", `{"city":`), emulator.T(0, "", "", `"Paris"}`), emulator.T(1, "call_2", "get_time", ""),
		emulator.T(2, "call_3", "get_weather", `{}`), emulator.F("tool_calls"), emulator.U, emulator.D)
	h.server.Script(call, call, call, call)
	const note = "waferchat: the model may call these tools; its calls are shown and not run\n"
	const wants = note + "waferchat: the model wants to call get_weather, get_time; tools are not run here"
	r := h.run("-p", "-o", "tools="+twoTools, "hi")
	if r.status != 0 || r.out != "" || r.err != wants+" (--output json shows the arguments)\n" {
		t.Errorf("%+v", r)
	}
	if got := fieldsOf(t, h.server); string(got["tools"]) != twoTools {
		t.Errorf("%s", got["tools"])
	}
	r = h.run("--output", "json", "-o", "Tools= "+twoTools+" ", "hi")
	if r.status != 0 || r.err != wants+"\n" || !strings.Contains(r.out, `"tool_calls":[{"id":"call_1","name":"get_weather","arguments":"{\"city\":\"Paris\"}"},`+
		`{"id":"call_2","name":"get_time","arguments":""},{"id":"call_3","name":"get_weather","arguments":"{}"}]`) {
		t.Errorf("%+v", r)
	}
	r = h.run("--output", "stream-json", "-q", "-o", "tools="+twoTools, "hi")
	if r.status != 0 || r.err != "" || !strings.Contains(r.out, `{"type":"tool_call","id":"call_2","name":"get_time","arguments":""}`+"\n") {
		t.Errorf("%+v", r)
	}
	h.run("-x", "-o", "tools="+twoTools, "hi").want(t, 0, "", "wants to call get_weather")
	h.server.Script(answer("ok"), answer("ok"))
	h.run("-p", "-c", "go on").want(t, 0, "ok\n", "")
	if got := fieldsOf(t, h.server); string(got["tools"]) != twoTools {
		t.Errorf("they are not kept with the chat: %s", got["tools"])
	}
	h.run("-p", "-c", "-o", "tools=null", "go on").want(t, 0, "ok\n", "")
	if got := fieldsOf(t, h.server); got["tools"] != nil {
		t.Errorf("they are not taken away: %s", got["tools"])
	}
}
