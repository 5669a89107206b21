package chat

import "strings"

// samplingAsOf is the day of the API's document that [samplingModels] is from.
const samplingAsOf = "2026-09-30"

// samplingModels are the models of pass.wafer.ai that honour temperature, top_p,
// presence_penalty and frequency_penalty. The others drop these four and use
// their own defaults; the fields beyond them reach every model.
func samplingModels() []string { return []string{"Kimi-K3", "Qwen3.8-27B"} }

// aboutSampling tells of sampling fields that the model drops.
func (o *outlook) aboutSampling() []Notice {
	if !o.wafer {
		return nil
	}
	honours, asOf := o.honours, ""
	if honours == nil {
		honours, asOf = samplingModels(), ", as of "+samplingAsOf
	}
	var set []string
	for _, f := range []struct {
		name  string
		value *float64
	}{
		{"temperature", o.params.Temperature}, {"top_p", o.params.TopP},
		{"presence_penalty", o.params.PresencePenalty}, {"frequency_penalty", o.params.FrequencyPenalty},
	} {
		if f.value != nil {
			set = append(set, f.name)
		}
	}
	if len(set) == 0 || anyFold(honours, o.session.Model) {
		return nil
	}
	return note(NoticeDropped, "%s ignores %s and uses its own default%s%s.", o.model(), list(set), plural(len(set)), asOf)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

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
