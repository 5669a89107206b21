package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/session"
	"waferchat/themes"
)

// pieceOf tells whether a text is a part of one of the sources, or the end of
// one, all of those between, and the start of another one, with blank lines in
// between.
func pieceOf(text string, sources []string) bool {
	for i, s := range sources {
		if strings.Contains(s, text) || goesOn(text, strings.TrimRight(s, "\n"), sources[i+1:]) {
			return true
		}
	}
	return false
}

// goesOn tells whether a text is an end of the first source and what follows.
func goesOn(text, first string, rest []string) bool {
	for n := range min(len(first), len(text)) {
		if strings.HasSuffix(first, text[:n+1]) && strings.HasPrefix(text[n+1:], "\n\n") && follows(text[n+3:], rest) {
			return true
		}
	}
	return false
}

// follows tells whether a text is whole sources and the start of one more; some
// may be left out because none of them is selected.
func follows(text string, sources []string) bool {
	for i, s := range sources {
		s = strings.Trim(s, "\n")
		if strings.HasPrefix(s, text) {
			return true
		}
		if rest, ok := strings.CutPrefix(text, s+"\n\n"); ok && follows(rest, sources[i+1:]) {
			return true
		}
	}
	return false
}

// FuzzAnyMouseSelectsOnlyWhatIsThere moves the mouse about at any size. It never
// breaks the screen, and what is selected is always text of the sources.
func FuzzAnyMouseSelectsOnlyWhatIsThere(f *testing.F) {
	f.Add([]byte{0, 10, 5, 1, 40, 9, 2, 40, 9})
	f.Add([]byte{0, 9, 9, 2, 9, 9, 0, 9, 9, 2, 9, 9, 0, 9, 9, 1, 30, 12, 2, 30, 12, 6, 40, 10, 3, 20, 20})
	f.Add([]byte{0, 30, 12, 1, 30, 0, 4, 0, 0, 7, 1, 0, 4, 0, 0, 5, 0, 0, 1, 30, 40, 7, 1, 0, 2, 30, 40, 6, 200, 60, 8, 3, 0})
	f.Add([]byte{9, 0, 0, 9, 1, 0, 9, 2, 0, 9, 3, 0, 6, 50, 12, 9, 4, 0, 9, 0, 0, 10, 0, 0, 9, 3, 0, 8, 0, 0, 11, 0, 0})
	f.Add([]byte{0, 30, 12, 1, 31, 12, 12, 0, 0, 1, 30, 5, 12, 3, 0, 1, 30, 9, 4, 0, 0, 2, 30, 9})
	moves := []string{"shift+down", "shift+up", "shift+right", "shift+left", "ctrl+shift+right", "ctrl+shift+left", "tab", "ctrl+t", "space", "up", "j", "k", "g", "esc"}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 300 {
			t.Skip("long enough")
		}
		now := moment
		m := New(Deps{Themes: themes.Builtin(), Dark: true, Now: func() time.Time { return now }, Connection: &Connection{Name: "nowhere", BaseURL: "http://127.0.0.1:1/v1"}})
		m.resumed = true
		messages := mixed()
		messages[3].Parts = append(messages[3].Parts, session.Part{Kind: session.PartText, Text: "# Head 漢字 👩‍🍳\n\n1. *one*\n\n   two [l](https://e.example)\n2. three\n\n```go\nfunc main() {\tx(\"" + strings.Repeat("y", 90) + "\") }\n\n```\n\n| a | b |\n|---|--:|\n| 漢字かな漢字かな漢字かな漢字かな漢字かな漢字かな | `code` and more of it than fits |\n\n> quote[^1]\n\n[^1]: a note\n\n$x^2$ &amp; \\* end\n"})
		m.chat.transcript.load(append(messages, user("u3", strings.Repeat("line\n", 100))))
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		w, h := 80, 24
		for ; len(script) >= 3; script = script[3:] {
			x, y := int(script[1])%(w+2)-1, int(script[2])%(h+2)-1
			e := tea.Mouse{X: x, Y: y, Button: tea.MouseLeft}
			switch script[0] % 13 {
			case 0:
				m.Update(tea.MouseClickMsg(e))
			case 1:
				m.Update(tea.MouseMotionMsg(e))
			case 2:
				m.Update(tea.MouseReleaseMsg(e))
			case 3:
				e.Mod = tea.ModShift
				m.Update(tea.MouseClickMsg(e))
			case 4:
				m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
			case 5:
				m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
			case 6:
				w, h = max(1, int(script[1])), max(1, int(script[2])%70)
				m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			case 7:
				m.Update(timerMsg{timer: timerSelect, id: m.chat.transcript.selection.hand.drag})
			case 8:
				now = now.Add(time.Duration(script[1]) * 100 * time.Millisecond)
			case 9:
				m.Update(press(moves[int(script[1])%len(moves)]))
			case 10:
				m.toggleRaw()
			case 12:
				m.chat.transcript.remove([]session.MessageID{"u3", "a2", "u2", "u1"}[int(script[1])%4])
			case 11:
				m.Update(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
			}
			checkSelected(t, m)
			checkScreen(t, m, w, h)
		}
	})
}

func checkSelected(t *testing.T, m *Model) {
	t.Helper()
	var sources []string
	for i := range m.chat.transcript.list.Len() {
		if b, ok := m.chat.transcript.list.Block(i).(readable); ok && b.written() != "" {
			sources = append(sources, b.written())
		}
	}
	if text, ok := m.selectedText(); ok && !pieceOf(text, sources) {
		t.Fatalf("selected is %q, which is not of %q", text, sources)
	}
}

func checkScreen(t *testing.T, m *Model, w, h int) {
	t.Helper()
	rows := strings.Split(m.View().Content, "\n")
	if len(rows) > h {
		t.Fatalf("%d rows on a screen of %d", len(rows), h)
	}
	for _, row := range rows {
		if n := ansi.StringWidth(row); n > w {
			t.Fatalf("a row of %d columns on a screen of %d: %q", n, w, row)
		}
	}
}

// BenchmarkSelecting drags the mouse over the end of a conversation; the time for
// a step does not depend on how long that is.
func BenchmarkSelecting(b *testing.B) {
	for _, turns := range []int{10, 10_000} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			m := New(Deps{Themes: themes.Builtin(), Dark: true, Connection: &Connection{Name: "nowhere", BaseURL: "http://127.0.0.1:1/v1"}})
			m.resumed = true
			var messages []session.Message
			for i := range turns {
				messages = append(messages, user(fmt.Sprint("u", i), "a question"), answer(fmt.Sprint("a", i), strings.Repeat("Some **words** of an answer. ", 20)+"\n\n```go\nx := 1\n```\n"))
			}
			m.chat.transcript.load(messages)
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 50})
			m.Update(tea.MouseClickMsg{X: 10, Y: 5, Button: tea.MouseLeft})
			for i := 0; b.Loop(); i++ {
				m.Update(tea.MouseMotionMsg{X: 10 + i%90, Y: 10 + i%30, Button: tea.MouseLeft})
				m.View()
			}
		})
	}
}
