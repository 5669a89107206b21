// Package vterm is a virtual terminal for tests and screenshots. [Start] runs a
// program in a real pty behind one; [NewScreen] is the terminal alone, for bytes
// that come from somewhere else. It answers queries as a current terminal does.
//
// It is test machinery: the product never imports it. It needs a system with
// pseudo-terminals.
package vterm

import (
	"image/color"
	"io"
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Cell is one cell of the screen: a grapheme, its width in cells and its style.
// The cell behind a wide grapheme has no content and the width 0.
type Cell = uv.Cell

// syncLimit is how long a frame may stay open before it is shown half done, as
// terminals do it.
const syncLimit = time.Second

// Screen is a virtual terminal. Its methods may be called from any goroutine.
type Screen struct {
	mu      sync.Mutex
	emu     *vt.Emulator
	size    struct{ cols, rows int }
	replies replies
	changed chan struct{} // closed and replaced after each change

	title     string
	clipboard string
	alt       bool
	syncing   bool // within a synchronised update
	kitty     []int
	modes     map[ansi.Mode]bool
	silent    bool
	plainKeys bool
	ground    color.Color
}

// NewScreen returns an empty screen, to be closed. cols and rows are at least 1.
func NewScreen(cols, rows int) *Screen { return newScreen(Config{Cols: cols, Rows: rows}) }

func newScreen(c Config) *Screen {
	s := &Screen{
		changed:   make(chan struct{}),
		modes:     make(map[ansi.Mode]bool),
		kitty:     []int{0},
		silent:    c.Silent,
		plainKeys: c.PlainKeys,
		ground:    c.Background,
	}
	if s.ground == nil {
		s.ground = color.Black
	}
	s.size.cols, s.size.rows = max(c.Cols, 1), max(c.Rows, 1)
	s.emu = vt.NewEmulator(s.size.cols, s.size.rows)
	s.setColors()
	s.answer()
	return s
}

// Close frees what the screen holds. It must not be written to after that; what
// it shows can still be read.
func (s *Screen) Close() {
	if pipe, ok := s.emu.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
}

// Replies returns what the terminal has answered to queries since the last call.
// For a [Term] the program takes them.
func (s *Screen) Replies() string {
	data, _ := s.replies.take()
	return string(data)
}

// setColors gives the emulator a ground and a text colour that is readable on it.
func (s *Screen) setColors() {
	s.emu.SetDefaultBackgroundColor(s.ground)
	var text color.Color = color.White
	if !isDark(s.ground) {
		text = color.Black
	}
	s.emu.SetDefaultForegroundColor(text)
	s.emu.SetDefaultCursorColor(text)
}

// Write draws the bytes that a program wrote. It never fails.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.emu.Write(p)
	s.notify()
	return len(p), nil
}

func (s *Screen) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Changed returns a channel that is closed by the next change of the screen.
func (s *Screen) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// frame locks the screen when no synchronised update is under way, so that what
// is read is what a person would see. One that stays open for long is not waited
// for.
func (s *Screen) frame() (unlock func()) {
	s.mu.Lock()
	if !s.syncing {
		return s.mu.Unlock
	}
	late := time.NewTimer(syncLimit)
	defer late.Stop()
	for s.syncing {
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
			s.mu.Lock()
		case <-late.C:
			s.mu.Lock()
			return s.mu.Unlock
		}
	}
	return s.mu.Unlock
}

// Size is the size of the screen in cells.
func (s *Screen) Size() (cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size.cols, s.size.rows
}

func (s *Screen) resize(cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size.cols, s.size.rows = max(cols, 1), max(rows, 1)
	s.emu.Resize(s.size.cols, s.size.rows)
	s.notify()
}

// Text is the screen as text: all rows, without the blanks at their ends, each
// with a newline.
func (s *Screen) Text() string {
	defer s.frame()()
	var b strings.Builder
	for y := range s.size.rows {
		b.WriteString(s.row(y))
		b.WriteByte('\n')
	}
	return b.String()
}

// Row is row y, from 0, without the blanks at its end.
func (s *Screen) Row(y int) string {
	defer s.frame()()
	return s.row(y)
}

func (s *Screen) row(y int) string {
	var b strings.Builder
	for x := 0; x < s.size.cols; {
		c := s.emu.CellAt(x, y)
		if c == nil || c.Content == "" {
			b.WriteByte(' ')
			x++
			continue
		}
		b.WriteString(c.Content)
		x += max(c.Width, 1)
	}
	return strings.TrimRight(b.String(), " ")
}

// Cell is the cell in column x and row y, from 0; an empty one outside.
func (s *Screen) Cell(x, y int) Cell {
	defer s.frame()()
	c := s.emu.CellAt(x, y)
	if c == nil {
		return Cell{Content: " ", Width: 1}
	}
	return *c
}

// Cursor is where the cursor is and whether it is shown.
func (s *Screen) Cursor() (x, y int, visible bool) {
	defer s.frame()()
	p := s.emu.CursorPosition()
	return p.X, p.Y, !s.emu.CursorHidden()
}

// Title is the window's title.
func (s *Screen) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.title
}

// Clipboard is the text that the program last put into the clipboard by OSC 52.
func (s *Screen) Clipboard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clipboard
}

// AltScreen tells whether the alternate screen is shown.
func (s *Screen) AltScreen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alt
}

// Mode tells whether the program has switched a private mode on, such as 2004
// for bracketed paste or 1006 for the mouse.
func (s *Screen) Mode(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.modes[ansi.DECMode(number)]
}

// KeyboardFlags are the flags of the kitty keyboard protocol that are in force.
func (s *Screen) KeyboardFlags() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kitty[len(s.kitty)-1]
}

// Colors are the colours of text and ground where the program sets none.
func (s *Screen) Colors() (text, ground color.Color) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.ForegroundColor(), s.emu.BackgroundColor()
}

// isDark tells whether light text belongs on a colour.
func isDark(c color.Color) bool {
	return color.Gray16Model.Convert(c).(color.Gray16).Y < 0x8000
}
