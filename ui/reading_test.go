package ui

import (
	"strings"
	"sync/atomic"
	"testing"
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
