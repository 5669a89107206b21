package markdown

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestRawTextIsShownAsItIs(t *testing.T) {
	src := "# One **b**\n\n- `x`\n\ttab\r\n| a |\n"
	lines := RenderRaw(src, 40)
	checkLines(t, src, 40, lines)
	if got, want := strings.ReplaceAll(plain(lines), " \n", "\n"), "# One **b**\n\n- `x`\n    tab\n| a |\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	src = "one two three four"
	lines = RenderRaw(src, 9)
	var rows []string
	for _, l := range lines {
		rows = append(rows, src[l.Start:l.End])
	}
	if strings.Join(rows, "|") != "one two |three |four" || lines[0].Soft || !lines[1].Soft {
		t.Errorf("rows %q", rows)
	}
	if len(RenderRaw("", 9)) != 0 || len(RenderRaw("\n\n", 9)) != 2 {
		t.Error("empty lines are not counted")
	}
}

func TestRawRowsCoverTheSource(t *testing.T) {
	for seed := range int64(100) {
		r := rand.New(rand.NewSource(seed))
		src := randomText(r, 1+r.Intn(8))
		for _, width := range []int{1, 5, 30} {
			lines := RenderRaw(src, width)
			checkLines(t, src, width, lines)
			at := 0
			for _, l := range lines {
				if between := src[min(at, l.Start):l.Start]; strings.Trim(between, "\r\n") != "" {
					t.Fatalf("%q of %q is on no row", between, src)
				}
				at = l.End
			}
			if strings.Trim(src[at:], "\r\n") != "" {
				t.Fatalf("%q of %q is on no row", src[at:], src)
			}
			m := NewRawStream(width)
			for i := 0; i < len(src); {
				n := min(1+r.Intn(9), len(src)-i)
				m.Append(src[i : i+n])
				m.Flush()
				i += n
				if !strings.HasSuffix(src[:i], "\r") {
					compare(t, "stream", linesOf(m), RenderRaw(src[:i], width))
				}
			}
			m.End()
			compare(t, "stream", linesOf(m), lines)
			if t.Failed() {
				t.Fatalf("seed %d source %q", seed, src)
			}
		}
	}
}

func TestARawLineWithoutAnEndIsTheSameInParts(t *testing.T) {
	for _, piece := range []string{"word and ", "漢字", "a\x07\tb ", "👩‍🍳", "longwordwithoutspaces"} {
		src := strings.Repeat(piece, 12_000/len(piece))
		for _, width := range []int{1, 7, 80} {
			m := NewRawStream(width)
			for i := 0; i < len(src); i += 777 {
				m.Append(src[i:min(i+777, len(src))])
				m.Flush()
			}
			compare(t, piece, linesOf(m), RenderRaw(src, width))
			if width > 1 && len(m.tail) > 8_000/width {
				t.Errorf("%q at %d: %d rows are laid out again", piece, width, len(m.tail))
			}
		}
	}
	if got := ansi.Strip(RenderRaw("\x1b[2J\u202e", 40)[0].ANSI); got != "␛[2J⟨RLO⟩" {
		t.Errorf("control characters: %q", got)
	}
}
