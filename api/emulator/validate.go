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
	for _, check := range []func(*request) *fault{checkEffort, checkNumbers, checkLogprobs, s.checkTools, checkToolChoice, s.checkFormat, checkImages} {
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
	if n := q.promptTokens(); c.Wafer.Context > 0 && n >= c.Wafer.Context {
		return &fault{Status: http.StatusBadRequest, Code: "context_length_exceeded", Param: "messages", Message: fmt.Sprintf("The prompt has about %d tokens, the context window of %s holds %d.", n, c.ID, c.Wafer.Context)}
	}
	return nil
}

// checkEffort takes the first of the three equivalent fields that is set.
func checkEffort(q *request) *fault {
	wanted, param := q.ReasoningEffort, "reasoning_effort"
	if wanted == nil {
		wanted, param = q.Reasoning.Effort, "reasoning.effort"
	}
	switch {
	case wanted != nil && !slices.Contains(effortOrder(), *wanted):
		return unsupported(param, "The reasoning effort must be one of "+strings.Join(effortOrder(), ", ")+".")
	case wanted != nil:
		q.effort = q.card.runs(*wanted)
	case q.Thinking == nil:
		q.effort = q.card.runs("")
	case q.Thinking.Type == "enabled":
		q.effort = q.card.runs("enabled")
	case q.Thinking.Type == "disabled":
		q.effort = q.card.runs("none")
	default:
		return unsupported("thinking.type", "thinking.type must be enabled or disabled.")
	}
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
	return nil
}

func checkLogprobs(q *request) *fault {
	has := q.card.Wafer.Capabilities.Chat.Logprobs
	switch {
	case q.Logprobs && has != nil && !*has:
		return unsupported("logprobs", q.card.ID+" gives no log probabilities.")
	case q.TopLogprobs == nil:
		return nil
	case *q.TopLogprobs < 0 || *q.TopLogprobs > 20:
		return schemaFault("top_logprobs", "top_logprobs must be between 0 and 20.")
	case !q.Logprobs:
		return schemaFault("top_logprobs", "top_logprobs needs logprobs to be true.")
	}
	return nil
}

func (s *Server) checkTools(q *request) *fault {
	for i := range q.Tools {
		t := &q.Tools[i]
		at := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" || t.Function.Name == "" {
			return schemaFault(at, "A tool must have the type function and a function with a name.")
		}
		if len(t.Function.Parameters) == 0 {
			continue
		}
		at += ".function.parameters"
		refuse := func(message string) *fault {
			return &fault{Status: http.StatusBadRequest, Code: "tool_schema_invalid", Param: at, Message: message}
		}
		var schema struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(t.Function.Parameters, &schema) != nil || schema.Type != "object" {
			return refuse(`parameters must be an object schema ("type": "object").`)
		}
		sh, f, err := s.shape(t.Function.Parameters, at)
		if err != nil {
			return refuse("parameters is not a valid JSON Schema: " + err.Error())
		}
		if f != nil {
			return f
		}
		t.shape = sh
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

// checkFormat looks at what constrains the answer. A call that must be made
// makes response_format ignored, as the document says.
func (s *Server) checkFormat(q *request) *fault {
	if f := checkRegex(q); f != nil {
		return f
	}
	r := q.ResponseFormat
	if r == nil || q.forced != "" {
		q.ResponseFormat = nil
		return nil
	}
	switch r.Type {
	case "text":
		q.ResponseFormat = nil
		return nil
	case "json_object":
		return nil
	case "json_schema":
		return s.checkSchema(r)
	case "grammar":
		return r.checkGrammar(q.card)
	}
	return unsupported("response_format.type", "response_format.type must be text, json_object, json_schema or grammar.")
}

func checkRegex(q *request) *fault {
	if q.Regex == nil {
		return nil
	}
	if !q.card.Wafer.Capabilities.Chat.Regex {
		return unsupported("regex", q.card.ID+" cannot be constrained by a regular expression.")
	}
	if *q.Regex == "" {
		return unsupported("regex", "regex must not be empty.")
	}
	if _, err := sampleRegex(*q.Regex, 0); err != nil {
		return unsupported("regex", "This regular expression cannot be used: "+err.Error())
	}
	return nil
}

func (s *Server) checkSchema(r *responseFormat) *fault {
	const at = "response_format.json_schema.schema"
	raw := bytes.TrimSpace(r.JSONSchema.Schema)
	if len(raw) == 0 || !bytes.ContainsRune([]byte("{tf"), rune(raw[0])) {
		return schemaFault(at, "A JSON Schema is required: an object, true or false.")
	}
	var f *fault
	var err error
	if r.shape, f, err = s.shape(raw, at); err != nil {
		return unusable(at, "This is not a valid JSON Schema: "+err.Error())
	}
	if f == nil && r.shape.opaque != "" {
		return unusable(at, "This pattern cannot be enforced: "+excerpt(r.shape.opaque, 100))
	}
	return f
}

func (r *responseFormat) checkGrammar(c card) *fault {
	if !c.Wafer.Capabilities.Chat.Grammar {
		return unsupported("response_format.type", c.ID+" cannot be constrained by a grammar.")
	}
	text := r.Grammar
	if text == nil {
		text = r.Definition
	}
	if text == nil || strings.TrimSpace(*text) == "" {
		return unsupported("response_format.grammar", "A response_format of the type grammar needs the text of a grammar.")
	}
	var err error
	if r.grammar, err = readGrammar(*text); err != nil {
		return unsupported("response_format.grammar", "This grammar cannot be used: "+err.Error())
	}
	return nil
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
