package api

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// documentFields are the request fields that the API's document lists, and those
// that its text adds. The first ones are not parameters.
const documentFields = `model messages stream tools
	max_tokens max_completion_tokens temperature top_p top_k min_p frequency_penalty presence_penalty repetition_penalty
	stop seed n logprobs top_logprobs tool_choice parallel_tool_calls response_format regex reasoning_effort reasoning thinking`

func TestEveryFieldOfTheDocumentHasAName(t *testing.T) {
	want := strings.Fields(documentFields)[4:]
	if got := ParamNames(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("names %q, want %q", got, want)
	}
	names := ParamNames()
	names[0] = "changed"
	if ParamNames()[0] != "max_tokens" {
		t.Error("a caller changed the names for all")
	}
	// The decoder counts on Extra, which has no name, coming last.
	if n := reflect.TypeFor[Params]().NumField(); n != len(names)+1 {
		t.Errorf("%d fields, %d names", n, len(names))
	}
}

func TestParametersAreWrittenAndReadBack(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":               `{}`,
		"the document's fields": `{"max_tokens":1024,"temperature":0,"stop":["a","b"],"n":2,"logprobs":false,"tool_choice":{"type":"function","function":{"name":"f"}},"regex":"a<b","reasoning":{"effort":"low"},"thinking":{"type":"disabled"}}`,
		"others after them":     `{"seed":7,"a":null,"guided_choice":["yes","no"],"z<>":{"x":[1,2]}}`,
		"only others":           `{"user":"me"}`,
		"another spelling":      `{"seed":1,"SEED":2,"Temperature":0.5}`,
		"a name to be escaped":  `{"\"<\\":1,"é":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			var p Params
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				t.Fatal(err)
			}
			if got, err := marshal(p); err != nil || string(got) != text {
				t.Errorf("%s became %s, %v", text, got, err)
			}
		})
	}
}

func TestWhatIsAskedForByNameWins(t *testing.T) {
	half := 0.5
	p := Params{Temperature: &half, TopP: &half, Extra: map[string]json.RawMessage{"temperature": json.RawMessage(`1`), "x": json.RawMessage(` [ 1 ] `)}}
	if got, err := marshal(p); err != nil || string(got) != `{"temperature":1,"top_p":0.5,"x":[1]}` {
		t.Errorf("%s %v", got, err)
	}
	// What comes later wins over both.
	if err := json.Unmarshal([]byte(`{"temperature":0.1}`), &p); err != nil || *p.Temperature != 0.1 || p.Extra["temperature"] != nil || p.Extra["x"] == nil {
		t.Errorf("%+v %v", p, err)
	}
	if half != 0.5 {
		t.Error("a value that others share was changed")
	}
	p.Extra = map[string]json.RawMessage{"bad": json.RawMessage(`{`)}
	if got, err := json.Marshal(p); err == nil || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("%s %v", got, err)
	}
}

func TestReadingParametersChangesNoCopyOfThem(t *testing.T) {
	first := Params{Extra: map[string]json.RawMessage{"x": json.RawMessage(`1`)}}
	second := first
	if err := json.Unmarshal([]byte(`{"x":2,"y":3}`), &second); err != nil {
		t.Fatal(err)
	}
	if string(first.Extra["x"]) != "1" || len(first.Extra) != 1 || string(second.Extra["x"]) != "2" {
		t.Errorf("%s, %s", first.Extra, second.Extra)
	}
}

func TestNullTakesAParameterAway(t *testing.T) {
	one, choice := 1, json.RawMessage(`"auto"`)
	p := Params{MaxTokens: &one, ToolChoice: choice, Regex: "a", Stop: []string{"x"}, Extra: map[string]json.RawMessage{"user": json.RawMessage(`"me"`)}}
	if err := json.Unmarshal([]byte(`{"max_tokens":null,"tool_choice":null,"regex":null,"stop":null,"user":null}`), &p); err != nil {
		t.Fatal(err)
	}
	if got, _ := marshal(p); string(got) != `{"user":null}` {
		t.Errorf("%s", got)
	}
}

func TestOneStopSequenceMayBeAText(t *testing.T) {
	var p Params
	if err := json.Unmarshal([]byte(`{"stop":"END"}`), &p); err != nil || !slices.Equal(p.Stop, []string{"END"}) {
		t.Errorf("%q %v", p.Stop, err)
	}
}

func TestAValueThatDoesNotFitIsToldAndNotLost(t *testing.T) {
	var p Params
	err := json.Unmarshal([]byte(`{"seed":1,"temperature":"warm","top_p":0.5,"n":1.5,"x":1}`), &p)
	if misfit := (*json.UnmarshalTypeError)(nil); !errors.As(err, &misfit) || !strings.Contains(err.Error(), `"temperature"`) {
		t.Errorf("error %v", err)
	}
	if got, _ := marshal(p); string(got) != `{"temperature":"warm","top_p":0.5,"seed":1,"n":1.5,"x":1}` {
		t.Errorf("kept %s", got)
	}
	if err := json.Unmarshal([]byte(`[]`), &p); err == nil {
		t.Error("an array was read")
	}
}

func TestTheDocumentsObjectsAreMade(t *testing.T) {
	schema, err := JSONSchema("person", json.RawMessage(`{
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
        "additionalProperties": false
      }`), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{string(JSONMode()), `{"type": "json_object"}`},
		{string(schema), `{
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
    }`},
		{string(NamedTool(`get_"weather`)), `{"type": "function", "function": {"name": "get_\"weather"}}`},
		{string(EffortObject("high")), `{"effort": "high"}`},
		{string(ThinkingSwitch(true)), `{"type": "enabled"}`},
		{string(ThinkingSwitch(false)), `{"type": "disabled"}`},
	} {
		sameJSON(t, []byte(c.got), c.want)
	}
	if got, err := JSONSchema("x", json.RawMessage(`{`), false); err == nil {
		t.Errorf("a broken schema gave %s", got)
	}
}

func FuzzParametersSurviveBeingStored(f *testing.F) {
	f.Add([]byte(`{"seed":1,"SEED":2,"x":"\ud83c","stop":"a"}`), "temperature", []byte(`1`))
	f.Add([]byte(`{"temperature":"hot","reasoning":{"effort":"<"}}`), "reasoning", []byte(`null`))
	f.Add([]byte("{\"\xff\":\"\xff\"}"), "\xff", []byte(`"\u0000"`))
	f.Fuzz(func(t *testing.T, body []byte, name string, value []byte) {
		var p Params
		if err := json.Unmarshal(body, &p); err != nil {
			if misfit := (*json.UnmarshalTypeError)(nil); !errors.As(err, &misfit) || string(body) == "null" {
				return
			}
		}
		if json.Valid(value) && utf8.ValidString(name) {
			if p.Extra == nil {
				p.Extra = map[string]json.RawMessage{}
			}
			p.Extra[name] = value
		}
		first, err := marshal(p)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		var again Params
		_ = json.Unmarshal(first, &again)
		second, err := marshal(again)
		if err != nil {
			t.Fatal(err)
		}
		// null, asked for by name, is the one wish that is stored as no wish.
		if string(second) != string(first) && !strings.Contains(string(first), "null") {
			t.Fatalf("%s became %s", first, second)
		}
		sent, err := Request{Model: "m", Params: p}.Body(true)
		if err != nil || !json.Valid(sent) {
			t.Fatalf("sent %s: %v", sent, err)
		}
	})
}
