package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/session"
)

// passage is a stretch of a chat that is to be written down.
type passage struct {
	message session.MessageID
	role    api.Role
	kind    session.PartKind
	name    string // of a tool
	text    string
}

// passages are what the screen has of the messages that want names, nil for all:
// the texts, the tool calls, and the reasoning that is unfolded.
func (t *transcript) passages(want map[session.MessageID]bool) []passage {
	roles := make(map[session.MessageID]api.Role, len(t.messages))
	for _, a := range t.messages {
		roles[a.ID] = a.Role
	}
	var out []passage
	for i := range t.list.Len() {
		id := t.blockAt(i).message()
		role, known := roles[id]
		if !known || want != nil && !want[id] {
			continue
		}
		p := passage{message: id, role: role, kind: session.PartText}
		switch b := t.list.Block(i).(type) {
		case *userBlock:
			p.text = b.text
		case *textBlock:
			p.text = b.source()
		case *toolBlock:
			p.kind, p.name, p.text = session.PartToolCall, b.name, b.text.String()
		case *reasoningBlock:
			if v := b.view(); v != reasoningFull && v != reasoningTail {
				continue
			}
			if p.kind, p.text = session.PartReasoning, b.text; b.live {
				p.text = b.source()
			}
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

// storedPassages are those of messages that are not on the screen yet.
func storedPassages(path []session.Message, reasoning bool) []passage {
	var out []passage
	for i := range path {
		for _, p := range path[i].Parts {
			if p.Kind == session.PartImage || p.Kind == session.PartReasoning && !reasoning {
				continue
			}
			out = append(out, passage{path[i].ID, path[i].Role, p.Kind, p.Name, p.Text})
		}
	}
	return out
}

// copyChat copies the whole chat as Markdown, with what is not read yet.
func (m *Model) copyChat() tea.Cmd {
	t := m.chat.transcript
	if len(t.messages) == 0 {
		return m.nothingYet()
	}
	head := chatHead(m.chat.session.Title, m.chat.session.System)
	shown := t.passages(nil)
	first := t.messages[0].Parent
	if first == "" || m.back == nil || m.deps.Copy == nil {
		return m.copyText("chat", head+chatMarkdown(shown))
	}
	reasoning := t.scene.reasoning == reasoningFull || t.scene.reasoning == reasoningTail
	return copyChatCmd(m.deps.Copy, m.back.Store, first, func(path []session.Message) string {
		return head + chatMarkdown(append(storedPassages(path, reasoning), shown...))
	})
}

// copyTurn copies a question and all that answers it.
func (m *Model) copyTurn() tea.Cmd {
	a := m.target()
	if a == nil {
		return m.nothingYet()
	}
	t := m.chat.transcript
	return m.copyText("question and answer", chatMarkdown(t.passages(t.turnOf(a))))
}

// turnOf are the messages of the turn that a message belongs to: the user's and
// those up to the next one.
func (t *transcript) turnOf(a *session.Message) map[session.MessageID]bool {
	from := max(0, t.indexOf(a.ID))
	for from > 0 && t.messages[from].Role != api.RoleUser {
		from--
	}
	turn := map[session.MessageID]bool{}
	for i := from; i < len(t.messages); i++ {
		if i > from && t.messages[i].Role == api.RoleUser {
			break
		}
		turn[t.messages[i].ID] = true
	}
	return turn
}

// chatHead is what stands above the messages of a chat.
func chatHead(title, system string) string {
	head := ""
	if title = oneLine(title); title != "" {
		head = "# " + title + "\n\n"
	}
	if !isBlank(system) {
		head += "## System\n\n" + section(system) + "\n\n"
	}
	return head
}

// chatMarkdown writes passages as Markdown: a heading with the role for each
// message, reasoning as a quote, tool calls and results as code. It ends without
// a newline.
func chatMarkdown(all []passage) string {
	var parts []string
	last := session.MessageID("")
	for _, p := range all {
		if isBlank(p.text) && p.name == "" {
			continue
		}
		if p.message != last {
			parts = append(parts, "## "+roleHeading(p.role))
			last = p.message
		}
		switch p.kind {
		case session.PartReasoning:
			parts = append(parts, quoted("**Reasoning**\n\n"+section(p.text)))
		case session.PartToolCall:
			parts = append(parts, "Tool call: "+oneLine(p.name)+"\n\n"+fenced("json", p.text))
		case session.PartToolResult:
			parts = append(parts, fenced("", p.text))
		default:
			parts = append(parts, section(p.text))
		}
	}
	return strings.Join(parts, "\n\n")
}

func roleHeading(r api.Role) string {
	if r == "" {
		return "Notice"
	}
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// section is a text that others follow: without newlines around it, and with a
// code block closed that it leaves open.
func section(text string) string {
	text = strings.Trim(lineEnds(text), "\n")
	open := ""
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " ")
		mark := fenceMark(rest)
		if len(line)-len(rest) > 3 || mark == "" {
			continue
		}
		switch after := rest[len(mark):]; {
		case open == "" && (mark[0] == '~' || !strings.Contains(after, "`")):
			open = mark
		case open != "" && strings.HasPrefix(mark, open) && isBlank(after):
			open = ""
		}
	}
	if open != "" {
		text += "\n" + open
	}
	return text
}

// fenceMark is the fence that a line begins with, "" if it does not.
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// fenced is a text as a code block, with a fence that it does not contain.
func fenced(lang, text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + lang + "\n" + strings.TrimSuffix(lineEnds(text), "\n") + "\n" + mark
}

// quoted is a text as a Markdown quote, without newlines at its ends.
func quoted(text string) string {
	lines := strings.Split(strings.Trim(lineEnds(text), "\n"), "\n")
	for i, line := range lines {
		if lines[i] = "> " + line; line == "" {
			lines[i] = ">"
		}
	}
	return strings.Join(lines, "\n")
}
