package themes

import "fmt"

// On returns the theme for a terminal whose background is ground: the grounds of
// turns, code, overlays and the selected row are set off from that one, whatever
// it is, instead of from the one that the theme was made for. A ground of the
// other kind (light for a dark theme) changes nothing.
func (t Theme) On(ground Color) Theme {
	if (ground.luminance() < 0.18) != t.Dark {
		return t
	}
	t.Ground = ground
	t.Raised = t.lifted(t.Text, 0.09)
	t.Code = t.lifted(t.Text, 0.07)
	t.Overlay = t.lifted(t.Text, 0.08)
	t.Select = t.lifted(t.Accent, 0.30) // told by its hue too
	return t
}

// lifted mixes the ground with a share of a colour, less of it where dim text
// would become hard to read.
func (t Theme) lifted(with Color, share float64) Color {
	for ; share > 0.02; share -= 0.01 {
		c := mix(t.Ground, with, share)
		if Contrast(t.Dim, c) >= minContrast && Contrast(t.Text, c) >= minContrast {
			return c
		}
	}
	return mix(t.Ground, with, share)
}

// mix is a with a share of b, 0 to 1.
func mix(a, b Color, share float64) Color {
	ar, ag, ab, _ := a.RGB()
	br, bg, bb, _ := b.RGB()
	m := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*share + 0.5) }
	return Color(fmt.Sprintf("#%02x%02x%02x", m(ar, br), m(ag, bg), m(ab, bb)))
}
