package ui

import (
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

// The pickers: commands, chats, models, efforts, themes.

func (m *Model) openPalette() {
	var items []item
	for i := range m.keys.table {
		a := &m.keys.table[i]
		if a.quiet || a.id == "palette" {
			continue
		}
		it := item{id: a.id, name: a.title, search: a.id + " " + strings.Join(a.slash, " ")}
		if len(a.slash) > 0 {
			it.facts = []string{"/" + a.slash[0]}
		}
		if len(a.keys) > 0 {
			it.note = keyLabel(a.keys[0])
		}
		items = append(items, it)
	}
	m.push(newPicker("Commands", items, func(id string) tea.Cmd {
		for i := range m.keys.table {
			if a := &m.keys.table[i]; a.id == id {
				cmd, _ := a.run(m, "")
				return cmd
			}
		}
		return nil
	}))
}

// askSessions reads the list of chats; gotSessions shows it.
func (m *Model) askSessions() tea.Cmd {
	if m.back == nil {
		m.say("the chats are not open yet")
		return nil
	}
	return sessionsCmd(m.back.Store)
}

func (m *Model) gotSessions(msg sessionsMsg) tea.Cmd {
	if msg.err != nil {
		title, _ := chat.Explain(msg.err)
		m.say("the chats could not be read: " + title)
		return nil
	}
	m.pickSession(msg.list)
	return nil
}

func (m *Model) pickSession(list []session.Summary) {
	items := make([]item, len(list))
	for i := range list {
		items[i] = m.sessionItem(&list[i])
	}
	p := newPicker("Chats", items, func(id string) tea.Cmd {
		if session.ID(id) == m.chat.session.ID && m.chat.session.Head != "" {
			return nil
		}
		return loadCmd(*m.back, session.ID(id), "")
	})
	p.facts = plural(len(list), "chat")
	p.empty = "no chats yet: write something to begin one"
	m.push(p)
}

func (m *Model) sessionItem(s *session.Summary) item {
	title := untrusted.Line(s.Title)
	if title == "" {
		title = untrusted.Line(s.First)
	}
	facts := []string{plural(s.Turns, "turn"), untrusted.Line(s.Model)}
	if s.Cost != nil {
		facts = append(facts, dollars(*s.Cost))
	}
	it := item{id: string(s.ID), name: title, facts: facts, note: age(s.Updated, m.screen.now), search: untrusted.Line(s.First)}
	switch {
	case m.back != nil && m.back.Engine.Running(s.ID) != nil:
		it.alert = "streaming"
	case s.State == session.Interrupted || s.State == session.Failed:
		it.alert = string(s.State)
	}
	return it
}

// runModel opens the model list, or takes the one that is named.
func runModel(m *Model, arg string) (tea.Cmd, bool) {
	if arg == "" {
		return m.openModels(), true
	}
	if known, ok := m.catalogue.Models.Find(arg); ok {
		return m.useModel(known.ID), true
	}
	if near := m.nearModel(arg); near != "" {
		m.say(fmt.Sprintf("no model %s: did you mean %s?", untrusted.Line(arg), untrusted.Line(near)))
		return nil, true
	}
	return m.useModel(arg), true // a server may know more than its list says
}

// nearModel is the only model whose id contains arg.
func (m *Model) nearModel(arg string) string {
	found := ""
	for _, c := range m.catalogue.Models {
		if strings.Contains(strings.ToLower(c.ID), strings.ToLower(arg)) {
			if found != "" {
				return ""
			}
			found = c.ID
		}
	}
	return found
}

func (m *Model) openModels() tea.Cmd {
	items := m.modelItems()
	p := newPicker(modelPicker, items, m.useModel)
	p.facts = m.catalogueFacts()
	p.empty = "no models are known: /model NAME uses one by name"
	p.mark(m.chat.session.Model)
	m.push(p)
	if m.conn != nil && (m.catalogue.Err != nil || len(items) == 0) {
		return catalogueCmd(m.deps.Catalogue, *m.conn, true)
	}
	return nil
}

func (m *Model) modelItems() []item {
	items := make([]item, 0, len(m.catalogue.Models))
	for _, c := range m.catalogue.Models {
		it := item{id: c.ID, name: untrusted.Line(c.ID), facts: modelFacts(c), search: untrusted.Line(c.Description)}
		if strings.EqualFold(c.ID, m.chat.session.Model) {
			it.note = "in use"
		}
		items = append(items, it)
	}
	return items
}

func (m *Model) catalogueFacts() string {
	s := plural(len(m.catalogue.Models), "model")
	if !m.catalogue.Fetched.IsZero() {
		s += " · " + age(m.catalogue.Fetched, m.screen.now)
	}
	if m.catalogue.Err != nil {
		s += " · not refreshed"
	}
	return s
}

// modelFacts lists what a card says, in the order of use.
func modelFacts(c api.Model) []string {
	var facts []string
	add := func(yes bool, s string) {
		if yes {
			facts = append(facts, untrusted.Line(s))
		}
	}
	add(c.ContextLength > 0, short(c.ContextLength)+" context")
	add(c.Prices != nil, price(c.Prices))
	add(c.Vision == api.Yes, "vision")
	add(c.Tools == api.No, "no tools")
	add(c.ZDR == api.No, "no ZDR")
	add(c.MaxOutputTokens > 0, short(c.MaxOutputTokens)+" out")
	add(len(c.Efforts) > 0, strings.Join(c.Efforts, " "))
	return facts
}

// price is dollars per million tokens, in and out.
func price(p *api.Prices) string {
	if p == nil || p.Input == nil || p.Output == nil {
		return "price unknown"
	}
	usd := func(microCents int64) string {
		return strings.TrimSuffix(fmt.Sprintf("$%.2f", float64(microCents)/1e8), ".00")
	}
	return usd(*p.Input) + "/" + usd(*p.Output)
}

func (m *Model) useModel(id string) tea.Cmd {
	s := &m.chat.session
	s.Model, s.Effort = id, m.keptEffort(id)
	m.chat.model, m.chat.effort = s.Model, s.Effort
	m.say("model: " + untrusted.Line(id))
	return m.keepSettings()
}

// keptEffort is the effort in force, if the model lists it.
func (m *Model) keptEffort(id string) string {
	e := m.chat.session.Effort
	card, ok := m.catalogue.Models.Find(id)
	if !ok || len(card.Efforts) == 0 {
		return e
	}
	for _, known := range card.Efforts {
		if known == e {
			return e
		}
	}
	return ""
}

func (m *Model) keepSettings() tea.Cmd {
	if m.back == nil || m.chat.session.Head == "" || m.chat.busy {
		return nil
	}
	return saveSessionCmd(m.back.Store, m.chat.session)
}

// runEffort opens the list of efforts, or takes the one that is named.
func runEffort(m *Model, arg string) (tea.Cmd, bool) {
	if arg != "" {
		return m.useEffort(arg), true
	}
	card, _ := m.catalogue.Models.Find(m.chat.session.Model)
	efforts := card.Efforts
	if len(efforts) == 0 {
		efforts = []string{"none", "low", "medium", "high", "max"} // the API's document
	}
	items := []item{{id: defaultEffort, name: "model's default", facts: []string{untrusted.Line(card.DefaultEffort)}}}
	for _, e := range efforts {
		it := item{id: e, name: untrusted.Line(e)}
		if e == m.chat.session.Effort {
			it.note = "in use"
		}
		items = append(items, it)
	}
	p := newPicker("Reasoning effort", items, m.useEffort)
	p.mark(m.chat.session.Effort)
	m.push(p)
	return nil, true
}

const defaultEffort = "default"

func (m *Model) useEffort(e string) tea.Cmd {
	if e == defaultEffort {
		e = ""
	}
	m.chat.session.Effort = e
	for _, rival := range api.ParamRivals("reasoning_effort") {
		m.chat.session.Params.Unset(rival) // the same wish in other words
	}
	m.chat.model, m.chat.effort = m.chat.session.Model, e
	if e == "" {
		e = "the model's default"
	}
	m.say("effort: " + untrusted.Line(e))
	return m.keepSettings()
}

func (m *Model) gotCatalogue(msg catalogueMsg) tea.Cmd {
	c := msg.catalogue
	if len(c.Models) == 0 {
		c.Models, c.Fetched, c.Default = m.catalogue.Models, m.catalogue.Fetched, m.catalogue.Default
	}
	c.asked = msg.refreshed || m.catalogue.asked
	m.catalogue = c
	m.refreshModels()
	if m.chat.session.Model == "" {
		m.chat.session.Model = m.defaultModel()
	}
	if m.back != nil && m.queued != "" && (m.chat.session.Model != "" || c.asked) {
		return m.sendFirst()
	}
	return nil
}

// modelPicker names the model list.
const modelPicker = "Model"

// refreshModels puts a new catalogue into the open model list.
func (m *Model) refreshModels() {
	for _, o := range m.overlays {
		if p, ok := o.(*picker); ok && p.name == modelPicker {
			p.facts = m.catalogueFacts()
			p.setItems(m.modelItems())
		}
	}
}

func (m *Model) openThemes() {
	names := make([]string, 0, len(m.deps.Themes))
	for n := range m.deps.Themes {
		names = append(names, n)
	}
	sort.Strings(names)
	items := []item{{id: autoTheme, name: "auto", facts: []string{"as the terminal"}}}
	for _, n := range names {
		kind := "light"
		if m.deps.Themes[n].Dark {
			kind = "dark"
		}
		items = append(items, item{id: n, name: n, facts: []string{kind}})
	}
	before := m.screen.theme
	p := newPicker("Theme", items, func(id string) tea.Cmd {
		m.useTheme(id)
		return keepSettingCmd(m.deps.KeepSetting, "theme", id)
	})
	p.preview = func(id string) {
		if id == "" {
			id = before
		}
		m.useTheme(id)
	}
	p.mark(before)
	m.push(p)
}

// runTheme opens the list of themes, or takes the one that is named.
func runTheme(m *Model, arg string) (tea.Cmd, bool) {
	if arg == "" {
		m.openThemes()
		return nil, true
	}
	if _, ok := m.deps.Themes[arg]; !ok && arg != autoTheme {
		m.say("there is no theme " + untrusted.Line(arg) + ": /theme lists them")
		return nil, true
	}
	m.useTheme(arg)
	return keepSettingCmd(m.deps.KeepSetting, "theme", arg), true
}

// autoTheme follows the terminal's background.
const autoTheme = "auto"

func (m *Model) useTheme(name string) {
	m.screen.theme = name
	m.restyle()
}
