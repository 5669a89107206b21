package emulator

import "strings"

// reasoning is what the demo shows as the thoughts of a model, the more the
// higher the effort.
func (k ask) reasoning() string {
	sentences := map[string]int{"low": 2, "medium": 4, "high": 8, "xhigh": 12, "max": 16}[k.q.effort]
	if sentences == 0 {
		return ""
	}
	t := k.topic()
	all := []string{
		"The message says “" + excerpt(k.text, 60) + "”.",
		"The script looks for a word that it knows and finds the topic “" + t.name + "”.",
		"Questions in this conversation so far: " + grouped(len(k.questions)) + ".",
		"Nothing is weighed here: these lines stand where a model would think.",
		"First the shape of the answer: a heading, a few lines, then whatever shows the formatting best.",
		"A shorter answer would do, but a demo should give the screen something to draw.",
		"The system prompt matters, too. " + k.systemNote(),
		"The effort is “" + k.q.effort + "”, which only decides how many of these sentences there are.",
		"An alternative would be the next variant; that one is kept for the next time the same is asked.",
		"Wait — does the text contain numbers? They matter for counting and for the length of long answers.",
		"Reasoning comes before the answer, token by token, and is counted among the completion tokens.",
		"Let me check the order once more:\n\n1. reasoning\n2. content\n3. finish reason\n4. usage",
		"That holds together.",
		"Some lines of reasoning are long enough to wrap at any width that a terminal is likely to have, and this sentence is here to be one of them, so it goes on for a while after its point has been made.",
		"There may be code in reasoning, too: `for range ticks { draw() }`.",
		"Good. Now the answer.",
	}
	// The first two say what is going on; the rest begins elsewhere each time.
	shift := k.variant % (len(all) - 2)
	rest := append(append([]string{}, all[2+shift:]...), all[2:2+shift]...)
	chosen := append(all[:2:2], rest...)[:min(sentences, len(all))]
	var b strings.Builder
	for i, s := range chosen {
		if i > 0 && i%4 == 0 {
			b.WriteString("\n\n")
		} else if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(s)
	}
	return b.String()
}
