package shot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Text reads the text out of a picture that SVG drew, from the places of what is
// drawn: one line for each row of the screen, without the blanks at its end, as
// vterm's Screen.Text gives it.
func Text(svg []byte) (string, error) {
	r := reader{dec: xml.NewDecoder(bytes.NewReader(svg))}
	for {
		token, err := r.dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read the picture: %w", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := r.element(start); err != nil {
				return "", fmt.Errorf("read the picture: %w", err)
			}
		}
	}
	var b strings.Builder
	for y := range r.rows {
		b.WriteString(strings.TrimRight(r.line(y), " "))
		b.WriteByte('\n')
	}
	return b.String(), nil
}

type place struct{ x, y int }

type reader struct {
	dec  *xml.Decoder
	rows int
	row  int
	at   map[place]string
	end  map[int]int // of each row, the column behind the last grapheme
}

func (r *reader) element(e xml.StartElement) error {
	switch e.Name.Local {
	case "svg":
		height, err := strconv.Atoi(attr(e, "height"))
		r.rows = (height - 2*pad) / cellH
		r.at, r.end = make(map[place]string), make(map[int]int)
		return err
	case "g":
		_, shift, ok := strings.Cut(attr(e, "transform"), "translate(0,")
		if !ok {
			return nil
		}
		y, err := strconv.Atoi(strings.TrimSuffix(shift, ")"))
		r.row = y / cellH
		return err
	case "path":
		if attr(e, "data-text") == "" {
			return nil
		}
		x, err := strconv.Atoi(attr(e, "data-column"))
		for _, c := range attr(e, "data-text") {
			r.put(x, string(c))
			x++
		}
		return err
	case "text":
		return r.glyphs(e)
	}
	return nil
}

func (r *reader) glyphs(e xml.StartElement) error {
	var content string
	if err := r.dec.DecodeElement(&content, &e); err != nil {
		return err
	}
	xs := strings.Fields(attr(e, "x"))
	chars := strings.Split(content, "")
	if len(xs) == 1 {
		chars = []string{content}
	}
	if len(xs) != len(chars) {
		return fmt.Errorf("%d places for the %d characters of %q", len(xs), len(chars), content)
	}
	for i, c := range chars {
		x, err := strconv.Atoi(xs[i])
		if err != nil {
			return err
		}
		if attr(e, "text-anchor") == "middle" {
			x -= cellW
		}
		r.put(x/cellW, c)
	}
	return nil
}

func (r *reader) put(x int, grapheme string) {
	r.at[place{x, r.row}] = grapheme
	r.end[r.row] = max(r.end[r.row], x+1)
}

func (r *reader) line(y int) string {
	var b strings.Builder
	for x := 0; x < r.end[y]; {
		g, ok := r.at[place{x, y}]
		if !ok {
			g = " "
		}
		b.WriteString(g)
		x += max(ansi.StringWidth(g), 1)
	}
	return b.String()
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
