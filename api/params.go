package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Params are the optional fields of a request, as the API's document lists
// them, and any others in Extra. A nil or empty field is absent from the body.
// The JSON names are those of the wire; stored parameters use the same encoding.
type Params struct {
	// MaxTokens bounds the generated tokens, reasoning included. Servers also
	// take MaxCompletionTokens for it; on Wafer MaxTokens wins when both are set.
	MaxTokens           *int     `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int     `json:"max_completion_tokens,omitempty"`
	Temperature         *float64 `json:"temperature,omitempty"`
	TopP                *float64 `json:"top_p,omitempty"`
	TopK                *int     `json:"top_k,omitempty"`
	MinP                *float64 `json:"min_p,omitempty"`
	FrequencyPenalty    *float64 `json:"frequency_penalty,omitempty"`
	PresencePenalty     *float64 `json:"presence_penalty,omitempty"`
	RepetitionPenalty   *float64 `json:"repetition_penalty,omitempty"`
	Stop                []string `json:"stop,omitempty"`
	Seed                *int64   `json:"seed,omitempty"`
	N                   *int     `json:"n,omitempty"`
	Logprobs            *bool    `json:"logprobs,omitempty"`
	TopLogprobs         *int     `json:"top_logprobs,omitempty"`
	// ToolChoice is "auto", "none" or "required" as JSON, or [NamedTool].
	ToolChoice        json.RawMessage `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls,omitempty"`
	// ResponseFormat is [JSONMode], [JSONSchema], or a grammar's object.
	ResponseFormat json.RawMessage `json:"response_format,omitempty"`
	Regex          string          `json:"regex,omitempty"`
	// ReasoningEffort is none, low, medium, high, xhigh or max. Reasoning, an
	// [EffortObject], and Thinking, a [ThinkingSwitch], are other names of the
	// same wish.
	ReasoningEffort string          `json:"reasoning_effort,omitempty"`
	Reasoning       json.RawMessage `json:"reasoning,omitempty"`
	Thinking        json.RawMessage `json:"thinking,omitempty"`
	// Extra are fields that are not named above, sent as they are. One that
	// collides with a named field wins: the user asked for it by name.
	Extra map[string]json.RawMessage `json:"-"`
}

// namedParams are Params without their methods.
type namedParams Params

// MarshalJSON writes the fields that are set under their wire names: those that
// Params names in its order, then those of Extra by name. It fails if a value
// of Extra is not JSON.
func (p Params) MarshalJSON() ([]byte, error) {
	raw, err := marshal(namedParams(p))
	if err != nil || len(p.Extra) == 0 {
		return raw, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	order := ParamNames()
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		if !json.Valid(p.Extra[name]) {
			return nil, fmt.Errorf("encode field %q: not valid JSON", name)
		}
		if fields[name] = p.Extra[name]; !slices.Contains(paramNames(), name) {
			order = append(order, name)
		}
	}
	var b bytes.Buffer
	for _, name := range order {
		if raw, ok := fields[name]; ok {
			appendField(&b, name, raw)
		}
	}
	object := b.Bytes()
	object[0] = '{'
	return append(object, '}'), nil
}

// UnmarshalJSON sets the fields that are given and leaves the others as they
// are; null takes a field away. What has no name here goes to Extra. So does a
// value that its field cannot hold: then all the rest is set too, and the error
// wraps a [json.UnmarshalTypeError].
func (p *Params) UnmarshalJSON(b []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	out := *p
	out.Extra = maps.Clone(p.Extra)
	var misfit error
	for i, name := range paramNames() {
		raw, ok := given[name]
		if !ok {
			continue
		}
		delete(out.Extra, name)
		if err := setField(reflect.ValueOf(&out).Elem().Field(i), raw); err == nil {
			delete(given, name)
		} else if misfit == nil {
			misfit = fmt.Errorf("decode field %q: %w", name, err)
		}
	}
	if len(given) > 0 && out.Extra == nil {
		out.Extra = map[string]json.RawMessage{}
	}
	maps.Copy(out.Extra, given)
	*p = out
	return misfit
}

// setField gives a field a value of its own: what is behind its pointer may
// belong to others. A text is a list of one text where a list belongs.
func setField(field reflect.Value, raw json.RawMessage) error {
	if string(raw) == "null" {
		field.SetZero()
		return nil
	}
	if field.Type() == reflect.TypeFor[[]string]() && raw[0] == '"' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	value := reflect.New(field.Type())
	if err := json.Unmarshal(raw, value.Interface()); err != nil {
		return err
	}
	field.Set(value.Elem())
	return nil
}

// ParamNames are the wire names of the fields that Params names, in its order.
// The slice is the caller's own.
func ParamNames() []string { return slices.Clone(paramNames()) }

// paramNames are the tags of Params, read once. Extra, which has no name of its
// own, is the last field.
var paramNames = sync.OnceValue(func() []string { return tags(reflect.TypeFor[Params]()) })

// tags are the JSON names of a struct's fields, in their order.
func tags(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// JSONMode is the response_format that asks for any JSON object.
func JSONMode() json.RawMessage { return json.RawMessage(`{"type":"json_object"}`) }

// JSONSchema is the response_format that constrains the answer to a JSON
// Schema. name is for the server; it may have letters, digits, _ and -.
func JSONSchema(name string, schema json.RawMessage, strict bool) (json.RawMessage, error) {
	type format struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	}
	return marshal(struct {
		Type   string `json:"type"`
		Schema format `json:"json_schema"`
	}{"json_schema", format{name, strict, schema}})
}

// NamedTool is the tool_choice that makes the model call this function.
func NamedTool(name string) json.RawMessage {
	return json.RawMessage(`{"type":"function","function":{"name":` + quote(name) + `}}`)
}

// EffortObject is the value of the reasoning field for an effort.
func EffortObject(effort string) json.RawMessage {
	return json.RawMessage(`{"effort":` + quote(effort) + `}`)
}

// ThinkingSwitch is the value of the thinking field: on or off.
func ThinkingSwitch(on bool) json.RawMessage {
	if on {
		return json.RawMessage(`{"type":"enabled"}`)
	}
	return json.RawMessage(`{"type":"disabled"}`)
}

// quote writes a text as JSON; a text has no way to fail.
func quote(s string) string {
	raw, _ := marshal(s)
	return string(raw)
}
