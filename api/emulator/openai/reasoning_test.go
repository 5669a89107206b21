package openai_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

// efforts are the values of reasoning_effort that the document lists.
func efforts() []openai.ReasoningEffort {
	return []openai.ReasoningEffort{
		openai.ReasoningEffortNone, openai.ReasoningEffortLow, openai.ReasoningEffortMedium,
		openai.ReasoningEffortHigh, openai.ReasoningEffortXhigh, openai.ReasoningEffortMax,
	}
}

// reasoningOf is a field that the official client does not know but keeps.
func reasoningOf(t *testing.T, m openai.ChatCompletionMessage) string {
	t.Helper()
	return text(t, m.JSON.ExtraFields["reasoning_content"].Raw())
}

func TestReasoningComesApartFromTheAnswer(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := ask(glm, "Is 391 prime?")
		p.ReasoningEffort, p.Seed = openai.ReasoningEffortHigh, openai.Int(1)
		c := s.complete(t, p)
		m := c.Choices[0].Message
		reasoning := reasoningOf(t, m)
		if reasoning == "" || m.Content == "" || strings.Contains(m.Content, reasoning) {
			t.Errorf("reasoning %q, answer %q", reasoning, m.Content)
		}
		if n := c.Usage.CompletionTokensDetails.ReasoningTokens; n < 1 || n >= c.Usage.CompletionTokens {
			t.Errorf("%d tokens of reasoning among %d", n, c.Usage.CompletionTokens)
		}
		h := s.listenWell(t, p)
		if h.reasoning(t) != reasoning || h.Choices[0].Message.Content != m.Content {
			t.Errorf("streamed reasoning %q and answer %q", h.reasoning(t), h.Choices[0].Message.Content)
		}
		if h.Usage.CompletionTokensDetails.ReasoningTokens != c.Usage.CompletionTokensDetails.ReasoningTokens {
			t.Errorf("streamed usage %+v", h.Usage)
		}
	})
}

func TestReasoningIsStreamedBeforeTheAnswer(t *testing.T) {
	s := start(t, emulator.Options{})
	p := ask(glm, "Is 391 prime?")
	p.ReasoningEffort = openai.ReasoningEffortHigh
	answered, pieces := false, 0
	for _, chunk := range s.listenWell(t, p).chunks {
		for _, c := range chunk.Choices {
			_, reasons := c.Delta.JSON.ExtraFields["reasoning_content"]
			if answered = answered || c.Delta.Content != ""; reasons {
				pieces++
			}
			if reasons && answered {
				t.Errorf("reasoning after the answer has begun: %s", c.RawJSON())
			}
		}
	}
	if pieces < 10 {
		t.Errorf("reasoning came in %d pieces", pieces)
	}
}

// An effort that a model does not list runs at a nearby one; only "none" turns
// reasoning off.
func TestEveryModelTakesEveryEffort(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, c := range s.cards(t) {
		for _, effort := range efforts() {
			p := ask(c.ID, "Hello there")
			p.ReasoningEffort = effort
			got := s.complete(t, p)
			reasons := reasoningOf(t, got.Choices[0].Message) != ""
			if reasons != (effort != openai.ReasoningEffortNone) || reasons != (got.Usage.CompletionTokensDetails.ReasoningTokens > 0) {
				t.Errorf("%s at %s: %s", c.ID, effort, got.RawJSON())
			}
		}
	}
}

func TestTheDefaultEffortIsTheOneOfTheCard(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, c := range s.cards(t) {
		p := ask(c.ID, "Hello there")
		p.Seed = openai.Int(1)
		silent := reasoningOf(t, s.complete(t, p).Choices[0].Message)
		p.ReasoningEffort = openai.ReasoningEffort(c.Wafer.Capabilities.Effort.Default)
		if said := reasoningOf(t, s.complete(t, p).Choices[0].Message); said != silent {
			t.Errorf("%s: without an effort %q, at %s %q", c.ID, silent, p.ReasoningEffort, said)
		}
	}
}

func TestMoreEffortIsMoreReasoning(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, c := range s.cards(t) {
		before := int64(-1)
		for _, effort := range efforts() {
			if !slices.Contains(c.Wafer.Capabilities.Effort.Efforts, string(effort)) {
				continue
			}
			p := ask(c.ID, "Hello there")
			p.ReasoningEffort, p.Seed = effort, openai.Int(1)
			n := s.complete(t, p).Usage.CompletionTokensDetails.ReasoningTokens
			if n <= before {
				t.Errorf("%s at %s: %d tokens, at less effort %d", c.ID, effort, n, before)
			}
			before = n
		}
	}
}

// The document calls these three fields equivalent.
func TestTheThreeFieldsForReasoningMeanTheSame(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, tt := range []struct {
		effort openai.ReasoningEffort
		field  string
		value  any
	}{
		{openai.ReasoningEffortHigh, "reasoning", object{"effort": "high"}},
		{openai.ReasoningEffortMax, "reasoning", object{"effort": "max"}},
		{openai.ReasoningEffortNone, "reasoning", object{"effort": "none"}},
		{openai.ReasoningEffortNone, "thinking", object{"type": "disabled"}},
	} {
		p := ask(glm, "Hello there")
		p.Seed = openai.Int(1)
		other := reasoningOf(t, s.complete(t, p, option.WithJSONSet(tt.field, tt.value)).Choices[0].Message)
		p.ReasoningEffort = tt.effort
		if got := reasoningOf(t, s.complete(t, p).Choices[0].Message); got != other {
			t.Errorf("%s %v: %q, at effort %s %q", tt.field, tt.value, other, tt.effort, got)
		}
	}
	got := s.complete(t, ask(kimi, "Hello there"), option.WithJSONSet("thinking", object{"type": "enabled"}))
	if reasoningOf(t, got.Choices[0].Message) == "" {
		t.Error("thinking was enabled, but there is no reasoning")
	}
}

func TestAnUnknownEffortIsRefused(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, tt := range []struct {
		field, param string
		value        any
	}{
		// OpenAI's own API knows "minimal"; the document does not.
		{"reasoning_effort", "reasoning_effort", openai.ReasoningEffortMinimal},
		{"reasoning_effort", "reasoning_effort", "HIGH"},
		{"reasoning", "reasoning.effort", object{"effort": "enormous"}},
		{"thinking", "thinking", object{"type": "perhaps"}},
	} {
		e := s.refused(t, ask(glm, "Hello there"), option.WithJSONSet(tt.field, tt.value))
		if e.StatusCode != http.StatusBadRequest || e.Code != "unsupported_value" || !strings.HasPrefix(e.Param, tt.param) {
			t.Errorf("%s %v: status %d, %s", tt.field, tt.value, e.StatusCode, e.RawJSON())
		}
	}
}

// The document: reasoning tokens count toward max_tokens, so the answer may be
// empty, with the finish reason length.
func TestReasoningUsesUpMaxTokens(t *testing.T) {
	s := start(t, emulator.Options{})
	p := ask(glm, "Is 391 prime?")
	p.ReasoningEffort, p.MaxTokens, p.Seed = openai.ReasoningEffortHigh, openai.Int(8), openai.Int(1)
	c := s.complete(t, p)
	if got := c.Choices[0]; got.FinishReason != "length" || got.Message.Content != "" || reasoningOf(t, got.Message) == "" || c.Usage.CompletionTokens > 8 {
		t.Errorf("8 tokens were spent on %s", c.RawJSON())
	}
}

// The document: told "none", GLM-5.3 and GLM-5.3-Flash may still reason. It is
// not returned and not counted as reasoning, but as completion.
func TestHiddenReasoningIsPaidFor(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, model := range []string{glm, "GLM-5.3-Flash"} {
		p := ask(model, "Count to 3")
		p.ReasoningEffort, p.Seed = openai.ReasoningEffortNone, openai.Int(1)
		hidden := s.complete(t, p)
		p.Model = kimi
		open := s.complete(t, p)
		if hidden.Usage.CompletionTokens <= open.Usage.CompletionTokens || hidden.Usage.CompletionTokensDetails.ReasoningTokens != 0 {
			t.Errorf("%s spent %s, %s spent %s", model, hidden.Usage.RawJSON(), kimi, open.Usage.RawJSON())
		}
		p.Model, p.MaxTokens = model, openai.Int(10)
		if c := s.complete(t, p).Choices[0]; c.FinishReason != "length" {
			t.Errorf("%s with few tokens: finish reason %q after %q", model, c.FinishReason, c.Message.Content)
		}
	}
}

// The document: on these two models there is more room when reasoning is on,
// so that completion_tokens can exceed max_tokens.
func TestTwoModelsHaveExtraRoomForReasoning(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, model := range []string{"DeepSeek-V4-Pro", "DeepSeek-V4-Flash-0731-Fast"} {
		p := ask(model, "Count to 50")
		p.ReasoningEffort, p.MaxTokens = openai.ReasoningEffortHigh, openai.Int(8)
		c := s.complete(t, p)
		if c.Choices[0].Message.Content == "" || c.Usage.CompletionTokens <= 8 || c.Choices[0].FinishReason != "length" {
			t.Errorf("%s: %s", model, c.RawJSON())
		}
		p.ReasoningEffort = openai.ReasoningEffortNone
		if c := s.complete(t, p); c.Usage.CompletionTokens > 8 {
			t.Errorf("%s without reasoning: %s", model, c.RawJSON())
		}
	}
}

// Some vendors refuse a message with tool calls whose reasoning is not sent
// back; the official client can do it with an extra field.
func TestPickyServersWantReasoningBack(t *testing.T) {
	s := start(t, emulator.Options{Profile: emulator.Strict})
	p := askWithTools("What is the weather in Paris?")
	p.Model = "a-model-that-thinks"
	m := s.complete(t, p).Choices[0].Message
	without := secondRound(p, m)
	if e := s.refused(t, without); e.StatusCode != http.StatusBadRequest {
		t.Errorf("without reasoning: status %d", e.StatusCode)
	}
	with := secondRound(p, m)
	with.Messages[1].OfAssistant.SetExtraFields(map[string]any{"reasoning_content": "The weather, then."})
	if got := s.complete(t, with).Choices[0].Message.Content; !strings.Contains(got, "18C and sunny") {
		t.Errorf("with reasoning: %q", got)
	}
}
