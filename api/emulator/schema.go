package emulator

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp/syntax"
	"slices"
	"strings"
)

// inlineRefs returns a schema with its local references replaced by what they
// name, as the document says the server does, or one of its errors.
func inlineRefs(schema any) (any, *fault) {
	in := &inliner{root: schema, left: 20000}
	if root, ok := schema.(map[string]any); ok {
		bare := maps.Clone(root)
		delete(bare, "$defs")
		delete(bare, "definitions")
		schema = bare
	}
	out := in.inline(schema, nil)
	return out, in.fault
}

type inliner struct {
	root  any
	left  int // nodes that may still be made
	fault *fault
}

func (in *inliner) fail(kind, message string) any {
	if in.fault == nil {
		in.fault = &fault{Status: http.StatusBadRequest, Code: "json_schema_refs_" + kind, Param: "response_format.json_schema.schema", Message: message}
	}
	return nil
}

// inline copies node. path holds the references being followed.
func (in *inliner) inline(node any, path []string) any {
	if in.left--; in.left < 0 {
		return in.fail("oversized", "The schema is too large once its references are inlined.")
	}
	if in.fault != nil {
		return nil
	}
	switch n := node.(type) {
	case []any:
		out := make([]any, len(n))
		for i, v := range n {
			out[i] = in.inline(v, path)
		}
		return out
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			return in.follow(ref, path)
		}
		out := make(map[string]any, len(n))
		for k, v := range n {
			out[k] = in.inline(v, path)
		}
		return out
	}
	return node
}

func (in *inliner) follow(ref string, path []string) any {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return in.fail("remote", "The reference "+ref+" is not local.")
	}
	if slices.Contains(path, ref) {
		return in.fail("recursive", "The reference "+ref+" is recursive.")
	}
	target := in.root
	for _, key := range strings.Split(strings.Trim(pointer, "/"), "/") {
		if key == "" {
			continue
		}
		m, _ := target.(map[string]any)
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		next, ok := m[key]
		if !ok {
			return in.fail("unresolvable", "The reference "+ref+" names nothing.")
		}
		target = next
	}
	return in.inline(target, append(slices.Clip(path), ref))
}

func newSampler(word func(name string) string, variant int) sampler {
	left := mostValues
	return sampler{word, variant, &left}
}

// sampler makes a value that satisfies the basic keywords of a schema.
type sampler struct {
	// word gives the text for a string property of this name.
	word    func(name string) string
	variant int
	left    *int // values that may still be made, against nested multitudes
}

const mostValues = 10_000

// maxDepth ends schemas that nest for ever.
const maxDepth = 24

func (s sampler) value(schema any, name string, depth int) any {
	if *s.left--; *s.left < 0 {
		return nil
	}
	m, _ := schema.(map[string]any)
	if v, ok := m["const"]; ok {
		return v
	}
	if values, ok := m["enum"].([]any); ok && len(values) > 0 {
		return values[s.variant%len(values)]
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := m[key].([]any); ok && len(list) > 0 {
			return s.value(combine(m, key, list), name, depth+1)
		}
	}
	switch schemaType(m) {
	case "object":
		return s.object(m, depth)
	case "array":
		return s.array(m, name, depth)
	case "integer", "number":
		return s.number(m)
	case "boolean":
		return s.variant%2 == 0
	case "null":
		return nil
	}
	return s.text(m, name)
}

// combine joins a schema with the first alternative, or with all parts of allOf.
func combine(m map[string]any, key string, list []any) map[string]any {
	if key != "allOf" {
		list = list[:1]
	}
	out := maps.Clone(m)
	delete(out, key)
	for _, part := range list {
		p, _ := part.(map[string]any)
		for k, v := range p {
			switch have := out[k].(type) {
			case map[string]any:
				if more, ok := v.(map[string]any); ok { // properties of both
					v = combine(have, "allOf", []any{more})
				}
			case []any:
				if more, ok := v.([]any); ok { // required of both
					v = append(slices.Clip(have), more...)
				}
			}
			out[k] = v
		}
	}
	return out
}

func schemaType(m map[string]any) string {
	switch t := m["type"].(type) {
	case string:
		return t
	case []any:
		for _, v := range t {
			if v != "null" {
				name, _ := v.(string)
				return name
			}
		}
		return "null"
	}
	if m["properties"] != nil {
		return "object"
	}
	if m["items"] != nil {
		return "array"
	}
	return "string"
}

// object has every required property, and the others while the nesting is
// shallow.
func (s sampler) object(m map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	for name, schema := range properties {
		if depth < 3 || slices.Contains(required, any(name)) && depth < maxDepth {
			out[name] = s.value(schema, name, depth+1)
		}
	}
	for _, r := range required {
		if name, ok := r.(string); ok && properties[name] == nil {
			out[name] = s.word(name)
		}
	}
	return out
}

func (s sampler) array(m map[string]any, name string, depth int) any {
	n := 2
	if least, ok := m["minItems"].(float64); ok {
		n = max(n, min(int(least), 1000))
	}
	if most, ok := m["maxItems"].(float64); ok {
		n = max(0, min(n, int(most)))
	}
	if depth >= maxDepth {
		n = 0
	}
	out := make([]any, 0, n)
	prefix, _ := m["prefixItems"].([]any)
	for i := range n {
		item := m["items"]
		if i < len(prefix) {
			item = prefix[i]
		}
		out = append(out, sampler{s.word, s.variant + i, s.left}.value(item, name, depth+1))
	}
	return out
}

func (s sampler) number(m map[string]any) any {
	v := float64(7 + 12*s.variant%80)
	if x, ok := m["minimum"].(float64); ok {
		v = max(v, x)
	}
	if x, ok := m["exclusiveMinimum"].(float64); ok {
		v = max(v, x+1)
	}
	if x, ok := m["maximum"].(float64); ok {
		v = min(v, x)
	}
	if x, ok := m["exclusiveMaximum"].(float64); ok && v >= x {
		v = x - 1
	}
	if schemaType(m) == "integer" {
		return json.Number(trimFloat(v))
	}
	return v
}

func trimFloat(v float64) string {
	b, _ := json.Marshal(int64(v))
	return string(b)
}

func (s sampler) text(m map[string]any, name string) any {
	if pattern, ok := m["pattern"].(string); ok {
		if v, err := sampleRegex(pattern, s.variant); err == nil {
			return v
		}
	}
	formats := map[string]string{
		"date": "2026-10-01", "time": "12:30:00Z", "date-time": "2026-10-01T12:30:00Z", "email": "demo@example.com",
		"uri": "https://example.com/demo", "uuid": "6fa1c1de-0000-4000-8000-000000000001", "ipv4": "192.0.2.1", "hostname": "example.com",
	}
	format, _ := m["format"].(string)
	v := formats[format]
	if v == "" {
		v = s.word(name)
	}
	if least, ok := m["minLength"].(float64); ok {
		for len([]rune(v)) < min(int(least), 10000) {
			v += " demo"
		}
	}
	if most, ok := m["maxLength"].(float64); ok && len([]rune(v)) > max(0, int(most)) {
		v = string([]rune(v)[:max(0, int(most))])
	}
	return v
}

// sampleRegex returns a text that matches a regular expression in Go's syntax.
func sampleRegex(pattern string, variant int) (string, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	matchRegex(&b, re, variant)
	return b.String(), nil
}

func matchRegex(b *strings.Builder, re *syntax.Regexp, variant int) {
	times := 0
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
		return
	case syntax.OpCharClass:
		b.WriteRune(member(re.Rune, rune(variant)))
		return
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
		return
	case syntax.OpAlternate:
		matchRegex(b, re.Sub[variant%len(re.Sub)], variant)
		return
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		times = 1
	case syntax.OpRepeat:
		times = max(re.Min, min(1, re.Max))
	case syntax.OpCapture, syntax.OpConcat:
		times = 1
	}
	for range times {
		for _, sub := range re.Sub {
			matchRegex(b, sub, variant)
		}
	}
}

// member chooses a rune out of a class, a printable one where there is any.
func member(ranges []rune, variant rune) rune {
	for i := 0; i+1 < len(ranges); i += 2 {
		low, high := max(ranges[i], '!'), min(ranges[i+1], '~')
		if low <= high {
			return low + variant%(high-low+1)
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
