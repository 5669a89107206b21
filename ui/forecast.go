package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

// outlook is the forecast on the composer's rule: what the engine measured of
// the chat, and what the draft adds to it.
type outlook struct {
	gauge    chat.Gauge
	measured occasion // what gauge is about
	asked    occasion // what is being measured
	settings int      // counts the changes of the chat's parameters
	version  uint64   // of the draft that now is about
	now      chat.Forecast
	wrong    checkedMsg // how the answer that was checked last misses its format
}

// occasion is all that a gauge depends on.
type occasion struct {
	session  session.ID
	head     session.MessageID
	model    string
	effort   string
	settings int
	models   int64 // when the catalogue was fetched
}

// longDraft is the size of a draft, in bytes, from which its tokens are only
// guessed: reading it at every key would be felt.
const longDraft = 256 << 10

// watchForecast keeps the forecast true: it asks for a new gauge when the chat
// or its parameters have changed, and adds the draft when that has.
func (m *Model) watchForecast() tea.Cmd {
	o := &m.outlook
	s := &m.chat.session
	if m.back == nil || s.Model == "" || m.chat.live.state != "" {
		return nil
	}
	want := occasion{s.ID, s.Head, s.Model, s.Effort, o.settings, m.catalogue.Fetched.UnixNano()}
	if o.measured == want {
		if v := m.prompt.editor.Version(); v != o.version {
			o.version = v
			o.now = o.forecast(m.prompt.editor.Text())
		}
		return nil
	}
	if o.asked == want {
		return nil
	}
	o.asked = want
	return gaugeCmd(m.deps.After, m.back.Engine, *s, want)
}

func (o *outlook) forecast(draft string) chat.Forecast {
	if len(draft) <= longDraft {
		return o.gauge.Forecast(draft)
	}
	f := o.gauge.Forecast("")
	f.Draft = int64(len(draft) / bytesPerToken)
	f.Request += f.Draft
	return f
}

// bytesPerToken is the rule of thumb where nothing better is at hand.
const bytesPerToken = 4

// gauged takes a new gauge, unless the chat has moved on meanwhile.
func (m *Model) gauged(msg gaugeMsg) tea.Cmd {
	o := &m.outlook
	if msg.about != o.asked {
		return nil
	}
	if msg.err != nil { // the rule of thumb stays
		return nil
	}
	told, _ := firstNotice(o.now)
	o.gauge, o.measured = msg.gauge, msg.about
	o.version = m.prompt.editor.Version()
	o.now = o.forecast(m.prompt.editor.Text())
	if text, warning := firstNotice(o.now); warning && text != told {
		m.say(text)
	}
	return nil
}

// firstNotice is what the rule says of a forecast: the first warning, else the
// first note, "" when there is none. That chats are saved here is told once, when
// zero data retention is asked for.
func firstNotice(f chat.Forecast) (text string, warning bool) {
	for _, n := range f.Notices {
		switch {
		case n.Warning:
			return untrusted.Line(n.Text), true
		case text == "" && n.Kind != chat.NoticeZDR:
			text = untrusted.Line(n.Text)
		}
	}
	return text, false
}

// gauge is the forecast that counts now; ok is false while there is none.
func (m *Model) gauge() (f chat.Forecast, ok bool) {
	o := &m.outlook
	return o.now, o.measured.session == m.chat.session.ID && o.measured.model == m.chat.session.Model
}

// showContext tells all that is known of the request to come.
func (m *Model) showContext() {
	f, ok := m.gauge()
	if !ok {
		m.say("nothing is known of the next request yet")
		return
	}
	facts := []string{fmt.Sprintf("about %s tokens (± %.0f %%)", grouped(int(f.Request)), f.Error*100)}
	if f.Window > 0 {
		facts = append(facts, percent(f.Request, f.Window)+" of "+grouped(int(f.Window)))
	}
	if f.Limit > 0 {
		facts = append(facts, "an answer of at most "+grouped(int(f.Limit))+" tokens")
	}
	if p := priceRange(f.Least, f.Most); p != "" {
		facts = append(facts, p)
	}
	advice := strings.Join(facts, ", ") + "."
	for _, n := range f.Notices {
		advice = joinSentences(advice, untrusted.Line(n.Text))
	}
	m.chat.transcript.passing(noticeInfo, "The next request:", advice)
}

// forecast is what the draft will add: tokens, share of the context window and
// the range of the price.
func (m *Model) forecast(w int) string {
	e := m.prompt.editor
	if e.Empty() {
		return ""
	}
	f, ok := m.gauge()
	if !ok {
		return "+" + plural(e.Len()/bytesPerToken+1, "token")
	}
	parts := []string{"+" + plural(max(1, int(f.Draft)), "token")}
	if f.Window > 0 {
		parts = append(parts, percent(f.Request, f.Window)+" of "+short(f.Window))
	} else {
		parts = append(parts, short(f.Request)+" in all")
	}
	if p := priceRange(f.Least, f.Most); p != "" {
		parts = append(parts, p)
	}
	return joinFit(parts, " · ", w)
}

// priceRange is "$0.0003 – $0.12"; "" when nothing is known.
func priceRange(least, most *int64) string {
	switch {
	case least == nil && most == nil:
		return ""
	case most == nil:
		return dollars(*least) + " + answer"
	case least == nil:
		return "up to " + dollars(*most)
	case *least == *most:
		return dollars(*most)
	}
	return dollars(*least) + " – " + dollars(*most)[len("≈ "):]
}

// notice is what the rule says of the request to come.
func (m *Model) notice() (text string, warning bool) {
	f, ok := m.gauge()
	if !ok {
		return "", false
	}
	return firstNotice(f)
}
