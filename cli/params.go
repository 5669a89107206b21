package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"waferchat/api"
	"waferchat/config"
)

// params are the request fields of --max-tokens and -o.
func (p *program) params() (api.Params, error) {
	var out api.Params
	if p.config.MaxTokens > 0 {
		out.MaxTokens = &p.config.MaxTokens
	}
	for _, o := range p.flags.options {
		if err := setParam(&out, o); err != nil {
			return api.Params{}, err
		}
	}
	return out, nil
}

// elsewhere are request fields that have a flag of their own.
func elsewhere() map[string]string {
	return map[string]string{
		"model": "use -m", "messages": "give a prompt", "stream": "--output says how the answer comes",
		"tools": "tools cannot be given here", "reasoning_effort": "",
	}
}

// setParam applies one KEY=VALUE. The value is JSON, or the plain text where the
// field is text.
func setParam(out *api.Params, option string) error {
	key, value, ok := strings.Cut(option, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return usage("-o takes KEY=VALUE, such as -o temperature=0.3")
	}
	names := paramNames()
	if hint := elsewhere()[key]; hint != "" {
		return usage("-o %s: %s", key, hint)
	}
	if !slices.Contains(names, key) {
		if near, ok := config.Nearest(key, names); ok {
			return usage("-o does not know the request field %q; did you mean %q?", key, near)
		}
		return usage("-o does not know the request field %q; it knows %s", key, strings.Join(names, ", "))
	}
	for _, form := range forms(value) {
		field, err := json.Marshal(map[string]json.RawMessage{key: form})
		if err != nil {
			continue // not JSON
		}
		try := *out
		if json.Unmarshal(field, &try) == nil {
			*out = try
			return nil
		}
	}
	return usage("-o %s cannot be %s", key, shellQuote(value))
}

// forms are the readings of a value, the likeliest first: JSON, text, a list of
// one text.
func forms(value string) []json.RawMessage {
	var out []json.RawMessage
	if json.Valid([]byte(value)) && value != "null" {
		out = append(out, json.RawMessage(value))
	}
	text, err := json.Marshal(value)
	if err != nil {
		return out
	}
	list := slices.Concat([]byte("["), text, []byte("]"))
	return append(out, text, list)
}

// paramNames are the wire names of the optional fields.
func paramNames() []string {
	var names []string
	for f := range reflect.TypeFor[api.Params]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// merge lays the fields that are set in over onto params.
func merge(params *api.Params, over api.Params) error {
	data, err := json.Marshal(over)
	if err == nil {
		err = json.Unmarshal(data, params)
	}
	if err != nil {
		return fmt.Errorf("merge request fields: %w", err)
	}
	return nil
}
