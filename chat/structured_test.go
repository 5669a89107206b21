package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"waferchat/api"
)

// schemaOf are the parameters that ask for JSON of a schema.
func schemaOf(t testing.TB, schema string) api.Params {
	t.Helper()
	f, err := api.JSONSchema("answer", json.RawMessage(schema), true)
	if err != nil {
		t.Fatal(err)
	}
	return api.Params{ResponseFormat: f}
}

const person = `{"type":"object","properties":{"name":{"type":"string","minLength":2},"age":{"type":"integer"},
	"mail":{"type":"string","format":"email"},"tags":{"type":"array","items":{"$ref":"#/$defs/tag"}}},
	"required":["name","age"],"additionalProperties":false,"$defs":{"tag":{"enum":["a","b"]}}}`

func TestAnAnswerIsCheckedAgainstWhatWasAskedFor(t *testing.T) {
	jsonMode := api.Params{ResponseFormat: api.JSONMode()}
	recursive := schemaOf(t, `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`)
	for _, c := range []struct {
		name string
		p    api.Params
		text string
		want string // title and lines, joined by " | "; "" is a good answer
	}{
		{"nothing asked for", api.Params{}, "anything", ""},
		{"plain text asked for", api.Params{ResponseFormat: json.RawMessage(`{"type":"text"}`)}, "anything", ""},
		{"a grammar", api.Params{ResponseFormat: json.RawMessage(`{"type":"grammar","grammar":"root ::= x"}`)}, "y", ""},

		{"an object", jsonMode, " {\"a\": [1, 2.50]}\n", ""},
		{"an array", jsonMode, "[1]", "The answer is JSON, but no JSON object."},
		{"prose", jsonMode, "Sure! Here", "The answer is not JSON. | line 1, column 1: invalid character 'S' looking for beginning of value"},
		{"empty", jsonMode, " \n", "The answer is empty; JSON was asked for."},
		{"cut off", jsonMode, `{"a": [1, 2`, "The answer is not JSON. | it ends before the JSON is complete"},
		{"cut off in a text", jsonMode, `{"a": "b`, "The answer is not JSON. | it ends before the JSON is complete"},
		{"a mistake on the second line", jsonMode, "{\n  \"ä\": 'x'\n}", "The answer is not JSON. | line 2, column 8: invalid character '\\'' looking for beginning of value"},
		{"two objects", jsonMode, "{}\n{}", "The answer is not JSON. | line 1, column 3: something follows the JSON"},
		{"words behind it", jsonMode, "{} Hope this helps!", "The answer is not JSON. | line 1, column 3: something follows the JSON"},
		{"in a fence", jsonMode, "```json\n{\"a\": 1}\n```", "The JSON is inside a fence of backquotes; without it, it is what was asked for."},
		{"in a fence, and no object", jsonMode, "```\n[1]\n```\n", "The JSON is inside a fence of backquotes, and: The answer is JSON, but no JSON object."},
		{"words around a fence", jsonMode, "Here:\n```json\n{}\n```", "The answer is not JSON. | line 1, column 1: invalid character 'H' looking for beginning of value"},
		{"a number nobody can work out", jsonMode, `{"a": 1e99999999}`, "The answer has a number that is too large to check. | 1e99999999"},

		{"a person", schemaOf(t, person), `{"name":"Ada","age":36,"mail":"ada@example.com","tags":["a","b"]}`, ""},
		{"a wrong type", schemaOf(t, person), `{"name":"Ada","age":"36"}`, "The answer does not satisfy the schema. | /age: got string, want integer"},
		{"a format", schemaOf(t, person), `{"name":"Ada","age":1,"mail":"ada"}`, "The answer does not satisfy the schema. | /mail: 'ada' is not valid email: missing @"},
		{"a missing name", schemaOf(t, person), `{"age":1}`, "The answer does not satisfy the schema. | the whole: missing property 'name'"},
		{"one too many", schemaOf(t, person), `{"name":"Ada","age":1,"x":1}`, "The answer does not satisfy the schema. | the whole: additional properties 'x' not allowed"},
		{"behind a reference", schemaOf(t, person), `{"name":"Ada","age":1,"tags":["a","c"]}`, "The answer does not satisfy the schema. | /tags/1: value must be one of 'a', 'b'"},
		{"several", schemaOf(t, person), `{"name":"A","age":1.5,"tags":["c","d","e","f"]}`,
			"The answer does not satisfy the schema. | /age: got number, want integer | /name: minLength: got 1, want 2 | /tags/0: value must be one of 'a', 'b' | /tags/1: value must be one of 'a', 'b' | … and 2 more"},
		{"in a fence, and wrong", schemaOf(t, person), "```json\n{\"name\":\"Ada\",\"age\":\"36\"}\n```",
			"The JSON is inside a fence of backquotes, and: The answer does not satisfy the schema. | /age: got string, want integer"},
		{"a path to be escaped", schemaOf(t, `{"additionalProperties":{"type":"integer"}}`), `{"a/b~c":"x"}`,
			"The answer does not satisfy the schema. | /a~1b~0c: got string, want integer"},
		{"alternatives", schemaOf(t, `{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"integer"}}}]}`), `{"x":"y"}`,
			"The answer does not satisfy the schema. | the whole: 'anyOf' failed | /x: got string, want integer"},
		{"a whole number with a point", schemaOf(t, `{"type":"integer"}`), `1.0`, ""},
		{"a schema that allows nothing", schemaOf(t, `false`), `1`, "The answer does not satisfy the schema. | the whole: false schema"},
		{"recursion", recursive, `{"next":{"next":{}}}`, ""},
		{"wrong within recursion", recursive, `{"next":{"next":{"x":1}}}`, "The answer does not satisfy the schema. | /next/next: additional properties 'x' not allowed"},

		{"a regular expression", api.Params{Regex: `\d{3}|x+`}, "123", ""},
		{"its other half", api.Params{Regex: `\d{3}|x+`}, "xxx", ""},
		{"only a part matches", api.Params{Regex: `\d{3}|x+`}, "1234", `The answer does not match the regular expression. | \d{3}|x+`},
		{"a shorter match first", api.Params{Regex: `a|ab`}, "ab", ""},
		{"as little as may be", api.Params{Regex: `a+?`}, "aaa", ""},
		{"out of its brackets", api.Params{Regex: `a|b`}, "ax", `The answer does not match the regular expression. | a|b`},
		{"a quotation without an end", api.Params{Regex: `\Qa)`}, "a)", ""},
		{"anchors of its own", api.Params{Regex: `^a$`}, "a", ""},
		{"lines of their own", api.Params{Regex: `(?m)^a$`}, "a\nb", `The answer does not match the regular expression. | (?m)^a$`},
		{"nothing at all", api.Params{Regex: `x*`}, "", ""},
		{"behind the beginning", api.Params{Regex: `x+`}, "yx", `The answer does not match the regular expression. | x+`},
		{"a blank too many", api.Params{Regex: `\d{3}`}, "123\n", `The answer does not match the regular expression. | \d{3} | it would without the blanks around it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckAnswer(c.p, c.text)
			if got := asOneLine(t, err); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			var e *AnswerError
			if errors.As(err, &e) && e.Unchecked {
				t.Error("the schema is blamed")
			}
		})
	}
}

func asOneLine(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *AnswerError
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if len(e.Lines) > 5 {
		t.Errorf("%d lines", len(e.Lines))
	}
	if want := e.Title + "\n" + strings.Join(e.Lines, "\n"); strings.TrimSuffix(want, "\n") != err.Error() {
		t.Errorf("Error() = %q", err.Error())
	}
	return strings.Join(append([]string{e.Title}, e.Lines...), " | ")
}

func TestAFaultyQuestionIsNotBlamedOnTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name string
		p    api.Params
		want string
	}{
		{"no schema", api.Params{ResponseFormat: json.RawMessage(`{"type":"json_schema"}`)}, "has no json_schema.schema"},
		{"no object", schemaOf(t, `[1]`), "neither an object nor true or false"},
		{"an unknown type", schemaOf(t, `{"type":"text"}`), "/type: "},
		{"a wrong keyword", schemaOf(t, `{"type":"object","required":"name"}`), "/required: got string, want array"},
		{"a broken pattern", schemaOf(t, `{"pattern":"("}`), "/pattern: "},
		{"another document", schemaOf(t, `{"$ref":"https://example.com/s.json"}`), `$ref "https://example.com/s.json" leads to another document`},
		{"a file", schemaOf(t, `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`), `$ref "file:///etc/passwd" leads to another document`},
		{"a neighbour", schemaOf(t, `{"items":{"$ref":"other.json#/x"}}`), `$ref "other.json#/x" leads to another document`},
		{"nothing there", schemaOf(t, `{"$ref":"#/$defs/x"}`), `$ref "#/$defs/x" names nothing in the schema`},
		{"a dialect from elsewhere", schemaOf(t, `{"$schema":"https://example.com/dialect"}`), "other documents are not loaded"},
		{"a huge number", schemaOf(t, `{"minimum":1e999999999}`), "1e999999999"},
		{"an expression without an end", api.Params{Regex: `[a`}, "missing closing ]: `[a`"},
		{"an expression that leaves its brackets", api.Params{Regex: `a)|(?:b`}, "unexpected ): `a)|(?:b`"},
		{"an expression of another dialect", api.Params{Regex: `(?<!a)b`}, "(?<!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e *AnswerError
			if err := CheckAnswer(c.p, `{"a":1}`); !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if !e.Unchecked || !strings.Contains(e.Error(), c.want) {
				t.Errorf("got %+v, want %q", e, c.want)
			}
			if strings.Contains(e.Error(), "schema.invalid") {
				t.Errorf("it names an address of its own: %s", e)
			}
		})
	}
}

func TestReferencesThatCannotBeInlinedAreFound(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"none", person, "[]"},
		{"the root", `{"properties":{"a":{"$ref":"#"}}}`, "[{# recursive}]"},
		{"itself", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`, "[{#/$defs/a recursive}]"},
		{"in a ring", `{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"items":{"$ref":"#/$defs/a"}}}}`, "[{#/$defs/a recursive}]"},
		{"twice is no ring", `{"items":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{}}}`, "[]"},
		{"old and new places", `{"items":[{"$ref":"#/definitions/a"},{"$ref":"#/$defs/b"}],"definitions":{"a":{}}}`, "[{#/$defs/b unresolvable}]"},
		{"escaped", `{"items":[{"$ref":"#/$defs/a~1b"},{"$ref":"#/$defs/c%20d"}],"$defs":{"a/b":{},"c d":{}}}`, "[]"},
		{"into a list", `{"items":[{"$ref":"#/anyOf/1"},{"$ref":"#/anyOf/2"}],"anyOf":[{},{}]}`, "[{#/anyOf/2 unresolvable}]"},
		{"an anchor", `{"$ref":"#name"}`, "[{#name unresolvable}]"},
		{"elsewhere", `{"allOf":[{"$ref":"https://x/y"},{"$ref":"y.json"},{"$ref":"https://x/y"}]}`, "[{https://x/y remote} {y.json remote}]"},
		{"a property of that name", `{"properties":{"$ref":{"type":"string"},"const":{"$ref":"#/nowhere"}}}`, "[{#/nowhere unresolvable}]"},
		{"data", `{"const":{"$ref":"#/x"},"enum":[{"$ref":"#/y"}],"default":{"$ref":"#/z"}}`, "[]"},
		{"through a text", `{"$ref":"#/title/x","title":"t"}`, "[{#/title/x unresolvable}]"},
		{"no text", `{"$ref":5}`, "[]"},
	} {
		for range 5 { // the order of a map must not show
			var doc any
			if err := json.Unmarshal([]byte(c.schema), &doc); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(slices.Collect(func(yield func(string) bool) {
				for _, f := range faultyRefs(doc) {
					yield(fmt.Sprintf("{%s %s}", f.ref, f.fault))
				}
			})); got != c.want {
				t.Fatalf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
}

// FuzzCheckAnswer: any schema and any answer give an answer of ours.
func FuzzCheckAnswer(f *testing.F) {
	f.Add(person, `{"name":"Ada","age":36}`, `a+`)
	f.Add(`{"$ref":"#"}`, "```json\n{}\n```", `(`)
	f.Add(`{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"items":{"$ref":"#"}}}}`, `[[null]]`, ``)
	f.Add(`{"const":"<html>"}`, `{"<html>":"<!doctype"}`, " ")
	f.Fuzz(func(t *testing.T, schema, text, regex string) {
		if !json.Valid([]byte(schema)) {
			return
		}
		p := schemaOf(t, schema)
		p.Regex = regex
		err := CheckAnswer(p, text)
		var e *AnswerError
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%T", err)
		}
		if e == nil {
			return
		}
		for _, line := range append(e.Lines, e.Title) {
			if line == "" || strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("line %q", line)
			}
		}
	})
}
