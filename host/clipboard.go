package host

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"
)

// Limits of OSC 52 in bytes: the whole sequence that the stricter terminals take
// (74,994 bytes of text), and the pieces that GNU screen passes through. Screen
// takes pieces of 768 bytes since version 4.2.1, of 256 before 4.0.3.
const (
	osc52Limit  = 100_000
	osc52Frame  = len("\x1b]52;c;" + "\a")
	screenPiece = 250
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
	// File has the text when no clipboard could be tried with hope of success:
	// its path, "" for none.
	File string

	system System
}

// Clipboard is the text clipboard.
type Clipboard struct {
	System System
	// Dir is where a text goes that no clipboard takes. When it is "" or cannot
	// be written, a temporary directory is made.
	Dir string
	// Write and Read replace the native clipboard.
	Write func(string) error
	Read  func() (string, error)
}

// copiedFile is the file of such a text. It is replaced each time, so that
// nothing piles up.
const copiedFile = "copied.txt"

// Copy puts a text on the native clipboard and makes the sequence that asks the
// terminal for the same: over SSH only the terminal's clipboard is the user's.
// When the native clipboard refuses and the text is too long for the terminal,
// it goes into a 0600 file. The error is that nothing was done at all.
func (c Clipboard) Copy(text string) (Copied, error) {
	write := c.Write
	if write == nil {
		write = nativeWrite
	}
	_, err := limited(func() (string, error) { return "", write(text) })
	done := Copied{Native: err, Sequence: c.System.OSC52(text), system: c.System}
	if done.Native == nil || done.Sequence != "" {
		return done, nil
	}
	if done.File, err = c.keep(text); err != nil {
		return done, fmt.Errorf("copy text: %w", errors.Join(done.Native, err))
	}
	return done, nil
}

// keep writes a text that no clipboard takes and tells where.
func (c Clipboard) keep(text string) (path string, err error) {
	if c.Dir != "" {
		path = filepath.Join(c.Dir, copiedFile)
		if WriteFile(path, []byte(text)) == nil {
			return path, nil
		}
	}
	dir, err := os.MkdirTemp("", "waferchat-") // MkdirTemp makes it 0700
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, copiedFile)
	return path, WriteFile(path, []byte(text))
}

// How tells where the text is now, in words for the user that claim no more than
// is known: a native clipboard has answered, a terminal never does.
func (c Copied) How() string {
	native, remote := "clipboard", c.system.Remote()
	if remote {
		native = "clipboard of the remote machine"
	}
	switch {
	case c.Native == nil && c.Sequence == "":
		return native + ", too long for OSC 52"
	case c.Native == nil && remote:
		return native + " + OSC 52 (the terminal may refuse it)"
	case c.Native == nil:
		return native + " + OSC 52"
	case c.Sequence != "":
		return "OSC 52 (the terminal may refuse it)"
	}
	return c.system.Short(c.File) + ", no clipboard takes it"
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
// (allow-passthrough on). A TERM of screen without its STY may be a tmux at the
// other end of an SSH connection: it gets a short text plain too, which screen
// ignores.
func (s System) OSC52(text string) string {
	if base64.StdEncoding.EncodedLen(len(text))+osc52Frame > osc52Limit {
		return ""
	}
	seq := ansi.SetSystemClipboard(text)
	term := s.env("TERM")
	switch {
	case s.env("TMUX") != "" || strings.HasPrefix(term, "tmux"):
		return seq + ansi.TmuxPassthrough(seq)
	case s.env("STY") != "":
		return ansi.ScreenPassthrough(seq, screenPiece)
	case strings.HasPrefix(term, "screen"):
		wrapped := ansi.ScreenPassthrough(seq, screenPiece)
		if len(seq) < screenPiece {
			return seq + wrapped
		}
		return wrapped
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
