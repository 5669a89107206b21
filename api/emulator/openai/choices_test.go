package openai_test

import (
	"net/http"
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"

	"waferchat/api/emulator"
)

func TestSeveralChoicesWhereTheCardSaysSo(t *testing.T) {
	s := start(t, emulator.Options{})
	p := ask(s.model(t, can("n")), "Hello there")
	p.N, p.Seed, p.ReasoningEffort = openai.Int(2), openai.Int(1), openai.ReasoningEffortNone
	whole := s.complete(t, p)
	h := s.listenWell(t, p)
	if len(whole.Choices) != 2 || len(h.Choices) != 2 {
		t.Fatalf("%d choices whole, %d streamed", len(whole.Choices), len(h.Choices))
	}
	for i, c := range whole.Choices {
		if c.Index != int64(i) || c.FinishReason != "stop" || c.Message.Content == "" {
			t.Errorf("choice %d is %s", i, c.RawJSON())
		}
		if got := h.Choices[i]; got.Message.Content != c.Message.Content || got.FinishReason != "stop" {
			t.Errorf("choice %d streamed %q with finish reason %q, whole %q", i, got.Message.Content, got.FinishReason, c.Message.Content)
		}
	}
	if whole.Choices[0].Message.Content == whole.Choices[1].Message.Content {
		t.Error("both choices say the same")
	}
	p.N = openai.Int(1)
	if one := s.complete(t, p); len(one.Choices) != 1 || one.Usage.CompletionTokens >= whole.Usage.CompletionTokens {
		t.Errorf("n = 1 gave %d choices and cost %d tokens, n = 2 cost %d", len(one.Choices), one.Usage.CompletionTokens, whole.Usage.CompletionTokens)
	}
}

// The choices of a stream come side by side, told apart by their index.
func TestStreamedChoicesAreInterleaved(t *testing.T) {
	s := start(t, emulator.Options{})
	p := ask(s.model(t, can("n")), "Count to 30")
	p.N, p.ReasoningEffort = openai.Int(2), openai.ReasoningEffortNone
	changes, before, roles := 0, int64(0), map[int64]string{}
	for _, chunk := range s.listenWell(t, p).chunks {
		for _, c := range chunk.Choices {
			if c.Index != before {
				changes++
			}
			before = c.Index
			roles[c.Index] += c.Delta.Role
		}
	}
	if changes < 10 || roles[0] != "assistant" || roles[1] != "assistant" {
		t.Errorf("%d changes between the choices, roles %v", changes, roles)
	}
}

func TestSeveralChoicesAreRefusedWhereTheCardSaysNo(t *testing.T) {
	s := start(t, emulator.Options{})
	p := ask(s.model(t, cannot("n")), "Hello there")
	p.N = openai.Int(2)
	if e := s.refused(t, p); e.StatusCode != http.StatusBadRequest || e.Param != "n" || e.Type != "invalid_request_error" {
		t.Errorf("status %d, %s", e.StatusCode, e.RawJSON())
	}
	p.N = openai.Int(1)
	s.complete(t, p)
}

func TestLogprobsSpellTheAnswer(t *testing.T) {
	s := start(t, emulator.Options{})
	p := ask(s.model(t, can("logprobs")), "unicode and emoji")
	p.Logprobs, p.TopLogprobs, p.Seed, p.ReasoningEffort = openai.Bool(true), openai.Int(3), openai.Int(1), openai.ReasoningEffortNone
	whole := s.complete(t, p).Choices[0]
	streamed := s.listenWell(t, p).Choices[0]
	for way, c := range map[string]openai.ChatCompletionChoice{"whole": whole, "streamed": streamed} {
		var spelt strings.Builder
		for _, l := range c.Logprobs.Content {
			spelt.WriteString(l.Token)
			if l.Logprob > 0 || string(bytesOf(l.Bytes)) != l.Token {
				t.Errorf("%s: token %s", way, l.RawJSON())
			}
			checkAlternatives(t, l)
		}
		if spelt.String() != c.Message.Content || spelt.Len() == 0 {
			t.Errorf("%s: the tokens spell %q, the answer is %q", way, spelt.String(), c.Message.Content)
		}
	}
}

// checkAlternatives looks at the three most likely tokens, the likeliest first.
func checkAlternatives(t *testing.T, l openai.ChatCompletionTokenLogprob) {
	t.Helper()
	if len(l.TopLogprobs) != 3 {
		t.Errorf("%d alternatives for %q, not 3", len(l.TopLogprobs), l.Token)
		return
	}
	seen := map[string]bool{}
	for i, top := range l.TopLogprobs {
		if seen[top.Token] {
			t.Errorf("%q is listed twice for %q", top.Token, l.Token)
		}
		seen[top.Token] = true
		if top.Logprob > 0 || i > 0 && top.Logprob > l.TopLogprobs[i-1].Logprob || string(bytesOf(top.Bytes)) != top.Token {
			t.Errorf("alternative %d of %q is %s", i, l.Token, top.RawJSON())
		}
	}
}

func bytesOf(values []int64) []byte {
	var b []byte
	for _, v := range values {
		b = append(b, byte(v))
	}
	return b
}

func TestThereAreNoLogprobsUnlessAskedFor(t *testing.T) {
	s := start(t, emulator.Options{})
	c := s.complete(t, ask(s.model(t, can("logprobs")), "Hello there")).Choices[0]
	if len(c.Logprobs.Content) != 0 || c.JSON.Logprobs.Valid() {
		t.Errorf("logprobs are %s", c.JSON.Logprobs.Raw())
	}
}

// The document says only that not every model has them.
func TestLogprobsAreRefusedWhereTheCardSaysNo(t *testing.T) {
	s := start(t, emulator.Options{})
	p := ask(s.model(t, cannot("logprobs")), "Hello there")
	p.Logprobs = openai.Bool(true)
	if e := s.refused(t, p); e.StatusCode != http.StatusBadRequest || e.Param != "logprobs" {
		t.Errorf("status %d, %s", e.StatusCode, e.RawJSON())
	}
}
