package emulator

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// readGrammar reads a grammar in GBNF or Lark's notation; "::=" is what tells
// them apart.
func readGrammar(text string) (*grammar, error) {
	r := &grammarReader{lark: !strings.Contains(text, "::="), g: &grammar{rules: map[string]production{}}}
	if err := r.split(text); err != nil {
		return nil, err
	}
	for len(r.tokens) > 0 {
		if err := r.rule(); err != nil {
			return nil, err
		}
	}
	if len(r.g.rules) == 0 {
		return nil, errors.New("there are no rules")
	}
	r.g.start = "root"
	if r.lark {
		r.g.start = "start"
	}
	if _, ok := r.g.rules[r.g.start]; !ok {
		r.g.start = r.first
	}
	return r.g, r.g.measure()
}

type grammarReader struct {
	lark   bool
	g      *grammar
	tokens []grammarToken
	first  string // the first rule's name
	nested int
}

// peek is the kind of the i-th token to come, "" behind the last.
func (r *grammarReader) peek(i int) string {
	if i < len(r.tokens) {
		return r.tokens[i].kind
	}
	return ""
}

func (r *grammarReader) take() grammarToken {
	t := r.tokens[0]
	r.tokens = r.tokens[1:]
	return t
}

func (r *grammarReader) defines() string {
	if r.lark {
		return ":"
	}
	return "::="
}

// rule reads a rule or a directive.
func (r *grammarReader) rule() error {
	if r.peek(0) == "directive" {
		return r.directive(r.take().value)
	}
	for r.lark && (r.peek(0) == "?" || r.peek(0) == "!") {
		r.take() // how the tree is built, which is nothing to the text
	}
	if r.peek(0) != "name" || r.peek(1) != r.defines() {
		return fmt.Errorf("a rule is expected at “%s”", r.here())
	}
	name := r.take().value
	r.take()
	p, err := r.choices()
	if err != nil {
		return fmt.Errorf("in the rule %s: %w", name, err)
	}
	if r.first == "" {
		r.first = name
	}
	r.g.rules[name] = p
	return nil
}

func (r *grammarReader) here() string {
	if len(r.tokens) == 0 {
		return "the end"
	}
	return excerpt(r.tokens[0].value, 30)
}

// directive understands imports of Lark's common terminals. What is ignored
// between tokens need not be there.
func (r *grammarReader) directive(line string) error {
	line, _, _ = strings.Cut(line, "//")
	words := strings.FieldsFunc(line, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("(),", c) })
	switch {
	case words[0] == "%ignore":
		return nil
	case words[0] == "%import" && len(words) > 1:
		names := words[2:]
		if one, ok := strings.CutPrefix(words[1], "common."); ok {
			names = append([]string{one}, names...)
		} else if words[1] != "common" {
			break
		}
		return r.imports(names)
	}
	return fmt.Errorf("the directive “%s” is not known", excerpt(line, 40))
}

// imports defines common terminals, the last one by another name behind "->".
func (r *grammarReader) imports(names []string) error {
	for i, name := range names {
		if name == "->" {
			break
		}
		pattern, ok := map[string]string{
			"DIGIT": `[0-9]`, "INT": `[0-9]+`, "SIGNED_INT": `[+-]?[0-9]+`, "FLOAT": `[0-9]+\.[0-9]+`, "NUMBER": `[0-9]+(\.[0-9]+)?`,
			"SIGNED_NUMBER": `[+-]?[0-9]+(\.[0-9]+)?`, "LETTER": `[a-zA-Z]`, "WORD": `[a-zA-Z]+`, "CNAME": `[a-zA-Z_][a-zA-Z0-9_]*`,
			"ESCAPED_STRING": `"[a-z ]*"`, "WS": `[ \t\n]+`, "WS_INLINE": `[ \t]+`, "NEWLINE": `\n+`,
		}[name]
		if !ok {
			return fmt.Errorf("the terminal %s is not known", excerpt(name, 40))
		}
		p, err := expression(pattern)
		if err != nil {
			return err
		}
		if i+2 < len(names) && names[i+1] == "->" {
			name = names[i+2]
		}
		r.g.rules[name] = p
	}
	return nil
}

// ends tells whether what comes next ends a sequence.
func (r *grammarReader) ends() bool {
	switch r.peek(0) {
	case "", "|", ")", "]", "directive":
		return true
	case "name":
		return r.peek(1) == r.defines()
	case "?", "!":
		return r.lark && r.tokens[0].fresh
	}
	return false
}

func (r *grammarReader) choices() (production, error) {
	const deepest = 1000
	if r.nested++; r.nested > deepest {
		return nil, errors.New("it is nested too deeply")
	}
	defer func() { r.nested-- }()
	var out choices
	for {
		var s sequence
		for !r.ends() {
			p, err := r.repeated()
			if err != nil {
				return nil, err
			}
			s = append(s, p)
		}
		out = append(out, s)
		if r.peek(0) != "|" {
			break
		}
		r.take()
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

// repeated reads an item and what says how often it stands there.
func (r *grammarReader) repeated() (production, error) {
	p, err := r.item()
	for err == nil {
		switch {
		case r.peek(0) == "+":
			p = repetition{p, 1}
		case r.peek(0) == "*", r.peek(0) == "?" && !(r.lark && r.tokens[0].fresh):
			p = repetition{p, 0}
		case r.peek(0) == "times":
			digits := regexp.MustCompile(`\d+`).FindString(r.tokens[0].value)
			n, convErr := strconv.Atoi(digits)
			if convErr != nil || n > mostSteps {
				return nil, errors.New("a repetition is too long")
			}
			p = repetition{p, n}
			if r.tokens[0].value == "{0}" || strings.HasSuffix(strings.ReplaceAll(r.tokens[0].value, " ", ""), ",0}") {
				p = sequence{}
			}
		default:
			return p, nil
		}
		r.take()
	}
	return p, err
}

func (r *grammarReader) item() (production, error) {
	t := r.take()
	switch t.kind {
	case "name":
		return reference(t.value), nil
	case "text":
		return r.literal(t.value)
	case "expression":
		if t.value == "." {
			return expression(`.`)
		}
		return r.expression(t.value)
	case "(", "[":
		p, err := r.choices()
		if err != nil {
			return nil, err
		}
		if closing := map[string]string{"(": ")", "[": "]"}[t.kind]; r.peek(0) != closing {
			return nil, fmt.Errorf("%s is expected at “%s”", closing, r.here())
		}
		r.take()
		if t.kind == "[" {
			p = repetition{p, 0}
		}
		return p, nil
	}
	return nil, fmt.Errorf("“%s” is not expected", excerpt(t.value, 30))
}

// literal reads a text in quotes, or in Lark two of them with ".." between.
func (r *grammarReader) literal(quoted string) (production, error) {
	text, err := unquoteGrammar(quoted)
	if err != nil {
		return nil, err
	}
	if r.peek(0) == ".." && r.peek(1) == "text" {
		r.take()
		last, err := unquoteGrammar(r.take().value)
		if err != nil {
			return nil, err
		}
		return expression("[" + regexp.QuoteMeta(text) + "-" + regexp.QuoteMeta(last) + "]")
	}
	return expression(regexp.QuoteMeta(text))
}

// expression reads a class of GBNF or an expression of Lark between slashes.
func (r *grammarReader) expression(text string) (production, error) {
	if !r.lark {
		inner := regexp.MustCompile(`\\.|\[`).ReplaceAllStringFunc(text[1:len(text)-1], func(s string) string {
			if s == "[" {
				return `\[`
			}
			return s
		})
		return expression("[" + inner + "]")
	}
	end := strings.LastIndexByte(text, '/')
	pattern, flags := strings.ReplaceAll(text[1:end], `\/`, `/`), strings.Trim(text[end+1:], "lux")
	if flags != "" {
		pattern = "(?" + flags + ":" + pattern + ")"
	}
	return expression(pattern)
}

func expression(pattern string) (production, error) {
	if _, err := compilePattern(pattern); err != nil { // by itself: what is put around it may hide a mistake
		return nil, err
	}
	g, err := newTextGoal([]string{`\A(?:` + pattern + `)\z`}, 0, mostText)
	if err != nil {
		return nil, err
	}
	var texts terminal
	for variant := range 4 {
		text, ok := g.sample(variant)
		if !ok {
			return nil, fmt.Errorf("no text was found that matches %s", excerpt(pattern, 40))
		}
		texts = append(texts, text)
	}
	return texts, nil
}
