package host

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
)

// Open makes the command that opens a link in the browser or a file in its
// program. Links may come from a model: only http, https and mailto are
// opened, and files only by an absolute path, so that nothing can be taken for
// an option or run by its scheme.
func (s System) Open(target string) (*exec.Cmd, error) {
	if !filepath.IsAbs(target) {
		u, err := url.Parse(target)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
			return nil, fmt.Errorf("open: only http, https and mailto links and files by their full path can be opened")
		}
		target = u.String()
	}
	switch s.goos() {
	case "darwin":
		return exec.Command("open", target), nil
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", target), nil
	}
	names := []string{"xdg-open", "gio"}
	if s.wsl() {
		names = []string{"wslview", "xdg-open"}
	}
	for _, name := range names {
		path, err := s.look(name)
		if err != nil {
			continue
		}
		if name == "gio" {
			return exec.Command(path, "open", target), nil
		}
		return exec.Command(path, target), nil
	}
	return nil, fmt.Errorf("open: there is no %s here", names[0])
}

// Errors of Launch: why nothing can be opened for the user's eyes.
var (
	ErrRemote    = errors.New("this is a remote machine (SSH)")
	ErrNoDisplay = errors.New("there is no display here")
)

// Launch opens a link or file as Open describes and does not wait for the
// program: it has no terminal, and what it says is lost. Over SSH it would open
// where the user is not, so that is ErrRemote.
func (s System) Launch(target string) error {
	cmd, err := s.Open(target)
	switch {
	case err != nil:
		return err
	case s.Remote():
		return fmt.Errorf("open: %w", ErrRemote)
	case !s.display():
		return fmt.Errorf("open: %w", ErrNoDisplay)
	}
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	go func() { _ = cmd.Wait() }() // only so that no dead process stays
	return nil
}

// display tells whether a program could open a window.
func (s System) display() bool {
	switch s.goos() {
	case "darwin", "windows":
		return true
	}
	return s.wsl() || s.env("DISPLAY") != "" || s.env("WAYLAND_DISPLAY") != ""
}
