package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unicodeMath writes a formula in Unicode as far as that goes: symbols, small
// digits and letters, fractions and roots on one line. What it does not know
// stays as it was written. Lines of the formula are lines of the result; those
// that go on where they are aligned are indented up to there in the first.
func unicodeMath(tex string) string {
	t := texReader{s: tex}
	lines := strings.Split(strings.Trim(t.until(""), " \n"), "\n")
	column := 2
	for i, line := range lines {
		before, _, ok := strings.Cut(line, alignMark)
		lines[i] = strings.TrimSpace(line)
		if !ok {
			continue
		}
		before, lines[i] = oneSpaced(before), oneSpaced(line)
		switch {
		case i == 0 && before == "":
			column = 0
		case i == 0:
			column = textWidth(before) + 1
		case before == "":
			lines[i] = spaces(column) + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// alignMark stands for the sign that the lines of a formula are aligned at.
const alignMark = "\t"

// oneSpaced is a line with one space where there are some.
func oneSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// texReader reads a formula.
type texReader struct {
	s     string
	at    int
	depth int
}

// texDepth is how deep groups are read; what is deeper stays as it was written.
const texDepth = 40

// until reads up to a token, which is read too, or to the end.
func (t *texReader) until(stop string) string {
	var out strings.Builder
	if t.depth++; t.depth > texDepth {
		defer func() { t.at = len(t.s) }()
		return t.s[t.at:]
	}
	defer func() { t.depth-- }()
	for t.at < len(t.s) {
		if stop != "" && strings.HasPrefix(t.s[t.at:], stop) {
			t.at += len(stop)
			break
		}
		join(&out, t.token())
	}
	return out.String()
}

// join appends a piece. The spaces around a piece are at least one, and only one.
func join(out *strings.Builder, piece string) {
	if strings.HasPrefix(piece, " ") {
		if s := out.String(); s == "" || strings.HasSuffix(s, " ") || strings.HasSuffix(s, "\n") {
			piece = piece[1:]
		}
	}
	out.WriteString(piece)
}

// token reads the next token with what it applies to.
func (t *texReader) token() string {
	c := t.s[t.at]
	switch c {
	case '\\':
		return t.command()
	case '{':
		t.at++
		return t.until("}")
	case '^', '_':
		t.at++
		return t.script(c)
	case '&':
		t.at++
		return alignMark
	case '~', ' ', '\t', '\n', '\r':
		t.at++
		return " "
	case '\'':
		t.at++
		return "′"
	}
	_, size := utf8.DecodeRuneInString(t.s[t.at:])
	t.at += size
	return t.s[t.at-size : t.at]
}

// argument reads what a command or a script applies to: a group or one token.
func (t *texReader) argument() string {
	for t.at < len(t.s) && isSpace(t.s[t.at]) {
		t.at++
	}
	if t.at >= len(t.s) {
		return ""
	}
	if t.depth > texDepth {
		return t.until("")
	}
	t.depth++
	defer func() { t.depth-- }()
	return strings.TrimSpace(t.token())
}

// option reads an argument in square brackets, "" if there is none.
func (t *texReader) option() string {
	if t.at >= len(t.s) || t.s[t.at] != '[' {
		return ""
	}
	end := strings.IndexByte(t.s[t.at:], ']')
	if end < 0 {
		return ""
	}
	inner := texReader{s: t.s[t.at+1 : t.at+end], depth: t.depth}
	t.at += end + 1
	return inner.until("")
}

// script reads a superscript or subscript.
func (t *texReader) script(c byte) string {
	grouped := t.at < len(t.s) && t.s[t.at] == '{'
	arg := t.argument()
	table := superscripts
	if c == '_' {
		table = subscripts
	}
	if s, ok := script(arg, table); ok {
		return s
	}
	if c == '^' {
		switch arg {
		case "∘", "°":
			return "°"
		case "′", "″", "†", "‡":
			return arg
		}
	}
	if grouped && utf8.RuneCountInString(arg) != 1 {
		return string(c) + "{" + arg + "}"
	}
	return string(c) + arg
}

// command reads a command with its arguments.
func (t *texReader) command() string {
	start := t.at
	t.at++
	for t.at < len(t.s) && isLetter(t.s[t.at]) {
		t.at++
	}
	if t.at == start+1 { // a command that is one other character
		if t.at == len(t.s) {
			return `\`
		}
		_, size := utf8.DecodeRuneInString(t.s[t.at:])
		t.at += size
		return texSign(t.s[start+1 : t.at])
	}
	name := t.s[start+1 : t.at]
	if sign, ok := lookUp(texRelations, name); ok {
		t.skipSpace()
		return " " + sign + " "
	}
	if sign, ok := lookUp(texSigns, name); ok {
		if name == "partial" || name == "nabla" || name == "neg" {
			t.skipSpace()
		}
		return sign
	}
	if strings.Contains(texNames, " "+name+" ") {
		if t.at < len(t.s) && t.s[t.at] == '\\' {
			return name + " "
		}
		return name
	}
	if out, ok := t.apply(name); ok {
		return out
	}
	t.at = start + 1 + len(name)
	out := t.s[start:t.at]
	for t.at < len(t.s) && t.s[t.at] == '{' {
		t.at++
		out += "{" + t.until("}") + "}"
	}
	return out
}

// skipSpace skips the space that ends the name of a command.
func (t *texReader) skipSpace() {
	for t.at < len(t.s) && isSpace(t.s[t.at]) {
		t.at++
	}
}

// texSign is what a backslash with another character than a letter stands for.
func texSign(s string) string {
	switch s {
	case `\`:
		return "\n"
	case ",", ":", ";", ">", " ":
		return " "
	case "!":
		return ""
	case "|":
		return "‖"
	case "{", "}", "$", "%", "&", "#", "_":
		return s
	}
	return `\` + s
}

// apply reads the arguments of a command that has some. It tells false when the
// command is not known.
func (t *texReader) apply(name string) (string, bool) {
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		over := operand(t.argument(), false)
		return over + "/" + operand(t.argument(), true), true
	case "sqrt":
		root := t.option()
		return rootSign(root) + operand(t.argument(), true), true
	case "text", "textbf", "textit", "textrm", "texttt", "mbox", "operatorname":
		return t.plain()
	case "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "boldsymbol", "bm", "boxed", "displaystyle", "textstyle", "limits", "nolimits":
		if strings.HasSuffix(name, "style") || strings.HasSuffix(name, "limits") {
			t.skipSpace()
			return "", true
		}
		return t.argument(), true
	case "mathbb", "mathcal", "mathscr", "mathfrak":
		return letters(t.argument(), name), true
	case "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "middle":
		t.skipSpace()
		if t.at < len(t.s) && t.s[t.at] == '.' {
			t.at++
		}
		return "", true
	case "begin":
		return t.environment()
	}
	if accent, ok := lookUp(texAccents, name); ok {
		start := t.at
		if arg := t.argument(); utf8.RuneCountInString(arg) == 1 {
			return arg + accent, true
		}
		t.at = start
	}
	return "", false
}

// plain reads a group of text, which is no mathematics.
func (t *texReader) plain() (string, bool) {
	if t.at >= len(t.s) || t.s[t.at] != '{' {
		return "", false
	}
	depth := 0
	for i := t.at; i < len(t.s); i++ {
		switch t.s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				s := t.s[t.at+1 : i]
				t.at = i + 1
				return strings.ReplaceAll(s, `\ `, " "), true
			}
		}
	}
	return "", false
}

// operand puts brackets around what would not hold together: sums, and products
// too if it is to be tight.
func operand(s string, tight bool) string {
	if utf8.RuneCountInString(s) < 2 || bracketed(s) {
		return s
	}
	digits, word := true, true
	letters := 0
	for _, r := range s {
		digit := r >= '0' && r <= '9' || r == '.'
		digits = digits && digit
		if unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lo) || digit || r == '∞' {
			letters++
		} else if !unicode.In(r, unicode.No, unicode.Lm, unicode.M) && r != '′' && r != '∂' && r != '∇' {
			word = false
		}
	}
	if digits || word && (!tight || letters == 1) {
		return s
	}
	return "(" + s + ")"
}

// bracketed tells whether a pair of brackets is around all of a text.
func bracketed(s string) bool {
	if s[0] != '(' {
		return false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// rootSign is the sign of a root.
func rootSign(degree string) string {
	switch degree {
	case "", "2":
		return "√"
	case "3":
		return "∛"
	case "4":
		return "∜"
	}
	if s, ok := script(degree, superscripts); ok {
		return s + "√"
	}
	return "root[" + degree + "]"
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// environment reads what stands between \begin and \end.
func (t *texReader) environment() (string, bool) {
	name, ok := t.plain()
	if !ok {
		return "", false
	}
	if name = strings.TrimSuffix(name, "*"); name == "array" {
		t.argument() // how the columns are aligned
	}
	end := `\end{`
	body := t.until(end)
	if i := strings.IndexByte(t.s[t.at:], '}'); i >= 0 {
		t.at += i + 1
	}
	lines := strings.Split(strings.Trim(body, " \n"), "\n")
	aligned := strings.Join(lines, "\n")
	for i := range lines {
		lines[i] = oneSpaced(lines[i])
	}
	rows := strings.Join(lines, "; ")
	switch name {
	case "matrix", "array", "smallmatrix":
		return rows, true
	case "pmatrix":
		return "(" + rows + ")", true
	case "bmatrix":
		return "[" + rows + "]", true
	case "Bmatrix":
		return "{" + rows + "}", true
	case "vmatrix":
		return "|" + rows + "|", true
	case "Vmatrix":
		return "‖" + rows + "‖", true
	case "cases":
		return "{ " + rows, true
	}
	return aligned, true
}
