package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// validate applies the rules of the document that need the model's card, and
// fills in what the answer wants to know.
func (s *Server) validate(q *request, h http.Header) *fault {
	c, ok := s.find(q.Model)
	if !ok {
		return &fault{Status: http.StatusNotFound, Code: "model_not_found", Param: "model", Message: "The model " + q.Model + " does not exist. GET /v1/models lists those that do."}
	}
	q.card = c
	for _, check := range []func(*request) *fault{checkEffort, checkNumbers, checkTools, checkToolChoice, checkFormat, checkImages} {
		if f := check(q); f != nil {
			return f
		}
	}
	switch zdr := h.Get("Wafer-ZDR"); {
	case zdr == "required" && !c.ZDR:
		return &fault{Status: http.StatusUnprocessableEntity, Code: "model_zdr_not_supported", Param: "model", Message: c.ID + " does not support Zero Data Retention; the request was not run."}
	case zdr != "" && zdr != "required":
		return unsupported("Wafer-ZDR", "The only value of Wafer-ZDR is required.")
	}
	if n := q.promptTokens(); c.Wafer.Context > 0 && n > c.Wafer.Context {
		return &fault{Status: http.StatusBadRequest, Code: "context_length_exceeded", Param: "messages", Message: fmt.Sprintf("The prompt has about %d tokens, the context window of %s holds %d.", n, c.ID, c.Wafer.Context)}
	}
	return nil
}

func checkEffort(q *request) *fault {
	wanted, param := q.ReasoningEffort, "reasoning_effort"
	if wanted == "" {
		wanted, param = q.Reasoning.Effort, "reasoning.effort"
	}
	if wanted == "" && q.Thinking.Type != "" {
		switch q.Thinking.Type {
		case "enabled":
			q.effort = q.card.runs("enabled")
			return nil
		case "disabled":
			wanted = "none"
		default:
			return unsupported("thinking.type", "thinking.type must be enabled or disabled.")
		}
	}
	if wanted != "" && !slices.Contains(effortOrder(), wanted) {
		return unsupported(param, "The reasoning effort must be one of "+strings.Join(effortOrder(), ", ")+".")
	}
	q.effort = q.card.runs(wanted)
	return nil
}

func checkNumbers(q *request) *fault {
	values := []*int{q.MaxTokens, q.MaxCompletionTokens, q.N}
	for i, param := range []string{"max_tokens", "max_completion_tokens", "n"} {
		if v := values[i]; v != nil && *v < 1 {
			return schemaFault(param, param+" must be at least 1.")
		}
	}
	if q.N != nil && *q.N > 1 && !q.card.Wafer.Capabilities.Chat.N {
		return unsupported("n", q.card.ID+" gives one choice only.")
	}
	if q.N != nil && *q.N > 8 {
		return unsupported("n", "At most 8 choices can be asked for.")
	}
	if q.TopLogprobs < 0 || q.TopLogprobs > 20 {
		return schemaFault("top_logprobs", "top_logprobs must be between 0 and 20.")
	}
	if q.Regex != "" && !q.card.Wafer.Capabilities.Chat.Regex {
		return unsupported("regex", q.card.ID+" cannot be constrained by a regular expression.")
	}
	if q.Regex != "" {
		if _, err := sampleRegex(q.Regex, 0); err != nil {
			return unsupported("regex", "This regular expression cannot be used: "+err.Error())
		}
	}
	return nil
}

func checkTools(q *request) *fault {
	for i, t := range q.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" || t.Function.Name == "" {
			return schemaFault(at, "A tool must have the type function and a function with a name.")
		}
		if len(t.Function.Parameters) == 0 {
			continue
		}
		var schema struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(t.Function.Parameters, &schema) != nil || schema.Type != "object" {
			return &fault{Status: http.StatusBadRequest, Code: "tool_schema_invalid", Param: at + ".function.parameters", Message: `parameters must be an object schema ("type": "object").`}
		}
	}
	return nil
}

func checkToolChoice(q *request) *fault {
	choice := bytes.TrimSpace(q.ToolChoice)
	switch string(choice) {
	case "", "null", `"auto"`:
		return nil
	case `"none"`:
		q.noTools = true
		return nil
	case `"required"`:
		q.forced = "*"
		if len(q.Tools) == 0 {
			return unsupported("tool_choice", "tool_choice is required, but there are no tools.")
		}
		return nil
	}
	var named struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(choice, &named) != nil || named.Type != "function" {
		return unsupported("tool_choice", "tool_choice must be auto, none, required or a named function.")
	}
	q.forced = named.Function.Name
	if !slices.ContainsFunc(q.Tools, func(t tool) bool { return t.Function.Name == q.forced }) {
		return &fault{Status: http.StatusBadRequest, Code: "tool_choice_unknown_tool", Param: "tool_choice", Message: "tool_choice names " + q.forced + ", which is not among the tools."}
	}
	return nil
}

func checkFormat(q *request) *fault {
	r := q.ResponseFormat
	if r == nil {
		return nil
	}
	switch r.Type {
	case "text", "json_object":
		return nil
	case "json_schema":
		var schema any
		if json.Unmarshal(r.JSONSchema.Schema, &schema) != nil {
			return schemaFault("response_format.json_schema.schema", "A JSON Schema is required.")
		}
		if _, ok := schema.(map[string]any); !ok {
			return schemaFault("response_format.json_schema.schema", "A JSON Schema must be an object.")
		}
		var f *fault
		r.schema, f = inlineRefs(schema)
		return f
	case "grammar":
		return unsupported("response_format.type", q.card.ID+" cannot be constrained by a grammar.")
	}
	return unsupported("response_format.type", "response_format.type must be text, json_object or json_schema.")
}

// checkImages removes the images sent to a model without vision, without a
// word, and looks at the others.
func checkImages(q *request) *fault {
	for i := range q.messages {
		m := &q.messages[i]
		if !q.card.Wafer.Capabilities.Vision {
			m.images = nil
		}
		for j := range m.images {
			if f := m.images[j].inspect(); f != nil {
				return f
			}
		}
	}
	return nil
}
