//go:build unix

package host

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestALinkIsOpenedWithoutWaiting(t *testing.T) {
	dir := t.TempDir()
	opener, got := filepath.Join(dir, "xdg-open"), filepath.Join(dir, "got")
	if err := syscall.Mkfifo(got, 0o600); err != nil {
		t.Fatal(err)
	}
	// It says what it opens, then stays.
	if err := os.WriteFile(opener, []byte("#!/bin/sh\nprintf '%s' \"$1\" > '"+got+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := system("linux", nil, "DISPLAY", ":0")
	s.LookPath = func(string) (string, error) { return opener, nil }
	if err := s.Launch("https://example.com/a?b=1&c='x'"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(got); string(data) != "https://example.com/a?b=1&c='x'" || err != nil {
		t.Errorf("%q %v", data, err)
	}
}

func TestALinkIsNotOpenedWhereNobodySeesIt(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    System
		want error
	}{
		{"SSH", system("linux", []string{"xdg-open"}, "DISPLAY", ":10", "SSH_CONNECTION", "x"), ErrRemote},
		{"SSH on a Mac", system("darwin", nil, "SSH_TTY", "/dev/ttys001"), ErrRemote},
		{"a console", system("linux", []string{"xdg-open"}), ErrNoDisplay},
	} {
		if err := tt.s.Launch("https://example.com"); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, bad := range []string{"file:///etc/passwd", "javascript:x", "--help"} {
		if err := system("linux", []string{"xdg-open"}, "DISPLAY", ":0").Launch(bad); err == nil {
			t.Errorf("%q is opened", bad)
		}
	}
	if err := system("linux", nil, "DISPLAY", ":0").Launch("https://example.com"); err == nil {
		t.Error("nothing opens it")
	}
}
