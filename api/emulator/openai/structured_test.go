package openai_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

// object is a JSON Schema in the making.
type object = map[string]any

// person is the schema of the document's example.
func person() object {
	return object{
		"type":                 "object",
		"properties":           object{"name": object{"type": "string"}, "age": object{"type": "integer"}},
		"required":             []string{"name", "age"},
		"additionalProperties": false,
	}
}

func formatted(text string, schema object) openai.ChatCompletionNewParams {
	p := ask(kimi, text)
	p.ResponseFormat.OfJSONSchema = &openai.ResponseFormatJSONSchemaParam{
		JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Strict: openai.Bool(true), Schema: schema},
	}
	return p
}

// parsed sends a request twice, whole and streamed, and reads the answers,
// which must be the same JSON object.
func (s service) parsed(t *testing.T, p openai.ChatCompletionNewParams) object {
	t.Helper()
	p.Seed = openai.Int(1)
	content := s.complete(t, p).Choices[0].Message.Content
	if streamed := s.listenWell(t, p).Choices[0].Message.Content; streamed != content {
		t.Errorf("streamed %q, whole %q", streamed, content)
	}
	var out object
	if err := json.Unmarshal([]byte(content), &out); err != nil || out == nil {
		t.Fatalf("%q is no JSON object: %v", content, err)
	}
	return out
}

func isPerson(v any) bool {
	m, _ := v.(object)
	name, isText := m["name"].(string)
	age, isNumber := m["age"].(float64)
	return len(m) == 2 && isText && name != "" && isNumber && age == float64(int(age))
}

func TestJSONModeGivesAnObject(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := ask(kimi, "Answer in JSON: who are you?")
		p.ResponseFormat.OfJSONObject = &openai.ResponseFormatJSONObjectParam{}
		if got := s.parsed(t, p); len(got) == 0 {
			t.Error("the object is empty")
		}
	})
}

func TestASchemaIsKept(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		if got := s.parsed(t, formatted("Invent a fictional person.", person())); !isPerson(got) {
			t.Errorf("no person: %v", got)
		}
	})
}

// Schemas as Pydantic and Zod write them: one with $defs, one with definitions,
// references to references, and a reference inside an array.
func TestLocalReferencesAreInlined(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		for _, place := range []string{"$defs", "definitions"} {
			ref := func(name string) object { return object{"$ref": "#/" + place + "/" + name} }
			got := s.parsed(t, formatted("Invent a fictional team.", object{
				"type":       "object",
				"properties": object{"lead": ref("lead"), "members": object{"type": "array", "items": ref("person"), "minItems": 3}},
				"required":   []string{"lead", "members"},
				place:        object{"lead": ref("person"), "person": person()},
			}))
			members, _ := got["members"].([]any)
			if !isPerson(got["lead"]) || len(members) < 3 || !isPerson(members[0]) {
				t.Errorf("%s: no team: %v", place, got)
			}
		}
	})
}

func TestReferencesThatCannotBeInlinedAreRefused(t *testing.T) {
	// Each definition holds the next one twice, which makes two to the power of
	// 24 persons.
	doubling := object{"d24": person()}
	for i := range 24 {
		next := object{"$ref": "#/$defs/d" + strconv.Itoa(i+1)}
		doubling["d"+strconv.Itoa(i)] = object{"type": "object", "properties": object{"left": next, "right": next}}
	}
	tests := map[string]struct {
		code string
		defs object
		ref  string
	}{
		"itself":            {"json_schema_refs_recursive", object{"node": object{"type": "object", "properties": object{"next": object{"$ref": "#/$defs/node"}}}}, "#/$defs/node"},
		"each other":        {"json_schema_refs_recursive", object{"a": object{"$ref": "#/$defs/b"}, "b": object{"$ref": "#/$defs/a"}}, "#/$defs/a"},
		"the root":          {"json_schema_refs_recursive", nil, "#"},
		"far away":          {"json_schema_refs_", nil, "https://example.com/person.json"},
		"nothing":           {"json_schema_refs_", object{}, "#/$defs/person"},
		"far too much":      {"json_schema_refs_", doubling, "#/$defs/d0"},
		"another file":      {"json_schema_refs_", nil, "person.json#/$defs/person"},
		"a nameless member": {"json_schema_refs_", object{"person": person()}, "#/$defs/person/"},
	}
	s := start(t, emulator.Options{})
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			tt := tests[name]
			p := formatted("Invent something.", object{"type": "object", "properties": object{"it": object{"$ref": tt.ref}}, "required": []string{"it"}, "$defs": tt.defs})
			e := s.refused(t, p)
			if e.StatusCode != http.StatusBadRequest || !strings.HasPrefix(e.Code, tt.code) || e.Type != "invalid_request_error" {
				t.Errorf("status %d, %s; wanted %s", e.StatusCode, e.RawJSON(), tt.code)
			}
			h := s.listen(t, p)
			if h.err == nil || apiError(t, h.err).Code != e.Code {
				t.Errorf("streamed: %v", h.err)
			}
		})
	}
}

// The document: these are dropped from the constraint, not refused.
func TestKeywordsThatCannotBeEnforcedAreDropped(t *testing.T) {
	s := start(t, emulator.Options{})
	schema := person()
	schema["if"], schema["then"] = object{"required": []string{"name"}}, object{"required": []string{"age"}}
	schema["not"] = object{"required": []string{"secret"}}
	schema["properties"].(object)["age"] = object{"type": "integer", "multipleOf": 5}
	schema["properties"].(object)["name"] = object{"type": "string", "format": "idn-hostname"}
	if got := s.parsed(t, formatted("Invent a fictional person.", schema)); !isPerson(got) {
		t.Errorf("no person: %v", got)
	}
}

// The document: with auto the schema constrains the reply, with required or a
// named function the format is ignored.
func TestASchemaBesideTools(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := formatted("What is the weather in Paris?", person())
		p.Tools = []openai.ChatCompletionToolUnionParam{weatherTool()}
		if got := s.parsed(t, p); !isPerson(got) {
			t.Errorf("auto: no person: %v", got)
		}
		for _, named := range []bool{false, true} {
			if choose(&p, "required"); named {
				p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "get_weather"})
			}
			if got := calls(t, s.complete(t, p).Choices[0].Message); !slices.Equal(got, []string{`get_weather {"city":"Paris"}`}) {
				t.Errorf("named %v: calls %q", named, got)
			}
		}
	})
}

func TestARegularExpressionIsKeptWhereTheCardSaysSo(t *testing.T) {
	s := start(t, emulator.Options{})
	const pattern = "[A-Z]{3}-[0-9]{4}(-(red|blue))?"
	constraint := option.WithJSONSet("regex", pattern)
	got := s.complete(t, ask(s.model(t, can("regex")), "Invent a number plate."), constraint).Choices[0].Message.Content
	if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
		t.Errorf("%q does not match", got)
	}
	if e := s.refused(t, ask(s.model(t, cannot("regex")), "Invent a number plate."), constraint); e.StatusCode != http.StatusBadRequest || e.Param != "regex" {
		t.Errorf("elsewhere: status %d, %s", e.StatusCode, e.RawJSON())
	}
}

func TestAGrammarIsKeptWhereTheCardSaysSo(t *testing.T) {
	s := start(t, emulator.Options{})
	constraint := option.WithJSONSet("response_format", object{"type": "grammar", "grammar": `root ::= "yes" | "no"`})
	got := s.complete(t, ask(s.model(t, can("grammar")), "Yes or no?"), constraint).Choices[0].Message.Content
	if got != "yes" && got != "no" {
		t.Errorf("answered %q", got)
	}
	e := s.refused(t, ask(s.model(t, cannot("grammar")), "Yes or no?"), constraint)
	if e.StatusCode != http.StatusBadRequest || !strings.HasPrefix(e.Param, "response_format") {
		t.Errorf("elsewhere: status %d, %s", e.StatusCode, e.RawJSON())
	}
}
