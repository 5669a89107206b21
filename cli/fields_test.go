package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"waferchat/api/emulator"
)

// fieldsOf are the fields of the last chat request that a server has seen.
func fieldsOf(t *testing.T, s *emulator.Running) map[string]json.RawMessage {
	t.Helper()
	reqs := chats(s)
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(reqs[len(reqs)-1].Body, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestFieldsAreKeptWithTheSessionAndSentAgain(t *testing.T) {
	h := newHome(t)
	h.write("max_tokens = 500\neffort = \"low\"\n", "config", "waferchat", "config.toml")
	h.server = h.serve(emulator.Options{Key: secret})
	h.env["WAFER_BASE_URL"] = h.server.URL
	h.run("-p", "-o", "temperature=0.2", "-o", "user=ann", "-o", `chat_template_kwargs={"a":"<b>"}`, "-o", "reasoning_effort=high", "one").status0(t)
	for _, step := range []struct {
		args []string
		want map[string]string
	}{
		{[]string{"two"}, map[string]string{"temperature": "0.2", "user": `"ann"`, "chat_template_kwargs": `{"a":"<b>"}`, "max_tokens": "500", "reasoning_effort": `"high"`}},
		{[]string{"-o", "temperature=null", "-o", "user=null", "-o", "max_tokens=null", "three"},
			map[string]string{"temperature": "", "user": "null", "max_tokens": "", "reasoning_effort": `"high"`}},
		{[]string{"four"}, map[string]string{"temperature": "", "user": "null", "max_tokens": "", "reasoning_effort": `"high"`}},
		{[]string{"-o", "reasoning_effort=max", "five"}, map[string]string{"reasoning_effort": `"max"`}},
		{[]string{"-e", "low", "six"}, map[string]string{"reasoning_effort": `"low"`}},
		{[]string{"-o", "reasoning_effort=null", "seven"}, map[string]string{"reasoning_effort": ""}},
		{[]string{"--json-mode", "eight"}, map[string]string{"response_format": `{"type":"json_object"}`}},
		{[]string{"-o", "response_format=null", "nine"}, map[string]string{"response_format": ""}},
		{[]string{"-o", "seed=5", "ten"}, map[string]string{"user": "null", "chat_template_kwargs": `{"a":"<b>"}`, "seed": "5"}},
		{[]string{"-o", "-user", "-o", "-chat_template_kwargs", "-o", "-Seed", "eleven"}, map[string]string{"user": "", "chat_template_kwargs": "", "seed": ""}},
		{[]string{"-o", "-never_set", "twelve"}, map[string]string{"user": "", "never_set": ""}},
		{[]string{"-o", "user=bob", "-o", "-user", "-o", "user=", "thirteen"}, map[string]string{"user": `""`}},
		{[]string{"-m", "Qwen3.8-27B", "--regex", "[a-z]*", "fourteen"}, map[string]string{"regex": `"[a-z]*"`, "response_format": ""}},
		{[]string{"-o", "regex=null", "--json-mode", "fifteen"}, map[string]string{"regex": "", "response_format": `{"type":"json_object"}`}},
		{[]string{"-o", "-response_format", "--regex", "[a-z]*", "sixteen"}, map[string]string{"regex": `"[a-z]*"`, "response_format": ""}},
	} {
		if r := h.run(append([]string{"-p", "-c"}, step.args...)...); r.status != 0 && r.status != exitUnsatisfied {
			t.Errorf("%q: %+v", step.args, r)
		}
		got := fieldsOf(t, h.server)
		for name, want := range step.want {
			if string(got[name]) != want {
				t.Errorf("%q: %s is %s, want %s", step.args, name, got[name], want)
			}
		}
	}
}

func TestWhatIsSaidForAnotherServerIsForThisOnce(t *testing.T) {
	h := newHome(t)
	other := h.serve(openServer())
	h.run("-p", "one").status0(t)
	h.run("-p", "-c", "--base-url", other.URL, "-m", "elsewhere", "-o", "seed=9", "two").status0(t)
	if got := fieldsOf(t, other); string(got["seed"]) != "9" || string(got["model"]) != `"elsewhere"` {
		t.Errorf("%s", got)
	}
	h.run("-p", "-c", "three").status0(t)
	if got := fieldsOf(t, h.server); got["seed"] != nil || string(got["model"]) != `"`+defaultModel+`"` {
		t.Errorf("%s", got)
	}
}

func TestANullTakesAConfiguredFieldAway(t *testing.T) {
	h := wafer(t)
	h.write("max_tokens = 500\neffort = \"low\"\n", "config", "waferchat", "config.toml")
	const hi = `{"model":"GLM-5.3","messages":[{"role":"user","content":"hi"}],"stream":true`
	h.wantBody(hi+`,"max_tokens":500,"reasoning_effort":"low"}`, "hi")
	h.wantBody(hi+`}`, "-o", "max_tokens=null", "-o", "reasoning_effort=null", "hi")
	h.wantBody(hi+`,"max_completion_tokens":9,"thinking":{"type":"disabled"}}`, "-o", "max_completion_tokens=9", "-o", `thinking={"type":"disabled"}`, "hi")
}

func TestAnUnknownFieldIsSentAndOneThatIsNearANamedOneIsNoted(t *testing.T) {
	h := wafer(t)
	const hi = `{"model":"GLM-5.3","messages":[{"role":"user","content":"hi"}],"stream":true`
	for _, tt := range []struct{ option, body, note string }{
		{"temprature=1", `"temprature":1`, "waferchat: sending the unknown field temprature as it is; did you mean temperature?\n"},
		{"documents=[{\"a\":1}]", `"documents":[{"a":1}]`, ""},
		{"guided_regex=[a-z]+", `"guided_regex":"[a-z]+"`, ""},
		{"service_tier=flex", `"service_tier":"flex"`, ""},
		{"metadata=null", `"metadata":null`, ""},
		{"think=true", `"think":true`, "waferchat: sending the unknown field think as it is; did you mean thinking?\n"},
		{"empty=", `"empty":""`, ""},
		{"temperature=.5", `"temperature":0.5`, ""},
		{"Presence_Penalty= -.5", `"presence_penalty":-0.5`, ""},
		{"seed=-1", `"seed":-1`, ""},
		{"top_logprobs=0", `"top_logprobs":0`, ""},
		{"reasoning=true", `"reasoning":true`, ""},
		{"extra=.5", `"extra":".5"`, ""},
	} {
		r := h.run("--dry-run", "-o", tt.option, "hi")
		h.wantBody(hi+","+tt.body+"}", "-o", tt.option, "hi")
		if got := firstNote(r.err); got != tt.note {
			t.Errorf("%s: %q", tt.option, got)
		}
		h.wantBody(hi+","+tt.body+"}", "-q", "-o", tt.option, "hi")
	}
	h.run("-p", "--dry-run", "-q", "-o", "temprature=1", "hi").want(t, 0, h.run("-p", "--dry-run", "-o", "temprature=1", "hi").out, "")
}

// firstNote is what was said before the request was shown.
func firstNote(stderr string) string {
	note := ""
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "POST ") {
			return note
		}
		note += line
	}
	return note
}

func FuzzAnOptionIsReadOrExplained(f *testing.F) {
	for _, option := range []string{"temperature=.5", "n=1e3", "-foo", "tools=[{}]", "tool_choice=\"", "Stop=", "=", "-=", "a=b=c", "response_format={\"type\":", "zdr=1"} {
		f.Add(option)
	}
	f.Fuzz(func(t *testing.T, option string) {
		got, err := readOption(option)
		if err == nil && (got.name == "" || !json.Valid(got.value) || got.gone != strings.HasPrefix(strings.TrimSpace(option), "-")) {
			t.Errorf("%q: %+v", option, got)
		}
		var exit *exitError
		if err != nil && (!errors.As(err, &exit) || exit.status != exitUsage || !strings.HasPrefix(err.Error(), "-o ")) {
			t.Errorf("%q: %v", option, err)
		}
	})
}
