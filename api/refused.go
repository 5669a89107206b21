package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// droppable are the parameters that a request may do without, in the order
// they are looked for. What the user relies on is not here: data retention,
// tools, the shape of the answer, stop sequences. Neither is what the user put
// into Extra, by name.
func droppable() []string {
	return []string{
		"stream_options", "parallel_tool_calls", inMessages + "reasoning_content", inMessages + "reasoning_details",
		inMessages + "reasoning_text", "reasoning_effort", "temperature", "top_p", "top_k", "min_p", "frequency_penalty",
		"presence_penalty", "repetition_penalty", "seed", "top_logprobs", "logprobs", "max_tokens", "max_completion_tokens",
		"n", "reasoning", "thinking", inMessages + "reasoning", inMessages + "thinking",
	}
}

// refusedParameter finds the optional parameter that a 400 or 422 names, if
// the request had it and can do without it. extra tells what the user sent by
// name.
func refusedParameter(err error, has map[string]bool, extra func(string) bool) (string, bool) {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return "", false
	}
	if has[emptyContent] && e.refusesEmptyContent() {
		return emptyContent, true
	}
	if has[emptyReasoning] && e.wantsReasoning() {
		return emptyReasoning, true
	}
	names := slices.DeleteFunc(append(callFields(has), droppable()...), func(name string) bool {
		return !has[name] || e.means(name, has, extra)
	})
	for _, name := range names {
		if slices.Contains(e.path(), fieldName(name)) {
			return name, e.refuses(fieldName(name))
		}
	}
	for _, name := range names {
		if e.mentions(fieldName(name)) && e.refuses(fieldName(name)) {
			return name, true
		}
	}
	return "", false
}

// path is Param in pieces: messages[1].content has three.
func (e *Error) path() []string {
	return strings.FieldsFunc(e.Param, func(r rune) bool { return strings.ContainsRune(".[]/ ", r) })
}

// means tells whether e, should it name this, is about the other thing of the
// same name: a parameter and a field of messages.
func (e *Error) means(name string, has map[string]bool, extra func(string) bool) (other bool) {
	message := strings.ToLower(e.Message)
	inside := slices.Contains(e.path(), "messages") || strings.Contains(message, "messages[") || strings.Contains(message, inMessages)
	if field := fieldName(name); field != name {
		return !inside && (has[field] || extra(field))
	}
	return inside && has[inMessages+name]
}

// refusesEmptyContent tells whether e is about content that is empty.
func (e *Error) refusesEmptyContent() bool {
	message := strings.ToLower(e.Message)
	return (hasWord(message, "content") || slices.Contains(e.path(), "content")) && says(message,
		"non-empty", "nonempty", "be empty", "is empty", "empty content", "empty string", "too short", "at least 1", "blank", "non-whitespace")
}

// wantsReasoning tells whether e is about reasoning that was not sent back.
func (e *Error) wantsReasoning() bool {
	message := strings.ToLower(e.Message)
	return (hasWord(message, "reasoning_content") || slices.Contains(e.path(), "reasoning_content")) &&
		says(message, "must be", "must have", "missing", "required", "passed back", "needs")
}

func says(message string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(message, part) })
}

// hasWord finds word where it is not part of a longer name.
func hasWord(message, word string) bool {
	return slices.Contains(strings.FieldsFunc(message, func(r rune) bool { return !isTokenRune(r) }), word)
}
