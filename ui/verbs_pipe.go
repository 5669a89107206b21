package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/session"
	"waferchat/ui/untrusted"
)

// piping is the command of the user's that runs, if one does.
type piping struct {
	command string // "" for none
	session session.ID
	since   time.Time
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the command has ended
}

// pipeLimit is how long a command may take.
const pipeLimit = time.Minute

func (p *piping) running() bool { return p.command != "" }

// stop ends the command; false when there is none.
func (p *piping) stop() bool {
	if !p.running() {
		return false
	}
	p.cancel()
	return true
}

// shutdown ends the command and waits for its end.
func (p *piping) shutdown(ctx context.Context) {
	if p.stop() {
		select {
		case <-p.ended:
		case <-ctx.Done():
		}
	}
}

// runPipe gives the message in question to the command that is named, or asks
// for one.
func runPipe(m *Model, arg string) (tea.Cmd, bool) {
	what, text, ok := m.textTo("pipe")
	switch {
	case !ok:
		return nil, true
	case arg != "":
		return m.pipe(arg, text), true
	}
	m.askPipe(what, text)
	return nil, true
}

// pipeBlock asks for the command that a code block goes to.
func (m *Model) pipeBlock(b *codeBlock) tea.Cmd {
	m.askPipe(b.name(), b.text)
	return nil
}

func (m *Model) askPipe(what, text string) {
	m.askLine("Pipe "+what, "Your shell runs the command; its output becomes the draft.", "a command, such as sort or wc -l", "",
		func(command string) tea.Cmd { return m.pipe(command, text) })
}

// pipe runs a command with a text on its standard input.
func (m *Model) pipe(command, text string) tea.Cmd {
	p := &m.prompt.pipe
	switch {
	case m.deps.Pipe == nil:
		m.say("commands cannot be run here")
		return nil
	case p.running():
		m.say("a command is running already: " + m.keys.hint("escape") + " stops it")
		return nil
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	ctx, cancel := context.WithTimeout(context.Background(), pipeLimit)
	*p = piping{command: command, session: m.chat.session.ID, since: m.screen.now, cancel: cancel, ended: make(chan struct{})}
	return pipeCmd(ctx, m.deps.Pipe, *p, text)
}

// piped takes what a command has written: its output is the next draft.
func (m *Model) piped(msg pipedMsg) tea.Cmd {
	ran := m.prompt.pipe
	m.prompt.pipe = piping{}
	ran.cancel()
	name := commandName(ran.command)
	late := errors.Is(msg.err, context.DeadlineExceeded)
	switch {
	case errors.Is(msg.err, context.Canceled):
		m.say(name + " was stopped")
		return nil
	case msg.err != nil && !late:
		m.say("not run: " + msg.err.Error())
		return nil
	}
	how := fmt.Sprintf("exit code %d", msg.result.Code)
	if late {
		how = "stopped after " + seconds(pipeLimit)
	}
	m.complain(name, how, &msg.result, late)
	output := outputText(&msg.result)
	if output == "" {
		m.say(name + ": " + how + ", no output")
		return nil
	}
	what := plural(lineCount(output), "line")
	if n := msg.result.LeftOut; n > 0 {
		what += fmt.Sprintf(" (%s in the middle left out)", plural(int(n), "byte"))
	}
	if ran.session != m.chat.session.ID {
		m.prompt.remember(output)
		m.say(name + ": " + how + ", " + what + " → history, Up brings them here")
		return nil
	}
	cmd, note := m.newDraft(output)
	m.say(name + ": " + how + ", " + what + " → draft" + note)
	return cmd
}

// complain shows what a command wrote to its standard error, and that it failed.
func (m *Model) complain(name, how string, p *Piped, late bool) {
	words := lastLines(strings.TrimSpace(plainOutput(p.Errors)), complaintLines)
	if words == "" && p.Code == 0 && !late {
		return
	}
	kind := noticeInfo
	if p.Code != 0 || late {
		kind = noticeWarning
	}
	m.chat.transcript.passing(kind, name+": "+how+".", words)
}

// complaintLines is how much of a command's complaint is shown.
const complaintLines = 8

// lastLines is the end of a text, at most n lines of it.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= n {
		return text
	}
	return "…\n" + strings.Join(lines[len(lines)-n:], "\n")
}

// outputText is a command's output as a draft.
func outputText(p *Piped) string {
	text := plainOutput(p.Head)
	if p.LeftOut > 0 {
		text = strings.TrimRight(text, "\n") + fmt.Sprintf("\n… %s left out …\n", plural(int(p.LeftOut), "byte")) + strings.TrimLeft(plainOutput(p.Tail), "\n")
	}
	return strings.TrimRight(text, "\n")
}

// plainOutput is what a command wrote without escape sequences and control
// characters.
func plainOutput(s string) string { return untrusted.Plain(ansi.Strip(s)) }

// commandName is a command line for a message.
func commandName(command string) string { return "“" + fit(untrusted.Line(command), 40) + "”" }

// pipeLine tells of the running command in the status line.
func (m *Model) pipeLine() string {
	p := &m.prompt.pipe
	return fmt.Sprintf("%s %s of %s · %s stops", commandName(p.command), seconds(m.screen.now.Sub(p.since)), seconds(pipeLimit), m.keys.hint("escape"))
}
