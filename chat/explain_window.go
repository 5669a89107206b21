package chat

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"waferchat/api"
)

// tooLong recognises a prompt that does not fit the context window. Servers
// other than Wafer often say so in the message only.
func tooLong(e *api.Error, code string) bool {
	if code == "context_length_exceeded" {
		return true
	}
	if s := status(e); s != http.StatusBadRequest && s != http.StatusOK {
		return false
	}
	text := strings.ToLower(e.Message)
	for _, sign := range []string{"context length", "maximum context", "context window", "prompt is too long", "input length exceeds", "exceeds the available context"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// nearlyAll is the share of a context window, in percent, from which on a smaller
// answer does not help a prompt.
const nearlyAll = 90

// limitTooLarge tells whether a request does not fit the context window because
// of its max_tokens, and not because of its prompt.
func limitTooLarge(e *api.Error) bool {
	text := strings.ReplaceAll(strings.ToLower(e.Message), ",", "") // 4,096 is 4096
	names := []string{"max_tokens", "max_completion_tokens"}
	blamed := slices.Contains(names, e.Param) || slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(text, name) && strings.Contains(text, "too large")
	})
	// As vLLM and OpenAI word it: "… and your request has 20 input tokens", "(20
	// in the messages, 8192 in the completion)".
	window := numberBehind(text, "context length is ")
	prompt := max(numberBefore(text, " input tokens"), numberBefore(text, " in the messages"))
	if window > 0 && prompt > 0 && prompt*100 >= window*nearlyAll {
		return false
	}
	return blamed || window > 0 && prompt > 0 && numberBefore(text, " in the completion") > 0
}

// numberBefore is the number that stands before words, 0 for none.
func numberBefore(text, words string) int64 {
	text, _, found := strings.Cut(text, words)
	if !found {
		return 0
	}
	rest := strings.TrimRightFunc(text, unicode.IsDigit)
	n, _ := strconv.ParseInt(text[len(rest):], 10, 64) // 0 for none
	return n
}

// numberBehind is the number that stands behind words, 0 for none.
func numberBehind(text, words string) int64 {
	_, text, found := strings.Cut(text, words)
	if !found {
		return 0
	}
	n, _ := strconv.ParseInt(text[:len(text)-len(strings.TrimLeftFunc(text, unicode.IsDigit))], 10, 64)
	return n
}
