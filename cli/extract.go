package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"waferchat/chat"
	"waferchat/ui/markdown"
	"waferchat/ui/untrusted"
)

// errNoCode tells that there was nothing to extract.
var errNoCode = errors.New("the answer has no code block")

// extractOutput writes the first code block of an answer, and nothing but it.
type extractOutput struct {
	w    io.Writer
	lang string // "" is any
}

func (o *extractOutput) events([]chat.Event) error { return nil }

func (o *extractOutput) end(last chat.Event) error {
	if last.Stored == nil || last.Stored.Text() == "" {
		return nil // why is told elsewhere
	}
	code, ok := codeBlock(last.Stored.Text(), o.lang)
	if !ok && last.State == chat.Done {
		return o.missing()
	}
	if code = untrusted.Plain(code); code != "" && !strings.HasSuffix(code, "\n") {
		code += "\n"
	}
	_, err := io.WriteString(o.w, code)
	return err
}

func (o *extractOutput) missing() error {
	if o.lang != "" {
		return local(fmt.Errorf("%w of the language %s", errNoCode, o.lang))
	}
	return local(errNoCode)
}

// codeBlock is the first fenced code block with something in it, of a language
// unless that is "".
func codeBlock(text, lang string) (string, bool) {
	for _, c := range markdown.CodeBlocks(text) {
		if c.Text == "" || !fenced(text, c.Start) || lang != "" && !strings.EqualFold(c.Lang, lang) {
			continue
		}
		return c.Text, true
	}
	return "", false
}

// fenced tells a block between fences from one that is only indented, by the
// line before it.
func fenced(text string, start int) bool {
	before := text[:max(strings.LastIndexByte(text[:start], '\n'), 0)]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Contains(line, "```") || strings.Contains(line, "~~~")
}
