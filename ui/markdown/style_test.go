package markdown

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/glamour/v2/ansi"
)

func TestSGRGoesFromOneLookToTheNext(t *testing.T) {
	red, blue := pen{fg: parseColor("#ff0000")}, pen{fg: parseColor("4"), bg: parseColor("#00f"), attr: bold | underline}
	for _, c := range []struct {
		from, to pen
		want     string
	}{
		{pen{}, pen{}, ""},
		{pen{}, red, "\x1b[38;2;255;0;0m"},
		{red, pen{}, "\x1b[m"},
		{red, blue, "\x1b[1;4;38;5;4;48;2;0;0;255m"},
		{blue, red, "\x1b[0;38;2;255;0;0m"},
		{red, pen{fg: red.fg, attr: italic}, "\x1b[3m"},
		{pen{attr: crossed}, pen{attr: faint}, "\x1b[0;2m"},
	} {
		if got := string(appendSGR(nil, c.from, c.to)); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func TestColours(t *testing.T) {
	for in, want := range map[string]color{
		"": 0, "252": colorIndexed | 252, "#abc": colorRGB | 0xaabbcc, "#010203": colorRGB | 0x010203,
		"256": 0, "-1": 0, "#12": 0, "#12345g": 0, "red": 0,
	} {
		if got := parseColor(in); got != want {
			t.Errorf("parseColor(%q) = %x, want %x", in, got, want)
		}
	}
}

func TestGlamourStyles(t *testing.T) {
	src := readTestdata(t, "answer.md")
	for _, name := range []string{"dark", "light", "notty", "ascii", "pink", "dracula", "tokyo-night", "auto"} {
		s, err := LoadStyle(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := Render(src, 60, s)
		checkLines(t, src, 60, lines)
		colours := strings.Contains(fmt.Sprint(lines), "[38;")
		if want := name != "notty" && name != "ascii"; colours != want {
			t.Errorf("%s has colours: %v", name, colours)
		}
	}
	if _, err := LoadStyle("drak", nil); err == nil || !strings.Contains(err.Error(), "dark, dracula") {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := LoadStyle("my.json", []byte(`{"h1": {"prefix": 3}}`)); err == nil || !strings.Contains(err.Error(), "my.json") {
		t.Errorf("broken JSON: %v", err)
	}
}

func TestAStyleFileIsHonoured(t *testing.T) {
	s, err := LoadStyle("x", []byte(`{
		"document": {"color": "252"}, "heading": {"bold": true}, "h1": {"prefix": " ", "suffix": " ", "background_color": "63"},
		"h2": {"prefix": "## ", "upper": true}, "strong": {"block_prefix": "**", "block_suffix": "**", "italic": true},
		"item": {"block_prefix": "* "}, "block_quote": {"indent_token": "| "}, "task": {"ticked": "[y] ", "unticked": "[n] "},
		"hr": {"format": "\n====\n"}, "code": {"prefix": "<", "suffix": ">"}, "image_text": {"format": "Image: {{.text}} ->"},
		"table": {"column_separator": "!", "row_separator": "=", "center_separator": "+"},
		"code_block": {"background_color": "235", "chroma": {"keyword": {"color": "#00AAFF"}}}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	src := "# One\n\n## two\n\n**b** `c` ![i](u)\n\n- a\n- [x] d\n\n> q\n\n---\n\n|a|b|\n|-|-|\n|1|2|\n\n```go\nvar x\n```\n"
	want := "\u00a0One\u00a0\n\n## TWO\n\n**b** <c> Image: i -> (u)\n\n* a\n[y] d\n\n| q\n\n====\n\na ! b\n==+==\n1 ! 2\n\n var x                               go \n"
	lines := Render(src, 40, s)
	if got := plain(lines); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := lines[0].ANSI; !strings.Contains(got, "\x1b[1;38;5;252;48;5;63m") {
		t.Errorf("heading: %q", got)
	}
	if got := lines[len(lines)-1].ANSI; !strings.Contains(got, "38;2;0;170;255") || !strings.Contains(got, "48;5;235") {
		t.Errorf("code: %q", got)
	}
}

func TestAStyleCannotSmuggleSequencesIn(t *testing.T) {
	bad := "\x1b]0;x\x07\n"
	src := readTestdata(t, "answer.md")
	p := ansi.StylePrimitive{BlockPrefix: bad, Prefix: bad, Suffix: bad, Format: bad}
	c := ansi.StyleConfig{Strong: p, Emph: p, Item: p, Enumeration: p, HorizontalRule: p, Image: p, ImageText: p, Link: p}
	c.H1.StylePrimitive, c.Code.StylePrimitive, c.BlockQuote.IndentToken = p, p, &bad
	c.Table.ColumnSeparator, c.Table.RowSeparator, c.Table.CenterSeparator = &bad, &bad, &bad
	c.Task.Ticked, c.Task.Unticked = bad, bad
	checkLines(t, src, 50, Render(src, 50, NewStyle(c)))
}

func TestLanguagesOfFences(t *testing.T) {
	for info, want := range map[string]string{
		"": "", "go": "go", "c++{.x}": "c++", "rust,ignore": "rust", "{.python .numbers}": "python", "js title=a": "js", "py:main.py": "py",
		strings.Repeat("x", 50): "", "\x01": "",
	} {
		if got := language(info); got != want {
			t.Errorf("language(%q) = %q, want %q", info, got, want)
		}
	}
}
