package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"waferchat/api/emulator"
)

func TestJSONOutputs(t *testing.T) {
	h := newHome(t)
	script := emulator.Stream(emulator.R("hm"), emulator.C("ans"), emulator.C("wer"), emulator.F("stop"), emulator.Usage(10, 5, 0, 1), emulator.D)
	h.server.Script(script, script, emulator.Err(400, "unsupported_value", "no"))
	var one struct {
		Session, Model, Content, Reasoning, State string
		Finish                                    string `json:"finish_reason"`
		Usage                                     map[string]int
	}
	r := h.run("--output", "json", "hi")
	if err := json.Unmarshal([]byte(r.out), &one); err != nil || r.status != 0 {
		t.Fatal(r, err)
	}
	if one.Session == "" || one.Model != defaultModel || one.Content != "answer" || one.Reasoning != "hm" || one.State != "done" ||
		one.Finish != "stop" || one.Usage["completion_tokens"] != 5 {
		t.Errorf("%+v", one)
	}
	r = h.run("--output", "stream-json", "hi")
	types, text := lines(t, r.out)
	if types[0] != "start" || text != "answer" || strings.Join(types[len(types)-2:], " ") != "usage end" {
		t.Errorf("%v %q", types, text)
	}
	r = h.run("--output", "stream-json", "hi")
	types, _ = lines(t, r.out)
	if r.status != 1 || strings.Join(types, " ") != "start error end" || !strings.Contains(r.out, `"code":"unsupported_value"`) {
		t.Errorf("%+v", r)
	}
}

func TestJSONOutputsTellTheUsageAndWhatItCost(t *testing.T) {
	h := newHome(t)
	h.run("models").status0(t)
	// 29 and 440 cents per million tokens in and out, 23.59 for those cached.
	script := emulator.Stream(emulator.C("ok"), emulator.F("stop"), emulator.Usage(1000, 100, 400, 30), emulator.D)
	h.server.Script(script, script, script)
	const usage = `"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"cached_tokens":400,"reasoning_tokens":30}`
	if r := h.run("--output", "json", "-m", "GLM-5.3", "hi"); !strings.Contains(r.out, usage+`,"cost":70836}`) {
		t.Errorf("%+v", r)
	}
	if r := h.run("--output", "stream-json", "-m", "GLM-5.3", "hi"); !strings.Contains(r.out, `{"type":"usage",`+usage+`,"cost":70836}`+"\n") {
		t.Errorf("%+v", r)
	}
	if r := h.run("--output", "json", "-m", "of unknown price", "hi"); !strings.Contains(r.out, usage+"}") {
		t.Errorf("%+v", r)
	}
	h.server.Script(emulator.Stream(emulator.C("ok"), emulator.F("stop"), emulator.D))
	if r := h.run("--output", "json", "-m", "GLM-5.3", "hi"); r.status != 0 || strings.Contains(r.out, "usage") || strings.Contains(r.out, "cost") {
		t.Errorf("unknown usage is not 0: %+v", r)
	}
}

// lines reads stream-json: the types and the joined content.
func lines(t *testing.T, out string) (types []string, content string) {
	t.Helper()
	for line := range strings.Lines(out) {
		var l struct{ Type, Text string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		types = append(types, l.Type)
		if l.Type == "content" {
			content += l.Text
		}
	}
	return types, content
}

func TestSeveralChoicesAreToldApart(t *testing.T) {
	script := emulator.Stream(emulator.C("one"), choice(1, "two", ""), emulator.F("stop"), choice(1, "", "length"), emulator.U, emulator.D)
	for _, c := range []struct {
		output string
		want   []string
	}{
		{"text", []string{"one\n"}},
		{"json", []string{`"content":"one"`, `"choices":[{"index":0,"content":"one","finish_reason":"stop"},{"index":1,"content":"two","finish_reason":"length"}]`}},
		{"stream-json", []string{`{"type":"content","text":"one"}`, `{"type":"content","text":"two","choice":1}`, `{"type":"choice","choice":1,"finish_reason":"length"}`}},
	} {
		h := newHome(t)
		h.server.Script(script)
		r := h.run("-p", "-o", "n=2", "--output", c.output, "hello")
		for _, want := range c.want {
			if !strings.Contains(r.out, want) {
				t.Errorf("%s: no %s in %s", c.output, want, r.out)
			}
		}
		if c.output == "text" && strings.Contains(r.out, "two") {
			t.Errorf("text: %q", r.out)
		}
	}
}

func TestJSONOutputsHaveTheLogprobsAsTheServerWroteThem(t *testing.T) {
	part := func(index int, token string, finish string) emulator.Raw {
		return emulator.Chunk(fmt.Sprintf(`"choices":[{"index":%d,"delta":{"content":"%s"},"logprobs":{"content":[{"token":"%s","logprob":-0.10,"extra":[1.50],"top_logprobs":[]}]},"finish_reason":%s}]`, index, token, token, finish))
	}
	item := func(token string) string {
		return `{"token":"` + token + `","logprob":-0.10,"extra":[1.50],"top_logprobs":[]}`
	}
	one := emulator.Stream(part(0, "a", "null"), part(0, "b", `"stop"`), emulator.U, emulator.D)
	two := emulator.Stream(part(0, "a", "null"), part(1, "x", "null"), part(0, "b", `"stop"`), part(1, "y", `"stop"`), emulator.U, emulator.D)
	ab, xy := `"logprobs":[`+item("a")+","+item("b")+"]", `"logprobs":[`+item("x")+","+item("y")+"]"
	h := tolerant(t)
	h.server.Script(one, two, two, answer("without"))
	args := []string{"-p", "-m", "Qwen3.8-27B", "-o", "logprobs=true", "-o", "n=2", "hi", "--output"}
	for _, tt := range []struct {
		output string
		want   []string
	}{
		{"json", []string{`"content":"ab",` + ab + ","}},
		{"json", []string{`"content":"ab",` + ab + ",", `{"index":0,"content":"ab",` + ab + `,"finish_reason":"stop"}`, `{"index":1,"content":"xy",` + xy + `,"finish_reason":"stop"}`}},
		{"stream-json", []string{"{\"type\":\"logprobs\"," + ab + "}\n", "{\"type\":\"logprobs\",\"choice\":1," + xy + "}\n{\"type\":\"choice\",\"choice\":1,"}},
	} {
		r := h.run(append(args, tt.output)...)
		for _, want := range tt.want {
			if r.status != 0 || !strings.Contains(r.out, want) {
				t.Errorf("no %s in %+v", want, r)
			}
		}
	}
	if r := h.run(append(args, "json")...); strings.Contains(r.out, "logprobs") {
		t.Errorf("%+v", r)
	}
}

func TestAChoiceThatMissesItsFormatSaysSoItself(t *testing.T) {
	h := tolerant(t)
	script := emulator.Stream(emulator.C("{}"), choice(1, "[]", "stop"), emulator.F("stop"), emulator.U, emulator.D)
	h.server.Script(script, script)
	args := []string{"-m", "Qwen3.8-27B", "-o", "n=2", "--json-mode", "hi", "--output"}
	const fault = `"unsatisfied":"The answer is JSON, but no JSON object."`
	r := h.run(append(args, "json")...)
	if r.status != 4 || strings.Count(r.out, "unsatisfied") != 1 || !strings.Contains(r.out, `{"index":1,"content":"[]","finish_reason":"stop",`+fault+`}`) {
		t.Errorf("%+v", r)
	}
	r = h.run(append(args, "stream-json")...)
	if r.status != 4 || strings.Count(r.out, "unsatisfied") != 1 || !strings.Contains(r.out, `{"type":"choice","choice":1,"finish_reason":"stop",`+fault+"}\n") {
		t.Errorf("%+v", r)
	}
}

func TestReasoningWithoutTextIsNoLine(t *testing.T) {
	h := newHome(t)
	h.server.Script(emulator.Stream(emulator.Delta(`{"reasoning_content":"hm"}`), emulator.Delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}`),
		emulator.C("ok"), emulator.F("stop"), emulator.U, emulator.D))
	r := h.run("--output", "stream-json", "hi")
	if types, _ := lines(t, r.out); r.status != 0 || strings.Join(types, " ") != "start reasoning content usage end" {
		t.Errorf("%+v", r)
	}
}

func TestAStartThatFailsIsToldInJSONToo(t *testing.T) {
	h := newHome(t)
	delete(h.env, "WAFER_BASE_URL")
	delete(h.env, "WAFER_API_KEY")
	const why = `"error":{"title":"there is no API key for pass.wafer.ai: set WAFER_API_KEY, run ` + "`waferchat key set`" + `, or try --demo"}`
	h.run("--output", "json", "hi").want(t, 1, `{"state":"failed",`+why+"}\n", "waferchat: there is no API key")
	h.run("--output", "stream-json", "hi").want(t, 1, `{"type":"error",`+why+"}\n"+`{"type":"end","state":"failed"}`+"\n", "waferchat: there is no API key")
	h.run("--output", "text", "hi").want(t, 1, "", "waferchat: there is no API key")
	h.run("--output", "json", "-c", "hi").want(t, 1, `{"state":"failed",`+why+"}\n", "waferchat: there is no API key")
	h.run("--output", "json", "-r=nothing", "hi").want(t, 1, `{"state":"failed","error":{"title":"no session matches \"nothing\"; `+"`waferchat sessions list`"+` shows them all"}}`+"\n", "no session matches")
	h.run("--output", "json", "--dry-run", "-r=nothing", "hi").want(t, 1, "", "no session matches")
	if err := os.WriteFile(h.write("no store", "data", "waferchat", "sessions.db"), []byte(strings.Repeat("no store ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := h.run("--output", "json", "-c", "hi")
	var got record
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || r.status != 1 || got.State != "failed" || got.Error == nil || got.Error.Title != "The file with the chats is damaged." || got.Error.Advice == "" {
		t.Errorf("%+v %v", r, err)
	}
}
