package themes

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"waferchat/nearest"
)

// Load parses a theme file. Roles that it leaves out come from the built-in
// theme for its ground (dark when it has dark = true, or when its ground is),
// and the name from the file's. Errors name file, line and column and, for an
// unknown role, the nearest valid one; they are of type *FileError, joined when
// there are several.
func Load(file string, data []byte) (Theme, error) {
	t := Default(isDark(data))
	t.Name = nameOf(file)
	if err := decode(file, data, &t); err != nil {
		return Theme{}, err
	}
	return t, nil
}

// FileError is a mistake in a theme file.
type FileError struct {
	File         string
	Line, Column int // from 1; the column counts bytes
	Reason       string
}

// Error gives the place and the reason in the form that editors understand.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
}

// isDark tells which default a file goes over. Mistakes in it are not its
// business.
func isDark(data []byte) bool {
	var head struct {
		Dark   *bool  `toml:"dark"`
		Ground string `toml:"ground"`
	}
	_ = toml.Unmarshal(data, &head)
	switch {
	case head.Dark != nil:
		return *head.Dark
	case colorShape.MatchString(head.Ground):
		return Color(head.Ground).luminance() < 0.18
	}
	return false
}

// decode fills a theme with what a file sets.
func decode(file string, data []byte, t *Theme) error {
	d := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return explain(file, err)
	}
	var problems []error
	for role, c := range t.roles() {
		if !colorShape.MatchString(string(*c)) {
			line, column := position(data, role)
			reason := fmt.Sprintf("%s is %q, a colour is \"#rrggbb\"", role, *c)
			problems = append(problems, &FileError{file, line, column, reason})
		}
		*c = Color(strings.ToLower(string(*c)))
	}
	return errors.Join(problems...)
}

var colorShape = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// explain gives the mistakes that the decoder found with their places.
func explain(file string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		var all []error
		for _, e := range strict.Errors {
			line, column := e.Position()
			all = append(all, &FileError{file, line, column, unknown(strings.Join(e.Key(), "."))})
		}
		return errors.Join(all...)
	}
	var de *toml.DecodeError
	if errors.As(err, &de) {
		line, column := de.Position()
		return &FileError{file, line, column, strings.TrimPrefix(de.Error(), "toml: ")}
	}
	return fmt.Errorf("parse %s: %w", file, err)
}

func unknown(key string) string {
	best, ok := nearest.Name(key, keys())
	if !ok {
		return fmt.Sprintf("there is no role %q; the roles are %s", key, strings.Join(keys()[2:], ", "))
	}
	return fmt.Sprintf("there is no role %q; did you mean %q?", key, best)
}

// position is where the value of a top-level key begins.
func position(data []byte, key string) (line, column int) {
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue {
			continue
		}
		if it := e.Key(); it.Next() && string(it.Node().Data) == key {
			at := p.Shape(e.Value().Raw).Start
			return at.Line, at.Column
		}
	}
	return 1, 1
}

// keys are the keys of a theme file in the order of Theme.
func keys() []string {
	typ := reflect.TypeFor[Theme]()
	names := make([]string, typ.NumField())
	for i := range names {
		names[i] = typ.Field(i).Tag.Get("toml")
	}
	return names
}
