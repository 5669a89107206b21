package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"waferchat/session"
)

// FuzzFindingAnythingAtAnySize finds things while the conversation changes under
// it: nothing leaves the screen, the counter is true, and a hit that was gone to
// is on screen or not drawn at all.
func FuzzFindingAnythingAtAnySize(f *testing.F) {
	f.Add([]byte{0, 'l', 'i', 1, 2, 3, 4})
	f.Add([]byte{0, 'x', 1, 1, 1, 200, 60, 20, 1, 1, 5})
	f.Add([]byte{0, 'e', 6, 7, 8, 1, 9, 10, 11, 12, 1, 5, 0, 'n'})
	f.Add([]byte{0, 'e', 20, 1, 21, 1, 22, 14, 30, 5, 15, 22, 0, 'n', 100, 30, 1, 1})
	keys := []string{"ctrl+f", "enter", "shift+enter", "up", "down", "esc", "tab", "ctrl+t", "space", "pgup", "ctrl+home", "ctrl+end", "backspace", "n", "N", "ctrl+n", "/", "right", "left"}
	f.Fuzz(func(t *testing.T, script []byte) {
		m := offline()
		w, h := 80, 24
		update := func(msg tea.Msg) {
			m.Update(msg)
			for f := m.chat.find; f != nil && f.running; { // as the command would
				f.running = false
				job, ok := f.scan(m.chat.transcript.scene, "")
				if !ok {
					break
				}
				m.Update(foundMsg{search: job.search, found: job.run()})
			}
		}
		update(tea.WindowSizeMsg{Width: w, Height: h})
		for i := 0; i < len(script) && i < 100; i++ {
			switch c := int(script[i]); {
			case c < len(keys):
				update(press(keys[c]))
			case c == 20:
				m.chat.transcript.prepend([]session.Message{said("p", "user", text("a line before")), said("pa", "assistant", reasoning("line"), text("*li*ne"))})
				update(nil)
			case c == 21:
				m.chat.transcript.load(manyTurns(3))
				update(nil)
			case c == 22:
				m.chat.transcript.addMessage(&session.Message{ID: "n", Role: "user", Parts: []session.Part{text("one more line")}})
				update(nil)
			case c >= ' ' && c < 127:
				update(press(string(rune(c))))
			case i+1 < len(script):
				w, h = max(1, c-20), max(1, int(script[i+1])%70)
				i++
				update(tea.WindowSizeMsg{Width: w, Height: h})
			}
			check(t, m, w, h)
			checkFind(t, m)
		}
	})
}

// checkFind compares the counter with a search from scratch.
func checkFind(t *testing.T, m *Model) {
	t.Helper()
	f := m.chat.find
	if f == nil || m.overlays != nil || m.layout().tooSmall {
		return
	}
	if len(f.needle.folded) > 0 && !f.pieces.done() {
		t.Fatal("the search has not ended")
	}
	total := 0
	list := m.chat.transcript.list
	for i := range list.Len() {
		b, ok := list.Block(i).(findable)
		if !ok {
			continue
		}
		_, markdown := b.(*textBlock)
		job := scanJob{needle: f.needle, style: m.chat.transcript.scene.style, proses: &proses{}, graphemes: m.chat.transcript.scene.graphemes}
		hits, _ := job.find(&scanItem{text: b.findText(0), markdown: markdown})
		total += len(hits)
	}
	if f.total != total || total == 0 != (f.nth == 0) || f.nth > total {
		t.Fatalf("%q: hit %d of %d, there are %d", f.field.Text(), f.nth, f.total, total)
	}
	if s, ok := f.at.span(); ok && m.chat.transcript.place() == f.placed {
		_, drawn := f.row(m.chat.transcript, f.at.piece.at, s)
		if seen := strings.Contains(m.View().Content, string(m.look().hitNow)); seen != drawn {
			t.Fatalf("%q: hit %d is on screen: %v, want %v\n%s", f.field.Text(), f.nth, seen, drawn, m.View().Content)
		}
	}
}
