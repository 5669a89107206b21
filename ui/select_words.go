package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"waferchat/ui/markdown"
)

// unit is what a selection grows by.
type unit string

const (
	unitCell unit = "cell"
	unitWord unit = "word"
	// unitLine is a line of the source, with all the rows that it is wrapped to.
	unitLine unit = "line"
)

// widen makes what a place stands for a whole unit.
func widen(p sheet, at markdown.Place, u unit) (start, end int) {
	start, end = touch(p, at)
	w := walker{sheet: p}
	switch {
	case at.Row < 0 || at.Row >= p.Len():
	case u == unitLine:
		return lineOf(p, at.Row)
	case u == unitWord && start < end && w.find(start):
		return w.word()
	}
	return start, end
}

// lineOf is the source line that a row belongs to: of a row without text nothing.
func lineOf(p sheet, row int) (start, end int) {
	first, last := row, row
	for first > 0 && p.joined(first) {
		first--
	}
	for last+1 < p.Len() && p.joined(last+1) {
		last++
	}
	w := walker{sheet: p}
	if !w.firstFrom(first) || w.row > last {
		return touch(p, markdown.Place{Row: row})
	}
	start = w.cell().start
	w.lastUpTo(last)
	return start, w.cell().end
}

// kind is what a cell is to words. Ideographs and the two kana are kinds of their
// own, since their words have no blanks between them.
type kind string

const (
	kindWhole    kind = "whole"
	kindBlank    kind = "blank"
	kindWord     kind = "word"
	kindHan      kind = "han"
	kindHiragana kind = "hiragana"
	kindKatakana kind = "katakana"
	kindOther    kind = "other"
)

func (c cell) kind() kind {
	r, _ := utf8.DecodeRuneInString(c.char)
	switch {
	case c.char == "":
		return kindWhole
	case unicode.IsSpace(r):
		return kindBlank
	case unicode.Is(unicode.Han, r):
		return kindHan
	case unicode.Is(unicode.Hiragana, r):
		return kindHiragana
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return kindKatakana
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Pc, r):
		return kindWord
	}
	return kindOther
}

// binds tells whether the middle cell keeps those beside it in one word: the
// apostrophe in "don't", the point in "3.14".
func binds(before, middle, after cell) bool {
	a, _ := utf8.DecodeRuneInString(before.char)
	b, _ := utf8.DecodeRuneInString(after.char)
	switch middle.char {
	case "'", "’":
		return unicode.IsLetter(a) && unicode.IsLetter(b)
	case ".", ",":
		return unicode.IsDigit(a) && unicode.IsDigit(b)
	}
	return false
}

// word is the stretch of the word that the cell is in: what reads as one word on
// screen, markup between its letters or not.
func (w walker) word() (start, end int) {
	if start, end, ok := w.address(); ok {
		return start, end
	}
	before, after := w, w
	if w.cell().kind() == kindOther && before.prev() && after.next() && touching(before, w) && touching(w, after) &&
		binds(before.cell(), w.cell(), after.cell()) {
		w = before
	}
	first := w.run((*walker).prev)
	last := w.run((*walker).next)
	return min(first.start, last.start), max(first.end, last.end)
}

// longestAddress bounds the cells that are looked at for an address.
const longestAddress = 2000

// address is the stretch of the web address that the cell is in, which reads as
// one word; ok is false where there is none.
func (w walker) address() (start, end int, ok bool) {
	at := w.cell()
	if at.kind() == kindBlank || at.kind() == kindWhole {
		return 0, 0, false
	}
	text := at.char
	first, last := at, at
	for back, n := w, 0; n < longestAddress; n++ {
		was := back
		if !back.prev() || !touching(was, back) || back.cell().kind() == kindBlank || back.cell().char == "" {
			break
		}
		first, text = back.cell(), back.cell().char+text
	}
	for on, n := w, 0; n < longestAddress; n++ {
		was := on
		if !on.next() || !touching(was, on) || on.cell().kind() == kindBlank || on.cell().char == "" {
			break
		}
		if text += on.cell().char; !strings.Contains(".,;:!?)]}>\"'", on.cell().char) {
			last = on.cell()
		}
	}
	return first.start, last.end, strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// run is the last cell of the word in a direction.
func (w walker) run(step func(*walker) bool) cell {
	at := w.cell()
	k := at.kind()
	for k != kindWhole {
		was := w
		if !step(&w) || !touching(was, w) {
			break
		}
		if w.cell().kind() == k {
			at = w.cell()
			continue
		}
		middle := w
		if k != kindWord || !step(&w) || !touching(middle, w) || !binds(at, middle.cell(), w.cell()) {
			break
		}
		at = w.cell()
	}
	return at
}

// touching tells whether nothing is between two neighbouring cells, also where
// a word is broken over two rows.
func touching(a, b walker) bool {
	if a.row > b.row || a.row == b.row && a.i > b.i {
		a, b = b, a
	}
	if a.row == b.row {
		return a.cell().right() == b.cell().col
	}
	return a.row+1 == b.row && b.sheet.joined(b.row) && a.cell().end == b.cell().start
}
