package composer

import (
	"strings"
	"testing"
)

// do is one call by its name, for tables.
func do(t *testing.T, c *Composer, step string) {
	t.Helper()
	verb, arg, _ := strings.Cut(step, " ")
	switch verb {
	case "type":
		for _, r := range arg {
			c.Insert(string(r))
		}
	case "insert":
		c.Insert(arg)
	case "paste":
		c.Paste(arg)
	case "move":
		c.Move(Motion(arg), false)
	case "select":
		c.Move(Motion(arg), true)
	case "delete":
		c.Delete(Motion(arg))
	case "kill":
		c.Kill(Motion(arg))
	case "yank":
		c.Yank()
	case "undo":
		c.Undo()
	case "redo":
		c.Redo()
	case "all":
		c.SelectAll()
	case "set":
		c.SetText(arg)
	case "clear":
		c.Clear()
	case "expand":
		c.Expand()
	case "token":
		c.ReplaceToken(arg)
	default:
		t.Fatalf("no call %q", step)
	}
	sound(t, c)
}

func TestEditing(t *testing.T) {
	long := strings.Repeat("line\n", 12)
	tests := []struct{ name, before, calls, after string }{
		{"typing goes in at the caret", "he│o", "type ll", "hell│o"},
		{"typing replaces the selection", "a ┃bad│ day", "insert good", "a good│ day"},
		{"a newline is typed as any other", "a│b", "insert \n", "a\n│b"},
		{"CRLF and CR become newlines", "│", "insert a\r\nb\rc", "a\nb\nc│"},
		{"invalid UTF-8 is replaced", "│", "insert a\xff\xc3(b", "a�(b│"},
		{"backspace removes a whole family", "a👩‍👩‍👧│b", "delete left", "a│b"},
		{"backspace removes a letter with its accent", "ne\u0301│", "delete left", "n│"},
		{"delete removes a flag, not half of it", "│🇩🇪🇫🇷", "delete right", "│🇫🇷"},
		{"backspace removes the selection", "a┃bcd│e", "delete left", "a│e"},
		{"a mark joins what is before the caret", "e│x", "insert \u0301", "e\u0301│x"},
		{"joined emoji have no caret inside", "👩│💻", "insert \u200d", "👩‍💻│"},
		{"merging by deletion keeps the caret outside", "e│x\u0302", "delete right", "e│"},
		{"word rubout", "one two│", "delete word-left", "one │"},
		{"kill and yank", "one two│ three", "kill line-end,move text-start,yank", " three│one two"},
		{"kills backward join in order", "one two three│", "kill word-left,kill word-left,move text-start,yank", "two three│one "},
		{"kills forward join in order", "│one two three", "kill word-right,kill word-right,move text-end,yank", " threeone two│"},
		{"kills both ways join around the caret", "one │two", "kill word-left,kill word-right,yank", "one two│"},
		{"a motion ends the joining", "one two│", "kill word-left,move left,kill word-left,yank", "one│ "},
		{"kill at a line's end takes the newline", "a│\nb", "kill line-end", "a│b"},
		{"kill at a line's start takes the newline before", "a\n│b", "kill line-start", "a│b"},
		{"kill takes the selection", "a┃bc│d", "kill right,yank,yank", "abcbc│d"},
		{"yank replaces the selection", "x│yz", "kill line-end,insert 123,select word-left,yank", "yz│"},
		{"nothing is killed yet", "a│", "yank", "a│"},
		{"select all and type", "abc│", "all,insert x", "x│"},
		{"undo takes a word of typing", "│", "type one two,undo", "one│"},
		{"and then the word before", "│", "type one two,undo,undo", "│"},
		{"a line is a step", "│", "type a,type \n,type b,undo", "a│"},
		{"redo brings it back", "│", "type one two,undo,undo,redo,redo", "one two│"},
		{"typing ends the redo", "│", "type one two,undo,type x,redo", "onex│"},
		{"moving begins another step", "│", "type ab,move left,type c,undo", "a│b"},
		{"deleting letters is a step", "hello│", "delete left,delete left,delete left,undo", "hello│"},
		{"deleting has steps by words", "one two│", "delete left,delete left,delete left,delete left,undo", "one │"},
		{"a paste is a step", "│", "type a,paste b c,type d,undo,undo", "a│"},
		{"a kill is a step", "a b c│", "kill word-left,kill word-left,undo", "a b │"},
		{"clear can be undone", "a\nb│c", "clear,undo", "a\nb│c"},
		{"set can be undone", "a│b", "set new,undo", "a│b"},
		{"undo has an end", "a│b", "undo,undo", "a│b"},
		{"replacing a selection is a step", "a┃b│c", "type xy,undo", "ab│c"},
		{"a chip is one cluster", "a│b", "paste " + long + ",move left,move right,delete left", "a│b"},
		{"a chip goes with forward delete", "a│b", "paste " + long + ",move left,delete right", "a│b"},
		{"a chip comes back by undo", "a│b", "paste " + long + ",delete left,undo", "a▣│b"},
		{"a chip expands in place, behind the caret", "a│b", "paste " + long + ",move left,expand", "a│" + long + "b"},
		{"a chip expands before the caret", "a│b", "paste " + long + ",move right,expand", "a" + long + "b│"},
		{"expanding is a step", "a│b", "paste " + long + ",expand,undo", "a▣│b"},
		{"killed chips stay folded", "│", "paste " + long + ",kill text-start,yank", "▣│"},
		{"a mark does not join a chip", "│", "paste " + long + ",insert \u0301,delete left", "▣│"},
		{"a token is completed", "see @ma│ x", "token @main.go", "see @main.go│ x"},
		{"a token begins behind a newline", "a\n/he│", "token /help", "a\n/help│"},
		{"a token begins behind a chip", "│", "paste " + long + ",type ab,token c", "▣c│"},
		{"an ideographic blank ends a token", "漢\u3000字│", "token x", "漢\u3000x│"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := load(t, test.before)
			for call := range strings.SplitSeq(test.calls, ",") {
				do(t, c, call)
			}
			if got := marked(c); got != test.after {
				t.Errorf("%q, %s: %q, want %q", test.before, test.calls, got, test.after)
			}
		})
	}
}

func TestMotions(t *testing.T) {
	tests := []struct{ before, calls, after string }{
		{"a│b", "move left", "│ab"},
		{"│ab", "move left", "│ab"},
		{"ab│", "move right", "ab│"},
		{"a\n│b", "move left", "a│\nb"},
		{"a│\nb", "move right", "a\n│b"},
		{"│👨‍👩‍👧‍👦x", "move right", "👨‍👩‍👧‍👦│x"},
		{"│क्षि", "move right", "क्षि│"},
		{"🇩🇪🇫🇷│", "move left", "🇩🇪│🇫🇷"},
		{"│e\u0301\u0302x", "move right", "e\u0301\u0302│x"},
		{"one, two│", "move word-left", "one, │two"},
		{"one, │two", "move word-left", "│one, two"},
		{"│one, two", "move word-right", "one│, two"},
		{"one│, two", "move word-right", "one, two│"},
		{"│don't go", "move word-right", "don't│ go"},
		{"don't│ go", "move word-left", "│don't go"},
		{"│'quoted' x", "move word-right", "'quoted│' x"},
		{"│3.14, x", "move word-right", "3.14│, x"},
		{"3.14│", "move word-left", "│3.14"},
		{"│a.b", "move word-right", "a│.b"},
		{"│snake_case x", "move word-right", "snake_case│ x"},
		{"│naïve e\u0301te\u0301 x", "move word-right,move word-right", "naïve e\u0301te\u0301│ x"},
		{"e\u0301te\u0301│", "move word-left", "│e\u0301te\u0301"},
		{"│漢字とカナー", "move word-right", "漢字│とカナー"},
		{"漢字│とカナー", "move word-right", "漢字と│カナー"},
		{"漢字とカナー│", "move word-left", "漢字と│カナー"},
		{"漢字と│カナー", "move word-left", "漢字│とカナー"},
		{"x .\u0301b│", "move word-left", "x .\u0301│b"},
		{"│हिन्दी है", "move word-right", "हिन्दी│ है"},
		{"a\nb│", "move word-left,move word-left", "│a\nb"},
		{"a 👍│", "move word-left", "│a 👍"},
		{"ab\nc│d\nef", "move line-start", "ab\n│cd\nef"},
		{"ab\nc│d\nef", "move line-end", "ab\ncd│\nef"},
		{"ab│\n\nef", "move text-start", "│ab\n\nef"},
		{"ab│\n\nef", "move text-end", "ab\n\nef│"},
		{"a│\nb\n\nc\nd\n\ne", "move paragraph-down", "a\nb\n│\nc\nd\n\ne"},
		{"a\nb\n│\nc\nd\n\ne", "move paragraph-down", "a\nb\n\nc\nd\n│\ne"},
		{"a\n\nb│", "move paragraph-down", "a\n\nb│"},
		{"a\nb\n\nc\nd│", "move paragraph-up", "a\nb\n│\nc\nd"},
		{"a\nb\n│\nc\nd", "move paragraph-up", "│a\nb\n\nc\nd"},
		{"abc\nd│", "move up", "a│bc\nd"},
		{"abc│\nd\nefg", "move down", "abc\nd│\nefg"},
		{"abc│\nd\nefg", "move down,move down", "abc\nd\nefg│"},
		{"abc│\nd\nefg", "move down,move left,move down", "abc\nd\n│efg"},
		{"abc│\n漢字", "move down", "abc\n漢│字"},
		{"漢字│\nabcdef", "move down", "漢字\nabcd│ef"},
		{"\ta│\nabcdef", "move down", "\ta\nabcde│f"},
		{"a│b", "move up", "a│b"},
		{"a│b", "move down", "a│b"},
		{"a│bc", "select right", "a┃b│c"},
		{"a┃b│c", "select left", "a│bc"},
		{"a┃b│c", "move left", "a│bc"},
		{"a│b┃c", "move left", "a│bc"},
		{"a│b┃c", "move right", "ab│c"},
		{"ab│c", "select up", "│ab┃c"},
		{"ab│c", "select down", "ab┃c│"},
		{"ab│", "all", "┃ab│"},
		{"│", "all", "│"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11│", "move page-up", "1\n2│\n3\n4\n5\n6\n7\n8\n9\n10\n11"},
		{"1│\n2\n3", "move page-down", "1\n2\n3│"},
		{"a│b", "move sideways", "a│b"},
	}
	for _, test := range tests {
		c := load(t, test.before)
		for call := range strings.SplitSeq(test.calls, ",") {
			do(t, c, call)
		}
		if got := marked(c); got != test.after {
			t.Errorf("%q, %s: %q, want %q", test.before, test.calls, got, test.after)
		}
	}
}

func TestMoveTellsWhenTheHistoryIsWanted(t *testing.T) {
	tests := []struct {
		before string
		m      Motion
		want   bool
	}{
		{"│ab\nc", Up, false},
		{"ab│\nc", Up, false},
		{"ab\nc│", Up, true},
		{"ab\nc│", Down, false},
		{"ab│\nc", Down, true},
		{"│", Up, false},
		{"│", Down, false},
		{"┃a│b", Up, true},
		{"│ab", Left, false},
		{"ab│", WordRight, false},
		{"ab│", "sideways", false},
	}
	for _, test := range tests {
		if got := load(t, test.before).Move(test.m, false); got != test.want {
			t.Errorf("%q %s: %v", test.before, test.m, got)
		}
	}
}

func TestWhatIsSelected(t *testing.T) {
	c := load(t, "a┃b\nc│d")
	if got := c.Selected(); got != "b\nc" {
		t.Errorf("selected %q", got)
	}
	c.Move(Right, false)
	if got := c.Selected(); got != "" {
		t.Errorf("still selected: %q", got)
	}
	long := strings.Repeat("x\n", 20)
	c.Paste(long)
	c.SelectAll()
	if got := c.Selected(); got != "ab\nc"+long+"d" {
		t.Errorf("selected with a chip: %q", got)
	}
}

func TestBackslashBeforeTheCaret(t *testing.T) {
	tests := map[string]bool{
		"│": false, "a│": false, `a\│`: true, `a│\`: false, `a\│b`: true,
		`a\\│`: false, `a\\\│`: true, `a┃\│`: false,
	}
	for before, want := range tests {
		if got := load(t, before).EndsWithBackslash(); got != want {
			t.Errorf("%q: %v", before, got)
		}
	}
}

func TestVersionChangesWithTheTextOnly(t *testing.T) {
	c := New()
	changes := []string{"type a", "paste b", "kill left", "yank", "undo", "redo", "set x y", "delete left", "clear", "undo"}
	for _, call := range changes {
		v := c.Version()
		do(t, c, call)
		if c.Version() == v {
			t.Errorf("%s did not change the version", call)
		}
	}
	for _, call := range []string{"move left", "all", "move right", "select left", "delete text-start"} {
		v, text := c.Version(), c.Text()
		do(t, c, call)
		if (c.Version() != v) != (c.Text() != text) {
			t.Errorf("%s: version %d after %d", call, c.Version(), v)
		}
	}
}

func TestClearReturnsWhatItHeld(t *testing.T) {
	c := load(t, "some text│")
	if got := c.Clear(); got != "some text" || !c.Empty() {
		t.Errorf("%q, left %q", got, c.Text())
	}
	if got := c.Clear(); got != "" || !c.Undo() || c.Text() != "some text" {
		t.Errorf("a second clear returned %q or cost the undo", got)
	}
}

func TestFirstLine(t *testing.T) {
	c := load(t, "/help me\nmore│")
	if got := c.FirstLine(); got != "/help me" {
		t.Errorf("%q", got)
	}
	c.SetText(strings.Repeat("漢", 3000))
	if got := c.FirstLine(); got != strings.Repeat("漢", 1365) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestTypingDoesNotFragmentTheText(t *testing.T) {
	c := New()
	c.SetText(strings.Repeat("words of text ", 1000))
	c.caret = c.text.len() / 2
	for range 3000 {
		c.Insert("x")
		c.Insert("y")
		c.Move(Left, false)
	}
	leaves := 0
	c.text.leaves(func(*node) { leaves++ })
	if most := c.text.len() * 4 / leafSize; leaves > most {
		t.Errorf("%d leaves for %d bytes, more than %d", leaves, c.text.len(), most)
	}
}

func TestUndoIsBounded(t *testing.T) {
	c := New()
	for range maxSteps + 500 {
		c.Paste("ab ")
	}
	n := 0
	for c.Undo() {
		n++
	}
	if n != maxSteps {
		t.Errorf("%d steps", n)
	}
	c = New()
	big := strings.Repeat("x", 10<<20)
	for range 10 {
		c.SetText(big)
	}
	n = 0
	for ; c.Undo(); n++ {
	}
	if n < 2 || n > 6 {
		t.Errorf("%d steps of 10 MB and more were kept", n)
	}
	c.SetText(big + big + big + big + big + big + big)
	if c.Clear(); !c.Undo() || c.Len() != 7*len(big) {
		t.Error("a text larger than the log could not be brought back")
	}
}
