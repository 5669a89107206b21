package composer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// screen is the view at a size, the caret drawn as █ in its cell, or as ▓ over a
// wide character.
func screen(c *Composer) []string {
	rows := c.View()
	x, y := c.Cursor()
	m := c.lay.method
	row := rows[y] + strings.Repeat(" ", max(0, x+1-m.StringWidth(rows[y])))
	rows[y] = m.Truncate(row, x, "") + "█" + m.TruncateLeft(row, x+1, "")
	return rows
}

func TestRowsAndCaret(t *testing.T) {
	tests := []struct {
		name   string
		width  int
		before string
		want   []string
	}{
		{"empty", 5, "│", []string{"█"}},
		{"one row", 10, "hello│", []string{"hello█"}},
		{"in the middle", 10, "he│llo", []string{"he█lo"}},
		{"words wrap", 11, "hello world foo│", []string{"hello ", "world foo█"}},
		{"a word that would leave no cell for the caret wraps", 11, "hello world│", []string{"hello ", "world█"}},
		{"blanks stay behind their word", 12, "hello world │foo", []string{"hello world ", "█oo"}},
		{"the caret before the blank at the edge", 12, "hello world│ foo", []string{"hello world█", "foo"}},
		{"many blanks wrap as they are", 6, "abcd    │x", []string{"abcd  ", "  █"}},
		{"a full row reserves one below", 4, "abcd│", []string{"abcd", "█"}},
		{"with the caret elsewhere too", 4, "ab│cd", []string{"ab█d", ""}},
		{"a long word breaks by letter", 4, "abcdefg│", []string{"abcd", "efg█"}},
		{"a long word begins on its own row", 6, "ab cdefghij│", []string{"ab ", "cdefgh", "ij█"}},
		{"the caret between two rows is on the lower", 4, "abcd│efg", []string{"abcd", "█fg"}},
		{"ideographs wrap anywhere", 5, "漢字かな│", []string{"漢字", "かな█"}},
		{"ideographs fill a row", 4, "漢字│", []string{"漢字", "█"}},
		{"ideographs behind letters", 5, "ab漢字│", []string{"ab漢", "字█"}},
		{"the caret counts columns, not characters", 10, "あいう│한글中文ABC", []string{"あいう█", "中文ABC"}},
		{"the caret is on a wide one", 10, "a漢│字", []string{"a漢█"}},
		{"a family is two columns", 10, "👨‍👩‍👧‍👦│x", []string{"👨‍👩‍👧‍👦█"}},
		{"a flag", 10, "🇩🇪│x", []string{"🇩🇪█"}},
		{"an accent has no column", 10, "e\u0301│x", []string{"e\u0301█"}},
		{"Devanagari", 10, "क्षि│x", []string{"क्षि█"}},
		{"tabs stop every four columns", 12, "a\tb\t│c", []string{"a   b   █"}},
		{"a tab at the edge", 6, "abcde\t│f", []string{"abcde ", "█"}},
		{"an empty line", 5, "a\n│\nb", []string{"a", "█", "b"}},
		{"a newline at the end", 5, "a\n│", []string{"a", "█"}},
		{"control characters are symbols", 20, "\x1b[31m\x00\x7f\u009b\u202e\u2028│", []string{"␛[31m␀␡\ufffd⇄␤█"}},
		{"what is invisible is not", 20, "a\u200bb\ufeff│", []string{"a·b·█"}},
		{"a lone mark has a base", 20, "\n\u0301│", []string{"", "◌\u0301█"}},
		{"one column", 1, "a漢 b│", []string{"a", "?", " ", "b", "█"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := load(t, test.before)
			c.SetWidth(test.width)
			sound(t, c)
			got := screen(c)
			for i := range got {
				if i < len(test.want) && strings.HasSuffix(test.want[i], "█") {
					got[i], _, _ = strings.Cut(got[i], "█")
					got[i] += "█"
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q at %d:\n%q\nwant\n%q", test.before, test.width, got, test.want)
			}
		})
	}
}

func TestTheCaretStandsBehindWhatWasTyped(t *testing.T) {
	clusters := []string{"あ", "い", "う", "한", "글", "A", "é", "👍🏽", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "เ", "้", "क्षि", "ﷺ"}
	for _, method := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		c := New()
		c.SetWidthMethod(method)
		text := ""
		for _, g := range clusters {
			c.Insert(g)
			text += g
			if x, y := c.Cursor(); x != method.StringWidth(text) || y != 0 {
				t.Errorf("method %d, behind %q: caret at %d,%d, width %d", method, text, x, y, method.StringWidth(text))
			}
		}
	}
}

func TestTheViewFollowsTheCaret(t *testing.T) {
	c := load(t, "1\n2\n3\n4\n5\n6│")
	c.SetMaxHeight(3)
	steps := []struct {
		m    Motion
		rows string
		y    int
	}{
		{"", "456", 2}, {Up, "456", 1}, {Up, "456", 0}, {Up, "345", 0}, {Down, "345", 1},
		{TextStart, "123", 0}, {Down, "123", 1}, {TextEnd, "456", 2},
	}
	for _, s := range steps {
		c.Move(s.m, false)
		rows := strings.Join(c.View(), "")
		if _, y := c.Cursor(); rows != s.rows || y != s.y {
			t.Errorf("after %q: %q, caret in row %d, want %q, %d", s.m, rows, y, s.rows, s.y)
		}
	}
	c.Delete(LineStart)
	c.Delete(LineStart)
	if got := strings.Join(c.View(), ""); got != "345" {
		t.Errorf("after deleting the last line: %q", got)
	}
	c.Move(TextStart, false)
	c.Move(Down, false)
	c.View()
	c.SetMaxHeight(10)
	if got := strings.Join(c.View(), ""); got != "12345" || c.Height() != 5 {
		t.Errorf("with more room: %q", got)
	}
}

func TestTheViewStaysWhenTextAboveItChanges(t *testing.T) {
	c := load(t, strings.Repeat("line\n", 50)+"│")
	c.SetMaxHeight(5)
	for range 10 {
		c.Move(Up, false)
		c.View()
	}
	c.Move(Down, false)
	c.Move(Down, false)
	_, y := c.Cursor()
	c.Insert("x")
	if _, now := c.Cursor(); now != y || y != 2 {
		t.Errorf("typing took the caret from row %d to row %d", y, now)
	}
	caret := c.caret
	c.apply(put(0, 5, nil)) // "line\n" of the first line, far above
	c.caret = caret - 5
	if _, now := c.Cursor(); now != y {
		t.Errorf("a change above took the caret from row %d to row %d", y, now)
	}
}

func TestStyles(t *testing.T) {
	wrap := func(mark string) func(string) string {
		return func(s string) string { return mark + s + mark }
	}
	c := load(t, "ab│")
	c.SetStyles(Styles{Text: wrap("T"), Placeholder: wrap("P"), Chip: wrap("C"), Selection: wrap("S")})
	c.SetPlaceholder("Ask anything")
	c.Paste(strings.Repeat("x\n", 11))
	c.Insert("\nyz")
	c.Move(Left, true)
	c.Move(Left, true)
	c.Move(Left, true)
	want := []string{"TabTC[paste 1 · 11 lines]CS S", "SyzS"}
	if got := c.View(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c.Clear()
	if got := c.View(); !slices.Equal(got, []string{"PAsk anythingP"}) {
		t.Errorf("placeholder: %q", got)
	}
	c.SetWidth(5)
	if got := c.View(); !slices.Equal(got, []string{"PAsk aP"}) {
		t.Errorf("placeholder: %q", got)
	}
}

func TestAChipFitsAnyWidth(t *testing.T) {
	c := New()
	c.Paste(strings.Repeat("line\n", 45000))
	for w := 1; w < 30; w++ {
		c.SetWidth(w)
		sound(t, c)
	}
	if got := c.View(); got[0] != "[paste 1 · 45,000 lines]" {
		t.Errorf("%q", got)
	}
	c.Insert("tail")
	c.SetWidth(26)
	if got := c.View(); !slices.Equal(got, []string{"[paste 1 · 45,000 lines]", "tail"}) {
		t.Errorf("%q", got)
	}
}

func TestAClickMovesTheCaret(t *testing.T) {
	tests := []struct {
		x, y int
		want string
	}{
		{0, 0, "│漢字 word\nx"}, {1, 0, "│漢字 word\nx"}, {2, 0, "漢│字 word\nx"},
		{2, 1, "漢字 wo│rd\nx"}, {50, 1, "漢字 word│\nx"}, {50, 0, "漢字│ word\nx"},
		{0, 2, "漢字 word\n│x"}, {9, 9, "漢字 word\nx│"}, {-1, -1, "│漢字 word\nx"},
	}
	for _, test := range tests {
		c := load(t, "漢字 word\nx│")
		c.SetWidth(6)
		c.MoveTo(test.x, test.y, false)
		if got := marked(c); got != test.want {
			t.Errorf("click at %d,%d: %q, want %q", test.x, test.y, got, test.want)
		}
	}
}

func TestWhatStaysLaidOutIsRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, unit := range []string{"x", "lorem ipsum ", "漢", "🇩🇪", "line\n", "é\u0301 👩‍💻\t"} {
		c := New()
		c.SetText(strings.Repeat(unit, 60_000/len(unit)))
		for range 60 {
			c.caret = c.lay.snap(rng.IntN(c.text.len() + 1))
			switch rng.IntN(5) {
			case 0:
				c.Insert("\n")
			case 1:
				c.Insert("word 漢")
			case 2:
				c.Delete(Left)
			case 3:
				c.anchor = c.lay.snap(max(0, c.caret-rng.IntN(20_000)))
				c.Delete(Left)
			case 4:
				c.Undo()
			}
			fresh := layout{width: c.lay.width, method: c.lay.method}
			fresh.reset(c.text)
			r, f, more := c.lay.at(0), fresh.at(0), true
			for more {
				if r.start() != f.start() || r.end() != f.end() || r.text() != f.text() {
					t.Fatalf("%q: row [%d, %d), afresh [%d, %d)", unit, r.start(), r.end(), f.start(), f.end())
				}
				r, _ = c.lay.next(r)
				f, more = fresh.next(f)
			}
		}
	}
}

func TestALongLineIsLaidOutWhole(t *testing.T) {
	lines := map[string]string{
		"letters": strings.Repeat("x", 100_000),
		"words":   strings.Repeat("lorem ipsum ", 9_000),
		"flags":   strings.Repeat("🇩🇪", 9_000),
		"family":  strings.Repeat("👨‍👩‍👧‍👦", 5_000),
		"marks":   "a" + strings.Repeat("\u0301", 30_000),
		"mixed":   strings.Repeat("ab 漢字 e\u0301\t🇩🇪 ", 4_000),
	}
	for name, text := range lines {
		c := New()
		c.SetText("before\n" + text + "\nafter")
		r, more, at, n := c.lay.at(0), true, 0, 0
		for ; more; r, more = c.lay.next(r) {
			if r.start() != at {
				t.Fatalf("%s: row %d starts at %d, not %d", name, n, r.start(), at)
			}
			if again := c.lay.at(r.start()); again.start() != r.start() {
				t.Fatalf("%s: row %d is not found again", name, n)
			}
			if p, ok := c.lay.prev(r); ok == (n == 0) || ok && p.start() >= r.start() {
				t.Fatalf("%s: row %d has no row above", name, n)
			}
			if at, n = r.end(), n+1; r.closes() {
				at++
			}
		}
		if at != c.text.len()+1 {
			t.Errorf("%s: rows end at %d of %d", name, at, c.text.len())
		}
		for _, m := range []Motion{TextStart, Down, LineEnd, Up, LineStart, Up, Down, Right, WordRight, TextEnd, Up, Left} {
			if !c.Move(m, false) {
				t.Errorf("%s: %s did not move", name, m)
			}
			sound(t, c)
		}
		if name == "marks" {
			continue
		}
		c.Move(Up, false)
		for range 700 {
			before := c.caret
			c.Insert("y")
			c.Move(Left, false)
			if c.caret != before {
				t.Fatalf("%s: the caret went from %d to %d", name, before, c.caret)
			}
		}
	}
}
