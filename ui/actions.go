package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"waferchat/ui/composer"
)

// action is something that a user can do. One table of them gives the keys, the
// palette, the slash commands, the help and the README's tables.
type action struct {
	id    string
	title string   // what the palette and the help say
	group string   // heading in the help
	where pane     // the pane whose keys these are, "" for anywhere
	keys  []string // default keys, the first one is shown
	slash []string // names as a slash command, the first one is shown
	// run does it; arg is what followed a slash command. It returns false when
	// the key means something else in this state.
	run func(m *Model, arg string) (tea.Cmd, bool)
	// quiet actions are keys only: motions, not worth a palette row.
	quiet bool
}

// does is a run that always applies.
func does(f func(*Model) tea.Cmd) func(*Model, string) (tea.Cmd, bool) {
	return func(m *Model, _ string) (tea.Cmd, bool) { return f(m), true }
}

// act is a run without a command.
func act(f func(*Model)) func(*Model, string) (tea.Cmd, bool) {
	return func(m *Model, _ string) (tea.Cmd, bool) { f(m); return nil, true }
}

const (
	groupChat   = "Chat"
	groupRead   = "Reading"
	groupWrite  = "Writing"
	groupApp    = "Program"
	groupMotion = "Editing"
)

// actions is the table.
func actions() []action {
	return slices.Concat(chatActions(), readActions(), appActions(), writeActions(), conversationActions(), findActions(), motions())
}

// chatActions are about the chat, its answers and what it asks for.
func chatActions() []action {
	return []action{
		{id: "new", title: "New chat", group: groupChat, keys: []string{"ctrl+n"}, slash: []string{"new", "clear"}, run: runNew},
		{id: "sessions", title: "Open another chat", group: groupChat, keys: []string{"ctrl+o"}, slash: []string{"sessions", "resume"}, run: does((*Model).askSessions)},
		{id: "model", title: "Choose the model", group: groupChat, keys: []string{"alt+m"}, slash: []string{"model", "models"}, run: runModel},
		{id: "effort", title: "Choose the reasoning effort", group: groupChat, slash: []string{"effort", "thinking"}, run: runEffort},
		{id: "retry", title: "Answer again", group: groupChat, keys: []string{"alt+r"}, slash: []string{"retry", "regen"}, run: does((*Model).retryLast)},
		{id: "variant-back", title: "Earlier variant of the answer", group: groupChat, keys: []string{"alt+,"}, run: does(func(m *Model) tea.Cmd { return m.changeVariant(-1) })},
		{id: "variant-forward", title: "Later variant of the answer", group: groupChat, keys: []string{"alt+."}, run: does(func(m *Model) tea.Cmd { return m.changeVariant(1) })},
		{id: "continue", title: "Go on with the cut answer", group: groupChat, slash: []string{"continue"}, run: does((*Model).goOn)},
		{id: "set", title: "Set a request field", group: groupChat, slash: []string{"set"}, run: runSet},
		{id: "context", title: "What the next request comes to", group: groupChat, slash: []string{"context"}, run: act((*Model).showContext)},
		{id: "system", title: "Set the system prompt", group: groupChat, slash: []string{"system"}, run: runSystem},
		{id: "zdr", title: "Require zero data retention, or not", group: groupChat, slash: []string{"zdr"}, run: runZDR},
		{id: "json", title: "Answer in JSON", group: groupChat, slash: []string{"json"}, run: runJSON},
		{id: "schema", title: "Answer in JSON of a schema", group: groupChat, slash: []string{"schema"}, run: fromFile("schema")},
		{id: "grammar", title: "Answer by a grammar", group: groupChat, slash: []string{"grammar"}, run: fromFile("grammar")},
		{id: "regex", title: "Answer by a regular expression", group: groupChat, slash: []string{"regex"}, run: runRegex},
		{id: "repair", title: "Have the answer put right", group: groupChat, slash: []string{"repair"}, run: does((*Model).repair)},
		{id: "choices", title: "Several answers at once", group: groupChat, slash: []string{"n"}, run: runChoices},
		{id: "logprobs", title: "Log probabilities of the answer", group: groupChat, slash: []string{"logprobs"}, run: runLogprobs},
		{id: "rename", title: "Rename the chat", group: groupChat, slash: []string{"rename"}, run: runRename},
		{id: "copy-answer", title: "Copy the last answer", group: groupChat, keys: []string{"alt+y"}, slash: []string{"copy"}, run: runCopy},
	}
}

// readActions are about reading, copying and moving.
func readActions() []action {
	return []action{
		{id: "copy-code", title: "Copy a code block", group: groupRead, keys: []string{"alt+c"}, slash: []string{"copy code"}, run: copyOnly("code")},
		{id: "copy-turn", title: "Copy question and answer", group: groupRead, slash: []string{"copy turn"}, run: copyOnly("turn")},
		{id: "copy-table", title: "Copy a table as tab-separated values", group: groupRead, slash: []string{"copy table"}, run: copyOnly("table")},
		{id: "copy-csv", title: "Copy a table as CSV", group: groupRead, slash: []string{"copy csv"}, run: copyOnly("csv")},
		{id: "copy-chat", title: "Copy the whole chat as Markdown", group: groupRead, slash: []string{"copy all"}, run: copyOnly("all")},
		{id: "quote", title: "Quote the message in the draft", group: groupRead, slash: []string{"quote"}, run: does((*Model).quote)},
		{id: "open-link", title: "Open a link of the message", group: groupRead, slash: []string{"open"}, run: runOpen},
		{id: "save", title: "Save the answer to a file", group: groupRead, slash: []string{"save"}, run: runSave},
		{id: "pipe", title: "Pipe the answer to a command", group: groupRead, slash: []string{"pipe"}, run: runPipe},
		{id: "reasoning", title: "Show reasoning: line, tail, full, hidden", group: groupRead, keys: []string{"ctrl+t"}, slash: []string{"reasoning"}, run: does((*Model).cycleReasoning)},
		{id: "raw", title: "Show markdown as it was written, or not", group: groupRead, slash: []string{"raw"}, run: act((*Model).toggleRaw)},
		{id: "wrap", title: "Wrap wide code, or scroll it sideways", group: groupRead, slash: []string{"wrap"}, run: does((*Model).toggleCodeScroll)},
		{id: "page-up", title: "Scroll up", group: groupRead, keys: []string{"pgup"}, run: page(-1), quiet: true},
		{id: "page-down", title: "Scroll down", group: groupRead, keys: []string{"pgdown"}, run: page(1), quiet: true},
		{id: "top", title: "Go to the first message", group: groupRead, keys: []string{"ctrl+home"}, slash: []string{"top"}, run: act((*Model).scrollTop)},
		{id: "tail", title: "Go to the end and follow", group: groupRead, keys: []string{"ctrl+end"}, slash: []string{"tail"}, run: act((*Model).scrollTail)},
		{id: "find", title: "Find in this chat", group: groupRead, keys: []string{"ctrl+f"}, slash: []string{"find"}, run: runFind},
		{id: "focus", title: "Move between composer and conversation", group: groupRead, keys: []string{"tab"}, run: act((*Model).switchFocus)},
	}
}

// appActions are about the program.
func appActions() []action {
	return []action{
		{id: "palette", title: "All commands", group: groupApp, keys: []string{"ctrl+p"}, run: act((*Model).openPalette)},
		{id: "help", title: "Keys and commands", group: groupApp, keys: []string{"f1"}, slash: []string{"help", "keys"}, run: act((*Model).openHelp)},
		{id: "help-empty", title: "Keys and commands", group: groupApp, where: paneComposer, keys: []string{"?"}, run: helpOnEmpty, quiet: true},
		{id: "mouse", title: "Leave the mouse to the terminal, or take it back", group: groupApp, slash: []string{"mouse"}, run: act((*Model).toggleMouse)},
		{id: "theme", title: "Choose the theme", group: groupApp, slash: []string{"theme", "themes"}, run: runTheme},
		{id: "key", title: "Replace the API key", group: groupApp, slash: []string{"key"}, run: act(func(m *Model) { m.push(newKeyPrompt(m)) })},
		{id: "redraw", title: "Draw the screen anew", group: groupApp, keys: []string{"ctrl+l"}, run: does(func(*Model) tea.Cmd { return tea.ClearScreen })},
		{id: "suspend", title: "Suspend to the shell", group: groupApp, keys: []string{"ctrl+z"}, run: does(func(*Model) tea.Cmd { return tea.Suspend })},
		{id: "escape", title: "Close, stop the answer, or go back to the composer", group: groupApp, keys: []string{"esc"}, run: does((*Model).escape), quiet: true},
		{id: "interrupt", title: "Stop the answer, else clear the draft, else twice quit", group: groupApp, keys: []string{"ctrl+c"}, run: does((*Model).interrupt), quiet: true},
		{id: "quit-empty", title: "Quit (on an empty draft)", group: groupApp, where: paneComposer, keys: []string{"ctrl+d"}, run: quitOnEmpty, quiet: true},
		{id: "quit", title: "Quit", group: groupApp, slash: []string{"quit", "exit", "q"}, run: does(func(*Model) tea.Cmd { return tea.Quit })},
	}
}

// writeActions are about the draft.
func writeActions() []action {
	return []action{
		{id: "send", title: "Send the message", group: groupWrite, where: paneComposer, keys: []string{"enter"}, run: does((*Model).enter), quiet: true},
		{id: "newline", title: "New line", group: groupWrite, where: paneComposer, keys: []string{"shift+enter", "alt+enter", "ctrl+j"}, run: insert("\n"), quiet: true},
		{id: "history-back", title: "Earlier message (at the top edge)", group: groupWrite, where: paneComposer, keys: []string{"up"}, run: vertical(composer.Up), quiet: true},
		{id: "history-forward", title: "Later message (at the bottom edge)", group: groupWrite, where: paneComposer, keys: []string{"down"}, run: vertical(composer.Down), quiet: true},
		{id: "editor", title: "Write in the external editor", group: groupWrite, keys: []string{"ctrl+g"}, slash: []string{"editor"}, run: does((*Model).edit)},
		{id: "expand-paste", title: "Unfold the paste at the caret", group: groupWrite, where: paneComposer, keys: []string{"alt+v"}, run: act(func(m *Model) { m.prompt.editor.Expand() })},
		{id: "undo", title: "Undo typing", group: groupWrite, where: paneComposer, keys: []string{"ctrl+_", "alt+z"}, run: act(func(m *Model) { m.prompt.editor.Undo() })},
		{id: "redo", title: "Redo typing", group: groupWrite, where: paneComposer, keys: []string{"alt+shift+z"}, run: act(func(m *Model) { m.prompt.editor.Redo() })},
	}
}

// findActions are the keys of a find: in its bar, and in the conversation before
// the conversation's own.
func findActions() []action {
	in := func(id, title string, run func(*Model, string) (tea.Cmd, bool), key string) action {
		return action{id: id, title: title, group: groupRead, where: paneFind, keys: []string{key}, run: run, quiet: true}
	}
	return []action{
		in("hit-enter", "Go to the next hit of the find", findEnter(1), "enter"),
		in("hit-enter-back", "Go to the earlier hit of the find", findEnter(-1), "shift+enter"),
		in("hit-next", "Next hit of the find", findStep(1), "down"),
		in("hit-back", "Earlier hit of the find", findStep(-1), "up"),
	}
}

// conversationActions are the letters that act on the focused message.
func conversationActions() []action {
	on := func(id, title string, run func(*Model, string) (tea.Cmd, bool), keys ...string) action {
		return action{id: id, title: title, group: groupRead, where: paneConversation, keys: keys, run: run, quiet: true}
	}
	return []action{
		on("row-down", "Scroll down a row", act(func(m *Model) { m.scrollBy(1) }), "j"),
		on("row-up", "Scroll up a row", act(func(m *Model) { m.scrollBy(-1) }), "k"),
		on("half-down", "Scroll half a page down", half(1), "d"),
		on("half-up", "Scroll half a page up", half(-1), "u"),
		on("first", "Go to the first message", act((*Model).scrollTop), "g"),
		on("last", "Go to the end and follow", act((*Model).scrollTail), "G"),
		on("turn-up", "Previous message", act(func(m *Model) { m.chat.transcript.focusBy(-1) }), "up", "{"),
		on("turn-down", "Next message", act(func(m *Model) { m.chat.transcript.focusBy(1) }), "down", "}"),
		on("code-left", "Scroll wide code to the left", sideways(-1), "left"),
		on("code-right", "Scroll wide code to the right", sideways(1), "right"),
		on("expand", "Unfold or fold", act(func(m *Model) { m.chat.transcript.toggleFocused() }), "space", "enter"),
		on("select-row-down", "Select a row down", extend(rowBy(1)), "shift+down"),
		on("select-row-up", "Select a row up", extend(rowBy(-1)), "shift+up"),
		on("select-cell-right", "Select to the right", extend((*transcript).cellRight), "shift+right"),
		on("select-cell-left", "Select to the left", extend((*transcript).cellLeft), "shift+left"),
		on("select-word-on", "Select a word to the right", extend((*transcript).wordRight), "ctrl+shift+right"),
		on("select-word-back", "Select a word to the left", extend((*transcript).wordLeft), "ctrl+shift+left"),
		on("copy", "Copy the selection, else the message", does((*Model).yank), "y"),
		on("code", "Copy a code block", does((*Model).pickCode), "c"),
		on("quote-here", "Quote the message in the draft", does((*Model).quote), "q"),
		on("open-link-here", "Open a link of the message", runOpen, "o"),
		on("regenerate", "Answer again", does((*Model).retryLast), "r"),
		on("continue-here", "Go on with the cut answer", does((*Model).goOn), "+"),
		on("variant-back-here", "Earlier variant of the last answer", does(func(m *Model) tea.Cmd { return m.changeVariant(-1) }), "["),
		on("variant-forward-here", "Later variant of the last answer", does(func(m *Model) tea.Cmd { return m.changeVariant(1) }), "]"),
		on("find-here", "Find in this chat", runFind, "/"),
		on("hit-next-here", "Next hit of the find", findStep(1), "n"),
		on("hit-back-here", "Earlier hit of the find", findStep(-1), "N"),
		on("help-here", "Keys and commands", act((*Model).openHelp), "?"),
	}
}

// motions are the keys of the editor.
func motions() []action {
	e := func(id, title string, f func(*composer.Composer) bool, keys ...string) action {
		return action{id: id, title: title, group: groupMotion, where: paneComposer, keys: keys, quiet: true,
			run: func(m *Model, _ string) (tea.Cmd, bool) { f(m.prompt.editor); return nil, true }}
	}
	move := func(to composer.Motion, selecting bool) func(*composer.Composer) bool {
		return func(c *composer.Composer) bool { return c.Move(to, selecting) }
	}
	del := func(to composer.Motion) func(*composer.Composer) bool {
		return func(c *composer.Composer) bool { return c.Delete(to) }
	}
	kill := func(to composer.Motion) func(*composer.Composer) bool {
		return func(c *composer.Composer) bool { return c.Kill(to) }
	}
	return []action{
		e("left", "Left", move(composer.Left, false), "left"),
		e("right", "Right", move(composer.Right, false), "right"),
		e("word-left", "Word left", move(composer.WordLeft, false), "alt+b", "ctrl+left", "alt+left"),
		e("word-right", "Word right", move(composer.WordRight, false), "alt+f", "ctrl+right", "alt+right"),
		e("line-start", "Start of the line", move(composer.LineStart, false), "ctrl+a", "home"),
		e("line-end", "End of the line", move(composer.LineEnd, false), "ctrl+e", "end"),
		e("paragraph-up", "Paragraph up", move(composer.ParagraphUp, false), "ctrl+up"),
		e("paragraph-down", "Paragraph down", move(composer.ParagraphDown, false), "ctrl+down"),
		e("select-left", "Select left", move(composer.Left, true), "shift+left"),
		e("select-right", "Select right", move(composer.Right, true), "shift+right"),
		e("select-up", "Select up", move(composer.Up, true), "shift+up"),
		e("select-down", "Select down", move(composer.Down, true), "shift+down"),
		e("select-word-left", "Select a word left", move(composer.WordLeft, true), "ctrl+shift+left"),
		e("select-word-right", "Select a word right", move(composer.WordRight, true), "ctrl+shift+right"),
		e("select-start", "Select to the start of the line", move(composer.LineStart, true), "shift+home"),
		e("select-end", "Select to the end of the line", move(composer.LineEnd, true), "shift+end"),
		e("backspace", "Delete to the left", del(composer.Left), "backspace", "shift+backspace"),
		e("delete", "Delete to the right", del(composer.Right), "delete"),
		e("kill-word-back", "Cut the word to the left", kill(composer.WordLeft), "ctrl+w", "alt+backspace"),
		e("kill-word", "Cut the word to the right", kill(composer.WordRight), "alt+d"),
		e("kill-line-back", "Cut to the start of the line", kill(composer.LineStart), "ctrl+u"),
		e("kill-line", "Cut to the end of the line", kill(composer.LineEnd), "ctrl+k"),
		e("yank", "Insert what was cut", func(c *composer.Composer) bool { c.Yank(); return true }, "ctrl+y"),
	}
}

func insert(s string) func(*Model, string) (tea.Cmd, bool) {
	return act(func(m *Model) { m.prompt.editor.Insert(s) })
}

// vertical moves the caret, and at the edge of the text through the history.
func vertical(to composer.Motion) func(*Model, string) (tea.Cmd, bool) {
	return act(func(m *Model) {
		if !m.prompt.editor.Move(to, false) {
			m.prompt.recall(to == composer.Up)
		}
	})
}

func page(sign int) func(*Model, string) (tea.Cmd, bool) {
	return act(func(m *Model) { m.scrollBy(sign * max(1, m.chat.transcript.list.Height()-2)) })
}

func half(sign int) func(*Model, string) (tea.Cmd, bool) {
	return act(func(m *Model) { m.scrollBy(sign * max(1, m.chat.transcript.list.Height()/2)) })
}

func helpOnEmpty(m *Model, _ string) (tea.Cmd, bool) {
	if !m.prompt.editor.Empty() {
		return nil, false
	}
	m.openHelp()
	return nil, true
}

func quitOnEmpty(m *Model, _ string) (tea.Cmd, bool) {
	if m.prompt.editor.Empty() {
		return tea.Quit, true
	}
	m.prompt.editor.Delete(composer.Right) // what readline does
	return nil, true
}
