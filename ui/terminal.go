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
	if sixteen := p == colorprofile.ANSI; sixteen != m.screen.sixteen {
		m.screen.sixteen = sixteen
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
	if m.deps.Markdown != nil {
		return newLook(t), m.deps.Markdown
	}
	return newLook(t), markdown.ThemeStyle(t)
}
