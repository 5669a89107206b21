package host

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func system(goos string, programs []string, pairs ...string) System {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return System{
		GOOS:   goos,
		Getenv: func(k string) string { return m[k] },
		LookPath: func(name string) (string, error) {
			if slices.Contains(programs, name) {
				return "/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		},
	}
}

func TestAKeyCommandGivesItsFirstLine(t *testing.T) {
	if key, err := (System{}).RunKeyCommand(context.Background(), "printf '\\n  wfr_abc \\nsecond\\n'"); key != "wfr_abc" || err != nil {
		t.Errorf("%q %v", key, err)
	}
}

func TestAFailingKeyCommandIsExplainedWithoutItsOutput(t *testing.T) {
	for command, want := range map[string]string{
		"echo wfr_SECRET; echo 'not \x1b[31msigned in' >&2; exit 3": "run key_command: exit status 3: not [31msigned in",
		"echo wfr_SECRET; exit 1":                                   "run key_command: exit status 1",
		"true":                                                      "run key_command: it printed nothing",
	} {
		if _, err := (System{}).RunKeyCommand(context.Background(), command); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (System{}).RunKeyCommand(ctx, "sleep 60"); err == nil {
		t.Error("a cancelled command goes on")
	}
	key, err := (System{}).RunKeyCommand(context.Background(), "sleep 60 & echo wfr_abc")
	if key != "wfr_abc" || err != nil {
		t.Errorf("a child keeps the pipe open: %q %v", key, err)
	}
}

func TestOSC52IsWrappedForMultiplexers(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString([]byte("grüße"))
	plain := "\x1b]52;c;" + b64 + "\a"
	if got := system("linux", nil).OSC52("grüße"); got != plain {
		t.Errorf("%q", got)
	}
	if got := system("linux", nil, "TMUX", "x").OSC52("grüße"); got != plain+"\x1bPtmux;\x1b"+plain+"\x1b\\" {
		t.Errorf("%q", got)
	}
	got := system("linux", nil, "STY", "x").OSC52(strings.Repeat("x", 300))
	var whole strings.Builder
	for _, piece := range strings.Split(strings.TrimSuffix(got, "\x1b\\"), "\x1b\\") {
		piece, ok := strings.CutPrefix(piece, "\x1bP")
		if !ok || len(piece) > 254 {
			t.Errorf("piece %q", piece)
		}
		whole.WriteString(piece)
	}
	if whole.String() != system("linux", nil).OSC52(strings.Repeat("x", 300)) {
		t.Errorf("%q", whole.String())
	}
	if system("linux", nil).OSC52(strings.Repeat("x", 74_995)) != "" || system("linux", nil).OSC52(strings.Repeat("x", 74_994)) == "" {
		t.Error("the limit is wrong")
	}
	// A tmux at the other end of an SSH connection may call itself screen.
	plainX := system("linux", nil).OSC52("x")
	if got := system("linux", nil, "TERM", "screen-256color").OSC52("x"); got != plainX+"\x1bP"+plainX+"\x1b\\" {
		t.Errorf("%q", got)
	}
	if got := system("linux", nil, "TERM", "screen-256color").OSC52(strings.Repeat("x", 300)); strings.HasPrefix(got, "\x1b]") {
		t.Errorf("screen would print the rest of %q", got)
	}
}

func TestCopyTellsWhatWorked(t *testing.T) {
	var have string
	c := Clipboard{System: system("linux", nil), Write: func(s string) error { have = s; return nil }, Read: func() (string, error) { return have, nil }}
	if r, err := c.Copy("x"); err != nil || r.Native != nil || r.Sequence == "" {
		t.Errorf("%+v %v", r, err)
	}
	if s, err := c.Paste(); s != "x" || err != nil {
		t.Error(s, err)
	}
	c.Write = func(string) error { return ErrNoClipboard }
	if r, err := c.Copy("x"); err != nil || !errors.Is(r.Native, ErrNoClipboard) || r.Sequence == "" {
		t.Errorf("%+v %v", r, err)
	}
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		defer close(gone)
		c.Write = func(string) error { <-gone; return nil }
		start := time.Now()
		if r, _ := c.Copy("x"); !errors.Is(r.Native, ErrClipboardSlow) || time.Since(start) > 2*time.Second {
			t.Errorf("%+v after %v", r, time.Since(start))
		}
	})
}

func TestTheEditorIsTheUsersWithItsArguments(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    System
		want string
	}{
		{"VISUAL first", system("linux", []string{"code", "vi"}, "VISUAL", "code --wait", "EDITOR", "vi"), "code|--wait"},
		{"EDITOR", system("linux", []string{"vi"}, "EDITOR", "vi"), "vi"},
		{"quotes", system("linux", []string{"/opt/my editor"}, "EDITOR", `"/opt/my editor" -c 'set tw=0' a\ b ""`), "/opt/my editor|-c|set tw=0|a b|"},
		{"windows paths", system("windows", []string{`C:\ed it\e.exe`}, "EDITOR", `"C:\ed it\e.exe" /w`), `C:\ed it\e.exe|/w`},
		{"none set", system("linux", []string{"vi"}), "/bin/vi"},
		{"none at all", system("linux", nil), ErrNoEditor.Error()},
		{"not there", system("linux", nil, "VISUAL", "nope -x"), `VISUAL: there is no program "nope"`},
		{"open quote", system("linux", nil, "VISUAL", `e "x`), "VISUAL: a quote is not closed"},
	} {
		argv, err := tt.s.editor()
		got := strings.Join(argv, "|")
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestAnEditedTextComesBackExactly(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	stub := filepath.Join(dir, "stub editor")
	if err := os.WriteFile(stub, []byte("#!/bin/sh\nprintf '%s\\r\\nlast\\n' \"$1\" >> \"$2\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := System{Getenv: func(k string) string { return map[string]string{"EDITOR": "'" + stub + "' added"}[k] }}
	e, err := s.Edit("../x/prompt.py", "draft ")
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(e.path) != "prompt.py" || filepath.Dir(e.path) != e.dir {
		t.Errorf("the file is %s", e.path)
	}
	if st, _ := os.Stat(e.path); st.Mode() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if err := e.Cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if text, err := e.Text(); text != "draft added\nlast" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if err := e.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "waferchat-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := e.Text(); err == nil {
		t.Error("a file that is gone gives a text")
	}
}

func TestOnlyHarmlessLinksAreOpened(t *testing.T) {
	linux := system("linux", []string{"xdg-open"})
	for _, bad := range []string{"file:///etc/passwd", "--help", "javascript:alert(1)", "relative/path", "ssh://-oProxyCommand=x", ""} {
		if cmd, err := linux.Open(bad); err == nil {
			t.Errorf("%q runs %v", bad, cmd.Args)
		}
	}
	for _, tt := range []struct {
		s    System
		want string
	}{
		{linux, "/bin/xdg-open https://example.com/a"},
		{system("linux", []string{"gio"}), "/bin/gio open https://example.com/a"},
		{system("linux", []string{"wslview", "xdg-open"}, "WSL_INTEROP", "x"), "/bin/wslview https://example.com/a"},
		{system("darwin", nil), "open https://example.com/a"},
		{system("windows", nil), "rundll32 url.dll,FileProtocolHandler https://example.com/a"},
	} {
		cmd, err := tt.s.Open("https://example.com/a")
		if err != nil || strings.Join(cmd.Args, " ") != tt.want {
			t.Errorf("%v %v, want %s", cmd, err, tt.want)
		}
	}
	if _, err := system("linux", nil).Open("https://example.com"); err == nil {
		t.Error("nothing opens it")
	}
	if cmd, err := linux.Open("/tmp/x.png"); err != nil || cmd.Args[1] != "/tmp/x.png" {
		t.Error(err)
	}
}
