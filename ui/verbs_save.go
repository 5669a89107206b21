package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// runSave saves the message in question to the file that is named, or asks for
// its name.
func runSave(m *Model, arg string) (tea.Cmd, bool) {
	what, text, ok := m.textTo("save")
	switch {
	case !ok:
		return nil, true
	case arg != "":
		return m.save(what, arg, text), true
	}
	m.askSave(what, what+".md", text)
	return nil, true
}

// saveBlock asks where to save a code block.
func (m *Model) saveBlock(b *codeBlock) tea.Cmd {
	m.askSave(b.name(), blockFile(b), b.text)
	return nil
}

func (m *Model) askSave(what, proposed, text string) {
	m.askLine("Save "+what, fmt.Sprintf("%s, to a file; ~ is your home directory.", plural(lineCount(text), "line")), "a file's name", proposed,
		func(name string) tea.Cmd { return m.save(what, name, text) })
}

// save writes a text to a file, with a newline at its end.
func (m *Model) save(what, name, text string) tea.Cmd {
	if m.deps.Save == nil {
		m.say("files cannot be written here")
		return nil
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return saveFileCmd(m.deps.Save, fileToSave{what: what, name: name, text: text})
}

// fileSaved tells what became of a file, and asks before one is replaced.
func (m *Model) fileSaved(msg fileSavedMsg) tea.Cmd {
	f := msg.file
	switch {
	case errors.Is(msg.err, fs.ErrExist) && !f.replace:
		m.confirm("Replace the file?", msg.path+" is there already. Its content would be lost.", "replace it", func() tea.Cmd {
			f.replace = true
			return saveFileCmd(m.deps.Save, f)
		})
	case msg.err != nil:
		m.say("not saved: " + msg.err.Error())
	default:
		m.say(fmt.Sprintf("%s, %s → %s", f.what, plural(len(f.text), "byte"), msg.path))
	}
	return nil
}

// blockFile proposes a file's name for a code block, by its language.
func blockFile(b *codeBlock) string {
	suffix, whole := suffixOf(strings.ToLower(b.lang))
	if whole != "" {
		return whole
	}
	return fmt.Sprintf("block-%d.%s", b.number, suffix)
}

// suffixOf is the usual suffix of a language's files, or the name that all its
// files have. The lexers that colour the code know their files.
func suffixOf(lang string) (suffix, whole string) {
	switch lang {
	case "make", "makefile":
		return "", "Makefile"
	case "docker", "dockerfile":
		return "", "Dockerfile"
	}
	if lang == "" || len(lang) > 40 {
		return "txt", ""
	}
	lexer := lexers.Get(lang)
	if lexer == nil {
		return "txt", ""
	}
	var known []string
	for _, pattern := range lexer.Config().Filenames {
		if s, ok := strings.CutPrefix(pattern, "*."); ok && !strings.ContainsAny(s, "*?[-") {
			known = append(known, s)
		}
	}
	switch {
	case slices.Contains(known, lang) && (len(lang) <= 3 && lang != "c++" || strings.HasPrefix(lang, "json")):
		return lang, "" // tsx is not ts, jsonc not json
	case len(known) > 0:
		return path.Base(known[0]), ""
	}
	return "txt", ""
}
