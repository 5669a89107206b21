package emulator

import (
	"slices"
	"strconv"
	"strings"
)

// topic is something the demo can talk about.
type topic struct {
	name     string   // also names the texts in answers/
	triggers []string // words that ask for it
	write    func(k ask) string
	bare     bool // the text is the whole answer, placeholders and footer are not for it
	slowness float64
	finish   string
}

func topics() []topic {
	return []topic{
		{name: "help", triggers: []string{"help", "hilfe", "commands", "demo"}},
		{name: "code", triggers: []string{"code", "program", "function", "golang", "python", "snippet", "script", "bug", "diff"}},
		{name: "table", triggers: []string{"table", "tables", "tabelle", "columns", "compare"}},
		{name: "list", triggers: []string{"list", "lists", "liste", "steps", "todo", "checklist", "plan"}},
		{name: "long", triggers: []string{"long", "lang", "essay", "story", "chapter", "chapters", "novel"}, write: ask.long},
		{name: "slow", triggers: []string{"slow", "slowly", "langsam"}, slowness: 12},
		{name: "math", triggers: []string{"math", "maths", "mathe", "formula", "equation", "integral", "latex", "proof"}},
		{name: "unicode", triggers: []string{"unicode", "emoji", "emojis", "cjk", "chinese", "japanese", "korean", "arabic", "hebrew", "thai", "漢字", "日本語", "中文", "한국어"}},
		{name: "quote", triggers: []string{"quote", "quotes", "quotation", "blockquote", "zitat"}},
		{name: "links", triggers: []string{"link", "links", "url", "urls", "website"}},
		{name: "think", triggers: []string{"think", "reason", "reasoning", "thinking", "prime"}},
		{name: "count", triggers: []string{"count", "zähle"}, write: ask.count},
		{name: "json", triggers: []string{"json", "schema", "structured"}},
		{name: "tools", triggers: []string{"tool", "tools", "weather", "mcp"}},
		{name: "image", triggers: []string{"image", "images", "picture", "photo", "bild"}, write: ask.image},
		{name: "markdown", triggers: []string{"markdown", "everything", "showcase", "style", "styles"}},
		{name: "repeat", triggers: []string{"repeat", "loop"}, finish: "length", write: ask.repeat},
		{name: "summary", triggers: []string{"summary", "summarise", "summarize", "recap", "compact"}, write: ask.summary},
		{name: "error", triggers: []string{"error", "errors", "fail", "failure"}},
		{name: "hello", triggers: []string{"hi", "hello", "hey", "hallo", "moin", "servus", "bonjour", "hola", "ciao", "morning", "test", "ping"}},
		{name: "title", write: ask.title, bare: true},
		{name: "anything"},
	}
}

// topic finds what the text asks for: the first word of it that triggers
// anything, else the topic for anything.
func (k ask) topic() topic {
	all := topics()
	named := func(name string) topic {
		return all[slices.IndexFunc(all, func(t topic) bool { return t.name == name })]
	}
	has := func(w string) bool { return slices.Contains(k.words, w) }
	switch {
	case has("title") && (has("conversation") || has("chat") || strings.Contains(strings.ToLower(k.system), "title")):
		return named("title")
	case k.failure() != "":
		return named("list") // something to break
	case len(k.images) > 0:
		return named("image")
	}
	for _, w := range k.words {
		for _, t := range all {
			if slices.Contains(t.triggers, w) {
				return t
			}
		}
	}
	return named("anything")
}

// numbers are the whole numbers in the text.
func (k ask) numbers() []int {
	var out []int
	for _, w := range k.words {
		if n, err := strconv.Atoi(w); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// count counts to the last number of the text, from the one before it.
func (k ask) count() string {
	from, to := 1, 10
	switch n := k.numbers(); {
	case len(n) == 1:
		to = n[0]
	case len(n) > 1:
		from, to = n[len(n)-2], n[len(n)-1]
	}
	step := 1
	if to < from {
		step = -1
	}
	const most = 100_000
	var b strings.Builder
	for i := range min(most, (to-from)*step+1) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(from + i*step))
	}
	return b.String()
}

// image says what was decoded, so that a client's own work on a picture can be
// checked.
func (k ask) image() string {
	if len(k.images) == 0 {
		return "No image arrived with this message. Attach one and ask a model with vision; a model without it is not shown images, and does not say so.\n\nModel of this request: **{model}**."
	}
	var b strings.Builder
	b.WriteString(plural(len(k.images), "image") + " arrived with this message:\n\n")
	for i, p := range k.images {
		b.WriteString(strconv.Itoa(i+1) + ". " + p.describe() + "\n")
	}
	b.WriteString("\n" + k.pick(
		"That is all the demo can tell: it decodes pictures, it does not look at them.",
		"The bytes were decoded here; nobody has looked at what they show.",
		"A model would now say what is in it. The demo only measures."))
	return b.String()
}

func (k ask) repeat() string {
	line := k.pick("And then the tide came in again.", "Once more, from the beginning.", "The same line, one more time.")
	return strings.TrimSpace(strings.Repeat(line+"\n\n", 24))
}

// summary lists what was asked, which is all the demo understands of it.
func (k ask) summary() string {
	var b strings.Builder
	b.WriteString("## " + k.pick("What was asked so far", "The conversation in short", "Recap") + "\n\n")
	for i, q := range k.questions[:len(k.questions)-1] {
		b.WriteString(strconv.Itoa(i+1) + ". " + excerpt(q, 120) + "\n")
	}
	if len(k.questions) < 2 {
		b.WriteString("Nothing yet: this is the first question.\n")
	}
	return b.String() + "\n{system}"
}

// title names the conversation after its first question that is no order to
// name it.
func (k ask) title() string {
	text := k.text
	if len(k.questions) > 1 {
		text = k.questions[0]
	} else if _, after, ok := strings.Cut(k.text, "\n"); ok {
		text = after
	}
	words := strings.Fields(excerpt(text, 200))
	return "Demo: " + strings.Trim(strings.Join(words[:min(5, len(words))], " "), " .,:;?!…")
}

// asksToContinue tells whether the text asks for the rest of the last answer.
func (k ask) asksToContinue() bool {
	if len(k.questions) < 2 || len(k.words) == 0 {
		return false
	}
	if slices.Contains([]string{"continue", "weiter"}, k.words[0]) {
		return true
	}
	lower := strings.ToLower(k.text)
	return strings.Contains(lower, "continue") && slices.ContainsFunc([]string{"exactly", "where you", "left off", "cut off", "stopped"}, func(s string) bool { return strings.Contains(lower, s) })
}
