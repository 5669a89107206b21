package chat

import "slices"

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
		honours = samplingModels()
	}
	if sameNames(honours, samplingModels()) { // a list of one's own has a day of its own
		asOf = ", as of " + samplingAsOf
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

// sameNames tells whether two lists have the same names, case and order aside.
func sameNames(a, b []string) bool {
	all := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(name string) bool { return !anyFold(b, name) })
	}
	return all(a, b) && all(b, a)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
