package markdown

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "write the golden files")

// runs dumps the looks of a row: each change of them and the text it covers.
func runs(row string) string {
	parts := regexp.MustCompile(`\x1b\[([0-9;]*)m|\x1b\]8;;([!-~]*)\x1b\\`)
	var b strings.Builder
	at, sgr, link := 0, "", ""
	write := func(s string) {
		if s != "" {
			fmt.Fprintf(&b, "  %-40s %q", strings.TrimSpace(sgr+" "+link), s)
			b.WriteByte('\n')
		}
	}
	for _, m := range parts.FindAllStringSubmatchIndex(row, -1) {
		write(row[at:m[0]])
		at = m[1]
		switch {
		case m[4] >= 0:
			link = row[m[4]:m[5]]
		case m[2] == m[3]:
			sgr = ""
		case strings.HasPrefix(row[m[2]:m[3]], "0;"):
			sgr = row[m[2]:m[3]]
		default:
			sgr += "+" + row[m[2]:m[3]]
		}
	}
	write(row[at:])
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update and look at the difference):\n%s", path, got)
	}
}

func TestTheAnswerLooksRight(t *testing.T) {
	src := readTestdata(t, "answer.md")
	dark := mustLoad(t, "dark")
	for _, width := range []int{40, 80, 120, 200} {
		lines := Render(src, width, testStyle())
		checkLines(t, src, width, lines)
		golden(t, fmt.Sprintf("answer-%d.txt", width), plain(lines))
		lines = Render(src, width, dark)
		checkLines(t, src, width, lines)
		golden(t, fmt.Sprintf("answer-%d-dark.txt", width), looks(lines))
	}
	golden(t, "answer-80-looks.txt", looks(Render(src, 80, testStyle())))
}

// looks dumps rows with their ranges and looks.
func looks(lines []Line) string {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "%d [%d–%d soft=%v]\n%s", i, l.Start, l.End, l.Soft, runs(l.ANSI))
	}
	return b.String()
}

// check renders at a width and compares what is on screen, spaces at the ends of
// rows aside.
func check(t *testing.T, src string, width int, want ...string) {
	t.Helper()
	lines := Render(src, width, testStyle())
	checkLines(t, src, width, lines)
	var got []string
	for _, l := range lines {
		got = append(got, strings.TrimRight(ansi.Strip(l.ANSI), " "))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q at %d:\n got %q\nwant %q", src, width, got, want)
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		src   string
		width int
		want  []string
	}{
		{"nothing", "", 20, nil},
		{"blank", "\n \n\n", 20, nil},
		{"one blank row between blocks", "\n\na\n\n\n\nb\n\n\n", 20, []string{"a", "", "b"}},
		{"line breaks of the source flow", "one\ntwo", 20, []string{"one two"}},
		{"hard breaks stay", "one  \ntwo\\\nthree<br>four", 20, []string{"one", "two", "three", "four"}},
		{"escapes and entities", `\*a\* &amp; &lt;b&gt; &#65; &nope; \q`, 40, []string{`*a* & <b> A &nope; \q`}},
		{"headings have no marks", "# One\n\n## Two\n\n### Three #", 20, []string{"One", "", "Two", "", "Three"}},
		{"tight list", "- a\n- b\n  - c\n    - d\n", 20, []string{"• a", "• b", "  ◦ c", "    ▪ d"}},
		{"loose item", "1. First do the autolyse.\n\n   Thirty minutes.\n2. Salt.\n", 40,
			[]string{"1. First do the autolyse.", "", "   Thirty minutes.", "", "2. Salt."}},
		{"numbers are aligned", "9. nine\n10. ten\n", 20, []string{" 9. nine", "10. ten"}},
		{"list with parentheses", "1) one\n2) two\n", 20, []string{"1) one", "2) two"}},
		{"hanging indent", "- one two three four\n", 12, []string{"• one two", "  three four"}},
		{"empty item", "- \n- b\n", 12, []string{"•", "• b"}},
		{"tasks", "- [x] done\n- [ ] open\n1. [X] third\n", 20, []string{"☑ done", "☐ open", "", "1. ☑ third"}},
		{"quote has its bar on every row", "> one two three\n>\n> - four\n", 12, []string{"▏ one two", "▏ three", "▏", "▏ • four"}},
		{"rule", "a\n\n---\n\nb", 20, []string{"a", "", "────────", "", "b"}},
		{"HTML is shown", "<div>\n\tx\n</div>\n", 20, []string{"<div>", "    x", "</div>"}},
		{"image", "![a cat](https://x.example/c.png)", 60, []string{"🖼  a cat (https://x.example/c.png)"}},
		{"formulas are in Unicode", `$a_1*b*c$ \(x_1\) $$y*z$$ and $5 or $6*`, 60, []string{"a₁*b*c x₁", "  y*z", "and $5 or $6*"}},
		{"half-typed markup", "some **bold and `code", 40, []string{"some **bold and `code"}},
		{"code", "```go\na\n\n\tb\n```", 20, []string{" a               go", "", "     b"}},
		{"code that needs the label's room", "```sh\nlong long line\n```", 18, []string{"               sh", " long long line"}},
		{"code is wrapped", "```\naaa bbb ccc ddd\n```", 14, []string{" aaa bbb ccc", " ddd"}},
		{"empty code", "```\n```", 12, []string{""}},
		{"indented code", "    x\n    \ty", 12, []string{" x", "     y"}},
		{"fence in a list", "- a\n  ```\n  x\n  ```\n- b", 20, []string{"• a", "   x", "• b"}},
		{"fence of tildes", "~~~ c++{.x}\na\n```\n~~~\nb", 20, []string{" a              c++", " ```", "", "b"}},
		{"fence in a quote", "> ```sh\n> x\n> ```\n> y", 20, []string{"▏  x             sh", "▏", "▏ y"}},
		{"fence of an unknown language", "```nosuch\nx\n```", 20, []string{" x           nosuch"}},
		{"fence without an end", "```\nx\n\ny", 20, []string{" x", "", " y"}},
		{"longer fence", "````\n```\n````\nafter", 12, []string{" ```", "", "after"}},
		{"definitions are not shown", "[a]: /x\n\ntext\n", 12, []string{"text"}},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.src, c.width, c.want...) })
	}
}

func TestTablesAreAsWideAsTheirContent(t *testing.T) {
	src := "| temp | hours | note |\n|---|--:|:-:|\n| 20 | 6.5 | x |\n| 漢字 | 4 | `a\\|b` |\n"
	check(t, src, 80,
		"temp │ hours │ note",
		"─────┼───────┼─────",
		"20   │   6.5 │  x",
		"漢字 │     4 │ a|b")
	check(t, "| a | b |\n|---|---|\n| one two three four five | six seven eight nine ten eleven |\n", 31,
		"a             │ b",
		"──────────────┼────────────────",
		"one two three │ six seven eight",
		"four five     │ nine ten eleven")
	check(t, "| a | b |\n|-|-|\n| x<br>y | z |\n", 31, "a │ b", "──┼──", "x │ z", "y │")
}

func TestNarrowTablesBecomeRecords(t *testing.T) {
	src := "| Name | What it does | Cost |\n|---|---|---|\n| one | something long to say | 5 |\n| two | | 6 |\n"
	check(t, src, 20,
		"Name: one",
		"What it does:",
		"  something long to",
		"  say",
		"Cost: 5",
		"",
		"Name: two",
		"What it does:",
		"Cost: 6")
	check(t, "| aaaaaaaaaaaa | bbbbbbbbbbbbb |\n|-|-|\n", 12, "aaaaaaaaaa", "  aa:", "bbbbbbbbbb", "  bbb:")
	cells := strings.Repeat("| forty characters of text are in this cell ", 12) + "|\n"
	wide := cells + strings.Repeat("|---", 12) + "|\n" + cells
	lines := Render(wide, 60, testStyle())
	checkLines(t, wide, 60, lines)
	if got := strings.Count(strings.Join(strings.Fields(plain(lines)), " "), "forty characters of text are in this cell"); got != 24 {
		t.Errorf("%d cells of 24 can be read", got)
	}
}

func TestTextWithoutSpacesIsWrapped(t *testing.T) {
	ja := strings.Repeat("これは日本語のように単語間にスペースを含まない言語で書かれた非常に長い段落です。", 3)
	for _, src := range []string{
		ja, "- " + ja, "# " + ja, "> " + ja, "**" + ja + "**", "| a |\n|---|\n| " + ja + " |\n", "vault不只是" + ja,
		strings.Repeat("ภาษาไทยไม่มีช่องว่าง", 10), "https://example.com/" + strings.Repeat("path/", 100), strings.Repeat("a", 500),
		strings.Repeat("👩‍👩‍👧", 60), strings.Repeat("🇩🇪", 60), "```\n" + ja + "\n```",
	} {
		for _, width := range []int{40, 41, 20, 9, 2} {
			lines := Render(src, width, testStyle())
			checkLines(t, src, width, lines)
			var b strings.Builder
			for _, l := range lines {
				b.WriteString(strings.NewReplacer(" ", "", "•", "", "▏", "", "│", "", "─", "").Replace(ansi.Strip(l.ANSI)))
			}
			letters := strings.NewReplacer("- ", "", "# ", "", "> ", "", "*", "", "| a |\n|---|\n| ", "a", " |\n", "", "```\n", "", "\n```", "").Replace(src)
			if got := b.String(); got != letters && got != "a:"+letters[1:] {
				t.Fatalf("at %d:\n got %q\nwant %q", width, got, letters)
			}
		}
	}
}

func TestRowsOfJapaneseDoNotBeginWithAFullStop(t *testing.T) {
	check(t, "これは長い。文", 10, "これは長", "い。文")
	check(t, "日本\n語 and\nenglish", 40, "日本語 and english")
}

func TestHyphensAndLongWords(t *testing.T) {
	check(t, "a state-of-the-art thing -x --flag", 12, "a state-of-", "the-art", "thing -x", "--flag")
	check(t, "see https://example.com/aaa/bbb/cccccccccc", 22, "see", "https://example.com/", "aaa/bbb/cccccccccc")
}

func TestSoftRows(t *testing.T) {
	src := "one two three\nfour five\n\n```\nlong long long\nx\n```\n"
	var got []string
	for _, l := range Render(src, 10, testStyle()) {
		got = append(got, fmt.Sprintf("%s|%v", strings.TrimSpace(src[l.Start:l.End]), l.Soft))
	}
	want := "one two|false three\nfour|true five|true ```|false long lon|false g long|true x|false"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q\nwant %q", strings.Join(got, " "), want)
	}
}

func TestRowsOfChineseDoNotBeginWithClosingMarks(t *testing.T) {
	src := strings.Repeat("面包、发酵。「时间」（很长），真的！", 6)
	for width := 6; width < 40; width++ {
		for _, l := range Render(src, width, testStyle()) {
			r := []rune(ansi.Strip(l.ANSI))
			if strings.ContainsRune("、。」），！", r[0]) || strings.ContainsRune("「（", r[len(r)-1]) {
				t.Errorf("a row at %d is %q", width, string(r))
			}
		}
	}
}

func TestLinksCanBeOpened(t *testing.T) {
	for _, c := range []struct{ src, link, text string }{
		{"[the guide](https://example.com/bulk)", "https://example.com/bulk", "the guide"},
		{"https://example.com/x.", "https://example.com/x", "https://example.com/x."},
		{"www.example.com", "http://www.example.com", "www.example.com"},
		{"me@example.com", "mailto:me@example.com", "me@example.com"},
		{"[a](<https://e.example/ü x>)", "https://e.example/%C3%BC%20x", "a"},
		{"[a](docs/x.md)", "", "a (docs/x.md)"},
		{"[a](javascript:alert(1))", "", "a (javascript:alert(1))"},
		{"[https://bank.example](https://evil.example)", "https://evil.example", "https://bank.example (https://evil.example)"},
	} {
		l := Render(c.src, 80, testStyle())[0]
		if got := ansi.Strip(l.ANSI); got != c.text {
			t.Errorf("%s: shows %q, want %q", c.src, got, c.text)
		}
		if c.link == "" && strings.Contains(l.ANSI, "\x1b]8") || c.link != "" && !strings.Contains(l.ANSI, "\x1b]8;;"+c.link+"\x1b\\") {
			t.Errorf("%s: %q does not link to %q", c.src, l.ANSI, c.link)
		}
	}
}

func TestEscapeSequencesOfTheModelAreShownNotSent(t *testing.T) {
	for _, src := range []string{
		"a\x1b]52;c;AAAA\x07b", "`x\x1b[2Jy`", "```\n\x1b[31mred\u009b2J\n```", "[a](http://x\x1b\\\x1b]0;t\x07)", "<http://a\x1bb>",
		"# h\u009b2J", "| a\x1b[H | b |\n|---|---|\n| \x07 | c |", "<div\x1b[2J>\n", "&#27;[2J &#x9b;31m &#8238;x", "![\x1b[2J](u\x1b)",
		"[x]\n\n[x]: https://a\x1b]0;t\x07 \"\x1b\"", "```\x1b]0;x\x07\ny\n```", "\u200f\u202etxt", "$\x1b[2J$", "1\x00.\x7f",
	} {
		for _, width := range []int{1, 7, 40} {
			lines := Render(src, width, testStyle())
			checkLines(t, src, width, lines)
			if len(lines) == 0 {
				t.Errorf("%q shows nothing", src)
			}
		}
	}
	check(t, "a\x1b[2Jb &#27;c \u202ed", 40, "a␛[2Jb ␛c ⟨RLO⟩d")
}

func TestAnyTextFitsAnyWidth(t *testing.T) {
	s := testStyle()
	for seed := range int64(120) {
		r := rand.New(rand.NewSource(seed))
		src := randomText(r, 1+r.Intn(10))
		for _, width := range []int{-1, 1, 2, 3, 7, 8, 9, 13, 30, 100} {
			checkLines(t, src, max(width, 1), Render(src, width, s))
		}
		if t.Failed() {
			return
		}
	}
}

func TestDeepNestingIsBounded(t *testing.T) {
	for _, src := range []string{strings.Repeat("> ", 2000) + "x", strings.Repeat("- ", 300) + "x", strings.Repeat("*", 3000), strings.Repeat("[", 3000), strings.Repeat("`a", 2000)} {
		checkLines(t, src, 30, Render(src, 30, testStyle()))
	}
}

func TestCodeBlocksAndTablesCanBeCopied(t *testing.T) {
	src := "```go\r\n\tx := 1\n\n```\n- item\n  ~~~ c++{.y}\n  a\n    b\n  ~~~\n\n| a *b* | c |\n|--|--|\n| `1` | x<br>y |\n"
	blocks := CodeBlocks(src)
	if len(blocks) != 2 || blocks[0].Lang != "go" || blocks[0].Text != "\tx := 1\n\n" || blocks[1].Lang != "c++" || blocks[1].Text != "a\n  b\n" {
		t.Errorf("code blocks: %+v", blocks)
	}
	if got := src[blocks[0].Start:blocks[0].End]; got != blocks[0].Text {
		t.Errorf("range of the first block: %q", got)
	}
	if got := fmt.Sprintf("%q", Tables(src)); got != `[[["a b" "c"] ["1" "x\ny"]]]` {
		t.Errorf("tables: %s", got)
	}
}

func TestCodeLabels(t *testing.T) {
	s := testStyle().CodeLabels(func(i int, lang string) string { return fmt.Sprintf("%s %d", lang, i+1) })
	src := "```go\nx\n```\n\n- ```\n  y\n  ```\n\n```sh\nz\n"
	want := []string{" x                 go 1", "", "•  y                  2", "", " z                 sh 3", ""}
	m := NewStream(24, s)
	for _, r := range src {
		m.Append(string(r))
		m.Flush()
	}
	for _, lines := range [][]Line{Render(src, 24, s), linesOf(m)} {
		if got := strings.Split(strings.ReplaceAll(plain(lines), " \n", "\n"), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got %q\nwant %q", got, want)
		}
	}
}

func TestAStyleIsSharedByGoroutines(t *testing.T) {
	s := testStyle()
	src := readTestdata(t, "answer.md") + "\n```go\nvar x = 1\n```\n"
	want := Render(src, 60, s)
	done := make(chan []Line)
	for range 4 {
		go func() {
			m := NewStream(60, s)
			m.Append(src)
			m.End()
			done <- linesOf(m)
		}()
	}
	for range 4 {
		compare(t, "in a goroutine", <-done, want)
	}
}
