package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsToldOfACopyIsNoMoreThanIsKnown(t *testing.T) {
	works := func(string) error { return nil }
	fails := func(string) error { return ErrNoClipboard }
	home := t.TempDir()
	state := filepath.Join(home, "state", "waferchat")
	long := strings.Repeat("x", 80_000)
	ssh := []string{"SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22", "HOME", home}
	for _, tt := range []struct {
		name  string
		write func(string) error
		env   []string
		text  string
		want  string
	}{
		{"both", works, nil, "x", "clipboard + OSC 52"},
		{"no clipboard program", fails, nil, "x", "OSC 52 (the terminal may refuse it)"},
		{"too long for the terminal", works, nil, long, "clipboard, too long for OSC 52"},
		{"over SSH", works, ssh, "x", "clipboard of the remote machine + OSC 52 (the terminal may refuse it)"},
		{"over SSH, too long", works, ssh, long, "clipboard of the remote machine, too long for OSC 52"},
		{"neither", fails, []string{"HOME", home}, long, "~/state/waferchat/copied.txt, no clipboard takes it"},
	} {
		c := Clipboard{System: system("linux", nil, tt.env...), Dir: state, Write: tt.write}
		got, err := c.Copy(tt.text)
		if err != nil || got.How() != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.name, got.How(), err, tt.want)
		}
	}
}

func TestATextThatNoClipboardTakesIsInAFileThatOnlyItsOwnerReads(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	long := strings.Repeat("y", 80_000)
	c := Clipboard{System: system("linux", nil), Write: func(string) error { return ErrNoClipboard }}
	for range 2 {
		c.Dir = filepath.Join(tmp, "state")
		got, err := c.Copy(long)
		if err != nil || got.File != filepath.Join(c.Dir, "copied.txt") {
			t.Fatal(got.File, err)
		}
		if data, _ := os.ReadFile(got.File); string(data) != long {
			t.Errorf("%d bytes", len(data))
		}
		if st, _ := os.Stat(got.File); st.Mode() != 0o600 {
			t.Errorf("mode %v", st.Mode())
		}
	}
	// A directory that cannot be: there is a temporary one then.
	c.Dir = filepath.Join(tmp, "state", "copied.txt", "below")
	got, err := c.Copy(long)
	if err != nil || !strings.HasPrefix(got.File, filepath.Join(tmp, "waferchat-")) {
		t.Fatal(got.File, err)
	}
	if st, _ := os.Stat(got.File); st.Mode() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	t.Setenv("TMPDIR", filepath.Join(tmp, "gone"))
	if got, err := c.Copy(long); !errors.Is(err, ErrNoClipboard) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%+v %v", got, err)
	}
}
