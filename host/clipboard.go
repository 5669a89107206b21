package host

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"
)

// Limits of OSC 52 in bytes of base64: what the stricter terminals take whole,
// and the longest piece that GNU screen passes through at once.
const (
	osc52Limit  = 100_000
	screenPiece = 76
)

// clipboardLimit is how long a native clipboard may take: over a forwarded
// display that is gone it would wait for ever.
const clipboardLimit = 2 * time.Second

// Errors of the clipboard.
var (
	ErrNoClipboard   = errors.New("there is no clipboard program here (xclip, xsel, wl-clipboard or Termux:API)")
	ErrClipboardSlow = errors.New("the clipboard does not answer")
)

// Copied tells what became of a text to copy.
type Copied struct {
	// Native is nil when the system's clipboard has the text.
	Native error
	// Sequence is to be written to the terminal, which may or may not obey. It is
	// "" when the text is too long for it.
	Sequence string
}

// Clipboard is the text clipboard.
type Clipboard struct {
	System System
	// Write and Read replace the native clipboard.
	Write func(string) error
	Read  func() (string, error)
}

// Copy puts a text on the native clipboard and makes the sequence that asks the
// terminal for the same: over SSH only the terminal's clipboard is the user's.
func (c Clipboard) Copy(text string) Copied {
	write := c.Write
	if write == nil {
		write = nativeWrite
	}
	_, err := limited(func() (string, error) { return "", write(text) })
	return Copied{Native: err, Sequence: c.System.OSC52(text)}
}

// Paste returns the text on the native clipboard.
func (c Clipboard) Paste() (string, error) {
	read := c.Read
	if read == nil {
		read = nativeRead
	}
	return limited(read)
}

// OSC52 returns the sequence that asks the terminal to put a text on its
// clipboard, wrapped for tmux or GNU screen, or "" for a text that is too long.
// tmux gets it twice, once for itself (set-clipboard on) and once to pass on
// (allow-passthrough on).
func (s System) OSC52(text string) string {
	if base64.StdEncoding.EncodedLen(len(text)) > osc52Limit {
		return ""
	}
	seq := ansi.SetSystemClipboard(text)
	term := s.env("TERM")
	switch {
	case s.env("TMUX") != "" || strings.HasPrefix(term, "tmux"):
		return seq + ansi.TmuxPassthrough(seq)
	case s.env("STY") != "" || strings.HasPrefix(term, "screen"):
		return ansi.ScreenPassthrough(seq, screenPiece)
	}
	return seq
}

func nativeWrite(text string) error {
	if clipboard.Unsupported {
		return ErrNoClipboard
	}
	return clipboard.WriteAll(text)
}

func nativeRead() (string, error) {
	if clipboard.Unsupported {
		return "", ErrNoClipboard
	}
	return clipboard.ReadAll()
}

func limited(f func() (string, error)) (string, error) {
	done := make(chan reply, 1)
	go func() {
		text, err := f()
		done <- reply{text, err}
	}()
	limit := time.NewTimer(clipboardLimit)
	defer limit.Stop()
	select {
	case r := <-done:
		return r.secret, r.err
	case <-limit.C:
		return "", ErrClipboardSlow
	}
}
