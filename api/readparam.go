package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ReadParam reads a field that a person wrote: its name, case aside, and its
// value as JSON, or as plain text where the field takes text or a list of it; .5
// is read as 0.5. canonical is the wire name; a name that Params does not know
// stays as it is, and its value may be anything, but for tools, which are an
// array. "null" takes a known field away. The error says what the field takes.
func ReadParam(name, value string) (canonical string, raw json.RawMessage, err error) {
	name = strings.TrimSpace(name)
	if strings.EqualFold(name, "tools") {
		return readTools(value)
	}
	kind := kindOf(name)
	if kind == kindNumber {
		value = leadingPoint(value)
	}
	canonical, raw, err = readParam(name, value)
	if err != nil && kind == kindOther || string(raw) == "null" {
		return canonical, raw, err
	}
	least, bounded := atLeast()[canonicalName(name)]
	n, bad := strconv.ParseInt(string(raw), 10, 64)
	if err == nil && (!bounded || bad == nil && n >= least) {
		return canonical, raw, nil
	}
	if bounded {
		kind += fmt.Sprintf(", %d or more", least)
	}
	return "", nil, fmt.Errorf("%s takes %s, not '%s'", canonicalName(name), kind, value)
}

// leadingPoint writes the 0 of .5, which many leave out.
func leadingPoint(value string) string {
	value = strings.TrimSpace(value)
	digits, negative := strings.CutPrefix(value, "-")
	switch {
	case !strings.HasPrefix(digits, "."):
		return value
	case negative:
		return "-0" + digits
	}
	return "0" + digits
}

// readTools reads the tools: an array, or null.
func readTools(value string) (name string, raw json.RawMessage, err error) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(value), &list) != nil || list != nil && len(list) == 0 {
		return "", nil, fmt.Errorf(`tools takes a JSON array of tools, such as [{"type":"function","function":{"name":"NAME","parameters":{"type":"object","properties":{}}}}]`)
	}
	return "tools", bytes.TrimSpace([]byte(value)), nil
}

// The kinds of fields, as far as a mistake in their value can be explained.
const (
	kindOther  = ""
	kindNumber = "a number"
	kindWhole  = "a whole number"
	kindSwitch = "true or false"
)

// kindOf finds out what kind of field has a name by what it takes.
func kindOf(name string) string {
	takes := func(value string) bool {
		_, _, err := readParam(name, value)
		return err == nil
	}
	switch {
	case takes("text") || takes("{}"):
		return kindOther
	case takes("true"):
		return kindSwitch
	case takes("1.5"):
		return kindNumber
	case takes("1"):
		return kindWhole
	}
	return kindOther
}

// atLeast are the least values of the fields that count something.
func atLeast() map[string]int64 {
	return map[string]int64{"max_tokens": 1, "max_completion_tokens": 1, "n": 1, "top_logprobs": 0}
}

// readParam is ReadParam without a look at what kind of value a field takes.
func readParam(name, value string) (canonical string, raw json.RawMessage, err error) {
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
