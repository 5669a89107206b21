package markdown

import (
	"slices"
	"testing"
)

func TestLinksAreFoundOnceWithWhatTheyGoTo(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []Link
	}{
		{"none", "text `https://code.example` and\n\n    https://indented.example\n\n```\nhttps://fenced.example\n```\n", nil},
		{"in order, in words", "see [the *guide*](https://a.example/x?y=1&z=2), <https://b.example> and https://c.example/d.",
			[]Link{{"the guide", "https://a.example/x?y=1&z=2"}, {"https://b.example", "https://b.example"}, {"https://c.example/d", "https://c.example/d"}}},
		{"each target once", "[a](https://a.example) [b](https://a.example)", []Link{{"a", "https://a.example"}}},
		{"by reference", "[a][x]\n\n[x]: https://a.example \"title\"\n", []Link{{"a", "https://a.example"}}},
		{"mail", "mail me@a.example or <you@a.example>", []Link{{"me@a.example", "mailto:me@a.example"}, {"you@a.example", "mailto:you@a.example"}}},
		{"an image", "![a cat](https://a.example/cat.png)", []Link{{"a cat", "https://a.example/cat.png"}}},
		{"www", "www.a.example/b", []Link{{"www.a.example/b", "http://www.a.example/b"}}},
		{"any scheme, for the caller to judge", "[x](javascript:alert)", []Link{{"x", "javascript:alert"}}},
		{"in a list, a table and a note", "- [a](https://a.example)\n\n| h |\n|---|\n| [b](https://b.example) |\n\nx[^1]\n\n[^1]: [c](https://c.example)\n",
			[]Link{{"a", "https://a.example"}, {"b", "https://b.example"}, {"c", "https://c.example"}}},
	} {
		if got := Links(tt.src); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
