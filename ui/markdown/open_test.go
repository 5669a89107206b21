package markdown

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// shortStyle takes paragraphs beyond a few hundred bytes for long ones.
func shortStyle() *Style {
	s := testStyle()
	s.maxParagraph = 500
	s.parser = newParser(s.maxParagraph)
	return s
}

func TestOpenBlocksAreNotLaidOutAgainAndAgain(t *testing.T) {
	s := shortStyle()
	for _, c := range openBlocks {
		m := NewStream(60, s)
		m.Append(c.head)
		again, tail := 0, 0
		for n := len(c.head); n < 20_000; n += len(c.piece) * 16 {
			m.Append(strings.Repeat(c.piece, 16))
			m.Flush()
			if n > 8_000 {
				tail = max(tail, len(m.tail))
				if m.growing == nil {
					again = max(again, len(m.src)-m.closed)
				}
			}
		}
		if again > 4000 || tail > 150 {
			t.Errorf("%s: %d bytes, %d rows were laid out again", c.name, again, tail)
		}
		want := Render(m.Source(), 60, s)
		m.End()
		settle(t, m)
		compare(t, c.name, linesOf(m), want)
	}
}

func TestLongOpenBlocksEndWell(t *testing.T) {
	s := shortStyle()
	ends := []string{"\n", "\n\nafter\n", "# head\n", "- item\n", "```\ncode\n```\n", "> quote\n", "===\n", "---\n", "|---|\n", "<div>\n", "lazy\n", "\n    code\n", "    more\n", "   \n", ">\n> more\n", ">\n\n> other\n", "***\n\ntext\n", "1. x\n", "2. x\n", "[^1]: note\n", "| last", "$$\nx\n$$\n"}
	for _, c := range openBlocks {
		for i, end := range ends {
			r := rand.New(rand.NewSource(int64(i)))
			size := 400 + r.Intn(3)*100
			if c.name == "line" {
				size = 6_000 // beyond what is parsed of it
			}
			if c.name == "fence" {
				end = "```\n" + end
			}
			src := c.head + strings.Repeat(c.piece, size/len(c.piece)) + end
			m := NewStream(40, s)
			m.divideFrom = 100
			at := len(src) - len(end) - r.Intn(3)
			m.Append(src[:at])
			m.Flush()
			m.literal = true
			for at < len(src) {
				n := min(1+r.Intn(3), len(src)-at)
				m.Append(src[at : at+n])
				m.Flush()
				at += n
				if got, want := plain(linesOf(m)), plain(Render(src[:at], 40, s)); got != want {
					t.Fatalf("%s with %q after %q:\n got …%q\nwant …%q", c.name, end, src[at-20:at], tailOf(got), tailOf(want))
				}
			}
			m.End()
			settle(t, m)
			if !compare(t, fmt.Sprintf("%s with %q", c.name, end), linesOf(m), Render(src, 40, s)) {
				t.FailNow()
			}
		}
	}
}

// tailOf is the end of a text.
func tailOf(s string) string { return s[max(0, len(s)-300):] }

func TestATableGrowsWithItsRows(t *testing.T) {
	s := testStyle()
	for seed := range int64(6) {
		r := rand.New(rand.NewSource(seed))
		columns := 1 + r.Intn(4)
		var b strings.Builder
		b.WriteString(strings.Repeat("| head ", columns) + "|\n" + strings.Repeat("|--:", columns) + "|\n")
		for range 20 {
			for range columns {
				b.WriteString("| " + strings.Repeat([]string{"x", "word ", "漢字", "**b** ", "`c|` "}[r.Intn(5)], r.Intn(12)))
			}
			b.WriteString("|\n")
		}
		src := b.String() + []string{"", "\n", "\nafter", "# x\n"}[r.Intn(4)]
		width := []int{1, 12, 30, 80, 200}[r.Intn(5)]
		streamed(t, fmt.Sprint("seed ", seed), src, width, s, r, 40)
	}
}

func TestATableInALinkIsLaidOutAgainWhenItIsDefined(t *testing.T) {
	s := testStyle()
	src := "| a |\n|---|\n" + strings.Repeat("| [l] |\n", 400) + "\n[l]: https://e.example\n\nend\n"
	m := NewStream(40, s)
	for i := 0; i < len(src); i += 50 {
		m.Append(src[i:min(i+50, len(src))])
		m.Flush()
	}
	if !strings.Contains(m.Line(300).ANSI, "https://e.example") {
		t.Errorf("row 300 is %q", m.Line(300).ANSI)
	}
	m.End()
	compare(t, "table", linesOf(m), Render(src, 40, s))
}
