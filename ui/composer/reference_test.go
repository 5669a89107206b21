package composer

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// reference is the editor as one would write it without a thought for speed: a
// string, an index, and a copy of both for every step.
type reference struct {
	snap
	steps, undone []refStep
	last          string // what may be joined
	lastRune      rune
	killed        string
}

type snap struct {
	text   string // a folded paste is a U+E000
	caret  int
	anchor int
}

type refStep struct{ before, after snap }

const refChip = "\ue000"

// places are where the caret may be.
func (r *reference) places() []int {
	at, i := []int{0}, 0
	hard := strings.NewReplacer("\n", "\x00\n\x00", refChip, "\x00"+refChip+"\x00")
	for run := range strings.SplitSeq(hard.Replace(r.text), "\x00") {
		for g := graphemes.FromString(run); g.Next(); {
			i += len(g.Value())
			at = append(at, i)
		}
	}
	return at
}

func (r *reference) snapRight(at int) int {
	for _, p := range r.places() {
		if p >= at {
			return p
		}
	}
	return len(r.text)
}

func (r *reference) edit(a, b int, s string, join bool) {
	before := r.snap
	before.anchor = -1
	r.text = r.text[:a] + s + r.text[b:]
	r.anchor = -1
	r.caret = r.snapRight(a + len(s))
	r.undone = nil
	if join && len(r.steps) > 0 {
		r.steps[len(r.steps)-1].after = r.snap
	} else {
		r.steps = append(r.steps, refStep{before, r.snap})
	}
}

func (r *reference) selection() (int, int) {
	if r.anchor < 0 {
		return r.caret, r.caret
	}
	return min(r.anchor, r.caret), max(r.anchor, r.caret)
}

func (r *reference) insert(s string) {
	a, b := r.selection()
	first, _ := utf8.DecodeRuneInString(s)
	word := !strings.Contains(s, "\n") && (!unicode.IsSpace(first) || unicode.IsSpace(r.lastRune))
	r.edit(a, b, s, r.last == "type" && a == b && word)
	r.last = "type"
	r.lastRune, _ = utf8.DecodeLastRuneInString(s)
}

func (r *reference) target(m Motion) int {
	line := strings.LastIndex(r.text[:r.caret], "\n") + 1
	end := len(r.text)
	if i := strings.Index(r.text[r.caret:], "\n"); i >= 0 {
		end = r.caret + i
	}
	left, right := 0, len(r.text)
	for _, p := range r.places() {
		if p < r.caret {
			left = p
		}
		if p > r.caret {
			right = p
			break
		}
	}
	switch m {
	case Left:
		return left
	case Right:
		return right
	case LineStart:
		return line
	case LineEnd:
		return end
	case TextStart:
		return 0
	case TextEnd:
		return len(r.text)
	case ParagraphDown:
		skip := len(r.text) - len(strings.TrimLeft(r.text[r.caret:], "\n"))
		if i := strings.Index(r.text[skip:], "\n\n"); i >= 0 {
			return skip + i + 1
		}
		return len(r.text)
	case ParagraphUp:
		return strings.LastIndex(strings.TrimRight(r.text[:r.caret], "\n"), "\n\n") + 1
	}
	return r.caret
}

func (r *reference) move(m Motion, selecting bool) {
	to := r.target(m)
	if a, b := r.selection(); !selecting && r.anchor >= 0 && m == Left {
		to = a
	} else if !selecting && r.anchor >= 0 && m == Right {
		to = b
	}
	if !selecting {
		r.anchor = -1
	} else if r.anchor < 0 {
		r.anchor = r.caret
	}
	if r.caret = to; r.anchor == to {
		r.anchor = -1
	}
	r.last = ""
}

func (r *reference) remove(m Motion, kill bool) {
	a, b := r.selection()
	selected := r.anchor >= 0
	if !selected {
		to := r.target(m)
		if to == r.caret && m == LineStart {
			to = r.target(Left)
		} else if to == r.caret && m == LineEnd {
			to = r.target(Right)
		}
		a, b = min(r.caret, to), max(r.caret, to)
	}
	if a == b {
		if !kill {
			r.last = ""
		}
		return
	}
	gone, forward := r.text[a:b], a == r.caret
	first, _ := utf8.DecodeRuneInString(gone)
	now := ""
	switch {
	case kill && r.last != "kill":
		r.killed, now = gone, "kill"
	case kill && forward:
		r.killed, now = r.killed+gone, "kill"
	case kill:
		r.killed, now = gone+r.killed, "kill"
	case !selected && (m == Left || m == Right) && gone != refChip:
		now = string(m)
	}
	r.edit(a, b, "", !kill && now != "" && r.last == now && unicode.IsSpace(first) == unicode.IsSpace(r.lastRune))
	r.last, r.lastRune = now, first
}

func (r *reference) undo() {
	r.last = ""
	if n := len(r.steps); n > 0 {
		step := r.steps[n-1]
		r.steps, r.undone = r.steps[:n-1], append(r.undone, step)
		r.snap = step.before
	}
}

func (r *reference) redo() {
	r.last = ""
	if n := len(r.undone); n > 0 {
		step := r.undone[n-1]
		r.undone, r.steps = r.undone[:n-1], append(r.steps, step)
		r.snap = step.after
	}
}

var pieces = []string{
	"a", "b", "word", " ", "  ", "\n", "\n\n", "\t", "漢", "字か", "é", "e\u0301", "\u0301", "\u200d", "👩", "💻",
	"🇩", "🇪", "🇫🇷", "क", "्", "ष", "ि", "\u200b", "\x1b[31m", "ﷺ", "한", "ᄀ", "ᅡ", "don't", "\u0600", "-", "👍🏽", "\ufe0f",
	strings.Repeat("x", 700), strings.Repeat("long line 漢字 ", 60), strings.Repeat("many\n", 9),
}

var (
	modelled = []Motion{Left, Left, Left, Right, Right, Right, LineStart, LineEnd, TextStart, TextEnd, ParagraphUp, ParagraphDown}
	laidOut  = []Motion{Up, Down, PageUp, PageDown, WordLeft, WordRight}
)

func TestAgainstTheReference(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c, r := New(), &reference{snap: snap{anchor: -1}}
		var pastes []string
		for n := range 400 {
			what := both(rng, c, r, &pastes)
			agree(t, c, r, pastes)
			if t.Failed() {
				t.Fatalf("seed %d, call %d: %s", seed, n, what)
			}
			if n%10 == 0 {
				c.SetWidth(1 + rng.IntN(40))
				sound(t, c)
			}
		}
	}
}

// both does the same to both, and tells what.
func both(rng *rand.Rand, c *Composer, r *reference, pastes *[]string) string {
	m := modelled[rng.IntN(len(modelled))]
	n := rng.IntN(100)
	if len(r.text) > 4000 {
		n = 97
	}
	switch {
	case n < 40:
		s := pieces[rng.IntN(len(pieces))]
		c.Insert(s)
		r.insert(s)
		return "insert " + s
	case n < 43:
		s := strings.Repeat("folded\n", 11+rng.IntN(9))
		*pastes = append(*pastes, s)
		c.Paste(s)
		a, b := r.selection()
		r.edit(a, b, refChip, false)
		r.last = ""
		return "paste"
	case n < 60:
		c.Move(m, false)
		r.move(m, false)
		return "move " + string(m)
	case n < 68:
		c.Move(m, true)
		r.move(m, true)
		return "select " + string(m)
	case n < 80:
		c.Delete(m)
		r.remove(m, false)
		return "delete " + string(m)
	case n < 85:
		c.Kill(m)
		r.remove(m, true)
		return "kill " + string(m)
	case n < 88:
		c.Yank()
		if a, b := r.selection(); r.killed != "" {
			r.edit(a, b, r.killed, false)
			r.last = ""
		}
		return "yank"
	case n < 94:
		c.Undo()
		r.undo()
		return "undo"
	case n < 97:
		c.Redo()
		r.redo()
		return "redo"
	case n < 98:
		c.SetText("new\ntext")
		r.edit(0, len(r.text), "new\ntext", false)
		r.last = ""
		return "set"
	}
	c.Move(laidOut[rng.IntN(len(laidOut))], false)
	r.caret = len(strings.ReplaceAll(c.text.slice(0, c.caret), "\xff", refChip))
	r.anchor, r.last = -1, ""
	return "a motion that is not modelled"
}

func agree(t *testing.T, c *Composer, r *reference, pastes []string) {
	t.Helper()
	raw := c.text.slice(0, c.text.len())
	if got := strings.ReplaceAll(raw, "\xff", refChip); got != r.text {
		t.Errorf("text %q, want %q", got, r.text)
		return
	}
	if got := len(strings.ReplaceAll(raw[:c.caret], "\xff", refChip)); got != r.caret {
		t.Errorf("caret %d, want %d in %q", got, r.caret, r.text)
	}
	a, b := r.selection()
	if got := c.text.cut(c.selection()); got.len() != len(strings.ReplaceAll(r.text[a:b], refChip, "x")) {
		t.Errorf("selected %q, want %q", c.Selected(), r.text[a:b])
	}
	if c.text == nil || c.text.folds == 0 {
		return
	}
	full := c.Text()
	if strings.Count(full, "folded\n") < c.text.folds*11 || len(pastes) == 0 {
		t.Error("a paste is not in the text")
	}
}

func FuzzAnyCalls(f *testing.F) {
	f.Add([]byte("typing \x80\x81\x90\xa0\xb0"), byte(20), "some text")
	f.Add([]byte{0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0xff}, byte(1), "漢字 e\u0301\x00👩‍👩‍👧")
	f.Add([]byte("\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7"), byte(3), strings.Repeat("x y\n", 30))
	motions := append(append([]Motion{}, modelled...), laidOut...)
	f.Fuzz(func(t *testing.T, calls []byte, width byte, text string) {
		if len(calls) > 200 || len(text) > 20_000 {
			return
		}
		c := New()
		c.SetWidth(int(width % 50))
		c.SetWidthMethod([]ansi.Method{ansi.GraphemeWidth, ansi.WcWidth}[width%2])
		c.SetMaxHeight(1 + int(width)/50)
		for _, b := range calls {
			m := motions[int(b)%len(motions)]
			switch b >> 4 {
			case 0, 1:
				c.Insert(text)
			case 2:
				c.Paste(text + strings.Repeat("\r", int(b&15)))
			case 3:
				c.Yank()
			case 4:
				c.Undo()
			case 5:
				c.Redo()
			case 6:
				c.Expand()
			case 7:
				c.SetWidth(int(b & 15))
			case 8, 9:
				c.Move(m, false)
			case 10:
				c.Move(m, true)
			case 11:
				c.Delete(m)
			case 12:
				c.Kill(m)
			case 13:
				c.MoveTo(int(b&3), int(b>>2&3), b&1 == 0)
			case 14:
				c.ReplaceToken(text[:min(len(text), 10)])
			default:
				roundTrip(t, c)
			}
			sound(t, c)
			if c.Len() > 100_000 { // yanking doubles it
				return
			}
		}
	})
}

// roundTrip stores and loads the draft, as a quit and a start do.
func roundTrip(t *testing.T, c *Composer) {
	t.Helper()
	before, text := marked(c), c.Text()
	c.Move("none", false)
	before = strings.ReplaceAll(before, "┃", "")
	data, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetState(data); err != nil {
		t.Fatal(err)
	}
	if marked(c) != before || c.Text() != text {
		t.Fatalf("%q came back as %q", before, marked(c))
	}
}
