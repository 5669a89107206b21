package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func wrapped(width int, text string) []string {
	p := newPlainText(width, text)
	var out []string
	for i := range p.len() {
		out = append(out, p.row(i))
	}
	return out
}

func TestPlainTextWraps(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"empty", "", 10, []string{""}},
		{"short", "hello", 10, []string{"hello"}},
		{"at words", "one two three", 8, []string{"one two", "three"}},
		{"lines stay", "a\n\nb", 8, []string{"a", "", "b"}},
		{"long words break", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"CJK breaks anywhere", "日本語の長い文章", 8, []string{"日本語の", "長い文章"}},
		{"a blank at the edge is not shown", "abcd efgh", 4, []string{"abcd", "efgh"}},
		{"tabs are four columns", "a\tb", 10, []string{"a    b"}},
		{"emoji stay whole", "aa👩‍🍳bb", 3, []string{"aa", "👩‍🍳", "bb"}},
	} {
		if got := wrapped(c.width, c.text); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzPlainTextGrowsAsItWouldBeWrappedAtOnce(f *testing.F) {
	f.Add("one two three four\nfive", 3, 7)
	f.Add("日本語 mixed with words 👩‍🍳 and\ttabs", 5, 9)
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaa b", 1, 4)
	f.Fuzz(func(t *testing.T, text string, step, width int) {
		step, width = max(1, step%50), max(2, width%200)
		text = strings.ToValidUTF8(text, "")
		for _, r := range text {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
				return // cleaned before it comes here
			}
		}
		p := newPlainText(width, "")
		runes := []rune(text)
		for i := 0; i < len(runes); i += step {
			p.append(string(runes[i:min(len(runes), i+step)]))
		}
		want := newPlainText(width, text)
		if p.len() != want.len() {
			t.Fatalf("%d rows, want %d", p.len(), want.len())
		}
		for i := range p.len() {
			if p.row(i) != want.row(i) {
				t.Fatalf("row %d: %q, want %q", i, p.row(i), want.row(i))
			}
			if w := ansi.StringWidth(p.row(i)); w > width {
				t.Fatalf("row %d is %d columns wide, not %d: %q", i, w, width, p.row(i))
			}
		}
	})
}
