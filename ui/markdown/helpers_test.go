package markdown

import (
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"waferchat/themes"
)

// testStyle is the style of a palette whose roles can be told apart.
func testStyle() *Style {
	return ThemeStyle(themes.Theme{
		Name: "test", Dark: true,
		Ground: "#101010", Text: "#e0e0e0", Dim: "#909090", Faint: "#404040", Accent: "#c0a0ff",
		Danger: "#ff5050", Warning: "#ffc050", Success: "#50ff80",
		Raised: "#202020", Code: "#181818", Overlay: "#282828", Select: "#303050",
		Heading: "#a0c0ff", Link: "#60a0ff", Keyword: "#c090ff", String: "#a0d080", Number: "#ffb070",
		Comment: "#808080", Function: "#70b0ff", Type: "#70d0d0",
	})
}

func readTestdata(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// plain is what is on screen, without looks.
func plain(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(ansi.Strip(l.ANSI))
		b.WriteByte('\n')
	}
	return b.String()
}

// linesOf returns all lines of a stream.
func linesOf(m *Stream) []Line {
	lines := make([]Line, m.Len())
	for i := range lines {
		lines[i] = m.Line(i)
	}
	return lines
}

// settle computes and applies colours until none are pending.
func settle(t testing.TB, m *Stream) {
	t.Helper()
	for i := 0; m.PendingCode(); i++ {
		n := m.Len()
		m.ApplyHighlight(m.HighlightJob()())
		if m.Len() != n {
			t.Fatalf("highlighting changed the number of lines from %d to %d", n, m.Len())
		}
		if i > 1000 {
			t.Fatal("code stays pending")
		}
	}
}

// ownSequence matches what the package itself writes: SGR and OSC 8.
var ownSequence = regexp.MustCompile(`\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\`)

// checkLines reports what no line may have: other control characters, too many
// columns, looks left open, a source range that goes back or out of the text.
func checkLines(t testing.TB, src string, width int, lines []Line) {
	t.Helper()
	start, end := 0, 0
	for i, l := range lines {
		rest := ownSequence.ReplaceAllString(l.ANSI, "")
		if j := strings.IndexFunc(rest, func(r rune) bool {
			return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2066 && r <= 0x2069
		}); j >= 0 {
			t.Errorf("row %d has a control character at %d: %q", i, j, l.ANSI)
		}
		if w := ansi.StringWidth(l.ANSI); w > width {
			t.Errorf("row %d has %d columns of %d: %q", i, w, width, l.ANSI)
		}
		if j := strings.LastIndex(l.ANSI, "\x1b["); j >= 0 && !strings.HasPrefix(l.ANSI[j:], "\x1b[m") {
			t.Errorf("row %d leaves its looks open: %q", i, l.ANSI)
		}
		if j := strings.LastIndex(l.ANSI, "\x1b]8;;"); j >= 0 && !strings.HasPrefix(l.ANSI[j:], "\x1b]8;;\x1b") {
			t.Errorf("row %d leaves a link open: %q", i, l.ANSI)
		}
		if l.Start < start || l.End < end || l.Start > l.End || l.End > len(src) {
			t.Errorf("row %d %q has the source %d–%d after %d–%d of %d", i, ansi.Strip(l.ANSI), l.Start, l.End, start, end, len(src))
		}
		start, end = l.Start, l.End
		if t.Failed() {
			t.Logf("source %q at width %d", src, width)
			return
		}
	}
}

// snippets are pieces of markdown that look back, stay open, or look like others.
var snippets = []string{
	"Plain text with **bold**, *emph*, `code` and ~~gone~~.\n", "\n", "\n\n", "text\n", "word ", "  \n", "\\\n", "a  \nb\n",
	"# One\n", "## Two\n", "###### Six\n", "#######\n", "Title\n=====\n", "Title\n---\n", "---\n", "***\n", "===\n", "- - -\n",
	"- a\n- b\n", "- a\n\n- b\n", "* x\n", "+ y\n", "1. one\n2. two\n", "9. nine\n10. ten\n", "1) p\n\n   more\n2) q\n", "6", "6. x\n", "-\n", "- \n\n  c\n",
	"- a\n  - b\n    - c\n      - d\n", "- ```go\n  x := 1\n  ```\n", "- [ ] open\n- [x] done\n", "  - in\n", "   indented\n",
	"> quote\n", "> quote\nlazy\n", "> > deep\n", "> - item\n>   more\n", ">\n", "> ```\n> code\n> ```\n",
	"```go\nfunc f() { return \"s\" } // c\n```\n", "```\nplain\n```\n", "```python\n", "```\n", "~~~\n", "~~~ js\nlet a = 1\n~~~\n", "````\n```\n````\n", "``` a`b\n", "  ```\n  in\n  ```\n",
	"```sh\necho one\n\n\n", "```c++{.x}\nint a;\n```\n", "/* open\nstill */\n", "    indented code\n", "\tcode\ttabs\n",
	"| a | b |\n|---|--:|\n| 1 | [foo] |\n", "para\n| a | b |\n|---|---|\n", "| x |\n|---|\n", "a | b\n:-:|---\nc | d\n| `p\\|q` | r |\n", "|---|\n",
	"[foo]: /late\n", "[foo]: https://example.com/a \"title\"\n\n", "[bar]:\n/url\n", "text [foo] and [bar][foo] ![pic][bar]\n\n", "[foo]\n",
	"[link](https://example.com/x)", "<https://a.example>", "https://example.com/?q=1&b=2 ", "www.example.com\n", "![alt](u.png)\n", "me@example.com\n",
	"<div>\n", "</div>\n\n", "<!-- c\n", "-->\n", "<br>", "a<br/>b\n", "<kbd>x</kbd>\n", "<script>\n", "</script>\n",
	"$a_1 * b_2$ and $5 or $6\n", "$$x\n+ y$$\n", "\\(a\\)\n", "\\[a\nb\\]\n", "&amp; &#27;[2J &copy;\n", "\\*no\\*\n", "**", "*", "`", "``", "[", "](", "_", "~~", "$", "$$", "|", "\\",
	"漢字かな交じり文、とても長い。\n", "👩‍🍳 ⚠️ 🇩🇪 e\u0301\n", "日本\n語\n", "a\x1b[31mred\x07\n", "\u202eevil\u2066\n", "\xff\xc3(\n", "x\r\ny\rz\n", "\x00\n",
	"Foo\n    ---\n\\> foo\n", "Term\n: def\n", "[^1] note\n\n[^1]: text\n",
}

// randomText strings snippets together.
func randomText(r *rand.Rand, pieces int) string {
	var b strings.Builder
	for range pieces {
		b.WriteString(snippets[r.Intn(len(snippets))])
		if r.Intn(4) == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// describe is a line in full.
func describe(l Line) string {
	return fmt.Sprintf("%d–%d soft=%v code=%d %q %+v", l.Start, l.End, l.Soft, l.Code, l.ANSI, l.decode())
}

// same tells whether two lines are equal in all that can be seen of them.
func same(a, b Line) bool {
	aw, bw := a.wide, b.wide
	a.wide, b.wide = nil, nil
	if a != b || (aw == nil) != (bw == nil) {
		return false
	}
	return aw == nil || aw.code == bw.code && aw.width == bw.width && aw.label == bw.label && *aw.wideBlock == *bw.wideBlock
}
