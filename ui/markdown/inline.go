package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inliner turns inline nodes into a flow.
type inliner struct {
	flow
	inCell bool // of a table: there are no rows for formulas
	style  *Style
	src    []byte
	base   int // offset of src in the whole source
	at     int // where in the whole source the block or the link being added begins
}

// begin starts the flow of a block.
func (in *inliner) begin(n ast.Node) {
	in.reset()
	in.at = in.base + max(n.Pos(), 0)
}

// inline adds the children of a node to the flow.
func (in *inliner) inline(n ast.Node, p pen, link string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in.pen(p, link)
		switch v := c.(type) {
		case *ast.Text:
			in.textNode(v)
		case *math:
			in.formula(v)
		case *noteRef:
			in.noteRef(v, p, link)
		case *ast.CodeSpan:
			in.around(in.style.code, p, link, func(pen) { in.raw(v) })
		case *ast.Emphasis:
			l := in.style.emph
			if v.Level > 1 {
				l = in.style.strong
			}
			in.around(l, p, link, func(p pen) { in.inline(v, p, link) })
		case *east.Strikethrough:
			in.around(in.style.strike, p, link, func(p pen) { in.inline(v, p, link) })
		case *ast.Link:
			in.link(v, p)
		case *ast.AutoLink:
			in.autoLink(v, p)
		case *ast.Image:
			in.image(v, p)
		case *ast.RawHTML:
			in.html(v, p, link)
		case *east.TaskCheckBox: // drawn as the marker of its item
		default:
			in.inline(c, p, link)
		}
	}
}

// around adds what a look puts before and after its text, and the text.
func (in *inliner) around(l look, p pen, link string, body func(pen)) {
	inner := l.over(p)
	in.pen(inner, link)
	in.decorate(l.before)
	at := len(in.text)
	body(inner)
	if l.letters != nil {
		in.change(at, l.letters)
	}
	in.pen(inner, link)
	in.decorate(l.after)
	in.pen(p, link)
}

// decorate adds text that is not in the source.
func (in *inliner) decorate(s string) {
	at := in.at
	if n := len(in.maps); n > 0 {
		at = max(at, in.maps[n-1].end)
	}
	in.atom(s, at, at)
}

// change maps the letters of the text from at on, which keeps only the range of
// the source it came from.
func (in *inliner) change(at int, letters func(string) string) {
	if at == len(in.text) {
		return
	}
	start, end := in.source(at, len(in.text))
	s := letters(string(in.text[at:]))
	for len(in.maps) > 0 && in.maps[len(in.maps)-1].at >= at {
		in.maps = in.maps[:len(in.maps)-1]
	}
	in.text = in.text[:at]
	in.atom(s, start, end)
	for i := range in.runs {
		in.runs[i].at = min(in.runs[i].at, max(at, len(in.text)))
	}
}

// textNode adds ordinary text: escapes and entities are resolved, a line break
// of the source is a space, except between characters of scripts without spaces.
func (in *inliner) textNode(t *ast.Text) {
	seg := t.Segment
	if seg.Padding > 0 {
		in.decorate(strings.Repeat(" ", seg.Padding))
	}
	in.unescape(in.src[seg.Start:seg.Stop], in.base+seg.Start)
	switch {
	case t.HardLineBreak():
		in.atom("\n", in.base+seg.Stop, in.base+seg.Stop)
	case t.SoftLineBreak():
		rest := in.src[seg.Stop:]
		if before, _ := utf8.DecodeLastRune(in.text); unspaced(before) {
			if after, _ := utf8.DecodeRune(bytes.TrimLeft(rest, " \t\n")); unspaced(after) {
				return
			}
		}
		in.atom(" ", in.base+seg.Stop, in.base+seg.Stop+min(1, len(rest)))
	}
}

// unspaced tells whether r belongs to a script that puts no spaces between words.
func unspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r >= 0xff01 && r <= 0xff5e
}

// unescape adds source text with backslash escapes and entities resolved.
func (in *inliner) unescape(s []byte, at int) {
	for {
		i := bytes.IndexAny(s, `\&`)
		if i < 0 || i+1 >= len(s) {
			in.add(s, at, "    ")
			return
		}
		switch {
		case s[i] == '\\' && util.IsPunct(s[i+1]):
			in.add(s[:i], at, "    ")
			in.atom(string(s[i+1]), at+i, at+i+2)
			s, at = s[i+2:], at+i+2
		case s[i] == '&':
			if text, n := entity(s[i:]); n > 0 {
				in.add(s[:i], at, "    ")
				var clean flow
				clean.add([]byte(text), 0, " ")
				in.atom(strings.ReplaceAll(string(clean.text), "\n", " "), at+i, at+i+n)
				s, at = s[i+n:], at+i+n
				continue
			}
			fallthrough
		default:
			in.add(s[:i+1], at, "    ")
			s, at = s[i+1:], at+i+1
		}
	}
}

// entity returns what the HTML entity at the beginning of s stands for, and its
// length, 0 if there is none.
func entity(s []byte) (string, int) {
	end := bytes.IndexByte(s[:min(len(s), 40)], ';')
	if end < 2 {
		return "", 0
	}
	body := s[1:end]
	if body[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(string(body)); ok {
			return string(e.Characters), end + 1
		}
		return "", 0
	}
	if resolved := util.ResolveNumericReferences(s[:end+1]); !bytes.Equal(resolved, s[:end+1]) {
		return string(resolved), end + 1
	}
	return "", 0
}

// raw adds the text of a code span or a formula as it is.
func (in *inliner) raw(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			in.segment(t.Segment.Start, t.Segment.Stop)
		}
	}
}

// segment adds a stretch of source as it is, line breaks as spaces.
func (in *inliner) segment(start, stop int) {
	from := len(in.text)
	in.add(in.src[start:stop], in.base+start, "    ")
	for i := from; i < len(in.text); i++ {
		if in.text[i] == '\n' {
			in.text[i] = ' '
		}
	}
}
