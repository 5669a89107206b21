package emulator

import (
	"embed"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// answersFS holds the texts of the demo: answers/TOPIC-N.md.
//
//go:embed answers/*.md
var answersFS embed.FS

// loadTexts returns the variants of each topic, in the order of their numbers.
func loadTexts() map[string][]string {
	out := map[string][]string{}
	names, err := fs.Glob(answersFS, "answers/*.md")
	if err != nil {
		panic(err) // the pattern is fixed
	}
	for _, name := range names {
		b, err := answersFS.ReadFile(name)
		if err != nil {
			panic(err) // the name was just listed
		}
		topic, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".md"), "-")
		out[topic] = append(out[topic], strings.TrimSpace(string(b)))
	}
	return out
}

// ask is what is asked, as the demo understands it.
type ask struct {
	q         *request
	texts     map[string][]string
	system    string
	questions []string // the user's texts, the oldest first
	text      string   // the last of them
	words     []string // its words in lower case
	images    []picture
	attempt   int // how often it was answered before
	variant   int // which of the possible answers to give, from 0 on
	rng       *rand.Rand
}

// newAsk reads the messages up to and including the last one of the user.
func (s *Server) newAsk(q *request, messages []message, attempt, choice int) ask {
	k := ask{q: q, texts: s.texts, attempt: attempt + choice}
	for _, m := range messages {
		switch m.Role {
		case "system":
			k.system = m.text
		case "user":
			k.questions = append(k.questions, m.text)
			k.text, k.images = m.text, m.images
		}
	}
	k.words = strings.FieldsFunc(strings.ToLower(k.text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	k.variant = k.attempt + int(s.o.Seed%1000)
	if q.Seed != nil { // the same seed gives the same answer
		k.attempt, k.variant = 0, int(uint64(*q.Seed)%1000)+choice
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.text + q.card.ID))
	k.rng = rand.New(rand.NewPCG(h.Sum64(), uint64(k.variant)))
	return k
}

// compose decides what to answer. What the request constrains goes before what
// the conversation is about.
func (s *Server) compose(q *request, attempt, choice int) (answer, *fault) {
	k := s.newAsk(q, q.messages, attempt, choice)
	a := answer{reasoning: k.reasoning()}
	if q.effort == "none" && q.card.thinksInSecret() {
		a.hidden = 40 + k.rng.IntN(80)
	}
	last := q.messages[len(q.messages)-1]
	constrained := q.Regex != nil || q.ResponseFormat != nil
	var f *fault
	switch {
	case q.forced != "":
		a.calls, f = k.calls()
		return a, f
	case constrained:
		a.content, f = k.constrained()
		return a, f
	case last.Role == "tool":
		a.content = k.toolResults(q.messages) + k.footer()
		return a, nil
	}
	if a.calls, f = k.calls(); f != nil || len(a.calls) > 0 {
		return a, f
	}
	if last.Role == "assistant" || k.asksToContinue() {
		a.content = s.continued(q, k)
		return a, nil
	}
	t := k.topic()
	a.content, a.slowness, a.finish, a.breakAs = k.write(t), t.slowness, t.finish, k.failure()
	return a, nil
}

// continued gives the rest of a cut answer: it looks for the variant that the
// last assistant message is the beginning of.
func (s *Server) continued(q *request, k ask) string {
	at := len(q.messages) - 1
	for at > 0 && q.messages[at].Role != "assistant" {
		at--
	}
	begun := q.messages[at].text
	earlier := q.messages[:at]
	for attempt := range 16 {
		old := s.newAsk(q, earlier, attempt, 0)
		if rest, ok := strings.CutPrefix(old.write(old.topic()), begun); ok && rest != "" && begun != "" {
			return rest
		}
	}
	return "\n\nThere is no more to say on this: the scripted demo had come to its end." + k.footer()
}

// write gives the text of a topic with its placeholders filled in.
func (k ask) write(t topic) string {
	var text string
	if t.write != nil {
		text = t.write(k)
	} else {
		variants := k.texts[t.name]
		text = variants[k.variant%len(variants)]
	}
	if t.bare {
		return text
	}
	fill := strings.NewReplacer("{asked}", excerpt(k.text, 160), "{model}", k.q.card.ID, "{effort}", k.q.effort, "{stats}", k.stats(), "{system}", k.systemNote())
	return fill.Replace(text) + k.footer()
}

// footer ends every answer of the demo: it says what it is, and shows that the
// conversation has been read.
func (k ask) footer() string {
	var b strings.Builder
	b.WriteString("\n\n---\n\n*Scripted demo, no model.")
	switch n := len(k.questions); {
	case n > 1:
		fmt.Fprintf(&b, " This is your %s question; the one before was “%s”.", ordinal(n), excerpt(k.questions[n-2], 60))
	case n == 1:
		b.WriteString(" This is your 1st question; “help” shows what can be tried.")
	}
	if k.attempt > 0 {
		fmt.Fprintf(&b, " Version %d of this answer.", k.attempt+1)
	}
	return b.String() + "*"
}

func (k ask) systemNote() string {
	if k.system == "" {
		return "There is no system prompt."
	}
	return "The system prompt begins with “" + excerpt(k.system, 80) + "”."
}

func (k ask) stats() string {
	return fmt.Sprintf("%s, %s, %s", plural(strings.Count(k.text, "\n")+1, "line"), plural(len(k.words), "word"), plural(len([]rune(k.text)), "character"))
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + thing + "s"
}

// grouped writes a number with commas between its thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = []string{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"}[n%10]
	}
	return strconv.Itoa(n) + suffix
}

// excerpt is the beginning of a text on one line, without what would be read
// as markdown or end the quotation.
func excerpt(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_`“”<>[]|", r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most])) + "…"
	}
	return text
}

// pick chooses one of the options, another one for each variant.
func (k ask) pick(options ...string) string { return options[k.variant%len(options)] }
