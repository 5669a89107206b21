package ui

import (
	"slices"
	"strings"
	"testing"

	"waferchat/themes"
	"waferchat/ui/markdown"
)

func TestMarkdownIsFoundAsItIsRead(t *testing.T) {
	style := markdown.ThemeStyle(themes.Default(true))
	long := strings.Repeat("many words ", 40)
	for _, c := range []struct {
		name, needle, src string
		want              []string // of the source
	}{
		{"bold", "bold text", "Some **bold** text.", []string{"bold** text"}},
		{"emphasis in a word", "abcd", "ab*c*d", []string{"ab*c*d"}},
		{"an asterisk that is one", "ab", "2 a*b + 3", nil},
		{"code", "run go build now", "run `go build` now", []string{"run `go build` now"}},
		{"a link", "the link here", "the [link](https://example.com) here", []string{"the [link](https://example.com) here"}},
		{"an escaped character", "snake_case", `a snake\_case b`, []string{`snake\_case`}},
		{"an entity", "AT&T", "the AT&amp;T net", []string{"AT&amp;T"}},
		{"a quote of two lines", "foo bar", "> foo\n> bar", []string{"foo\n> bar"}},
		{"a paragraph of two lines", "foo bar", "**foo**\nbar", []string{"foo**\nbar"}},
		{"a hard break", "foo bar", "*foo*  \nbar", []string{"foo*  \nbar"}},
		{"no list items together", "foo bar", "- *foo*\n- bar", nil},
		{"no cells together", "one two", "| *one* | two |\n|---|---|\n| a | b |", nil},
		{"a cell", "one two", "| *one* two | b |\n|---|---|\n| a | b |", []string{"one* two"}},
		{"a row that goes on", "words end", long + "**words** end", []string{"words** end"}},
		{"mathematics", "α ≤ β", `so $\alpha \le \beta$ holds`, []string{`$\alpha \le \beta$`}},
		{"wide characters", "漢字かな", "**漢字**かな", []string{"漢字**かな"}},
		{"in a list", "the deep end", "1. one\n   - the **deep** end", []string{"the **deep** end"}},
		{"strikethrough", "old new", "~~old~~ new", []string{"old~~ new"}},
		{"code is what it is", "ab", "```\na*b\n```", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProse(c.src, style)
			var got []string
			for _, h := range p.hits(newNeedle(c.needle)) {
				got = append(got, c.src[h.start:h.end])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q in %q: %q, want %q", c.needle, p.text, got, c.want)
			}
		})
	}
}

func TestMarkdownIsDividedBetweenBlocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"paragraphs", "one\ntwo\n\nthree\n\n\nfour", []string{"one\ntwo\n\n", "three\n\n\n", "four"}},
		{"an item goes on", "- one\n\n  more\n\nend\n", []string{"- one\n\n  more\n\n", "end\n"}},
		{"code with blank lines", "```go\na\n\nb\n```\n\nend", []string{"```go\na\n\nb\n```\n\n", "end"}},
		{"a longer fence", "~~~~\na\n~~~\n\nb\n~~~~\n\nend", []string{"~~~~\na\n~~~\n\nb\n~~~~\n\n", "end"}},
		{"code in a quote", "> ```\n> a\n\nb\n```\nc\n\nd", []string{"> ```\n> a\n\nb\n```\nc\n\n", "d"}},
		{"links that are defined", "[a][1]\n\nb\n\n[1]: http://example.com", []string{"[a][1]\n\nb\n\n[1]: http://example.com"}},
		{"nothing", "", nil},
		{"blank", "\n\n", []string{"\n\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for start, end := range segments(c.src) {
				got = append(got, c.src[start:end])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func BenchmarkProse(b *testing.B) {
	style := markdown.ThemeStyle(themes.Default(true))
	src := answerText(1000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		newProse(src, style)
	}
}

func BenchmarkScan(b *testing.B) {
	for _, c := range []struct{ name, needle, text string }{
		{"one letter", "e", answerText(1 << 20)},
		{"rare", "zyx", answerText(1 << 20)},
		{"word", "stream", answerText(1 << 20)},
		{"Cyrillic", "поток", strings.Repeat("Съешь же ещё этих мягких французских булок, да выпей чаю. ", 10_000)},
		{"Chinese", "漢字", strings.Repeat("他们在字里行间寻找漢的字，一行一行地读下去。", 15_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := newNeedle(c.needle)
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				n.scan(c.text, 0, true)
			}
		})
	}
}
