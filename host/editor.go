package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoEditor tells that no editor can be found.
var ErrNoEditor = errors.New("no editor found: set VISUAL or EDITOR")

// Edit is a text in the hands of an external editor. The caller runs Cmd with a
// terminal, takes the Text and calls Remove.
type Edit struct {
	Cmd  *exec.Cmd
	dir  string
	path string
	text string
}

// Edit writes a text to a 0600 file in a 0700 directory of its own and makes
// the command that edits it: VISUAL or EDITOR with their arguments, else a
// usual editor. The file has the name, of which only the last element counts, so
// that the editor knows the language by its suffix.
func (s System) Edit(name, text string) (*Edit, error) {
	argv, err := s.editor()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "waferchat-") // MkdirTemp makes it 0700
	if err != nil {
		return nil, fmt.Errorf("edit text: %w", err)
	}
	e := &Edit{dir: dir, path: filepath.Join(dir, filepath.Base(name)), text: text}
	if err := os.WriteFile(e.path, []byte(text), 0o600); err != nil {
		_ = e.Remove()
		return nil, fmt.Errorf("edit text: %w", err)
	}
	e.Cmd = exec.Command(argv[0], append(argv[1:], e.path)...)
	return e, nil
}

// Text reads the text back. The newline that editors put at the end of a file is
// taken off again where there was none.
func (e *Edit) Text() (string, error) {
	data, err := os.ReadFile(e.path)
	if err != nil {
		return "", fmt.Errorf("read edited text: %w", err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if !strings.HasSuffix(e.text, "\n") {
		text = strings.TrimSuffix(text, "\n")
	}
	return text, nil
}

// Remove deletes the file and its directory.
func (e *Edit) Remove() error { return os.RemoveAll(e.dir) }

func (s System) editor() ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		argv, err := splitWords(s.env(name), s.goos() == "windows")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(argv) > 0 {
			if _, err := s.look(argv[0]); err != nil {
				return nil, fmt.Errorf("%s: there is no program %q", name, argv[0])
			}
			return argv, nil
		}
	}
	usual := []string{"nano", "vim", "vi", "emacs"}
	if s.goos() == "windows" {
		usual = []string{"notepad"}
	}
	for _, name := range usual {
		if path, err := s.look(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, ErrNoEditor
}

// splitWords splits a command line as a shell does: blanks separate, quotes and
// backslashes protect. On Windows a backslash is part of a path.
func splitWords(line string, windows bool) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	in, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && !windows:
			escaped, in = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'' && !windows:
			quote, in = r, true
		case r == ' ' || r == '\t':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}
