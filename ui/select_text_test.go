package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"waferchat/session"
	"waferchat/ui/markdown"
	"waferchat/ui/untrusted"
)

func TestWhatIsDrawnIsFoundInWhatWasWritten(t *testing.T) {
	for _, tt := range []struct {
		name, written string
		drawn         string // the part that is selected
		want          string
	}{
		{"plain text", "one two", "two", "two"},
		{"a tone goes with its emoji", "a 👍🏽 b", "👍", "👍🏽"},
		{"a selector too", "a ⚠️ b", "⚠", "⚠️"},
		{"a joiner does not, alone", "a 👩‍🍳 b", "👩", "👩"},
		{"nor the other way round", "a 👩‍🍳 b", "🍳", "🍳"},
		{"but in between", "a 👩‍🍳 b", "👩🍳", "👩‍🍳"},
		{"a flag with a selector and a joiner", "x🏳️‍🌈y", "🏳", "🏳️"},
		{"the end", "x 👩‍", "👩", "👩‍"},
		{"the start", "\u200dx", "x", "\u200dx"},
		{"a control character", "a\x07b", "␇", "\x07"},
		{"half of a name is all of it", "a\u202eb", "⟨R", "\u202e"},
		{"behind a name", "a\u202eb", "b", "b"},
		{"a line break", "a\r\nb", "a\nb", "a\r\nb"},
		{"behind a line break", "a\r\nb", "b", "b"},
		{"a lone return", "a\rb", "\nb", "\rb"},
		{"what is no text", "a\xffb", "\ufffdb", "\xffb"},
	} {
		drawn := plainEmoji(untrusted.Text(tt.written))
		i := strings.Index(drawn, tt.drawn)
		if i < 0 {
			t.Fatalf("%s: %q is not in %q", tt.name, tt.drawn, drawn)
		}
		stored := fromDrawn(tt.written, drawn)
		if got := stored(i, i+len(tt.drawn)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if got := stored(0, len(drawn)); got != tt.written {
			t.Errorf("%s: all of it is %q", tt.name, got)
		}
		if got := stored(i, i); got != "" {
			t.Errorf("%s: nothing is %q", tt.name, got)
		}
	}
}

// TestEveryCellIsFoundAgain asks for the text of each cell on the screen and for
// the place of that text.
func TestEveryCellIsFoundAgain(t *testing.T) {
	m := offline()
	m.chat.transcript.load(append(mixed(), answer("a9", "# H\n\nu**n**`c` $x^2$ &amp; 漢字 👍🏽 [l](https://e.example)\n\n- [x] a\n  > q\n  > ```go\n  > \tcode 漢\n  > ```\n\n| a | b |\n|--|--|\n| 漢字かな 漢字かな 漢字かな 漢字かな 漢字かな | more than would fit on a row of it all |\n\nnote[^1]\n\n[^1]: text\n\nend\n")))
	for _, view := range []reasoningView{reasoningLine, reasoningTail, reasoningFull} {
		for _, raw := range []bool{false, true} {
			for _, width := range []int{40, 47, 60, 100} {
				m.chat.transcript.setReasoning(view)
				m.chat.transcript.scene.raw = raw
				m.Update(tea.WindowSizeMsg{Width: width, Height: 30})
				for i := range m.chat.transcript.list.Len() {
					checkCells(t, m.chat.transcript.sheetOf(i), fmt.Sprint(view, raw, width, " block ", i))
				}
			}
		}
	}
}

func checkCells(t *testing.T, p sheet, where string) {
	t.Helper()
	for row := range p.Len() {
		right := 0
		for _, c := range p.cells(row) {
			if c.col < right || c.width < 1 || c.start >= c.end || c.end > p.size() || c.right() > columns(p.Line(row)) {
				t.Errorf("%s row %d: cell %+v behind column %d of %d", where, row, c, right, columns(p.Line(row)))
			}
			right = c.right()
			start, end := touch(p, markdown.Place{Row: row, Col: c.right() - 1})
			from, to := edges(p, start, end)
			if start != c.start || end != c.end || from.Row > row || to.Row < row || from.Row == row && from.Col != c.col || to.Row == row && to.Col != c.right() {
				t.Errorf("%s row %d: %+v is touched as %d–%d, at %v to %v", where, row, c, start, end, from, to)
			}
		}
	}
}

func TestReasoningIsKeptAsItCame(t *testing.T) {
	s := offline().chat.transcript.scene
	b := newReasoningBlock(s, "a", "")
	b.live = true
	for _, piece := range []string{"one\r", "\ntwo 👍", "🏽\x07", " end\r"} {
		b.append(piece)
	}
	const want = "one\r\ntwo 👍🏽\x07 end\r"
	if b.written() != want || b.drawn() != plainEmoji(untrusted.Text(want)) {
		t.Errorf("it is %q, drawn as %q", b.written(), b.drawn())
	}
	b.settle(0)
	b.own = reasoningFull
	if b.written() != want || b.drawn() != plainEmoji(untrusted.Text(want)) {
		t.Errorf("when it has ended it is %q, drawn as %q", b.written(), b.drawn())
	}
}

func TestANoticeWithoutAdviceIsItsTitle(t *testing.T) {
	n := newNotice(offline().chat.transcript.scene, session.MessageID(""), noticeInfo, "So it is.", "", "")
	if n.written() != "So it is." {
		t.Errorf("it is %q", n.written())
	}
}
