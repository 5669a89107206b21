package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/ui/untrusted"
)

// codePicker is the picker of code blocks. Letters are verbs in it, so a filter
// begins with a slash.
type codePicker struct {
	*picker
	blocks    []codeBlock
	firsts    []string // the first line of each
	verbs     map[string]func(*codeBlock) tea.Cmd
	filtering bool
}

// codesShown is how many code blocks the picker has at most.
const codesShown = 200

// pickCode copies the one code block of the focused message, or shows its code
// blocks; without any there, those of the chat, newest first.
func (m *Model) pickCode() tea.Cmd {
	t := m.chat.transcript
	var blocks []codeBlock
	name := ""
	if m.focus == paneConversation {
		if a := t.focused(); a != nil {
			blocks = t.codeBlocks(a)
			name = "Code blocks of " + m.callIt(a)
		}
	}
	elsewhere := false // a message has the focus, and the blocks are not its own
	if len(blocks) == 0 {
		elsewhere = m.focus == paneConversation
		name, blocks = "Code blocks of the chat", t.newestCode()
	}
	switch {
	case len(blocks) == 0:
		m.say("there is no code block in this chat")
		return nil
	case len(blocks) == 1 && !elsewhere:
		return m.copyText(fmt.Sprintf("code block %d, the only one", blocks[0].number), blocks[0].clip())
	}
	m.push(m.newCodePicker(name, blocks))
	return nil
}

// newestCode are the code blocks of all answers, the newest first.
func (t *transcript) newestCode() []codeBlock {
	var out []codeBlock
	for i := len(t.messages) - 1; i >= 0 && len(out) < codesShown; i-- {
		if a := t.messages[i]; a.Role == "assistant" {
			blocks := t.codeBlocks(a)
			slices.Reverse(blocks)
			out = append(out, blocks...)
		}
	}
	return out[:min(len(out), codesShown)]
}

func (m *Model) newCodePicker(name string, blocks []codeBlock) *codePicker {
	c := &codePicker{blocks: blocks, firsts: make([]string, len(blocks))}
	items := make([]item, len(blocks))
	for i := range blocks {
		items[i], c.firsts[i] = m.codeItem(i, &blocks[i])
	}
	c.picker = newPicker(name, items, func(id string) tea.Cmd { return m.copyBlock(m.chat.transcript.asItIsNow(c.block(id))) })
	c.facts = plural(len(blocks), "block")
	c.foot = "⏎ copy   s save   e editor   p pipe   / filter   Esc close"
	c.verbs = map[string]func(*codeBlock) tea.Cmd{}
	for key, verb := range map[string]func(*codeBlock) tea.Cmd{"s": m.saveBlock, "e": m.editBlock, "p": m.pipeBlock} {
		c.verbs[key] = func(b *codeBlock) tea.Cmd { return verb(m.chat.transcript.asItIsNow(b)) }
	}
	return c
}

// asItIsNow is the block with what has arrived of it since it was listed.
func (t *transcript) asItIsNow(b *codeBlock) *codeBlock {
	if i := t.indexOf(b.message); i >= 0 {
		if now := t.codeBlocks(t.messages[i]); b.number <= len(now) {
			return &now[b.number-1]
		}
	}
	return b
}

// codeItem is a block's row and its first line, which gets the room that is left.
func (m *Model) codeItem(i int, b *codeBlock) (it item, first string) {
	lang := untrusted.Line(b.lang)
	if lang == "" {
		lang = "text"
	}
	code := strings.TrimLeft(b.text, "\n")
	first, _, _ = strings.Cut(code, "\n")
	first = untrusted.Line(strings.TrimSpace(first))
	it = item{id: strconv.Itoa(i), name: fmt.Sprintf("%d %s", b.number, fit(lang, 16)), search: first,
		facts: []string{plural(lineCount(b.text), "line"), first}}
	if at := m.chat.transcript.indexOf(b.message); at >= 0 {
		it.note = stampOf(m.chat.transcript, at)
	}
	return it, first
}

// stampOf is when a message was made, as the screen has it.
func stampOf(t *transcript, at int) string {
	return t.messages[at].Created.In(t.scene.location).Format("15:04")
}

// block is the block of a row.
func (c *codePicker) block(id string) *codeBlock {
	i, _ := strconv.Atoi(id) // newCodePicker made it
	return &c.blocks[i]
}

func (c *codePicker) key(msg tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	switch {
	case c.filtering && stroke == "esc", c.filtering && stroke == "backspace" && c.filter.Empty():
		c.filtering = false
		c.filter.SetText("")
		c.match()
		return nil, false
	case c.filtering:
		return c.picker.key(msg, stroke)
	}
	if verb := c.verbs[stroke]; verb != nil && len(c.shown) > 0 {
		return verb(c.block(c.marked())), true
	}
	switch stroke {
	case "/":
		c.filtering = true
	case "j":
		c.move(1)
	case "k":
		c.move(-1)
	case "home", "g":
		c.move(-len(c.shown))
	case "end", "G":
		c.move(len(c.shown))
	case "enter", "esc", "up", "down", "pgup", "pgdown", "tab", "shift+tab", "ctrl+p", "ctrl+n":
		return c.picker.key(msg, stroke)
	default:
		c.markNumber(stroke)
	}
	return nil, false
}

// markNumber moves to the first block with a number.
func (c *codePicker) markNumber(digit string) {
	n, err := strconv.Atoi(digit)
	if err != nil {
		return
	}
	if i := slices.IndexFunc(c.blocks, func(b codeBlock) bool { return b.number == n }); i >= 0 {
		c.mark(strconv.Itoa(i))
	}
}

func (c *codePicker) paste(text string) {
	if c.filtering {
		c.picker.paste(text)
	}
}

// view gives the first lines the room there is, and has no caret before the
// filter is wanted.
func (c *codePicker) view(lk *look, w, h int) ([]string, int, int) {
	for i := range c.items {
		it := &c.items[i]
		room := w - 2 - c.column(w) - 3 - columns(it.facts[0]) - 3 - columns(it.note) - 4
		it.facts = it.facts[:1]
		if room >= 8 && c.firsts[i] != "" {
			it.facts = append(it.facts, fit(c.firsts[i], room))
		}
	}
	rows, x, y := c.picker.view(lk, w, h)
	if !c.filtering {
		rows[0] = lk.overlayDim.draw(fit("  number, language, lines, first line", w))
		return rows, -1, -1
	}
	return rows, x, y
}

// editBlock opens a block in the external editor. The answer stays as it is: a
// changed text becomes the draft.
func (m *Model) editBlock(b *codeBlock) tea.Cmd {
	if m.deps.Edit == nil {
		m.say("there is no editor here")
		return nil
	}
	return editBlockCmd(m.deps.Edit, blockFile(b), *b)
}

func (m *Model) blockEdited(msg blockEditedMsg) tea.Cmd {
	name := msg.block.name()
	text := lineEnds(msg.text)
	switch {
	case msg.err != nil:
		m.say("the editor failed: " + msg.err.Error())
	case strings.TrimRight(text, "\n") == strings.TrimRight(msg.block.text, "\n"):
		m.say(name + " was looked at, not changed")
	default:
		cmd, note := m.newDraft(fenced(msg.block.lang, text))
		m.say(name + " as you changed it is the draft, the answer stays" + note)
		return cmd
	}
	return nil
}
