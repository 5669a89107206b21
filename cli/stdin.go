package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// stdinLimit is the size of the largest request that the API takes.
const stdinLimit = 50_000_000

// How long nothing may come from stdin before that is said, and before a socket
// is taken for one that nobody writes to, as ssh and some parents leave open.
const (
	stdinNote   = 2 * time.Second
	stdinSocket = 3 * time.Second
)

// prompt joins the words of the command line and what is piped in with a blank
// line.
func (p *program) prompt(ctx context.Context, words []string) (string, error) {
	text := strings.Join(words, " ")
	piped, err := p.piped(ctx, text != "")
	if err != nil {
		return "", err
	}
	switch {
	case piped == "":
	case strings.TrimSpace(text) == "":
		text = piped
	default:
		text += "\n\n" + piped
	}
	return cleanText(text), nil
}

// piped reads stdin when it is neither a terminal nor missing.
func (p *program) piped(ctx context.Context, words bool) (string, error) {
	if p.sys.Stdin == nil || isTerminal(p.sys.Stdin) {
		return "", nil
	}
	kind := stdinKind(p.sys.Stdin)
	r := &watched{r: p.sys.Stdin, first: make(chan struct{}), done: make(chan struct{})}
	go r.readAll()
	note, socket := time.NewTimer(stdinNote), time.NewTimer(stdinSocket)
	defer note.Stop()
	defer socket.Stop()
	for {
		select {
		case <-r.done:
			return r.text()
		case <-ctx.Done():
			return "", &exitError{status: exitInterrupted}
		case <-note.C:
			if words && kind != 0 && !r.begun() {
				p.note("waiting for text on stdin (< /dev/null if there is none)")
			}
		case <-socket.C:
			if words && kind == fs.ModeSocket && !r.begun() {
				p.note("nothing came on stdin; going on without it")
				return "", nil
			}
		}
	}
}

// stdinKind is fs.ModeNamedPipe or fs.ModeSocket, or 0 for what never waits.
func stdinKind(r io.Reader) fs.FileMode {
	f, ok := r.(*os.File)
	if !ok {
		return 0
	}
	st, err := f.Stat()
	if err != nil {
		return 0
	}
	return st.Mode() & (fs.ModeNamedPipe | fs.ModeSocket)
}

// watched reads a stream to its end in a goroutine of its own.
type watched struct {
	r           io.Reader
	first, done chan struct{}
	data        []byte
	err         error
}

func (w *watched) readAll() {
	defer close(w.done)
	first := make([]byte, 1)
	n, err := io.ReadFull(w.r, first)
	close(w.first)
	if n == 0 {
		w.err = err
		return
	}
	rest, err := io.ReadAll(io.LimitReader(w.r, stdinLimit))
	w.data, w.err = append(first, rest...), err
}

func (w *watched) begun() bool {
	select {
	case <-w.first:
		return true
	default:
		return false
	}
}

// text returns what was read. A stdin that is closed is an empty one.
func (w *watched) text() (string, error) {
	if w.err != nil && !errors.Is(w.err, io.EOF) && !errors.Is(w.err, fs.ErrClosed) && !errors.Is(w.err, syscall.EBADF) {
		return "", local(fmt.Errorf("read stdin: %w", w.err))
	}
	if len(w.data) > stdinLimit {
		return "", local(fmt.Errorf("read stdin: it is larger than %d MB, the most that the API takes", stdinLimit/1_000_000))
	}
	return strings.TrimRight(string(w.data), "\r\n"), nil
}

// cleanText makes text that every server takes: valid UTF-8 without a byte
// order mark and without NUL, which becomes U+FFFD like everything that is no
// text.
func cleanText(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ReplaceAll(s, "\x00", "\ufffd")
}
