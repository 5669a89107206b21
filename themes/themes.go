// Package themes holds the palettes: TOML files, embedded, with the user's own
// over them, a loader that reports errors by line, and the contrast check.
//
// [Builtin] lists the embedded themes, [Default] is the one for a ground, [Load]
// parses one, [Theme.Check] tells which roles are hard to read. It draws nothing
// and knows no terminal.
package themes

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// Color is "#rrggbb", in lower case when it comes from a theme file.
type Color string

// Theme is a palette by role. Every colour is set.
type Theme struct {
	Name string `toml:"name"`
	Dark bool   `toml:"dark"`

	Ground   Color `toml:"ground"`   // the background the theme is made for
	Text     Color `toml:"text"`     // answers, the draft
	Dim      Color `toml:"dim"`      // metadata, hints, reasoning
	Faint    Color `toml:"faint"`    // rules, gutters, scrollbar track: not for text
	Accent   Color `toml:"accent"`   // the one accent: user bar, focus, prompt
	Danger   Color `toml:"danger"`   // errors
	Warning  Color `toml:"warning"`  // what waits for the user
	Success  Color `toml:"success"`  // what went well
	Raised   Color `toml:"raised"`   // ground of a user turn
	Code     Color `toml:"code"`     // ground of code
	Overlay  Color `toml:"overlay"`  // ground of overlays
	Select   Color `toml:"select"`   // ground of the selected row and of selected text
	Heading  Color `toml:"heading"`  // headings in an answer
	Link     Color `toml:"link"`     // links
	Keyword  Color `toml:"keyword"`  // code: keywords, operators
	String   Color `toml:"string"`   // code: strings
	Number   Color `toml:"number"`   // code: numbers, constants
	Comment  Color `toml:"comment"`  // code: comments
	Function Color `toml:"function"` // code: functions, tags
	Type     Color `toml:"type"`     // code: types, attributes
}

//go:embed *.toml
var files embed.FS

// Builtin returns the embedded themes by name, "dark" and "light" among them.
// The map is the caller's. It panics on a broken embedded file, which a test
// rules out.
func Builtin() map[string]Theme {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	all := make(map[string]Theme, len(entries))
	for _, e := range entries {
		t := builtin(e.Name())
		all[t.Name] = t
	}
	return all
}

// Default returns the built-in theme for a dark or a light ground.
func Default(dark bool) Theme {
	if dark {
		return builtin("dark.toml")
	}
	return builtin("light.toml")
}

// builtin parses an embedded file over nothing, so that one which leaves a role
// out is broken.
func builtin(file string) Theme {
	data, err := files.ReadFile(file)
	if err != nil {
		panic(err)
	}
	t := Theme{Name: nameOf(file)}
	if err := decode(file, data, &t); err != nil {
		panic(fmt.Sprintf("embedded theme: %v", err))
	}
	return t
}

// nameOf is the name of a theme whose file does not give one.
func nameOf(file string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".toml")
}
