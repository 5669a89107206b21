package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"waferchat/api/emulator"
)

//go:embed testdata/retries.md
var retriesText string

//go:embed testdata/answer.md
var answerText string

//go:embed testdata/theme.md
var themeText string

// ask sends the first question of a chat and waits until the answer is done. The
// models and their prices are waited for: without them there is no cost.
func (st *stage) ask(question string) {
	st.WaitFor("New chat", limit)
	st.waitForModels()
	st.Send(question)
	st.WaitFor(question, limit)
	st.Send(enter)
	arriving := func() bool { return strings.HasPrefix(st.Title(), "●") }
	st.WaitUntil("answer on its way", limit, arriving)
	st.WaitUntil("end of the answer", limit, func() bool { return !arriving() })
}

// The chat that several scenes begin with, and how it goes on.
const (
	retriesQuestion = "Which HTTP errors are worth a retry, and how long to wait?"
	silenceQuestion = "And if the server says nothing at all?"
)

func retries() emulator.Reply {
	return answer(retriesText, "A rule of thumb is wanted, not a treatise: which methods are safe to repeat, which statuses pass by "+
		"themselves, how the wait should grow, and why it wants jitter. A table for the statuses and a few lines of code will do.")
}

func askRetries(st *stage) { st.ask(retriesQuestion) }

// answer streams a text after some reasoning.
func answer(text, reasoning string) emulator.Reply {
	steps := []emulator.Step{emulator.Pause(250 * time.Millisecond)}
	if reasoning != "" {
		steps = append(steps, emulator.R(reasoning), emulator.Pause(250*time.Millisecond))
	}
	steps = append(steps, inPieces(text, emulator.C)...)
	tokens, thought := len(text)/4, len(reasoning)/4
	return emulator.Stream(append(steps, emulator.F("stop"), emulator.Usage(1204, tokens+thought, 980, thought), emulator.D)...)
}

// inPieces streams a text in ten deltas or less, long enough for a speed of as
// many digits as the one that is drawn.
func inPieces(text string, delta func(string) emulator.Step) []emulator.Step {
	var steps []emulator.Step
	runes := []rune(text)
	for piece := range slices.Chunk(runes, len(runes)/10+1) {
		steps = append(steps, delta(string(piece)), emulator.Pause(60*time.Millisecond))
	}
	return steps
}

func chatScene(name, theme string) scene {
	return scene{
		name: name, title: "A chat: a question, folded reasoning and an answer in markdown", cols: 100, rows: 30, theme: theme,
		replies: []emulator.Reply{retries()},
		play:    func(st *stage) { askRetries(st); st.Send(silenceQuestion) },
		shows:   []string{"thought for", "which error", silenceQuestion},
	}
}

// streamingScene is held by the server in the middle of an answer.
func streamingScene() scene {
	steps := []emulator.Step{emulator.Pause(250 * time.Millisecond)}
	steps = append(steps, inPieces("Silence has two meanings. Before the first byte the server may still be working: a long prompt or a cold model "+
		"takes its time, and a second request would only double the work. After the first byte silence means that the connection is "+
		"gone, or that a proxy holds the answer back.\n\nSo there are two limits: a generous one for the first byte, and one for the "+
		"pause between two bytes. Comments count as life: many servers send them to keep the line open. What was received must be "+
		"kept in any case, and the user should be asked before the same question is sent a second time, because", emulator.R)...)
	return scene{
		name: "streaming", title: "An answer on its way: the end of its reasoning, and what is going on", cols: 100, rows: 30, theme: "dark",
		replies: []emulator.Reply{retries(), emulator.Stream(append(steps, emulator.Hang)...)},
		play:    func(st *stage) { askRetries(st); st.Send(silenceQuestion + enter) },
		shows:   []string{"thinking for", "a second time, because", "tok/s", "stops"},
	}
}

func answerScene(cols int, theme string) scene {
	rows := map[int]int{60: 50, 100: 46, 160: 44}[cols]
	return scene{
		name:  fmt.Sprintf("answer-%d-%s", cols, theme),
		title: fmt.Sprintf("Every kind of markdown in %d columns", cols),
		cols:  cols, rows: rows, theme: theme,
		replies: []emulator.Reply{answer(answerText, "")},
		play:    func(st *stage) { st.ask("How long should the dough rise?") },
		shows:   []string{"How long should the dough rise?", "About 4–5 hours", "A very long word"},
	}
}

// errorScene loses the connection in the middle of an answer.
func errorScene() scene {
	steps := append([]emulator.Step{emulator.Pause(250 * time.Millisecond)}, inPieces(
		"Two limits do it: one for the first byte, generous, because a long prompt takes its time; and one for the pause between "+
			"two bytes.\n\n- **First byte**: ten minutes. The server may be working.\n- **Between bytes**: a minute. Comments count as li", emulator.C)...)
	return scene{
		name: "error", title: "A failed turn: what arrived is kept, and what can be done is said", cols: 100, rows: 30, theme: "dark",
		replies: []emulator.Reply{
			retries(),
			emulator.Stream(append(steps, emulator.EOF)...).With("X-Request-Id", "req_4f02a1b9c3d7"),
		},
		play:  func(st *stage) { askRetries(st); st.Send(silenceQuestion + enter) },
		shows: []string{"✖", "count as li"},
	}
}

func narrowScene() scene {
	return scene{
		name: "narrow", title: "The smallest screen", cols: 40, rows: 10, theme: "dark",
		replies: []emulator.Reply{answer("Up to **five times**, and longer each time: `Retry-After` wins over your own plan.", "A short answer.")},
		play:    func(st *stage) { st.ask("How often should I retry?") },
		shows:   []string{"Up to", "wins"},
	}
}

func themesScene(name string) scene {
	return scene{
		name: "themes-" + name, title: "The theme " + name, cols: 72, rows: 16, theme: name, named: true,
		replies: []emulator.Reply{answer(themeText, "Iterate until the value stays.")},
		play:    func(st *stage) { st.ask("When does it stop?"); st.Send("Show me that it converges") },
		shows:   []string{"fixed point", "tok/s", "converges"},
	}
}

func sessionsScene() scene {
	return scene{
		name: "sessions", title: "The chats, to go on with any of them", cols: 100, rows: 30, theme: "dark",
		seed:  seedChats,
		play:  func(st *stage) { st.WaitFor("New chat", limit); st.Send(ctrlO) },
		shows: []string{"Chats", "sourdough"},
	}
}
