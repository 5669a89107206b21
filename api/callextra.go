package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// inCalls is in front of the names of fields that the calls of messages have.
const inCalls = inMessages + "tool_calls."

// scan notes the fields of a fragment and of its function that nobody knows.
// object is the JSON that it was decoded from.
func (f *fragment) scan(object []byte) {
	names := knownNames()
	f.extra, f.Function.extra = nil, nil
	for m := range members(object) {
		if !known(names.call, m.name) {
			f.extra = append(f.extra, m)
		} else if foldedEqual(m.name, "function") {
			for m := range members(m.value) {
				if !known(names.function, m.name) {
					f.Function.extra = append(f.Function.extra, m)
				}
			}
		}
	}
}

// callExtra are the fields of a call that nobody knows.
type callExtra struct{ own, function extraFields }

// note takes those of a fragment. It reports whether any of them changed what is
// known.
func (e *callExtra) note(f fragment) (news bool) {
	news = e.own.note(f.extra)
	return e.function.note(f.Function.extra) || news
}

// fields is a copy of all, those of the function in an object.
func (e *callExtra) fields() map[string]json.RawMessage {
	all := e.own.byName()
	if len(e.function) > 0 {
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		all["function"], _ = marshal(e.function.byName()) // they were JSON before
	}
	return all
}

// encodeCall writes a call of a message. What is not named by the document comes
// behind what is.
func encodeCall(c ToolCall, without dropped, optional map[string]bool) (json.RawMessage, error) {
	for name, raw := range c.Extra {
		if !json.Valid(raw) {
			return nil, fmt.Errorf("encode field %q: not valid JSON", name)
		}
	}
	var inner map[string]json.RawMessage
	_ = json.Unmarshal(c.Extra["function"], &inner) // anything but an object has no fields
	names := knownNames()
	var b bytes.Buffer
	add := func(extra map[string]json.RawMessage, named []string) {
		for _, name := range slices.Sorted(maps.Keys(extra)) {
			if slices.Contains(named, name) || without[inCalls+name] {
				continue
			}
			appendField(&b, name, extra[name])
			optional[inCalls+name] = true
		}
		b.WriteByte('}')
	}
	fmt.Fprintf(&b, `{"id":%s,"type":"function","function":{"name":%s,"arguments":%s`, quote(c.ID), quote(c.Name), quote(c.Arguments))
	add(inner, names.function)
	add(c.Extra, names.call)
	return b.Bytes(), nil
}

// callFields are the names of the optional fields that the calls of messages
// have in a request.
func callFields(has map[string]bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if strings.HasPrefix(name, inCalls) {
			names = append(names, name)
		}
	}
	return names
}
