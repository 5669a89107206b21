package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// overlay is a window over the conversation. The top one takes all keys.
// Overlays tell the program what was chosen by the functions they are made with.
type overlay interface {
	// key takes a key press. closed removes the overlay before cmd runs.
	key(msg tea.KeyPressMsg, stroke string) (cmd tea.Cmd, closed bool)
	paste(text string)
	scroll(rows int)
	// view draws the inside for a room of at most w × h cells, and says where
	// the caret is in it, x < 0 for nowhere.
	view(lk *look, w, h int) (rows []string, x, y int)
	title() (name, facts string)
}

func (m *Model) push(o overlay) { m.overlays = append(m.overlays, o) }

// overlayKey gives a key to the top overlay. Ctrl+C closes it, and so never
// quits by surprise.
func (m *Model) overlayKey(o overlay, msg tea.KeyPressMsg, stroke string) tea.Cmd {
	if isInterrupt(msg) {
		stroke = "esc"
	}
	cmd, closed := o.key(msg, stroke)
	if closed {
		m.drop(o)
	}
	return cmd
}

// drop removes an overlay, also when others were opened over it meanwhile.
func (m *Model) drop(o overlay) {
	for i := len(m.overlays) - 1; i >= 0; i-- {
		if m.overlays[i] == o {
			m.overlays = append(m.overlays[:i], m.overlays[i+1:]...)
			return
		}
	}
}

// overlayWidth is how wide overlays are at most, besideWidth those that leave the
// conversation in view.
const (
	overlayWidth = 92
	besideWidth  = 44
)

// litter is how narrow a margin beside an overlay is too narrow to show text in.
const litter = 8

// drawOverlay draws an overlay over the rows of the screen and returns where
// the caret is, x < 0 for nowhere.
func drawOverlay(lk *look, o overlay, screen []string, width int) (x, y int) {
	w := min(width-2, overlayWidth)
	left := (width - w) / 2
	if b, ok := o.(interface{ beside() bool }); ok && b.beside() {
		w = min(w, besideWidth)
		left = width - w - 2
	}
	h := len(screen) - 2
	air := 0 // blank rows inside the border, where there is room
	if len(screen) >= 20 {
		air = 1
	}
	inner, cx, cy := o.view(lk, w-4, h-2-air)
	if air > 0 {
		inner = append([]string{""}, inner...)
		cy++
	}
	top := max(0, (len(screen)-len(inner)-2)/3)
	name, facts := o.title()
	box := []string{topBorder(lk, name, facts, w)}
	side := lk.overlayBorder.draw("│")
	for _, row := range inner {
		box = append(box, side+lk.overlay.draw(" ")+onGround(lk.overlay, row, w-4)+lk.overlay.draw(" ")+side)
	}
	box = append(box, lk.overlayBorder.draw("└"+strings.Repeat("─", w-2)+"┘"))
	for i, row := range box {
		if at := top + i; at < len(screen) {
			if left <= litter {
				screen[at] = "" // a letter or two beside the window would only distract
			}
			screen[at] = splice(screen[at], row, left, w)
		}
	}
	if cx < 0 {
		return -1, -1
	}
	return left + 2 + cx, top + 1 + cy
}

func topBorder(lk *look, name, facts string, w int) string {
	head := lk.overlayBorder.draw("┌ ") + lk.overlayBold.draw(fit(name, w-6)) + lk.overlayBorder.draw(" ")
	tail := lk.overlayBorder.draw("┐")
	if room := w - columns(head) - 4; facts != "" && columns(facts) <= room {
		tail = lk.overlayBorder.draw(" ") + lk.overlayDim.draw(facts) + lk.overlayBorder.draw(" ┐")
	}
	return head + lk.overlayBorder.draw(strings.Repeat("─", max(0, w-columns(head)-columns(tail)))) + tail
}

// onGround pads a row with a ground that reaches its end.
func onGround(k ink, row string, w int) string {
	row = fit(row, w)
	return row + k.draw(spaces(w-columns(row)))
}

// splice puts a row of w columns over another one, from column left on. A wide
// character that is covered by half becomes a blank.
func splice(under, over string, left, w int) string {
	before := pad(ansi.Truncate(under, left, ""), left)
	rest := max(0, ansi.StringWidth(under)-left-w)
	after := ansi.TruncateLeft(under, left+w, "")
	if ansi.StringWidth(after) > rest {
		after = " " + ansi.TruncateLeft(under, left+w+1, "")
	}
	return before + over + after
}
