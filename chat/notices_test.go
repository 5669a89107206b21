package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"waferchat/api"
	"waferchat/session"
)

// told writes notices one a line: kind, "!" for a warning, text.
func told(all []Notice) string {
	var lines []string
	for _, n := range all {
		mark := ""
		if n.Warning {
			mark = "!"
		}
		lines = append(lines, string(n.Kind)+mark+" "+n.Text)
	}
	return strings.Join(lines, "\n")
}

// on is what is known when a card is the session's model on Wafer.
func on(card api.Model, change ...func(*outlook)) outlook {
	o := outlook{session: session.Session{Model: card.ID}, card: card, known: true, wafer: true}
	for _, c := range change {
		c(&o)
	}
	return o
}

func with(p api.Params) func(*outlook) { return func(o *outlook) { o.params = p } }

func elsewhere(o *outlook) { o.wafer = false }

func tools(o *outlook) { o.tools = true }

func zdr(o *outlook) { o.session.ZDR = true }

func TestTheUserIsToldWhatWillNotHappenAsAsked(t *testing.T) {
	schema := schemaOf(t, person)
	choice := func(p api.Params, choice string) api.Params { p.ToolChoice = json.RawMessage(choice); return p }
	grammar := api.Params{ResponseFormat: json.RawMessage(`{"type":"grammar","grammar":"x"}`)}
	can := func(card api.Model, s api.Support) api.Model {
		card.N, card.Regex, card.Grammar, card.Logprobs, card.JSONObject, card.JSONSchema = s, s, s, s, s, s
		return card
	}
	sampling := api.Params{Temperature: ptr(0.5), TopP: ptr(0.9), PresencePenalty: ptr(1.0), FrequencyPenalty: ptr(0.0)}
	unknown := outlook{session: session.Session{Model: "GLM-5"}, wafer: true, names: []string{"Kimi-K3", "GLM-5.2", "GLM-5.3", "Qwen3.8-27B"}}
	noZDR := api.Model{ID: "Qwen3.8-27B", ZDR: api.No}
	const local = "zdr Zero data retention is about the server: the chat is still saved on this machine, unless it was begun with --no-save."
	for _, c := range []struct {
		name string
		o    outlook
		want string
	}{
		{"an ordinary request", on(glmCard()), ""},
		{"fields that reach every model", on(glmCard(), with(api.Params{TopK: ptr(5), MinP: ptr(0.1), RepetitionPenalty: ptr(1.1), Seed: ptr(int64(1)), Stop: []string{"x"}})), ""},

		{"sampling", on(glmCard(), with(sampling)), "dropped GLM-5.3 ignores temperature, top_p, presence_penalty and frequency_penalty and uses its own defaults, as of 2026-09-30."},
		{"one of them", on(glmCard(), with(api.Params{Temperature: ptr(0.0)})), "dropped GLM-5.3 ignores temperature and uses its own default, as of 2026-09-30."},
		{"on a model that honours them", on(kimiCard(), with(sampling)), ""},
		{"in another case", on(api.Model{ID: "qwen3.8-27b"}, with(sampling)), ""},
		{"on another server", on(glmCard(), with(sampling), elsewhere), ""},
		{"with a table of one's own", on(glmCard(), with(sampling), func(o *outlook) { o.honours = []string{"glm-5.3"} }), ""},
		{"with the table of the document", on(glmCard(), with(api.Params{TopP: ptr(0.5)}), func(o *outlook) { o.honours = []string{"qwen3.8-27b", "Kimi-K3"} }), "dropped GLM-5.3 ignores top_p and uses its own default, as of 2026-09-30."},
		{"with more than the document has", on(glmCard(), with(api.Params{TopP: ptr(0.5)}), func(o *outlook) { o.honours = []string{"Qwen3.8-27B", "Kimi-K3", "x"} }), "dropped GLM-5.3 ignores top_p and uses its own default."},
		{"and a model that is not in it", on(kimiCard(), with(api.Params{TopP: ptr(0.5)}), func(o *outlook) { o.honours = []string{} }), "dropped Kimi-K3 ignores top_p and uses its own default."},

		{"a schema and tools", on(glmCard(), with(schema), tools), "schema-tools With a response format the model answers in JSON instead of calling tools; tool_choice required or a named tool would have it call."},
		{"with auto", on(glmCard(), with(choice(schema, `"auto"`)), tools), "schema-tools With a response format the model answers in JSON instead of calling tools; tool_choice required or a named tool would have it call."},
		{"with required", on(glmCard(), with(choice(schema, `"required"`)), tools), "schema-tools tool_choice required has the model call a tool: the response format is ignored."},
		{"with a named tool", on(glmCard(), with(choice(schema, string(api.NamedTool("look_up")))), tools), "schema-tools tool_choice look_up has the model call a tool: the response format is ignored."},
		{"with none", on(glmCard(), with(choice(schema, `"none"`)), tools), ""},
		{"without tools", on(glmCard(), with(schema)), ""},
		{"on another server, where nobody knows", on(glmCard(), with(schema), tools, elsewhere), ""},
		{"where they exclude each other", on(api.Model{ID: "m", ToolsWithFormat: api.No}, with(schema), tools, elsewhere), "schema-tools! m does not take tools and a response format in one request."},
		{"a call without tools", on(glmCard(), with(choice(api.Params{}, `"required"`))), "refused! tool_choice required has the model call a tool, but no tools are offered: servers refuse that."},
		{"a named call without tools", on(glmCard(), with(choice(schema, string(api.NamedTool("look_up")))), elsewhere), "refused! tool_choice look_up has the model call a tool, but no tools are offered: servers refuse that."},
		{"a call with tools", on(glmCard(), with(choice(api.Params{}, `"required"`)), tools), ""},
		{"no call without tools", on(glmCard(), with(choice(api.Params{}, `"none"`))), ""},
		{"tools on a model without", on(api.Model{ID: "m", Tools: api.No}, tools), "refused! m cannot call tools."},

		{"an effort of the list", on(kimiCard(), with(api.Params{ReasoningEffort: "HIGH"})), ""},
		{"one beside it", on(kimiCard(), with(api.Params{ReasoningEffort: "medium"})), "effort Kimi-K3 lists the efforts none, high and max: medium runs at a nearby one."},
		{"one of the object", on(kimiCard(), with(api.Params{Reasoning: api.EffortObject("low")})), "effort Kimi-K3 lists the efforts none, high and max: low runs at a nearby one."},
		{"one that nobody knows", on(kimiCard(), with(api.Params{ReasoningEffort: "huge"})), "effort! The server does not know the effort huge and will refuse it; it knows none, low, medium, high, xhigh and max."},
		{"no list", on(api.Model{ID: "m"}, with(api.Params{ReasoningEffort: "medium"})), ""},
		{"a list of another server", on(kimiCard(), with(api.Params{ReasoningEffort: "minimal"}), elsewhere), "effort Kimi-K3 lists the efforts none, high and max, and not minimal."},
		{"thinking turned on", on(kimiCard(), with(api.Params{Thinking: api.ThinkingSwitch(true)})), ""},
		{"none on GLM", on(glmCard(), with(api.Params{ReasoningEffort: "none"})), "effort With effort none GLM-5.3 may reason all the same, unseen: that is billed and counts towards max_tokens. Leave room for it, or use low to see the reasoning."},
		{"none on GLM with little room", on(glmCard(), with(api.Params{Thinking: api.ThinkingSwitch(false), MaxTokens: ptr(200)})), "effort! With effort none GLM-5.3 may reason all the same, unseen: that is billed and counts towards max_tokens. Leave room for it, or use low to see the reasoning."},
		{"none on another", on(deepSeekCard(), with(api.Params{ReasoningEffort: "none"})), ""},

		{"two efforts", on(kimiCard(), with(api.Params{ReasoningEffort: "high", Reasoning: api.EffortObject("max")})), "effort! reasoning_effort high and reasoning.effort max contradict each other: which of them counts is up to the server."},
		{"an effort and thinking off", on(kimiCard(), with(api.Params{ReasoningEffort: "high", Thinking: api.ThinkingSwitch(false)}), elsewhere), "effort! reasoning_effort high and thinking disabled contradict each other: which of them counts is up to the server."},
		{"none and thinking on", on(kimiCard(), with(api.Params{Reasoning: api.EffortObject("none"), Thinking: api.ThinkingSwitch(true)})), "effort! reasoning.effort none and thinking enabled contradict each other: which of them counts is up to the server."},
		{"three of which one is wrong", on(kimiCard(), with(api.Params{ReasoningEffort: "max", Reasoning: api.EffortObject("MAX"), Thinking: api.ThinkingSwitch(false)})), "effort! reasoning_effort max, reasoning.effort MAX and thinking disabled contradict each other: which of them counts is up to the server."},
		{"the same effort in other words", on(kimiCard(), with(api.Params{ReasoningEffort: "high", Reasoning: api.EffortObject("HIGH"), Thinking: api.ThinkingSwitch(true)})), ""},
		{"none in all words", on(kimiCard(), with(api.Params{ReasoningEffort: "none", Thinking: api.ThinkingSwitch(false)})), ""},

		{"several choices", on(can(glmCard(), api.Yes), with(api.Params{N: ptr(3)})), ""},
		{"several, nobody says", on(glmCard(), with(api.Params{N: ptr(3)})), "refused The catalogue does not say that GLM-5.3 takes n above 1: without that expect a refusal, or one answer without n."},
		{"several, not here", on(can(glmCard(), api.No), with(api.Params{N: ptr(3)})), "refused! GLM-5.3 does not take n above 1: expect a refusal, or one answer without n."},
		{"several on another server, nobody says", on(glmCard(), with(api.Params{N: ptr(3)}), elsewhere), ""},
		{"one choice", on(can(glmCard(), api.No), with(api.Params{N: ptr(1)})), ""},
		{"a regular expression", on(can(glmCard(), api.No), with(api.Params{Regex: "x"})), "refused! GLM-5.3 does not take regular expressions: the server will refuse the request."},
		{"a regular expression, nobody says", on(glmCard(), with(api.Params{Regex: "x"})), "refused The catalogue does not say that GLM-5.3 takes regular expressions; without that the server refuses the request."},
		{"a grammar", on(can(glmCard(), api.No), with(grammar)), "refused! GLM-5.3 does not take grammars: the server will refuse the request."},
		{"a grammar that it takes", on(can(glmCard(), api.Yes), with(grammar)), ""},
		{"logprobs", on(can(glmCard(), api.No), with(api.Params{Logprobs: ptr(true), TopLogprobs: ptr(2)})), "refused! GLM-5.3 gives no logprobs."},
		{"logprobs, nobody says", on(glmCard(), with(api.Params{Logprobs: ptr(true)})), ""},
		{"top_logprobs alone", on(glmCard(), with(api.Params{TopLogprobs: ptr(2)})), "refused! top_logprobs counts only beside logprobs true; servers refuse it alone."},
		{"JSON mode", on(can(glmCard(), api.No), with(api.Params{ResponseFormat: api.JSONMode()})), "refused! GLM-5.3 has no JSON mode (json_object)."},
		{"a schema", on(can(glmCard(), api.No), with(schema)), "refused! GLM-5.3 does not take a JSON Schema (json_schema)."},
		{"no format", on(glmCard(), with(api.Params{ResponseFormat: json.RawMessage(`"json"`)})), "refused! response_format is no object with a type."},

		{"a recursive schema", on(glmCard(), with(schemaOf(t, `{"items":{"$ref":"#"}}`))), `refused! The server cannot inline the JSON Schema: $ref "#" leads back to itself.`},
		{"which others take", on(glmCard(), with(schemaOf(t, `{"items":{"$ref":"#"}}`)), elsewhere), ""},
		{"a schema from elsewhere", on(glmCard(), with(schemaOf(t, `{"$ref":"https://x/y"}`)), elsewhere), `refused! The JSON Schema cannot be used. $ref "https://x/y" leads to another document; only references within the schema can be used.`},
		{"a schema of nothing", on(glmCard(), with(schemaOf(t, `{"$ref":"#/$defs/x"}`))), `refused! The JSON Schema cannot be used. $ref "#/$defs/x" names nothing in the schema.`},

		{"a model that is gone", unknown, "model! The server's catalogue has no model GLM-5; near it: GLM-5.2 and GLM-5.3."},
		{"that is like no other", outlook{session: session.Session{Model: "gpt"}, names: unknown.names}, "model! The server's catalogue has no model gpt."},
		{"no catalogue", outlook{session: session.Session{Model: "gpt"}, wafer: true}, ""},
		{"out of service", on(api.Model{ID: "Kimi-K2.6", Disabled: "self_hosted_backend_decommissioned"}), "model! Kimi-K2.6 is out of service: self_hosted_backend_decommissioned."},

		{"pictures", on(glmCard(), func(o *outlook) { o.pictures = 2 }), "pictures! GLM-5.3 cannot see pictures: the 2 in this chat are left out, short notes stand for them."},
		{"a picture", on(glmCard(), func(o *outlook) { o.pictures = 1 }), "pictures! GLM-5.3 cannot see pictures: the one in this chat is left out, a short note stands for it."},
		{"pictures that it sees", on(kimiCard(), func(o *outlook) { o.pictures = 2 }), ""},
		{"pictures, nobody says", on(api.Model{ID: "m"}, func(o *outlook) { o.pictures = 2 }), ""},

		{"zero data retention", on(glmCard(), zdr), local},
		{"which the model has not", on(noZDR, zdr, func(o *outlook) { o.private = []string{"GLM-5.3", "Kimi-K3"} }),
			"zdr! Qwen3.8-27B has no zero data retention: the server will refuse the request (422). With it: GLM-5.3 and Kimi-K3.\n" + local},
		{"which many have", on(noZDR, zdr, func(o *outlook) { o.private = []string{"a", "b", "c", "d", "e", "f"} }),
			"zdr! Qwen3.8-27B has no zero data retention: the server will refuse the request (422). These have it: a, b, c, d and 2 more.\n" + local},
		{"which none has", on(noZDR, zdr), "zdr! Qwen3.8-27B has no zero data retention: the server will refuse the request (422).\n" + local},
		{"which nobody says", on(api.Model{ID: "m"}, zdr), "zdr The catalogue does not say whether m has zero data retention; without it the server refuses the request.\n" + local},
		{"on another server", on(glmCard(), zdr, elsewhere), "zdr! This server may not know zero data retention: it is asked for with a header of Wafer's.\n" + local},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := c.o.standing()
			if got := told(slices.Concat(before, after)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTheUserIsToldWhatDoesNotFit(t *testing.T) {
	small := api.Model{ID: "small", ContextLength: 8192}
	for _, c := range []struct {
		name   string
		card   api.Model
		p      api.Params
		tokens int64
		want   string
	}{
		{"all fits", glmCard(), api.Params{MaxTokens: ptr(1024)}, 500, ""},
		{"no window known", api.Model{ID: "m"}, api.Params{}, 5_000_000, ""},
		{"too long", small, api.Params{}, 9000, "window! About 9,000 tokens do not fit the context window of small, 8,192 tokens: the server will refuse them."},
		{"perhaps too long", small, api.Params{}, 8000, "window! About 8,000 tokens may not fit the context window of small, 8,192 tokens."},
		{"nearly full", small, api.Params{}, 7800, "window About 7,800 tokens leave little room for an answer in the context window of small, 8,192 tokens."},
		{"lowered", kimiCard(), api.Params{MaxTokens: ptr(200_000)}, 500, "limit! max_tokens 200,000 is more than Kimi-K3 can answer with: it is lowered to 131,072."},
		{"ignored", glmCard(), api.Params{MaxTokens: ptr(2_000_000)}, 500, "limit! max_tokens 2,000,000 is larger than the whole context window of GLM-5.3: it is ignored, and 65,536 holds."},
		{"dropped", small, api.Params{MaxTokens: ptr(6000)}, 5000, "limit! The request and max_tokens 6,000 do not fit the context window of small together: the server will drop max_tokens."},
		{"room", deepSeekCard(), api.Params{MaxTokens: ptr(6000)}, 5000, "limit On DeepSeek-V4-Pro the server adds up to 24,576 tokens for reasoning to max_tokens."},
		{"room that nobody asked about", deepSeekCard(), api.Params{}, 5000, ""},
		{"both names", glmCard(), api.Params{MaxTokens: ptr(10), MaxCompletionTokens: ptr(20)}, 500, "limit max_tokens 10 and max_completion_tokens 20 are both set: max_tokens counts."},
		{"both the same", glmCard(), api.Params{MaxTokens: ptr(10), MaxCompletionTokens: ptr(10)}, 500, ""},
	} {
		o := on(c.card, with(c.p))
		l := EffectiveLimit(c.card, true, true, c.p, c.tokens)
		if got := told(o.sized(Forecast{Request: c.tokens, Error: 0.03, Window: c.card.ContextLength}, l)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	o := on(glmCard(), with(api.Params{MaxTokens: ptr(10), MaxCompletionTokens: ptr(20)}), elsewhere)
	want := "limit! max_tokens 10 and max_completion_tokens 20 are both set: which one counts is up to the server."
	if got := told(o.sized(Forecast{}, Limit{})); got != want {
		t.Errorf("on another server: %s", got)
	}
}

func TestNamesFromAServerAreShownWithoutTheirControlCharacters(t *testing.T) {
	card := api.Model{ID: "a\x1b[31mb", Disabled: "x\ny\u202e", Efforts: []string{"lo\x07w"}}
	o := on(card, with(api.Params{ReasoningEffort: "max"}))
	before, after := o.standing()
	if got := told(slices.Concat(before, after)); strings.ContainsAny(got, "\x1b\x07\u202e") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}
