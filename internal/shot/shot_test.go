package shot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"strings"
	"testing"

	"waferchat/internal/golden"
	"waferchat/internal/vterm"
)

func screen(t *testing.T, cols, rows int, output string) *vterm.Screen {
	t.Helper()
	s := vterm.NewScreen(cols, rows)
	t.Cleanup(s.Close)
	s.SetBackground(color.NRGBA{0x17, 0x18, 0x1b, 0xff})
	_, _ = s.Write([]byte(strings.ReplaceAll(output, "\n", "\r\n")))
	return s
}

const sample = "\x1b[1mbold\x1b[m \x1b[3mitalic\x1b[m \x1b[4munder\x1b[m \x1b[4:3mcurly\x1b[m \x1b[9mstruck\x1b[m \x1b[7mreverse\x1b[m \x1b[2mfaint\x1b[m\n" +
	"漢字 👩‍💻 ❤️ e\u0301 <&\"'> \x1b[38;5;203mred\x1b[m \x1b[44mblue\x1b[m \x1b[38;2;255;200;0;48;2;40;40;60mrgb\x1b[m\n" +
	"┌──┬──╮ ╔══╦══╗ ┏━━┳━━┓ ▌text ▀▄█ ░▒▓ ⠋⠙⠹ ❯ •\n" +
	"│  ├──┤ ║  ╠══╣ ┃  ┣━━┫ ▏▎▍▌▋▊▉█ ▁▂▃▄▅▆▇█\n" +
	"╰──┴──┘ ╚══╩══╝ ┗━━┻━━┛ ╱╲╳ ┄┅┆┇┈┉┊┋╌╍╎╏ ╴╵╶╷ ▖▗▘▙▚▛▜▝▞▟\n" +
	"end"

func TestThePictureHoldsTheTextOfTheScreen(t *testing.T) {
	var box strings.Builder
	for r := rune(0x2500); r <= 0x259f; r++ {
		box.WriteRune(r)
		if r%32 == 31 {
			box.WriteByte('\n')
		}
	}
	screens := map[string]string{
		"sample":  sample,
		"box":     box.String(),
		"nothing": "",
		"wide":    "漢漢漢漢漢漢漢漢\n a漢b漢\n\n\n  \x1b[41m  x \x1b[m",
		"cursor":  "abc\x1b[1;2H",
		"hidden":  "a\x1b[8mb\x1b[mc",
	}
	for name, output := range screens {
		t.Run(name, func(t *testing.T) {
			s := screen(t, 64, 7, output)
			got, err := Text(SVG(s, Options{Title: "a <title>"}))
			if err != nil {
				t.Fatal(err)
			}
			want := s.Text()
			if name == "hidden" {
				want = strings.Replace(want, "abc", "a c", 1)
			}
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestThePictureIsWellFormedAndTheSameEachTime(t *testing.T) {
	s := screen(t, 64, 7, sample)
	first := SVG(s, Options{Title: "A & B"})
	if !bytes.Equal(first, SVG(s, Options{Title: "A & B"})) {
		t.Error("two pictures of one screen differ")
	}
	dec := xml.NewDecoder(bytes.NewReader(first))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	golden.Equal(t, "testdata/sample.svg", first)
}

func TestStylesAreDrawn(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"plain", "ab", `<text x="0 10" y="15" fill="#ffffff">ab</text>`},
		{"bold italic", "\x1b[1;3mx", `fill="#ffffff" font-weight="700" font-style="italic">x</text>`},
		{"colour", "\x1b[38;2;1;2;3mx", `fill="#010203">x</text>`},
		{"ground", "\x1b[48;2;1;2;3mxy", `<rect x="0" width="20" height="20" fill="#010203" shape-rendering="crispEdges"/>`},
		{"reverse", "\x1b[7mx", `<rect x="0" width="10" height="20" fill="#ffffff" shape-rendering="crispEdges"/><text x="0" y="15" fill="#17181b">x`},
		{"faint", "\x1b[2mx", `fill="#8b8c8d">x`},
		{"underline", "\x1b[4mx y", `<path d="M0 17.5H30" stroke="#ffffff" stroke-width="1.2"/>`},
		{"coloured underline", "\x1b[4:4;58;2;1;2;3mx", `stroke="#010203" stroke-width="1.2" stroke-dasharray`},
		{"strike", "\x1b[9mx", `<path d="M0 10.5H10" stroke="#ffffff"`},
		{"wide", "a漢", `<text x="20" y="15" fill="#ffffff" text-anchor="middle">漢</text>`},
		{"cluster", "e\u0301", `<text x="0" y="15" fill="#ffffff">` + "e\u0301</text>"},
		{"line", "x───", `<path data-column="1" data-text="───" fill="#ffffff" d="M10 9.25H40.3V10.75H10z"/>`},
		{"shade", "▀▒▒", `<path data-column="1" data-text="▒▒" fill="#8b8c8d"`},
		{"cursor", "ab\x1b[1;2H", `<rect x="10" width="10" height="20" fill="#ffffff" shape-rendering="crispEdges"/><text x="0" y="15" fill="#ffffff">a</text><text x="10" y="15" fill="#17181b">b`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			output := tt.output
			if tt.name != "cursor" {
				output += "\x1b[?25l"
			}
			if got := string(SVG(screen(t, 10, 1, output), Options{})); !strings.Contains(got, tt.want) {
				t.Errorf("no %s in\n%s", tt.want, got)
			}
		})
	}
}

func TestOptionsSetColoursAndTitle(t *testing.T) {
	got := string(SVG(screen(t, 3, 1, "x"), Options{Title: "1 < 2", Ground: "#fafafa", Text: "#101010"}))
	for _, want := range []string{"<title>1 &lt; 2</title>", `rx="8" fill="#fafafa"`, `fill="#101010">x<`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestLinesMeetAtTheEdgesOfCells paints each box character on a fine grid: an arm
// covers the middle of its edge, and where there is none the edge is empty.
func TestLinesMeetAtTheEdgesOfCells(t *testing.T) {
	for r := rune(0x2500); r <= 0x257f; r++ {
		code := arms[r-0x2500]
		if code == "...." {
			continue
		}
		var b strings.Builder
		boxShape(r)(&b, 0)
		covered := paintRects(t, b.String())
		edges := [4][2]float64{{midX, 0.1}, {cellW - 0.1, midY}, {midX, cellH - 0.1}, {0.1, midY}}
		for side, at := range edges {
			x, y := at[0], at[1]
			if code[side] == '3' { // beside the middle
				if side == up || side == down {
					x += apart
				} else {
					y += apart
				}
			}
			if got, want := covered(x, y), code[side] != '0'; got != want {
				t.Errorf("%c: edge %d is covered: %v", r, side, got)
			}
		}
		if !strings.Contains(code, "3") && !covered(midX, midY) {
			t.Errorf("%c: the middle is empty", r)
		}
	}
	if len(arms) != 128 {
		t.Errorf("%d entries", len(arms))
	}
}

// paintRects tells which points the rectangles of a path cover.
func paintRects(t *testing.T, path string) func(x, y float64) bool {
	t.Helper()
	type box struct{ x1, y1, x2, y2 float64 }
	var boxes []box
	for part := range strings.SplitSeq(strings.TrimSuffix(path, "z"), "z") {
		var r box
		var back float64
		if _, err := fmt.Sscanf(part, "M%f %fH%fV%fH%f", &r.x1, &r.y1, &r.x2, &r.y2, &back); err != nil {
			t.Fatalf("%q: %v", part, err)
		}
		boxes = append(boxes, r)
	}
	return func(x, y float64) bool {
		for _, r := range boxes {
			if x >= min(r.x1, r.x2) && x <= max(r.x1, r.x2) && y >= min(r.y1, r.y2) && y <= max(r.y1, r.y2) {
				return true
			}
		}
		return false
	}
}

func TestTextReportsWhatIsNoPicture(t *testing.T) {
	for _, bad := range []string{"<svg", `<svg height="x"/>`, `<svg height="52"><g transform="translate(0,0)"><text x="0 10">a</text></g></svg>`} {
		if got, err := Text([]byte(bad)); err == nil {
			t.Errorf("%s gave %q", bad, got)
		}
	}
}
