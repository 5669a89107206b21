package emulator

import (
	"fmt"
	"strings"
)

// long writes a travelogue of an invented coast, 3,000 words or as many as the
// text names (50 to 500,000).
func (k ask) long() string {
	want := 3000
	for _, n := range k.numbers() {
		if n >= 50 {
			want = min(n, 500_000)
		}
	}
	var b strings.Builder
	b.WriteString("# " + k.pick("A long walk along an invented coast", "Field notes from a shore that does not exist", "Twelve harbours and no ferry") + "\n\n")
	fmt.Fprintf(&b, "An answer of about %s words, to scroll, to search and to interrupt.\n", grouped(want))
	words := 20
	for chapter := 1; words < want; chapter++ {
		for _, block := range k.chapter(chapter) {
			if words < want {
				b.WriteString("\n" + block + "\n")
				words += len(strings.Fields(block))
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// chapter returns the blocks of the n-th chapter.
func (k ask) chapter(n int) []string {
	places := []string{"Saltmere", "Gull Stair", "Low Lantern", "Old Quay", "Three Posts", "Windle", "Tarn Head", "Ashby Sound", "Corran", "Merrow Bay", "Northlight", "The Bar"}
	place := places[(n-1+k.variant)%len(places)]
	blocks := []string{fmt.Sprintf("## %d. %s", n, place), k.paragraph(place), k.paragraph(place), k.paragraph(place)}
	switch n % 4 {
	case 1:
		blocks = append(blocks, "> “"+place+",” said the keeper, “is smaller than it looks, and older than it says.”")
	case 2:
		blocks = append(blocks, "What was in the rucksack that day:\n\n- a map, drawn *from memory*\n- bread, cheese, one pear\n  - the pear for later\n- a pencil")
	case 3:
		blocks = append(blocks, fmt.Sprintf("| hour | wind | boats in %s |\n|---|---:|---:|\n| 06:00 | %d | %d |\n| 12:00 | %d | %d |\n| 18:00 | %d | %d |",
			place, k.rng.IntN(9), k.rng.IntN(30), k.rng.IntN(9), k.rng.IntN(30), k.rng.IntN(9), k.rng.IntN(30)))
	case 0:
		blocks = append(blocks, fmt.Sprintf("```go\n// tide returns the height of the water at %s, in centimetres.\nfunc tide(hour int) int { return %d + 3*(hour%%12) }\n```", place, 100+k.rng.IntN(80)))
	}
	return append(blocks, "### Leaving "+place, k.paragraph(place))
}

// paragraph strings five sentences together, never the same one twice.
func (k ask) paragraph(place string) string {
	sentences := []string{
		"The road comes down to " + place + " in four bends, and at each of them the sea is somewhere else.",
		"Nobody on the quay could say when the clock had stopped, but all agreed that it had been right to.",
		"There is a bench for those who wait and a wall for those who have given up waiting.",
		"The water was the colour of slate in the morning and of **pewter** by noon.",
		"I counted the steps to the lamp, lost the number to a gust, and counted the sound of them instead.",
		"A dog of no particular owner went ahead of me as far as the chapel and then, its duty done, turned back.",
		"On the chart the rock has a name, in the village it has three, and the boats simply leave it to starboard.",
		"They dry nets here the way other places dry washing: slowly, publicly, and with remarks.",
		"At the inn of " + place + " the soup is good on Fridays; this was a Tuesday.",
		"The wind, which had been an opinion all day, became a fact towards evening.",
		"A boy sold me a shell for a coin and then, after some thought, gave me the coin back and kept the shell.",
		"Beyond the breakwater the swell kept its own time, unhurried and a little late.",
		"Somebody had painted the door of the boathouse `blue`, and somebody else had disagreed with only half of it.",
		"What the guidebook calls ruins are, on the whole, *walls that have been excused*.",
		"Rain passed over without stopping, as a neighbour does who has seen that you have company.",
		"The path keeps to the cliff for an hour and then, without giving reasons, goes inland through gorse.",
		"I wrote the date in the book at the lighthouse below eleven other names and a drawing of a cormorant.",
		"From up here " + place + " fits under a thumb, and the thumb has to be held quite far away.",
		"It is said that the tide tables are printed elsewhere by people who have never been asked.",
		"In the end one walks on because the light is good and the next bay is never the one that was described.",
	}
	chosen := make([]string, 0, 5)
	for _, i := range k.rng.Perm(len(sentences))[:5] {
		chosen = append(chosen, sentences[i])
	}
	return strings.Join(chosen, " ")
}
