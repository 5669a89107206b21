package chat

import (
	"encoding/json"
	"strings"
)

// efforts are the values of reasoning_effort that the API's document knows.
func efforts() []string { return []string{effortNone, "low", "medium", "high", "xhigh", "max"} }

// tightLimit is a max_tokens that unseen reasoning alone can use up.
const tightLimit = 4096

// aboutEffort tells of an effort that runs as another one, or does not do what
// it says.
func (o *outlook) aboutEffort() []Notice {
	effort := effortOf(o.params)
	if effort == "" {
		return nil
	}
	var out []Notice
	switch lists := anyFold(o.card.Efforts, effort); {
	case o.wafer && effort != effortOn && !anyFold(efforts(), effort):
		out = warn(NoticeEffort, "The server does not know the effort %s and will refuse it; it knows %s.", clean(effort), list(efforts()))
	case len(o.card.Efforts) == 0 || lists || effort == effortOn:
	case !o.wafer:
		out = note(NoticeEffort, "%s lists the efforts %s, and not %s.", o.model(), list(cleaned(o.card.Efforts)), clean(effort))
	default:
		out = note(NoticeEffort, "%s lists the efforts %s: %s runs at a nearby one.", o.model(), list(cleaned(o.card.Efforts)), clean(effort))
	}
	if o.wafer && strings.EqualFold(effort, effortNone) && anyFold([]string{"GLM-5.3", "GLM-5.3-Flash"}, o.session.Model) {
		n := Notice{Kind: NoticeEffort, Text: say("With effort none %s may reason all the same, unseen: that is billed and counts towards max_tokens. Leave room for it, or use low to see the reasoning.", o.model())}
		asked := askedLimit(o.params)
		n.Warning = 0 < asked && asked < tightLimit
		out = append(out, n)
	}
	return out
}

// aboutRivalEfforts tells of fields that wish for different efforts. They are
// equivalent, and no document says which of them counts.
func (o *outlook) aboutRivalEfforts() []Notice {
	var reasoning struct {
		Effort string `json:"effort"`
	}
	var thinking struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(o.params.Reasoning, &reasoning) // what is no object wishes nothing
	_ = json.Unmarshal(o.params.Thinking, &thinking)
	var names []string
	var asked []string // the efforts, "enabled" for any but none
	for _, f := range []struct{ name, value, effort string }{
		{"reasoning_effort", o.params.ReasoningEffort, o.params.ReasoningEffort},
		{"reasoning.effort", reasoning.Effort, reasoning.Effort},
		{"thinking", thinking.Type, map[string]string{"enabled": effortOn, "disabled": effortNone}[thinking.Type]},
	} {
		if f.effort != "" {
			names, asked = append(names, f.name+" "+clean(f.value)), append(asked, strings.ToLower(f.effort))
		}
	}
	for i, a := range asked {
		for _, b := range asked[:i] {
			if a != b && (a == effortNone || b == effortNone || a != effortOn && b != effortOn) {
				return warn(NoticeEffort, "%s contradict each other: which of them counts is up to the server.", list(names))
			}
		}
	}
	return nil
}
