package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

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
