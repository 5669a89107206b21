package emulator

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schemaFields(schema string) string {
	return `"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":` + schema + `}}`
}

// original compiles a schema as it was sent, references and all, as far as
// that can be done without loading anything.
func original(t *testing.T, schema string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nothing{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) { return compilePattern(pattern) })
	if err := c.AddResource("https://test.invalid/s", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("https://test.invalid/s")
	if err != nil {
		t.Fatalf("%v in %s", err, schema)
	}
	return compiled
}

func satisfiable() []string {
	return []string{
		// The types, and none.
		`true`, `{}`, `{"type":"object"}`, `{"type":"array"}`, `{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":"boolean"}`, `{"type":"null"}`,
		`{"type":["null","integer"]}`, `{"type":["null"]}`, `{"type":["array","null"],"minItems":1}`, `{"title":"nothing but a title"}`,
		// Numbers.
		`{"type":"integer","minimum":3,"maximum":3}`, `{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":5}`, `{"type":"integer","minimum":3.2,"maximum":4.9}`,
		`{"type":"integer","maximum":-4.5}`, `{"type":"integer","minimum":-0.5,"maximum":0.5}`, `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`,
		`{"type":"number","minimum":0.25,"maximum":0.26}`, `{"type":"number","exclusiveMaximum":-1e10}`, `{"type":"integer","minimum":12345678901234567890}`,
		`{"type":"number","minimum":1e-200,"maximum":2e-200}`, `{"minimum":90,"maximum":91}`, `{"type":"integer","minimum":1e3}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","minimum":5,"exclusiveMinimum":true,"maximum":6}`,
		// Texts.
		`{"type":"string","minLength":40}`, `{"type":"string","maxLength":0}`, `{"type":"string","minLength":3,"maxLength":3}`, `{"type":"string","pattern":"^a+$","minLength":20}`,
		`{"type":"string","pattern":"b","minLength":9,"maxLength":9}`, `{"pattern":"^(red|green)$","maxLength":3}`, `{"type":"string","pattern":"^\\d{4}-\\d{2}$"}`,
		`{"type":"string","pattern":"\\u00e9"}`, `{"type":"string","pattern":"^[^a-z]+$"}`, `{"allOf":[{"pattern":"^a"},{"pattern":"z$"}],"type":"string"}`, `{"type":"string","pattern":"^\\w+@\\w+\\.(com|org)$"}`,
		// Values.
		`{"enum":[1,"two",null]}`, `{"const":{"a":[1]}}`, `{"type":"string","enum":["a","b"]}`, `{"enum":[1,20,300],"minimum":10,"maximum":100}`, `{"type":"integer","enum":["a",2.5,7]}`, `{"const":0}`,
		`{"enum":[{"$ref":"#/nowhere"}]}`,
		// Objects.
		`{"type":"object","required":["a","b"]}`, `{"type":"object","properties":{"a":false,"b":true}}`, `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`,
		`{"type":"object","additionalProperties":{"type":"integer"},"minProperties":3}`, `{"type":"object","patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false,"minProperties":2}`,
		`{"type":"object","propertyNames":{"pattern":"^[A-Z]{2}$"},"minProperties":3}`, `{"type":"object","propertyNames":{"enum":["a","b"]},"minProperties":2}`, `{"type":"object","propertyNames":{"maxLength":2},"minProperties":4}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}},"maxProperties":1}`, `{"type":"object","maxProperties":0,"properties":{"a":{}}}`,
		`{"type":"object","properties":{"a":{},"b":{"type":"null"}},"dependentRequired":{"a":["b"]},"required":["a"]}`,
		`{"type":"object","properties":{"a":{}},"dependentSchemas":{"a":{"required":["c"],"properties":{"c":{"const":1}}}},"required":["a"]}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["a"],"dependencies":{"a":["b"],"b":{"required":["c"]}}}`,
		`{"type":"object","properties":{"x-a":{"minimum":3}},"patternProperties":{"^x-":{"type":"integer","maximum":4}},"required":["x-a"]}`,
		`{"type":"object","properties":{"$ref":{"type":"string"},"not":{"type":"integer"},"format":{"type":"null"}},"required":["$ref","not","format"]}`,
		`{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]}],"unevaluatedProperties":false}`, `{"type":"object","properties":{"a":{}},"unevaluatedProperties":{"type":"integer"},"minProperties":2}`,
		// Arrays.
		`{"type":"array","items":{"type":"integer"},"minItems":5,"maxItems":5}`, `{"type":"array","maxItems":0}`, `{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":false}`,
		`{"type":"array","prefixItems":[{"const":1}],"items":{"const":2},"minItems":3}`, `{"type":"array","items":false}`, `{"type":"array","contains":{"const":7},"minContains":3}`,
		`{"type":"array","items":{"type":"integer"},"contains":{"minimum":1000},"maxContains":1}`, `{"type":"array","prefixItems":[{"const":1}],"contains":{"const":"x"}}`, `{"type":"array","minContains":0,"contains":false}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"const":1},{"const":2}],"additionalItems":{"const":3},"minItems":4}`,
		`{"type":"array","prefixItems":[{"type":"null"}],"unevaluatedItems":{"type":"boolean"},"minItems":2}`,
		// Several at once.
		`{"allOf":[{"type":"integer"},{"minimum":4},{"allOf":[{"maximum":5}]}]}`, `{"anyOf":[false,{"type":"null"}]}`, `{"oneOf":[{"type":"integer"},{"type":"number","minimum":5}]}`,
		`{"oneOf":[{"type":"number","maximum":10},{"type":"number","minimum":5}]}`, `{"type":"integer","anyOf":[{"type":"string"},{"minimum":4}]}`,
		`{"oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}],"type":"object"}`,
		`{"anyOf":[{"allOf":[{"oneOf":[{"const":1},{"const":2}]},{"minimum":2}]}]}`, `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":false,"b":{"type":"null"}}}`,
		// References.
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"integer"}}}`, `{"type":"array","items":{"$ref":"#/$defs/a","maximum":5},"$defs":{"a":{"type":"integer","minimum":5}},"minItems":1}`,
		`{"type":"object","properties":{"x":{"$ref":"#/$defs/a%20b"},"y":{"$ref":"#/properties/x"},"z":{"$ref":"#/allOf/0/properties/q~1r"}},"required":["x","y","z"],"$defs":{"a b":{"const":1}},"allOf":[{"properties":{"q/r":{"const":2}}}]}`,
		`{"$id":"https://x.invalid/s","$ref":"#/definitions/a","definitions":{"a":{"$id":"#other","type":"null"}},"$schema":"http://json-schema.org/draft-07/schema#"}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","title":"beside a reference","definitions":{"a":{"type":"null"}}}`,
		`{"type":"object","properties":{"left":{"$ref":"#/$defs/b"},"right":{"$ref":"#/$defs/b"}},"required":["left","right"],"$defs":{"b":{"description":"twice","$ref":"#/$defs/c","title":"b"},"c":{"type":"integer"}}}`,
	}
}

func TestEverySchemaOfTheSubsetIsSatisfied(t *testing.T) {
	run := start(t, Options{})
	for _, schema := range satisfiable() {
		check := original(t, schema)
		for range 3 { // other versions of the answer
			c := run.complete(t, "go", schemaFields(schema))
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(c.Message.Content))
			if err == nil {
				err = check.Validate(v)
			}
			if err != nil || c.Finish != "stop" {
				t.Errorf("%s gives %s: %v", schema, c.Message.Content, err)
			}
		}
	}
}

// What the document says is dropped is not enforced, and is no reason to
// refuse; a property may have such a name all the same.
func TestDroppedKeywordsDoNotConstrain(t *testing.T) {
	run := start(t, Options{})
	for schema, want := range map[string]string{
		`{"const":3,"multipleOf":2}`:                                                        `3`,
		`{"const":"x","format":"email"}`:                                                    `"x"`,
		`{"const":3,"not":{"type":"integer"}}`:                                              `3`,
		`{"const":[1,1],"uniqueItems":true}`:                                                `[1,1]`,
		`{"const":1,"if":{"const":1},"then":false}`:                                         `1`,
		`{"const":2,"if":{"const":1},"else":false}`:                                         `2`,
		`{"type":"object","properties":{"not":{"const":1}},"required":["not"]}`:             `{"not":1}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","const":"x","format":"date"}`: `"x"`,
	} {
		if c := run.complete(t, "go", schemaFields(schema)); c.Message.Content != want {
			t.Errorf("%s gives %s, want %s", schema, c.Message.Content, want)
		}
	}
}

func refused() map[string]string {
	many := make([]string, 0, 20)
	for i := range 20 {
		next := string(rune('a' + i + 1))
		many = append(many, `"`+string(rune('a'+i))+`":{"type":"object","properties":{"x":{"$ref":"#/$defs/`+next+`"},"y":{"$ref":"#/$defs/`+next+`"}}}`)
	}
	return map[string]string{
		`false`: "model_request_rejected",
		`{"type":"integer","minimum":5,"maximum":4}`:                   "model_request_rejected",
		`{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":4}`: "model_request_rejected",
		`{"type":"string","minLength":1000000000}`:                     "model_request_rejected",
		`{"type":"array","minItems":100000000}`:                        "model_request_rejected",
		`{"type":"string","enum":[1,2]}`:                               "model_request_rejected",
		`{"allOf":[{"type":"string"},{"type":"null"}]}`:                "model_request_rejected",
		`{"oneOf":[{"type":"null"},{"type":"null"}]}`:                  "model_request_rejected",
		`{"type":"object","required":["a"],"properties":{"a":false}}`:  "model_request_rejected",
		`{"type":"string","pattern":"^a(?=b)"}`:                        "model_request_rejected",
		`{"type":"object","patternProperties":{"(?!x)":{}}}`:           "model_request_rejected",
		`{"type":"nonsense"}`:                                          "model_request_rejected",
		`{"type":"string","minLength":-1}`:                             "model_request_rejected",
		`{"multipleOf":"two"}`:                                         "model_request_rejected",
		`{"items":[{}]}`:                                               "model_request_rejected",
		`{"required":"a"}`:                                             "model_request_rejected",
		`{"minimum":1e999999999}`:                                      "model_request_rejected",
		`{"const":1e-999999}`:                                          "model_request_rejected",
		`[]`:                                                           "schema_validation_failed",
		`7`:                                                            "schema_validation_failed",
		`null`:                                                         "schema_validation_failed",
		`{"$ref":"other.json#/a"}`:                                     "json_schema_refs_remote",
		`{"items":{"$ref":"https://example.com/s.json"}}`:              "json_schema_refs_remote",
		`{"$ref":"#anchor","$defs":{"a":{"$anchor":"anchor"}}}`:        "json_schema_refs_unresolvable",
		`{"$ref":"#/prefixItems/2","prefixItems":[true]}`:              "json_schema_refs_unresolvable",
		`{"properties":{"a":{"$ref":"#"}}}`:                            "json_schema_refs_recursive",
		`{"properties":{"a":{"properties":{"b":{"$ref":"#/properties/a"}}}}}`:                "json_schema_refs_recursive",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`:   "json_schema_refs_recursive",
		`{"$ref":"#/$defs/a","$defs":{` + strings.Join(many, ",") + `,"u":{"type":"null"}}}`: "json_schema_refs_oversized",
	}
}

func TestSchemasThatCannotBeEnforcedAreRefused(t *testing.T) {
	run := start(t, Options{})
	for schema, code := range refused() {
		status := map[bool]int{true: 422, false: 400}[code == "schema_validation_failed"]
		a := run.post(t, question("go", schemaFields(schema)))
		if e := a.envelope(t).Error; a.status != status || e.Code != code || e.Param != "response_format.json_schema.schema" {
			t.Errorf("%.200s: %d %.300s, want %s", schema, a.status, a.body, code)
		}
	}
}

func TestLargeSchemaWithoutReferencesIsNotOversized(t *testing.T) {
	run := start(t, Options{})
	values := make([]string, 30_000)
	for i := range values {
		values[i] = string(encode(i))
	}
	if c := run.complete(t, "go", schemaFields(`{"enum":[`+strings.Join(values, ",")+`]}`)); c.Message.Content != "0" {
		t.Errorf("content %q", c.Message.Content)
	}
}

// Whatever the schema, there is an answer that satisfies it, or none.
func FuzzSchemaIsSatisfiedOrRefused(f *testing.F) {
	for _, schema := range satisfiable() {
		f.Add([]byte(schema), 1)
	}
	for schema := range refused() {
		f.Add([]byte(schema), 2)
	}
	f.Fuzz(func(t *testing.T, raw []byte, variant int) {
		sh, fault, err := newShape(raw, "x")
		if fault != nil || err != nil {
			return
		}
		word := func(name string) string { return "demo " + name }
		v, ok := sh.sample(word, "value", max(variant, -variant, 0)%1000, false)
		if !ok {
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%v for %s", err, raw)
		}
		back, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil || sh.whole.Validate(back) != nil {
			t.Errorf("%s gives %s", raw, text)
		}
	})
}
