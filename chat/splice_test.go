package chat

import (
	"strings"
	"testing"
)

func TestAContinuationIsJoinedWithoutASeam(t *testing.T) {
	const cut = "The bulk ferment takes about four hours at this temperature, or a little"
	for name, c := range map[string]struct{ cut, next, want string }{
		"the last words again":          {cut, "hours at this temperature, or a little less with rye.", " less with rye."},
		"a preface and the last words":  {cut, "Of course:\n\n…hours at this temperature, or a little less with rye.", " less with rye."},
		"a few words again":             {cut, "a little less with rye.", " less with rye."},
		"going on exactly":              {cut, " less with rye.", " less with rye."},
		"going on without the blank":    {cut, "less with rye.", " less with rye."},
		"an ellipsis first":             {cut, "… less with rye.", " less with rye."},
		"the whole text again":          {cut, cut + " less with rye.", " less with rye."},
		"a new sentence":                {"It is done.", "Now the oven.", " Now the oven."},
		"a new paragraph":               {"It is done.\n\n", "Now the oven.", "Now the oven."},
		"the blanks of the end":         {"It is done, and then we wait for it.\n\n", "It is done, and then we wait for it.\n\nNow the oven.", "Now the oven."},
		"the word again that was cut":   {"about the sourd", "sourdough", "ough"},
		"a word that only looks alike":  {"about the", "the", " the"},
		"code goes on":                  {"Like so:\n```go\nfunc main() {\n\tfmt.Pr", "intln(1)\n}\n```", "intln(1)\n}\n```"},
		"code is opened again":          {"Like so:\n```go\nfunc main() {\n", "```go\n\tfmt.Println(1)\n}\n```", "\tfmt.Println(1)\n}\n```"},
		"code is opened and repeated":   {"Like so:\n```go\nfunc main() {\n\tfmt.Println(1)\n", "```go\n\tfmt.Println(1)\n}\n```", "}\n```"},
		"code is closed":                {"Like so:\n```go\nfunc main() {}\n", "```\nThat is all.", "```\nThat is all."},
		"text without blanks":           {"这是一个关于面包的很长的故事，它开始于一个安静的早晨，当时面包师", "安静的早晨，当时面包师打开了门。", "打开了门。"},
		"everything from the beginning": {"# A list\n\n" + strings.Repeat("- an item of it\n", 40), "# A list\n\n" + strings.Repeat("- an item of it\n", 40) + "- the last\n", "- the last\n"},
		"the beginning and no more":     {strings.Repeat("word ", 100) + "end", strings.Repeat("word ", 60), ""},
		"nothing was there":             {"", "Hello", "Hello"},
		"nothing comes":                 {cut, "", ""},
		"only the last words come":      {cut, "hours at this temperature, or a little", ""},
		"the last words, late and cut":  {cut, strings.Repeat("x", 300), " " + strings.Repeat("x", 300)},
		"punctuation goes on":           {"It is done", ", and then", ", and then"},
		"a number goes on after a mark": {"It costs: ", "5 dollars", "5 dollars"},
		"all of a short text again":     {"Yes", "Yes, of course", ", of course"},
		"all of it, between blanks":     {"\n Yes ", " Yes, of course", ", of course"},
		"all of two characters again":   {"你好", "你好，世界", "，世界"},
		"all of a number again":         {"1. ", "1. First", "First"},
		"all of half a word again":      {"Ye", "Yes, of course", "s, of course"},
		"a short text and no more":      {"Yes", "Yes", " Yes"},
		"a short text and a blank":      {"Yes", "Yes\n", " Yes\n"},
		"only the end of a short text":  {"Oh yes", "yes, of course", " yes, of course"},
	} {
		for _, size := range []int{1, 3, 1000} {
			s := newSplice(c.cut)
			var got strings.Builder
			for rest := c.next; rest != ""; {
				n := min(size, len(rest))
				got.WriteString(s.add(rest[:n]))
				rest = rest[n:]
			}
			got.WriteString(s.flush())
			if got.String() != c.want {
				t.Errorf("%s, in pieces of %d: %q, want %q", name, size, got.String(), c.want)
			}
		}
	}
}

func TestAPrefilledAnswerGoesOnExactly(t *testing.T) {
	for cut, next := range map[string]string{
		"https://exa": "mple.org/x", "pi is 3.": "14159", "Yes": "Yes, of course", "one two three four": "three four", "a\n": "\n b", "```go\n": "```go\n",
	} {
		s := exactSeam()
		var got strings.Builder
		for i := range len(next) { // nothing is held back
			if piece := s.add(next[i : i+1]); piece != next[i:i+1] {
				t.Errorf("%q + %q gave %q", cut, next[i:i+1], piece)
			} else {
				got.WriteString(piece)
			}
		}
		if got.WriteString(s.flush()); got.String() != next {
			t.Errorf("%q + %q gave %q", cut, next, got.String())
		}
	}
}

func FuzzSplice(f *testing.F) {
	f.Add("one two three", "two three four", 3)
	f.Add("```go\nx", "```go\nx\n```", 1)
	f.Fuzz(func(t *testing.T, cut, next string, size int) {
		s := newSplice(cut)
		var got strings.Builder
		for rest := next; rest != ""; {
			n := min(max(size, 1), len(rest))
			got.WriteString(s.add(rest[:n]))
			rest = rest[n:]
		}
		got.WriteString(s.flush())
		// What is appended is an end of what came, but for one blank at the seam.
		if !strings.HasSuffix(next, strings.TrimPrefix(got.String(), " ")) && !strings.HasSuffix(next, got.String()) {
			t.Errorf("%q + %q gave %q", cut, next, got.String())
		}
		one := newSplice(cut)
		if whole := one.add(next) + one.flush(); size > spliceHold && whole != got.String() {
			t.Errorf("in pieces %q, at once %q", got.String(), whole)
		}
	})
}
