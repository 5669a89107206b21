package ui

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"waferchat/api"
	"waferchat/api/emulator"
)

const wideAnswer = "Look **here**:\n\n```sh\nabcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789END\n```\n\n```go\nx := 1\n```\n"

// asksFor answers a question with a text and waits for a part of it.
func (d *driver) asksFor(b *bench, text, sign string) {
	d.t.Helper()
	b.server.Script(answered(text))
	d.asks("go")
	d.sees(sign)
	d.idle()
}

func TestCodeBlocksCarryTheirNumber(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 100, 30)
	d.asksFor(b, wideAnswer, "x := 1")
	d.sees("sh · copy 1")
	d.sees("go · copy 2")
}

func TestWideCodeWrapsOrScrollsSideways(t *testing.T) {
	b := newBench(t, "")
	var kept atomic.Value
	b.deps.KeepSetting = func(option, value string) error { kept.Store(option + "=" + value); return nil }
	d := newDriver(t, b.deps, 60, 30)
	d.asksFor(b, wideAnswer, "x := 1")
	d.sees("END") // wrapped, all of it can be read
	d.asks("/wrap")
	d.sees("scrolls sideways")
	d.never("END")
	d.sees("»")
	d.keys("tab")
	for range 6 {
		d.keys("right")
	}
	d.sees("END")
	d.sees("«")
	d.never("abcdefghijklmnopqrstuvwxyz0123456789abc")
	for range 6 {
		d.keys("left")
	}
	d.never("END")
	d.wait("the setting", func() bool { return kept.Load() == "wide_code=scroll" })
}

func TestMarkdownIsShownAsItWasWritten(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 100, 30)
	d.asksFor(b, wideAnswer, "x := 1")
	d.never("**here**")
	d.asks("/raw")
	d.sees("as it was written")
	d.sees("Look **here**:")
	d.sees("```go")
	b.server.Script(answered("and *more*"))
	d.asks("again")
	d.sees("and *more*")
	d.idle()
	d.asks("/raw")
	d.sees("laid out again")
	if s := d.screen(); strings.Contains(s, "*more*") || strings.Contains(s, "```") {
		t.Errorf("the screen shows markup:\n%s", s)
	}
}

func TestAddressesAreShownWhereLinksCannotBeOpened(t *testing.T) {
	for shown, want := range map[bool]string{false: "See the page.", true: "example.com"} {
		b := newBench(t, "")
		b.deps.Settings.ShowAddresses = shown
		d := newDriver(t, b.deps, 100, 30)
		d.asksFor(b, "See [the page](https://example.com/x).", want)
		if !shown {
			d.never("example.com")
		}
	}
}

func TestOnlyCodeThatIsTooWideMoves(t *testing.T) {
	b := newBench(t, "")
	b.deps.Settings.CodeScrolls = true
	d := newDriver(t, b.deps, 60, 30)
	d.asksFor(b, wideAnswer, "x := 1")
	d.keys("tab", "right", "right")
	d.sees("«")
	d.sees(" x := 1")
}

func TestTheKeysOfAMessageActOnWhatTheyPromise(t *testing.T) {
	b := newBench(t, "")
	d := newDriver(t, b.deps, 110, 30)
	b.server.Script(
		emulator.Stream(emulator.C("one two three fo"), emulator.RST), answered("four five"), answered("other words"))
	d.asks("count")
	d.sees("one two three fo")
	d.idle()
	d.keys("tab")
	d.sees("+ go on")
	d.never("Space unfold")
	d.keys("+")
	d.sees("five")
	d.idle()
	if a := d.m.chat.transcript.focused(); a == nil || a.Role != api.RoleAssistant {
		t.Errorf("after going on the mark is at %+v", a)
	}
	d.never("+ go on")
	d.keys("r")
	d.sees("other words")
	d.idle()
	d.keys("[")
	d.sees("five")
	d.keys("[")
	d.sees("‹ 1/3 ›")
	if d.m.focus != paneConversation || !d.m.prompt.editor.Empty() {
		t.Errorf("the focus is at the %s, the draft says %q", d.m.focus, d.m.prompt.editor.Text())
	}
}

func TestAChatComesBackAtThePlaceThatWasRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.db")
	b := newBench(t, path)
	d := newDriver(t, b.deps, 100, 24)
	for i := range 40 {
		d.asksFor(b, fmt.Sprintf("%sAnswer %d.", strings.Repeat(fmt.Sprintf("A line of %d.\n\n", i), 8), i), fmt.Sprintf("Answer %d.", i))
	}
	d.keys("ctrl+home")
	for range 6 {
		d.keys("pgdown")
	}
	want := strings.Split(d.screen(), "\n")[3]
	if err := d.m.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	again := newBench(t, path)
	again.deps.Resume = Resume{Latest: true}
	d = newDriver(t, again.deps, 100, 24)
	d.wait("the place", func() bool { return strings.Split(d.screen(), "\n")[3] == want && want != "" })
	d.never("Answer 39")
}

func TestQuittingKeepsThePlaceAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.db")
	b := newBench(t, path)
	d := newDriver(t, b.deps, 100, 24)
	d.asksFor(b, "An answer.", "An answer.")
	d.m.chat.session.Model = "for this run only" // as -c -m would have it
	id := d.m.chat.session.ID
	d.keys("ctrl+home")
	if err := d.m.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, err := b.store.Get(t.Context(), id); err != nil || v.Model != "GLM-5.3" {
		t.Errorf("the chat is kept with the model %q, %v", v.Model, err)
	}
}
