package emulator

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// same tells whether two maps are one.
func same(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// array has as many items as are wanted, two where nothing is said.
func (s *sampler) array(schemas []map[string]any, name string, depth int) (any, bool) {
	least, most := count(schemas, "minItems", 0), count(schemas, "maxItems", mostValues)
	if least > most || least > mostValues {
		return nil, false
	}
	pending := contained(schemas)
	n := min(max(least, longestPrefix(schemas), 2), most)
	before := s.variant
	defer func() { s.variant = before }()
	out := []any{}
	for i := 0; i < n || len(pending) > 0 && i < most && s.left > 0; i++ {
		s.variant = before + i
		items := itemSchemas(schemas, i)
		if len(pending) > 0 {
			if v, ok := s.value(append(items, pending[0]), name, depth+1); ok {
				out, pending = append(out, v), pending[1:]
				continue
			}
		}
		v, ok := s.value(items, name, depth+1)
		if !ok {
			break
		}
		out = append(out, v)
	}
	return out, len(out) >= least && len(pending) == 0
}

// contained are the schemas that some item has to satisfy, one for each item.
func contained(schemas []map[string]any) []any {
	var out []any
	for _, m := range schemas {
		if sub, ok := m["contains"]; ok {
			for range min(count([]map[string]any{m}, "minContains", 1), mostValues) {
				out = append(out, sub)
			}
		}
	}
	return out
}

// prefix is the schemas of the first items: prefixItems, which was an array in
// items up to 2019.
func prefix(m map[string]any) []any {
	if l := list(m, "prefixItems"); l != nil {
		return l
	}
	return list(m, "items")
}

func longestPrefix(schemas []map[string]any) int {
	n := 0
	for _, m := range schemas {
		n = max(n, len(prefix(m)))
	}
	return n
}

func itemSchemas(schemas []map[string]any, i int) []any {
	var out []any
	for _, m := range schemas {
		first := prefix(m)
		rest, ok := m["items"]
		if list(m, "items") != nil {
			rest, ok = m["additionalItems"]
		}
		switch {
		case i < len(first):
			out = append(out, first[i])
		case ok:
			out = append(out, rest)
		case m["unevaluatedItems"] != nil:
			out = append(out, m["unevaluatedItems"])
		}
	}
	return out
}
