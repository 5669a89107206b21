package session

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

func TestTitlesAreOneCleanLine(t *testing.T) {
	for text, want := range map[string]string{
		"":           "",
		" \n\t\n":    "",
		"```go\n```": "",
		"---\n...":   "",
		"Hello":      "Hello",
		"\n\n  ## **Fix** the _bug_ in `main.go`\nmore":                            "Fix the bug in main.go",
		"```go\nfunc main() {}\n```":                                               "func main() {}",
		"> - 1. quoted *list* item":                                                "quoted list item",
		"See [the docs](http://x/y) and ![a picture](p.png)!":                      "See the docs and a picture!",
		"what is 2 * 3 * 4, 2**3 and a_b_c?":                                       "what is 2 * 3 * 4, 2**3 and a_b_c?",
		"why __init__ and *args, **kwargs?":                                        "why __init__ and *args, **kwargs?",
		"***very*** ~~old~~ **bold**, *it*":                                        "very old bold, it",
		"-v does what? #1 3.5":                                                     "-v does what? #1 3.5",
		"rm *.go and a/*.c":                                                        "rm *.go and a/*.c",
		"a\x1b[31mb\u202ec\x00d\u2028e":                                            "a [31mb c d e",
		"arr[0](x) [unclosed](":                                                    "arr0 [unclosed](",
		"bad \xff\xfe bytes":                                                       "bad \uFFFD bytes",
		"Explain how a compiler turns source code into machine code, step by step": "Explain how a compiler turns source code into machine code…",
		strings.Repeat("x", 80):                                                    strings.Repeat("x", 59) + "…",
		strings.Repeat("漢字", 40):                                                   strings.Repeat("漢字", 14) + "漢…",
		"👩‍👩‍👧 family":                                                             "👩‍👩‍👧 family",
		strings.Repeat("x", 60):                                                    strings.Repeat("x", 60),
	} {
		if got := Title(text); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	}
}

func TestATitleOfAHugePasteLooksAtItsStartOnly(t *testing.T) {
	for _, mark := range []string{"*a ", "_a ", "[](", "漢"} {
		long := strings.Repeat(mark, 1<<20)
		if got, want := Title(long), Title(long[:len(mark)*1000]); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("**a** [b](c) `d` _e_ \xff 漢")
	f.Add("*_*_**[](](")
	f.Fuzz(func(t *testing.T, s string) {
		got := Title(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x1b\x00`") || displaywidth.String(got) > titleWidth {
			t.Errorf("%q: %q", s, got)
		}
	})
}

func TestANewSessionIsNamedAfterItsFirstQuestion(t *testing.T) {
	s := memoryStore(t)
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, Message{ID: "m1", Role: "user", Parts: []Part{{Kind: PartImage, Text: "data:"}}}))
	v := must(s.Get(t.Context(), "s1"))(t)
	if v.Title != "" || v.TitleSource != TitleNone {
		t.Fatal(dump(v))
	}
	check(t, s.Begin(t.Context(), v, user("m2", "m1", "# What *is* it?")))
	v = must(s.Get(t.Context(), "s1"))(t)
	if v.Title != "What is it?" || v.TitleSource != TitleHeuristic {
		t.Fatal(dump(v))
	}
	check(t, s.Begin(t.Context(), v, user("m3", "m2", "Something else")))
	v = must(s.Get(t.Context(), "s1"))(t)
	if v.Title != "What is it?" {
		t.Fatal(dump(v))
	}
	if got := hits(t, s, "what is it"); got != "[s1]" {
		t.Fatal(got)
	}
}
