package cli

import (
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
	name, raw, err := api.ReadParam(key, value)
	if err != nil {
		return field{}, usage("-o %v", err)
	}
	return field{name: name, value: raw, given: "-o " + name, gone: gone}, nil
}
