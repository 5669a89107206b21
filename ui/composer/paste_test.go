package composer

import (
	"strings"
	"testing"
	"time"
)

func TestPastedTextIsCleaned(t *testing.T) {
	tests := []struct{ name, pasted, want string }{
		{"plain", "a b\tc", "a b\tc"},
		{"CR", "l1\rl2\rl3", "l1\nl2\nl3"},
		{"CRLF", "l1\r\nl2\r\n", "l1\nl2\n"},
		{"LF", "l1\nl2", "l1\nl2"},
		{"remnants of bracketed paste", "\x1b[200~a\x1b[201~\rrm -rf", "a\nrm -rf"},
		{"a remnant cut short", "a\x1b[20", "a"},
		{"newline as a key of tmux", "a\x1b[27;5;106~b", "a\nb"},
		{"newline as a key of kitty", "a\x1b[106;5ub", "a\nb"},
		{"tab as a key", "a\x1b[27;5;105~b", "a\tb"},
		{"colours", "\x1b[1;31mred\x1b[0m\x1b(B", "red"},
		{"an operating system command", "a\x1b]8;;http://x\x1b\\link\x1b]8;;\ab", "alinkb"},
		{"a command without an end loses no text", "a\x1b]0;title\nb", "a]0;title\nb"},
		{"a stray escape", "a\x1bb\x1b", "ab"},
		{"NUL, bell, backspace, delete", "a\x00\a\b\x7fb", "ab"},
		{"eight-bit controls", "a\u009b\u0085b", "ab"},
		{"a byte order mark", "\ufeffa\ufeffb", "ab"},
		{"a no-break space stays", "a\u00a0b\u202fc", "a\u00a0b\u202fc"},
		{"invalid UTF-8", "\xff\xfe\xc3(\x80", "\ufffd(\ufffd"},
		{"what looks like invalid UTF-8's mark", "a\ufffdb", "a\ufffdb"},
		{"nothing else", "\x1b[200~\x1b[201~", ""},
	}
	for _, test := range tests {
		c := New()
		c.Paste(test.pasted)
		if got := c.Text(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		sound(t, c)
	}
}

func TestLargePastesFold(t *testing.T) {
	tests := []struct{ name, pasted, shown string }{
		{"ten lines stay", strings.Repeat("x\n", 9) + "x", ""},
		{"also with a newline at the end", strings.Repeat("x\n", 10), ""},
		{"eleven fold", strings.Repeat("x\n", 10) + "x", "[paste 1 · 11 lines]"},
		{"2,000 characters stay", strings.Repeat("漢", 2000), ""},
		{"2,001 fold", strings.Repeat("漢", 2001), "[paste 1 · 2,001 characters]"},
		{"a few long lines", strings.Repeat("x", 3000) + "\ny", "[paste 1 · 2 lines]"},
		{"a log", strings.Repeat("x\n", 45000), "[paste 1 · 45,000 lines]"},
		{"a million", strings.Repeat("x", 1234567), "[paste 1 · 1,234,567 characters]"},
	}
	for _, test := range tests {
		c := New()
		c.Paste(test.pasted)
		folded := test.shown != ""
		if got := c.View()[0]; folded && got != test.shown || folded != (c.text.folds == 1) {
			t.Errorf("%s: %q", test.name, got)
		}
		if c.Text() != test.pasted {
			t.Errorf("%s: the text differs", test.name)
		}
	}
}

func TestPastesAreNumberedPerDraft(t *testing.T) {
	long := strings.Repeat("x\n", 20)
	c := New()
	c.Paste(long)
	c.Paste(long)
	if got := strings.Join(c.View(), ""); got != "[paste 1 · 20 lines][paste 2 · 20 lines]" {
		t.Errorf("%q", got)
	}
	c.Undo()
	c.Paste(long + "y")
	if got := strings.Join(c.View(), ""); got != "[paste 1 · 20 lines][paste 2 · 21 lines]" {
		t.Errorf("after undo: %q", got)
	}
	c.Clear()
	c.Paste(long)
	if got := c.View()[0]; got != "[paste 1 · 20 lines]" {
		t.Errorf("in the next draft: %q", got)
	}
}

func TestTextThatLooksLikeAChipIsText(t *testing.T) {
	c := New()
	c.Paste(strings.Repeat("x\n", 15))
	c.Insert(" [paste 1 · 15 lines]")
	want := strings.Repeat("x\n", 15) + " [paste 1 · 15 lines]"
	if got := c.Text(); got != want {
		t.Errorf("%q", got)
	}
	c.Delete(Left)
	if got := c.Text(); got != want[:len(want)-1] {
		t.Errorf("%q", got)
	}
	if c.Move(TextStart, false); !c.Expand() {
		t.Error("the chip at the caret did not expand")
	}
	if c.Expand() {
		t.Error("text expanded")
	}
}

func TestExpandTakesTheNearestChipBefore(t *testing.T) {
	one, two := strings.Repeat("1\n", 11), strings.Repeat("2\n", 12)
	c := New()
	c.Paste(one)
	c.Insert("a")
	c.Paste(two)
	c.Insert("bcd")
	c.Move(Left, false)
	if !c.Expand() || marked(c) != "▣a"+two+"bc│d" {
		t.Errorf("%q", marked(c))
	}
	if !c.Expand() || marked(c) != one+"a"+two+"bc│d" {
		t.Errorf("%q", marked(c))
	}
	if c.Expand() {
		t.Error("there was a third chip")
	}
	c.Undo()
	c.Undo()
	if marked(c) != "▣a▣bc│d" {
		t.Errorf("after undo: %q", marked(c))
	}
}

func TestHugePastesLoseNothing(t *testing.T) {
	texts := map[string]string{
		"20,000 lines":       strings.Repeat(strings.Repeat("word ", 10)+"\n", 20_000),
		"one line of 1 MB":   strings.Repeat("abcdefghij", 100_000),
		"ideographs of 1 MB": strings.Repeat("漢字かな", 85_000),
		"10 MB":              strings.Repeat("0123456789abcde\n", 640_000),
	}
	for name, text := range texts {
		c := New()
		c.Insert("see: ")
		start := time.Now()
		c.Paste(text)
		took := time.Since(start)
		c.Insert(" ok")
		sound(t, c)
		if c.Text() != "see: "+text+" ok" {
			t.Errorf("%s: the text differs", name)
		}
		if !c.Expand() {
			t.Fatalf("%s did not fold", name)
		}
		c.Insert("!")
		c.Move(Up, false)
		c.View()
		if c.Text() != "see: "+text+" ok!" {
			t.Errorf("%s: the expanded text differs", name)
		}
		balanced(t, c.text)
		t.Logf("%s: paste took %v", name, took)
	}
}
