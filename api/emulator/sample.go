package emulator

import (
	"iter"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sample returns a value that satisfies the schema; ok tells whether one was
// found. What it returns has always been checked. spare leaves the optional
// properties of the outermost object out, unless all are.
func (sh *shape) sample(word func(name string) string, name string, variant int, spare bool) (v any, ok bool) {
	if sh.opaque != "" {
		return nil, false
	}
	const tries = 4
	compiled := map[uintptr]compiledMap{}
	for try := range tries {
		s := &sampler{word: word, variant: variant + try, other: try, spare: spare, left: mostValues, draft: sh.draft, compiled: compiled}
		if v, ok := s.value([]any{sh.schema}, name, 0); ok && sh.whole.Validate(v) == nil {
			return v, true
		}
	}
	return nil, false
}

// mostValues is how many values a sampler makes before it gives up.
const mostValues = 10_000

// sampler makes values out of schemas. It follows the keywords as far as they
// suggest a value, and takes another way where one leads nowhere.
type sampler struct {
	word     func(name string) string // the text for a property of this name
	variant  int
	other    int // how far from the first thought numbers shall be
	spare    bool
	left     int // values that may still be made
	draft    *jsonschema.Draft
	compiled map[uintptr]compiledMap // by the address of the map
	patterns map[string]*regexp.Regexp
}

// compiledMap keeps the map as well, so that its address stays its own.
type compiledMap struct {
	schema   map[string]any
	compiled *jsonschema.Schema
}

// goal is several schemas to satisfy at once, with the alternatives among
// which nothing is chosen yet.
type goal struct {
	schemas []map[string]any
	open    []alternatives
	never   bool
}

type alternatives struct {
	list    []any
	exactly bool // one of them, no more
}

// with adds a schema, and what its allOf holds.
func (g goal) with(schema any) goal {
	if yes, isBool := schema.(bool); isBool {
		g.never = g.never || !yes
		return g
	}
	m, ok := schema.(map[string]any)
	if !ok {
		return g
	}
	g.schemas = append(slices.Clip(g.schemas), m)
	for _, part := range list(m, "allOf") {
		g = g.with(part)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if l := list(m, keyword); len(l) > 0 {
			g.open = append(slices.Clip(g.open), alternatives{l, keyword == "oneOf"})
		}
	}
	return g
}

func (s *sampler) value(schemas []any, name string, depth int) (any, bool) {
	var g goal
	for _, schema := range schemas {
		g = g.with(schema)
	}
	return s.meet(g, name, depth)
}

func (s *sampler) meet(g goal, name string, depth int) (any, bool) {
	if s.left--; s.left < 0 || g.never {
		return nil, false
	}
	if len(g.open) == 0 {
		return s.make(g.schemas, name, depth)
	}
	first := g.open[0]
	before, otherBefore := s.variant, s.other
	defer func() { s.variant, s.other = before, otherBefore }()
	for i := range first.list {
		next := g
		next.open = g.open[1:]
		next = next.with(first.list[(i+before)%len(first.list)])
		for bump := range 8 {
			s.variant, s.other = before+bump, otherBefore+bump
			v, ok := s.meet(next, name, depth)
			if ok && (!first.exactly || s.matching(first.list, v) == 1) {
				return v, true
			}
			if !ok {
				break
			}
		}
	}
	return nil, false
}

// make makes a value for schemas among which nothing is left to choose.
func (s *sampler) make(schemas []map[string]any, name string, depth int) (any, bool) {
	for _, m := range schemas {
		listed := list(m, "enum")
		if v, ok := m["const"]; ok {
			listed = []any{v}
		}
		for i := range listed {
			if v := listed[(i+s.variant)%len(listed)]; s.satisfies(schemas, v) {
				return v, true
			}
		}
		if len(listed) > 0 {
			return nil, false
		}
	}
	for _, kind := range kinds(schemas) {
		if v, ok := s.ofKind(kind, schemas, name, depth); ok {
			return v, true
		}
	}
	return nil, false
}

func (s *sampler) ofKind(kind string, schemas []map[string]any, name string, depth int) (any, bool) {
	switch kind {
	case "object":
		return s.object(schemas, name, depth)
	case "array":
		return s.array(schemas, name, depth)
	case "integer", "number":
		return s.number(schemas, kind == "integer")
	case "string":
		return s.text(schemas, name)
	case "boolean":
		return s.variant%2 == 0, true
	}
	return nil, kind == "null"
}

// kinds are the types that the schemas allow, the one to try first in front.
func kinds(schemas []map[string]any) []string {
	var allowed []string
	for _, m := range schemas {
		var own []string
		switch t := m["type"].(type) {
		case string:
			own = []string{t}
		case []any:
			for _, v := range t {
				kind, _ := v.(string)
				own = append(own, kind)
			}
		default:
			continue
		}
		if allowed == nil {
			allowed = own
			continue
		}
		allowed = inBoth(allowed, own)
	}
	if allowed == nil {
		allowed = []string{suggested(schemas), "string", "object", "array", "number", "boolean", "null"}
	}
	// Nothing is the last choice.
	slices.SortStableFunc(allowed, func(a, b string) int { return boolOrder(a == "null", b == "null") })
	return allowed
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// inBoth is the types of both lists; every integer is a number.
func inBoth(a, b []string) []string {
	out := []string{}
	for _, kind := range a {
		switch {
		case slices.Contains(b, kind), kind == "integer" && slices.Contains(b, "number"):
			out = append(out, kind)
		case kind == "number" && slices.Contains(b, "integer"):
			out = append(out, "integer")
		}
	}
	return out
}

// suggested is the type that keywords hint at where none is named.
func suggested(schemas []map[string]any) string {
	switch {
	case hints(schemas, "pattern", "minLength", "maxLength", "format"):
		return "string"
	case hints(schemas, "properties", "required", "patternProperties", "additionalProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas"):
		return "object"
	case hints(schemas, "items", "prefixItems", "contains", "minItems", "maxItems"):
		return "array"
	case hints(schemas, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
		return "number"
	}
	return "string"
}

func hints(schemas []map[string]any, keywords ...string) bool {
	return slices.ContainsFunc(schemas, func(m map[string]any) bool {
		return slices.ContainsFunc(keywords, func(k string) bool { return m[k] != nil })
	})
}

// satisfies tells whether a value satisfies all of the schemas.
func (s *sampler) satisfies(schemas []map[string]any, v any) bool {
	return !slices.ContainsFunc(schemas, func(m map[string]any) bool { return !s.valid(m, v) })
}

// matching counts the schemas that the value satisfies.
func (s *sampler) matching(schemas []any, v any) int {
	n := 0
	for _, schema := range schemas {
		if s.valid(schema, v) {
			n++
		}
	}
	return n
}

func (s *sampler) valid(schema, v any) bool {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema != false
	}
	at := reflect.ValueOf(m).Pointer()
	c, ok := s.compiled[at]
	if !ok {
		c = compiledMap{schema: m}
		c.compiled, _ = compileSchema(enforced(m), s.draft)
		s.compiled[at] = c
	}
	return c.compiled != nil && c.compiled.Validate(v) == nil
}

// matches tells whether a text matches a schema's pattern.
func (s *sampler) matches(pattern, text string) bool {
	re, ok := s.patterns[pattern]
	if !ok {
		if s.patterns == nil {
			s.patterns = map[string]*regexp.Regexp{}
		}
		re, _ = compilePattern(pattern)
		s.patterns[pattern] = re
	}
	return re != nil && re.MatchString(text)
}

func list(m map[string]any, keyword string) []any {
	l, _ := m[keyword].([]any)
	return l
}

func object(m map[string]any, keyword string) map[string]any {
	o, _ := m[keyword].(map[string]any)
	return o
}

// sorted goes through a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
