package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"waferchat/api"
)

// readOption reads one KEY=VALUE, or -KEY, which takes a field away. The value is
// JSON, or the plain text where the field is text or unknown.
func readOption(option string) (field, error) {
	key, value, ok := strings.Cut(option, "=")
	key, gone := strings.CutPrefix(strings.TrimSpace(key), "-")
	switch {
	case key == "" || !ok && !gone:
		return field{}, usage("-o takes KEY=VALUE, such as -o temperature=0.3, or -KEY to take a field away")
	case ok && gone:
		return field{}, usage("-o -%s takes the field away: it has no value", key)
	case gone:
		value = "null"
	}
	for name, hint := range elsewhere() {
		if strings.EqualFold(key, name) {
			return field{}, usage("-o %s: %s", name, hint)
		}
	}
	name, raw, err := readField(key, value)
	if err != nil {
		return field{}, usage("-o %v", err)
	}
	return field{name: name, value: raw, given: "-o " + name, gone: gone}, nil
}

// readField reads a field and says what it takes when that is something else.
func readField(key, value string) (name string, raw json.RawMessage, err error) {
	if strings.EqualFold(key, toolsField) {
		return readTools(value)
	}
	kind := kindOf(key)
	if kind == kindNumber {
		value = regexp.MustCompile(`^(\s*-?)\.(\d)`).ReplaceAllString(value, "${1}0.$2") // as many write it
	}
	name, raw, err = api.ReadParam(key, value)
	if err != nil && kind == kindOther || string(raw) == "null" {
		return name, raw, err
	}
	least, bounded := atLeast()[strings.ToLower(key)]
	n, bad := strconv.ParseInt(string(raw), 10, 64)
	if err == nil && (!bounded || bad == nil && n >= least) {
		return name, raw, nil
	}
	if bounded {
		kind += fmt.Sprintf(", %d or more", least)
	}
	return "", nil, fmt.Errorf("%s takes %s, not '%s'", strings.ToLower(key), kind, value)
}

// readTools reads the tools: an array, or null.
func readTools(value string) (name string, raw json.RawMessage, err error) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(value), &list) != nil || list != nil && len(list) == 0 {
		return "", nil, fmt.Errorf(`tools takes a JSON array of tools, such as [{"type":"function","function":{"name":"NAME","parameters":{"type":"object","properties":{}}}}]`)
	}
	return toolsField, bytes.TrimSpace([]byte(value)), nil
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
		_, _, err := api.ReadParam(name, value)
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
