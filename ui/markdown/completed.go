package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// completed returns the open blocks with what is half-typed at their end taken
// back, when it may yet become one thing or another, or completed, when it is
// clear what it becomes: so nothing is shown for a moment that is gone with the
// next piece of text. b is the source that doc was parsed from.
func (m *Stream) completed(doc ast.Node, b []byte) (ast.Node, []byte) {
	if held := holdBack(doc, b); len(held) < len(b) {
		b = held
		doc, _ = parse(m.style.parser, b, m.known)
	}
	done, changed := b, false
	leaf := lastLeaf(doc)
	if at, ok := inlineStart(leaf, b); ok {
		if keep, closers := unfinished(b[at:]); closers != "" || keep < len(b)-at {
			done, changed = append(bytes.Clone(b[:at+keep]), closers...), true
		}
	}
	switch leaf.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		if endsBlank(b) {
			break
		}
		if header := completeHeader(done); header != nil {
			done, changed = header, true
		}
	}
	if changed {
		doc, _ = parse(m.style.parser, done, m.known)
	}
	return doc, done
}

// holdBack leaves out the last line while it may become many things.
func holdBack(doc ast.Node, b []byte) []byte {
	start := bytes.LastIndexByte(b, '\n') + 1
	line := b[start:]
	switch n := lastLeaf(doc).(type) {
	case *ast.FencedCodeBlock:
		marks := bytes.Trim(line, " \t>")
		if n.Pos() >= start || len(marks) > 0 && len(fenceMark(marks)) == len(marks) {
			return b[:start]
		}
	case *ast.CodeBlock, *ast.HTMLBlock, *mathBlock:
	default:
		if undecided(line) {
			return b[:start]
		}
	}
	return b
}

// undecided tells whether an incomplete line may still open different blocks, or
// turn the paragraph above into a heading.
func undecided(line []byte) bool {
	at := contentStart(line)
	rest := bytes.TrimRight(line[at:], " \t")
	switch string(rest) {
	case "":
		return at > 0 && len(bytes.TrimSpace(line)) > 0
	case "+", "|", "<", "<!", "<!-", "</", "!", "[", "![", `\`:
		return true
	case "[x", "[X", "[ ]", "[x]", "[X]":
		return len(bytes.Trim(line[:at], " \t>")) > 0
	}
	if n := markerLength(rest); n == len(rest) || n == 0 && len(rest) <= 9 && len(bytes.Trim(rest, "0123456789")) == 0 {
		return true
	}
	return bytes.IndexByte([]byte("-=*_#~`>"), rest[0]) >= 0 && len(bytes.Trim(rest, string(rest[:1]))) == 0
}

// contentStart is the offset in a line of what is behind the marks of quotes and
// list items.
func contentStart(line []byte) int {
	at := 0
	for {
		at += len(line[at:]) - len(bytes.TrimLeft(line[at:], " \t>"))
		n := markerLength(line[at:])
		if n == 0 || at+n >= len(line) || line[at+n] != ' ' && line[at+n] != '\t' {
			return at
		}
		at += n
	}
}

// markerLength is the length of the marker of a list item, 0 if there is none.
func markerLength(s []byte) int {
	if len(s) == 0 {
		return 0
	}
	if s[0] == '-' || s[0] == '+' || s[0] == '*' {
		return 1
	}
	n := len(s) - len(bytes.TrimLeft(s, "0123456789"))
	if n == 0 || n > 9 || n == len(s) || s[n] != '.' && s[n] != ')' {
		return 0
	}
	return n + 1
}

// inlineStart is the offset where the text of the last block begins if that text
// may go on.
func inlineStart(leaf ast.Node, b []byte) (int, bool) {
	complete := b == nil || len(b) == 0 || b[len(b)-1] == '\n'
	switch n := leaf.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		if endsBlank(b) {
			return 0, false
		}
	case *ast.Heading:
		if complete {
			return 0, false
		}
	case *east.TableCell:
		if _, header := n.Parent().(*east.TableHeader); header || complete || bytes.HasSuffix(bytes.TrimRight(b, " \t"), []byte("|")) {
			return 0, false
		}
		for leaf.Lines().Len() == 0 {
			if leaf = leaf.PreviousSibling(); leaf == nil {
				return 0, false
			}
		}
	default:
		return 0, false
	}
	if leaf.Lines().Len() == 0 {
		return 0, false
	}
	at := leaf.Lines().At(0).Start
	return at, at < len(b)
}

// endsBlank tells whether a text ends with a blank line, as the marks of quotes
// leave it.
func endsBlank(b []byte) bool {
	b = bytes.TrimRight(b, " \t>")
	if !bytes.HasSuffix(b, []byte("\n")) {
		return len(b) == 0
	}
	return bytes.HasSuffix(bytes.TrimRight(b[:len(b)-1], " \t>"), []byte("\n"))
}

// completeHeader gives the header of a table, when that is what the last line
// looks like, the line below it. It returns nil if it is none.
func completeHeader(b []byte) []byte {
	b = bytes.TrimRight(b, "\n")
	start := bytes.LastIndexByte(b, '\n') + 1
	last := b[start:]
	at := contentStart(last)
	if at == len(last) || last[at] != '|' {
		return nil
	}
	var above []byte
	if start > 0 {
		above = b[bytes.LastIndexByte(b[:start-1], '\n')+1 : start-1]
		above = above[contentStart(above):]
	}
	header := len(above) > 0 && above[0] == '|'
	if len(bytes.Trim(last[at:], "|:- \t")) > 0 {
		if header {
			return nil // no line of the kind is below the first one
		}
		out := append(bytes.Clone(b), '\n')
		for _, c := range last[:at] {
			if c != '>' {
				c = ' '
			}
			out = append(out, c)
		}
		return append(out, headerLine(last[at:])...)
	}
	if !header {
		return b[:start]
	}
	return append(bytes.Clone(b[:start+at]), headerLine(above)...)
}

// headerLine is the line below the header of a table.
func headerLine(header []byte) string {
	header = bytes.Trim(header, " \t")
	header = bytes.TrimPrefix(header, []byte("|"))
	if bytes.HasSuffix(header, []byte("|")) && !bytes.HasSuffix(header, []byte(`\|`)) {
		header = header[:len(header)-1]
	}
	columns := 1 + bytes.Count(header, []byte("|")) - bytes.Count(header, []byte(`\|`))
	return "|" + string(bytes.Repeat([]byte("---|"), columns))
}
