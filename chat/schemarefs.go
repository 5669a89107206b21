package chat

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// refFault is what is wrong with a reference of a schema.
type refFault string

// The faults that Wafer refuses, by the ends of its error codes
// json_schema_refs_*.
const (
	refRemote       refFault = "remote"
	refUnresolvable refFault = "unresolvable"
	refRecursive    refFault = "recursive"
)

// faultyRef is a reference that cannot be inlined.
type faultyRef struct {
	ref   string
	fault refFault
}

// faultyRefs returns the references of a decoded schema that cannot be inlined,
// each once, in a stable order.
func faultyRefs(schema any) []faultyRef {
	w := refWalker{root: schema, state: map[string]refState{}}
	w.walk(schema)
	slices.SortFunc(w.faults, func(a, b faultyRef) int { return strings.Compare(a.ref, b.ref) })
	return slices.Compact(w.faults)
}

// refState is how far the walk is with the target of a reference.
type refState int

const (
	refOpen refState = iota + 1 // it is being walked: who meets it again is inside it
	refDone
)

type refWalker struct {
	root   any
	state  map[string]refState
	faults []faultyRef
}

// walk follows every reference in a schema. What looks like one inside a value
// that is only data is none.
func (w *refWalker) walk(node any) {
	switch n := node.(type) {
	case []any:
		for _, v := range n {
			w.walk(v)
		}
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			w.follow(ref)
		}
		for _, key := range slices.Sorted(maps.Keys(n)) { // in an order that does not change
			v := n[key]
			switch key {
			case "const", "enum", "default", "examples":
			case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
				w.named(v)
			default:
				w.walk(v)
			}
		}
	}
}

// named walks schemas by name: their names are no keywords.
func (w *refWalker) named(node any) {
	schemas, _ := node.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		w.walk(schemas[name])
	}
}

func (w *refWalker) follow(ref string) {
	switch fragment, local := strings.CutPrefix(ref, "#"); {
	case w.state[ref] == refOpen:
		w.faults = append(w.faults, faultyRef{ref, refRecursive})
	case w.state[ref] == refDone:
	case !local:
		w.faults = append(w.faults, faultyRef{ref, refRemote})
	default:
		target, ok := w.find(fragment)
		if !ok {
			w.faults = append(w.faults, faultyRef{ref, refUnresolvable})
			return
		}
		w.state[ref] = refOpen
		w.walk(target)
		w.state[ref] = refDone
	}
}

// find resolves a JSON pointer in the form of a URL's fragment.
func (w *refWalker) find(fragment string) (any, bool) {
	pointer, err := url.PathUnescape(fragment)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	node := w.root
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		switch n := node.(type) {
		case map[string]any:
			next, ok := n[key]
			if !ok {
				return nil, false
			}
			node = next
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
