package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/nearest"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

// The request fields of the chat on screen: /set and the commands for those that
// are used often.

// runSet sets a request field ("temperature 0.3", "stop=END"), takes it out
// ("temperature="), or lists what is set.
func runSet(m *Model, arg string) (tea.Cmd, bool) {
	name, value, given := cutField(arg)
	switch {
	case name == "":
		m.listParams()
		return nil, true
	case strings.EqualFold(name, "zdr"):
		m.say("that is /zdr")
		return nil, true
	}
	name, _, err := api.ReadParam(name, "null") // its name on the wire
	switch {
	case err != nil:
		m.say(untrusted.Line(err.Error()))
		return nil, true
	case !given:
		m.say(m.paramNow(name))
		return nil, true
	case value == "" || value == "default":
		return m.setParam(name, func(p *api.Params) error { p.Unset(name); return nil }), true
	}
	return m.setParam(name, func(p *api.Params) error { return p.Set(name, value) }), true
}

// cutField splits "NAME=VALUE" or "NAME VALUE".
func cutField(s string) (name, value string, given bool) {
	s = strings.TrimSpace(s)
	i := strings.IndexAny(s, "= \t")
	if i < 0 {
		return s, "", false
	}
	name, value = s[:i], strings.TrimSpace(s[i+1:])
	if s[i] != '=' {
		value = strings.TrimSpace(strings.TrimPrefix(value, "="))
	}
	return name, value, s[i] == '=' || value != ""
}

// setParam changes the chat's parameters and says what they are now.
func (m *Model) setParam(name string, change func(*api.Params) error) tea.Cmd {
	if name == "reasoning_effort" {
		m.say("the effort has a command of its own: /effort")
		return nil
	}
	p := m.chat.session.Params
	if err := change(&p); err != nil {
		m.say(untrusted.Line(err.Error()))
		return nil
	}
	m.chat.session.Params = p
	if slices.Contains(api.ParamRivals("reasoning_effort"), name) {
		m.chat.session.Effort = "" // the same wish in other words
	}
	m.outlook.settings++
	m.say(m.paramNow(name))
	return m.keepSettings()
}

// paramNow tells a field's value, and the nearest name when nobody knows it.
func (m *Model) paramNow(name string) string {
	if raw, ok := paramValues(m.chat.session.Params)[name]; ok {
		text := fmt.Sprintf("%s = %s", untrusted.Line(name), untrusted.Line(string(raw)))
		if near, ok := nearest.Name(name, api.ParamNames()); ok && near != name && !slices.Contains(api.ParamNames(), name) {
			text += " (sent as it is; did you mean " + near + "?)"
		}
		return text
	}
	if !slices.Contains(api.ParamNames(), name) {
		if near, ok := nearest.Name(name, api.ParamNames()); ok {
			return fmt.Sprintf("%s is not set; did you mean %s?", untrusted.Line(name), near)
		}
	}
	return untrusted.Line(name) + " is not set"
}

func paramValues(p api.Params) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if raw, err := json.Marshal(p); err == nil {
		_ = json.Unmarshal(raw, &all) // it was made a line above
	}
	return all
}

// listParams shows what is set.
func (m *Model) listParams() {
	values := paramValues(m.chat.session.Params)
	if len(values) == 0 {
		m.chat.transcript.passing(noticeInfo, "No request field is set.", "/set NAME VALUE sets one, such as /set temperature 0.3; /set NAME= takes it out.")
		return
	}
	var lines []string
	for _, name := range append(api.ParamNames(), extraNames(m.chat.session.Params)...) {
		if raw, ok := values[name]; ok {
			lines = append(lines, untrusted.Line(name)+" = "+untrusted.Line(string(raw)))
		}
	}
	m.chat.transcript.passing(noticeInfo, "Request fields of this chat:", strings.Join(lines, "; ")+".")
}

func extraNames(p api.Params) []string {
	var names []string
	for name := range p.Extra {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// off tells whether an argument takes a setting away.
func off(arg string) bool {
	return slices.Contains([]string{"off", "no", "none", "default"}, strings.ToLower(arg))
}

// runChoices asks for several answers at once.
func runChoices(m *Model, arg string) (tea.Cmd, bool) {
	n, err := strconv.Atoi(arg)
	switch {
	case arg == "":
		m.say(m.paramNow("n"))
		return nil, true
	case off(arg) || n == 1:
		return m.setParam("n", func(p *api.Params) error { p.N = nil; return nil }), true
	case err != nil || n < 1:
		m.say("/n takes a number of answers, such as /n 3")
		return nil, true
	}
	return m.setParam("n", func(p *api.Params) error { p.N = &n; return nil }), true
}

// runLogprobs asks for the log probabilities of the answer's tokens, with that
// many alternatives of each.
func runLogprobs(m *Model, arg string) (tea.Cmd, bool) {
	n, err := strconv.Atoi(arg)
	switch {
	case off(arg):
		return m.setParam("logprobs", func(p *api.Params) error { p.Logprobs, p.TopLogprobs = nil, nil; return nil }), true
	case arg != "" && (err != nil || n < 0):
		m.say("/logprobs takes the number of alternatives, such as /logprobs 5, or off")
		return nil, true
	}
	return m.setParam("logprobs", func(p *api.Params) error {
		yes := true
		if p.Logprobs, p.TopLogprobs = &yes, nil; n > 0 {
			p.TopLogprobs = &n
		}
		return nil
	}), true
}

// runJSON turns JSON mode on, or off.
func runJSON(m *Model, arg string) (tea.Cmd, bool) {
	return m.setParam("response_format", func(p *api.Params) error {
		if off(arg) {
			p.ResponseFormat = nil
			return nil
		}
		return p.Set("response_format", string(api.JSONMode()))
	}), true
}

// runRegex constrains the answers to a regular expression.
func runRegex(m *Model, arg string) (tea.Cmd, bool) {
	if arg == "" {
		m.say(m.paramNow("regex"))
		return nil, true
	}
	return m.setParam("regex", func(p *api.Params) error {
		p.Unset("regex")
		if !off(arg) {
			p.Unset("response_format") // only one can say what the answer looks like
			p.Regex = arg
		}
		return nil
	}), true
}

// fromFile runs a command that takes a file for the response format.
func fromFile(command string) func(*Model, string) (tea.Cmd, bool) {
	return func(m *Model, arg string) (tea.Cmd, bool) {
		switch {
		case off(arg):
			return m.setParam("response_format", func(p *api.Params) error { p.ResponseFormat = nil; return nil }), true
		case arg == "":
			m.say(m.paramNow("response_format") + " · /" + command + " FILE reads one")
			return nil, true
		case m.deps.Format == nil:
			m.say("files cannot be read here")
			return nil, true
		}
		return formatCmd(m.deps.Format, command, arg), true
	}
}

func (m *Model) gotFormat(msg formatMsg) tea.Cmd {
	return m.setParam("response_format", func(p *api.Params) error {
		if msg.err != nil {
			return msg.err
		}
		return p.Set("response_format", string(msg.format))
	})
}

// runZDR locks the chat to zero data retention, or opens the lock.
func runZDR(m *Model, arg string) (tea.Cmd, bool) {
	s := &m.chat.session
	switch {
	case arg == "":
		s.ZDR = !s.ZDR
	case off(arg), strings.EqualFold(arg, "false"):
		s.ZDR = false
	case slices.Contains([]string{"on", "yes", "true", "required"}, strings.ToLower(arg)):
		s.ZDR = true
	default: // never open a lock for a word that is not understood
		m.say("/zdr takes on or off; zero data retention is " + map[bool]string{true: "required", false: "not required"}[s.ZDR])
		return nil, true
	}
	m.outlook.settings++
	if s.ZDR {
		m.say("zero data retention is required from now on; this chat is still saved here")
	} else {
		m.say("zero data retention is no longer required")
	}
	return m.keepSettings(), true
}

// runSystem sets the chat's system prompt; without one it comes up for editing.
func runSystem(m *Model, arg string) (tea.Cmd, bool) {
	s := &m.chat.session
	switch {
	case arg == "":
		m.prompt.editor.SetText("/system " + strings.ReplaceAll(s.System, "\n", " "))
		m.focus = paneComposer
		return nil, true
	case off(arg):
		arg = ""
	}
	s.System = arg
	m.outlook.settings++
	if arg == "" {
		m.say("there is no system prompt now")
	} else {
		m.say("system prompt: " + untrusted.Line(arg))
	}
	return m.keepSettings(), true
}

// check compares a finished answer with the schema, JSON mode or expression that
// it was asked under.
func (m *Model) check(a *session.Message) tea.Cmd {
	if a == nil || chat.CutShort(*a) || len(a.Params.ResponseFormat) == 0 && a.Params.Regex == "" || hasCalls(a) {
		return nil
	}
	return checkCmd(a)
}

func (m *Model) checked(msg checkedMsg) tea.Cmd {
	last := m.chat.transcript.lastAnswer()
	if last == nil || last.ID != msg.answer {
		return nil
	}
	m.outlook.wrong = msg
	var wrong *chat.AnswerError
	switch {
	case msg.err == nil:
		m.say("the answer is what the format demands")
	case errors.As(msg.err, &wrong) && wrong.Unchecked:
		m.chat.transcript.notice(noticeInfo, "The answer could not be checked here.", sentences(wrong))
	default:
		m.chat.transcript.notice(noticeWarning, "The answer is not what the format demands.",
			joinSentences(sentences(msg.err), m.keys.hint("retry")+" answers again; "+m.keys.hint("repair")+" writes what is wrong for the model."))
	}
	return nil
}

// sentences puts an error on one line that ends with a full stop.
func sentences(err error) string {
	return strings.TrimRight(untrusted.Line(err.Error()), ".") + "."
}

// repair puts a request to correct the last answer into the composer.
func (m *Model) repair() tea.Cmd {
	var wrong *chat.AnswerError
	last := m.chat.transcript.lastAnswer()
	if last == nil || m.outlook.wrong.answer != last.ID || !errors.As(m.outlook.wrong.err, &wrong) || wrong.Unchecked {
		m.say("there is nothing to repair")
		return nil
	}
	what := "the corrected JSON"
	if len(last.Params.ResponseFormat) == 0 {
		what = "a text of that form"
	}
	m.prompt.take()
	m.prompt.editor.SetText("Your answer is not valid:\n" + wrong.Error() + "\nAnswer again with " + what + " alone.")
	m.focus = paneComposer
	return nil
}
