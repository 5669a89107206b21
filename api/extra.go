package api

import (
	"bytes"
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxExtra bounds the names of fields of one answer that nobody knows against a
// server that floods.
const maxExtra = 256

// member is a field of an object, raw. It points into the frame it is from.
type member struct{ name, value []byte }

// wireNames are the names that the types of wire.go and the document have.
type wireNames struct{ chunk, choice, delta, call, function []string }

// knownNames are read from the types once. The document has three more, which
// say nothing that is needed.
var knownNames = sync.OnceValue(func() wireNames {
	return wireNames{
		chunk:    append(tags(reflect.TypeFor[chunk]()), "created"),
		choice:   tags(reflect.TypeFor[choice]()),
		delta:    append(tags(reflect.TypeFor[delta]()), "role"),
		call:     append(tags(reflect.TypeFor[fragment]()), "type"),
		function: tags(reflect.TypeFor[function]()),
	}
})

// scan notes the fields that c has no place for. data is the JSON that c was
// decoded from.
func (c *chunk) scan(data []byte) {
	names := knownNames()
	for m := range members(data) {
		if !known(names.chunk, m.name) {
			c.extra = append(c.extra, m)
		} else if foldedEqual(m.name, "choices") {
			c.scanChoices(names, m.value)
		}
	}
}

// scanChoices gives each choice the unknown fields of itself, its delta and its
// message.
func (c *chunk) scanChoices(names wireNames, list []byte) {
	i := 0
	for object := range elements(list) {
		if i >= len(c.Choices) {
			return
		}
		to := &c.Choices[i].extra
		*to = nil
		for m := range members(object) {
			switch {
			case !known(names.choice, m.name):
				keep(to, m)
			case foldedEqual(m.name, "delta"), foldedEqual(m.name, "message"):
				for m := range members(m.value) {
					if !known(names.delta, m.name) {
						keep(to, m)
					}
				}
			}
		}
		i++
	}
}

// keep puts a copy of a field into a map that may not be there yet.
func keep(to *map[string]json.RawMessage, m member) {
	if *to == nil {
		*to = map[string]json.RawMessage{}
	}
	if len(*to) < maxExtra {
		(*to)[nameOf(m.name)] = validRaw(m.value)
	}
}

// nameOf is what a member's name says, as valid UTF-8.
func nameOf(literal []byte) string {
	return strings.ToValidUTF8(unquote(literal), string(utf8.RuneError))
}

// validRaw is a copy of a raw value that is fit to be stored.
func validRaw(b []byte) json.RawMessage {
	if !utf8.Valid(b) {
		return bytes.ToValidUTF8(b, []byte(string(utf8.RuneError)))
	}
	return bytes.Clone(b)
}

// known tells whether a member's name is among names, as encoding/json compares
// them.
func known(names []string, literal []byte) bool {
	for _, name := range names {
		if string(literal[1:len(literal)-1]) == name {
			return true
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return foldedEqual(literal, name) })
}

func foldedEqual(literal []byte, name string) bool {
	if bytes.IndexByte(literal, '\\') >= 0 {
		return strings.EqualFold(unquote(literal), name)
	}
	return strings.EqualFold(string(literal[1:len(literal)-1]), name)
}

// extraFields are the fields of an answer or a call that nobody knows, each with
// the last of its values that is not null.
type extraFields []extraField

type extraField struct {
	name  string
	value json.RawMessage
}

// note takes the fields of one frame or fragment. It reports whether any of them changed
// what is known.
func (a *extraFields) note(fields []member) (news bool) {
	for _, m := range fields {
		if string(m.value) == "null" {
			continue
		}
		name := nameOf(m.name)
		i := slices.IndexFunc(*a, func(f extraField) bool { return f.name == name })
		switch {
		case i < 0 && len(*a) >= maxExtra:
			continue
		case i < 0:
			i, *a = len(*a), append(*a, extraField{name: name})
		case bytes.Equal((*a)[i].value, m.value):
			continue
		}
		(*a)[i].value, news = validRaw(m.value), true
	}
	return news
}

// byName is a copy, nil when there is none.
func (a extraFields) byName() map[string]json.RawMessage {
	if len(a) == 0 {
		return nil
	}
	all := make(map[string]json.RawMessage, len(a))
	for _, f := range a {
		all[f.name] = bytes.Clone(f.value)
	}
	return all
}

// members gives the fields of a JSON object that a parser has accepted, in
// their order; none if the value is something else.
func members(object []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		i := skipBlanks(object, 0)
		if i >= len(object) || object[i] != '{' {
			return
		}
		for i = skipBlanks(object, i+1); i < len(object) && object[i] == '"'; i = skipBlanks(object, i+1) {
			end := stringEnd(object, i)
			name := object[i:end]
			colon := skipBlanks(object, end)
			start := skipBlanks(object, colon+1)
			i = valueEnd(object, start)
			if !yield(member{name, object[start:i]}) {
				return
			}
			i = skipBlanks(object, i) // the comma or the end
		}
	}
}

// elements gives the elements of a JSON array in the same way.
func elements(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(list) == 0 || list[0] != '[' {
			return
		}
		for i := skipBlanks(list, 1); i < len(list) && list[i] != ']'; i = skipBlanks(list, i+1) {
			end := valueEnd(list, i)
			if !yield(list[i:end]) {
				return
			}
			if i = skipBlanks(list, end); i >= len(list) || list[i] != ',' {
				return
			}
		}
	}
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// valueEnd is the place behind the JSON value that begins at i.
func valueEnd(b []byte, i int) int {
	switch {
	case i >= len(b):
		return len(b)
	case b[i] == '"':
		return stringEnd(b, i)
	case b[i] == '{' || b[i] == '[':
		return bracketEnd(b, i)
	}
	if n := bytes.IndexAny(b[i:], ",]} \t\r\n"); n >= 0 {
		return i + n
	}
	return len(b)
}

// bracketEnd is the place behind the JSON object or array that begins at i.
func bracketEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}

// stringEnd is the place behind the JSON string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		i += n
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
	return len(b)
}
