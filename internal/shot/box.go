package shot

import (
	"fmt"
	"strings"
)

// arms gives, for each character from U+2500 to U+257F, the lines from its middle
// up, right, down and left: 0 none, 1 light, 2 heavy, 3 double. Dashes, arcs and
// diagonals have "....".
var arms = strings.Fields(`
0101 0202 1010 2020 .... .... .... .... .... .... .... .... 0110 0210 0120 0220
0011 0012 0021 0022 1100 1200 2100 2200 1001 1002 2001 2002 1110 1210 2110 1120
2120 2210 1220 2220 1011 1012 2011 1021 2021 2012 1022 2022 0111 0112 0211 0212
0121 0122 0221 0222 1101 1102 1201 1202 2101 2102 2201 2202 1111 1112 1211 1212
2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222 .... .... .... ....
0303 3030 0310 0130 0330 0013 0031 0033 1300 3100 3300 1003 3001 3003 1310 3130
3330 1013 3031 3033 0313 0131 0333 1303 3101 3303 1313 3131 3333 .... .... ....
.... .... .... .... 0001 1000 0100 0010 0002 2000 0200 0020 0201 1020 0102 2010
`)

const up, right, down, left = 0, 1, 2, 3

// boxShape draws U+2500 to U+257F.
func boxShape(r rune) painter {
	code := arms[r-0x2500]
	return func(b *strings.Builder, x float64) {
		switch {
		case r >= 0x256d && r <= 0x2570:
			arc(b, x, r)
		case r >= 0x2571 && r <= 0x2573:
			diagonals(b, x, r)
		case code == "....":
			dashes(b, x, r)
		default:
			var a [4]int
			for i := range a {
				a[i] = int(code[i] - '0')
			}
			for i := range a {
				arm(b, x, a, i)
			}
		}
	}
}

func thickness(weight int) float64 { return [...]float64{0, light, heavy, light}[weight] }

// arm draws the line from the middle of the cell to one of its edges.
func arm(b *strings.Builder, x float64, a [4]int, side int) {
	switch a[side] {
	case 0:
	case 3:
		for _, lane := range [...]int{-1, 1} {
			bar(b, x, side, float64(lane)*apart, light, doubleStart(a, side, lane))
		}
	default:
		bar(b, x, side, 0, thickness(a[side]), singleStart(a, side))
	}
}

// bar draws a line towards a side: at an offset across from the middle, and from
// start, a distance along from the middle, to the edge.
func bar(b *strings.Builder, x float64, side int, offset, width, start float64) {
	lo, hi := offset-width/2, offset+width/2
	switch side {
	case up:
		rect(b, x, midX+lo, 0, midX+hi, midY-start)
	case down:
		rect(b, x, midX+lo, midY+start, midX+hi, cellH)
	case left:
		rect(b, x, 0, midY+lo, midX-start, midY+hi)
	case right:
		rect(b, x, midX+start, midY+lo, cellW, midY+hi)
	}
}

// singleStart is where a light or heavy line begins: behind the middle to fill a
// corner, or at the nearer of two lines that it ends on.
func singleStart(a [4]int, side int) float64 {
	p, q, opposite := a[(side+1)%4], a[(side+3)%4], a[(side+2)%4]
	double := p == 3 || q == 3
	switch {
	case double && opposite > 0:
		return 0
	case double && p > 0 && q > 0:
		return apart - light/2
	case double:
		return -apart - light/2
	case p == 0 && q == 0 && opposite > 0:
		return -over
	}
	return -max(thickness(p), thickness(q)) / 2
}

// doubleStart is where one of the two lines of a double begins. lane is its side
// of the middle: -1 is left of or above it.
func doubleStart(a [4]int, side, lane int) float64 {
	near, far := left, right // of an arm that goes up or down
	if side == left || side == right {
		near, far = up, down
	}
	if lane > 0 {
		near, far = far, near
	}
	switch {
	case a[near] == 3: // the inner corner
		return apart - light/2
	case a[far] == 3: // the outer one
		return -apart - light/2
	}
	return -max(thickness(a[near]), thickness(a[far])) / 2
}

// dashes draws the lines of two, three and four dashes.
func dashes(b *strings.Builder, x float64, r rune) {
	i := int(r - 0x2504)
	count := 3 + i/4
	if r >= 0x254c {
		i, count = int(r-0x254c), 2
	}
	width := thickness(1 + i%2)
	vertical := i/2%2 == 1
	length := float64(cellW)
	if vertical {
		length = cellH
	}
	step := length / float64(count)
	for k := range count {
		from := step * (float64(k) + 0.2)
		to := from + step*0.6
		if vertical {
			rect(b, x, midX-width/2, from, midX+width/2, to)
		} else {
			rect(b, x, from, midY-width/2, to, midY+width/2)
		}
	}
}

// arc draws a rounded corner as the outline of a light line.
func arc(b *strings.Builder, x float64, r rune) {
	// Mirrored from the corner that goes right and down.
	sx, sy := 1.0, 1.0
	if r == 0x256e || r == 0x256f {
		sx = -1
	}
	if r == 0x256f || r == 0x2570 {
		sy = -1
	}
	px := func(v float64) string { return num(x + midX + sx*v) }
	py := func(v float64) string { return num(midY + sy*v) }
	const half, radius = light / 2, midX
	fmt.Fprintf(b, "M%s %s", px(-half), py(midY+over))
	fmt.Fprintf(b, "V%sQ%s %s %s %s", py(radius), px(-half), py(-half), px(radius), py(-half))
	fmt.Fprintf(b, "H%sV%sH%s", px(midX+over), py(half), px(radius))
	fmt.Fprintf(b, "Q%s %s %s %sV%sz", px(half), py(half), px(half), py(radius), py(midY+over))
}

func diagonals(b *strings.Builder, x float64, r rune) {
	const half = light / 2
	if r != 0x2572 {
		fmt.Fprintf(b, "M%s %dL%s 0L%s 0L%s %dz", num(x-half), cellH, num(x+cellW-half), num(x+cellW+half), num(x+half), cellH)
	}
	if r != 0x2571 {
		fmt.Fprintf(b, "M%s 0L%s %dL%s %dL%s 0z", num(x-half), num(x+cellW-half), cellH, num(x+cellW+half), cellH, num(x+half))
	}
}
