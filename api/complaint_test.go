package api

import (
	"strings"
	"testing"
	"testing/synctest"
)

// wishful asks for every optional parameter that has a plain value.
func wishful() Request {
	one, half, yes, seed := 1, 0.5, true, int64(7)
	r := hello()
	r.Params = Params{
		MaxTokens: &one, Temperature: &half, TopP: &half, TopK: &one, MinP: &half, FrequencyPenalty: &half, PresencePenalty: &half,
		RepetitionPenalty: &half, Seed: &seed, N: &one, Logprobs: &yes, TopLogprobs: &one, ParallelToolCalls: &yes,
		ReasoningEffort: "high", Reasoning: EffortObject("high"), Thinking: ThinkingSwitch(true),
	}
	return r
}

// TestAWrongValueIsForTheUserToCorrect: nothing is left out behind the user's
// back, and nothing is remembered.
func TestAWrongValueIsForTheUserToCorrect(t *testing.T) {
	for _, c := range []struct{ message, param, code string }{
		{"temperature must be between 0 and 2", "temperature", ""},
		{"temperature must be between 0 and 2", "", ""},
		{"temperature: 3.5 is not allowed", "temperature", ""},
		{"'temperature' does not support 0.7 with this model.", "temperature", ""},
		{"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.", "temperature", "unsupported_value"},
		{"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.", "temperature", ""},
		{"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.", "temperature", "decimal_above_max_value"},
		{"`temperature` may only be set to 1 when thinking is enabled.", "", ""},
		{"temperature: Input should be less than or equal to 2", "body.temperature", ""},
		{"`temperature` and `top_p` cannot be used together", "", ""},
		{"other values of temperature are not supported", "temperature", ""},
		{"not supported", "temperature", "invalid_value"},
		{"not supported", "temperature", "schema_validation_failed"},
		{"Your question about the temperature of a reactor is not allowed by our content policy", "", ""},
		{"temperature is not allowed: the request was flagged", "", ""},
		{"not allowed", "temperature", "content_policy_violation"},
		{"Discussing the temperature of reactors is not permitted", "", ""},
		{"At most 8 choices can be asked for.", "n", "unsupported_value"},
		{"At most 8 choices can be asked for.", "n", ""},
		{"n = 9 is not supported", "n", ""},
		{"n > 1 is not supported", "n", ""},
		{"'n' must be at least 1", "n", ""},
		{"n is out of range", "n", ""},
		{"top_p: expected a number", "top_p", ""},
		{"top_k is too large", "top_k", ""},
		{"top_logprobs: the maximum is 20", "", ""},
		{"min_p must be greater than 0", "", ""},
		{"seed exceeds the maximum", "seed", ""},
		{"reasoning_effort 'high' is unknown", "", ""},
		{"reasoning_effort: unknown variant `high`, expected one of `low`, `max`", "", ""},
		{"'reasoning_effort' does not support 'high' with this model. Supported values are: 'low', 'medium'.", "reasoning_effort", ""},
		{"reasoning.effort is unknown", "reasoning.effort", ""},
		{"max_tokens is too large: 8192. This model's maximum context length is 4096 tokens.", "", ""},
		{"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model supports at most 4096 completion tokens.", "max_tokens", ""},
		{"Invalid value for 'parallel_tool_calls': it is only allowed when 'tools' are specified.", "parallel_tool_calls", ""},
		{"bad", "temperature", ""},
		{"The model does not support pictures", "", ""},
	} {
		t.Run(c.message, func(t *testing.T) {
			client, server := newTestClient(t, Options{BaseURL: "https://example.test"}, refusing(c.message, c.param, c.code), whole)
			o := read(client.Stream(t.Context(), wishful()))
			if asError[*Error](t, o.err); server.count() != 1 || len(o.retries) > 0 {
				t.Errorf("%d requests, %+v", server.count(), o.retries)
			}
			if known := client.Refused(); len(known) > 0 {
				t.Errorf("remembered %v", known)
			}
		})
	}
}

func TestAParameterThatTheServerDoesNotTakeIsLeftOut(t *testing.T) {
	for _, c := range []struct{ message, param, code, dropped string }{
		{"Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter", "temperature"},
		{"Unsupported parameter: 'temperature' is not supported with this model.", "", "", "temperature"},
		{"temperature is not supported by this model", "", "", "temperature"},
		{"This model does not support temperature", "", "", "temperature"},
		{"The parameter temperature is not allowed here", "", "", "temperature"},
		{"Extra inputs are not permitted", "body.top_k", "", "top_k"},
		{"no", "top_k", "extra_forbidden", "top_k"},
		{"unknown field `seed`, expected one of `model`, `temperature`, `top_p`", "", "", "seed"},
		{"Unsupported parameter: 'top_k'. Did you mean 'top_p'?", "", "", "top_k"},
		{"create() got an unexpected keyword argument 'min_p'", "", "", "min_p"},
		{"Additional properties are not allowed ('min_p' was unexpected)", "", "", "min_p"},
		{"Unrecognized request argument supplied: logprobs", "", "", "logprobs"},
		{"no such parameter: repetition_penalty", "", "", "repetition_penalty"},
		{"parallel_tool_calls cannot be used with this model", "", "", "parallel_tool_calls"},
		{"n is not supported", "n", "", "n"},
		{"The server does not support 'top_p', 'temperature'", "", "", "temperature"},
		{"Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning.effort", "unsupported_parameter", "reasoning"},
		{"stream_options.include_usage: extra fields not permitted", "stream_options.include_usage", "", "stream_options"},
		{"This model does not support thinking", "", "", "thinking"},
		{"max_tokens is not supported, please use max_completion_tokens", "", "", "max_tokens"},
		{"Use 'max_completion_tokens' instead of 'max_tokens'.", "max_tokens", "", "max_tokens"},
	} {
		t.Run(c.message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := newTestClient(t, Options{BaseURL: "https://example.test"}, refusing(c.message, c.param, c.code), whole)
				o := read(client.Stream(t.Context(), wishful()))
				wantText(t, o, "fine")
				if server.count() != 2 || len(o.retries) != 1 || o.retries[0].Dropped != c.dropped {
					t.Fatalf("%d requests, %+v", server.count(), o.retries)
				}
				if strings.Contains(server.bodies[1], `"`+c.dropped+`":`) {
					t.Error(server.bodies[1])
				}
				if known := client.Refused(); len(known) != 1 || len(known["m"]) != 1 || known["m"][0] != c.dropped {
					t.Errorf("remembered %v", known)
				}
			})
		})
	}
}
