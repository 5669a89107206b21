package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/ui/untrusted"
)

// confirmation asks before something is done that cannot be taken back. What was
// typed for something else does not answer it: keys are ignored for a while after
// it appears, and for a while after each key in that time.
type confirmation struct {
	name  string
	text  string
	yes   string           // what y does, in words
	now   func() time.Time // the screen's time
	ready time.Time        // when keys begin to count
	run   func() tea.Cmd
}

// confirmGrace is that while.
const confirmGrace = 400 * time.Millisecond

// confirm opens a confirmation.
func (m *Model) confirm(name, text, yes string, run func() tea.Cmd) {
	now := func() time.Time { return m.screen.now }
	m.push(&confirmation{name: name, text: text, yes: yes, now: now, ready: now().Add(confirmGrace), run: run})
}

func (c *confirmation) title() (string, string) { return c.name, "" }
func (c *confirmation) paste(string)            { c.tooEarly() }
func (c *confirmation) scroll(int)              {}

// tooEarly tells whether input is not an answer yet, and then waits on.
func (c *confirmation) tooEarly() bool {
	if !c.now().Before(c.ready) {
		return false
	}
	c.ready = c.now().Add(confirmGrace)
	return true
}

func (c *confirmation) key(_ tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	if c.tooEarly() {
		return nil, false
	}
	switch stroke {
	case "y", "Y":
		return c.run(), true
	case "n", "N", "esc":
		return nil, true
	}
	return nil, false
}

func (c *confirmation) view(lk *look, w, h int) ([]string, int, int) {
	p := newPlainText(w, untrusted.Text(c.text))
	var out []string
	for i := range min(p.len(), max(1, h-2)) {
		out = append(out, lk.overlay.draw(p.row(i)))
	}
	out = append(out, "", lk.overlayDim.draw(fit("y "+c.yes+"   n, Esc leave it", w)))
	return out, -1, -1
}
