package themes

import (
	"iter"
	"math"
	"reflect"
	"strconv"
)

// minContrast is what WCAG 2 asks for text of normal size, level AA.
const minContrast = 4.5

// Problem is a pair of roles with too little contrast.
type Problem struct {
	Role, Ground string
	Ratio        float64 // WCAG 2 contrast ratio, 1 to 21
}

// drawn tells on which grounds text of each role is drawn. Faint is for rules
// and is not in it.
var drawn = []struct{ roles, grounds []string }{
	{[]string{"text", "dim"}, []string{"ground", "raised", "code", "overlay", "select"}},
	{[]string{"accent", "danger", "warning", "success", "heading", "link"}, []string{"ground", "raised", "overlay"}},
	{[]string{"keyword", "string", "number", "comment", "function", "type"}, []string{"code"}},
}

// Check returns the text roles with less than 4.5:1 on a ground that they are
// drawn on.
func (t Theme) Check() []Problem { return t.below(minContrast) }

func (t Theme) below(ratio float64) []Problem {
	colors := make(map[string]Color)
	for role, c := range t.roles() {
		colors[role] = *c
	}
	var problems []Problem
	for _, d := range drawn {
		for _, role := range d.roles {
			for _, ground := range d.grounds {
				if r := Contrast(colors[role], colors[ground]); r < ratio {
					problems = append(problems, Problem{role, ground, r})
				}
			}
		}
	}
	return problems
}

// Contrast is the WCAG 2 contrast ratio of two colours, 1 to 21; the order does
// not matter. A malformed colour counts as black.
func Contrast(a, b Color) float64 {
	la, lb := a.luminance(), b.luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// RGB returns the colour's channels; ok is false if it is malformed.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	if !colorShape.MatchString(string(c)) {
		return 0, 0, 0, false
	}
	v, err := strconv.ParseUint(string(c[1:]), 16, 32)
	return uint8(v >> 16), uint8(v >> 8), uint8(v), err == nil
}

// luminance is the relative luminance of WCAG 2, 0 to 1.
func (c Color) luminance() float64 {
	r, g, b, _ := c.RGB()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// linear undoes the transfer function of sRGB.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// roles gives each colour of the theme with its name in a theme file.
func (t *Theme) roles() iter.Seq2[string, *Color] {
	return func(yield func(string, *Color) bool) {
		v := reflect.ValueOf(t).Elem()
		for i, name := range keys() {
			if c, ok := v.Field(i).Addr().Interface().(*Color); ok && !yield(name, c) {
				return
			}
		}
	}
}
