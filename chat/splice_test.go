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
		"nothing was there":             {"", "Hello", "Hello"},
		"nothing comes":                 {cut, "", ""},
		"only the last words come":      {cut, "hours at this temperature, or a little", ""},
		"the last words, late and cut":  {cut, strings.Repeat("x", 300), " " + strings.Repeat("x", 300)},
		"punctuation goes on":           {"It is done", ", and then", ", and then"},
		"a number goes on after a mark": {"It costs: ", "5 dollars", "5 dollars"},
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
