package main

import (
	"maps"
	"slices"

	"waferchat/api/emulator"
	"waferchat/themes"
)

// scene is a picture and how the program comes to show it.
type scene struct {
	name       string // of the file, without .svg
	title      string // for people who cannot see the picture
	cols, rows int
	// theme is the palette whose ground the terminal has. Unless it is named to
	// the program, that finds out by itself which of dark and light belongs there.
	theme string
	named bool

	replies []emulator.Reply   // what the server says, in order
	noKey   bool               // the user has no key and no server
	seed    func(*stage) error // what was there before
	play    func(*stage)       // what the user does
	shows   []string           // must be on the picture
	lacks   string             // must not be on it
	masks   []mask             // besides those of every scene
}

// model is the one that answers.
const model = "GLM-5.3"

// Keys.
const (
	enter = "\r"
	tab   = "\t"
	down  = "\x1b[B"
	ctrlO = "\x0f"
	ctrlP = "\x10"
	altM  = "\x1bm"
	f1    = "\x1bOP"
)

// scenes lists all pictures.
func scenes() []scene {
	all := []scene{
		chatScene("chat", "dark"),
		chatScene("chat-light", "light"),
		streamingScene(),
		{
			name: "palette", title: "All commands, over a chat", cols: 100, rows: 30, theme: "dark",
			replies: []emulator.Reply{retries()},
			play:    func(st *stage) { askRetries(st); st.Send(ctrlP) },
			shows:   []string{"Commands", "/model"},
			masks:   []mask{cutTime},
		},
		{
			name: "models", title: "The models of a server with what they can do and cost", cols: 100, rows: 30, theme: "dark",
			replies: []emulator.Reply{retries()},
			play:    func(st *stage) { askRetries(st); st.Send(altM) },
			shows:   []string{"Model", "in use"},
			masks:   []mask{cutTime},
		},
		sessionsScene(),
		{
			name: "help", title: "Every key", cols: 100, rows: 30, theme: "dark",
			play:  func(st *stage) { st.WaitFor("New chat", limit); st.Send(f1) },
			shows: []string{"Keys and commands"},
		},
		{
			name: "firstrun", title: "The first start: which server to talk to", cols: 100, rows: 30, theme: "dark",
			noKey: true,
			shows: []string{"Welcome to waferchat", "Try the demo"},
			lacks: "Use 127.0.0.1", // a model server that runs on this very machine
		},
		errorScene(),
		narrowScene(),
	}
	for _, theme := range []string{"dark", "light"} {
		for _, cols := range []int{60, 100, 160} {
			all = append(all, answerScene(cols, theme))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(themes.Builtin())) {
		all = append(all, themesScene(name))
	}
	return all
}
