package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Errors of SaveFile. ErrExists is fs.ErrExist in other words.
var (
	ErrExists   = fmt.Errorf("there is such a file already: %w", fs.ErrExist)
	ErrNotAFile = errors.New("that is no regular file")
)

// SaveFile writes a file that the user named: a leading "~" is the home
// directory, a relative name begins at the working directory. No directory is
// created. A new file has the permissions that the umask leaves. An existing one
// is ErrExists unless replace is set; then it is replaced in one step and keeps
// its permissions, and what a symbolic link points to is replaced, not the link.
// path is the full path, also with an error.
func (s System) SaveFile(name string, data []byte, replace bool) (path string, err error) {
	path, err = s.fullPath(name)
	if err != nil {
		return name, fmt.Errorf("save file: %w", err)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return path, fmt.Errorf("save file: %s is a directory, name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return path, fmt.Errorf("save file: %s: %w", path, ErrNotAFile)
	case err == nil && !replace:
		return path, fmt.Errorf("save file: %s: %w", path, ErrExists)
	case err == nil:
		return path, replaceFile(path, data, info.Mode().Perm())
	}
	return path, newFile(path, data)
}

// fullPath is the absolute path that a user's words for a file mean.
func (s System) fullPath(name string) (string, error) {
	name = strings.TrimSpace(name)
	if n := len(name); n > 1 && (name[0] == '"' || name[0] == '\'') && name[n-1] == name[0] {
		name = name[1 : n-1]
	}
	if name == "" {
		return "", errors.New("no file is named")
	}
	if strings.HasSuffix(name, "/") {
		return "", fmt.Errorf("%s names a directory, not a file", name)
	}
	if name == "~" || strings.HasPrefix(name, "~/") || strings.HasPrefix(name, "~"+string(os.PathSeparator)) {
		home, err := s.Home()
		if err != nil {
			return "", err
		}
		name = filepath.Join(home, name[1:])
	}
	return filepath.Abs(name)
}

// Home is the user's home directory.
func (s System) Home() (string, error) {
	name := "HOME"
	if s.goos() == "windows" {
		name = "USERPROFILE"
	}
	if home := s.env(name); home != "" {
		return home, nil
	}
	return "", errors.New("there is no home directory: " + name + " is not set")
}

// Short writes a path below the home directory with "~", as people read it.
func (s System) Short(path string) string {
	home, err := s.Home()
	if rest, ok := strings.CutPrefix(path, home); err == nil && ok && strings.HasPrefix(rest, string(os.PathSeparator)) {
		return "~" + rest
	}
	return path
}

// newFile creates a file that must not exist, whole or not at all.
func newFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("save file: %s: %w", path, ErrExists)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("save file: there is no directory %s", filepath.Dir(path))
	case err != nil:
		return fmt.Errorf("save file: %w", err)
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("save file: %w", err)
	}
	return nil
}

func replaceFile(path string, data []byte, mode fs.FileMode) error {
	if err := WriteFile(path, data); err != nil {
		return err
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("save file: %w", err)
	}
	return nil
}
