package chat

import (
	"encoding/json"
	"slices"
	"strings"

	"waferchat/api"
)

// aboutFormat tells of a response_format or regex that cannot work: one that the
// model does not have, or a schema with a fault of its own.
func (o *outlook) aboutFormat() []Notice {
	var out []Notice
	f, ok := formatOf(o.params.ResponseFormat)
	switch {
	case len(o.params.ResponseFormat) > 0 && !ok:
		out = warn(NoticeRefused, "response_format is no object with a type.")
	case f.Type == formatJSON && o.card.JSONObject == api.No:
		out = warn(NoticeRefused, "%s has no JSON mode (json_object).", o.model())
	case f.Type == formatSchema && o.card.JSONSchema == api.No:
		out = warn(NoticeRefused, "%s does not take a JSON Schema (json_schema).", o.model())
	case f.Type == formatGrammar:
		out = o.flagged(o.card.Grammar, "grammars")
	}
	if f.Type == formatSchema {
		out = append(out, o.aboutSchema(f.Schema.Schema)...)
	}
	if o.params.Regex != "" {
		out = append(out, o.flagged(o.card.Regex, "regular expressions")...)
	}
	return out
}

// flagged tells of what Wafer's document ties to a flag of the card that is
// true: without it the model refuses the field.
func (o *outlook) flagged(flag api.Support, what string) []Notice {
	switch {
	case flag == api.No:
		return warn(NoticeRefused, "%s does not take %s: the server will refuse the request.", o.model(), what)
	case flag == api.Unknown && o.known && o.wafer:
		return note(NoticeRefused, "The catalogue does not say that %s takes %s; without that the server refuses the request.", o.model(), what)
	}
	return nil
}

// aboutSchema tells of faults of a schema. Recursion is one for Wafer, which
// inlines references, and none for others.
func (o *outlook) aboutSchema(raw json.RawMessage) []Notice {
	if _, fault := compileSchema(raw); fault != nil {
		return warn(NoticeRefused, "%s %s", fault.Title, sentence(strings.Join(fault.Lines, "; ")))
	}
	var doc any
	if !o.wafer || json.Unmarshal(raw, &doc) != nil {
		return nil
	}
	var out []Notice
	for _, f := range faultyRefs(doc) {
		out = append(out, warn(NoticeRefused, "The server cannot inline the JSON Schema: %s.", f)...)
	}
	return out[:min(len(out), maxAnswerLines)]
}

// aboutFlags tells of other fields that the model does not have.
func (o *outlook) aboutFlags() []Notice {
	var out []Notice
	p := &o.params
	if p.N != nil && *p.N > 1 {
		out = append(out, o.aboutChoices()...)
	}
	logprobs := p.Logprobs != nil && *p.Logprobs
	if logprobs && o.card.Logprobs == api.No {
		out = append(out, warn(NoticeRefused, "%s gives no logprobs.", o.model())...)
	}
	if p.TopLogprobs != nil && !logprobs {
		out = append(out, warn(NoticeRefused, "top_logprobs counts only beside logprobs true; servers refuse it alone.")...)
	}
	if o.tools && o.card.Tools == api.No {
		out = append(out, warn(NoticeRefused, "%s cannot call tools.", o.model())...)
	}
	return out
}

// aboutChoices tells of several answers that the model does not give. A server
// that does not know the field is asked without it.
func (o *outlook) aboutChoices() []Notice {
	const then = "expect a refusal, or one answer without n."
	switch {
	case o.card.N == api.No:
		return warn(NoticeRefused, "%s does not take n above 1: %s", o.model(), then)
	case o.card.N == api.Unknown && o.known && o.wafer:
		return note(NoticeRefused, "The catalogue does not say that %s takes n above 1: without that %s", o.model(), then)
	}
	return nil
}

// aboutTools tells of a tool_choice without tools, and which of the two wins when
// a format and tools are both on. The API's document says that for Wafer.
func (o *outlook) aboutTools() []Notice {
	if choice := toolChoice(o.params.ToolChoice); !o.tools && !slices.Contains([]string{"", "auto", "none"}, choice) {
		return warn(NoticeRefused, "tool_choice %s has the model call a tool, but no tools are offered: servers refuse that.", choice)
	}
	f, ok := formatOf(o.params.ResponseFormat)
	if !ok || !o.tools || f.Type == "text" {
		return nil
	}
	if o.card.ToolsWithFormat == api.No {
		return warn(NoticeSchemaTools, "%s does not take tools and a response format in one request.", o.model())
	}
	if !o.wafer {
		return nil
	}
	switch choice := toolChoice(o.params.ToolChoice); choice {
	case "none":
		return nil
	case "", "auto":
		return note(NoticeSchemaTools, "With a response format the model answers in JSON instead of calling tools; tool_choice required or a named tool would have it call.")
	default:
		return note(NoticeSchemaTools, "tool_choice %s has the model call a tool: the response format is ignored.", choice)
	}
}

// toolChoice names a tool_choice: its word, or the function that it names.
func toolChoice(raw json.RawMessage) string {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		return clean(word)
	}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if len(raw) > 0 && json.Unmarshal(raw, &named) == nil {
		return cleanOr(named.Function.Name, "named")
	}
	return ""
}
