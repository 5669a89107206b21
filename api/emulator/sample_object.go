package emulator

import (
	"fmt"
	"maps"
	"slices"
)

// members is an object in the making.
type members struct {
	s       *sampler
	schemas []map[string]any
	depth   int
	most    int
	out     map[string]any
}

// object has every required property, and the others while the nesting is
// shallow.
func (s *sampler) object(schemas []map[string]any, name string, depth int) (any, bool) {
	required := requiredNames(schemas)
	if more := dependents(schemas, required); len(more) > 0 {
		all := more
		for _, m := range schemas {
			all = append(all, without(m, "anyOf", "oneOf", "allOf"))
		}
		return s.value(all, name, depth)
	}
	o := &members{s, schemas, depth, count(schemas, "maxProperties", mostValues), map[string]any{}}
	for _, name := range required {
		if !o.add(name) {
			return nil, false
		}
	}
	least := count(schemas, "minProperties", 0)
	liked, spare := o.optional(required)
	if s.spare && depth == 0 && len(required) > 0 || depth >= 3 {
		liked, spare = nil, append(liked, spare...)
	}
	for _, name := range liked {
		o.add(name)
	}
	for _, name := range spare {
		if len(o.out) < least {
			o.add(name)
		}
	}
	o.invent(least)
	return o.out, len(o.out) >= least
}

// requiredNames are the names that must be there, with those that they
// require in turn.
func requiredNames(schemas []map[string]any) []string {
	var out []string
	var need func(name any)
	need = func(name any) {
		text, ok := name.(string)
		if !ok || slices.Contains(out, text) {
			return
		}
		out = append(out, text)
		for _, m := range schemas {
			for _, keyword := range []string{"dependentRequired", "dependencies"} {
				for _, more := range list(object(m, keyword), text) {
					need(more)
				}
			}
		}
	}
	for _, m := range schemas {
		for _, name := range list(m, "required") {
			need(name)
		}
	}
	slices.Sort(out)
	return out
}

// dependents are the schemas that the presence of these names brings in and
// that are not among the schemas yet.
func dependents(schemas []map[string]any, names []string) []any {
	var out []any
	for _, m := range schemas {
		for _, keyword := range []string{"dependentSchemas", "dependencies"} {
			for _, name := range names {
				switch sub := object(m, keyword)[name].(type) {
				case bool:
					if !sub {
						out = append(out, false)
					}
				case map[string]any:
					if !slices.ContainsFunc(schemas, func(have map[string]any) bool { return same(have, sub) }) {
						out = append(out, sub)
					}
				}
			}
		}
	}
	return out
}

// optional are the names of the properties that need not be there: those worth
// having, and those that would bring others with them.
func (o *members) optional(required []string) (liked, spare []string) {
	names := map[string]bool{}
	for _, m := range o.schemas {
		for name := range object(m, "properties") {
			names[name] = true
		}
	}
	for name := range sorted(names) {
		if slices.Contains(required, name) {
			continue
		}
		brings := slices.ContainsFunc(o.schemas, func(m map[string]any) bool {
			return object(m, "dependentRequired")[name] != nil || object(m, "dependentSchemas")[name] != nil || object(m, "dependencies")[name] != nil
		})
		if brings {
			spare = append(spare, name)
		} else {
			liked = append(liked, name)
		}
	}
	return liked, spare
}

// add gives the object a property, and tells whether it has it now.
func (o *members) add(name string) bool {
	if _, ok := o.out[name]; ok {
		return true
	}
	if len(o.out) >= o.most || !o.nameAllowed(name) {
		return false
	}
	v, ok := o.s.value(o.of(name), name, o.depth+1)
	if ok {
		o.out[name] = v
	}
	return ok
}

// of is the schemas for a property of this name.
func (o *members) of(name string) []any {
	var out []any
	evaluated := false
	for _, m := range o.schemas {
		known := false
		if sub, ok := object(m, "properties")[name]; ok {
			out, known = append(out, sub), true
		}
		for pattern, sub := range sorted(object(m, "patternProperties")) {
			if o.s.matches(pattern, name) {
				out, known = append(out, sub), true
			}
		}
		if sub, ok := m["additionalProperties"]; ok && !known {
			out, known = append(out, sub), true
		}
		evaluated = evaluated || known
	}
	for _, m := range o.schemas {
		if sub, ok := m["unevaluatedProperties"]; ok && !evaluated {
			out = append(out, sub)
		}
	}
	return out
}

func (o *members) nameAllowed(name string) bool {
	return !slices.ContainsFunc(o.schemas, func(m map[string]any) bool {
		sub, ok := m["propertyNames"]
		return ok && !o.s.valid(sub, name)
	})
}

// invent adds properties of invented names until there are as many as are
// wanted: one at least where the schema speaks of no others.
func (o *members) invent(least int) {
	if least > mostValues {
		return
	}
	if len(o.out) == 0 && o.depth < 3 && o.speaksOfAny() {
		least = max(least, 1)
	}
	for i := 0; len(o.out) < least && i < 2*least+20 && o.s.left > 0; i++ {
		for _, name := range o.names(i) {
			if len(o.out) < least {
				o.add(name)
			}
		}
	}
}

// speaksOfAny tells whether properties of any name have a schema.
func (o *members) speaksOfAny() bool {
	return hints(o.schemas, "patternProperties") || slices.ContainsFunc(o.schemas, func(m map[string]any) bool { return object(m, "additionalProperties") != nil })
}

// names invents the i-th names that the schemas may allow.
func (o *members) names(i int) []string {
	out := []string{fmt.Sprintf("demo_%d", i+1), lettered(i)}
	s := o.s
	before := s.variant
	defer func() { s.variant = before }()
	s.variant += i
	var rules []any
	for _, m := range o.schemas {
		if sub, ok := m["propertyNames"]; ok {
			rules = append(rules, sub)
		}
		for _, pattern := range slices.Sorted(maps.Keys(object(m, "patternProperties"))) {
			out = append(out, s.patternNames(pattern, i)...)
		}
	}
	if len(rules) > 0 {
		v, _ := s.value(append(rules, map[string]any{"type": "string", "minLength": number(1 + i)}), "name", o.depth+1)
		if name, ok := v.(string); ok {
			out = append(out, name)
		}
		v, _ = s.value(append(rules, map[string]any{"type": "string"}), out[0], o.depth+1)
		if name, ok := v.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// lettered is the i-th of a, b, … z, aa, ab, …
func lettered(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		return lettered(i/26-1) + name
	}
	return name
}

// patternNames are the i-th names that match a pattern.
func (s *sampler) patternNames(pattern string, i int) []string {
	g, err := newTextGoal([]string{pattern}, 0, mostText)
	if err != nil {
		return nil
	}
	v, ok := s.try(g, i)
	name, _ := v.(string)
	if numbered := fmt.Sprintf("%s%d", name, i+1); ok && g.fits(numbered) {
		return []string{numbered, name}
	}
	return []string{name}
}
