package vterm

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/color"
	"io"
	"slices"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// The size of a cell in pixels that the terminal claims.
const cellWidth, cellHeight = 10, 20

// answer installs what the emulator does not do by itself: the modes and the
// queries of current terminals, titles with any text, and the clipboard.
func (s *Screen) answer() {
	s.replies.silent = s.silent
	go func() { _, _ = io.Copy(&s.replies, s.emu) }()

	emu := s.emu
	emu.SetCallbacks(s.callbacks())
	for _, cmd := range []int{0, 2} {
		emu.RegisterOscHandler(cmd, func(data []byte) bool {
			_, title, _ := bytes.Cut(data, []byte(";"))
			s.title = string(title)
			return true
		})
	}
	emu.RegisterOscHandler(52, s.copied)
	emu.RegisterCsiHandler(ansi.Command('?', '$', 'p'), s.modeAsked)
	emu.RegisterCsiHandler(ansi.Command('?', 0, 'n'), s.schemeAsked)
	emu.RegisterCsiHandler(ansi.Command('>', 0, 'q'), func(ansi.Params) bool {
		s.reply("\x1bP>|vterm 1.0\x1b\\")
		return true
	})
	emu.RegisterCsiHandler('t', s.sizeAsked)
	emu.RegisterCsiHandler(ansi.Command('?', 0, 'u'), func(ansi.Params) bool {
		if !s.plainKeys {
			s.reply(fmt.Sprintf("\x1b[?%du", s.kitty[len(s.kitty)-1]))
		}
		return true
	})
	emu.RegisterCsiHandler(ansi.Command('>', 0, 'u'), s.keysPushed)
	emu.RegisterCsiHandler(ansi.Command('<', 0, 'u'), s.keysPopped)
	emu.RegisterCsiHandler(ansi.Command('=', 0, 'u'), s.keysSet)
	emu.RegisterDcsHandler(ansi.Command(0, '+', 'q'), func(ansi.Params, []byte) bool {
		s.reply("\x1bP0+r\x1b\\") // no such capability
		return true
	})
}

// reply answers the program, behind what the emulator has answered. It is called
// with the lock held.
func (s *Screen) reply(text string) { _, _ = io.WriteString(s.emu.InputPipe(), text) }

// modeAsked answers for the modes that the emulator does not know by itself.
func (s *Screen) modeAsked(params ansi.Params) bool {
	n, _, _ := params.Param(0, 0)
	switch n {
	case 2026, 2027, 2031:
		setting := ansi.ModeReset
		if s.modes[ansi.DECMode(n)] {
			setting = ansi.ModeSet
		}
		s.reply(ansi.ReportMode(ansi.DECMode(n), setting))
		return true
	}
	return false
}

// schemeAsked answers CSI ? 996 n, the query for a dark or light ground.
func (s *Screen) schemeAsked(params ansi.Params) bool {
	if n, _, _ := params.Param(0, 0); n != 996 {
		return false
	}
	s.reply(s.scheme())
	return true
}

func (s *Screen) scheme() string {
	if isDark(s.ground) {
		return "\x1b[?997;1n"
	}
	return "\x1b[?997;2n"
}

// SetBackground changes the ground of the terminal as a user does who switches
// from dark to light. A program that asked for it with mode 2031 is told.
func (s *Screen) SetBackground(c color.Color) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ground = c
	s.setColors()
	if s.modes[ansi.DECMode(2031)] {
		s.reply(s.scheme())
	}
	s.notify()
}

// sizeAsked answers the queries for pixels and cells.
func (s *Screen) sizeAsked(params ansi.Params) bool {
	n, _, _ := params.Param(0, 0)
	cols, rows := s.size.cols, s.size.rows
	switch n {
	case 14:
		s.reply(fmt.Sprintf("\x1b[4;%d;%dt", rows*cellHeight, cols*cellWidth))
	case 16:
		s.reply(fmt.Sprintf("\x1b[6;%d;%dt", cellHeight, cellWidth))
	case 18:
		s.reply(fmt.Sprintf("\x1b[8;%d;%dt", rows, cols))
	default:
		return false
	}
	return true
}

// copied keeps what OSC 52 puts into the clipboard.
func (s *Screen) copied(data []byte) bool {
	parts := bytes.SplitN(data, []byte(";"), 3)
	if len(parts) != 3 || string(parts[2]) == "?" {
		return true
	}
	if text, err := base64.StdEncoding.DecodeString(string(parts[2])); err == nil {
		s.clipboard = string(text)
	}
	return true
}

// The stack of flags of the kitty keyboard protocol. Its last entry is in force,
// the first stays.

func (s *Screen) keysPushed(params ansi.Params) bool {
	flags, _, _ := params.Param(0, 0)
	if !s.plainKeys {
		s.kitty = append(s.kitty, flags)
	}
	return true
}

func (s *Screen) keysPopped(params ansi.Params) bool {
	n, _, _ := params.Param(0, 1)
	s.kitty = s.kitty[:max(len(s.kitty)-max(n, 1), 1)]
	return true
}

func (s *Screen) keysSet(params ansi.Params) bool {
	flags, _, _ := params.Param(0, 0)
	how, _, _ := params.Param(1, 1)
	if s.plainKeys {
		return true
	}
	top := &s.kitty[len(s.kitty)-1]
	switch how {
	case 1:
		*top = flags
	case 2:
		*top |= flags
	case 3:
		*top &^= flags
	}
	return true
}

// replies holds what the terminal answers until the program takes it. It never
// blocks the writer, so that a program which does not read cannot stop its own
// screen.
type replies struct {
	mu     sync.Mutex
	data   []byte
	ready  chan struct{} // has room for one
	silent bool
}

func (r *replies) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.silent {
		r.data = append(r.data, p...)
		r.wake()
	}
	return len(p), nil
}

// wake tells the reader that there is data. The lock is held.
func (r *replies) wake() {
	if r.ready == nil {
		r.ready = make(chan struct{}, 1)
	}
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

// take returns what is there, and a channel that tells of more.
func (r *replies) take() ([]byte, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ready == nil {
		r.ready = make(chan struct{}, 1)
	}
	data := slices.Clone(r.data)
	r.data = r.data[:0]
	return data, r.ready
}
