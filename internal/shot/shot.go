// Package shot draws the screen of a terminal as an SVG: every cell at its exact
// place, wide graphemes over two cells, lines and blocks as shapes, so that no
// font can move or part them. The same screen gives the same bytes.
//
// [SVG] draws, [Text] reads the text back out of what was drawn, so that a test
// can hold a picture against the program. It draws no PNG.
//
// It is for tests and the screenshots program; the product never imports it.
package shot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// Source is a screen, such as a *vterm.Screen.
type Source interface {
	Size() (cols, rows int)
	Cell(x, y int) uv.Cell
	Cursor() (x, y int, visible bool)
	Colors() (text, ground color.Color)
}

// Options tell how to draw.
type Options struct {
	Title  string // for people who cannot see the picture
	Ground string // "#rrggbb" in place of the terminal's ground, "" for that
	Text   string // "#rrggbb" in place of the terminal's text colour
}

// The size of a cell, the room around the screen, and the base line and size of
// the text, in pixels. The advance of common monospaced fonts is 0.6 of the size.
const (
	cellW, cellH = 10, 20
	pad          = 16
	baseLine     = 15
	fontSize     = 16.5
)

const fonts = "'JetBrains Mono','Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono'," +
	"'Noto Sans Mono CJK JP','Noto Sans CJK JP','Noto Color Emoji',monospace"

// SVG draws the screen.
func SVG(src Source, o Options) []byte {
	cols, rows := src.Size()
	d := &drawing{text: o.Text, ground: o.Ground}
	text, ground := src.Colors()
	if d.text == "" {
		d.text = hex(text)
	}
	if d.ground == "" {
		d.ground = hex(ground)
	}
	w, h := cols*cellW+2*pad, rows*cellH+2*pad
	fmt.Fprintf(&d.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`, w, h, w, h)
	if o.Title != "" {
		fmt.Fprintf(&d.out, "\n<title>%s</title>", escape(o.Title))
	}
	// The edge parts the screen from a page of the same colour.
	fmt.Fprintf(&d.out, "\n<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\" stroke=\"%s\"/>",
		w-1, h-1, d.ground, mix(d.text, d.ground, 0.2))
	fmt.Fprintf(&d.out, "\n<g transform=\"translate(%d,%d)\" font-family=\"%s\" font-size=\"%v\" style=\"font-variant-ligatures:none;white-space:pre\">", pad, pad, fonts, fontSize)
	cx, cy, visible := src.Cursor()
	for y := range rows {
		row := make([]cell, 0, cols)
		for x := 0; x < cols; {
			c := d.cell(src.Cell(x, y), x)
			if visible && y == cy && cx >= x && cx < x+c.width {
				c.fg, c.bg = d.ground, d.text
			}
			row = append(row, c)
			x += c.width
		}
		d.row(y, row)
	}
	d.out.WriteString("\n</g>\n</svg>\n")
	return d.out.Bytes()
}

type drawing struct {
	out          bytes.Buffer
	text, ground string
}

// cell is a cell as it is drawn: colours are resolved, reverse and faint are in
// them.
type cell struct {
	x, width     int
	content      string // "" for a blank
	fg, bg       string // bg is "" for the ground
	bold, italic bool
	struck       bool
	underline    uv.Underline
	line         string // colour of the underline
}

func (d *drawing) cell(c uv.Cell, x int) cell {
	out := cell{
		x: x, width: max(c.Width, 1), content: c.Content,
		fg: d.text, bold: c.Style.Attrs&uv.AttrBold != 0, italic: c.Style.Attrs&uv.AttrItalic != 0,
		struck: c.Style.Attrs&uv.AttrStrikethrough != 0, underline: c.Style.Underline,
	}
	if c.Style.Fg != nil {
		out.fg = hex(c.Style.Fg)
	}
	if c.Style.Bg != nil {
		out.bg = hex(c.Style.Bg)
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		bg := out.bg
		if bg == "" {
			bg = d.ground
		}
		out.fg, out.bg = bg, out.fg
	}
	if c.Style.Attrs&uv.AttrFaint != 0 {
		out.fg = mix(out.fg, d.groundOf(out), 0.5)
	}
	out.line = out.fg
	if c.Style.UnderlineColor != nil {
		out.line = hex(c.Style.UnderlineColor)
	}
	if strings.TrimSpace(out.content) == "" || c.Style.Attrs&uv.AttrConceal != 0 {
		out.content = ""
	}
	return out
}

func (d *drawing) groundOf(c cell) string {
	if c.bg == "" {
		return d.ground
	}
	return c.bg
}

// row draws the grounds of a row, then what is on them, joining cells that look
// alike.
func (d *drawing) row(y int, cells []cell) {
	fmt.Fprintf(&d.out, "\n<g transform=\"translate(0,%d)\">", y*cellH)
	for run := range runs(cells, func(a, b cell) bool { return a.bg == b.bg }) {
		if bg := run[0].bg; bg != "" {
			last := run[len(run)-1]
			fmt.Fprintf(&d.out, `<rect x="%d" width="%d" height="%d" fill="%s" shape-rendering="crispEdges"/>`,
				run[0].x*cellW, (last.x+last.width-run[0].x)*cellW, cellH, bg)
		}
	}
	for run := range runs(cells, alike) {
		if run[0].content == "" {
			continue
		}
		if _, ok := shape(run[0].content); ok {
			d.shapes(run)
		} else {
			d.glyphs(run)
		}
	}
	for run := range runs(cells, func(a, b cell) bool {
		return a.struck == b.struck && a.underline == b.underline && a.line == b.line
	}) {
		d.lines(run)
	}
	d.out.WriteString("</g>")
}

// alike tells whether two neighbours can be drawn in one element.
func alike(a, b cell) bool {
	if a.content == "" || b.content == "" {
		return a.content == b.content
	}
	_, sa := shape(a.content)
	_, sb := shape(b.content)
	single := a.width == 1 && b.width == 1 && utf8.RuneCountInString(a.content) == 1 && utf8.RuneCountInString(b.content) == 1
	return sa == sb && single && a.fg == b.fg && a.bold == b.bold && a.italic == b.italic &&
		(!sa || a.bg == b.bg)
}

// runs parts cells into the longest runs of neighbours that are the same.
func runs(cells []cell, same func(a, b cell) bool) iter.Seq[[]cell] {
	return func(yield func([]cell) bool) {
		for start := 0; start < len(cells); {
			end := start + 1
			for end < len(cells) && same(cells[end-1], cells[end]) {
				end++
			}
			if !yield(cells[start:end]) {
				return
			}
			start = end
		}
	}
}

// glyphs draws text with the place of each character. A grapheme of several
// characters, or a wide one, is a run of its own, the latter in the middle of
// its cells.
func (d *drawing) glyphs(run []cell) {
	first := run[0]
	var x, text strings.Builder
	for i, c := range run {
		if i > 0 {
			x.WriteByte(' ')
		}
		at := c.x * cellW
		if c.width > 1 {
			at += c.width * cellW / 2
		}
		x.WriteString(strconv.Itoa(at))
		text.WriteString(c.content)
	}
	fmt.Fprintf(&d.out, `<text x="%s" y="%d" fill="%s"`, x.String(), baseLine, first.fg)
	if first.width > 1 {
		d.out.WriteString(` text-anchor="middle"`)
	}
	if first.bold {
		d.out.WriteString(` font-weight="700"`)
	}
	if first.italic {
		d.out.WriteString(` font-style="italic"`)
	}
	fmt.Fprintf(&d.out, `>%s</text>`, escape(text.String()))
}

// lines draws underlines and strikes.
func (d *drawing) lines(run []cell) {
	first, last := run[0], run[len(run)-1]
	x1, x2 := first.x*cellW, (last.x+last.width)*cellW
	stroke := func(y float64, extra string) {
		fmt.Fprintf(&d.out, `<path d="M%d %vH%d" stroke="%s" stroke-width="1.2"%s/>`, x1, y, x2, first.line, extra)
	}
	switch first.underline {
	case uv.UnderlineSingle:
		stroke(17.5, "")
	case uv.UnderlineDouble:
		stroke(16.5, "")
		stroke(18.9, "")
	case uv.UnderlineDotted:
		stroke(17.5, ` stroke-dasharray="1.5 1.5"`)
	case uv.UnderlineDashed:
		stroke(17.5, ` stroke-dasharray="5 3"`)
	case uv.UnderlineCurly:
		fmt.Fprintf(&d.out, `<path d="M%d 17.5`, x1)
		for x := x1; x < x2; x += cellW {
			fmt.Fprintf(&d.out, "q%v -3 %v 0t%v 0", cellW/4.0, cellW/2.0, cellW/2.0)
		}
		fmt.Fprintf(&d.out, `" fill="none" stroke="%s" stroke-width="1.2"/>`, first.line)
	}
	if first.struck {
		stroke(10.5, "")
	}
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
