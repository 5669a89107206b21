package markdown

import (
	"strconv"
	"strings"
)

// color is a foreground or background: zero is none, else a kind and a value.
type color uint32

const (
	colorIndexed color = 1 << 24 // value: 0 to 255
	colorRGB     color = 2 << 24 // value: 0xrrggbb
)

// parseColor reads a Glamour colour: "#rrggbb", "#rgb" or a number of the
// 256-colour palette. Anything else is no colour, as in Glamour.
func parseColor(s string) color {
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		if len(hex) == 3 {
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		}
		n, err := strconv.ParseUint(hex, 16, 24)
		if err != nil || len(hex) != 6 {
			return 0
		}
		return colorRGB | color(n)
	}
	n, err := strconv.ParseUint(s, 10, 8)
	if err != nil {
		return 0
	}
	return colorIndexed | color(n)
}

// attr is a set of text attributes.
type attr uint8

const (
	bold attr = 1 << iota
	faint
	italic
	underline
	blink
	inverse
	conceal
	crossed
)

// sgrCodes are the SGR parameters of the attributes, in the order of their bits.
const sgrCodes = "12345789"

// pen is how a piece of text looks. The zero pen is the terminal's default.
type pen struct {
	fg, bg color
	attr   attr
}

// appendSGR appends the sequence that goes from pen p to pen q.
func appendSGR(b []byte, p, q pen) []byte {
	if p == q {
		return b
	}
	b = append(b, "\x1b["...)
	if q == (pen{}) {
		return append(b, 'm')
	}
	if p.attr&^q.attr != 0 || p.fg != 0 && q.fg == 0 || p.bg != 0 && q.bg == 0 {
		b = append(b, "0;"...)
		p = pen{}
	}
	for i := range len(sgrCodes) {
		if (q.attr&^p.attr)>>i&1 != 0 {
			b = append(b, sgrCodes[i], ';')
		}
	}
	if q.fg != p.fg {
		b = appendColor(b, '3', q.fg)
	}
	if q.bg != p.bg {
		b = appendColor(b, '4', q.bg)
	}
	b[len(b)-1] = 'm'
	return b
}

// appendColor appends the parameters of a colour on the given layer ('3' is the
// foreground, '4' the background), closed by a semicolon.
func appendColor(b []byte, layer byte, c color) []byte {
	if c&colorIndexed != 0 {
		b = append(b, layer, '8', ';', '5', ';')
		b = strconv.AppendUint(b, uint64(c&0xff), 10)
		return append(b, ';')
	}
	b = append(b, layer, '8', ';', '2', ';')
	for shift := 16; shift >= 0; shift -= 8 {
		b = strconv.AppendUint(b, uint64(c>>shift&0xff), 10)
		b = append(b, ';')
	}
	return b
}
