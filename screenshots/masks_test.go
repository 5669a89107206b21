package main

import (
	"regexp"
	"strings"
	"testing"

	"waferchat/internal/vterm"
)

func TestMasksKeepWhatIsAlignedInItsPlace(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"first 1.2 s · end  right", "first 0.8 s · end  right"},
		{"first 12 s · end     right", "first 0.8 s · end    right"},
		{"first 2 min 5 s · end     right", "first 0.8 s · end         right"},
		{"a question                 17:31", "a question                 14:02"},
		{"漢字 thought for 12 s · 9 tokens", "漢字 thought for 3.2 s · 9 tokens"},
		{"7 tok/s and 1,234 tok/s   x", "104 tok/s and 104 tok/s   x"},
		{"first 10 s  first 10 s  x", "first 0.8 s first 0.8 s x"},
		{"nothing to replace: 12 s", "nothing to replace: 12 s"},
	} {
		screen := vterm.NewScreen(40, 1)
		_, _ = screen.Write([]byte(c.before))
		f := newFrame(screen)
		screen.Close()
		f.mask(standing)
		if got := rowText(f, 0); got != c.after {
			t.Errorf("%q became %q, not %q", c.before, got, c.after)
		}
		if n := len(f.rows[0]); n != 40 {
			t.Errorf("%q: the row has %d cells now", c.before, n)
		}
	}
}

func TestMasksCountFromTheTop(t *testing.T) {
	screen := vterm.NewScreen(20, 3)
	defer screen.Close()
	_, _ = screen.Write([]byte("9 s, 8 s\r\n7 s\r\n6 s"))
	f := newFrame(screen)
	f.mask([]mask{{regexp.MustCompile(`(\d) s`), []string{"1", "2", "3"}}})
	for y, want := range []string{"1 s, 2 s", "3 s", "3 s"} {
		if got := rowText(f, y); got != want {
			t.Errorf("row %d is %q, not %q", y, got, want)
		}
	}
}

func TestAMaskTakesTheStyleOfWhatItReplaces(t *testing.T) {
	screen := vterm.NewScreen(20, 1)
	defer screen.Close()
	_, _ = screen.Write([]byte("\x1b[1mfirst 12 s\x1b[m \x1b[4mrest\x1b[m"))
	f := newFrame(screen)
	f.mask(standing)
	for x, bold := range map[int]bool{6: true, 8: true, 11: false} {
		if got := f.Cell(x, 0).Style.Attrs != 0; got != bold {
			t.Errorf("column %d: bold is %v", x, got)
		}
	}
	if c := f.Cell(12, 0); c.Content != "r" || c.Style.Underline == 0 {
		t.Errorf("what follows lost its style: %+v", c)
	}
}

func rowText(f *frame, y int) string {
	text, _ := read(f.rows[y])
	return strings.TrimRight(text, " ")
}
