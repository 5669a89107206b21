package emulator

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// subschemas copies a schema with f applied to every schema directly inside
// it. What is data to a schema, such as the values of enum, is shared.
func subschemas(m map[string]any, f func(any) any) map[string]any {
	out := make(map[string]any, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) { // in order, so that the first fault is always the same
		out[key] = withSubschemas(key, m[key], f)
	}
	return out
}

func withSubschemas(keyword string, v any, f func(any) any) any {
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
		if named, ok := v.(map[string]any); ok {
			out := make(map[string]any, len(named))
			for _, name := range slices.Sorted(maps.Keys(named)) {
				out[name] = f(named[name])
			}
			return out
		}
	case "allOf", "anyOf", "oneOf", "prefixItems", "items":
		if list, ok := v.([]any); ok {
			out := make([]any, len(list))
			for i := range list {
				out[i] = f(list[i])
			}
			return out
		}
		if keyword == "items" {
			return f(v)
		}
	case "additionalProperties", "unevaluatedProperties", "propertyNames", "additionalItems", "unevaluatedItems",
		"contains", "contentSchema", "not", "if", "then", "else":
		return f(v)
	}
	return v
}

// without is a schema without some keywords, the same one where it has none of
// them.
func without(m map[string]any, keywords ...string) map[string]any {
	out := m
	for _, k := range keywords {
		if _, ok := m[k]; ok {
			if len(out) == len(m) {
				out = maps.Clone(m)
			}
			delete(out, k)
		}
	}
	return out
}

// inlineRefs returns a schema with its local references replaced by what they
// name, as the document says the server does, or one of its errors for param.
// What only references need (identifiers, anchors, definitions) is gone from
// the result.
func inlineRefs(schema any, param string) (any, *fault) {
	in := &inliner{root: schema, param: param, left: mostInlined}
	out := in.inline(schema, nil)
	return out, in.fault
}

// mostInlined is how many schemas the references of one schema may unfold to.
const mostInlined = 10_000

type inliner struct {
	root  any
	param string
	left  int // schemas that references may still unfold to
	fault *fault
}

func (in *inliner) fail(kind, message string) any {
	if in.fault == nil {
		in.fault = &fault{Status: http.StatusBadRequest, Code: "json_schema_refs_" + kind, Param: in.param, Message: message}
	}
	return true
}

// inline copies node. path holds the references being followed.
func (in *inliner) inline(node any, path []string) any {
	m, ok := node.(map[string]any)
	if !ok || in.fault != nil {
		return node
	}
	if len(path) > 0 {
		in.left -= 1 + len(list(m, "enum")) + len(list(m, "required"))
		if in.left < 0 {
			return in.fail("oversized", "The schema is too large once its references are inlined.")
		}
	}
	m = without(m, "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment", "$defs", "definitions")
	deeper := func(sub any) any { return in.inline(sub, path) }
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref, ok := m[keyword].(string); ok {
			target := in.follow(ref, path)
			return beside(target, subschemas(without(m, keyword), deeper))
		}
	}
	return subschemas(m, deeper)
}

// beside joins what a reference names with what stands beside the reference.
// Drafts up to 07 ignore the latter; a value that satisfies both is right for
// all of them.
func beside(target any, siblings map[string]any) any {
	bare := without(siblings, "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$schema")
	if len(bare) == 0 {
		return target
	}
	out := maps.Clone(siblings)
	more, _ := siblings["allOf"].([]any)
	out["allOf"] = append([]any{target}, more...)
	return out
}

func (in *inliner) follow(ref string, path []string) any {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local && ref != "" {
		return in.fail("remote", "The reference "+excerpt(ref, 100)+" is not local.")
	}
	if len(path) >= deepest {
		return in.fail("oversized", "The references of the schema are nested too deeply.")
	}
	if slices.Contains(path, ref) {
		return in.fail("recursive", "The reference "+excerpt(ref, 100)+" is recursive.")
	}
	target, ok := resolve(in.root, pointer)
	if !ok {
		return in.fail("unresolvable", "The reference "+excerpt(ref, 100)+" names nothing.")
	}
	return in.inline(target, append(slices.Clip(path), ref))
}

// resolve follows a JSON pointer in the form that it has in a URL.
func resolve(node any, pointer string) (any, bool) {
	if pointer == "" {
		return node, true
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false // an anchor
	}
	for key := range strings.SplitSeq(rest, "/") {
		if plain, err := url.PathUnescape(key); err == nil {
			key = plain
		}
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		switch n := node.(type) {
		case map[string]any:
			if node, ok = n[key]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n) {
				return nil, false
			}
			node = n[i]
		default:
			return nil, false
		}
	}
	return node, true
}
