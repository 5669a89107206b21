package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// ReadParam reads a field that a person wrote: its name, case aside, and its
// value as JSON, or as plain text where the field takes text or a list of it.
// canonical is the wire name; a name that Params does not know stays as it is,
// and its value may be anything. "null" takes a known field away. The error says
// what the field takes.
func ReadParam(name, value string) (canonical string, raw json.RawMessage, err error) {
	if canonical = strings.TrimSpace(name); canonical == "" {
		return "", nil, fmt.Errorf("read request field: it has no name")
	}
	for _, known := range []string{"model", "messages", "stream"} {
		if strings.EqualFold(canonical, known) {
			return "", nil, fmt.Errorf("read request field %s: it is no parameter", known)
		}
	}
	canonical = canonicalName(canonical)
	for _, raw := range readings(value) {
		if fits(canonical, raw) {
			return canonical, raw, nil
		}
	}
	hint := ""
	if example, ok := objects()[canonical]; ok {
		hint = "; it takes JSON such as " + example
	}
	return "", nil, fmt.Errorf("%s cannot be '%s'%s", canonical, value, hint)
}

// canonicalName is the wire name of a parameter in whatever case it was written,
// as the decoders of some servers read it; other names stay as they are.
func canonicalName(name string) string {
	for _, known := range paramNames() {
		if strings.EqualFold(name, known) {
			return known
		}
	}
	return name
}

// readings are what a value may mean, the likeliest first.
func readings(value string) []json.RawMessage {
	var out []json.RawMessage
	if trimmed := strings.TrimSpace(value); json.Valid([]byte(trimmed)) {
		out = append(out, json.RawMessage(trimmed))
	}
	return append(out, json.RawMessage(quote(value)))
}

// objects are the named fields that hold a JSON object, with an example each.
func objects() map[string]string {
	return map[string]string{
		"response_format": string(JSONMode()), "reasoning": string(EffortObject("low")),
		"thinking": string(ThinkingSwitch(false)), "tool_choice": string(NamedTool("NAME")),
	}
}

// fits tells whether a field can have a value. Text is no object, but it may be a
// tool_choice; some servers take true and false for an object.
func fits(name string, raw json.RawMessage) bool {
	_, object := objects()[name]
	switch {
	case !slices.Contains(paramNames(), name) || string(raw) == "null":
		return true
	case name == "tool_choice" && raw[0] == '"':
		return !strings.ContainsRune("{[", rune(raw[1])) // broken JSON is no choice
	case object:
		return strings.ContainsRune("{tf", rune(raw[0]))
	}
	var try Params
	return json.Unmarshal([]byte(`{"`+name+`":`+string(raw)+`}`), &try) == nil
}

// ParamRivals are the fields that say the same as name in other words, or cannot
// stand beside it; name is among them.
func ParamRivals(name string) []string {
	for _, group := range [][]string{
		{"max_tokens", "max_completion_tokens"},
		{"reasoning_effort", "reasoning", "thinking"},
		{"response_format", "regex"},
	} {
		if slices.Contains(group, name) {
			return group
		}
	}
	return []string{name}
}

// Set sets a field that a person wrote: see [ReadParam]. It takes the place of
// its rivals. When it fails, nothing has changed.
func (p *Params) Set(name, value string) error {
	name, raw, err := ReadParam(name, value)
	if err != nil {
		return err
	}
	out := *p
	for _, rival := range ParamRivals(name) {
		out.Unset(rival)
	}
	if string(raw) != "null" || !slices.Contains(paramNames(), name) {
		field, err := marshal(map[string]json.RawMessage{name: raw})
		if err != nil {
			return fmt.Errorf("set request field %s: %w", name, err)
		}
		if err := json.Unmarshal(field, &out); err != nil {
			return fmt.Errorf("set request field %s: %w", name, err)
		}
	}
	*p = out
	return nil
}

// Unset takes a field out, also of Extra. Its name is read as [ReadParam] does.
// It reports whether it was set.
func (p *Params) Unset(name string) bool {
	name = strings.TrimSpace(name)
	canonical, was := canonicalName(name), false
	for _, key := range []string{name, canonical} {
		if _, ok := p.Extra[key]; ok {
			was, p.Extra = true, maps.Clone(p.Extra)
			delete(p.Extra, key)
		}
	}
	if was && len(p.Extra) == 0 {
		p.Extra = nil
	}
	if i := slices.Index(paramNames(), canonical); i >= 0 {
		field := reflect.ValueOf(p).Elem().Field(i)
		was = was || field.Kind() == reflect.Pointer && !field.IsNil() || field.Kind() != reflect.Pointer && field.Len() > 0
		field.SetZero()
	}
	return was
}
