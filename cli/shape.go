package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"waferchat/api"
	"waferchat/chat"
)

// shape is what --schema, --json-mode, --regex and --grammar ask the answer to
// look like: one request field for each that was given.
func (f *flags) shape() ([]field, error) {
	var out []field
	if f.schemaSet {
		format, err := schemaFormat("--schema", f.schema)
		if err != nil {
			return nil, err
		}
		out = append(out, field{name: "response_format", value: format, given: "--schema"})
	}
	if f.jsonMode {
		out = append(out, field{name: "response_format", value: api.JSONMode(), given: "--json-mode"})
	}
	if f.regexSet {
		if f.regex == "" {
			return nil, usage("--regex is empty")
		}
		text, err := plainJSON(f.regex)
		if err != nil {
			return nil, fmt.Errorf("encode --regex: %w", err)
		}
		out = append(out, field{name: "regex", value: text, given: "--regex"})
	}
	if f.grammarSet {
		text, _, err := jsonFile("--grammar", f.grammar)
		if err != nil {
			return nil, err
		}
		out = append(out, field{name: "response_format", value: text, given: "--grammar"})
	}
	return out, nil
}

// jsonFile reads a file that holds one JSON object. Its errors name the file and
// the place in it.
func jsonFile(flag, name string) (json.RawMessage, map[string]json.RawMessage, error) {
	if name == "" || name == "-" {
		return nil, nil, usage("%s takes the name of a file", flag)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, nil, usage("%s %s cannot be read: %v", flag, name, err)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var object map[string]json.RawMessage
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		line, column := place(data, err)
		hint := ""
		if strings.HasSuffix(flag, "grammar") {
			hint = `; it takes the object for response_format, such as {"type":"grammar", …}`
		}
		return nil, nil, usage("%s:%d:%d: %s is not JSON: %v%s", name, line, column, flag, err, hint)
	}
	if json.Unmarshal(whole, &object) != nil || object == nil {
		return nil, nil, usage("%s:1:1: %s takes a JSON object", name, flag)
	}
	var short bytes.Buffer
	if err := json.Compact(&short, whole); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	return short.Bytes(), object, nil
}

// place is the line and the column of a syntax error, from 1, in bytes.
func place(data []byte, err error) (line, column int) {
	at := len(data)
	var syntax *json.SyntaxError
	// The offset is behind the byte that is wrong; at the end there is none.
	if errors.As(err, &syntax) && int(syntax.Offset) <= len(data) && !strings.Contains(err.Error(), "end of JSON") {
		at = max(int(syntax.Offset)-1, 0)
	}
	before := data[:at]
	return bytes.Count(before, []byte("\n")) + 1, at - bytes.LastIndexByte(before, '\n')
}

// schemaFormat makes the response_format of a schema's file: a JSON Schema, the
// json_schema object around one, or a whole response_format.
func schemaFormat(flag, name string) (json.RawMessage, error) {
	text, object, err := jsonFile(flag, name)
	if err != nil {
		return nil, err
	}
	var kind string
	_ = json.Unmarshal(object["type"], &kind)
	switch kind {
	case "json_schema":
		if !isObject(object["json_schema"]) {
			return nil, usage("%s:1:1: %s: this response_format has no json_schema object", name, flag)
		}
		return text, nil
	case "json_object":
		return nil, usage("%s:1:1: %s: this response_format has no schema; use %s", name, flag, sibling(flag, "--json-mode", "/json"))
	case "grammar":
		return nil, usage("%s:1:1: %s: this is a grammar; use %s", name, flag, sibling(flag, "--grammar", "/grammar"))
	}
	var called string
	if kind == "" && isObject(object["schema"]) && json.Unmarshal(object["name"], &called) == nil {
		return json.RawMessage(`{"type":"json_schema","json_schema":` + string(text) + `}`), nil
	}
	var title string
	_ = json.Unmarshal(object["title"], &title)
	format, err := api.JSONSchema(schemaName(title, name), text, true)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return format, nil
}

// sibling is another flag, or the command that does the same, for an error about
// a flag or a command.
func sibling(flag, long, command string) string {
	if strings.HasPrefix(flag, "/") {
		return command
	}
	return long
}

// responseFormat makes a response_format of a file for a command of the terminal
// program.
func responseFormat(command, file string) (json.RawMessage, error) {
	if command == "grammar" {
		text, _, err := jsonFile("/grammar", file)
		return text, err
	}
	return schemaFormat("/"+command, file)
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// longestName is the most characters that the name of a schema may have.
const longestName = 64

// schemaName is a title, else a file's name, with nothing but letters, digits, _
// and -.
func schemaName(title, file string) string {
	base := filepath.Base(file)
	for _, text := range []string{title, strings.TrimSuffix(base, filepath.Ext(base))} {
		name := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
				return r
			}
			return '_'
		}, text)
		if name = name[:min(len(name), longestName)]; strings.Trim(name, "_") != "" {
			return name
		}
	}
	return "answer"
}

// tellRegex warns of a regular expression that is not one of Go's. It may be
// right for the server, but then the answer cannot be checked here.
func (p *program) tellRegex(params api.Params) {
	if params.Regex == "" {
		return
	}
	var miss *chat.AnswerError
	if errors.As(chat.CheckAnswer(api.Params{Regex: params.Regex}, ""), &miss) && miss.Unchecked {
		p.note("warning: the regular expression is sent as it is, but it is none that can be checked here (as Go reads them): %s", strings.Join(miss.Lines, "; "))
	}
}
