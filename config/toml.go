package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// entry is one value of a TOML file with its full path and place.
type entry struct {
	path  []string
	kind  unstable.Kind
	text  string   // the value of a scalar, or the items separated by commas
	items []string // the values of an array of text
	// bad says that an array holds something but text.
	bad    bool
	origin Origin
}

// parseErrors is how many syntax errors of one file are reported.
const parseErrors = 20

// parseTOML reads a document entry by entry, so that one mistake costs one
// line and not the file: what is wrong is blanked out and the rest read again.
// After a broken table header everything up to the next one is left out,
// because it would land in the wrong table.
func parseTOML(file string, data []byte) ([]entry, []Problem) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, []Problem{{Source: file, Line: 1, Column: 1, Message: "the file is UTF-16; save it as UTF-8"}}
	}
	data = bytes.Clone(data)
	var problems []Problem
	for {
		entries, bad := readTOML(file, data)
		if bad == nil {
			return entries, problems
		}
		bad.problem.Option = optionIn(lineAt(data, bad.offset))
		problems = append(problems, bad.problem)
		if len(problems) == parseErrors || !blank(data, bad.offset) {
			return entries, problems
		}
	}
}

// optionIn names the option that a broken line is about, where taking it for
// missing would be wrong.
func optionIn(line []byte) string {
	for _, name := range []string{"base_url", "zdr"} {
		if bytes.Contains(line, []byte(name)) {
			return name
		}
	}
	return ""
}

func lineAt(data []byte, offset int) []byte {
	offset = max(min(offset, len(data)-1), 0)
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	line, _, _ := bytes.Cut(data[start:], []byte("\n"))
	return line
}

type syntaxError struct {
	problem Problem
	offset  int
}

// blank overwrites the line at offset, or the whole table that it opens. It
// tells whether that changed anything.
func blank(data []byte, offset int) bool {
	offset = min(offset, len(data)-1)
	start := bytes.LastIndexByte(data[:max(offset, 0)], '\n') + 1
	header := bytes.HasPrefix(bytes.TrimLeft(data[start:], " \t"), []byte("["))
	changed := false
	for first := true; start < len(data); first = false {
		end := start + bytes.IndexByte(data[start:], '\n')
		if end < start {
			end = len(data)
		}
		line := data[start:end]
		if !first && (!header || bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("["))) {
			break
		}
		for i := range line {
			changed = changed || line[i] != ' '
			line[i] = ' '
		}
		start = end + 1
	}
	return changed
}

// readTOML reads up to the first syntax error.
func readTOML(file string, data []byte) ([]entry, *syntaxError) {
	var p unstable.Parser
	p.Reset(data)
	r := tomlReader{file: file, parser: &p}
	var table []string
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = r.path(nil, n.Key())
			r.add(entry{path: table, kind: n.Kind, origin: r.at(n.Key())})
		case unstable.KeyValue:
			r.keyValue(table, n)
		}
	}
	if p.Error() == nil {
		return r.entries, nil
	}
	bad := syntaxError{problem: Problem{Source: file, Line: 1, Column: 1, Message: p.Error().Error()}}
	var perr *unstable.ParserError
	if errors.As(p.Error(), &perr) {
		rng := p.Range(perr.Highlight)
		start := p.Shape(rng).Start
		bad.offset = int(rng.Offset)
		bad.problem.Line, bad.problem.Column = start.Line, start.Column
		if !utf8.Valid(data) && strings.Contains(perr.Message, "utf") {
			bad.problem.Message = "the text is not valid UTF-8"
		}
	}
	return r.entries, &bad
}

type tomlReader struct {
	file    string
	parser  *unstable.Parser
	entries []entry
}

func (r *tomlReader) add(e entry) { r.entries = append(r.entries, e) }

func (r *tomlReader) keyValue(table []string, n *unstable.Node) {
	path, at := r.path(table, n.Key()), r.at(n.Key())
	v := n.Value()
	e := entry{path: path, kind: v.Kind, text: string(v.Data), origin: at}
	switch v.Kind {
	case unstable.InlineTable:
		r.add(e)
		for it := v.Children(); it.Next(); {
			r.keyValue(path, it.Node())
		}
		return
	case unstable.Array:
		for it := v.Children(); it.Next(); {
			item := it.Node()
			e.bad = e.bad || item.Kind != unstable.String
			e.items = append(e.items, string(item.Data))
		}
		e.text = strings.Join(e.items, ", ")
	}
	r.add(e)
}

func (r *tomlReader) path(table []string, key unstable.Iterator) []string {
	path := append([]string(nil), table...)
	for key.Next() {
		path = append(path, string(key.Node().Data))
	}
	return path
}

// at is where a key begins.
func (r *tomlReader) at(key unstable.Iterator) Origin {
	o := Origin{Source: r.file, Line: 1, Column: 1}
	if key.Next() {
		start := r.parser.Shape(key.Node().Raw).Start
		o.Line, o.Column = start.Line, start.Column
	}
	return o
}

// kindName is a TOML kind in words.
func kindName(k unstable.Kind) string {
	switch k {
	case unstable.String:
		return "text"
	case unstable.Bool:
		return "true or false"
	case unstable.Integer:
		return "a whole number"
	case unstable.Float:
		return "a number"
	case unstable.Array:
		return "a list"
	case unstable.InlineTable, unstable.Table:
		return "a table"
	case unstable.ArrayTable:
		return "a list of tables"
	}
	return fmt.Sprintf("a %s", strings.ToLower(k.String()))
}
