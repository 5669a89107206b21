package vterm

import (
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// callbacks follow the modes. They run with the lock held.
func (s *Screen) callbacks() vt.Callbacks {
	set := func(mode ansi.Mode, on bool) {
		s.modes[mode] = on
		if mode == ansi.Mode(ansi.DECMode(2026)) {
			s.syncing = on
		}
	}
	return vt.Callbacks{
		AltScreen:   func(on bool) { s.alt = on },
		EnableMode:  func(mode ansi.Mode) { set(mode, true) },
		DisableMode: func(mode ansi.Mode) { set(mode, false) },
	}
}
