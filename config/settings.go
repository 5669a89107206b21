package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

const settingsHead = "# Written by waferchat. Your own settings belong in config.toml; what stands here wins over it.\n"

// WithSetting returns the text of settings.toml, the program's own file, with
// one option set and the others kept; an empty value removes it. What the
// program did not write is not kept.
func WithSetting(text []byte, option, value string) ([]byte, error) {
	o, ok := find(option)
	if !ok {
		return nil, fmt.Errorf("keep setting: unknown option %q", option)
	}
	scratch := defaults()
	if value != "" {
		if err := o.apply(&scratch, value); err != nil {
			return nil, fmt.Errorf("keep setting %s: %w", option, err)
		}
	}
	entries, _ := parseTOML("", text)
	var lines []string
	for _, e := range entries {
		have, ok := find(e.path[0])
		shaped := (e.kind == unstable.Array) == (have.Type == List) && e.kind != unstable.InlineTable
		if ok && len(e.path) == 1 && have.Name != option && shaped && !e.bad {
			lines = append(lines, tomlLine(have, e.text))
		}
	}
	if value != "" {
		lines = append(lines, tomlLine(o, value))
	}
	slices.Sort(lines)
	return []byte(settingsHead + strings.Join(lines, "")), nil
}

func tomlLine(o Option, value string) string { return o.Name + " = " + tomlValue(o, value) + "\n" }

func tomlValue(o Option, value string) string {
	switch o.Type {
	case Integer, Boolean:
		return value
	case List:
		quoted := items(value)
		for i, item := range quoted {
			quoted[i] = tomlString(item)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return tomlString(value)
}

// tomlString quotes a text as TOML's basic string.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			b.WriteString(`\u` + fmt.Sprintf("%04X", r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Template returns a config.toml in which every option is explained and
// commented out.
func Template() string {
	var b strings.Builder
	b.WriteString("# waferchat's configuration. Every line that is commented out shows its default.\n")
	b.WriteString("# Flags > environment > profile > this file. The program never rewrites it.\n")
	for _, o := range Options() {
		fmt.Fprintf(&b, "\n# %s\n", o.Doc)
		if len(o.Choices) > 0 {
			fmt.Fprintf(&b, "# One of %s.\n", list(o.Choices))
		}
		b.WriteString("# " + tomlLine(o, example(o)))
	}
	b.WriteString("\n# A profile holds the same options under a name, for `--profile NAME`.\n" +
		"# [profile.local]\n# base_url = \"http://127.0.0.1:11434/v1\"\n# model = \"qwen3\"\n" +
		"\n# Key bindings: an action and its key, a list of keys, or \"none\".\n# [keys]\n# new-chat = \"ctrl+n\"\n")
	return b.String()
}

func example(o Option) string {
	if o.Default == "" && o.Type == Integer {
		return "4096"
	}
	return o.Default
}

// Markdown returns the table of options for the README.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| option | type | default | also | what |\n|---|---|---|---|---|\n")
	for _, o := range Options() {
		typ := string(o.Type)
		if len(o.Choices) > 0 {
			typ = strings.Join(o.Choices, ", ")
		}
		also := o.Flag
		if o.Env != "" {
			also = strings.TrimSuffix("`"+o.Env+"`, `"+o.Flag, ", `") + "`"
		} else if also != "" {
			also = "`" + also + "`"
		}
		def := ""
		if o.Default != "" {
			def = "`" + o.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", o.Name, typ, def, also, o.Doc)
	}
	return b.String()
}

// Quote writes a value as TOML would show it, for `config show`.
func Quote(o Option, value string) string {
	if value == "" && o.Type != List {
		return strconv.Quote("")
	}
	return tomlValue(o, value)
}
