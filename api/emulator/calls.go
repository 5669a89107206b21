package emulator

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// calls decides which of the offered tools to call: the forced one, or those
// that the text mentions. A tool whose parameters nothing satisfies is not
// called, and refused when it must be.
func (k ask) calls() ([]fullCall, *fault) {
	if k.q.noTools || len(k.q.Tools) == 0 {
		return nil, nil
	}
	var out []fullCall
	for _, t := range k.q.Tools {
		if t.Function.Name == k.q.forced || (k.q.forced == "" || k.q.forced == "*") && k.mentions(t.Function.Name) {
			out = append(out, k.callsOf(t)...)
		}
	}
	if k.q.forced == "*" {
		for i := 0; len(out) == 0 && i < len(k.q.Tools); i++ {
			out = k.callsOf(k.q.Tools[i])
		}
	}
	if len(out) == 0 && k.q.forced != "" {
		return nil, unusable("tools", "The demo finds no arguments that satisfy the parameters of the tool that must be called.")
	}
	if k.q.ParallelToolCalls != nil && !*k.q.ParallelToolCalls {
		out = out[:min(1, len(out))]
	}
	return out, nil
}

// mentions tells whether the text has a tool's name, or all the words of it
// that matter: "weather" for get_weather. Arithmetic is for calculate.
func (k ask) mentions(name string) bool {
	lower := strings.ToLower(name)
	if strings.Contains(strings.ToLower(k.text), lower) {
		return true
	}
	if lower == "calculate" && arithmetic(k.text) != "" {
		return true
	}
	found := false
	for _, w := range strings.FieldsFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains([]string{"get", "set", "run", "current", "fetch", "make", "do"}, w) {
			continue
		}
		if found = slices.Contains(k.words, w); !found {
			return false
		}
	}
	return found
}

func arithmetic(text string) string {
	return strings.TrimSpace(regexp.MustCompile(`\(?\d[\d.]*(?:\s*[-+*/^%()]+\s*\(?[\d.]+\)?)+`).FindString(text))
}

// callsOf makes the calls of one tool: one for each place when it wants a
// place, none when there are no arguments for it.
func (k ask) callsOf(t tool) []fullCall {
	call := func(arguments any) fullCall {
		return fullCall{Type: "function", Function: functionDelta{t.Function.Name, string(encode(arguments))}}
	}
	if t.shape == nil {
		return []fullCall{call(map[string]any{})}
	}
	m, _ := t.shape.schema.(map[string]any)
	places := []string{""}
	for name := range object(m, "properties") {
		if isPlace(name) {
			places = k.places()
		}
	}
	var out []fullCall
	for _, place := range places {
		word := func(name string) string { return k.argument(name, place) }
		if arguments, ok := t.shape.sample(word, t.Function.Name, k.variant, true); ok {
			out = append(out, call(arguments))
		}
	}
	return out
}

func isPlace(name string) bool {
	return slices.Contains([]string{"city", "location", "place", "town"}, strings.ToLower(name))
}

// places are the names after "in" or "for", Paris when there are none.
func (k ask) places() []string {
	re := regexp.MustCompile(`\b(?:in|for) ((?:\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*(?:, and |, | and )?)+)`)
	m := re.FindStringSubmatch(k.text)
	if m == nil {
		return []string{"Paris"}
	}
	list := strings.ReplaceAll(m[1], ", and ", ", ")
	list = strings.ReplaceAll(list, " and ", ", ")
	var out []string
	for place := range strings.SplitSeq(list, ", ") {
		if place != "" && len(out) < 6 {
			out = append(out, place)
		}
	}
	return out
}

// argument is the text for a parameter of this name, taken from the question
// where it has something of the kind.
func (k ask) argument(name, place string) string {
	find := func(pattern, otherwise string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(k.text)
		if m == nil {
			return otherwise
		}
		return strings.Join(m[1:], "") // one of the groups has matched
	}
	switch lower := strings.ToLower(name); {
	case isPlace(lower):
		return place
	case lower == "expression":
		if sum := arithmetic(k.text); sum != "" {
			return sum
		}
		return "6 * 7"
	case lower == "url":
		return find(`(https?://[^\s"<>)]+)`, "https://example.com/")
	case strings.Contains(lower, "path") || strings.Contains(lower, "file"):
		return find("`([^`]+)`|(?:^|\\s)([./~]?[\\w-]*[/.][\\w./-]*\\w)", ".")
	case lower == "command":
		return find("`([^`]+)`", "echo hello from the demo")
	case strings.Contains(lower, "zone"):
		return "UTC"
	case strings.Contains(lower, "name"):
		return k.pick("Ada Demo", "Linus Sample", "Grace Script")
	}
	return find("[“\"`]([^”\"`]+)[”\"`]", k.pick("demo "+name, "sample "+name, "scripted "+name))
}

// toolResults answers with what the tools have returned.
func (k ask) toolResults(messages []message) string {
	names := map[string]string{}
	first := len(messages)
	for first > 0 && messages[first-1].Role == "tool" {
		first--
	}
	for _, m := range messages[:first] {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Function.Name
		}
	}
	var b strings.Builder
	b.WriteString(k.pick("Here is what came back:", "The tools have answered:", "This was returned:") + "\n")
	for _, m := range messages[first:] {
		name := names[m.ToolCallID]
		if name == "" {
			name = "a call that was never made (" + excerpt(m.ToolCallID, 40) + ")"
		}
		text := m.text
		if r := []rune(text); len(r) > 600 {
			text = string(r[:600]) + "…"
		}
		if strings.Contains(text, "\n") || len(text) > 80 {
			text = "\n\n  ```text\n  " + strings.ReplaceAll(strings.ReplaceAll(text, "```", "'''"), "\n", "\n  ") + "\n  ```"
		}
		b.WriteString("\n- **" + name + "**: " + strings.TrimRight(text, " \n"))
	}
	return b.String()
}

// constrained is the answer to a request that constrains it with regex or
// response_format.
func (k ask) constrained() (string, *fault) {
	if k.q.Regex != nil {
		text, err := sampleRegex(*k.q.Regex, k.variant)
		if err != nil {
			return "", unusable("regex", "The demo finds no answer: "+err.Error())
		}
		return text, nil
	}
	switch r := k.q.ResponseFormat; {
	case r.shape != nil:
		word := func(name string) string { return k.argument(name, "Paris") }
		v, ok := r.shape.sample(word, "value", k.variant, false)
		if !ok {
			return "", unusable("response_format.json_schema.schema", "The demo finds no value that satisfies this schema.")
		}
		return string(encode(v)), nil
	case r.grammar != nil:
		text, ok := r.grammar.sample(k.variant)
		if !ok {
			return "", unusable("response_format.grammar", "The demo finds no text of this grammar that is short enough.")
		}
		return text, nil
	}
	return string(encode(map[string]any{"demo": true, "note": "Scripted demo, no model.", "question": excerpt(k.text, 200), "number": len(k.questions), "version": k.attempt + 1})), nil
}
