package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/themes"
)

// offline is a Model with a few messages and no backend.
func offline() *Model {
	m := New(Deps{Themes: themes.Builtin(), Dark: true, Connection: &Connection{Name: "nowhere", BaseURL: "http://127.0.0.1:1/v1"}})
	m.resumed = true
	n := int64(1234)
	m.chat.transcript.load([]session.Message{
		{ID: "u1", Role: api.RoleUser, State: session.Done, Parts: []session.Part{{Kind: session.PartText, Text: "a question with 漢字 and 👩‍🍳\n\nand\ttabs " + strings.Repeat("x", 300)}}},
		{ID: "a1", Role: api.RoleAssistant, State: session.Done, Model: "GLM-5.3", Finish: "length", Usage: &api.Usage{PromptTokens: &n, CompletionTokens: &n},
			Parts: []session.Part{{Kind: session.PartReasoning, Text: strings.Repeat("thinking 日本語 ", 80)},
				{Kind: session.PartText, Text: "# Head\n\n1. one\n\n   two\n2. three\n\n```go\nfunc main() {\tprintln(\"" + strings.Repeat("y", 200) + "\") }\n```\n\n| a | b |\n|---|--:|\n| 漢字 | `code` |\n\n> quote\n"}}},
		{ID: "u2", Role: api.RoleUser, State: session.Done, Parts: []session.Part{{Kind: session.PartText, Text: strings.Repeat("line\n", 100)}}},
		{ID: "a2", Role: api.RoleAssistant, State: session.Failed, Failure: &session.Failure{Title: "It failed.", Advice: strings.Repeat("Do something. ", 20)}},
	})
	return m
}

// FuzzNothingEverLeavesTheScreen presses any keys at any size and looks at the
// rows: exactly as many as the screen has, none wider.
func FuzzNothingEverLeavesTheScreen(f *testing.F) {
	f.Add([]byte{100, 30, 1, 2, 3})
	f.Add([]byte{40, 10, 20, 21, 22, 23, 24, 25})
	f.Add([]byte{1, 1, 9, 9, 200, 60, 12, 13, 14, 80, 5, 7})
	keys := []string{"a", "enter", "alt+enter", "up", "down", "left", "right", "pgup", "pgdown", "ctrl+home", "ctrl+end", "tab", "ctrl+t", "ctrl+p", "esc",
		"alt+m", "?", "f1", "j", "k", "G", "g", "space", "{", "}", "ctrl+o", "ctrl+n", "alt+z", "backspace", "ctrl+w", "ctrl+u", "/", "漢", "👩‍🍳", "~", "y", "ctrl+c"}
	f.Fuzz(func(t *testing.T, script []byte) {
		m := offline()
		w, h := 80, 24
		m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		for i := 0; i < len(script) && i < 200; i++ {
			switch c := int(script[i]); {
			case c < len(keys):
				m.Update(press(keys[c]))
			case c == 250:
				m.Update(tea.PasteMsg{Content: strings.Repeat("pasted 漢字\r\n", 30)})
			case c == 251:
				m.Update(turnEventsMsg{watch: m.chat.watch, events: []chat.Event{{Kind: chat.EventDelta, Delta: session.Delta{Kind: session.PartText, Text: "x"}}}})
			case c == 252:
				m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
			case c == 253:
				m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: w / 2, Y: h / 2})
			case i+1 < len(script):
				w, h = max(1, c-len(keys)), max(1, int(script[i+1])%70)
				i++
				m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			}
			check(t, m, w, h)
		}
	})
}

func check(t *testing.T, m *Model, w, h int) {
	t.Helper()
	v := m.View()
	rows := strings.Split(v.Content, "\n")
	if tooSmall := w < minWidth || h < minHeight; tooSmall && len(rows) != 1 || !tooSmall && len(rows) != h {
		t.Fatalf("%d rows on a screen of %d×%d", len(rows), w, h)
	}
	for y, row := range rows {
		if n := ansi.StringWidth(row); n > w {
			t.Fatalf("row %d is %d columns wide on a screen of %d×%d: %q", y, n, w, h, row)
		}
	}
	if c := v.Cursor; c != nil && (c.X < 0 || c.X >= w || c.Y < 0 || c.Y >= h) {
		t.Fatalf("the caret is at %d,%d on a screen of %d×%d", c.X, c.Y, w, h)
	}
}
