package cli

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"waferchat/chat"
	"waferchat/session"
)

// forecast measures what a prompt would come to, from what is on this machine.
func (p *program) forecast(ctx context.Context, engine *chat.Engine, v session.Session, prompt string) (chat.Forecast, bool) {
	gauge, err := engine.Gauge(ctx, v)
	if err != nil {
		p.log.Warn("forecast", "error", err.Error())
		return chat.Forecast{}, false
	}
	return gauge.Forecast(prompt), true
}

// startNotices tells what there is to know about a request that is on its way,
// without holding up its answer. The result waits until it has been told, which
// is not long.
func (p *program) startNotices(ctx context.Context, engine *chat.Engine, j job, prompt string) (wait func()) {
	if p.flags.quiet || unremarkable(j.session, prompt) && p.inService(j) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := p.aside("notices", func() {
		if f, ok := p.forecast(ctx, engine, j.session, prompt); ok {
			p.tellNotices(f.Notices)
		}
	})
	return func() {
		late := time.AfterFunc(noticeLimit, cancel)
		<-done
		late.Stop()
		cancel()
	}
}

// unremarkable tells that there is nothing to notice about a request, so that it
// need not be measured: a short first message with nothing set.
func unremarkable(v session.Session, prompt string) bool {
	const short = 16 << 10
	return v.Head == "" && !v.ZDR && v.Effort == "" && len(prompt) < short && reflect.ValueOf(v.Params).IsZero()
}

// inService tells whether nothing is known against a chat's model.
func (p *program) inService(j job) bool {
	list := p.listed(j.conn).Models
	card, known := list.Find(j.session.Model)
	return len(list) == 0 || known && card.Disabled == ""
}

// noticeLimit is how long a finished answer waits for the notices of a very
// long chat.
const noticeLimit = time.Second

func (p *program) tellNotices(notices []chat.Notice) {
	for _, n := range notices {
		kind := "note"
		if n.Warning {
			kind = "warning"
		}
		p.note("%s: %s", kind, n.Text)
	}
}

// tellForecast tells what a prompt would come to, for a dry run.
func (p *program) tellForecast(ctx context.Context, engine *chat.Engine, j job, prompt string) {
	if p.flags.quiet {
		return
	}
	f, ok := p.forecast(ctx, engine, j.session, prompt)
	if !ok {
		return
	}
	text := estimate(f)
	if list := p.listed(j.conn); !j.conn.Demo && f.Least != nil && list.old() {
		text += fmt.Sprintf(" (prices of %s)", past(time.Since(list.Fetched)))
	}
	p.note("%s", text)
	p.tellNotices(f.Notices)
}

// estimate is a forecast in words.
func estimate(f chat.Forecast) string {
	var b strings.Builder
	fmt.Fprintf(&b, "estimate: %s tokens (±%.0f %%)", grouped(f.Request), math.Ceil(f.Error*100))
	if f.Window > 0 {
		fmt.Fprintf(&b, " of a context of %s", grouped(f.Window))
	}
	if f.Limit > 0 {
		fmt.Fprintf(&b, "; an answer of at most %s tokens", grouped(f.Limit))
	} else {
		b.WriteString("; the most tokens of an answer are unknown")
	}
	switch {
	case f.Least != nil && f.Most != nil:
		fmt.Fprintf(&b, "; %s to %s", money(*f.Least), money(*f.Most))
	case f.Least != nil:
		fmt.Fprintf(&b, "; at least %s", money(*f.Least))
	default:
		b.WriteString("; the price is unknown")
	}
	return b.String()
}

// grouped writes a number with a comma after every three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// money writes micro-cents as dollars, with two digits that tell something where
// it is less than a cent.
func money(microCents int64) string {
	const dollar = 100_000_000
	v := float64(microCents) / dollar
	if v == 0 || v >= 0.01 {
		return "$" + strconv.FormatFloat(v, 'f', 2, 64)
	}
	digits := int(math.Ceil(-math.Log10(v))) + 1
	return "$" + strconv.FormatFloat(v, 'f', digits, 64)
}
