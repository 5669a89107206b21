package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"waferchat/host"
	"waferchat/ui"
)

func TestTheTerminalProgramSavesAndPipesOnThisMachine(t *testing.T) {
	home := t.TempDir()
	s := Start{Host: host.System{Getenv: func(name string) string { return map[string]string{"HOME": home, "USERPROFILE": home}[name] }}}
	path, err := s.save("~/x.txt", "text\n", false)
	if want := filepath.Join("~", "x.txt"); path != want || err != nil {
		t.Errorf("%s %v, want %s", path, err, want)
	}
	if data, _ := os.ReadFile(filepath.Join(home, "x.txt")); string(data) != "text\n" {
		t.Errorf("%q", data)
	}
	if _, err := s.save("~/x.txt", "other\n", false); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	got, err := s.pipe(context.Background(), "sort", "b\na\n")
	if err != nil || got != (ui.Piped{Head: "a\nb\n"}) {
		t.Errorf("%+v %v", got, err)
	}
}
