package emulator

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const twoTools = `"tools":[
	{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string"}},"required":["city"]}}},
	{"type":"function","function":{"name":"calculate","parameters":{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}}},
	{"type":"function","function":{"name":"current_time","parameters":{"type":"object","properties":{}}}},
	{"type":"function","function":{"name":"read_file","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]`

func (r *running) complete(t *testing.T, text string, fields ...string) choice {
	t.Helper()
	var c completion
	a := r.post(t, question(text, fields...))
	if err := json.Unmarshal(a.body, &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("%v in %s for %s %s", err, a.body, text, fields)
	}
	return c.Choices[0]
}

func TestToolsAreCalledWhenTheQuestionMentionsThem(t *testing.T) {
	run := start(t, Options{})
	for _, tt := range []struct{ text, fields, want string }{
		{"What is the weather in Paris?", `"x":1`, `get_weather{"city":"Paris"}`},
		{"weather in Paris, New York and Rome please", `"x":1`, `get_weather{"city":"Paris"} get_weather{"city":"New York"} get_weather{"city":"Rome"}`},
		{"weather in Paris and Rome", `"parallel_tool_calls":false`, `get_weather{"city":"Paris"}`},
		{"The weather and what is 12 * (3+4)?", `"x":1`, `get_weather{"city":"Paris"} calculate{"expression":"12 * (3+4)"}`},
		{"what time is it", `"x":1`, `current_time{}`},
		{"please read the file ./go.mod", `"x":1`, `read_file{"path":"./go.mod"}`},
		{"use read_file on `a b.txt`", `"x":1`, `read_file{"path":"a b.txt"}`},
		{"hello", `"x":1`, ``},
		{"hello", `"tool_choice":"required"`, `get_weather{"city":"Paris"}`},
		{"hello", `"tool_choice":{"type":"function","function":{"name":"calculate"}}`, `calculate{"expression":"6 * 7"}`},
		{"weather", `"tool_choice":"none"`, ``},
		{"weather", `"response_format":{"type":"json_object"}`, ``}, // with auto, the schema constrains the reply
		{"weather", `"response_format":{"type":"json_object"},"tool_choice":"required"`, `get_weather{"city":"Paris"}`},
	} {
		c := run.complete(t, tt.text, twoTools, tt.fields)
		var calls []string
		for _, call := range c.Message.ToolCalls {
			calls = append(calls, call.Function.Name+call.Function.Arguments)
		}
		if got := strings.Join(calls, " "); got != tt.want || (got != "") != (c.Finish == "tool_calls") {
			t.Errorf("%q with %s: %s, finish %q, want %s", tt.text, tt.fields, got, c.Finish, tt.want)
		}
	}
}

func TestToolResultsAreAnsweredByTheirIDs(t *testing.T) {
	run := start(t, Options{})
	a := run.post(t, []byte(`{"model":"Kimi-K3","stream":true,`+twoTools+`,"messages":[{"role":"user","content":"weather and 1+1"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get_weather","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"calculate","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"b","content":"2"},{"role":"tool","tool_call_id":"a","content":"sunny\nand warm"},{"role":"tool","tool_call_id":"zzz","content":"lost"}]}`))
	got := a.content()
	for _, want := range []string{"- **calculate**: 2", "- **get_weather**: \n\n  ```text\n  sunny\n  and warm\n  ```", "a call that was never made (zzz)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

func TestStructuredOutputSatisfiesTheSchema(t *testing.T) {
	run := start(t, Options{})
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"]}`:                  `^\{"age":\d+,"name":"[A-Z][^"]+"\}$`,
		`{"type":"array","items":{"type":"number","minimum":500},"minItems":3}`:                                                         `^\[500,500,500\]$`,
		`{"type":"object","properties":{"x":{"enum":["red","blue"]},"y":{"const":4},"z":{"type":"boolean"},"n":{"type":"null"}}}`:       `^\{"n":null,"x":"(red|blue)","y":4,"z":(true|false)\}$`,
		`{"type":["null","string"],"maxLength":4}`:                                                                                      `^"[^"]{4}"$`,
		`{"type":"string","pattern":"^[A-Z]{2}-\\d{3,}$"}`:                                                                              `^"[A-Z]{2}-\d{3,}"$`,
		`{"type":"string","format":"date"}`:                                                                                             `^"2026-10-01"$`,
		`{"anyOf":[{"type":"integer","maximum":3},{"type":"string"}]}`:                                                                  `^([0-3]|"[^"]+")$`,
		`{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"boolean"}},"required":["b"]}]}`:  `^\{"a":\d+,"b":(true|false)\}$`,
		`{"type":"object","properties":{"p":{"$ref":"#/$defs/p"}},"required":["p"],"$defs":{"p":{"type":"array","items":{"const":1}}}}`: `^\{"p":\[1,1\]\}$`,
	} {
		c := run.complete(t, "go", `"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":`+schema+`}}`)
		if !regexp.MustCompile(want).MatchString(c.Message.Content) || c.Finish != "stop" {
			t.Errorf("%s gives %s, want %s", schema, c.Message.Content, want)
		}
	}
	var object map[string]any
	if c := run.complete(t, "go", `"response_format":{"type":"json_object"}`); json.Unmarshal([]byte(c.Message.Content), &object) != nil || object["question"] != "go" {
		t.Errorf("JSON mode gives %s", c.Message.Content)
	}
}

func TestCallsSatisfyTheirParameters(t *testing.T) {
	run := start(t, Options{})
	for _, schema := range satisfiable() {
		if !strings.HasPrefix(schema, `{"type":"object"`) {
			continue
		}
		c := run.complete(t, "go", `"tools":[{"type":"function","function":{"name":"f","parameters":`+schema+`}}]`, `"tool_choice":"required"`)
		if len(c.Message.ToolCalls) != 1 {
			t.Errorf("%s gives %+v", schema, c.Message)
			continue
		}
		arguments := c.Message.ToolCalls[0].Function.Arguments
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
		if err == nil {
			err = original(t, schema).Validate(v)
		}
		if err != nil || c.Finish != "tool_calls" {
			t.Errorf("%s gives %s: %v", schema, arguments, err)
		}
	}
}

func TestToolsThatCannotBeCalledRightAreNotCalled(t *testing.T) {
	run := start(t, Options{})
	for _, parameters := range []string{
		`{"type":"object","required":["a"],"properties":{"a":false}}`,
		`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!b)"}},"required":["a"]}`,
	} {
		tools := `"tools":[{"type":"function","function":{"name":"rocket","parameters":` + parameters + `}},{"type":"function","function":{"name":"other"}}]`
		if c := run.complete(t, "use the rocket", tools); len(c.Message.ToolCalls) != 0 || c.Finish != "stop" {
			t.Errorf("%s: %+v", parameters, c)
		}
		if c := run.complete(t, "use the rocket", tools, `"tool_choice":"required"`); len(c.Message.ToolCalls) != 1 || c.Message.ToolCalls[0].Function.Name != "other" {
			t.Errorf("%s, required: %+v", parameters, c)
		}
		a := run.post(t, question("go", tools, `"tool_choice":{"type":"function","function":{"name":"rocket"}}`))
		if e := a.envelope(t).Error; a.status != 400 || e.Code != "model_request_rejected" || e.Param != "tools" {
			t.Errorf("%s, named: %d %s", parameters, a.status, a.body)
		}
	}
}

// With tools on and tool_choice auto the schema constrains the reply, also
// after tools have answered; a call that must be made is made, whatever else
// the request says.
func TestSchemaAndToolsInOneRequest(t *testing.T) {
	run := start(t, Options{})
	after := func(fields string) choice {
		body := `{"model":"Kimi-K3",` + twoTools + `,` + fields + `,"messages":[{"role":"user","content":"weather"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"sunny"}]}`
		var c completion
		if a := run.post(t, []byte(body)); json.Unmarshal(a.body, &c) != nil || len(c.Choices) != 1 {
			t.Fatalf("%s gives %s", fields, a.body)
		}
		return c.Choices[0]
	}
	schema := schemaFields(`{"const":7}`)
	if c := after(schema); c.Message.Content != "7" || c.Finish != "stop" {
		t.Errorf("schema: %+v", c)
	}
	if c := after(schema + `,"tool_choice":"none"`); c.Message.Content != "7" {
		t.Errorf("schema, no tools: %+v", c)
	}
	if c := after(schema + `,"tool_choice":"required"`); len(c.Message.ToolCalls) != 1 || c.Message.Content != "" {
		t.Errorf("required: %+v", c)
	}
	if c := after(schemaFields(`{"type":"wrong"}`) + `,"tool_choice":{"type":"function","function":{"name":"calculate"}}`); len(c.Message.ToolCalls) != 1 || c.Message.ToolCalls[0].Function.Name != "calculate" {
		t.Errorf("an ignored schema is not looked at: %+v", c)
	}
}

// No body may bring the server down, in either profile; every answer is a
// completion or an envelope.
func FuzzAnyBodyIsAnswered(f *testing.F) {
	f.Add(question("hello"))
	f.Add(question("error 429", `"stream":true`))
	f.Add(question("weather in Rome", twoTools))
	f.Add(question("x", `"response_format":{"type":"json_schema","json_schema":{"schema":{"allOf":[{"type":"array","maxItems":-1}]}}}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"\ud83c"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, profile := range []Profile{Document, Strict} {
			client := &http.Client{Transport: New(Options{Profile: profile}).RoundTripper()}
			if strings.Contains(strings.ToLower(string(body)), "stall") {
				return // silence was asked for
			}
			res, err := client.Post("http://x/v1/chat/completions", "application/json", strings.NewReader(string(body)))
			if err != nil {
				t.Fatal(err)
			}
			a := readAll(res)
			if res.StatusCode == 200 && len(a.body) == 0 || res.StatusCode >= 400 && !json.Valid(a.body) && !strings.Contains(string(body), "error") {
				t.Errorf("%d %q for %q", res.StatusCode, a.body, body)
			}
		}
	})
}
