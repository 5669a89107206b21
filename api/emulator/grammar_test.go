package emulator

import (
	"regexp"
	"strings"
	"testing"
)

const qwen = `"model":"Qwen3.8-27B"`

func TestRegexConstrainsTheAnswer(t *testing.T) {
	run := start(t, Options{})
	for _, re := range []string{`^(yes|no)$`, `[a-f0-9]{8}`, `\d+\.\d\s?(kg|lb)`, `^[^x]*$`, `\w+@example\.(com|org)`, `.`, `a|bc`, `(?i)ja`, `\u00e9+`, `[^\x00-\x7f]{2}`, `x{3,}y*`, `(a|b)+c?`} {
		for range 3 {
			c := run.complete(t, "go", qwen, `"regex":`+string(encode(re)))
			if !regexp.MustCompile(`\A(?:` + strings.ReplaceAll(re, `\u00e9`, "é") + `)\z`).MatchString(c.Message.Content) {
				t.Errorf("%s gives %q", re, c.Message.Content)
			}
		}
	}
	for _, re := range []string{`(`, `a(?=b)`, `a\bb`, ``, `x$y`, `)(`} {
		a := run.post(t, question("go", qwen, `"regex":`+string(encode(re))))
		if e := a.envelope(t).Error; a.status != 400 || e.Code != "unsupported_value" || e.Param != "regex" {
			t.Errorf("%s: %d %s", re, a.status, a.body)
		}
	}
}

func grammarField(text string) string {
	return `"response_format":{"type":"grammar","grammar":` + string(encode(text)) + `}`
}

func TestGrammarConstrainsTheAnswer(t *testing.T) {
	run := start(t, Options{})
	for grammar, want := range map[string]string{
		`root ::= "yes" | "no"`: `yes|no`,
		"# sums\nroot ::= term (op term)*\nop ::= [-+*/]\nterm ::= [0-9]+ |\n  \"(\" root \")\"\n": `[0-9()+*/-]+`,
		`root ::= "a"{3} 'b'? ws [^"\\] "\n" [\x41-\x43] [\u00e9]` + "\nws ::= [ \\t]*":            `aaab?[ \t]*[^"\\]\n[A-C]é`,
		`root ::= "\"" [a-z]{2,5} "\"" .`:                          `"[a-z]{2,5}".`,
		`root ::= item ("," item)* item-2 ::= "x" item ::= item-2`: `x(,x)*`,
		"start: greeting \" \" NAME -> hello\n  | \"bye\"\n?greeting: \"hi\" | \"hello\"\nNAME.2: /[A-Z][a-z]+/ // a name\n":   `(hi|hello) [A-Z][a-z]+|bye`,
		"%import common.INT\n%import common (WORD, WS)\n%import common.WS -> SPACE\n%ignore WS\nstart: INT [\",\" WORD] SPACE": `[0-9]+(,[a-z]+)?\s+`,
		`start: "a".."c" /x\/y/i ("z" "w")~2 "q"*`: `[a-c](?i:x/y)zwzwq*`,
		`first: second` + "\n" + `second: "2"`:     `2`,
		`root ::= root "a" | "b"`:                  `ba*`,
	} {
		for range 4 {
			c := run.complete(t, "go", qwen, grammarField(grammar))
			if !regexp.MustCompile(`\A(?:`+want+`)\z`).MatchString(c.Message.Content) || c.Finish != "stop" {
				t.Errorf("%s\ngives %q", grammar, c.Message.Content)
			}
		}
	}
	if c := run.complete(t, "go", qwen, `"response_format":{"type":"grammar","syntax":"lark","definition":"start: \"ok\""}`); c.Message.Content != "ok" {
		t.Errorf("definition: %q", c.Message.Content)
	}
}

func TestUnusableGrammarsAreRefused(t *testing.T) {
	run := start(t, Options{})
	for _, format := range []string{
		`"response_format":{"type":"grammar"}`, `"response_format":{"type":"grammar","grammar":null}`, grammarField(" \n"),
		grammarField(`no rule at all`), grammarField(`root ::= other`), grammarField(`root ::= "a" root`), grammarField(`root ::= ("a"`),
		grammarField(`root ::= "open`), grammarField(`root ::= [z-a]`), grammarField(`root ::= ) "a"`), grammarField(`start: /a(?=b)/`),
		grammarField("%import python.NAME\nstart: NAME"), grammarField("%declare X\nstart: X"), grammarField(`root ::= "a"{99999999}`),
		grammarField(`root ::= ` + strings.Repeat("(", 2000) + `"a"` + strings.Repeat(")", 2000)), grammarField("# only a remark"),
	} {
		a := run.post(t, question("go", qwen, format))
		if e := a.envelope(t).Error; a.status != 400 || e.Code != "unsupported_value" || e.Param != "response_format.grammar" {
			t.Errorf("%.200s: %d %s", format, a.status, a.body)
		}
	}
	if a := run.post(t, question("go", qwen, `"response_format":{"type":"grammar","grammar":7}`)); a.status != 422 {
		t.Errorf("a number: %d %s", a.status, a.body)
	}
	wide := "root ::= a a a a a a a a\n"
	for i := range 8 {
		name, next := string(rune('a'+i)), string(rune('b'+i))
		wide += name + " ::= " + strings.Repeat(next+" ", 8) + "\n"
	}
	if a := run.post(t, question("go", qwen, grammarField(wide+`i ::= "x"`))); a.status != 400 || a.envelope(t).Error.Code != "model_request_rejected" {
		t.Errorf("too long: %d %.200s", a.status, a.body)
	}
}

// Reading any text ends, and so does deriving from it.
func FuzzGrammarIsReadOrRefused(f *testing.F) {
	f.Add(`root ::= "a" | [b-d]* root`)
	f.Add("start: A -> x\nA: /a+/ | \"b\"..\"c\"\n%ignore A")
	f.Add(`root ::= "a"{2,3} ("b" | )+`)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := readGrammar(text)
		if err != nil {
			return
		}
		if text, _ := g.sample(1); len(text) > 2*mostText {
			t.Errorf("%d bytes", len(text))
		}
	})
}
