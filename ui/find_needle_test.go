package ui

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// found are the hits of a scan as texts.
func found(needle, text string, markdown bool) (hits, hidden []string) {
	n := newNeedle(needle)
	a, b := n.scan(text, 0, markdown)
	for _, h := range a {
		hits = append(hits, text[h.start:h.end])
	}
	for _, h := range b {
		hidden = append(hidden, text[h.start:h.end])
	}
	return hits, hidden
}

func TestANeedleIsFoundAsItIsMeant(t *testing.T) {
	for _, c := range []struct {
		name, needle, text string
		want               []string
	}{
		{"any case", "ferment", "Ferment the FERMENT", []string{"Ferment", "FERMENT"}},
		{"a capital counts", "Ferment", "Ferment the ferment FERMENT", []string{"Ferment"}},
		{"a capital in another script", "Д", "д Д", []string{"Д"}},
		{"nothing overlaps", "aa", "aaaaa", []string{"aa", "aa"}},
		{"the same word at both ends", "ab", "ab ab", []string{"ab", "ab"}},
		{"accents in the text", "cafe resume", "Café résumé", []string{"Café résumé"}},
		{"accents in the needle", "café", "cafe CAFÉ", []string{"cafe", "CAFÉ"}},
		{"accents apart", "cafe", "cafe\u0301s", []string{"cafe\u0301"}},
		{"accents apart in the needle", "cafe\u0301", "café", []string{"café"}},
		{"accents with a capital", "Élan", "Elan élan", []string{"Elan"}},
		{"Greek", "οδος", "ΟΔΟΣ οδός", []string{"ΟΔΟΣ", "οδός"}},
		{"Cyrillic yo", "еще", "ещё", []string{"ещё"}},
		{"Cyrillic short i is a letter", "мои", "мой", nil},
		{"Japanese voiced is a letter", "か", "がか", []string{"か"}},
		{"voiced in two runes is a letter", "か", "か\u3099", nil},
		{"Thai vowels are letters", "ท", "ที่ ท", []string{"ท"}},
		{"Hangul", "한", "한글 하", []string{"한"}},
		{"Chinese", "字", "漢字", []string{"字"}},
		{"fullwidth case", "ａ", "Ａａ", []string{"Ａ", "ａ"}},
		{"the Kelvin sign", "5 k", "5 \u212a", []string{"5 \u212a"}},
		{"soft hyphens", "hyphen", "hy\u00adphen", []string{"hy\u00adphen"}},
		{"a joiner in an emoji", "👩🍳", "👩‍🍳", []string{"👩‍🍳"}},
		{"a tint of an emoji", "👍", "👍🏽", []string{"👍"}},
		{"regular expressions are literal", "a.*(b)[", "axx(b)[ a.*(b)[", []string{"a.*(b)["}},
		{"a backslash", `\n`, "\\n\n", []string{`\n`}},
		{"a line break is a blank", "foo bar", "foo\n  bar, foo\tbar, foo\u00a0bar", []string{"foo\n  bar", "foo\tbar", "foo\u00a0bar"}},
		{"a paragraph ends", "foo bar", "foo\n\nbar", nil},
		{"indentation", "  return", "a  return", []string{"  return"}},
		{"a blank before", " foo", "a\n foo", []string{"\n foo"}},
		{"a control character as it is drawn", "␛[31", "a\x1b[31m", []string{"\x1b[31"}},
		{"deletion as it is drawn", "␡", "a\x7f", []string{"\x7f"}},
		{"blanks alone find nothing", "  ", "a  b", nil},
		{"nothing finds nothing", "", "a", nil},
		{"an accent alone finds nothing", "\u0301", "e\u0301", nil},
		{"broken text", "b", "a\xffb\xe2\x80b", []string{"b", "b"}},
		{"markup is no hit", "bold text", "**bold** text", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := found(c.needle, c.text, false); !slices.Equal(got, c.want) {
				t.Errorf("%q in %q: %q, want %q", c.needle, c.text, got, c.want)
			}
		})
	}
}

func TestMarkupBetweenLettersMayHideAHit(t *testing.T) {
	for _, c := range []struct {
		needle, text string
		hidden       []string
	}{
		{"bold text", "**bold** text", []string{"bold** text"}},
		{"a b c", "a *b* c", []string{"a *b* c"}},
		{"the link here", "the [link](https://example.com/a_b) here", []string{"the [link](https://example.com/a_b) here"}},
		{"see it", "see [it][1]", []string{"see [it"}},
		{"run go build now", "run `go build` now", []string{"run `go build` now"}},
		{"snake_case", `snake\_case`, []string{`snake\_case`}},
		{"foo bar", "> foo\n> bar", []string{"foo\n> bar"}},
		{"one two", "one <b>two</b>", []string{"one <b>two"}},
		{"ab", "a*b", []string{"a*b"}}, // to be looked at as it is drawn
		{"ab", "a. b", nil},
		{"a", "*a*", nil},
	} {
		if _, got := found(c.needle, c.text, true); !slices.Equal(got, c.hidden) {
			t.Errorf("%q in %q: %q is hidden, want %q", c.needle, c.text, got, c.hidden)
		}
	}
}

// FuzzHitsAreInOrderAndWhole checks what every list of hits must be, for any text
// and needle, and that a text that is a needle is found.
func FuzzHitsAreInOrderAndWhole(f *testing.F) {
	for _, c := range [][2]string{{"ab", "xabab"}, {"é", "e\u0301e"}, {" a", "\n a"}, {"👩", "👩‍🍳"}, {"a b", "**a** [b](c)"}, {"\xff", "\xff"}, {"か", "か\u3099"}} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, needle, text string) {
		n := newNeedle(needle)
		hits, hidden := n.scan(text, 0, true)
		at := int32(0)
		for _, h := range hits {
			if h.start < at || h.end <= h.start || int(h.end) > len(text) {
				t.Fatalf("%q in %q: %v", needle, text, hits)
			}
			at = h.end
			if !utf8.ValidString(text[h.start:h.end]) && utf8.ValidString(text) {
				t.Fatalf("%q in %q: a hit divides a character", needle, text)
			}
			// The part before a hit has no say in it, so that text that grows can be
			// searched from its last hit on.
			if again, _ := n.scan(text, int(h.start), false); again[0] != h {
				t.Fatalf("%q in %q: from %d the hit is %v", needle, text, h.start, again[0])
			}
		}
		for _, h := range hidden {
			if h.end <= h.start || int(h.end) > len(text) {
				t.Fatalf("%q in %q: %v is hidden", needle, text, h)
			}
		}
		if clean := strings.ToValidUTF8(needle, ""); len(newNeedle(clean).folded) > 0 && !strings.ContainsAny(clean, " \t\r\n\u00a0") {
			if again, _ := newNeedle(clean).scan(clean, 0, false); len(again) == 0 {
				t.Fatalf("%q is not found in itself", clean)
			}
		}
	})
}

func TestTextOfOneKindIsSearchedInTime(t *testing.T) {
	for _, c := range [][2]string{{" x", " "}, {" x", "\n"}, {"*x", "*"}, {"]x", "]("}, {"a<x", "a<"}, {"ab", "a\u0301"}, {"aab", "a"}, {"a b", "a \t"}} {
		text := strings.Repeat(c[1], 60_000/len(c[1]))
		if hits, hidden := newNeedle(c[0]).scan(text, 0, true); len(hits)+len(hidden) > 0 {
			t.Errorf("%q is found in many %q", c[0], c[1])
		}
	}
}

func TestHitsThatAreFoundTwiceCountOnce(t *testing.T) {
	for _, c := range []struct{ hits, more, want []span }{
		{nil, nil, nil},
		{[]span{{3, 5}}, nil, []span{{3, 5}}},
		{nil, []span{{7, 9}, {3, 5}}, []span{{3, 5}, {7, 9}}},
		{[]span{{3, 5}, {8, 9}}, []span{{0, 2}, {3, 6}, {5, 7}, {6, 8}, {8, 10}}, []span{{0, 2}, {3, 5}, {5, 7}, {8, 9}}},
	} {
		if got := merge(slices.Clone(c.hits), c.more); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v are %v, want %v", c.hits, c.more, got, c.want)
		}
	}
}
