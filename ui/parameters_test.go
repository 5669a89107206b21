package ui

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/chat"
)

// sentBody is the body of the last request that the server got.
func (b *bench) sentBody(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	all := b.server.Requests()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(all[len(all)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// asks types a text and sends it.
func (d *driver) asks(text string) {
	d.types(text)
	d.keys("enter")
}

func answered(text string) emulator.Reply {
	return emulator.Stream(emulator.C(text), emulator.F("stop"), emulator.U, emulator.D)
}

func TestRequestFieldsAreSetByCommandAndSent(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(answered("fine"), answered("again"))
	d := newDriver(t, b.deps, 100, 30)
	for _, c := range []struct{ command, says string }{
		{"/set temperature 0.3", "temperature = 0.3"},
		{"/set stop=END", `stop = ["END"]`},
		{"/set temprature", "did you mean temperature?"},
		{"/set guided_choice [\"a\"]", `guided_choice = ["a"]`},
		{"/set seed x", "takes a whole number"},
		{"/set seed=7", "seed = 7"},
		{"/set seed=", "seed is not set"},
		{"/logprobs 3", "logprobs = true"},
		{"/json", `response_format = {"type":"json_object"}`},
		{"/json off", "response_format is not set"},
		{"/regex [0-9]+", `regex = "[0-9]+"`},
		{"/regex off", "regex is not set"},
		{"/n 2", "n = 2"},
		{"/n 1", "n is not set"},
		{"/zdr", "zero data retention is required"},
		{"/system Be brief.", "system prompt: Be brief."},
	} {
		d.asks(c.command)
		d.sees(c.says)
	}
	d.asks("hello")
	d.sees("fine")
	d.idle()
	body := b.sentBody(t)
	for name, want := range map[string]string{
		"temperature": "0.3", "stop": `["END"]`, "guided_choice": `["a"]`, "logprobs": "true", "top_logprobs": "3",
	} {
		if string(body[name]) != want {
			t.Errorf("%s = %s, want %s", name, body[name], want)
		}
	}
	for _, name := range []string{"seed", "n", "regex", "response_format"} {
		if body[name] != nil {
			t.Errorf("%s = %s is sent", name, body[name])
		}
	}
	if !strings.Contains(string(body["messages"]), "Be brief.") {
		t.Errorf("messages = %s", body["messages"])
	}
	all := b.server.Requests()
	if zdr := all[len(all)-1].Header.Get("Wafer-ZDR"); zdr != "required" {
		t.Errorf("Wafer-ZDR = %q", zdr)
	}
	d.asks("/set")
	d.sees("temperature = 0.3")
}

func TestASchemaComesFromAFileAndTheAnswerIsCheckedAgainstIt(t *testing.T) {
	b := newBench(t, "")
	format, err := api.JSONSchema("person", json.RawMessage(`{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}`), true)
	if err != nil {
		t.Fatal(err)
	}
	b.deps.Format = func(command, file string) (json.RawMessage, error) {
		if command != "schema" || file != "person.json" {
			return nil, errors.New("no such file: " + file)
		}
		return format, nil
	}
	b.server.Script(answered(`{"age":"old"}`), answered(`{"age":7}`))
	d := newDriver(t, b.deps, 110, 36)
	d.asks("/schema nowhere.json")
	d.sees("no such file: nowhere.json")
	d.asks("/schema person.json")
	d.sees("response_format = ")
	d.asks("a person, please")
	d.sees("The answer is not what the format demands.")
	d.sees("age")
	d.asks("/repair")
	d.wait("the request to repair", func() bool { return strings.Contains(d.m.prompt.editor.Text(), "/age") })
	d.keys("enter")
	d.sees(`{"age":7}`)
	d.sees("the answer is what the format demands")
	if got := b.sentBody(t)["response_format"]; string(got) != string(format) {
		t.Errorf("response_format = %s", got)
	}
}

func TestSeveralAnswersAtOnceAreVariants(t *testing.T) {
	b := newBench(t, "")
	other := func(text, finish string) emulator.Raw {
		return emulator.Chunk(`"choices":[{"index":1,"delta":{"content":"` + text + `"},"finish_reason":` + finish + `}]`)
	}
	b.server.Script(emulator.Stream(emulator.C("the first"), other("the second", "null"), emulator.F("stop"), other("", `"stop"`), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.asks("/n 2")
	d.sees("n = 2")
	d.asks("two, please")
	d.sees("the first")
	d.idle()
	d.sees("‹ 1/2 ›")
	d.never("the second")
	d.keys("alt+.")
	d.sees("the second")
	d.sees("‹ 2/2 ›")
	d.never("the first")
}

func TestACutAnswerGoesOn(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(
		emulator.Stream(emulator.C("one two three four fi"), emulator.RST),
		emulator.Stream(emulator.C("one two three four five six"), emulator.F("stop"), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.asks("count")
	d.sees("one two three four fi")
	d.idle()
	d.asks("/continue")
	d.sees("one two three four five six")
	d.idle()
	d.sees("‹ 2/2 ›")
	if s := d.screen(); strings.Count(s, "one two") != 1 {
		t.Errorf("the text stands there twice:\n%s", s)
	}
	d.asks("/continue")
	d.sees("came to its end")
}

func TestTheRuleTellsWhatTheDraftComesTo(t *testing.T) {
	b := newBench(t, "")
	card := api.Model{ID: "GLM-5.3", ContextLength: 1000}
	in, out := int64(29_000_000), int64(440_000_000)
	card.Prices = &api.Prices{Input: &in, Output: &out}
	b.change = func(o *chat.Options) {
		o.Model = func(string) (api.Model, bool) { return card, true }
		o.Prices = func(string) *api.Prices { return card.Prices }
		o.Wafer = true
	}
	d := newDriver(t, b.deps, 110, 30)
	d.types("a few words")
	d.sees("% of 1.0k")
	d.sees("$")
	d.keys("ctrl+c")
	d.sees("draft cleared")
	d.asks("/set max_tokens 5000")
	d.sees("max_tokens = 5000")
	d.types("again")
	d.sees("⚠")
}

func TestALockIsNeverOpenedByAWordThatIsNotUnderstood(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 100, 30)
	for _, c := range []struct {
		arg, says string
		on        bool
	}{{"on", "is required", true}, {"TRUE", "is required", true}, {"maybe", "takes on or off", true}, {"Required", "is required", true}, {"off", "no longer required", false}, {"sure", "takes on or off", false}} {
		d.asks("/zdr " + c.arg)
		d.sees(c.says)
		if d.m.chat.session.ZDR != c.on {
			t.Errorf("after /zdr %s: %v", c.arg, d.m.chat.session.ZDR)
		}
		d.wait("the toast to go", func() bool { return d.m.toast.text == "" })
	}
}

func TestOnlyOneThingSaysWhatAnAnswerLooksLike(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 100, 30)
	for _, c := range []struct{ command, says string }{
		{"/regex a+", "regex ="}, {"/json", "response_format ="}, {"/set Seed 3", "seed = 3"}, {"/set SEED=", "seed is not set"},
		{`/set reasoning {"effort":"low"}`, "reasoning ="}, {"/effort high", "effort: high"},
	} {
		d.asks(c.command)
		d.sees(c.says)
	}
	p := d.m.chat.session.Params
	if p.Regex != "" || p.ResponseFormat == nil || p.Seed != nil || p.Reasoning != nil {
		t.Errorf("%+v", p)
	}
}

func TestTheNextRequestIsExplained(t *testing.T) {
	b := newBench(t, "")
	b.change = func(o *chat.Options) {
		o.Wafer = true
		o.Model = func(string) (api.Model, bool) { return api.Model{ID: "GLM-5.3", ContextLength: 100_000}, true }
	}
	d := newDriver(t, b.deps, 110, 30)
	d.asks("/set temperature 0.1")
	d.sees("temperature = 0.1")
	d.sees("GLM-5.3 ignores temperature")
	d.asks("/context")
	d.sees("The next request:")
	d.sees("at most 50,000 tokens")
}
