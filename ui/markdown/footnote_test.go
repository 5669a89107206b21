package markdown

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFootnotes(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string
	}{
		{"a[^1] b[^12]\n\n[^1]: one\n[^12]: two\n", []string{"a¹ b¹²", "", "¹ one", "¹² two"}},
		{"a[^note]\n\n[^note]: text\n", []string{"a[note]", "", "[note] text"}},
		{"[^1]: first\n\ntext[^1]\n\n[^2]: second\n\nmore[^2]\n", []string{"text¹", "", "more²", "", "¹ first", "² second"}},
		{"no note[^1] and [^0-9]+\n", []string{"no note[^1] and [^0-9]+"}},
		{"`[^1]`\n\n[^1]: one\n", []string{"[^1]", "", "¹ one"}},
		{"a[^1]\n\n[^1]: one two three four five six seven\n\n    more\n", []string{"a¹", "", "¹ one two three four five six", "  seven", "", "  more"}},
		{"a[^1]\n[^1]: one\nlazy\n", []string{"a¹", "", "¹ one lazy"}},
		{"a[^1]\n\n[^1]:\n", []string{"a¹", "", "¹"}},
		{"a[^1]\n\n[^1]: one\n\n[^1]: again\n", []string{"a¹", "", "¹ one", "¹ again"}},
		{"> a[^1]\n\n[^1]: one\n", []string{"▏ a¹", "", "¹ one"}},
		{"| a[^1] |\n|---|\n\n[^1]: `one`\n", []string{"a¹", "──", "", "¹ one"}},
		{"**a[^1]**[^é]\n\n[^1]: x\n[^é]: y", []string{"a¹[é]", "", "¹ x", "[é] y"}},
	} {
		check(t, c.src, 30, c.want...)
	}
}

func TestFootnotesStayWhereTheyAreWhileTextArrives(t *testing.T) {
	s := testStyle()
	src := "[^1]: first\n\n    ```go\n    var x = 1\n    ```\n\ntext[^1]\n\n```go\n" + strings.Repeat("x := 1\n", 350) + "```\n\nmore[^2]\n\n[^2]: second\n"
	m := NewStream(30, s)
	for _, part := range strings.SplitAfter(src, "\n\n") {
		m.Append(part)
		m.Flush()
	}
	if got := ansi.Strip(m.Line(0).ANSI); got != "¹ first" {
		t.Errorf("while the text arrives the first row is %q", got)
	}
	m.End()
	if got := ansi.Strip(m.Line(0).ANSI); got != "text¹" {
		t.Errorf("at the end the first row is %q", got)
	}
	settle(t, m)
	want := Render(src, 30, s)
	compare(t, "at the end", linesOf(m), want)
	checkLines(t, src, 30, want)
	if n := len(want); want[n-1].Start != want[n-1].End {
		t.Errorf("a moved footnote has the range %d–%d", want[n-1].Start, want[n-1].End)
	}
	if got := CodeBlocks(src); len(got) != 2 || want[len(want)-2].Code != 1 || want[4].Code != 2 {
		t.Errorf("code is numbered %d and %d, %d blocks", want[len(want)-2].Code, want[4].Code, len(got))
	}
}

func TestStreamedFootnotesEqualTheWhole(t *testing.T) {
	s := testStyle()
	notes := []string{"[^1]: one\n", "[^2]: two\n\n    more\n", "text[^1] and [^2]\n\n", "- item[^3]\n", "[^3]: ```\n    x\n    ```\n", "\n", "> q[^1]\n", "para\n", "# head[^2]\n", "[^1]:\n", "[^x", "]: y\n", "[l]: /u\n\n[l] [^1]\n"}
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		var b strings.Builder
		for range 2 + r.Intn(9) {
			b.WriteString(notes[r.Intn(len(notes))])
		}
		src := b.String()
		m := feed(t, src, 30, s, r, 9)
		want := Render(src, 30, s)
		checkLines(t, src, 30, want)
		if !compare(t, "stream", linesOf(m), want) {
			t.Fatalf("seed %d source %q", seed, src)
		}
	}
}
