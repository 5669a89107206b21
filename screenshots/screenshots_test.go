//go:build unix

package main

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"waferchat/internal/golden"
	"waferchat/internal/shot"
)

// TestThePicturesShowWhatTheProgramDoes plays some scenes again: the README's
// picture, an overlay, a failure and the smallest screen. Colours are not
// compared, and the other scenes are only drawn by hand, to keep this short.
func TestThePicturesShowWhatTheProgramDoes(t *testing.T) {
	bin, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	again, err := choose(scenes(), []string{"chat", "palette", "error", "narrow"})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, s := range again {
		wg.Go(func() { compare(t, &s, bin) })
	}
	wg.Wait()
}

func compare(t *testing.T, s *scene, bin string) {
	svg, err := s.draw(bin)
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
		return
	}
	fresh, err := shot.Text(svg)
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
		return
	}
	if kept := textOf(t, s.name+".svg"); kept != fresh {
		t.Errorf("%s.svg shows what the program does not: run go run ./screenshots\n%s", s.name, golden.Diff(kept, fresh))
	}
}

func textOf(t *testing.T, file string) string {
	svg, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v: run go run ./screenshots", err)
		return ""
	}
	text, err := shot.Text(svg)
	if err != nil {
		t.Errorf("%s: %v", file, err)
	}
	return text
}

// TestEveryPictureHasItsScene finds pictures that nobody drew, that are of
// another size, or whose scene no longer ends as it did.
func TestEveryPictureHasItsScene(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".svg"); ok && !slices.Contains(names(scenes()), name) {
			t.Errorf("%s belongs to no scene", f.Name())
		}
	}
	for _, s := range scenes() {
		text := textOf(t, s.name+".svg")
		if rows := strings.Count(text, "\n"); rows != s.rows {
			t.Errorf("%s.svg has %d rows, its scene has %d: run go run ./screenshots", s.name, rows, s.rows)
		}
		for _, want := range s.shows {
			if !strings.Contains(text, want) {
				t.Errorf("%s.svg does not show %q: run go run ./screenshots", s.name, want)
			}
		}
	}
}

func TestScenesAreChosenByNameOrPattern(t *testing.T) {
	all := []scene{{name: "chat"}, {name: "chat-light"}, {name: "help"}}
	for _, c := range []struct {
		patterns []string
		want     string
	}{
		{nil, "chat chat-light help"},
		{[]string{"help", "chat"}, "chat help"},
		{[]string{"chat*", "chat"}, "chat chat-light"},
	} {
		got, err := choose(all, c.patterns)
		if err != nil || strings.Join(names(got), " ") != c.want {
			t.Errorf("%q chose %v, %v", c.patterns, names(got), err)
		}
	}
	for _, bad := range []string{"chatt", "["} {
		if _, err := choose(all, []string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q gave %v", bad, err)
		}
	}
}
