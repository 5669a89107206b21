package markdown

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// arriving is what is on screen while a text arrives.
func arriving(src string, width int) []Line {
	m := NewStream(width, testStyle())
	m.Append(src)
	m.Flush()
	return linesOf(m)
}

func TestHalfTypedMarkupDoesNotFlash(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string
	}{
		{"some **bo", []string{"some bo"}},
		{"some **", []string{"some"}},
		{"some *", []string{"some"}},
		{"some **bold*", []string{"some bold"}},
		{"some **bold *both", []string{"some bold both"}},
		{"some ***both", []string{"some both"}},
		{"some **bold** t", []string{"some bold t"}},
		{"some _it", []string{"some it"}},
		{"snake_case and _", []string{"snake_case and"}},
		{"snake_ca", []string{"snake_ca"}},
		{"3 * 4", []string{"3 * 4"}},
		{"use `co", []string{"use co"}},
		{"use `", []string{"use"}},
		{"use ``co`de", []string{"use co`de"}},
		{"use ``code`", []string{"use code"}},
		{"use `**` and **b", []string{"use ** and b"}},
		{"gone ~~x", []string{"gone x"}},
		{"gone ~~x~", []string{"gone x"}},
		{"gone ~", []string{"gone"}},
		{"about ~5 km", []string{"about ~5 km"}},
		{"see [the gui", []string{"see the gui"}},
		{"see [the guide](htt", []string{"see the guide"}},
		{"see [the guide](https://e.example/a", []string{"see the guide"}},
		{"see [the guide]", []string{"see the guide"}},
		{"see [**the gui", []string{"see the gui"}},
		{"see **[the gui", []string{"see the gui"}},
		{"see [the guide][re", []string{"see the guide"}},
		{"see [", []string{"see"}},
		{"see [1", []string{"see [1"}},
		{"see [1] and", []string{"see [1] and"}},
		{"a[0", []string{"a[0"}},
		{"a note[^1", []string{"a note[^1"}},
		{"![", nil},
		{"an ![al", []string{"an 🖼  al"}},
		{"an ![alt](htt", []string{"an 🖼  alt"}},
		{"at <https://e.exa", []string{"at https://e.exa"}},
		{"at <htt", []string{"at"}},
		{"a < b", []string{"a < b"}},
		{"so $x^2", []string{"so $x^2"}},
		{`so \(x^2`, []string{"so (x^2"}},
		{"$$\nx^2\n", []string{"$$", "x^2"}},
		{"so $$a_1 * b", []string{"so $$a_1 * b"}},
		{`a \`, []string{"a"}},
		{"#", nil},
		{"## ", nil},
		{"## He **l", []string{"He l"}},
		{"text\n#", []string{"text"}},
		{"text\n##tag", []string{"text ##tag"}},
		{"text\n-", []string{"text"}},
		{"text\n--", []string{"text"}},
		{"text\n=", []string{"text"}},
		{"text\n\n-", []string{"text"}},
		{"- a\n- ", []string{"• a"}},
		{"- a\n- [", []string{"• a"}},
		{"- a\n- [x", []string{"• a"}},
		{"- a\n- [x] **b", []string{"• a", "☑ b"}},
		{"1. a\n2", []string{"1. a"}},
		{"1. a\n2.", []string{"1. a"}},
		{"> a\n> **b", []string{"▏ a b"}},
		{"> a\n>", []string{"▏ a"}},
		{"text\n``", []string{"text"}},
		{"text\n```py", []string{"text"}},
		{"```py\nx\n``", []string{" x               py"}},
		{"```py\nx\n```", []string{" x               py"}},
		{"- a\n  ```\n  x\n  `", []string{"• a", "   x"}},
		{"<", nil},
		{"<!-", nil},
		{"<!-- a", []string{"<!-- a"}},
		{"|", nil},
		{"| a", []string{"a", "─"}},
		{"| a | b |", []string{"a │ b", "──┼──"}},
		{"| a | **b", []string{"a │ b", "──┼──"}},
		{"| a | b |\n|--", []string{"a │ b", "──┼──"}},
		{"| a | b |\n|---|", []string{"a │ b", "──┼──"}},
		{"> | a | b |\n> |", []string{"▏ a │ b", "▏ ──┼──"}},
		{"- | a | b |\n", []string{"• a │ b", "  ──┼──"}},
		{"| a |\n|---|\n| `x", []string{"a", "─", "x"}},
		{"| a |\n|---|\n| **x |", []string{"a", "───", "**x"}},
		{"text **not closed\n\n", []string{"text **not closed"}},
		{"# head **not closed\n", []string{"head **not closed"}},
		{"| a | b |\n\n", []string{"| a | b |"}},
	} {
		lines := arriving(c.src, 20)
		checkLines(t, c.src, 20, lines)
		var got []string
		for _, l := range lines {
			got = append(got, strings.TrimRight(ansi.Strip(l.ANSI), " "))
		}
		if !slices.Equal(got, c.want) && strings.Join(got, "") != strings.Join(c.want, "") {
			t.Errorf("%q is shown as %q, want %q", c.src, got, c.want)
		}
	}
}

func TestHalfTypedMarkupHasItsLook(t *testing.T) {
	for src, look := range map[string]string{"**bo": "\x1b[1;", "*it": "\x1b[3;", "`co": "48;2;24;24;24", "~~x": "9;", "[a li": "\x1b[4;"} {
		if got := arriving(src, 20)[0].ANSI; !strings.Contains(got, look) {
			t.Errorf("%q is drawn as %q", src, got)
		}
	}
}

func TestTheEndShowsHalfTypedMarkupAsItIs(t *testing.T) {
	for _, src := range []string{"some **bo", "use `co", "[the guide](htt", "text\n-", "#", "| a | b |", "text\n```py", "a \\", "```\nx\n``", "<", "1.", "![", "| a |\n|---|\n| `x"} {
		m := NewStream(20, testStyle())
		for _, r := range src {
			m.Append(string(r))
			m.Flush()
		}
		m.End()
		settle(t, m)
		compare(t, src, linesOf(m), Render(src, 20, testStyle()))
	}
}

// TestNothingComesAndGoes checks, while an ordinary answer arrives, that no mark
// that is markup in the end was ever on screen.
func TestNothingComesAndGoes(t *testing.T) {
	src := "# A **title**\n\nSome **bold** and *soft* text with `code`, [a link](https://e.example/x) and ~~no~~ marks.\n\n" +
		"- [x] **one** thing\n- two `things`\n\n1. *first*\n2. **second**\n\n> A **quote** of `it`.\n\n" +
		"| **a** | `b` |\n|---|---|\n| *c* | [d](https://e.example) |\n\n```go\nx := 1\n```\n\n![alt](https://e.example/i.png) end\n"
	m := NewStream(60, testStyle())
	for i, r := range src {
		m.Append(string(r))
		m.Flush()
		got := plain(linesOf(m))
		if j := strings.IndexAny(got, "*`~[]#|"); j >= 0 {
			t.Fatalf("after %q: %q", src[max(0, i-30):i+1], got)
		}
	}
}

func TestLinesWhileTextArrivesDoNotDependOnItsPieces(t *testing.T) {
	s := testStyle()
	for seed := range int64(50) {
		r := rand.New(rand.NewSource(seed))
		src := randomText(r, 2+r.Intn(8))
		if strings.Contains(src, "]:") || strings.Contains(src, "    -") {
			continue // a definition works when it is over
		}
		width := []int{1, 9, 30, 80}[r.Intn(4)]
		m := NewStream(width, s)
		m.divideFrom = 1 + r.Intn(2)*divideFrom
		for i := 0; i < len(src); {
			n := min(1+r.Intn(9), len(src)-i)
			m.Append(src[i : i+n])
			m.Flush()
			i += n
			checkLines(t, src[:i], width, linesOf(m))
			if got, want := plain(linesOf(m)), plain(arriving(src[:i], width)); got != want {
				t.Fatalf("seed %d after %q:\n got %q\nwant %q", seed, src[:i], got, want)
			}
		}
	}
}
