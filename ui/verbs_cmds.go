package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"waferchat/session"
)

// The commands of copying and of the verbs.

// copyChatCmd reads the messages up to end, which are not on the screen yet, and
// copies the text that is made with them.
func copyChatCmd(copyText func(string) (string, string, error), s *session.Store, end session.MessageID, text func([]session.Message) string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		path, err := s.Path(ctx, end, 0)
		if err != nil {
			return copiedMsg{err: err}
		}
		whole := lineEnds(text(path))
		return copyCmd(copyText, "chat, "+plural(lineCount(whole), "line"), whole)()
	}
}

// fileToSave is a text for a file of the user's.
type fileToSave struct {
	what, name, text string
	replace          bool // an existing one
}

func saveFileCmd(save func(name, text string, replace bool) (string, error), f fileToSave) tea.Cmd {
	return func() tea.Msg {
		path, err := save(f.name, f.text, f.replace)
		return fileSavedMsg{file: f, path: path, err: err}
	}
}

// pipeCmd runs a command until ctx ends.
func pipeCmd(ctx context.Context, run func(context.Context, string, string) (Piped, error), p piping, input string) tea.Cmd {
	return func() tea.Msg {
		defer close(p.ended)
		result, err := run(ctx, p.command, input)
		return pipedMsg{result: result, err: err}
	}
}

// editBlockCmd runs the external editor on a code block.
func editBlockCmd(edit func(name, text string) (Runner, func() (string, error), error), name string, b codeBlock) tea.Cmd {
	return func() tea.Msg {
		run, done, err := edit(name, b.text)
		if err != nil {
			return blockEditedMsg{block: b, err: err}
		}
		return tea.Exec(run, func(err error) tea.Msg {
			text, readErr := done()
			return blockEditedMsg{block: b, text: text, err: errors.Join(err, readErr)}
		})()
	}
}

// launchCmd opens a link, and copies it where that cannot be done.
func launchCmd(launch func(string) error, copyText func(string) (string, string, error), link string) tea.Cmd {
	return func() tea.Msg {
		err := errors.New("nothing opens links here")
		if launch != nil {
			err = launch(link)
		}
		msg := launchedMsg{link: link, err: err}
		if err != nil && copyText != nil {
			msg.copied.raw, msg.copied.how, msg.copied.err = copyText(link)
		}
		return msg
	}
}
