package chat

import (
	"encoding/json"
	"testing"

	"waferchat/api"
)

func ptr[T any](v T) *T { return &v }

// Cards as Wafer's catalogue has them.
func glmCard() api.Model {
	return api.Model{ID: "GLM-5.3", ContextLength: 1_048_576, Vision: api.No, ZDR: api.Yes, Tools: api.Yes,
		Efforts: []string{"none", "low", "high", "max"}, DefaultEffort: "low",
		Prices: &api.Prices{Input: ptr(int64(29_000_000)), Output: ptr(int64(440_000_000)), CacheRead: ptr(int64(23_590_000))}}
}

func kimiCard() api.Model {
	return api.Model{ID: "Kimi-K3", ContextLength: 1_048_576, MaxOutputTokens: 131_072, Vision: api.Yes, ZDR: api.Yes,
		Efforts: []string{"none", "high", "max"}, DefaultEffort: "none"}
}

func deepSeekCard() api.Model {
	return api.Model{ID: "DeepSeek-V4-Pro", ContextLength: 1_048_576, DefaultEffort: "low", Efforts: []string{"none", "low", "high", "max"}}
}

func TestTheLimitIsTheOneOfTheDocument(t *testing.T) {
	const room = reasoningRoom
	small := api.Model{ID: "small", ContextLength: 8192}
	for _, c := range []struct {
		name   string
		card   api.Model
		p      api.Params
		prompt int64
		want   int64
		why    LimitReason
		room   int64
		firm   int64
	}{
		{"omitted, the model has a cap", kimiCard(), api.Params{}, 100, 131_072, LimitModel, 0, 131_072},
		{"omitted, it has none", glmCard(), api.Params{}, 100, 65_536, LimitDefault, 0, 65_536},
		{"omitted, half the window is smaller", small, api.Params{}, 100, 4096, LimitDefault, 0, 4096},
		{"omitted, nothing is known of the window", api.Model{ID: "x"}, api.Params{}, 100, 0, LimitUnknown, 0, 0},
		{"set", glmCard(), api.Params{MaxTokens: ptr(1024)}, 100, 1024, LimitSet, 0, 1024},
		{"set by its other name", glmCard(), api.Params{MaxCompletionTokens: ptr(1024)}, 100, 1024, LimitSet, 0, 1024},
		{"set by both", glmCard(), api.Params{MaxTokens: ptr(2048), MaxCompletionTokens: ptr(1024)}, 100, 2048, LimitSet, 0, 2048},
		{"set, and nothing is known of the window", api.Model{ID: "x"}, api.Params{MaxTokens: ptr(1024)}, 100, 1024, LimitSet, 0, 1024},
		{"at the cap", kimiCard(), api.Params{MaxTokens: ptr(131_072)}, 100, 131_072, LimitSet, 0, 131_072},
		{"above the cap", kimiCard(), api.Params{MaxTokens: ptr(131_073)}, 100, 131_072, LimitLowered, 0, 131_072},
		{"above half the window but without a cap", glmCard(), api.Params{MaxTokens: ptr(700_000)}, 100, 700_000, LimitSet, 0, 700_000},
		{"above the window", glmCard(), api.Params{MaxTokens: ptr(1_048_577)}, 100, 65_536, LimitIgnored, 0, 65_536},
		{"above window and cap", kimiCard(), api.Params{MaxTokens: ptr(2_000_000)}, 100, 131_072, LimitIgnored, 0, 131_072},
		{"as large as the window", small, api.Params{MaxTokens: ptr(8192)}, 100, 4096, LimitDropped, 0, 4096},
		{"too much beside the prompt", small, api.Params{MaxTokens: ptr(5000)}, 4000, 4096, LimitDropped, 0, 4096},
		{"too much, and little is left", small, api.Params{MaxTokens: ptr(5000)}, 8000, 192, LimitDropped, 0, 0},
		{"just fits", small, api.Params{MaxTokens: ptr(5000)}, 3192, 5000, LimitSet, 0, 5000},
		{"omitted, and little is left", small, api.Params{}, 8000, 192, LimitDefault, 0, 0},
		{"the prompt alone is too long", small, api.Params{}, 9000, 0, LimitDefault, 0, 0},
		{"not above 0", small, api.Params{MaxTokens: ptr(-5)}, 100, 4096, LimitDefault, 0, 4096},
		{"room for reasoning", deepSeekCard(), api.Params{MaxTokens: ptr(1000)}, 100, 1000 + room, LimitSet, room, 1000},
		{"room for reasoning by default", deepSeekCard(), api.Params{}, 100, 65_536 + room, LimitDefault, room, 65_536},
		{"no reasoning, no room", deepSeekCard(), api.Params{MaxTokens: ptr(1000), ReasoningEffort: "none"}, 100, 1000, LimitSet, 0, 1000},
		{"turned off by thinking", deepSeekCard(), api.Params{MaxTokens: ptr(1000), Thinking: api.ThinkingSwitch(false)}, 100, 1000, LimitSet, 0, 1000},
		{"turned off by the object", deepSeekCard(), api.Params{MaxTokens: ptr(1000), Reasoning: api.EffortObject("none")}, 100, 1000, LimitSet, 0, 1000},
		{"turned on by thinking", api.Model{ID: "deepseek-v4-flash-0731-fast", DefaultEffort: "none"},
			api.Params{MaxTokens: ptr(1000), Thinking: api.ThinkingSwitch(true)}, 100, 1000 + room, LimitSet, room, 1000},
		{"no room on another model", api.Model{ID: "DeepSeek-V4.1-Flash"}, api.Params{MaxTokens: ptr(1000), ReasoningEffort: "max"}, 100, 1000, LimitSet, 0, 1000},
		{"room as far as the window goes", api.Model{ID: "DeepSeek-V4-Pro", ContextLength: 10_000, DefaultEffort: "low"},
			api.Params{MaxTokens: ptr(1000)}, 5000, 5000, LimitSet, 4000, 0},
	} {
		l := EffectiveLimit(c.card, true, true, c.p, c.prompt)
		if l.Most() != c.want || l.Why != c.why || l.Room != c.room || l.Firm() != c.firm {
			t.Errorf("%s: %d (%s, room %d, firm %d), want %d (%s, room %d, firm %d)",
				c.name, l.Most(), l.Why, l.Room, l.Firm(), c.want, c.why, c.room, c.firm)
		}
	}
}

func TestOnOtherServersOnlyWhatIsSetIsKnownOfTheLimit(t *testing.T) {
	for _, c := range []struct {
		known, wafer bool
		p            api.Params
		want         int64
		why          LimitReason
	}{
		{true, false, api.Params{}, 0, LimitUnknown},
		{true, false, api.Params{MaxTokens: ptr(200_000)}, 200_000, LimitSet},
		{false, true, api.Params{}, 0, LimitUnknown},
		{false, true, api.Params{MaxTokens: ptr(200_000)}, 200_000, LimitSet},
	} {
		l := EffectiveLimit(kimiCard(), c.known, c.wafer, c.p, 100)
		if l.Most() != c.want || l.Why != c.why {
			t.Errorf("known %v, Wafer %v: %d, %s", c.known, c.wafer, l.Most(), l.Why)
		}
		if !c.wafer && l.Firm() != 0 {
			t.Errorf("a limit of another server is held against its answers: %d", l.Firm())
		}
	}
}

func TestAnEffortHasThreeNames(t *testing.T) {
	for _, c := range []struct {
		p    api.Params
		want string
	}{
		{api.Params{}, ""},
		{api.Params{ReasoningEffort: "low", Reasoning: api.EffortObject("high")}, "low"},
		{api.Params{Reasoning: api.EffortObject("high"), Thinking: api.ThinkingSwitch(false)}, "high"},
		{api.Params{Thinking: api.ThinkingSwitch(false)}, "none"},
		{api.Params{Thinking: api.ThinkingSwitch(true)}, effortOn},
		{api.Params{Thinking: json.RawMessage(`true`), Reasoning: json.RawMessage(`"high"`)}, ""},
	} {
		if got := effortOf(c.p); got != c.want {
			t.Errorf("%+v: %q", c.p, got)
		}
	}
}
