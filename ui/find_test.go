package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

// said is a stored message of one part of a kind.
func said(id string, role api.Role, parts ...session.Part) session.Message {
	return session.Message{ID: session.MessageID(id), Role: role, State: session.Done, Created: moment, Finish: "stop", Parts: parts}
}

func text(s string) session.Part      { return session.Part{Kind: session.PartText, Text: s} }
func reasoning(s string) session.Part { return session.Part{Kind: session.PartReasoning, Text: s} }

// showing is a program that shows a conversation.
func showing(t *testing.T, width, height int, path ...session.Message) *driver {
	t.Helper()
	b := newBench(t, "")
	d := newDriver(t, b.deps, width, height)
	d.wait("the store", func() bool { return d.m.back != nil })
	d.m.chat.transcript.load(path)
	d.m.Update(nil)
	return d
}

// finds types a needle into the find bar and waits for the counter.
func (d *driver) finds(needle, counter string) {
	d.t.Helper()
	d.keys("ctrl+f")
	d.types(needle)
	d.sees(counter)
}

// inks are the texts on the screen that are drawn in an ink, by row.
func (d *driver) inks(k ink) (out []string) {
	for _, row := range strings.Split(d.m.View().Content, "\n") {
		for rest := row; ; {
			_, after, ok := strings.Cut(rest, string(k))
			if !ok {
				break
			}
			shown, more, _ := strings.Cut(after, inkOff)
			out, rest = append(out, ansi.Strip(shown)), more
		}
	}
	return out
}

func (d *driver) hits() string    { return strings.Join(d.inks(d.m.look().hit), "|") }
func (d *driver) current() string { return strings.Join(d.inks(d.m.look().hitNow), "|") }

// rowOf is the screen row that shows the current hit, -1 for none.
func (d *driver) rowOf() int {
	for y, row := range strings.Split(d.m.View().Content, "\n") {
		if strings.Contains(row, string(d.m.look().hitNow)) {
			return y
		}
	}
	return -1
}

func chatAboutBread() []session.Message {
	return []session.Message{
		said("u1", api.RoleUser, text("How long does the Bread ferment?")),
		said("a1", api.RoleAssistant, reasoning("The bread needs warmth."), text("**Bread** needs 4 hours.")),
		said("u2", api.RoleUser, text("And in the cold?")),
		said("a2", api.RoleAssistant, text("Cold bread needs a night.")),
	}
}

func TestFindingMarksEveryHitAndCountsThem(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.types("my draft")
	before := strings.Split(d.screen(), "\n")
	d.finds("bread", "1/4")
	after := strings.Split(d.screen(), "\n")
	for y := range before {
		if y < len(before)-3 && before[y] != after[y] {
			t.Errorf("row %d has changed from %q to %q", y, before[y], after[y])
		}
	}
	if got := d.current(); got != "Bread" {
		t.Errorf("the current hit is %q", got)
	}
	if got := d.hits(); got != "Bread|bread" {
		t.Errorf("the other hits on screen are %q", got)
	}
	d.sees("my draft")
	if got := d.m.prompt.editor.Text(); got != "my draft" {
		t.Errorf("the draft is %q", got)
	}
	d.keys("esc")
	if d.hits() != "" || d.current() != "" {
		t.Error("the hits are still marked")
	}
	d.never("Find ")
	if d.m.focus != paneComposer {
		t.Errorf("the focus is on %q", d.m.focus)
	}
}

func TestNextAndEarlierHitsGoAround(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.finds("bread", "1/4")
	for _, c := range []struct{ key, counter string }{
		{"enter", "2/4"}, {"n", "3/4"}, {"enter", "4/4"}, {"n", "from the top again · 1/4"}, {"n", "2/4"}, {"N", "1/4"},
		{"N", "from the end again · 4/4"}, {"shift+enter", "3/4"}, {"up", "2/4"}, {"down", "3/4"}, {"down", "4/4"}, {"down", "from the top again · 1/4"},
	} {
		d.keys(c.key)
		if !strings.Contains(d.screen(), " "+c.counter+" ") {
			t.Fatalf("after %s the bar does not say %q:\n%s", c.key, c.counter, d.screen())
		}
		if d.rowOf() < 0 {
			t.Errorf("after %s the current hit is not on screen:\n%s", c.key, d.screen())
		}
	}
}

func TestUpAndDownInTheBarGoToHitsAndKeepTheCaretThere(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.finds("bread", "1/4")
	d.keys("down", "down", "up")
	d.sees("2/4")
	d.types("s")
	d.sees("no hits")
	d.keys("backspace")
	d.sees("/4")
	if got := d.m.chat.find.field.Text(); got != "bread" {
		t.Errorf("the bar says %q", got)
	}
}

func TestAHitInFoldedReasoningOpensItUntilTheFindEnds(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.never("needs warmth")
	d.finds("warmth", "1/1")
	d.sees("The bread needs warmth.")
	if d.current() != "warmth" {
		t.Errorf("the current hit is %q", d.current())
	}
	d.keys("backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
	d.types("night")
	d.sees("1/1")
	d.never("needs warmth") // typing did not go there
	d.keys("ctrl+f")
	d.types("warmth")
	d.sees("needs warmth")
	d.keys("enter", "esc")
	d.never("needs warmth")
}

func TestWhatTheUserUnfoldedStaysSo(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.keys("tab", "{", "{", "space")
	d.sees("needs warmth")
	d.finds("warmth", "1/1")
	d.keys("esc")
	d.sees("needs warmth")
	if d.m.focus != paneConversation {
		t.Errorf("the focus is on %q", d.m.focus)
	}
}

func TestAHitInAFoldedMessageOfTheUserOpensIt(t *testing.T) {
	d := showing(t, 80, 24, said("u", api.RoleUser, text(strings.Repeat("a line\n", 60)+"the needle\n"+strings.Repeat("a line\n", 9))))
	d.finds("needle", "1/1")
	if d.rowOf() < 0 {
		t.Fatalf("the hit is not on screen:\n%s", d.screen())
	}
	d.keys("esc")
	d.sees("more lines")
}

func TestAHitInAToolCallOpensIt(t *testing.T) {
	args := `{"path": "a.go", "text": "` + strings.Repeat("filler ", 40) + `sourdough"}`
	d := showing(t, 80, 24,
		said("u", api.RoleUser, text("go")),
		said("a", api.RoleAssistant, session.Part{Kind: session.PartToolCall, Name: "write_file", Text: args}),
		said("t", "tool", session.Part{Kind: session.PartToolResult, Name: "write_file", Text: "written\nas sourdough.txt"}))
	d.finds("sourdough", "1/2")
	if d.current() != "sourdough" {
		t.Errorf("the current hit is %q:\n%s", d.current(), d.screen())
	}
	d.keys("enter")
	d.sees("2/2")
	if d.current() != "sourdough" {
		t.Errorf("the current hit is %q:\n%s", d.current(), d.screen())
	}
	d.keys("esc")
	d.never("filler filler filler filler filler filler filler filler filler filler filler")
	d.finds("write_", "1/2")
	if d.current()+d.hits() != "write_write_" {
		t.Errorf("%q and %q are marked", d.current(), d.hits())
	}
}

func TestAHitInWideCodeIsMovedIntoView(t *testing.T) {
	d := showing(t, 60, 24, said("u", api.RoleUser, text("go")),
		said("a", api.RoleAssistant, text("```\nshort\n"+strings.Repeat("0123456789", 20)+"needle"+strings.Repeat("0123456789", 9)+"\n```")))
	d.m.chat.transcript.scene.codeScrolls = true
	d.m.chat.transcript.scene.generation++
	d.finds("needle", "1/1")
	if d.current() != "needle" {
		t.Errorf("%q is marked:\n%s", d.current(), d.screen())
	}
	d.never("in the markup")
	d.keys("enter", "esc")
	d.sees("  012345678901234567890")
}

func TestAHitThatIsNotDrawnIsSaidSo(t *testing.T) {
	d := showing(t, 60, 24, said("u", api.RoleUser, text("go")), said("a", api.RoleAssistant, text("some text\n\n[unused]: https://example.com/needle\n\nmore")))
	d.finds("needle", "in the markup · 1/1")
}

func TestDecorationHidesNoHit(t *testing.T) {
	d := showing(t, 80, 24,
		said("u", api.RoleUser, text("**not** markdown")),
		said("a", api.RoleAssistant, text("Some **bold** text, a [link](https://example.com/x) here, `code` and ~~old~~ new.\n\nBold text again, 2 a*b + 3.")))
	for _, c := range []struct{ needle, counter, marked string }{
		{"bold text", "1/2", "bold text"},
		{"a link here", "1/1", "a link here"},
		{"code and old", "1/1", "code and old"},
		{"**bold**", "1/1", "bold"},
		{"ab", "no hits", ""},
		{"not markdown", "no hits", ""}, // it is not markdown
		{"**not**", "1/1", "**not**"},
	} {
		d.finds(c.needle, c.counter)
		if got := strings.ReplaceAll(d.current(), "|", ""); got != c.marked {
			t.Errorf("%q marks %q, want %q", c.needle, got, c.marked)
		}
	}
}

func TestEscPutsTheReaderBackUnlessTheyWentToAHit(t *testing.T) {
	path := manyTurns(40)
	path[0].Parts[0].Text = "the very first needle"
	path[20].Parts[0].Text = "another needle"
	for _, c := range []struct {
		name         string
		before, keys []string
		stays        bool
	}{
		{"typed at the tail", nil, []string{"esc"}, false},
		{"typed in the middle", []string{"pgup", "pgup"}, []string{"esc"}, false},
		{"closed by Ctrl+C", nil, []string{"ctrl+c"}, false},
		{"went to a hit", nil, []string{"enter", "esc"}, true},
		{"went by an arrow", nil, []string{"up", "esc"}, true},
		{"scrolled away", nil, []string{"pgup", "esc"}, true},
		{"took the needle back", nil, []string{"ctrl+u", "esc"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := showing(t, 80, 24, path...)
			d.keys(c.before...)
			before := body(d.screen())
			following := d.m.chat.transcript.list.Following()
			d.finds("needle", "/2")
			if body(d.screen()) == before || d.rowOf() < 0 {
				t.Fatalf("typing does not show a hit:\n%s", d.screen())
			}
			d.keys(c.keys...)
			if stays := body(d.screen()) != before; stays != c.stays {
				t.Errorf("the reader stays: %v, want %v\n%s", stays, c.stays, d.screen())
			}
			if now := d.m.chat.transcript.list.Following(); now != following && !c.stays {
				t.Errorf("following is %v, it was %v", now, following)
			}
			if d.m.quitting != (quitting{}) {
				t.Error("Ctrl+C has begun to quit")
			}
		})
	}
}

func TestTheNearestHitIsShownFirst(t *testing.T) {
	path := manyTurns(40)
	for _, i := range []int{0, 20, 60, 70} {
		path[i].Parts[0].Text = fmt.Sprint("needle ", i)
	}
	d := showing(t, 80, 24, path...)
	d.finds("needle", "4/4") // the last above the tail
	d.keys("esc", "ctrl+home")
	d.finds("needle", "1/4")
	d.keys("esc", "ctrl+end")
	for range 30 {
		d.keys("pgup")
	}
	d.keys("tab")
	for d.m.chat.transcript.focus != "q5" {
		d.keys("}")
	}
	d.finds("needle 2", "1/1")
}

func TestAHitInsideAVeryLongAnswerIsAThirdFromTheTop(t *testing.T) {
	var s strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&s, "Paragraph %d has **words** of its own.\n\n", i)
	}
	d := showing(t, 80, 34, said("u", api.RoleUser, text("q")), said("a", api.RoleAssistant, text(s.String())))
	d.keys("ctrl+home")
	d.finds("paragraph 1777 has words", "1/1")
	h := d.m.chat.transcript.list.Height()
	if y := d.rowOf() - d.m.layout().list; y != h/3 {
		t.Errorf("the hit is on row %d of %d:\n%s", y, h, d.screen())
	}
	for _, size := range [][2]int{{44, 34}, {120, 20}, {60, 40}, {200, 12}, {80, 34}} {
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if d.rowOf() < 0 {
			t.Errorf("at %v the hit is not on screen:\n%s", size, d.screen())
		}
	}
}

func TestAResizeLeavesAReaderWhoWentElsewhere(t *testing.T) {
	path := manyTurns(40)
	path[10].Parts[0].Text = "the needle"
	d := showing(t, 80, 24, path...)
	d.finds("needle", "1/1")
	d.keys("enter", "ctrl+end")
	d.send(tea.WindowSizeMsg{Width: 70, Height: 22})
	if d.rowOf() >= 0 || !d.m.chat.transcript.list.Following() {
		t.Errorf("a resize goes back to the hit:\n%s", d.screen())
	}
}

func TestAHitAcrossASoftWrapIsMarkedOnBothRows(t *testing.T) {
	words := strings.Repeat("filler words ", 5) + "one **two** three four five six seven"
	for width := 41; width < 70; width += 3 {
		d := showing(t, width, 24,
			said("u", api.RoleUser, text(strings.ReplaceAll(words, "*", ""))),
			said("a", api.RoleAssistant, reasoning(strings.ReplaceAll(words, "*", "")), text(words)))
		d.finds("two three four", "1/3")
		d.keys("enter", "enter") // opens the reasoning
		for _, marks := range []string{d.current(), d.hits()} {
			joined := strings.Join(strings.FieldsFunc(marks, func(r rune) bool { return r == '|' || r == ' ' }), " ")
			if want := "two three four"; joined != want && joined != want+" "+want {
				t.Fatalf("at %d columns %q is marked:\n%s", width, marks, d.screen())
			}
		}
	}
}

func TestWideCharactersAreMarkedWhereTheyStand(t *testing.T) {
	d := showing(t, 60, 24,
		said("u", api.RoleUser, text("汉字\t漢字です")),
		said("a", api.RoleAssistant, text("これは**漢字**です。\n\n| 漢字 | `b` |\n|---|---|\n| 🍞 **パン** | 漢字です |")))
	d.keys("ctrl+f")
	d.send(tea.PasteMsg{Content: "漢字です"})
	d.sees("1/3")
	if d.current() != "漢字です" || d.hits() != "漢字|です|漢字です" && d.hits() != "漢字です|漢字です" {
		t.Errorf("%q and %q are marked:\n%s", d.current(), d.hits(), d.screen())
	}
	row := strings.Split(d.m.View().Content, "\n")[d.rowOf()]
	before, _, _ := strings.Cut(row, string(d.m.look().hitNow))
	if got, want := ansi.StringWidth(before), 1+2+4+4; got != want {
		t.Errorf("the mark begins at column %d, want %d", got, want)
	}
	if c := d.m.View().Cursor; c == nil || c.X != len("── Find ")-4+8 || c.Y != d.m.layout().rule {
		t.Errorf("the caret is at %v", c)
	}
	d.keys("left")
	if c := d.m.View().Cursor; c.X != len("── Find ")-4+6 {
		t.Errorf("a character back the caret is at %v", c)
	}
}

func TestANeedleIsLiteralAndHarmless(t *testing.T) {
	d := showing(t, 80, 24,
		said("u", api.RoleUser, text(`match ^a.*(b|c)[d]+$ here`)),
		said("a", api.RoleAssistant, text("red: \x1b[31mred\x1b[0m and `\x1b]52;c;cHduZWQ=\x07`")))
	d.finds(`^a.*(b|c)[d]+$`, "1/1")
	d.keys("ctrl+u")
	d.types(".*")
	d.sees("1/1")
	d.keys("ctrl+u")
	for _, evil := range []string{"\x1b[31m", "\x1b]52;c;cHduZWQ=\x07", "\x1b]0;PWNED\x07", "\u009b31m", "\u202etxt"} {
		d.keys("ctrl+u")
		d.send(tea.PasteMsg{Content: evil})
		out := d.m.View().Content
		for _, bad := range []string{"\x1b[31m", "\x1b]52", "\x1b]0", "\u009b", "\u202e", "\x07"} {
			if strings.Contains(out, bad) {
				t.Errorf("pasting %q sends %q to the terminal", evil, bad)
			}
		}
	}
	d.keys("ctrl+u")
	d.send(tea.PasteMsg{Content: "\x1b[31mred"})
	d.sees("1/1") // it is found as it is drawn
}

func TestHitsAreSeenWithoutColours(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	lk := d.m.look()
	if !strings.Contains(string(lk.hit), "4;") || !strings.Contains(string(lk.hitNow), "7;") {
		t.Errorf("without colours hits are drawn as %q and %q", lk.hit, lk.hitNow)
	}
}

func TestTextThatArrivesIsSearchedToo(t *testing.T) {
	b := newBench(t, "")
	more := make(chan struct{})
	b.server.Script(emulator.Stream(
		emulator.R("a needle in thought"), emulator.C("the first nee"), emulator.Wait(more), emulator.C("dle, a **nee"), emulator.C("dle** in bold "), emulator.C("and more"), emulator.Wait(more),
		emulator.C(" a needle at the end"), emulator.F("stop"), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.types("q")
	d.keys("enter")
	d.sees("the first nee")
	d.finds("needle", "1/1")
	more <- struct{}{}
	d.sees("1/3")
	d.sees("and more")
	d.keys("enter")
	d.sees("2/3")
	more <- struct{}{}
	d.sees("2/4")
	d.idle()
	d.wait("the end of the search", func() bool { return !d.m.chat.find.running })
	d.sees("2/4")
	if d.current() != "needle" {
		t.Errorf("the current hit is %q", d.current())
	}
}

func TestOnlyWhatIsNewOfAnArrivingAnswerIsSearched(t *testing.T) {
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.C("So. "), emulator.Hang))
	d := newDriver(t, b.deps, 100, 30)
	d.types("go on")
	d.keys("enter")
	d.sees("So.")
	live := d.m.chat.transcript
	add := func(s string) (bytes int) {
		d.m.Update(d.deltas(s))
		f := d.m.chat.find
		f.running = false
		job, ok := f.scan(live.scene, live.live.ID)
		if !ok {
			return 0
		}
		for _, it := range job.items {
			bytes += len(it.text)
		}
		d.m.Update(foundMsg{search: job.search, found: job.run()})
		return bytes
	}
	d.m.Update(press("ctrl+f"))
	d.m.Update(press("x"))
	add(strings.Repeat("some text ", 20_000))
	if n := add("a x b"); n > 100 || n < 5 {
		t.Errorf("5 new bytes are searched as %d", n)
	}
	if n := add(""); n != 0 {
		t.Errorf("%d bytes are searched when nothing came", n)
	}
	for range 20 {
		add(" x")
	}
	want := strings.Count(live.parts[0].(*textBlock).source(), "x")
	if f := d.m.chat.find; f.total != want {
		t.Errorf("%d hits, want %d", f.total, want)
	}
}

func TestEscGoesBackToTheHitThatWasGoneToLast(t *testing.T) {
	path := manyTurns(40)
	path[0].Parts[0].Text = "the first needle"
	path[40].Parts[0].Text = "some thread"
	d := showing(t, 80, 24, path...)
	d.finds("thread", "1/1")
	d.keys("enter", "ctrl+f")
	gone := body(d.screen())
	d.types("needle")
	d.sees("the first needle")
	d.keys("esc")
	d.sees("some thread")
	if now := body(d.screen()); strings.Split(now, "\n")[5] != strings.Split(gone, "\n")[5] {
		t.Errorf("after the second needle the reader is at\n%s\nwant\n%s", now, gone)
	}
}

func TestReasoningThatWasGoneToStaysOpenWhileOtherHitsAreLookedAt(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.finds("needs", "1/3")
	d.sees("The bread needs warmth.")
	d.keys("enter", "enter", "enter", "n", "n")
	d.sees("3/3")
	d.sees("The bread needs warmth.")
	d.keys("esc")
	d.never("needs warmth")
}

func TestFindCanBeGivenItsTextAsACommand(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.types("/find cold bread")
	d.keys("enter")
	d.sees("1/1")
	if d.m.focus != paneConversation || !d.m.prompt.editor.Empty() {
		t.Errorf("the focus is on %q, the draft is %q", d.m.focus, d.m.prompt.editor.Text())
	}
	d.keys("/")
	d.types("bread")
	d.sees("/4") // what was there is replaced
	d.keys("tab", "n", "tab", "x")
	if got := d.m.prompt.editor.Text(); got != "x" {
		t.Errorf("the draft is %q", got)
	}
	d.keys("esc")
	d.never("Find")
	d.types("!")
	d.keys("ctrl+u")
	d.types("/find nowhere")
	d.keys("enter")
	d.sees("no hits")
	if d.m.focus != paneFind {
		t.Errorf("with nothing to go to the focus is on %q", d.m.focus)
	}
}

func TestSlashFindsOnlyWhereTheConversationIsRead(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.types("/")
	d.never("Find")
	if got := d.m.prompt.editor.Text(); got != "/" {
		t.Errorf("the draft is %q", got)
	}
	d.keys("ctrl+u", "tab", "/")
	d.sees("── Find")
	d.keys("esc")
	d.types("n") // there is no find to go on with
	if got := d.m.prompt.editor.Text(); got != "n" {
		t.Errorf("the draft is %q", got)
	}
}

func TestThereMustBeSomethingToFindIn(t *testing.T) {
	d := newDriver(t, newBench(t, "").deps, 80, 24)
	d.keys("ctrl+f")
	d.sees("there is nothing to find yet")
	d.never("── Find")
}

func TestALongNeedleIsShownAroundItsCaret(t *testing.T) {
	d := showing(t, 40, 12, chatAboutBread()...)
	d.keys("ctrl+f")
	d.types("a needle that is far too long 漢字漢字漢字")
	d.sees("no hits")
	row := strings.Split(d.screen(), "\n")[d.m.layout().rule]
	if !strings.Contains(row, "漢字漢字漢字") {
		t.Errorf("the bar is %q", row)
	}
	for range 60 {
		if c := d.m.View().Cursor; c.X < len("── Find ")-4 || c.X > 24 {
			t.Fatalf("the caret is at %v", c)
		}
		d.keys("left")
	}
	if row = strings.Split(d.screen(), "\n")[d.m.layout().rule]; !strings.Contains(row, "a needle that i") {
		t.Errorf("at its start the bar is %q", row)
	}
}

func TestEarlierMessagesThatComeLaterAreFoundToo(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.finds("cold", "1/2")
	d.keys("enter")
	d.sees("2/2")
	d.m.chat.transcript.prepend([]session.Message{said("e", api.RoleUser, text("Cold and cold again"))})
	d.m.chat.transcript.addMessage(&session.Message{ID: "l", Role: api.RoleUser, State: session.Done, Created: moment, Parts: []session.Part{text("so cold")}})
	d.send(tea.FocusMsg{})
	d.sees("4/5")
	if d.current() != "Cold" {
		t.Errorf("the current hit is %q", d.current())
	}
}

func TestAnotherChatEndsTheFind(t *testing.T) {
	d := showing(t, 100, 30, chatAboutBread()...)
	d.finds("bread", "1/4")
	d.keys("ctrl+n")
	d.never("── Find")
	if d.m.focus != paneComposer {
		t.Errorf("the focus is on %q", d.m.focus)
	}
}

func TestASearchIsDoneInParts(t *testing.T) {
	d := showing(t, 100, 30, manyTurns(10_000)...)
	d.m.Update(press("ctrl+f"))
	d.m.Update(press("w"))
	f, scene := d.m.chat.find, d.m.chat.transcript.scene
	jobs := 0
	for {
		f.running = false
		job, ok := f.scan(scene, "")
		if !ok {
			break
		}
		jobs++
		bytes := 0
		for _, it := range job.items[:len(job.items)-1] {
			bytes += len(it.text)
		}
		if bytes > scanBytes {
			t.Fatalf("one command searches %d bytes", bytes)
		}
		d.m.Update(foundMsg{search: job.search, found: job.run()})
		if f.nth == 0 && jobs == 1 {
			t.Error("the nearest hit is not known after the first command")
		}
	}
	if jobs < 3 {
		t.Errorf("%d commands", jobs)
	}
	if want := 15 * 10_000; f.total != want {
		t.Errorf("%d hits, want %d", f.total, want)
	}
	// What an old search finds is dropped.
	d.m.Update(foundMsg{search: f.search - 1, found: []scanned{{piece: f.pieces.all[0], hits: nil}}})
	if f.total != 15*10_000 {
		t.Error("an old search counts")
	}
}

func TestMarksLeaveTheRestOfTheRowAsItWas(t *testing.T) {
	const on ink = "\x1b[7m"
	for _, c := range []struct {
		name, row string
		runs      []inked
		want      string
	}{
		{"plain", "one two", []inked{{4, 7, on}}, "one \x1b[m\x1b[7mtwo\x1b[m"},
		{"inside a style", "\x1b[1mone two\x1b[m", []inked{{0, 3, on}}, "\x1b[1m\x1b[m\x1b[7mone\x1b[m\x1b[1m two\x1b[m"},
		{"over a change of style", "o\x1b[1mne\x1b[m t", []inked{{0, 2, on}}, "\x1b[m\x1b[7mon\x1b[m\x1b[1me\x1b[m t"},
		{"two side by side", "abcd", []inked{{0, 2, on}, {2, 3, on}}, "\x1b[m\x1b[7mab\x1b[m\x1b[m\x1b[7mc\x1b[md"},
		{"wide characters", "漢字", []inked{{2, 4, on}}, "漢\x1b[m\x1b[7m字\x1b[m"},
		{"half of a wide character", "漢字", []inked{{1, 2, on}}, "\x1b[m\x1b[7m漢\x1b[m字"},
		{"a link", "\x1b]8;;x\x1b\\ab\x1b]8;;\x1b\\", []inked{{0, 1, on}}, "\x1b]8;;x\x1b\\\x1b[m\x1b[7ma\x1b[mb\x1b]8;;\x1b\\"},
		{"nothing", "ab", nil, "ab"},
		{"behind the row", "ab", []inked{{5, 7, on}}, "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := inkRow(c.row, c.runs); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
