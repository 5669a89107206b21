package emulator

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// calls decides which of the offered tools to call: the forced one, or those
// that the text mentions.
func (k ask) calls() []fullCall {
	if k.q.noTools || len(k.q.Tools) == 0 {
		return nil
	}
	var out []fullCall
	for _, t := range k.q.Tools {
		if t.Function.Name == k.q.forced || k.q.forced == "" && k.mentions(t.Function.Name) {
			out = append(out, k.callsOf(t)...)
		}
	}
	if len(out) == 0 && k.q.forced == "*" {
		out = k.callsOf(k.q.Tools[0])
	}
	if k.q.ParallelToolCalls != nil && !*k.q.ParallelToolCalls {
		out = out[:min(1, len(out))]
	}
	return out
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

// callsOf makes the calls of one tool: one for each place when it wants a place.
func (k ask) callsOf(t tool) []fullCall {
	var schema any
	_ = json.Unmarshal(t.Function.Parameters, &schema)
	if inlined, f := inlineRefs(schema); f == nil {
		schema = inlined
	}
	m, _ := schema.(map[string]any)
	properties, _ := m["properties"].(map[string]any)
	places := []string{""}
	for name := range properties {
		if isPlace(name) {
			places = k.places()
		}
	}
	var out []fullCall
	for _, place := range places {
		word := func(name string) string { return k.argument(name, place) }
		arguments := any(map[string]any{})
		if properties != nil {
			arguments = newSampler(word, k.variant).value(requiredOnly(m), t.Function.Name, 0)
		}
		out = append(out, fullCall{Type: "function", Function: functionDelta{t.Function.Name, string(encode(arguments))}})
	}
	return out
}

// requiredOnly leaves the optional properties of the outermost object out,
// unless all are.
func requiredOnly(m map[string]any) map[string]any {
	required, _ := m["required"].([]any)
	if len(required) == 0 {
		return m
	}
	kept := map[string]any{}
	for name, schema := range m["properties"].(map[string]any) {
		if slices.Contains(required, any(name)) {
			kept[name] = schema
		}
	}
	return map[string]any{"type": "object", "properties": kept, "required": required}
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

// structured is JSON for response_format: what the schema wants, or an object
// about the question.
func (k ask) structured() string {
	if k.q.ResponseFormat.Type == "json_object" {
		return string(encode(map[string]any{"demo": true, "note": "Scripted demo, no model.", "question": excerpt(k.text, 200), "number": len(k.questions), "version": k.attempt + 1}))
	}
	word := func(name string) string { return k.argument(name, "Paris") }
	return string(encode(newSampler(word, k.variant).value(k.q.ResponseFormat.schema, "value", 0)))
}
