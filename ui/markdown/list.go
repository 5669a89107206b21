package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// listShape is what the layout of an item needs to know of its whole list, which
// a stream may lay out in parts.
type listShape struct {
	start int  // number of the first item of the whole list
	first int  // index of the first item of this part
	count int  // items in the whole list
	loose bool // its items are apart
}

// digits is the width of the widest number.
func (l listShape) digits() int { return len(strconv.Itoa(l.start + max(l.count, 1) - 1)) }

// bullets are the markers by depth.
var bullets = [...]string{"• ", "◦ ", "▪ "}

// list lays out a list, or a part of one.
func (p *printer) list(n *ast.List, shape listShape) {
	p.listItems(n.FirstChild(), n, shape, -1)
}

// listItems lays out at most max items (all if negative) from one on.
func (p *printer) listItems(item ast.Node, n *ast.List, shape listShape, limit int) {
	outer := p.text
	p.text = p.style.list.over(p.text)
	if !n.IsOrdered() {
		p.depth++
		defer func() { p.depth-- }()
	}
	some := false
	for i := shape.first; item != nil && limit != 0; item, i, limit = item.NextSibling(), i+1, limit-1 {
		marker := p.marker(n, shape, i)
		check := p.checkbox(item)
		if check != "" && !n.IsOrdered() {
			marker = ""
		}
		some = p.next(some && shape.loose, func() { p.listItem(item, n, marker+check, shape.loose) }) || some
	}
	p.text = outer
}

// marker is what the item with the index i begins with.
func (p *printer) marker(n *ast.List, shape listShape, i int) string {
	if !n.IsOrdered() {
		if p.style.bullet != "" {
			return p.style.bullet
		}
		return bullets[(p.depth-1)%len(bullets)]
	}
	number := strconv.Itoa(shape.start + i)
	suffix := p.style.enumSuffix
	if suffix == ". " {
		suffix = string(n.Marker) + " "
	}
	return strings.Repeat(" ", max(shape.digits()-len(number), 0)) + number + suffix
}

// checkbox is the box of a task, "" for other items.
func (p *printer) checkbox(item ast.Node) string {
	if b := item.FirstChild(); b != nil {
		if box, ok := b.FirstChild().(*east.TaskCheckBox); ok {
			if box.IsChecked {
				return p.style.ticked
			}
			return p.style.unticked
		}
	}
	return ""
}

// listItem lays out one item. One without content still shows its marker.
func (p *printer) listItem(item ast.Node, n *ast.List, marker string, loose bool) {
	l := p.style.item
	if n.IsOrdered() {
		l = p.style.enumeration
	}
	marked := pen{fg: l.over(p.text).fg, attr: l.on}
	w := textWidth(marker)
	first := string(appendSGR(nil, pen{}, marked)) + strings.TrimRight(marker, " ") + string(appendSGR(nil, marked, pen{}))
	first += marker[len(strings.TrimRight(marker, " ")):]
	pop := p.push(first, strings.Repeat(" ", w), w)
	before := len(p.lines)
	p.blocks(item, !loose)
	if len(p.lines) == before {
		p.begin()
		at := p.base + max(item.Pos(), 0)
		p.end(at, at+lineLength(p.src, max(item.Pos(), 0)), false)
	}
	pop()
}
