package ui

import (
	"image/color"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/chat"
	"waferchat/ui/untrusted"
)

// View draws the screen from what settle laid out.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	if !m.screen.mouseOff {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = m.windowTitle()
	if t, named := m.deps.Themes[m.screen.theme]; named {
		if r, g, b, ok := rgb(t.Ground); ok {
			v.BackgroundColor = color.RGBA{R: r, G: g, B: b, A: 255} // what it is made for
		}
	}
	w, h := m.screen.width, m.screen.height
	if w == 0 || h == 0 {
		return v
	}
	l := m.layout()
	if l.tooSmall {
		v.SetContent(fit("waferchat needs 40×10", w))
		return v
	}
	rows := m.rows(l)
	x, y := m.caret(l)
	if n := len(m.overlays); n > 0 {
		x, y = drawOverlay(m.look(), m.overlays[n-1], rows, w)
	}
	v.SetContent(strings.Join(rows, "\n"))
	if x >= 0 {
		v.Cursor = tea.NewCursor(min(x, w-1), min(y, h-1))
	}
	return v
}

// rows draws every row of the screen without overlays.
func (m *Model) rows(l layout) []string {
	rows := make([]string, l.height)
	rows[0] = m.titleBar(l.width)
	m.drawConversation(rows[l.list:l.list+l.listH], l)
	rows[l.rule] = m.rule(l.width)
	m.drawPrompt(rows[l.prompt : l.prompt+l.promptH])
	rows[l.status] = m.statusLine(l.width)
	return rows
}

// titleBar is the bold title with dim facts at the right.
func (m *Model) titleBar(w int) string {
	lk := m.look()
	s := &m.chat.session
	title := m.chat.transcript.scene.drawable(untrusted.Line(s.Title))
	switch {
	case title != "" || m.resuming():
	case m.firstRun() != nil:
		title = "waferchat"
	default:
		title = "New chat"
	}
	var facts []string
	if m.conn != nil && m.conn.Demo {
		facts = append(facts, "scripted demo")
	}
	if s.ZDR {
		facts = append(facts, "ZDR")
	}
	if s.Model != "" {
		facts = append(facts, untrusted.Line(s.Model))
	}
	if s.Effort != "" {
		facts = append(facts, untrusted.Line(s.Effort))
	}
	right := lk.dim.draw(joinFit(facts, " · ", max(w/2, w-4-columns(title))))
	return ends(" "+lk.title.draw(fit(title, max(8, w-columns(right)-4))), right+"  ", w)
}

// drawConversation puts the focus mark, the blocks and the scrollbar together.
func (m *Model) drawConversation(out []string, l layout) {
	lk, t := m.look(), m.chat.transcript
	if t.list.Len() == 0 {
		if !m.resuming() && m.firstRun() == nil {
			copy(out, m.welcome(l))
		}
		return
	}
	thumb, length := t.list.Thumb()
	for y := range out {
		row := " "
		if m.focus == paneConversation {
			if t.marked(y) {
				row = lk.accent.draw("│")
			}
		}
		if y < len(m.screen.rows) {
			row += m.screen.rows[y]
		}
		if length > 0 {
			bar := lk.faint.draw("│")
			if y >= thumb && y < thumb+length {
				bar = lk.dim.draw("┃")
			}
			row = pad(row, l.width-1) + bar
		}
		out[y] = row
	}
}

// welcome is the empty state: what this is and what to do next.
func (m *Model) welcome(l layout) []string {
	lk := m.look()
	lines := []string{lk.bold.draw("waferchat")}
	write, keys := "Write below and press Enter.", m.keys.hint("palette")+" lists every command, ? the keys."
	if columns(write)+columns(keys)+5 <= l.width {
		lines = append(lines, lk.dim.draw(write+" "+keys))
	} else {
		lines = append(lines, lk.dim.draw(write), lk.dim.draw(keys))
	}
	if m.conn != nil && m.conn.Demo {
		lines = append(lines, "", lk.dim.draw("This is a scripted demo: ask for help, code, a table, something long, math …"))
	}
	out := make([]string, l.listH)
	top := max(0, l.listH-len(lines)-1)
	for i, s := range lines {
		if top+i < len(out) {
			out[top+i] = fit("   "+s, l.width)
		}
	}
	return out
}

// rule is the composer's one line: what is new below, or a warning, at the left,
// the forecast at the right.
func (m *Model) rule(w int) string {
	if m.chat.find != nil {
		return m.findBar(w)
	}
	lk := m.look()
	line := lk.faint
	left, mark := "", lk.accent
	t := m.chat.transcript
	if !t.list.Following() {
		left = m.belowHint()
	}
	right := m.forecast(w - columns(left) - 12)
	if s, warning := m.notice(); s != "" && left == "" {
		mark = lk.dim
		if warning {
			s, mark = "⚠ "+s, lk.warning
		}
		if columns(s)+columns(right)+12 > w {
			right = m.forecast(w / 3)
		}
		left = fit(s, w-columns(right)-10)
	}
	used := 0
	if left != "" {
		left = " " + left + " "
		used += columns(left) + 2
	}
	if right != "" && used+columns(right)+6 <= w {
		right = " " + right + " "
		used += columns(right) + 2
	} else {
		right = ""
	}
	out := line.draw("──") + mark.draw(left)
	if left == "" {
		out = ""
	}
	out += line.draw(strings.Repeat("─", max(0, w-used)))
	if right != "" {
		out += lk.dim.draw(right) + line.draw("──")
	}
	return fit(out, w)
}

// belowHint tells a reader who scrolled up what is below.
func (m *Model) belowHint() string {
	t := m.chat.transcript
	if n := t.list.NewBelow(); n > 0 {
		return "↓ " + grouped(n) + " new · " + m.keys.hint("tail")
	}
	if n := t.list.Below(); n > 0 {
		return "↓ " + grouped(n) + " below"
	}
	return ""
}

func (m *Model) drawPrompt(out []string) {
	lk := m.look()
	mark := lk.accent.draw(promptMark)
	if m.focus != paneComposer {
		mark = lk.faint.draw(promptMark)
	}
	for i, row := range m.prompt.editor.View() {
		if i >= len(out) {
			break
		}
		out[i] = " " + mark + row
		mark = spaces(columns(promptMark))
	}
}

// caret is the composer's caret on the screen, nowhere while it is not focused.
func (m *Model) caret(l layout) (x, y int) {
	if m.focus == paneFind {
		return m.findCaret(l)
	}
	if m.focus != paneComposer {
		return -1, -1
	}
	cx, cy := m.prompt.editor.Cursor()
	return cx + 1 + columns(promptMark), l.prompt + cy
}

// windowTitle shows the chat and whether an answer is arriving.
func (m *Model) windowTitle() string {
	title := untrusted.Line(m.chat.session.Title)
	if title == "" {
		title = "waferchat"
	}
	if m.chat.running() && m.chat.live.state != chat.Retrying {
		return "● " + title
	}
	return title
}
