package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"waferchat/themes"
)

// ink is a way of drawing text: the sequence that switches it on. The zero ink
// draws plainly.
type ink string

const inkOff = "\x1b[m"

// draw returns s in this ink, closed at its end.
func (k ink) draw(s string) string {
	if k == "" || s == "" {
		return s
	}
	return string(k) + s + inkOff
}

// look is the palette ready for drawing.
type look struct {
	theme themes.Theme

	text, bold, dim, faint, accent, danger, warning, success ink
	dimItalic                                                ink
	user, userBar, userTime, userChip                        ink // on the raised ground
	overlay, overlayDim, overlayBold, overlayBorder          ink // on the overlay ground
	chosen, chosenDim, chosenMark                            ink // the selected row of an overlay
	overlayAccent, overlayDanger                             ink
	title, selection, dangerBold                             ink
	hit, hitNow                                              ink // what was found; told without colours too
}

func newLook(t themes.Theme) *look {
	fg := func(c themes.Color, more ...string) ink { return sgr(c, "", more...) }
	return &look{
		theme:         t,
		text:          fg(t.Text),
		bold:          fg(t.Text, "1"),
		title:         fg(t.Text, "1"),
		dim:           fg(t.Dim),
		dimItalic:     fg(t.Dim, "3"),
		faint:         fg(t.Faint),
		accent:        fg(t.Accent, "1"),
		danger:        fg(t.Danger),
		dangerBold:    fg(t.Danger, "1"),
		warning:       fg(t.Warning),
		success:       fg(t.Success),
		user:          sgr(t.Text, t.Raised),
		userBar:       sgr(t.Accent, t.Raised),
		userTime:      sgr(t.Dim, t.Raised),
		userChip:      sgr(t.Dim, t.Raised, "3"),
		overlay:       sgr(t.Text, t.Overlay),
		overlayDim:    sgr(t.Dim, t.Overlay),
		overlayBold:   sgr(t.Text, t.Overlay, "1"),
		overlayBorder: sgr(t.Faint, t.Overlay),
		overlayAccent: sgr(t.Accent, t.Overlay, "1"),
		overlayDanger: sgr(t.Danger, t.Overlay),
		chosen:        sgr(t.Text, t.Select),
		chosenDim:     sgr(t.Dim, t.Select),
		chosenMark:    sgr(t.Accent, t.Select, "1"),
		selection:     sgr(t.Text, t.Select),
		hit:           sgr(t.Text, t.Select, "4"),
		hitNow:        sgr(t.Warning, t.Ground, "1", "7"),
	}
}

// alert is the warning colour of a picker's row.
func (lk *look) alert(chosen bool) ink {
	if chosen {
		return sgr(lk.theme.Warning, lk.theme.Select)
	}
	return sgr(lk.theme.Warning, lk.theme.Overlay)
}

// sgr builds the sequence for colours and attributes; "" leaves a colour alone.
func sgr(fg, bg themes.Color, attrs ...string) ink {
	parts := attrs
	if r, g, b, ok := rgb(fg); ok {
		parts = append(parts, fmt.Sprintf("38;2;%d;%d;%d", r, g, b))
	}
	if r, g, b, ok := rgb(bg); ok {
		parts = append(parts, fmt.Sprintf("48;2;%d;%d;%d", r, g, b))
	}
	if len(parts) == 0 {
		return ""
	}
	return ink("\x1b[" + strings.Join(parts, ";") + "m")
}

func rgb(c themes.Color) (r, g, b uint8, ok bool) {
	if len(c) != 7 {
		return 0, 0, 0, false
	}
	v, err := strconv.ParseUint(string(c[1:]), 16, 32)
	return uint8(v >> 16), uint8(v >> 8), uint8(v), err == nil
}

// fit cuts a styled string to w columns, with an ellipsis, never inside a
// grapheme.
func fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if ansi.StringWidth(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// pad fits s into exactly w columns.
func pad(s string, w int) string {
	n := ansi.StringWidth(s)
	if n > w {
		s = fit(s, w)
		n = ansi.StringWidth(s)
	}
	return s + spaces(w-n)
}

// ends puts left and right at the ends of a row of w columns; right gives way
// when there is no room for both.
func ends(left, right string, w int) string {
	rw := ansi.StringWidth(right)
	if right == "" || ansi.StringWidth(left)+1+rw > w {
		return pad(left, w)
	}
	return pad(left, w-rw) + right
}

// joinFit joins as many parts as fit into w columns: a narrow screen drops facts
// from the right, whole.
func joinFit(parts []string, sep string, w int) string {
	out := ""
	for i, p := range parts {
		next := p
		if i > 0 {
			next = out + sep + p
		}
		if columns(next) > w {
			if i == 0 {
				return fit(p, w)
			}
			return out
		}
		out = next
	}
	return out
}
