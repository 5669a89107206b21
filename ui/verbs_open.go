package ui

import (
	"net/url"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/session"
	"waferchat/ui/markdown"
	"waferchat/ui/untrusted"
)

// runOpen opens the one link of the message in question, the one with that
// number, or shows its links.
func runOpen(m *Model, arg string) (tea.Cmd, bool) {
	a := m.target()
	if a == nil {
		return m.nothingYet(), true
	}
	links := m.chat.transcript.links(a)
	n, err := strconv.Atoi(arg)
	switch {
	case arg != "" && (err != nil || n < 1 || n > len(links)), len(links) == 0:
		m.say(howMany(m.callIt(a), len(links), "link", "/open"))
	case arg != "":
		return m.launch(links[n-1].Target), true
	case len(links) == 1:
		return m.launch(links[0].Target), true
	default:
		m.pickLink(links)
	}
	return nil, true
}

// links are the links of a message that can be opened: by their schemes none of
// them runs anything.
func (t *transcript) links(a *session.Message) []markdown.Link {
	var out []markdown.Link
	seen := map[string]bool{}
	for _, text := range t.texts(a) {
		for _, l := range markdown.Links(lineEnds(text)) {
			u, err := url.Parse(l.Target)
			if err != nil || seen[l.Target] {
				continue
			}
			switch strings.ToLower(u.Scheme) {
			case "http", "https", "mailto":
				seen[l.Target] = true
				out = append(out, l)
			}
		}
	}
	return out
}

func (m *Model) pickLink(links []markdown.Link) {
	items := make([]item, len(links))
	for i, l := range links {
		items[i] = item{id: strconv.Itoa(i), name: untrusted.Line(l.Target)}
		if l.Text != l.Target && l.Text != "" {
			items[i].note, items[i].search = untrusted.Line(l.Text), untrusted.Line(l.Text)
		}
	}
	p := newPicker("Links", items, func(id string) tea.Cmd {
		i, _ := strconv.Atoi(id) // made above
		return m.launch(links[i].Target)
	})
	p.facts = plural(len(links), "link")
	p.foot = "⏎ open   ↑↓ move   Esc close"
	m.push(p)
}

func (m *Model) launch(link string) tea.Cmd { return launchCmd(m.deps.Launch, m.deps.Copy, link) }

// launched tells what became of a link: what does not open is copied.
func (m *Model) launched(msg launchedMsg) tea.Cmd {
	if msg.err == nil {
		m.say("opening " + untrusted.Line(msg.link))
		return nil
	}
	m.say("not opened: " + msg.err.Error())
	if msg.copied.how == "" {
		return nil
	}
	msg.copied.what = "not opened (" + msg.err.Error() + "): address"
	return m.copied(msg.copied)
}
