package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/session"
)

// Copying gives the source of what is on the screen, never its decoration. Line
// ends are newlines, whatever was sent. A message is copied exactly as it was
// written, with its last newline if it has one. A code block, a table and a chat
// end without one: pasting a command into a shell does not run it.

// runCopy is /copy: the last answer, or the part of it that is named.
func runCopy(m *Model, arg string) (tea.Cmd, bool) {
	what, number, ok := copyArgument(arg)
	switch {
	case !ok:
		m.say("/copy takes nothing, the number of a code block, code, table, csv, turn or all")
	case what == "answer":
		return m.copyLast(), true
	case what == "code" && number == 0:
		return m.pickCode(), true
	case what == "code":
		return m.copyCode(number), true
	case what == "turn":
		return m.copyTurn(), true
	case what == "all":
		return m.copyChat(), true
	default:
		return m.copyTable(what, number), true
	}
	return nil, true
}

// copyOnly is runCopy for a row of the table of actions that means one thing.
func copyOnly(what string) func(*Model, string) (tea.Cmd, bool) {
	return func(m *Model, arg string) (tea.Cmd, bool) { return runCopy(m, strings.TrimSpace(what+" "+arg)) }
}

// copyArgument reads "2", "table 2", "csv", "turn", "all": what is meant, and
// the number, 0 for none.
func copyArgument(arg string) (what string, number int, ok bool) {
	words := strings.Fields(strings.ToLower(arg))
	if len(words) == 0 {
		return "answer", 0, true
	}
	if _, err := strconv.Atoi(words[0]); err == nil {
		words = append([]string{"code"}, words...)
	}
	what, ok = map[string]string{"answer": "answer", "last": "answer", "code": "code", "block": "code",
		"table": "table", "tsv": "table", "csv": "csv", "turn": "turn", "all": "all", "chat": "all"}[words[0]]
	numbered := what == "code" || what == "table" || what == "csv"
	switch {
	case !ok || len(words) > 2 || len(words) == 2 && !numbered:
		return "", 0, false
	case len(words) == 2:
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return "", 0, false
		}
		if number = n; n == 0 {
			number = -1 // there is no block 0, and that is what is to be said
		}
	}
	return what, number, true
}

func (m *Model) copyLast() tea.Cmd { return m.copyMessage(m.chat.transcript.lastAnswer()) }

func (m *Model) copyFocused() tea.Cmd { return m.copyMessage(m.chat.transcript.focused()) }

func (m *Model) copyMessage(a *session.Message) tea.Cmd {
	if a == nil {
		return m.nothingYet()
	}
	return m.copyText(m.wholeOf(a))
}

// copyCode copies a code block of the message in question, by its number on the
// screen.
func (m *Model) copyCode(number int) tea.Cmd {
	a := m.target()
	if a == nil {
		return m.nothingYet()
	}
	blocks := m.chat.transcript.codeBlocks(a)
	if number < 1 || number > len(blocks) {
		m.say(howMany(m.callIt(a), len(blocks), "code block", "/copy"))
		return nil
	}
	return m.copyBlock(&blocks[number-1])
}

func (m *Model) copyBlock(b *codeBlock) tea.Cmd { return m.copyText(b.name(), b.clip()) }

// copyTable copies a table as "table" (tab-separated values) or "csv".
func (m *Model) copyTable(form string, number int) tea.Cmd {
	a := m.target()
	if a == nil {
		return m.nothingYet()
	}
	tables := m.chat.transcript.tables(a)
	at := max(number, 1)
	if number < 0 || at > len(tables) {
		m.say(howMany(m.callIt(a), len(tables), "table", "/copy "+form))
		return nil
	}
	what := "table"
	if len(tables) > 1 {
		what = fmt.Sprintf("table %d of %d", at, len(tables))
	}
	rows := tables[at-1]
	if form == "csv" {
		return m.copyCounted(fmt.Sprintf("%s as CSV, %s", what, plural(len(rows), "row")), csvText(rows))
	}
	return m.copyCounted(fmt.Sprintf("%s, %s", what, plural(len(rows), "row")), tsvText(rows))
}

// copyText copies a text and tells its lines.
func (m *Model) copyText(what, text string) tea.Cmd {
	text = lineEnds(text)
	if text == "" {
		m.say("the " + what + " has no text to copy")
		return nil
	}
	return m.copyCounted(what+", "+plural(lineCount(text), "line"), text)
}

// copyCounted copies a text that what describes in full.
func (m *Model) copyCounted(what, text string) tea.Cmd {
	if m.deps.Copy == nil {
		m.say("nothing can be copied here")
		return nil
	}
	return copyCmd(m.deps.Copy, what, text)
}

func (m *Model) nothingYet() tea.Cmd {
	m.say("there is no answer yet")
	return nil
}

// howMany answers a number that there is nothing for.
func howMany(whose string, n int, what, command string) string {
	switch n {
	case 0:
		return fmt.Sprintf("%s has no %s", whose, what)
	case 1:
		return fmt.Sprintf("%s has 1 %s: %s 1", whose, what, command)
	}
	return fmt.Sprintf("%s has %s: %s 1 to %d", whose, plural(n, what), command, n)
}

func (m *Model) copied(msg copiedMsg) tea.Cmd {
	if msg.err != nil {
		m.say("not copied: " + msg.err.Error())
		return nil
	}
	m.say(msg.what + " → " + msg.how)
	if msg.raw == "" {
		return nil
	}
	return tea.Raw(msg.raw)
}

// lineEnds makes every line end a newline.
func lineEnds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// lineCount is the number of lines of a text; newlines at its end make none.
func lineCount(text string) int { return strings.Count(strings.TrimRight(text, "\n"), "\n") + 1 }
