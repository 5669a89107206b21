package shot

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A shape draws a character within the cell whose left edge is x.
type painter func(b *strings.Builder, x float64)

// Widths of light and heavy lines, and half the distance of a double one. Shapes
// that reach the right or lower edge go over it a little, so that no seam shows
// when the picture is scaled.
const (
	light, heavy = 1.5, 3.0
	apart        = 2.0
	over         = 0.3
	midX, midY   = cellW / 2.0, cellH / 2.0
)

// shape returns how to draw a box-drawing, block or braille character.
func shape(content string) (painter, bool) {
	r, n := utf8.DecodeRuneInString(content)
	if n != len(content) {
		return nil, false
	}
	switch {
	case r >= 0x2500 && r <= 0x257f:
		return boxShape(r), true
	case r >= 0x2580 && r <= 0x259f:
		return blockShape(r), true
	case r > 0x2800 && r <= 0x28ff:
		return brailleShape(r), true
	}
	return nil, false
}

// shapes draws a run of such characters as one path that carries them as text;
// shades have their own, since their fill differs.
func (d *drawing) shapes(run []cell) {
	for part := range runs(run, func(a, b cell) bool { return shade(a.content) == shade(b.content) }) {
		var path, text strings.Builder
		for same := range runs(part, func(a, b cell) bool { return a.content == b.content }) {
			first := same[0]
			text.WriteString(strings.Repeat(first.content, len(same)))
			if y1, y2, ok := band(first.content); ok {
				rect(&path, float64(first.x*cellW), 0, y1, float64(len(same)*cellW), y2)
				continue
			}
			paint, _ := shape(first.content)
			for _, c := range same {
				paint(&path, float64(c.x*cellW))
			}
		}
		first := part[0]
		fill := first.fg
		if s := shade(first.content); s < 1 {
			fill = mix(fill, d.groundOf(first), s)
		}
		fmt.Fprintf(&d.out, `<path data-column="%d" data-text="%s" fill="%s" d="%s"/>`, first.x, text.String(), fill, path.String())
	}
}

// band is the upper and lower edge of a character that reaches evenly from the
// left to the right of its cell, so that several are one rectangle.
func band(content string) (y1, y2 float64, ok bool) {
	r, _ := utf8.DecodeRuneInString(content)
	switch {
	case r == 0x2500:
		return midY - light/2, midY + light/2, true
	case r == 0x2501:
		return midY - heavy/2, midY + heavy/2, true
	case r == 0x2580:
		return 0, midY, true
	case r >= 0x2581 && r <= 0x2588:
		return cellH - float64(r-0x2580)*cellH/8, cellH, true
	case r == 0x2594:
		return 0, cellH / 8.0, true
	}
	return 0, 0, false
}

// shade is the share of the ink in a shaded block, 1 for all else.
func shade(content string) float64 {
	switch content {
	case "░":
		return 0.25
	case "▒":
		return 0.5
	case "▓":
		return 0.75
	}
	return 1
}

// rect adds a rectangle from (x1, y1) to (x2, y2), within the cell at x.
func rect(b *strings.Builder, x, x1, y1, x2, y2 float64) {
	if x2 >= cellW {
		x2 += over
	}
	if y2 >= cellH {
		y2 += over
	}
	fmt.Fprintf(b, "M%s %sH%sV%sH%sz", num(x+x1), num(y1), num(x+x2), num(y2), num(x+x1))
}

// num writes a coordinate with at most two decimals.
func num(v float64) string {
	s := fmt.Sprintf("%.2f", v)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// blockShape draws U+2580 to U+259F but what band does.
func blockShape(r rune) painter {
	return func(b *strings.Builder, x float64) {
		switch {
		case r <= 0x258f: // the left eighths, down to one
			rect(b, x, 0, 0, float64(0x2590-r)*cellW/8, cellH)
		case r == 0x2590:
			rect(b, x, midX, 0, cellW, cellH)
		case r <= 0x2593: // shades, whose fill is lighter
			rect(b, x, 0, 0, cellW, cellH)
		case r == 0x2595:
			rect(b, x, cellW*7/8.0, 0, cellW, cellH)
		default:
			quadrants(b, x, r)
		}
	}
}

// quadrants draws U+2596 to U+259F.
func quadrants(b *strings.Builder, x float64, r rune) {
	const upperLeft, upperRight, lowerLeft, lowerRight = 1, 2, 4, 8
	parts := [...]int{
		lowerLeft, lowerRight, upperLeft, upperLeft | lowerLeft | lowerRight, upperLeft | lowerRight,
		upperLeft | upperRight | lowerLeft, upperLeft | upperRight | lowerRight, upperRight,
		upperRight | lowerLeft, upperRight | lowerLeft | lowerRight,
	}[r-0x2596]
	for i, corner := range [...][2]float64{{0, 0}, {midX, 0}, {0, midY}, {midX, midY}} {
		if parts>>i&1 == 1 {
			rect(b, x, corner[0], corner[1], corner[0]+midX, corner[1]+midY)
		}
	}
}

// brailleShape draws the dots of U+2801 to U+28FF.
func brailleShape(r rune) painter {
	// The bits go down the left column, then the right, the lowest row last.
	places := [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}
	const radius = 1.4
	return func(b *strings.Builder, x float64) {
		for i, p := range places {
			if r>>i&1 == 0 {
				continue
			}
			cx, cy := x+cellW*(0.28+0.44*p[0]), cellH*(0.14+0.24*p[1])
			fmt.Fprintf(b, "M%s %sa%v %v 0 1 0 %v 0a%v %v 0 1 0 %v 0z", num(cx-radius), num(cy), radius, radius, 2*radius, radius, radius, -2*radius)
		}
	}
}
