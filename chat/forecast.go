package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"waferchat/api"
	"waferchat/session"
)

// Gauge is what is known of the next request of a session before its draft: the
// tokens of the conversation, the model's limits and prices. It is a value that
// does not change; a new one is wanted when the session's path, model or
// parameters change, or an answer has ended. The zero value knows nothing and
// forecasts nothing.
type Gauge struct {
	meter       *meter
	base        int64 // the request without a draft, in the unit of the meter
	calibration session.Calibration
	outlook     outlook
	prices      *api.Prices
	// The notices that do not depend on the draft.
	before, after []Notice
}

// Gauge measures the session's active path and looks the model up. It reads the
// store, so it is for a command and not for an update loop: 10,000 turns take
// some hundred milliseconds, and a few megabytes at a time.
func (e *Engine) Gauge(ctx context.Context, v session.Session) (Gauge, error) {
	calibration, err := e.store.Calibration(ctx, v.Model)
	if err != nil {
		return Gauge{}, fmt.Errorf("measure session %s: %w", v.ID, err)
	}
	req := e.request(v, nil) // all but the conversation
	g := Gauge{
		meter:       e.meter(),
		calibration: calibration,
		outlook:     e.outlook(v, req),
		prices:      e.prices(v.Model),
	}
	conversation, pictures, err := e.measure(ctx, v)
	if err != nil {
		return Gauge{}, fmt.Errorf("measure session %s: %w", v.ID, err)
	}
	g.base, g.outlook.pictures = g.meter.request(req)+conversation, pictures
	g.before, g.after = g.outlook.standing()
	return g, nil
}

// measured is how many messages are read at a time to be measured.
const measured = 1000

// measure reads the active path from its end to its root, never all of it at
// once, and returns what its messages come to, in the unit of the meter, and how
// many pictures are in them. Each piece begins with a question, so that it is
// projected as in the whole.
func (e *Engine) measure(ctx context.Context, v session.Session) (sum int64, pictures int, err error) {
	bare := v
	bare.System = "" // it was counted
	for end := v.Head; end != ""; {
		path, err := e.store.Path(ctx, end, measured)
		if err != nil {
			return 0, 0, err
		}
		if len(path) == measured {
			first := slices.IndexFunc(path, func(m session.Message) bool { return m.Role == api.RoleUser })
			path = path[max(first, 0):]
		}
		for _, m := range e.request(bare, path).Messages {
			sum += e.meter().message(&m)
		}
		pictures += picturesIn(path)
		end = path[0].Parent
	}
	return sum, pictures, nil
}

// picturesIn counts the pictures that users put into messages.
func picturesIn(path []session.Message) int {
	n := 0
	for i := range path {
		if m := &path[i]; m.Role != api.RoleUser || m.Deleted {
			continue
		}
		for _, p := range path[i].Parts {
			if p.Kind == session.PartImage {
				n++
			}
		}
	}
	return n
}

// outlook gathers what notices about a request are made of.
func (e *Engine) outlook(v session.Session, req api.Request) outlook {
	o := outlook{
		session: v,
		params:  req.Params,
		wafer:   e.wafer,
		tools:   len(v.Tools) > 0 || len(req.Tools) > 0 || isSet(req.Extra["tools"]),
		names:   e.names(),
		honours: e.honours,
	}
	o.card, o.known = e.model(v.Model)
	if v.ZDR {
		o.private = e.private(o.names)
	}
	return o
}

// isSet tells whether a field is there and holds anything.
func isSet(raw json.RawMessage) bool {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil { // null is a list of nothing
		return len(list) > 0
	}
	return len(bytes.TrimSpace(raw)) > 0
}

// private are those of the models that have zero data retention.
func (e *Engine) private(names []string) []string {
	var out []string
	for _, name := range names {
		if card, ok := e.model(name); ok && card.ZDR == api.Yes && card.Disabled == "" {
			out = append(out, name)
		}
	}
	return out
}

// expect tells what is to be kept with the answer to a request before it is
// sent: session.Message.Estimate and session.Message.Limit.
func (e *Engine) expect(ctx context.Context, req api.Request) (estimate, limit int64) {
	estimate = whole(e.meter().request(req))
	// Without a calibration the estimate itself has to do.
	calibration, _ := e.store.Calibration(ctx, req.Model)
	prompt, _ := calibration.Tokens(estimate)
	card, known := e.model(req.Model)
	return estimate, EffectiveLimit(card, known, e.wafer, req.Params, prompt).Firm()
}

// Forecast is what sending a draft would come to. Tokens are estimates: see
// Error.
type Forecast struct {
	// Draft are the tokens of the draft alone, Request those of everything that
	// would be sent with it.
	Draft, Request int64
	// Error is how far from the truth Request may be, as a share of it: 0.08 is
	// 8 % to either side. Calibrated tells that it was measured on answers of
	// this model; otherwise it is what the estimate is known to be off by on
	// ordinary text.
	Error      float64
	Calibrated bool
	// Window is the model's context window in tokens, 0 when unknown.
	Window int64
	// Limit is the effective max_tokens of the answer, room that the server adds
	// for reasoning included; 0 when unknown. LimitReason says where it is from.
	Limit       int64
	LimitReason LimitReason
	// Least and Most bound the price in micro-cents: an answer of no tokens
	// whose prompt is as cached as it can be, and one of Limit tokens without a
	// cache, for each choice that is asked for. Both allow for Error. Nil is
	// unknown.
	Least, Most *int64
	// Notices are what the user should know before sending.
	Notices []Notice
}

// Forecast adds a draft to the gauge. It costs as much as reading the draft. A
// draft of blanks alone is none: Request is then what the conversation has.
func (g Gauge) Forecast(draft string) Forecast {
	if g.meter == nil {
		return Forecast{}
	}
	added, all := int64(0), g.base
	if strings.TrimSpace(draft) != "" {
		added = g.meter.count(draft)
		all += added + tokens(perMessage)
	}
	f := Forecast{Window: g.outlook.card.ContextLength, Calibrated: g.calibration.Calibrated()}
	f.Draft, _ = g.calibration.Tokens(whole(added))
	f.Request, f.Error = g.calibration.Tokens(whole(all))
	l := EffectiveLimit(g.outlook.card, g.outlook.known, g.outlook.wafer, g.outlook.params, f.Request)
	f.Limit, f.LimitReason = l.Most(), l.Why
	base, _ := g.calibration.Tokens(whole(g.base))
	f.Least, f.Most = g.price(f, base)
	f.Notices = slices.Concat(g.before, g.outlook.sized(f, l), g.after)
	return f
}

// price bounds what a request costs. base are the tokens that an earlier request
// may have left in the server's cache.
func (g Gauge) price(f Forecast, base int64) (least, most *int64) {
	if g.prices == nil {
		return nil, nil
	}
	low := int64(math.Floor(float64(f.Request) * max(1-f.Error, 0)))
	high := int64(math.Ceil(float64(f.Request) * (1 + f.Error)))
	cached := int64(math.Floor(float64(base) * max(1-f.Error, 0)))
	if in, read := g.prices.Input, g.prices.CacheRead; in == nil || read == nil || *read > *in {
		cached = 0
	}
	none := int64(0)
	least = session.Cost(&api.Usage{PromptTokens: &low, CachedTokens: &cached, CompletionTokens: &none}, g.prices)
	if f.Limit == 0 {
		return least, nil
	}
	choices := int64(1)
	if n := g.outlook.params.N; n != nil {
		choices = int64(max(*n, 1))
	}
	answers := f.Limit * choices
	most = session.Cost(&api.Usage{PromptTokens: &high, CompletionTokens: &answers}, g.prices)
	return least, most
}
