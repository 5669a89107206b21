package markdown

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// feed streams a text in pieces, flushing after some of them.
func feed(t testing.TB, src string, width int, s *Style, r *rand.Rand, most int) *Stream {
	t.Helper()
	m := NewStream(width, s)
	for rest := src; rest != ""; {
		n := min(1+r.Intn(most), len(rest))
		m.Append(rest[:n])
		rest = rest[n:]
		if r.Intn(3) > 0 {
			m.Flush()
		}
		if r.Intn(50) == 0 && m.PendingCode() {
			m.ApplyHighlight(m.HighlightJob()())
		}
	}
	m.End()
	settle(t, m)
	return m
}

// compare reports the first line that differs.
func compare(t testing.TB, what string, got, want []Line) bool {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%s: row %d is missing: %q", what, i, want[i].ANSI)
		case i >= len(want):
			t.Errorf("%s: row %d is too much: %q", what, i, got[i].ANSI)
		case !same(got[i], want[i]):
			t.Errorf("%s: row %d\n got %s\nwant %s", what, i, describe(got[i]), describe(want[i]))
		default:
			continue
		}
		return false
	}
	return true
}

func TestStreamedTextEqualsTheWhole(t *testing.T) {
	s := testStyle()
	for seed := range int64(250) {
		r := rand.New(rand.NewSource(seed))
		src := randomText(r, 2+r.Intn(12))
		width := []int{1, 5, 20, 40, 100}[r.Intn(5)]
		m := feed(t, src, width, s, r, 12)
		if m.Source() != src {
			t.Fatalf("Source() = %q, want %q", m.Source(), src)
		}
		if !compare(t, fmt.Sprintf("seed %d width %d", seed, width), linesOf(m), Render(src, width, s)) {
			t.Fatalf("source %q", src)
		}
	}
}

// style is one of the ways to draw a text.
func style(seed int64) *Style {
	s := testStyle()
	if seed&1 != 0 {
		s = s.WrapCode(false)
	}
	if seed&2 != 0 {
		s = s.Hyperlinks(false)
	}
	return s
}

func FuzzStreamEqualsRender(f *testing.F) {
	for _, s := range snippets {
		f.Add(s+"\ntext\n"+s, 30, int64(1))
	}
	f.Fuzz(func(t *testing.T, src string, width int, seed int64) {
		if len(src) > 2000 || width > 300 || unsettled(src) {
			t.Skip()
		}
		s := style(seed)
		m := feed(t, src, width, s, rand.New(rand.NewSource(seed)), 9)
		want := Render(src, width, s)
		compare(t, "stream", linesOf(m), want)
		checkLines(t, src, max(width, 1), want)
	})
}

// FuzzNothingUnsafeIsDrawn draws any bytes in every way there is.
func FuzzNothingUnsafeIsDrawn(f *testing.F) {
	for i, s := range snippets {
		f.Add([]byte(s), i, 3)
	}
	for _, s := range []string{"[\x1b](\x07 \"\x9b\")", "$\x1b\\frac{\x07}{\u202e}$", "[^\x1b]: \x1b\n\n[^\x1b]", "```\x1b\n\x1b", "<\x1b>", "&#27;&#x9b;", "| \x1b |\n|---|\n"} {
		f.Add([]byte(s), 20, 1)
	}
	f.Fuzz(func(t *testing.T, b []byte, width, scroll int) {
		src := string(b)
		if len(src) > 2000 || width > 300 {
			t.Skip()
		}
		s := style(int64(scroll))
		w := max(width, 1)
		checkLines(t, src, w, RenderRaw(src, width))
		m := NewStream(width, s)
		m.Append(src)
		m.Flush()
		lines := linesOf(m)
		checkLines(t, src, w, lines)
		m.End()
		lines = linesOf(m)
		for i := range lines {
			lines[i] = lines[i].Scroll(scroll)
		}
		checkLines(t, src, w, lines)
	})
}

// answers are long texts of what models write, several kinds in a row.
func longText(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		switch r.Intn(9) {
		case 0:
			fmt.Fprintf(&b, "## Section %d\n\n", b.Len())
		case 1:
			for i := range 1 + r.Intn(6) {
				fmt.Fprintf(&b, "%d. Item with **bold** text and `code`, long enough to be wrapped somewhere\n", i+1)
			}
			b.WriteByte('\n')
		case 2:
			b.WriteString("```go\n")
			for i := range 3 + r.Intn(20) {
				fmt.Fprintf(&b, "\tx%d := strings.Repeat(\"abc\", %d) // a comment\n", i, i*7)
			}
			b.WriteString("```\n\n")
		case 3:
			b.WriteString("| Name | Value | Note |\n|---|--:|---|\n")
			for i := range 2 + r.Intn(5) {
				fmt.Fprintf(&b, "| row %d | %d | something about it |\n", i, i*i)
			}
			b.WriteByte('\n')
		case 4:
			b.WriteString("> A quote that says something *important*.\n\n")
		case 5:
			b.WriteString("- a loose item\n\n  with a second paragraph\n\n- another\n\n")
		default:
			for range 2 + r.Intn(5) {
				b.WriteString("The quick brown fox jumps over the **lazy** dog, while `code` and [a link](https://example.com) stand by. ")
			}
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

func TestLongAnswersStreamAsTheyRender(t *testing.T) {
	s := testStyle()
	for seed := range int64(4) {
		r := rand.New(rand.NewSource(seed))
		src := longText(r, 12_000)
		m := feed(t, src, 80, s, r, 400)
		compare(t, fmt.Sprint("seed ", seed), linesOf(m), Render(src, 80, s))
	}
}

func TestLongListsAreTheSameInParts(t *testing.T) {
	s := testStyle()
	for seed := range int64(8) {
		r := rand.New(rand.NewSource(seed))
		var b strings.Builder
		b.WriteString("Intro\n\n")
		ordered := r.Intn(2) == 0
		late := []string{"", "\n", "\n  more of it\n\n", "[l]: https://example.com/l\n"}[r.Intn(4)]
		for i := range 150 + r.Intn(100) {
			marker := "- "
			if ordered {
				marker = fmt.Sprintf("%d. ", 7+i)
			}
			fmt.Fprintf(&b, "%sitem **%d** with [l] and some `code` to make it long\n", marker, i)
			switch r.Intn(12) {
			case 0:
				b.WriteString("   - nested\n   - two\n")
			case 1:
				b.WriteString("   ```go\n   x := 1\n   ```\n")
			case 2:
				b.WriteString("lazy line\n")
			}
			if i > 140 && r.Intn(10) == 0 {
				b.WriteString(late)
			}
		}
		b.WriteString([]string{"", "\nEnd\n", "---\n", "* another\n", "\n[l]: /late\n"}[r.Intn(5)])
		src := b.String()
		m := feed(t, src, 40, s, r, 60)
		if !compare(t, fmt.Sprint("seed ", seed), linesOf(m), Render(src, 40, s)) {
			t.FailNow()
		}
	}
}

func TestTextOnScreenIsTheSameBeforeTheEnd(t *testing.T) {
	s := testStyle()
	r := rand.New(rand.NewSource(1))
	for _, src := range []string{readTestdata(t, "answer.md"), longText(r, 3000), strings.Repeat("1. item with words\n", 400)} {
		m := NewStream(60, s)
		m.literal = true
		for i := 0; i < len(src); {
			n := min(1+r.Intn(90), len(src)-i)
			m.Append(src[i : i+n])
			m.Flush()
			i += n
			if got, want := plain(linesOf(m)), plain(Render(src[:i], 60, s)); got != want {
				t.Fatalf("after %d bytes, %q:\n got %s\nwant %s", i, src[max(0, i-40):i], got, want)
			}
		}
	}
}

func TestClosedLinesAreNotLaidOutAgain(t *testing.T) {
	m := NewStream(80, testStyle())
	src := longText(rand.New(rand.NewSource(3)), 30_000)
	m.Append(src)
	m.Flush()
	before := m.chunks[0].lines
	m.Append("\n\nmore\n\n[a link]: /x\n\nand [another].\n")
	m.End()
	if &before[0] != &m.chunks[0].lines[0] {
		t.Error("a closed block was laid out again without need")
	}
}

func TestLinesFollowALateDefinition(t *testing.T) {
	s := testStyle()
	m := NewStream(80, s)
	m.Append("See [the guide].\n\nNext\n\n")
	m.Flush()
	if got := m.Line(0).ANSI; strings.Contains(got, "example.com") || !strings.Contains(got, "[") {
		t.Errorf("before the definition: %q", got)
	}
	m.Append("[the guide]: https://example.com/g\n\nEnd\n\n")
	m.Flush()
	if got := m.Line(0).ANSI; !strings.Contains(got, "\x1b]8;;https://example.com/g\x1b\\") {
		t.Errorf("after the definition: %q", got)
	}
}

func TestBigCodeIsPlainFirstAndColouredLater(t *testing.T) {
	s := testStyle()
	src := "```go\n" + strings.Repeat("var x = \"text\" // comment\n", 400) + "```\n\nafter\n"
	m := NewStream(60, s)
	m.Append(src)
	m.End()
	if !m.PendingCode() {
		t.Fatal("10 KB of code were highlighted at once")
	}
	other := NewStream(60, s)
	other.Append(src)
	other.End()
	job := m.HighlightJob()
	done := make(chan Highlights)
	go func() { done <- job() }()
	h := <-done
	other.ApplyHighlight(h)
	if !other.PendingCode() {
		t.Error("the result of one stream was taken by another")
	}
	n := m.Len()
	m.ApplyHighlight(h)
	if m.PendingCode() || m.Len() != n {
		t.Errorf("pending %v, %d lines of %d", m.PendingCode(), m.Len(), n)
	}
	compare(t, "coloured", linesOf(m), Render(src, 60, s))
	m.ApplyHighlight(h)
	compare(t, "applied twice", linesOf(m), Render(src, 60, s))
}

func TestOpenCodeHasColoursWhileItComes(t *testing.T) {
	m := NewStream(60, testStyle())
	m.Append("```go\nfunc f() string {\n\treturn \"x\"\n")
	m.Flush()
	if got := m.Line(0).ANSI; !strings.Contains(got, "38;2;192;144;255") { // Keyword
		t.Errorf("no keyword colour in %q", got)
	}
	for range 50 {
		m.Append("\t// a comment\n")
		m.Flush()
	}
	if got := m.Line(m.Len() - 1).ANSI; !strings.Contains(got, "38;2;128;128;128") { // Comment
		t.Errorf("no comment colour in %q", got)
	}
}

func TestAnUnclosedFenceEndsWithItsMessage(t *testing.T) {
	m := NewStream(40, testStyle())
	m.Append("```sh\necho")
	m.Flush()
	m.Append(" hi")
	m.End()
	if got := strings.TrimSpace(plain(linesOf(m))); got != "echo hi"+strings.Repeat(" ", 29)+"sh" {
		t.Errorf("got %q", got)
	}
	m.Append("ignored")
	m.Flush()
	m.End()
	if m.Source() != "```sh\necho hi" {
		t.Errorf("text after the end was taken: %q", m.Source())
	}
}

func TestHugeParagraphsAreShownAsTheyAre(t *testing.T) {
	s := testStyle()
	src := "before\n\n" + strings.Repeat("[a](b **c** \\[ `d` ", 3000) + "\n\nafter **bold**\n"
	m := feed(t, src, 70, s, rand.New(rand.NewSource(1)), 9000)
	want := Render(src, 70, s)
	compare(t, "stream", linesOf(m), want)
	checkLines(t, src, 70, want)
	if got := plain(want); !strings.Contains(got, "[a](b **c**") || !strings.HasSuffix(got, "after bold\n") {
		t.Errorf("shown as %.80s…%s", got, got[len(got)-30:])
	}
}

func TestEndlessMarkersAreNoTrap(t *testing.T) {
	s := testStyle()
	for _, unit := range []string{"> ", "- ", "1. ", "[a](", `\[`, "```\n", "$$"} {
		src := strings.Repeat(unit, 8_000/len(unit))
		m := NewStream(40, s)
		m.Append(src[:len(src)/2])
		m.Flush()
		m.Append(src[len(src)/2:])
		m.End()
		compare(t, unit, linesOf(m), Render(src, 40, s))
	}
}

func TestCostDoesNotGrowWithTheText(t *testing.T) {
	s := testStyle()
	src := longText(rand.New(rand.NewSource(2)), 20_000)
	m := NewStream(80, s)
	laid := 0 // bytes of source that flushes at the end had to look at
	for i := 0; i < len(src); i += 100 {
		m.Append(src[i:min(i+100, len(src))])
		m.Flush()
		if m.growing == nil {
			laid = max(laid, len(m.src)-m.closed)
		}
	}
	if laid > 2000 {
		t.Errorf("a flush looked at %d bytes", laid)
	}
}
