package ui

import (
	"fmt"
	"strings"

	"waferchat/session"
	"waferchat/ui/markdown"
)

// texts are the texts of a message as the screen has them, one for each block of
// its own, exactly as they came; also of one that is arriving.
func (t *transcript) texts(a *session.Message) []string {
	var out []string
	if t.live == nil || a.ID != t.live.ID {
		for i := range a.Parts {
			if p := &a.Parts[i]; p.Kind == session.PartText || p.Kind == session.PartRefusal {
				out = append(out, p.Text)
			}
		}
		return out
	}
	for i := t.firstBlock(a.ID); i < t.list.Len(); i++ {
		if b, ok := t.list.Block(i).(*textBlock); ok && b.id == a.ID {
			out = append(out, b.source())
		}
	}
	return out
}

// sourceOf is a message's exact text. Texts that something else stands between
// are paragraphs of their own.
func (t *transcript) sourceOf(a *session.Message) string {
	var b strings.Builder
	for _, text := range t.texts(a) {
		if s := b.String(); s != "" && text != "" && !strings.HasSuffix(s, "\n") && !strings.HasPrefix(text, "\n") {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	return b.String()
}

// codeBlock is a code block of a message.
type codeBlock struct {
	message session.MessageID
	// number counts the code blocks of the message from 1: the number that stands
	// at the block on the screen, and that /copy takes.
	number int
	lang   string // as the fence names it, "" if it does not
	text   string // with newlines as line ends
}

// codeBlocks are the code blocks of a message with their numbers. This is the one
// place that numbers them: a block of text on the screen begins with one more than
// codesBefore gives for it.
func (t *transcript) codeBlocks(a *session.Message) []codeBlock {
	var out []codeBlock
	for _, text := range t.texts(a) {
		out = appendCode(out, a.ID, text)
	}
	return out
}

// appendCode adds the code blocks of a text behind those of the texts before it.
func appendCode(out []codeBlock, id session.MessageID, text string) []codeBlock {
	if !mayHaveCode(text) {
		return out
	}
	for _, c := range markdown.CodeBlocks(lineEnds(text)) {
		out = append(out, codeBlock{message: id, number: len(out) + 1, lang: c.Lang, text: c.Text})
	}
	return out
}

// codesBefore is how many code blocks a message has in its texts before the one
// with that index.
func codesBefore(texts []string, index int) int {
	var before []codeBlock
	for _, text := range texts[:index] {
		before = appendCode(before, "", text)
	}
	return len(before)
}

// mayHaveCode is false for most texts without code, without parsing them.
func mayHaveCode(text string) bool {
	return strings.Contains(text, "```") || strings.Contains(text, "~~~") || strings.Contains(text, "    ") || strings.Contains(text, "\t")
}

// name is what messages call the block.
func (b *codeBlock) name() string { return fmt.Sprintf("code block %d", b.number) }

// clip is the code as it is copied: without its last newline.
func (b *codeBlock) clip() string { return strings.TrimSuffix(b.text, "\n") }

// tables are the tables of a message, as rows of cells.
func (t *transcript) tables(a *session.Message) [][][]string {
	var out [][][]string
	for _, text := range t.texts(a) {
		if strings.Contains(text, "|") {
			out = append(out, markdown.Tables(lineEnds(text))...)
		}
	}
	return out
}
