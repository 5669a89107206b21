package markdown

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"

	"waferchat/ui/untrusted"
)

// linkMax is the longest target that becomes a hyperlink, in bytes: terminals
// drop longer ones.
const linkMax = 2000

// hyperlink returns the target as it may stand in an OSC 8 sequence, or "" when
// a terminal could not open it. The schemes are those a reader expects a click
// to open; none of them runs anything.
func hyperlink(dest string) string {
	scheme, _, ok := strings.Cut(dest, ":")
	if !ok || len(dest) > linkMax {
		return ""
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "ftp":
	default:
		return ""
	}
	var b strings.Builder
	for i := range len(dest) {
		if c := dest[i]; c <= ' ' || c >= 0x7f {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// link adds a link: its text, and its target in sight when no click reaches it
// or when the text pretends to be another one.
func (in *inliner) link(n *ast.Link, p pen) {
	dest := string(n.Destination)
	target := in.target(dest)
	at := len(in.text)
	in.around(in.style.linkText, p, target, func(p pen) { in.inline(n, p, target) })
	shown := string(in.text[at:])
	if dest != "" && shown != dest && "mailto:"+shown != dest && (target == "" || misleading(shown, dest)) {
		in.pen(p, "")
		if shown != "" {
			in.decorate(" ")
		}
		in.pen(in.style.link.over(p), target)
		in.address(dest, n.Destination)
	}
	in.pen(p, "")
}

// target is the hyperlink to an address, "" if there is to be none.
func (in *inliner) target(dest string) string {
	if in.style.unlinked {
		return ""
	}
	return hyperlink(dest)
}

// address shows the address of a link or image in brackets; it stands for what
// follows the text of the link in the source.
func (in *inliner) address(dest string, raw []byte) {
	at := in.at
	if n := len(in.maps); n > 0 {
		at = max(at, in.maps[n-1].end)
	}
	in.atom(untrusted.Line("("+shorten(dest)+")"), at, at+in.tailLength(at-in.base, raw))
}

// tailLength is the length of "](address)" at an offset, 0 if something else is
// there.
func (in *inliner) tailLength(at int, raw []byte) int {
	if at < 0 || at > len(in.src) {
		return 0
	}
	tail := in.src[at:][:lineLength(in.src, at)]
	open := bytes.Index(tail, []byte("]("))
	if open < 0 {
		return 0
	}
	i := bytes.Index(tail[open:], raw)
	if i < 0 {
		return 0
	}
	end := open + i + len(raw)
	if j := bytes.IndexByte(tail[end:], ')'); j >= 0 {
		return end + j + 1
	}
	return 0
}

// misleading tells whether the text of a link looks like an address whose host
// is not the one that the link goes to.
func misleading(shown, dest string) bool {
	shown = strings.TrimSpace(shown)
	if strings.HasPrefix(strings.ToLower(shown), "www.") {
		shown = "http://" + shown
	}
	if !strings.Contains(shown, "://") {
		return false
	}
	a, err := url.Parse(shown)
	b, err2 := url.Parse(dest)
	return err != nil || err2 != nil || !strings.EqualFold(a.Host, b.Host)
}

// shorten leaves the data out of a data URI.
func shorten(dest string) string {
	if len(dest) > 80 && strings.HasPrefix(strings.ToLower(dest), "data:") {
		kind, _, _ := strings.Cut(dest[:80], ",")
		return kind + ",…"
	}
	return dest
}

// autoLink adds a bare address.
func (in *inliner) autoLink(n *ast.AutoLink, p pen) {
	label := n.Label(in.src)
	at := max(n.Pos(), 0)
	at += max(bytes.Index(in.src[at:], label), 0)
	in.around(in.style.link, p, in.target(autoTarget(n, in.src)), func(pen) { in.add(label, in.base+at, " ") })
}

// image adds an image as text: its description and its address.
func (in *inliner) image(n *ast.Image, p pen) {
	dest := string(n.Destination)
	target := in.target(dest)
	in.at = max(in.at, in.base+n.Pos())
	p = in.style.image.over(p)
	before, after, _ := strings.Cut(in.style.imageFormat, "{{.text}}")
	in.pen(p, target)
	in.decorate(before)
	at := len(in.text)
	in.inline(n, p, target)
	in.pen(p, target)
	in.decorate(after)
	if dest != "" && string(in.text[at:]) != dest {
		if len(in.text) > at {
			in.decorate(" ")
		}
		in.address(dest, n.Destination)
	}
	in.pen(p, "")
}
