package markdown

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// at is the place of the n-th occurrence (from 0) of a text on screen, or of its
// end.
func at(t *testing.T, lines []Line, text string, n int, end bool) Place {
	t.Helper()
	for i, l := range lines {
		s := ansi.Strip(l.ANSI)
		for from := 0; ; n-- {
			j := strings.Index(s[from:], text)
			if j < 0 {
				break
			}
			if n == 0 {
				if j += from; end {
					j += len(text)
				}
				return Place{i, ansi.StringWidth(s[:j])}
			}
			from += j + len(text)
		}
	}
	t.Fatalf("%q is not on screen:\n%s", text, plain(lines))
	return Place{}
}

func source(src string, lines []Line, from, to Place) string {
	return Source(src, len(lines), func(i int) Line { return lines[i] }, from, to)
}

func TestSelectingGivesTheSource(t *testing.T) {
	for _, c := range []struct {
		name, src string
		width     int
		from, to  string // from where the one begins to where the other ends
		want      string
	}{
		{"a word", "one two three", 20, "two", "two", "two"},
		{"a part of a word", "one two three", 20, "wo", "thr", "wo thr"},
		{"soft wraps are joined", "one two three four five", 9, "two", "four", "two three four"},
		{"a bold word without its marks", "a **bold** b", 20, "bold", "bold", "bold"},
		{"marks in between", "a **bold** b", 20, "a", "b", "a **b"},
		{"whole rows bring their marks", "**bold** and `code`", 20, "bold", "code", "**bold** and `code`"},
		{"wide characters", "漢字かな", 20, "字", "か", "字か"},
		{"joined emoji", "x 👩‍🍳 y", 20, "👩‍🍳", "👩‍🍳", "👩‍🍳"},
		{"combining marks", "cafe\u0301s", 20, "e\u0301", "e\u0301", "e\u0301"},
		{"an escape is whole", `a \* b`, 20, "*", "*", `\*`},
		{"an entity is whole", "a &amp; b", 20, "&", "&", "&amp;"},
		{"a formula is whole", "so $x^2+1$ it is", 30, "²", "²", "$x^2+1$"},
		{"the text of a link", "see [the guide](https://e.example) now", 40, "guide", "guide", "guide"},
		{"over a link", "see [the guide](https://e.example) now", 40, "guide", "now", "guide](https://e.example) now"},
		{"a shown address", "see [it](docs/x.md) now", 40, "(docs", "x.md)", "](docs/x.md)"},
		{"code by the character", "```go\nfunc f() {}\n```", 40, "nc", "f()", "nc f()"},
		{"code with tabs", "```go\n\tx := 1\n\ty\n```", 40, ":= 1", "y", ":= 1\n\ty"},
		{"code is whole without its fences", "a\n\n```go\nx := 1\ny\n```\n\nb", 40, "x", "y", "x := 1\ny"},
		{"fences when more is selected", "aa\n\n```go\nx := 1\ny\n```\n\nbb", 40, "aa", "y", "aa\n\n```go\nx := 1\ny\n```"},
		{"fences from above", "aa\n\n```go\nx := 1\n```\n\nbb", 40, "x :=", "bb", "```go\nx := 1\n```\n\nbb"},
		{"wrapped code has no line breaks", "```\naaa bbb ccc ddd\n```", 10, "bbb", "ddd", "bbb ccc ddd"},
		{"code in a list has no indent", "- a\n  ```\n  x\n    y\n  z\n  ```", 20, "x", "z", "x\n  y\nz"},
		{"code in a quote has no marks", "> ```\n> x\n> y\n> ```", 20, "x", "y", "x\ny"},
		{"items keep their markers", "- one\n- two\n- three", 20, "one", "three", "- one\n- two\n- three"},
		{"from inside an item", "- one\n- two\n", 20, "ne", "two", "ne\n- two"},
		{"quotes keep their marks", "> one two\n> three", 20, "two", "three", "two\n> three"},
		{"cells of a table", "| aa | bb |\n|---|---|\n| one | two |\n", 40, "one", "two", "| one | two |"},
		{"one cell", "| aa | bb |\n|---|---|\n| one | two |\n", 40, "tw", "w", "tw"},
		{"a heading", "# One\n\ntext", 20, "One", "One", "# One"},
		{"a rule", "a\n\n***\n\nb", 20, "──", "──", "***"},
		{"control characters", "a\x07b c", 20, "a", "b", "a\x07b"},
		{"a late footnote", "text[^1]\n\n[^1]: the note\n\nmore", 30, "the note", "the note", "[^1]: the note"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := Render(c.src, c.width, testStyle())
			from, to := at(t, lines, c.from, 0, false), at(t, lines, c.to, 0, true)
			if c.from == "──" {
				to.Col = 8
			}
			if c.name == "marks in between" {
				to = at(t, lines, "b", 0, true) // of "bold"
			}
			for range 2 {
				if got := source(c.src, lines, from, to); got != c.want {
					t.Errorf("from %v to %v: %q, want %q\n%s", from, to, got, c.want, plain(lines))
				}
				from, to = to, from
			}
		})
	}
}

func TestSelectingNothing(t *testing.T) {
	src := "- one\n\n\n- two\n"
	lines := Render(src, 20, testStyle())
	for _, c := range []struct {
		from, to Place
		want     string
	}{
		{Place{0, 3}, Place{0, 3}, ""},
		{Place{-5, 0}, Place{-1, 9}, ""},
		{Place{9, 0}, Place{12, 0}, ""},
		{Place{0, 0}, Place{0, 2}, ""},      // the bullet
		{Place{1, 0}, Place{1, 9}, ""},      // the blank row
		{Place{0, 5}, Place{0, 90}, ""},     // right of the text
		{Place{1, 0}, Place{3, 0}, "- two"}, // from the blank row
		{Place{-3, 0}, Place{99, 0}, src},
		{Place{}, Place{2, 5}, src},
	} {
		if got := source(src, lines, c.from, c.to); got != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if s, e := Select("", 0, nil, Place{}, Place{3, 3}); s != 0 || e != 0 {
		t.Errorf("of no rows: %d–%d", s, e)
	}
}

// TestEveryCharacterOfProseIsItsOwn selects each character of a text alone.
func TestEveryCharacterOfProseIsItsOwn(t *testing.T) {
	src := "Größe 漢字 👩‍👩‍👧 🇩🇪 नमस्ते e\u0301 plain words, and ⚠️ marks — that wrap over some rows"
	for _, width := range []int{2, 5, 11, 30, 200} {
		for _, text := range []string{src, "```\n" + src + "\n```"} {
			lines := Render(text, width, testStyle())
			var all strings.Builder
			for i, l := range lines {
				for _, s := range l.decode().spans {
					for col := s.col; s.kind == exact && col < s.col+s.width; {
						start, end := s.character(text, col)
						got := source(text, lines, Place{i, col}, Place{i, col + 1})
						if s.width > 1 && got != text[start:end] {
							t.Fatalf("width %d row %d column %d: %q, want %q", width, i, col, got, text[start:end])
						}
						all.WriteString(text[start:end])
						col += max(ansi.StringWidth(text[start:end]), 1)
					}
				}
			}
			if got, want := strings.ReplaceAll(all.String(), " ", ""), strings.ReplaceAll(src, " ", ""); got != want {
				t.Errorf("width %d: all characters are %q, want %q", width, got, want)
			}
		}
	}
}

func TestAWholeBlockIsItsSource(t *testing.T) {
	for _, block := range []string{
		"A paragraph with **bold** text\nthat goes over `two` lines and [a link](https://e.example).", "# Heading", "Heading\n===",
		"- a\n- b\n  - c", "1. x\n\n   y\n2. z", "- [x] done", "> quote\n> more\n>\n> - list", "***",
		"| a | b |\n|---|---|\n| 1 | 2 |", "$$\n\\frac{a}{b}\n$$", "<div>\nx\n</div>", "```go\nx\n```", "~~~\n\n~~~", "    code\n    more",
		"![a](https://e.example/i.png)", "**a** *b*",
	} {
		src := "before\n\n" + block + "\n\nafter\n"
		for _, width := range []int{8, 30, 100} {
			m := NewStream(width, testStyle())
			m.Append(src)
			m.End()
			lines := linesOf(m)
			first, last := 2, len(lines)-3
			want := block
			if strings.HasPrefix(block, "```") || strings.HasPrefix(block, "~~~") {
				want = strings.TrimSuffix(strings.SplitN(block, "\n", 2)[1], "\n"+block[:3])
				want = strings.TrimSuffix(want, "\n")
			}
			if strings.HasPrefix(block, "    ") {
				want = "code\nmore"
			}
			if width == 8 && strings.HasPrefix(block, "|") {
				continue // one cell a row
			}
			got := source(src, lines, Place{first, 0}, Place{last, width})
			if strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("width %d: %q is selected as %q", width, want, got)
			}
			if s, e := m.Select(Place{}, Place{last, width}); !strings.HasPrefix(src[s:e], "before\n\n"+block) {
				t.Errorf("width %d: with what is above it, %q is selected as %q", width, block, src[s:e])
			}
		}
	}
}

func TestAnySelectionIsAPartOfTheSource(t *testing.T) {
	s := testStyle()
	for seed := range int64(150) {
		r := rand.New(rand.NewSource(seed))
		src := randomText(r, 1+r.Intn(8))
		width := []int{1, 3, 8, 20, 60}[r.Intn(5)]
		style := s
		if seed%3 == 0 {
			style = s.WrapCode(false).Hyperlinks(false)
		}
		checkSelections(t, src, Render(src, width, style), width, r)
		checkSelections(t, src, RenderRaw(src, width), width, r)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkSelections selects at random.
func checkSelections(t *testing.T, src string, lines []Line, width int, r *rand.Rand) {
	t.Helper()
	scroll := r.Intn(3) * 5
	line := func(i int) Line { return lines[i].Scroll(scroll) }
	place := func() Place { return Place{r.Intn(len(lines)+3) - 1, r.Intn(width+4) - 1} }
	for range 20 {
		from, to := place(), place()
		start, end := Select(src, len(lines), line, from, to)
		if start < 0 || start > end || end > len(src) {
			t.Fatalf("%v to %v of %q at %d is %d–%d", from, to, src, width, start, end)
		}
		if got := Source(src, len(lines), line, from, to); !strings.Contains(src[start:end], got) && strings.Count(got, "\n") == 0 {
			t.Fatalf("%v to %v of %q at %d is %q, not in %q", from, to, src, width, got, src[start:end])
		}
	}
}

func FuzzSelect(f *testing.F) {
	for i, s := range snippets {
		f.Add(s, 10+i, 0, 0, i, i*2)
	}
	for width := 1; width < 24; width += 5 {
		f.Add(recordsSource, width, 0, 9, 1, 3)
		f.Add("above\n\n"+recordsSource+"\nbelow", width, 1, 0, 7, 99)
	}
	f.Fuzz(func(t *testing.T, src string, width, r1, c1, r2, c2 int) {
		if len(src) > 2000 || width > 300 {
			t.Skip()
		}
		lines := Render(src, width, testStyle())
		line := func(i int) Line { return lines[i] }
		start, end := Select(src, len(lines), line, Place{r1, c1}, Place{r2, c2})
		if start < 0 || start > end || end > len(src) {
			t.Errorf("%d–%d of %d", start, end, len(src))
		}
		_ = Source(src, len(lines), line, Place{r1, c1}, Place{r2, c2})
		if s, e := Select(src, len(lines), line, Place{-1, 0}, Place{len(lines), 0}); len(lines) > 1 && lines[0].Code == 0 && (s != 0 || e != len(src)) {
			t.Errorf("all is %s of %d", fmt.Sprint(s, e), len(src))
		}
	})
}
