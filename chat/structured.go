package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"waferchat/api"
)

// AnswerError is why an answer is not what response_format or regex asked for,
// or why that could not be told. Its texts are fit to be shown: one line each,
// without control characters.
type AnswerError struct {
	// Title says in one sentence what is wrong.
	Title string
	// Lines are the details, at most five: for a schema the JSON pointer of a
	// place in the answer, a colon, and what is wrong there.
	Lines []string
	// Unchecked tells that the schema or the pattern is at fault, so that nothing
	// is known of the answer.
	Unchecked bool
}

// maxAnswerLines bounds AnswerError.Lines.
const maxAnswerLines = 5

// Error is the title and the lines.
func (e *AnswerError) Error() string {
	return strings.Join(append([]string{e.Title}, e.Lines...), "\n")
}

// CheckAnswer tells whether an answer is what its request asked for: a JSON
// object (json_object), JSON that satisfies the schema (json_schema; formats
// count too, references to other documents are never loaded), a text that
// matches the regular expression from its beginning to its end. It is nil where
// nothing was asked for, and for grammars, which only the server can check. Its
// error is an [*AnswerError]. JSON inside a fence of backquotes is an error, that
// says so: whoever reads the answer as JSON would fail.
func CheckAnswer(p api.Params, text string) error {
	if f, ok := formatOf(p.ResponseFormat); ok {
		switch f.Type {
		case formatJSON:
			if err := checkJSON(text, checkObject); err != nil {
				return err
			}
		case formatSchema:
			schema, fault := compileSchema(f.Schema.Schema)
			if fault != nil {
				return fault
			}
			if err := checkJSON(text, schema.check); err != nil {
				return err
			}
		}
	}
	if p.Regex != "" {
		return checkRegex(p.Regex, text)
	}
	return nil
}

// checkJSON reads an answer as JSON and checks its value.
func checkJSON(text string, check func(any) *AnswerError) error {
	inner, fenced := unfence(text)
	if !fenced {
		inner = text
	}
	value, fault := readJSON(inner)
	if fault == nil {
		fault = check(value)
	}
	switch {
	case fenced && fault == nil:
		return &AnswerError{Title: "The JSON is inside a fence of backquotes; without it, it is what was asked for."}
	case fenced:
		fault.Title = "The JSON is inside a fence of backquotes, and: " + fault.Title
		return fault
	case fault != nil:
		return fault
	}
	return nil
}

// unfence returns what is inside of a fence that is the whole text.
func unfence(text string) (inner string, ok bool) {
	text = strings.TrimSpace(text)
	first, rest, found := strings.Cut(text, "\n")
	inner, closed := strings.CutSuffix(rest, "```")
	if !found || !closed || !strings.HasPrefix(first, "```") || strings.ContainsAny(first, "{[\"") {
		return "", false
	}
	return inner, true
}

// readJSON reads one JSON value, its numbers as they are written.
func readJSON(text string) (any, *AnswerError) {
	if strings.TrimSpace(text) == "" {
		return nil, &AnswerError{Title: "The answer is empty; JSON was asked for."}
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	if err == nil {
		at := d.InputOffset()
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return nil, notJSON(fmt.Sprintf("%s: something follows the JSON", position(text, at)))
		}
		if n, huge := hugeNumber(value); huge {
			return nil, &AnswerError{Title: "The answer has a number that is too large to check.", Lines: []string{clean(n)}}
		}
		return value, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, notJSON("it ends before the JSON is complete")
	case errors.As(err, &syntax):
		return nil, notJSON(position(text, syntax.Offset-1) + ": " + clean(syntax.Error()))
	}
	return nil, notJSON(clean(err.Error()))
}

func notJSON(line string) *AnswerError {
	return &AnswerError{Title: "The answer is not JSON.", Lines: []string{line}}
}

// position names a place in a text for people.
func position(text string, offset int64) string {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// hugeNumber finds a number whose exponent would take long to work out.
func hugeNumber(value any) (number string, huge bool) {
	const digits = 4 // of an exponent
	switch v := value.(type) {
	case json.Number:
		_, exponent, found := strings.Cut(strings.ToLower(string(v)), "e")
		return string(v), found && len(strings.TrimLeft(exponent, "+-0")) >= digits
	case []any:
		for _, item := range v {
			if n, huge := hugeNumber(item); huge {
				return n, true
			}
		}
	case map[string]any:
		for _, item := range v {
			if n, huge := hugeNumber(item); huge {
				return n, true
			}
		}
	}
	return "", false
}

func checkObject(value any) *AnswerError {
	if _, ok := value.(map[string]any); ok {
		return nil
	}
	return &AnswerError{Title: "The answer is JSON, but no JSON object."}
}

// checkRegex wants the whole text to match. The expression is read as Go does;
// what it cannot read may be right for the server.
func checkRegex(pattern, text string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return &AnswerError{Title: "The regular expression cannot be checked here.", Lines: []string{clean(err.Error())}, Unchecked: true}
	}
	// Of the matches that begin first the longest is the whole text, if any is.
	// Nothing is put around the pattern: it could reach out of that.
	re.Longest()
	matches := func(text string) bool {
		at := re.FindStringIndex(text)
		return at != nil && at[0] == 0 && at[1] == len(text)
	}
	if matches(text) {
		return nil
	}
	e := &AnswerError{Title: "The answer does not match the regular expression.", Lines: []string{cleanOr(pattern, "it cannot be shown")}}
	if trimmed := strings.TrimSpace(text); trimmed != text && matches(trimmed) {
		e.Lines = append(e.Lines, "it would without the blanks around it")
	}
	return e
}

// answerSchema is a schema that answers are checked with.
type answerSchema struct{ compiled *jsonschema.Schema }

// compileSchema reads a schema. Its error tells what is wrong with the schema.
func compileSchema(raw json.RawMessage) (answerSchema, *AnswerError) {
	broken := func(lines ...string) (answerSchema, *AnswerError) {
		return answerSchema{}, &AnswerError{Title: "The JSON Schema cannot be used.", Lines: lines, Unchecked: true}
	}
	if len(raw) == 0 {
		return broken("response_format has no json_schema.schema")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return broken("it is not JSON: " + clean(err.Error()))
	}
	switch doc.(type) {
	case map[string]any, bool:
	default:
		return broken("it is neither an object nor true or false")
	}
	if n, huge := hugeNumber(doc); huge {
		return broken("it has a number that is too large: " + clean(n))
	}
	var lines []string
	for _, f := range faultyRefs(doc) {
		if f.fault != refRecursive { // that is no fault of a schema
			lines = append(lines, f.String())
		}
	}
	if len(lines) > 0 {
		return broken(firstLines(lines)...)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	if err := c.AddResource(schemaAddress, doc); err != nil {
		return broken(schemaFault(err)...)
	}
	compiled, err := c.Compile(schemaAddress)
	if err != nil {
		return broken(schemaFault(err)...)
	}
	return answerSchema{compiled}, nil
}

// schemaAddress names the schema for the compiler. Nothing is at it.
const schemaAddress = "https://schema.invalid/"

// noLoader loads nothing: a schema that comes from elsewhere must not make the
// program ask anybody for anything.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("other documents are not loaded")
}

// String says what is wrong with the reference.
func (f faultyRef) String() string {
	ref := clean(f.ref)
	switch f.fault {
	case refRemote:
		return fmt.Sprintf("$ref %q leads to another document; only references within the schema can be used", ref)
	case refUnresolvable:
		return fmt.Sprintf("$ref %q names nothing in the schema", ref)
	}
	return fmt.Sprintf("$ref %q leads back to itself", ref)
}
