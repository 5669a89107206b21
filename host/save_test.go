package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileIsSavedWhereTheUserMeans(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	t.Chdir(work)
	s := system("linux", nil, "HOME", home)
	for name, want := range map[string]string{
		"a.py": filepath.Join(work, "a.py"), "~/b c.py": filepath.Join(home, "b c.py"), " '~/d.py' ": filepath.Join(home, "d.py"),
		filepath.Join(work, "e.py"): filepath.Join(work, "e.py"), "~tilde": filepath.Join(work, "~tilde"),
	} {
		path, err := s.SaveFile(name, []byte("x\n"), false)
		data, _ := os.ReadFile(want)
		if err != nil || path != want || string(data) != "x\n" {
			t.Errorf("%q: %s %v %q", name, path, err, data)
		}
	}
	for name, words := range map[string]string{
		"": "no file is named", "~/": "names a directory", home: "is a directory", "no/such/x.py": "there is no directory",
		"/dev/null": "no regular file",
	} {
		if path, err := s.SaveFile(name, nil, true); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %s %v", name, path, err)
		}
	}
	if _, err := os.Stat("no"); err == nil {
		t.Error("a directory was created")
	}
	if _, err := system("linux", nil).SaveFile("~/x", nil, false); err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Error(err)
	}
	if got := s.Short(filepath.Join(home, "x")); got != "~/x" {
		t.Error(got)
	}
	if got := s.Short(home + "x"); got != home+"x" {
		t.Error(got)
	}
}

func TestAFileIsReplacedOnlyWhenToldTo(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "run.sh"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if _, err := (System{}).SaveFile(file, []byte("new"), false); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if data, _ := os.ReadFile(file); string(data) != "old" {
		t.Errorf("%q", data)
	}
	if _, err := (System{}).SaveFile(link, []byte("new"), true); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(file); string(data) != "new" {
		t.Errorf("%q", data)
	}
	if st, _ := os.Stat(file); st.Mode() != 0o750 {
		t.Errorf("mode %v", st.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".run*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
