package api

import (
	"slices"
	"strings"
)

// A server that refuses a parameter says either that it does not take it, and
// then the request is sent again without, or that its value is wrong, which only
// the user can correct. What is neither is left to the user too.

// refuses tells whether e, which names a parameter, is about its being there.
func (e *Error) refuses(name string) bool {
	code, kind, said := strings.ToLower(e.Code), strings.ToLower(e.Type), phrase(e.Message)
	switch {
	case moderates(code+" "+kind, said), slices.Contains(valueCodes(), code):
		return false
	case slices.Contains(presenceCodes(), code), slices.Contains(presenceCodes(), kind):
		return true
	case speaks(said, "unsupported value", "unknown value", "unexpected value", "unrecognized value", "invalid value", "parameter value", "unknown variant"):
		return false
	case namesStranger(said):
		return true
	case speaks(said, valueSigns()...), e.isDeeper(name), hasValue(e.Message, name):
		return false
	case speaks(said, presenceSigns()...):
		return true
	}
	// The limit of an answer has another name, which some only point to.
	return name == "max_tokens" && speaks(said, "max_completion_tokens") && speaks(said, "use", "instead")
}

func valueCodes() []string {
	return []string{"invalid_value", "unsupported_value", "schema_validation_failed", "invalid_type", "out_of_range"}
}

// presenceCodes are codes of servers and, the last two, types of the validation
// that many of them are built on.
func presenceCodes() []string {
	return []string{
		"unsupported_parameter", "unknown_parameter", "unrecognized_parameter", "unsupported_field", "unknown_field",
		"extra_forbidden", "value_error.extra",
	}
}

func valueSigns() []string {
	return []string{
		"must", "should be", "at most", "at least", "between", "range", "less than", "greater than", "more than", "larger than", "smaller than",
		"above", "below", "exceed", "exceeds", "too large", "too small", "too high", "too low", "too long", "too many", "maximum", "minimum",
		"invalid", "expected", "value", "values", "one of", "only the default", "only allowed", "only be", "together", "both",
		"missing", "required", "passed back",
	}
}

func presenceSigns() []string {
	return []string{
		"unsupported", "not supported", "no longer supported", "does not support", "do not support", "doesn t support", "isn t supported", "aren t supported",
		"unrecognized", "unrecognised", "not recognized", "not recognised", "unknown", "not known", "unexpected",
		"not permitted", "not allowed", "isn t allowed", "forbidden", "not accepted", "does not accept", "doesn t accept", "not implemented",
		"cannot be used", "can t be used", "cannot be set", "cannot be specified", "no such parameter", "deprecated",
	}
}

// moderates tells whether it is the conversation that a server does not want.
func moderates(codes, said string) bool {
	return says(codes, "policy", "filter", "moderation", "safety") ||
		speaks(said, "policy", "policies", "moderation", "safety", "flagged", "content filter", "content management")
}

// namesStranger finds "unknown field", "extra inputs" and the like.
func namesStranger(said string) bool {
	words := strings.Fields(said)
	for i, word := range words {
		if !slices.Contains([]string{"unknown", "unsupported", "unrecognized", "unrecognised", "unexpected", "extra", "additional"}, word) {
			continue
		}
		for _, next := range words[i+1 : min(i+3, len(words))] { // "unrecognized request argument"
			if slices.Contains(parameterNouns(), next) {
				return true
			}
		}
	}
	return false
}

// parameterNouns are what servers call a parameter.
func parameterNouns() []string {
	return []string{
		"parameter", "parameters", "argument", "arguments", "field", "fields", "property", "properties", "input", "inputs",
		"option", "options", "key", "keys", "attribute", "attributes", "setting", "settings",
	}
}

// isDeeper tells whether e is about something inside of a parameter.
func (e *Error) isDeeper(name string) bool {
	path := e.path()
	return slices.Contains(path, name) && path[len(path)-1] != name
}

// phrase is a text in lower case, as words with one blank around each.
func phrase(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isTokenRune(r) })
	return " " + strings.Join(words, " ") + " "
}

// speaks finds whole words in what phrase has made.
func speaks(said string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, " "+w+" ") })
}

// hasValue tells whether a message says the value of a parameter behind its name,
// or a value that is not supported.
func hasValue(message, name string) bool {
	for _, before := range []string{name, "support", "supports", "accept"} {
		for rest := message; ; {
			i := strings.Index(rest, before)
			if i < 0 {
				break
			}
			inWord := i > 0 && isTokenRune(rune(rest[i-1]))
			rest = rest[i+len(before):]
			behind := strings.TrimLeft(strings.TrimLeft(rest, "'\"`"), " =<>≤≥:")
			if !inWord && behind != rest && isValue(behind, name) {
				return true
			}
		}
	}
	return false
}

// isValue tells whether a text begins with a number, or with something in quotes
// that is no parameter.
func isValue(s, name string) bool {
	if s == "" || strings.IndexByte("'\"`", s[0]) < 0 {
		return s != "" && strings.IndexByte("0123456789-+", s[0]) >= 0
	}
	inner, _, closed := strings.Cut(s[1:], s[:1])
	return closed && inner != "" && inner != name && !slices.Contains(paramNames(), inner)
}

// mentions finds a parameter in a message: in quotes, as a name that is no plain
// word, or where only a parameter can stand.
func (e *Error) mentions(name string) bool {
	message := beforeAdvice(e.Message)
	return strings.Contains(name, "_") && hasWord(message, name) || isQuoted(message, name) || isSubject(message, name)
}

// beforeAdvice leaves out what a server recommends instead.
func beforeAdvice(message string) string {
	lower := strings.ToLower(message)
	end := len(message)
	for _, advice := range []string{" expected", "did you mean", "supported parameters", "allowed parameters", "valid parameters", "supported fields", ". use ", ", use ", "; use "} {
		if i := strings.Index(lower, advice); i > 0 && len(lower) == len(message) {
			end = min(end, i)
		}
	}
	return message[:end]
}

func isQuoted(message, name string) bool {
	quote := func(c byte) bool { return strings.IndexByte("'\"`", c) >= 0 }
	pieces := strings.Split(message, name)
	for i, after := range pieces[1:] {
		before := pieces[i]
		if before != "" && after != "" && quote(before[len(before)-1]) && quote(after[0]) {
			return true
		}
	}
	return false
}

// isSubject finds a name that may be a plain word behind or before "parameter"
// and the like, and at the beginning of a statement about it.
func isSubject(message, name string) bool {
	words := strings.Fields(message)
	plain := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return strings.ToLower(strings.Trim(words[i], ".,:;!?()[]'\"`"))
	}
	for i := range words {
		if strings.Trim(words[i], ".,:;!?()[]") != name {
			continue
		}
		before, after := plain(i-1), plain(i+1)
		if after == "is" || after == "are" {
			after = plain(i + 2)
		}
		begins := i == 0 || strings.ContainsAny(words[i-1][len(words[i-1])-1:], ".,:;!")
		switch {
		case slices.Contains(parameterNouns(), before), slices.Contains(parameterNouns(), plain(i+1)),
			slices.Contains([]string{"supplied", "support", "unsupported", "unknown", "unrecognized", "unexpected"}, before),
			begins && slices.Contains([]string{"not", "isn't", "unsupported", "unknown", "unrecognized", "unexpected", "cannot"}, after):
			return true
		}
	}
	return false
}
