package untrusted

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestControlCharactersAreShownAndTextIsKept(t *testing.T) {
	for _, c := range []struct{ name, in, text, line, plain string }{
		{"plain", "héllo 漢字 👩‍🍳", "héllo 漢字 👩‍🍳", "héllo 漢字 👩‍🍳", "héllo 漢字 👩‍🍳"},
		{"newline and tab", "a\n\tb", "a\n\tb", "a  b", "a\n\tb"},
		{"CRLF", "a\r\nb", "a\nb", "a b", "a\nb"},
		{"lone CR hides nothing", "x\rEVIL", "x\nEVIL", "x EVIL", "x\nEVIL"},
		{"CR at the end", "x\r", "x\n", "x ", "x\n"},
		{"CR CR LF", "x\r\r\ny", "x\n\ny", "x  y", "x\n\ny"},
		{"title", "a\x1b]0;PWNED\x07b", "a␛]0;PWNED␇b", "a␛]0;PWNED␇b", "a]0;PWNEDb"},
		{"clear", "\x1b[2J\x1b[H", "␛[2J␛[H", "␛[2J␛[H", "[2J[H"},
		{"NUL and DEL", "\x00\x7f", "␀␡", "␀␡", ""},
		{"C1 CSI", "\u009b31m", "⟨9B⟩31m", "⟨9B⟩31m", "31m"},
		{"raw C1 byte is not UTF-8", "\x9b31m", "\ufffd31m", "\ufffd31m", "\ufffd31m"},
		{"NEL", "a\u0085b", "a⟨85⟩b", "a⟨85⟩b", "ab"},
		{"bidi", "\u200f\u202etxt\u2066", "⟨RLM⟩⟨RLO⟩txt⟨LRI⟩", "⟨RLM⟩⟨RLO⟩txt⟨LRI⟩", "txt"},
		{"replacement character", "\ufffd", "\ufffd", "\ufffd", "\ufffd"},
		{"joiner and selector stay", "❤️ a\u200db", "❤️ a\u200db", "❤️ a\u200db", "❤️ a\u200db"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Text(c.in); got != c.text {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.text)
			}
			if got := Line(c.in); got != c.line {
				t.Errorf("Line(%q) = %q, want %q", c.in, got, c.line)
			}
			if got := Plain(c.in); got != c.plain {
				t.Errorf("Plain(%q) = %q, want %q", c.in, got, c.plain)
			}
			if got, want := Clean(c.in), c.in == c.text; got != want {
				t.Errorf("Clean(%q) = %v", c.in, got)
			}
		})
	}
}

func TestCleanTextIsNotCopied(t *testing.T) {
	s := strings.Repeat("clean text, 漢字, é\n\tand more ", 50)
	if n := testing.AllocsPerRun(10, func() { _ = Text(s); _ = Plain(s) }); n != 0 {
		t.Errorf("clean text costs %v allocations", n)
	}
}

// bad tells what may never reach a terminal.
func bad(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x61c || r == 0x200e || r == 0x200f ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func FuzzNothingUnsafeComesOut(f *testing.F) {
	for _, s := range []string{"", "a\x1b]52;c;cHduZWQ=\x07b", "\u009b31m", "x\r\ny\r", "\u202e\u2066", "\xff\xc3(", "\xe2\x80", "漢\x00字"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, fn := range map[string]func(string) string{"Text": Text, "Line": Line, "Plain": Plain} {
			got := fn(s)
			if i := strings.IndexFunc(got, bad); i >= 0 || !utf8.ValidString(got) {
				t.Errorf("%s(%q) = %q is not safe", name, s, got)
			}
			if again := fn(got); again != got {
				t.Errorf("%s is not stable: %q, then %q", name, got, again)
			}
			if Clean(s) && name != "Line" && got != s {
				t.Errorf("%s changed clean text %q to %q", name, s, got)
			}
		}
		if strings.ContainsAny(Line(s), "\n\t") {
			t.Errorf("Line(%q) has more than one line", s)
		}
	})
}
