package markdown

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// screen is what is on screen when code is scrolled.
func screen(lines []Line, columns int) []string {
	var rows []string
	for _, l := range lines {
		rows = append(rows, strings.TrimRight(ansi.Strip(l.Scroll(columns).ANSI), " "))
	}
	return rows
}

func TestCodeIsCutAndScrolled(t *testing.T) {
	s := testStyle().WrapCode(false)
	src := "text that is wrapped as ever\n\n```go\nabcdefghijklmnopqrstuvwxyz\n\tx := 1\n漢字漢字漢字漢字漢字漢字\nend\n```\n"
	lines := Render(src, 20, s)
	checkLines(t, src, 20, lines)
	for _, c := range []struct {
		columns int
		want    string
	}{
		{0, "text that is wrapped|as ever||                 go| abcdefghijklmnopqr»|     x := 1| 漢字漢字漢字漢字漢»| end"},
		{1, "text that is wrapped|as ever||                 go|«bcdefghijklmnopqrs»|«   x := 1|« 字漢字漢字漢字漢 »|«nd"},
		{2, "text that is wrapped|as ever||                 go|«cdefghijklmnopqrst»|«  x := 1|«字漢字漢字漢字漢字»|«d"},
		{8, "text that is wrapped|as ever||                 go|«ijklmnopqrstuvwxyz|« 1|«漢字漢字漢字漢字|«"},
		{90, "text that is wrapped|as ever||                 go|«|«|«|«"},
		{-4, "text that is wrapped|as ever||                 go| abcdefghijklmnopqr»|     x := 1| 漢字漢字漢字漢字漢»| end"},
	} {
		if got := strings.Join(screen(lines, c.columns), "|"); got != c.want {
			t.Errorf("scrolled by %d:\n got %s\nwant %s", c.columns, got, c.want)
		}
	}
	if got := []int{lines[0].Width(), lines[4].Width(), lines[5].Width(), lines[6].Width()}; got[0] != 0 || got[1] != 26 || got[2] != 10 || got[3] != 24 {
		t.Errorf("columns of code: %v", got)
	}
	if lines[0].Code != 0 || lines[4].Code != 1 {
		t.Errorf("rows of code are not told apart: %d, %d", lines[0].Code, lines[4].Code)
	}
}

func TestScrolledCodeIsSelected(t *testing.T) {
	s := testStyle().WrapCode(false)
	src := "```\nabcdefghijklmnopqrstuvwxyz\nsecond line of the code\n```\n"
	lines := Render(src, 12, s)
	line := func(i int) Line { return lines[i].Scroll(5) }
	if got := Source(src, len(lines), line, Place{0, 1}, Place{0, 4}); got != "abcdefgh" {
		t.Errorf("from the edge: %q", got)
	}
	if got := Source(src, len(lines), line, Place{0, 2}, Place{0, 4}); got != "gh" {
		t.Errorf("in the middle: %q", got)
	}
	if got := Source(src, len(lines), line, Place{0, 2}, Place{1, 12}); got != "ghijklmnopqrstuvwxyz\nsecond line of the code" {
		t.Errorf("to the edge: %q", got)
	}
}

func TestCutCodeFitsAnyWidth(t *testing.T) {
	for _, style := range []*Style{testStyle().WrapCode(false), mustLoad(t, "dark").WrapCode(false), mustLoad(t, "ascii").WrapCode(false)} {
		for seed := range int64(6) {
			r := rand.New(rand.NewSource(seed))
			src := "```go\n" + randomText(r, 1+r.Intn(4)) + "\n```\n- ```\n  " + strings.Repeat("漢👩‍🍳\tx", 9) + "\n  ```\n"
			for _, width := range []int{1, 2, 3, 7, 8, 9, 20, 80} {
				lines := Render(src, width, style)
				for _, columns := range []int{0, 1, 2, 7, 40} {
					for i := range lines {
						lines[i] = lines[i].Scroll(columns)
					}
					checkLines(t, src, width, lines)
				}
				m := feed(t, src, width, style, r, 20)
				compare(t, "stream", linesOf(m), Render(src, width, style))
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func mustLoad(t testing.TB, name string) *Style {
	t.Helper()
	s, err := LoadStyle(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLinksWithoutHyperlinks(t *testing.T) {
	s := testStyle().Hyperlinks(false)
	for src, want := range map[string]string{
		"[the guide](https://e.example/a)":       "the guide (https://e.example/a)",
		"[https://e.example](https://e.example)": "https://e.example",
		"https://e.example/x":                    "https://e.example/x",
		"<me@e.example>":                         "me@e.example",
		"[me@e.example](mailto:me@e.example)":    "me@e.example",
		"[a][l]\n\n[l]: https://e.example":       "a (https://e.example)",
		"![a](https://e.example/i.png)":          "🖼  a (https://e.example/i.png)",
		"[](https://e.example)":                  "(https://e.example)",
	} {
		lines := Render(src, 60, s)
		if got := strings.TrimSpace(plain(lines)); got != want {
			t.Errorf("%s is shown as %q, want %q", src, got, want)
		}
		if strings.Contains(lines[0].ANSI, "\x1b]8") {
			t.Errorf("%s is a hyperlink: %q", src, lines[0].ANSI)
		}
	}
}
