package emulator

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// sampleRegex returns a text that an expression matches from its beginning to
// its end.
func sampleRegex(pattern string, variant int) (string, error) {
	if _, err := compilePattern(pattern); err != nil { // by itself: what is put around it may hide a mistake
		return "", err
	}
	g, err := newTextGoal([]string{`\A(?:` + pattern + `)\z`}, 0, mostText)
	if err != nil {
		return "", err
	}
	if text, ok := g.sample(variant); ok {
		return text, nil
	}
	return "", fmt.Errorf("no text was found that matches %s", excerpt(pattern, 100))
}

// mostText is how many characters a made-up text may have.
const mostText = 20_000

// textGoal is what a text has to satisfy.
type textGoal struct {
	patterns    []*regexp.Regexp
	least, most int // characters
}

func newTextGoal(patterns []string, least, most int) (textGoal, error) {
	g := textGoal{least: least, most: most}
	for _, p := range patterns {
		re, err := compilePattern(p)
		if err != nil {
			return g, err
		}
		g.patterns = append(g.patterns, re)
	}
	return g, nil
}

// fits tells whether the text is what is wanted.
func (g textGoal) fits(text string) bool {
	if n := utf8.RuneCountInString(text); n < g.least || n > g.most || !utf8.ValidString(text) {
		return false
	}
	return !slices.ContainsFunc(g.patterns, func(re *regexp.Regexp) bool { return !re.MatchString(text) })
}

// sample looks for a text by what the patterns suggest; ok tells whether one
// was found.
func (g textGoal) sample(variant int) (text string, ok bool) {
	if g.least > mostText || g.least > g.most {
		return "", false
	}
	var parsed []*syntax.Regexp
	for _, pattern := range g.patterns {
		p, err := syntax.Parse(pattern.String(), syntax.Perl)
		if err != nil {
			return "", false
		}
		parsed = append(parsed, p)
	}
	for _, stretch := range []int{1, 0, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 64, 100, 128, 256, 1000, g.least} {
		for bump := range 3 {
			var joined, reversed string // for patterns of which each looks at its own part
			for _, p := range parsed {
				d := &drawing{variant: variant + bump, stretch: stretch, most: g.least + 2000}
				d.draw(p)
				if text, ok := g.padded(d.text.String()); ok {
					return text, true
				}
				joined, reversed = joined+d.text.String(), d.text.String()+reversed
			}
			for _, text := range []string{joined, reversed} {
				if text, ok := g.padded(text); ok && len(parsed) > 1 {
					return text, true
				}
			}
		}
	}
	return "", false
}

// padded tries the text itself and, when it is too short, the text with more
// after or before it.
func (g textGoal) padded(text string) (string, bool) {
	if g.fits(text) {
		return text, true
	}
	missing := g.least - utf8.RuneCountInString(text)
	if missing <= 0 {
		return "", false
	}
	for _, filler := range []string{"x", " demo", "0"} {
		pad := strings.Repeat(filler, missing/len(filler)+1)[:missing]
		for _, longer := range []string{text + pad, pad + text} {
			if g.fits(longer) {
				return longer, true
			}
		}
	}
	return "", false
}

// drawing is a text in the making.
type drawing struct {
	text             strings.Builder
	variant, stretch int
	most, steps      int // most is how long and how laborious it may become
}

// draw writes a text that matches re, unless re looks at its surroundings.
// What may be repeated is repeated stretch times, where allowed.
func (d *drawing) draw(re *syntax.Regexp) {
	if d.steps++; d.steps > d.most || d.text.Len() > d.most {
		return
	}
	times := 1
	switch re.Op {
	case syntax.OpLiteral:
		d.text.WriteString(string(re.Rune))
		return
	case syntax.OpCharClass:
		d.text.WriteRune(member(re.Rune, rune(d.variant)))
		return
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		d.text.WriteByte('x')
		return
	case syntax.OpAlternate:
		d.draw(re.Sub[d.variant%len(re.Sub)])
		return
	case syntax.OpQuest:
		times = min(d.stretch, 1)
	case syntax.OpStar:
		times = d.stretch
	case syntax.OpPlus:
		times = max(1, d.stretch)
	case syntax.OpRepeat:
		times = max(re.Min, d.stretch)
		if re.Max >= 0 {
			times = min(times, re.Max)
		}
	}
	for range times {
		for _, sub := range re.Sub {
			d.draw(sub)
		}
	}
}

// member chooses a rune out of a class: a letter or digit where there is any,
// else a printable one, else the first.
func member(ranges []rune, variant rune) rune {
	for _, liked := range [][2]rune{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'!', '~'}, {' ', ' '}, {0xa1, 0xd7ff}} {
		for i := 0; i+1 < len(ranges); i += 2 {
			low, high := max(ranges[i], liked[0]), min(ranges[i+1], liked[1])
			if low <= high {
				return low + variant%(high-low+1)
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
