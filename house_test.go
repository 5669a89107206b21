package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"waferchat/config"
	"waferchat/internal/golden"
)

// allowed is what each package may import of ours, tests apart. Arrows go
// downward only; what is not listed is not allowed.
var allowed = map[string][]string{
	".":               {"cli"},
	"cli":             {"ui", "ui/markdown", "ui/untrusted", "chat", "session", "api", "api/emulator", "themes", "config", "host", "nearest"},
	"ui":              {"ui/markdown", "ui/blocklist", "ui/composer", "ui/untrusted", "chat", "session", "api", "themes", "nearest"},
	"ui/markdown":     {"themes", "ui/untrusted"},
	"ui/blocklist":    {},
	"ui/composer":     {},
	"ui/untrusted":    {},
	"chat":            {"session", "api", "nearest"},
	"session":         {"api"},
	"api":             {},
	"api/emulator":    {},
	"themes":          {"nearest"},
	"config":          {"nearest"},
	"host":            {},
	"nearest":         {},
	"screenshots":     {"cli", "ui", "api", "api/emulator", "session", "chat", "themes", "internal/shot", "internal/vterm"},
	"internal/golden": {},
	"internal/shot":   {},
	"internal/sizes":  {},
	"internal/vterm":  {},
}

type listed struct {
	ImportPath, Doc, Dir string
	GoFiles, Imports     []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Doc,Dir,GoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// short is a package's path below the module, "." for the root.
func short(path string) string {
	if path == "waferchat" {
		return "."
	}
	return strings.TrimPrefix(path, "waferchat/")
}

func TestImportsGoDownwardOnly(t *testing.T) {
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		may, known := allowed[name]
		if !known {
			t.Errorf("package %s is not in the table of import arrows: say where it belongs", name)
			continue
		}
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "waferchat/") && !slices.Contains(may, short(i)) {
				t.Errorf("%s imports %s: arrows go downward only", name, short(i))
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) > 0 && len(p.Doc) < 40 {
			t.Errorf("package %s has no package comment", short(p.ImportPath))
		}
	}
}

func TestOnlyMainEndsTheProgram(t *testing.T) {
	ends := regexp.MustCompile(`\b(os\.Exit|log\.Fatal\w*)\(`)
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		if name == "." || name == "screenshots" || name == "internal/sizes" {
			continue
		}
		for _, f := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			if ends.Match(text) {
				t.Errorf("%s/%s ends the program", name, f)
			}
		}
	}
}

// TestDocumentsNameRealPaths looks up every path in backquotes that looks like
// one of ours.
func TestDocumentsNameRealPaths(t *testing.T) {
	path := regexp.MustCompile("`((?:api|chat|session|ui|themes|config|host|cli|internal|screenshots|\\.ci)/[\\w./-]*)`")
	for _, doc := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range path.FindAllStringSubmatch(string(text), -1) {
			if matches, _ := filepath.Glob(m[1]); len(matches) == 0 {
				t.Errorf("%s names %s, which is not there", doc, m[1])
			}
		}
	}
}

func TestNoRoomForEverything(t *testing.T) {
	for _, p := range packages(t) {
		switch filepath.Base(p.Dir) {
		case "util", "utils", "common", "helpers", "types", "models", "core", "manager", "service", "misc":
			t.Errorf("package %s: name it by what it is for", short(p.ImportPath))
		}
	}
}

// TestReadmeListsTheOptions compares the README's table with the one that the
// options themselves give; -update writes it.
func TestReadmeListsTheOptions(t *testing.T) {
	const begin, end = "<!-- options -->\n", "<!-- /options -->\n"
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("README.md has no place for the options")
	}
	want := before + begin + "\n" + config.Markdown() + "\n" + end + after
	if golden.Updating() {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error("the table of options is not what config says: go test . -run Readme -update")
	}
}
