package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Link is a link of a text, for opening.
type Link struct {
	Text   string // what the reader sees of it, without markup; the address for a bare one
	Target string // its address as written, of any scheme, "mailto:" before a bare e-mail address
}

// Links returns the links of a text in order, images and bare addresses too, each
// target once. What stands in code is no link.
func Links(src string) []Link {
	b := []byte(src)
	normalize(b)
	doc, _ := parse(newParser(maxParagraph), b, nil)
	in := inliner{style: &Style{imageFormat: "{{.text}}"}, src: b}
	var links []Link
	seen := map[string]bool{}
	add := func(n ast.Node, target string) {
		if target == "" || seen[target] {
			return
		}
		seen[target] = true
		in.begin(n)
		if auto, ok := n.(*ast.AutoLink); ok {
			in.text = append(in.text, auto.Label(b)...)
		} else {
			in.inline(n, pen{}, "")
		}
		links = append(links, Link{Text: strings.TrimSpace(string(in.text)), Target: target})
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch v := n.(type) {
		case *ast.Link:
			add(n, string(v.Destination))
		case *ast.Image:
			add(n, string(v.Destination))
		case *ast.AutoLink:
			add(n, autoTarget(v, b))
		}
		return ast.WalkContinue, nil
	})
	return links
}

// autoTarget is what a bare address leads to.
func autoTarget(n *ast.AutoLink, src []byte) string {
	dest := string(n.URL(src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
		return "mailto:" + dest
	}
	return dest
}
