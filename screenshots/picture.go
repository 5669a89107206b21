package main

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"time"

	"waferchat/internal/shot"
	"waferchat/internal/vterm"
)

// calm is how long a picture must stay the same to be the final one: exact
// highlighting and the model list come when they are ready.
const calm = 400 * time.Millisecond

// settled waits until the picture shows what it must and stays as it is.
func (s *scene) settled(st *stage) []byte {
	var last []byte
	fault := ""
	for began, since := time.Now(), time.Now(); time.Since(began) < limit; {
		changed := st.Changed()
		var svg []byte
		svg, fault = s.picture(st)
		switch {
		case !slices.Equal(svg, last):
			last, since = svg, time.Now()
		case fault == "" && time.Since(since) >= calm:
			return svg
		}
		select {
		case <-changed:
		case <-time.After(calm / 4):
		}
	}
	st.crew.Fatalf("%s; the screen:\n%s", cmp.Or(fault, "it does not come to rest"), st.Text())
	return nil
}

// picture draws what is on the screen now, and tells what is wrong with it.
func (s *scene) picture(st *stage) (svg []byte, fault string) {
	f := newFrame(st.Screen)
	f.mask(standing)
	f.mask(s.masks)
	p := s.palette()
	svg = shot.SVG(f, shot.Options{Title: s.title + " (the answers are scripted)", Ground: string(p.Ground), Text: string(p.Text)})
	text, err := shot.Text(svg)
	if err != nil {
		st.crew.Fatalf("read the picture back: %w", err)
	}
	for _, want := range s.shows {
		if !strings.Contains(text, want) {
			return svg, fmt.Sprintf("it does not show %q", want)
		}
	}
	if s.lacks != "" && strings.Contains(text, s.lacks) {
		return svg, fmt.Sprintf("it shows %q", s.lacks)
	}
	return svg, ""
}

// frame is a copy of a screen that can be changed before it is drawn.
type frame struct {
	rows         [][]vterm.Cell
	cols         int
	x, y         int
	caret        bool
	text, ground color.Color
}

func newFrame(s *vterm.Screen) *frame {
	cols, rows := s.Size()
	f := &frame{cols: cols, rows: make([][]vterm.Cell, rows)}
	for y := range rows {
		f.rows[y] = make([]vterm.Cell, cols)
		for x := range cols {
			f.rows[y][x] = s.Cell(x, y)
		}
	}
	f.x, f.y, f.caret = s.Cursor()
	f.text, f.ground = s.Colors()
	return f
}

// Size is the size of the screen in cells.
func (f *frame) Size() (cols, rows int) { return f.cols, len(f.rows) }

// Cell is the cell in column x and row y.
func (f *frame) Cell(x, y int) vterm.Cell { return f.rows[y][x] }

// Cursor is where the cursor is and whether it is shown.
func (f *frame) Cursor() (x, y int, visible bool) { return f.x, f.y, f.caret }

// Colors are the terminal's own.
func (f *frame) Colors() (text, ground color.Color) { return f.text, f.ground }
