package openai_test

import (
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

func TestAPlainQuestionIsAnswered(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		c := s.complete(t, ask(kimi, "Hello there"))
		for field, valid := range map[string]bool{
			"id": c.JSON.ID.Valid(), "object": c.JSON.Object.Valid(), "created": c.JSON.Created.Valid(),
			"model": c.JSON.Model.Valid(), "choices": c.JSON.Choices.Valid(), "usage": c.JSON.Usage.Valid(),
			"index": c.Choices[0].JSON.Index.Valid(), "finish_reason": c.Choices[0].JSON.FinishReason.Valid(),
			"role": c.Choices[0].Message.JSON.Role.Valid(), "content": c.Choices[0].Message.JSON.Content.Valid(),
		} {
			if !valid {
				t.Errorf("the client finds no usable %s in %s", field, c.RawJSON())
			}
		}
		first := c.Choices[0]
		if c.Object != "chat.completion" || c.Model != kimi || c.ID == "" || c.Created == 0 {
			t.Errorf("not the object that the document shows: %s", c.RawJSON())
		}
		if first.FinishReason != "stop" || first.Message.Role != "assistant" || strings.TrimSpace(first.Message.Content) == "" {
			t.Errorf("not an answer: %s", first.RawJSON())
		}
		checkUsage(t, c.Usage)
	})
}

// The document's example has both fields, as null.
func TestWhatAnAnswerDoesNotHaveIsNull(t *testing.T) {
	s := start(t, emulator.Options{})
	m := s.complete(t, ask(kimi, "Hello there")).Choices[0].Message
	if raw := m.JSON.ExtraFields["reasoning_content"].Raw(); raw != "null" {
		t.Errorf("reasoning_content is %q", raw)
	}
	if raw := m.JSON.ToolCalls.Raw(); raw != "null" || m.JSON.ToolCalls.Valid() {
		t.Errorf("tool_calls is %q", raw)
	}
}

func checkUsage(t *testing.T, u openai.CompletionUsage) {
	t.Helper()
	switch {
	case u.PromptTokens < 1 || u.CompletionTokens < 1 || u.TotalTokens != u.PromptTokens+u.CompletionTokens:
		t.Errorf("the counts do not add up: %s", u.RawJSON())
	case u.PromptTokensDetails.CachedTokens > u.PromptTokens || u.CompletionTokensDetails.ReasoningTokens > u.CompletionTokens:
		t.Errorf("a part is more than the whole: %s", u.RawJSON())
	}
}

func TestTheModelNameMayBeInAnyCase(t *testing.T) {
	s := start(t, emulator.Options{})
	if c := s.complete(t, ask("gLm-5.3", "Hello there")); c.Model != glm {
		t.Errorf("answered as %q", c.Model)
	}
}

func TestTheSystemPromptIsRead(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		for form, system := range map[string]openai.ChatCompletionMessageParamUnion{
			"a string": openai.SystemMessage("You keep a lighthouse."),
			"parts":    openai.SystemMessage([]openai.ChatCompletionContentPartTextParam{{Text: "You keep a lighthouse."}}),
		} {
			p := ask(kimi, "A summary, please")
			p.Messages = append([]openai.ChatCompletionMessageParamUnion{system}, p.Messages...)
			if got := s.complete(t, p).Choices[0].Message.Content; !strings.Contains(got, "You keep a lighthouse.") {
				t.Errorf("%s: the summary does not name the system prompt: %q", form, got)
			}
		}
	})
}

func TestContentMayBeParts(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := openai.ChatCompletionNewParams{Model: kimi, Seed: openai.Int(3), Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{openai.TextContentPart("Count to 7")}),
		}}
		if got := s.complete(t, p).Choices[0].Message.Content; !strings.HasPrefix(got, "1, 2, 3, 4, 5, 6, 7") {
			t.Errorf("the text part was not read: %q", got)
		}
	})
}

func TestALongerConversationIsTaken(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := ask(kimi, "Hello there")
		c := s.complete(t, p)
		p.Messages = append(p.Messages, c.Choices[0].Message.ToParam(), openai.UserMessage("And now a summary"))
		again := s.complete(t, p)
		if got := again.Choices[0].Message.Content; !strings.Contains(got, "Hello there") {
			t.Errorf("the first question is forgotten: %q", got)
		}
		if again.Usage.PromptTokensDetails.CachedTokens < 1 {
			t.Errorf("nothing of a prompt that began like the one before is cached: %s", again.Usage.RawJSON())
		}
	})
}

func TestTheSameSeedGivesTheSameAnswer(t *testing.T) {
	s := start(t, emulator.Options{})
	with := func(seed int64) string {
		p := ask(kimi, "Hello there")
		p.Seed = openai.Int(seed)
		return s.complete(t, p).Choices[0].Message.Content
	}
	first := with(1)
	if again := with(1); again != first {
		t.Errorf("seed 1 gave %q, then %q", first, again)
	}
	if with(2) == first && with(3) == first {
		t.Errorf("seeds 1, 2 and 3 all gave %q", first)
	}
}

func TestTheAnswerEndsBeforeAStopSequence(t *testing.T) {
	s := start(t, emulator.Options{})
	for name, stop := range map[string]openai.ChatCompletionNewParamsStopUnion{
		"a string":   {OfString: openai.String("13")},
		"an array":   {OfStringArray: []string{"13"}},
		"the first":  {OfStringArray: []string{"17", "13", "15"}},
		"one unseen": {OfStringArray: []string{"never there", "13"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(kimi, "Count to 20")
			p.Stop = stop
			c := s.complete(t, p).Choices[0]
			if !strings.HasSuffix(c.Message.Content, "11, 12, ") || c.FinishReason != "stop" {
				t.Errorf("finish reason %q after %q", c.FinishReason, c.Message.Content)
			}
			h := s.listenWell(t, p)
			if h.Choices[0].Message.Content != c.Message.Content || h.Choices[0].FinishReason != "stop" {
				t.Errorf("streamed with finish reason %q: %q", h.Choices[0].FinishReason, h.Choices[0].Message.Content)
			}
		})
	}
}

func TestMaxTokensCutsTheAnswer(t *testing.T) {
	s := start(t, emulator.Options{})
	for name, limit := range map[string]func(p *openai.ChatCompletionNewParams){
		"max_tokens":            func(p *openai.ChatCompletionNewParams) { p.MaxTokens = openai.Int(6) },
		"max_completion_tokens": func(p *openai.ChatCompletionNewParams) { p.MaxCompletionTokens = openai.Int(6) },
		"max_tokens wins": func(p *openai.ChatCompletionNewParams) {
			p.MaxTokens, p.MaxCompletionTokens = openai.Int(6), openai.Int(5000)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(kimi, "Count to 500")
			limit(&p)
			c := s.complete(t, p)
			if c.Choices[0].FinishReason != "length" || c.Usage.CompletionTokens != 6 || c.Choices[0].Message.Content == "" {
				t.Errorf("not cut after 6 tokens: %s", c.RawJSON())
			}
			h := s.listenWell(t, p)
			if h.Choices[0].FinishReason != "length" || h.Usage.CompletionTokens != 6 || h.Choices[0].Message.Content != c.Choices[0].Message.Content {
				t.Errorf("streamed: finish reason %q after %q", h.Choices[0].FinishReason, h.Choices[0].Message.Content)
			}
		})
	}
}

// The document: a max_tokens above the model's own cap is lowered to it, and
// the cap is the default; without a cap the default is 65,536.
func TestTheLongestAnswerIsTheOneOfTheCard(t *testing.T) {
	s := start(t, emulator.Options{})
	uncapped := s.model(t, func(c card) bool {
		return c.Wafer.MaxOutput == 0 && c.Wafer.Context >= 131_072 && c.Wafer.Capabilities.Effort.Default == "none"
	})
	for name, tt := range map[string]struct {
		model     string
		maxTokens int64
		want      int64
	}{
		"above the cap":          {kimi, 200_000, 131_072},
		"the cap as default":     {kimi, 0, 131_072},
		"no cap, by default":     {uncapped, 0, 65_536},
		"no cap, but asked for":  {uncapped, 70_000, 70_000},
		"above the whole window": {uncapped, 100_000_000, 65_536},
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(tt.model, "Count to 100000")
			if tt.maxTokens > 0 {
				p.MaxTokens = openai.Int(tt.maxTokens)
			}
			c := s.complete(t, p)
			if c.Choices[0].FinishReason != "length" || c.Usage.CompletionTokens != tt.want {
				t.Errorf("finish reason %q after %d tokens, not %d", c.Choices[0].FinishReason, c.Usage.CompletionTokens, tt.want)
			}
		})
	}
}

// The document: when prompt and max_tokens do not fit the window together, the
// request is run without max_tokens instead of being refused.
func TestMaxTokensGivesWayToThePrompt(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, c := range s.cards(t) {
		p := ask(c.ID, "Count to 20")
		p.MaxTokens = openai.Int(int64(c.Wafer.Context))
		if got := s.complete(t, p).Choices[0]; got.FinishReason != "stop" || !strings.HasPrefix(got.Message.Content, "1, 2, 3") {
			t.Errorf("%s: finish reason %q after %q", c.ID, got.FinishReason, got.Message.Content)
		}
	}
}

func TestEverySamplingFieldIsTaken(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		for _, c := range s.cards(t) {
			p := ask(c.ID, "Hello there")
			p.Temperature, p.TopP = openai.Float(0.7), openai.Float(0.9)
			p.FrequencyPenalty, p.PresencePenalty = openai.Float(0.5), openai.Float(-0.5)
			s.complete(t, p, option.WithJSONSet("top_k", 40), option.WithJSONSet("min_p", 0.05), option.WithJSONSet("repetition_penalty", 1.1))
		}
	})
}

func TestUnrecognisedFieldsAreNotRejected(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := ask(kimi, "Count to 3")
		// What OpenAI's API has and the document does not name.
		p.User, p.Store, p.PromptCacheKey = openai.String("somebody"), openai.Bool(false), openai.String("chat-1")
		p.Metadata, p.LogitBias = map[string]string{"chat": "1"}, map[string]int64{"50256": -100}
		p.ServiceTier, p.Verbosity = openai.ChatCompletionNewParamsServiceTierAuto, openai.ChatCompletionNewParamsVerbosityLow
		c := s.complete(t, p, option.WithJSONSet("of_nobody", map[string]any{"deeply": []int{1, 2}}))
		if !strings.HasPrefix(c.Choices[0].Message.Content, "1, 2, 3") {
			t.Errorf("answered %q", c.Choices[0].Message.Content)
		}
	})
}
