package shot

import (
	"fmt"
	"image/color"
)

// hex writes a colour as "#rrggbb".
func hex(c color.Color) string {
	n, _ := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
}

// mix is a colour that has a share of a, 0 to 1, and the rest of b.
func mix(a, b string, share float64) string {
	var x, y [3]int
	_, _ = fmt.Sscanf(a, "#%02x%02x%02x", &x[0], &x[1], &x[2])
	_, _ = fmt.Sscanf(b, "#%02x%02x%02x", &y[0], &y[1], &y[2])
	for i := range x {
		x[i] = int(float64(x[i])*share + float64(y[i])*(1-share) + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", x[0], x[1], x[2])
}
