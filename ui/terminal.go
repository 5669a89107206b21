package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"waferchat/themes"
	"waferchat/ui/markdown"
)

// Farewell is to be written to the terminal when the program has ended: what the
// Model switched on and Bubble Tea does not know of.
const Farewell = ansi.ResetModeLightDark

// What the terminal tells of itself, and what follows for drawing.

// background learns the terminal's background from its answer to OSC 11.
func (m *Model) background(msg tea.BackgroundColorMsg) tea.Cmd {
	if msg.Color == nil {
		return nil
	}
	r, g, b, _ := msg.Color.RGBA()
	ground := themes.Color(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
	if dark := msg.IsDark(); dark != m.screen.dark || ground != m.screen.ground {
		m.screen.dark, m.screen.ground = dark, ground
		m.restyle()
	}
	return nil
}

func (m *Model) colours(p colorprofile.Profile) tea.Cmd {
	sixteen, colourless := p == colorprofile.ANSI, p <= colorprofile.ASCII
	if sixteen != m.screen.sixteen || colourless != m.screen.colourless {
		m.screen.sixteen, m.screen.colourless = sixteen, colourless
		m.restyle()
	}
	return nil
}

// modeReported learns whether the terminal measures grapheme clusters (mode
// 2027). Until it says so, the renderer counts code points, and the caret and the
// blocks must do the same.
func (m *Model) modeReported(msg tea.ModeReportMsg) {
	if msg.Mode == ansi.ModeUnicodeCore && msg.Value != ansi.ModeNotRecognized && msg.Value != ansi.ModePermanentlyReset {
		m.prompt.editor.SetWidthMethod(ansi.GraphemeWidth)
		m.chat.transcript.scene.graphemes = true
		m.chat.transcript.scene.generation++
	}
}

// theme is the palette in force.
func (m *Model) theme() themes.Theme {
	if t, ok := m.deps.Themes[m.screen.theme]; ok {
		return t
	}
	name := "light"
	if m.screen.dark {
		name = "dark"
	}
	if m.screen.sixteen {
		return m.deps.Themes["ansi-"+name]
	}
	if t := m.deps.Themes[name]; m.screen.ground != "" {
		return t.On(m.screen.ground)
	}
	return m.deps.Themes[name]
}

func (m *Model) styles() (*look, *markdown.Style) {
	t := m.theme()
	style := m.deps.Markdown
	if style == nil {
		style = markdown.ThemeStyle(t)
	}
	lk := newLook(t)
	if m.screen.colourless {
		lk.selection = reversed
	}
	return lk, style.Hyperlinks(!m.deps.Settings.ShowAddresses)
}
