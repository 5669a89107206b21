package chat

import (
	"encoding/json"
	"slices"
	"strings"

	"waferchat/api"
)

// LimitReason says where the max_tokens of an answer comes from.
type LimitReason string

// The reasons of a [Limit], as the API's document has them.
const (
	// LimitUnknown: too little is known of the model or its server.
	LimitUnknown LimitReason = ""
	// LimitModel: none was set, the model's max_output_tokens holds.
	LimitModel LimitReason = "model"
	// LimitDefault: none was set and the model has none; 65,536 or half of the
	// context window, whichever is smaller.
	LimitDefault LimitReason = "default"
	// LimitSet: as it was set.
	LimitSet LimitReason = "set"
	// LimitLowered: what was set is above the model's max_output_tokens.
	LimitLowered LimitReason = "lowered"
	// LimitIgnored: what was set is above the whole context window, which counts
	// as if none was set.
	LimitIgnored LimitReason = "ignored"
	// LimitDropped: the prompt and what was set do not fit the context window
	// together; the server tries again as if none was set.
	LimitDropped LimitReason = "dropped"
)

// Limit is the max_tokens that is in effect for an answer, and why.
type Limit struct {
	// Tokens is the limit, without Room; 0 is unknown.
	Tokens int64
	Why    LimitReason
	// Asked is what the user set, 0: nothing.
	Asked int64
	// Room is what the server may add for reasoning, at most.
	Room int64
	// Squeezed tells that what is left of the context window is less than what
	// would hold otherwise, so that Tokens and Room depend on an estimate.
	Squeezed bool

	wafer bool
}

// Most is how many tokens the answer may have at most, 0 when unknown.
func (l Limit) Most() int64 {
	if l.Tokens == 0 {
		return 0
	}
	return l.Tokens + l.Room
}

// Firm is the limit to keep with an answer, for session.Message.Limit: what it
// can be held against later. It is 0 where the limit depends on an estimate, and
// on other servers than Wafer, which end answers with "length" for more reasons.
func (l Limit) Firm() int64 {
	if l.Squeezed || !l.wafer {
		return 0
	}
	return l.Tokens
}

// The numbers of the API's document, "Output length".
const (
	defaultLimit  = 65_536
	reasoningRoom = 24_576
)

// EffectiveLimit tells what max_tokens an answer will have. card is that of the
// model, if it is known; wafer tells whether the server is Wafer's, whose
// document has the rules: of other servers no more is known than what p sets. p
// are the parameters with the effort that is asked for, prompt the tokens of
// the prompt.
func EffectiveLimit(card api.Model, known, wafer bool, p api.Params, prompt int64) Limit {
	l := Limit{Asked: askedLimit(p), wafer: wafer}
	if !wafer || !known {
		if l.Tokens = l.Asked; l.Asked > 0 {
			l.Why = LimitSet
		}
		return l
	}
	window, most := card.ContextLength, card.MaxOutputTokens
	switch {
	case l.Asked == 0:
		l.unset(card)
	case window > 0 && l.Asked > window:
		l.unset(card)
		l.Why = LimitIgnored
	case most > 0 && l.Asked > most:
		l.Tokens, l.Why = most, LimitLowered
	default:
		l.Tokens, l.Why = l.Asked, LimitSet
	}
	if window > 0 && prompt+l.Tokens > window && (l.Why == LimitSet || l.Why == LimitLowered) {
		l.unset(card)
		l.Why = LimitDropped
	}
	if reservesRoom(card.ID) && reasons(card, p) {
		l.Room = reasoningRoom
	}
	if left := max(window-prompt, 0); window > 0 && l.Most() > left {
		l.Squeezed = true
		l.Tokens = min(l.Tokens, left)
		l.Room = min(l.Room, left-l.Tokens)
	}
	return l
}

// askedLimit is the limit that the user set: max_tokens wins.
func askedLimit(p api.Params) int64 {
	for _, n := range []*int{p.MaxTokens, p.MaxCompletionTokens} {
		if n != nil {
			return max(int64(*n), 0)
		}
	}
	return 0
}

// unset is the limit where the request sets none.
func (l *Limit) unset(card api.Model) {
	switch {
	case card.MaxOutputTokens > 0:
		l.Tokens, l.Why = card.MaxOutputTokens, LimitModel
	case card.ContextLength > 0:
		l.Tokens, l.Why = min(defaultLimit, card.ContextLength/2), LimitDefault
	default:
		l.Tokens, l.Why = 0, LimitUnknown
	}
}

// reservesRoom tells whether Wafer adds room for reasoning on a model.
func reservesRoom(model string) bool {
	return anyFold([]string{"DeepSeek-V4-Flash-0731-Fast", "DeepSeek-V4-Pro"}, model)
}

// reasons tells whether a request has the model reason, as far as is known.
func reasons(card api.Model, p api.Params) bool {
	effort := effortOf(p)
	if effort == "" {
		effort = card.DefaultEffort
	}
	return effort != "" && !strings.EqualFold(effort, effortNone)
}

// effortNone is the effort that turns reasoning off, effortOn stands for
// "thinking" enabled, which names no tier.
const (
	effortNone = "none"
	effortOn   = "enabled"
)

// effortOf is the effort that the parameters ask for, by any of the three
// fields that the document gives for it; "" leaves it to the model.
func effortOf(p api.Params) string {
	if p.ReasoningEffort != "" {
		return p.ReasoningEffort
	}
	var object struct {
		Effort string `json:"effort"`
		Type   string `json:"type"`
	}
	if json.Unmarshal(p.Reasoning, &object) == nil && object.Effort != "" {
		return object.Effort
	}
	if json.Unmarshal(p.Thinking, &object) == nil {
		switch object.Type {
		case "enabled":
			return effortOn
		case "disabled":
			return effortNone
		}
	}
	return ""
}

// anyFold tells whether a name is in a list, case aside.
func anyFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
