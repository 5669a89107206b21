package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// shape is a JSON Schema that an answer has to satisfy.
type shape struct {
	schema any // with its references inlined
	draft  *jsonschema.Draft
	whole  *jsonschema.Schema // what the API enforces of it
	// opaque names a pattern that is beyond the expressions known here; then
	// no value is ever made, since it could not be checked.
	opaque string
}

// newShape reads a schema. The second result is one of the document's errors
// about references; an error says why it is no JSON Schema.
func newShape(raw []byte, param string) (*shape, *fault, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var schema any
	if err := d.Decode(&schema); err != nil {
		return nil, nil, fmt.Errorf("decode schema: %w", err)
	}
	if err := checkSizes(schema, 0); err != nil {
		return nil, nil, err
	}
	sh := &shape{draft: draftOf(schema)}
	var f *fault
	if sh.schema, f = inlineRefs(schema, param); f != nil {
		return nil, f, nil
	}
	if err := checkSizes(sh.schema, 0); err != nil {
		return nil, nil, err
	}
	if m, ok := sh.schema.(map[string]any); ok {
		if _, isText := m["$schema"].(string); isText {
			sh.schema = without(m, "$schema") // the draft is known by now
		}
	}
	if sh.opaque = unknownPattern(sh.schema); sh.opaque != "" {
		return sh, nil, nil
	}
	// The keywords that are dropped have to be well-formed all the same.
	if _, err := compileSchema(sh.schema, sh.draft); err != nil {
		return nil, nil, err
	}
	var err error
	sh.whole, err = compileSchema(enforced(sh.schema), sh.draft)
	return sh, nil, err
}

// maxShapes bounds what a server remembers of schemas; it forgets all of them
// then.
const maxShapes = 500

// shape is [newShape] with a memory: a client sends the same tools again with
// every request.
func (s *Server) shape(raw []byte, param string) (*shape, *fault, error) {
	s.mu.Lock()
	sh, ok := s.shapes[string(raw)]
	s.mu.Unlock()
	if ok {
		return sh, nil, nil
	}
	sh, f, err := newShape(raw, param)
	if f != nil || err != nil {
		return nil, f, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.shapes) >= maxShapes {
		clear(s.shapes)
	}
	s.shapes[string(raw)] = sh
	return sh, nil, nil
}

func draftOf(schema any) *jsonschema.Draft {
	m, _ := schema.(map[string]any)
	name, _ := m["$schema"].(string)
	switch {
	case strings.Contains(name, "draft-04"):
		return jsonschema.Draft4
	case strings.Contains(name, "draft-06"):
		return jsonschema.Draft6
	case strings.Contains(name, "draft-07"):
		return jsonschema.Draft7
	case strings.Contains(name, "2019-09"):
		return jsonschema.Draft2019
	}
	return jsonschema.Draft2020
}

// enforced leaves out the keywords that the document says are dropped from the
// constraint.
func enforced(schema any) any {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	return subschemas(without(m, "if", "then", "else", "not", "uniqueItems", "multipleOf", "format"), enforced)
}

// compileSchema compiles a schema without references. Nothing is ever loaded.
func compileSchema(schema any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	const name = "https://schema.invalid/"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) { return compilePattern(pattern) })
	if err := c.AddResource(name, schema); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return compiled, nil
}

// nothing loads nothing.
type nothing struct{}

func (nothing) Load(url string) (any, error) { return nil, errors.New(url + " is not loaded") }

// compilePattern compiles an expression of JavaScript's kind, as schemas have
// them, as far as Go's are the same.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(goPattern(pattern))
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	return re, nil
}

// goPattern writes the escape \u0041 the way that Go knows it.
func goPattern(pattern string) string {
	return regexp.MustCompile(`\\\\|\\u[0-9a-fA-F]{4}`).ReplaceAllStringFunc(pattern, func(escape string) string {
		if escape == `\\` {
			return escape
		}
		return `\x{` + escape[2:] + `}`
	})
}

// unknownPattern is a pattern somewhere in the schema that Go's expressions do
// not cover, or "".
func unknownPattern(schema any) string {
	m, ok := schema.(map[string]any)
	if !ok {
		return ""
	}
	found := ""
	note := func(pattern string) {
		if _, err := compilePattern(pattern); err != nil && found == "" {
			found = pattern
		}
	}
	if pattern, ok := m["pattern"].(string); ok {
		note(pattern)
	}
	named, _ := m["patternProperties"].(map[string]any)
	for pattern := range sorted(named) {
		note(pattern)
	}
	subschemas(m, func(sub any) any {
		if found == "" {
			found = unknownPattern(sub)
		}
		return sub
	})
	return found
}

// deepest is how deeply the values of a schema may be nested.
const deepest = 100

// checkSizes refuses what would take for ever to work with: numbers so large
// or so precise that they cannot be reckoned with exactly, and nesting beyond
// what anybody writes.
func checkSizes(v any, depth int) error {
	if depth > deepest {
		return errors.New("the schema is nested too deeply")
	}
	switch v := v.(type) {
	case map[string]any:
		for _, sub := range sorted(v) {
			if err := checkSizes(sub, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, sub := range v {
			if err := checkSizes(sub, depth+1); err != nil {
				return err
			}
		}
	case json.Number:
		const most = 300
		_, exponent, _ := strings.Cut(strings.ToLower(string(v)), "e")
		power, err := strconv.Atoi(exponent)
		if len(v) > most || exponent != "" && (err != nil || max(power, -power) > most) {
			return errors.New("a number of the schema is out of range")
		}
	}
	return nil
}

// unusable is the API's answer to a schema that it cannot enforce: one that is
// not valid, or that no answer of the demo satisfies. The document names no
// code for it; this is the one for what the backend refuses.
func unusable(param, message string) *fault {
	return &fault{Status: http.StatusBadRequest, Code: "model_request_rejected", Param: param, Message: message}
}
