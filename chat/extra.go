package chat

import (
	"bytes"
	"encoding/json"
	"slices"
)

// mostExtra bounds the bytes that are kept of fields that nobody knows.
const mostExtra = 64 << 10

// extra collects the fields of an answer that the API's document does not name.
type extra struct {
	values map[string][]json.RawMessage // each value once, in order of arrival
	size   int
}

// add notes fields. Padding against eavesdroppers, which OpenAI calls
// obfuscation, says nothing and is left out.
func (x *extra) add(fields map[string]json.RawMessage) {
	for name, v := range fields {
		size := len(name) + len(v)
		if name == "obfuscation" || x.size+size > mostExtra || slices.ContainsFunc(x.values[name], func(have json.RawMessage) bool { return bytes.Equal(have, v) }) {
			continue
		}
		if x.values == nil {
			x.values = map[string][]json.RawMessage{}
		}
		x.values[name] = append(x.values[name], slices.Clone(v))
		x.size += size
	}
}

// object is a JSON object of the fields by name, nil when there are none. A
// field that came with several values has an array of them.
func (x *extra) object() json.RawMessage {
	all := map[string]json.RawMessage{}
	for name, list := range x.values {
		if all[name] = list[0]; len(list) > 1 {
			all[name] = slices.Concat([]byte("["), bytes.Join(raw(list), []byte(",")), []byte("]"))
		}
	}
	out, err := json.Marshal(all)
	if len(all) == 0 || err != nil {
		return nil
	}
	return out
}
