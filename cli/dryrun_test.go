package cli

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"waferchat/api"
)

// wafer is a machine whose requests would go to Wafer itself; a dry run sends
// nothing.
func wafer(t *testing.T) *home {
	h := newHome(t)
	delete(h.env, "WAFER_BASE_URL")
	return h
}

// wantBody runs a dry run and compares the body that it shows.
func (h *home) wantBody(want string, args ...string) result {
	h.t.Helper()
	r := h.run(append([]string{"-p", "--dry-run"}, args...)...)
	var got, expected any
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		h.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || r.status != 0 || !reflect.DeepEqual(got, expected) {
		h.t.Errorf("%q: status %d, stderr %q, %v\n%swant %s", args, r.status, r.err, err, r.out, want)
	}
	return r
}

// personSchema is the schema of the document's example of structured output.
const personSchema = `{
  "type": "object",
  "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
  "required": ["name", "age"],
  "additionalProperties": false
}
`

func TestTheDryRunShowsTheDocumentsRequests(t *testing.T) {
	h := wafer(t)
	person := h.write(personSchema, "person.json")
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"basic", []string{"-m", "GLM-5.3", "-s", "Answer in one sentence.", "--max-tokens", "1024", "What is Wafer Serverless?"}, `{
			"model": "GLM-5.3",
			"messages": [
			  {"role": "system", "content": "Answer in one sentence."},
			  {"role": "user", "content": "What is Wafer Serverless?"}
			],
			"max_tokens": 1024,
			"stream": true}`},
		{"streaming", []string{"-m", "GLM-5.3", "--max-tokens", "256", "Count from 1 to 5."}, `{
			"model": "GLM-5.3",
			"messages": [{"role": "user", "content": "Count from 1 to 5."}],
			"max_tokens": 256,
			"stream": true}`},
		{"json_object", []string{"--json-mode", "Name a colour, as JSON."}, `{
			"model": "GLM-5.3",
			"messages": [{"role": "user", "content": "Name a colour, as JSON."}],
			"response_format": {"type": "json_object"},
			"stream": true}`},
		{"json_schema", []string{"--schema", person, "--max-tokens", "512", "Invent a fictional person."}, `{
			"model": "GLM-5.3",
			"messages": [{"role": "user", "content": "Invent a fictional person."}],
			"response_format": {
			  "type": "json_schema",
			  "json_schema": {
				"name": "person",
				"strict": true,
				"schema": {
				  "type": "object",
				  "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
				  "required": ["name", "age"],
				  "additionalProperties": false
				}
			  }
			},
			"max_tokens": 512,
			"stream": true}`},
		{"reasoning_effort", []string{"-e", "high", "--max-tokens", "4096", "Is 391 prime?"}, `{
			"model": "GLM-5.3",
			"messages": [{"role": "user", "content": "Is 391 prime?"}],
			"reasoning_effort": "high",
			"max_tokens": 4096,
			"stream": true}`},
		{"regex", []string{"--regex", `<\d+> & more`, "hi"}, `{
			"model": "GLM-5.3", "messages": [{"role": "user", "content": "hi"}], "stream": true,
			"regex": "<\\d+> & more"}`},
		{"grammar", []string{"--grammar", h.write("\ufeff"+`{"type": "grammar", "grammar": "root ::= \"yes\""}`, "g.json"), "hi"}, `{
			"model": "GLM-5.3", "messages": [{"role": "user", "content": "hi"}], "stream": true,
			"response_format": {"type": "grammar", "grammar": "root ::= \"yes\""}}`},
		{"effort as -o", []string{"-o", "reasoning_effort=max", "hi"}, `{
			"model": "GLM-5.3", "messages": [{"role": "user", "content": "hi"}], "stream": true,
			"reasoning_effort": "max"}`},
		{"effort said twice alike", []string{"-e", "max", "-o", "reasoning_effort=max", "hi"}, `{
			"model": "GLM-5.3", "messages": [{"role": "user", "content": "hi"}], "stream": true,
			"reasoning_effort": "max"}`},
	} {
		t.Run(tt.name, func(t *testing.T) { h.wantBody(tt.want, tt.args...) })
	}
}

func TestTheDryRunShowsEveryFieldOfTheDocument(t *testing.T) {
	h := wafer(t)
	args := []string{"-m", "Kimi-K3", "-s", "sys", "-e", "high", "--max-tokens", "100", "--zdr"}
	for _, option := range []string{
		"max_completion_tokens=200", "temperature=0.7", "top_p=0.95", "top_k=40", "min_p=0.05", "frequency_penalty=0.5",
		"presence_penalty=-0.5", "repetition_penalty=1.1", "stop=END", "seed=42", "n=2", "logprobs=true", "top_logprobs=3",
		"tool_choice=auto", "parallel_tool_calls=false", `response_format={"type":"json_object"}`, "regex=a+",
		`reasoning={"effort":"high"}`, `thinking={"type":"enabled"}`, "user=ann", "chat_template_kwargs={\"x\": [1, null]}", "guided=null",
	} {
		args = append(args, "-o", option)
	}
	r := h.wantBody(`{
		"model": "Kimi-K3",
		"messages": [{"role": "system", "content": "sys"}, {"role": "user", "content": "hi"}],
		"stream": true,
		"max_tokens": 100,
		"max_completion_tokens": 200,
		"temperature": 0.7,
		"top_p": 0.95,
		"top_k": 40,
		"min_p": 0.05,
		"frequency_penalty": 0.5,
		"presence_penalty": -0.5,
		"repetition_penalty": 1.1,
		"stop": ["END"],
		"seed": 42,
		"n": 2,
		"logprobs": true,
		"top_logprobs": 3,
		"tool_choice": "auto",
		"parallel_tool_calls": false,
		"response_format": {"type": "json_object"},
		"regex": "a+",
		"reasoning_effort": "high",
		"reasoning": {"effort": "high"},
		"thinking": {"type": "enabled"},
		"user": "ann",
		"chat_template_kwargs": {"x": [1, null]},
		"guided": null}`, append(args, "hi")...)
	for _, name := range api.ParamNames() {
		if !strings.Contains(r.out, `"`+name+`":`) {
			t.Errorf("%s is not tried here", name)
		}
	}
	head := "POST https://pass.wafer.ai/v1/chat/completions\nContent-Type: application/json\nAuthorization: Bearer •••\nWafer-ZDR: required\n"
	if !strings.HasPrefix(r.err, head) {
		t.Errorf("stderr %q", r.err)
	}
	h.run(append(args, "-q", "--dry-run", "hi")...).want(t, 0, r.out, "")
}

func TestTheDryRunShowsThatAStoredKeyWouldBeSent(t *testing.T) {
	const shown = "Authorization: Bearer •••\n"
	for _, tt := range []struct {
		name  string
		set   func(h *home)
		shown bool
		note  string
	}{
		{"in a variable", func(h *home) { h.env["WAFER_API_KEY"] = secret }, true, ""},
		{"nowhere", func(*home) {}, false, ""},
		{"in the keyring", func(h *home) { h.ring.keys["pass.wafer.ai"] = secret }, true, ""},
		{"for another host", func(h *home) { h.ring.keys["elsewhere"] = secret }, false, ""},
		{"in the file", func(h *home) {
			h.write(`{"pass.wafer.ai":"`+secret+`"}`, "config", "waferchat", "keys.json")
		}, true, ""},
		{"of a command", func(h *home) {
			h.write("base_url = \"https://pass.wafer.ai/v1\"\nkey_command = \"touch "+h.file("was-run")+"\"\n", "config", "waferchat", "config.toml")
		}, true, ""},
		{"in a keyring that fails", func(h *home) { h.ring.err = errors.New("no bus") }, false, ""},
		{"in a file that is broken", func(h *home) { h.write("nonsense", "config", "waferchat", "keys.json") }, false, "waferchat: the stored keys cannot be read: "},
	} {
		h := wafer(t)
		delete(h.env, "WAFER_API_KEY")
		tt.set(h)
		r := h.run("--dry-run", "hi")
		if r.status != 0 || strings.Contains(r.err, shown) != tt.shown || !strings.Contains(r.err, tt.note) || tt.note == "" && strings.Contains(r.err, "cannot be read") {
			t.Errorf("%s: %+v", tt.name, r)
		}
		if _, err := os.Stat(h.file("was-run")); err == nil {
			t.Errorf("%s: a command was run", tt.name)
		}
	}
	h := newHome(t)
	if r := h.run("--demo", "--dry-run", "hi"); strings.Contains(r.err, shown) {
		t.Errorf("the demo: %+v", r)
	}
}

func TestTheDryRunIsWrittenForReading(t *testing.T) {
	h := wafer(t)
	h.run("--dry-run", "-q", "-o", "seed=1", "a <b>").want(t, 0, `{
  "model": "GLM-5.3",
  "messages": [
    {
      "role": "user",
      "content": "a <b>"
    }
  ],
  "stream": true,
  "seed": 1
}
`, "")
}

func TestASchemaFileMayHoldAnyOfItsForms(t *testing.T) {
	h := wafer(t)
	format := func(inner string) string {
		return `{"model":"GLM-5.3","messages":[{"role":"user","content":"hi"}],"stream":true,"response_format":{"type":"json_schema","json_schema":` + inner + `}}`
	}
	for _, tt := range []struct{ file, text, want string }{
		{"a.json", `{"type":"object"}`, `{"name":"a","strict":true,"schema":{"type":"object"}}`},
		{"a b.schema.json", `{}`, `{"name":"a_b_schema","strict":true,"schema":{}}`},
		{"a.json", `{"title":"Été à Paris (2)","type":"object"}`, `{"name":"_t____Paris__2_","strict":true,"schema":{"title":"Été à Paris (2)","type":"object"}}`},
		{"名.json", `{"title":"名"}`, `{"name":"answer","strict":true,"schema":{"title":"名"}}`},
		{"a.json", `{"title":"` + strings.Repeat("x", 80) + `"}`, `{"name":"` + strings.Repeat("x", 64) + `","strict":true,"schema":{"title":"` + strings.Repeat("x", 80) + `"}}`},
		{"a.json", `{"name":"n","schema":{"type":"object"}}`, `{"name":"n","schema":{"type":"object"}}`},
		{"a.json", `{"name":"n","strict":false,"schema":{"type":"object"}}`, `{"name":"n","strict":false,"schema":{"type":"object"}}`},
		{"a.json", `{"type":"json_schema","json_schema":{"name":"n","schema":{}}}`, `{"name":"n","schema":{}}`},
		{"a.json", `{"type":["object","null"],"properties":{"schema":{"type":"string"},"name":{"type":"string"}}}`,
			`{"name":"a","strict":true,"schema":{"type":["object","null"],"properties":{"schema":{"type":"string"},"name":{"type":"string"}}}}`},
	} {
		h.wantBody(format(tt.want), "--schema", h.write(tt.text, tt.file), "hi")
	}
}

func TestABrokenFileIsNamedWithThePlace(t *testing.T) {
	h := wafer(t)
	for _, tt := range []struct{ flag, text, want string }{
		{"--schema", "{\n  \"type\": \"object\",\n}", ":3:1: --schema is not JSON: "},
		{"--schema", "{\"type\": object}", ":1:10: --schema is not JSON: "},
		{"--schema", "{\"type\":\n", ":2:1: --schema is not JSON: unexpected end"},
		{"--schema", "", ":1:1: --schema is not JSON: unexpected end"},
		{"--schema", "{} {}", ":1:4: --schema is not JSON: "},
		{"--schema", "[1]", ":1:1: --schema takes a JSON object"},
		{"--schema", "null", ":1:1: --schema takes a JSON object"},
		{"--schema", "true", ":1:1: --schema takes a JSON object"},
		{"--schema", `{"type":"json_object"}`, ":1:1: --schema: this response_format has no schema; use --json-mode"},
		{"--schema", `{"type":"json_schema"}`, ":1:1: --schema: this response_format has no json_schema object"},
		{"--schema", `{"type":"grammar"}`, ":1:1: --schema: this is a grammar; use --grammar"},
		{"--grammar", "root ::= \"yes\"", ":1:1: --grammar is not JSON: "},
		{"--grammar", "root ::= \"yes\"", `it takes the object for response_format, such as {"type":"grammar", …}`},
		{"--grammar", "\"text\"", ":1:1: --grammar takes a JSON object"},
	} {
		file := h.write(tt.text, "broken.json")
		r := h.run("-p", tt.flag, file, "hi")
		if r.status != 2 || r.out != "" || !strings.HasPrefix(r.err, "waferchat: "+file+":") || !strings.Contains(r.err, tt.want) {
			t.Errorf("%s %q: %+v", tt.flag, tt.text, r)
		}
	}
	h.run("-p", "--schema", h.dir, "hi").want(t, 2, "", "cannot be read: is a directory")
}
