package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// opener is markup that was opened and not closed yet: a run of emphasis marks,
// or the bracket of a link or an image.
type opener struct {
	mark    byte // '*', '_', '~', '[' or '!'
	size    int  // marks of a run that are still open
	at, end int  // in the text
}

// markupReader reads the text of an open block for markup that is not closed.
type markupReader struct {
	text    []byte
	at      int
	open    []opener
	keep    int    // how much of the text is shown
	closers string // of what ends the text: code, an address
	over    bool   // what follows is not markup
}

// unfinished tells how much of the text of an open block is shown, and what to
// add so that the markup in it is closed.
func unfinished(text []byte) (keep int, closers string) {
	r := markupReader{text: bytes.TrimRight(text, " \t\n")}
	r.keep = len(r.text)
	for r.at < len(r.text) && !r.over {
		r.next()
	}
	closers = r.closers + r.closeAll()
	if closers == "" && r.keep == len(r.text) {
		return len(text), ""
	}
	return r.keep, closers
}

// next reads up to the next mark and what it does.
func (r *markupReader) next() {
	switch c := r.text[r.at]; c {
	case '\\':
		r.escape()
	case '`':
		r.code()
	case '$':
		r.dollar()
	case '<':
		r.angle()
	case '!':
		if r.at+1 < len(r.text) && r.text[r.at+1] == '[' {
			r.push(opener{mark: '!', at: r.at, end: r.at + 2})
			return
		}
		r.at++
	case '[':
		if r.at+1 < len(r.text) && r.text[r.at+1] == '^' || r.at > 0 && isWord(r.text[r.at-1]) {
			r.at++ // a footnote, or an index
			return
		}
		r.push(opener{mark: '[', at: r.at, end: r.at + 1})
	case ']':
		r.bracket()
	case '*', '_', '~':
		r.run(c)
	default:
		r.at++
	}
}

func (r *markupReader) push(o opener) {
	r.open = append(r.open, o)
	r.at = o.end
}

// stop ends the text that is shown.
func (r *markupReader) stop(keep int, closers string) {
	r.keep, r.closers, r.over = keep, closers, true
}

// escape reads a backslash. What it opens as a formula is shown as it is until
// it is closed.
func (r *markupReader) escape() {
	rest := r.text[r.at:]
	closing := ""
	switch {
	case len(rest) == 1:
		r.stop(r.at, "")
		return
	case rest[1] == '(':
		closing = `\)`
	case rest[1] == '[':
		closing = `\]`
	}
	r.skip(2, closing)
}

// skip goes on n bytes on, or behind a closing delimiter. Where that is missing
// all that follows is no markup yet.
func (r *markupReader) skip(n int, closing string) {
	if closing == "" {
		r.at += n
		return
	}
	i := bytes.Index(r.text[r.at+n:], []byte(closing))
	if i < 0 {
		r.over = true
		return
	}
	r.at += n + i + len(closing)
}

// dollar reads what may be a formula.
func (r *markupReader) dollar() {
	line := r.text[r.at:]
	if bytes.HasPrefix(line, []byte("$$")) {
		r.skip(2, "$$")
		return
	}
	line = line[:lineLength(line, 0)]
	if i := closingDollar(line); i > 0 && (r.at == 0 || !isWord(r.text[r.at-1])) {
		r.at += i + 1
		return
	}
	r.at++
}

// code reads a code span.
func (r *markupReader) code() {
	mark := fenceMark(r.text[r.at:])
	n := len(mark)
	for i := r.at + n; i < len(r.text); {
		next := bytes.IndexByte(r.text[i:], '`')
		if next < 0 {
			break
		}
		size := len(fenceMark(r.text[i+next:]))
		if i += next + size; size == n {
			r.at = i
			return
		}
	}
	keep := len(bytes.TrimRight(r.text, "`"))
	if keep <= r.at+n {
		r.stop(r.at, "")
		return
	}
	r.stop(keep, string(mark))
}

// angle reads an address or a tag in angle brackets.
func (r *markupReader) angle() {
	rest := r.text[r.at+1:]
	if len(rest) == 0 || rest[0] != '/' && !isLetter(rest[0]) {
		r.at++
		return
	}
	if i := bytes.IndexByte(rest, '>'); i >= 0 {
		r.at += i + 2
		return
	}
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		switch {
		case bytes.IndexAny(rest, " \t\n<") >= 0:
		case strings.HasPrefix(scheme, string(rest)):
			r.stop(r.at, "")
			return
		case bytes.HasPrefix(rest, []byte(scheme)):
			r.stop(len(r.text), ">")
			return
		}
	}
	r.at++
}

// bracket reads the end of the text of a link or an image.
func (r *markupReader) bracket() {
	k := len(r.open) - 1
	for k >= 0 && r.open[k].mark != '[' && r.open[k].mark != '!' {
		k--
	}
	if k < 0 {
		r.at++
		return
	}
	o := r.open[k]
	inner, rest := r.text[o.end:r.at], r.text[r.at+1:]
	if len(rest) == 0 {
		if !plainBrackets(inner) || o.mark == '!' {
			r.open = r.open[:k]
			r.stop(r.at+1, "()")
			return
		}
		rest = []byte{' '}
	}
	switch rest[0] {
	case '(':
		end := destinationEnd(rest)
		if end < 0 {
			r.open = r.open[:k]
			r.stop(r.at+1, "()")
			return
		}
		r.at += end
	case '[':
		end := bytes.IndexByte(rest, ']')
		if end < 0 {
			r.open = r.open[:k]
			r.stop(r.at+1, "()")
			return
		}
		r.at += end + 1
	}
	r.open = r.open[:k]
	r.at++
}

// plainBrackets tells whether text in brackets is not likely to be a link's.
func plainBrackets(inner []byte) bool { return len(bytes.Trim(inner, "0123456789 xX.,-")) == 0 }

// destinationEnd returns the length of "(address)" at the beginning of a text,
// -1 if it is not complete.
func destinationEnd(s []byte) int {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\n':
			if depth == 0 {
				return 0
			}
		}
	}
	return -1
}

// run reads a run of marks of emphasis or strikethrough.
func (r *markupReader) run(c byte) {
	n := len(r.text[r.at:]) - len(bytes.TrimLeft(r.text[r.at:], string(c)))
	before, _ := utf8.DecodeLastRune(r.text[:r.at])
	after, _ := utf8.DecodeRune(r.text[r.at+n:])
	k := len(r.open) - 1
	for k >= 0 && r.open[k].mark != c && r.open[k].mark != '[' && r.open[k].mark != '!' {
		k--
	}
	opened := k >= 0 && r.open[k].mark == c
	end := r.at+n == len(r.text)
	canOpen, canClose := flanks(c, before, after, r.at == 0, end)
	switch {
	case end && opened && n < r.open[k].size, end && !opened && (r.at == 0 || !isWordRune(before)) && n <= 3:
		r.stop(r.at, "") // it may close, or open, once it is complete
		return
	case canClose && opened:
		m := min(n, r.open[k].size)
		r.open[k].size -= m
		r.open[k].end = r.at + m
		if r.open[k].size == 0 {
			r.open = r.open[:k]
		} else {
			r.open = r.open[:k+1]
		}
		r.at += m // the rest of the run is another one
		return
	case canOpen && (c != '~' || n == 2):
		r.push(opener{mark: c, size: n, at: r.at, end: r.at + n})
		return
	}
	r.at += n
}

// flanks tells whether a run of marks may open and close, by the rules of
// CommonMark.
func flanks(c byte, before, after rune, first, last bool) (canOpen, canClose bool) {
	space := func(r rune, edge bool) bool { return edge || unicode.IsSpace(r) }
	punct := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	left := !space(after, last) && (!punct(after) || space(before, first) || punct(before))
	right := !space(before, first) && (!punct(before) || space(after, last) || punct(after))
	if c == '_' {
		return left && (!right || punct(before)), right && (!left || punct(after))
	}
	return left, right
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// closeAll closes what is open, the innermost first. What has nothing behind it
// is taken back.
func (r *markupReader) closeAll() string {
	var b strings.Builder
	linked := false
	for i := len(r.open) - 1; i >= 0; i-- {
		o := r.open[i]
		if o.at >= r.keep {
			continue
		}
		if o.end >= r.keep && r.closers == "" && b.Len() == 0 {
			r.keep = o.at
			continue
		}
		switch o.mark {
		case '[':
			if !linked && !plainBrackets(r.text[o.end:r.keep]) {
				b.WriteString("]()")
				linked = true
			}
		case '!':
			b.WriteString("]()")
		default:
			b.WriteString(strings.Repeat(string(rune(o.mark)), o.size))
		}
	}
	return b.String()
}
