package openai_test

import (
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"

	"waferchat/api/emulator"
)

func TestAStreamSaysWhatTheWholeAnswerSays(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		for _, question := range []string{"Hello there", "Some markdown", "unicode and emoji", "code in Go", "A long story of 400 words"} {
			p := ask(kimi, question)
			p.Seed = openai.Int(4)
			whole := s.complete(t, p)
			h := s.listenWell(t, p)
			if got, want := h.Choices[0].Message.Content, whole.Choices[0].Message.Content; got != want {
				t.Errorf("%s:\nstreamed %q\nwhole    %q", question, got, want)
			}
			if h.Choices[0].FinishReason != whole.Choices[0].FinishReason || h.Choices[0].Message.Role != "assistant" {
				t.Errorf("%s: finish reason %q, role %q", question, h.Choices[0].FinishReason, h.Choices[0].Message.Role)
			}
			if h.Usage.CompletionTokens != whole.Usage.CompletionTokens || h.Usage.PromptTokens != whole.Usage.PromptTokens {
				t.Errorf("%s: streamed usage %+v, whole %s", question, h.Usage, whole.Usage.RawJSON())
			}
		}
	})
}

// The document: the first chunk sets the role, the chunk with a finish reason
// ends the choice, then comes the usage with empty choices, then [DONE].
func TestAStreamHasTheShapeOfTheDocument(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		h := s.listenWell(t, ask(kimi, "Hello there"))
		if role := h.chunks[0].Choices[0].Delta.Role; role != "assistant" {
			t.Errorf("the first chunk sets the role %q", role)
		}
		last := h.chunks[len(h.chunks)-1]
		if len(last.Choices) != 0 || last.JSON.Choices.Raw() != "[]" || !last.JSON.Usage.Valid() {
			t.Errorf("the last chunk is %s", last.RawJSON())
		}
		checkUsage(t, last.Usage)
		for i, c := range h.chunks {
			if c.ID != h.chunks[0].ID || c.Object != "chat.completion.chunk" || c.Model != kimi || c.Created == 0 {
				t.Errorf("chunk %d is %s", i, c.RawJSON())
			}
			if i < len(h.chunks)-1 && c.JSON.Usage.Valid() {
				t.Errorf("chunk %d has usage, too: %s", i, c.RawJSON())
			}
			if i < len(h.chunks)-2 && c.Choices[0].JSON.FinishReason.Raw() != "null" {
				t.Errorf("chunk %d is no end of the choice, its finish reason is %s", i, c.Choices[0].JSON.FinishReason.Raw())
			}
		}
		end := h.chunks[len(h.chunks)-2].Choices[0]
		if end.FinishReason != "stop" || end.Delta.Content != "" {
			t.Errorf("the choice ends with %s", end.RawJSON())
		}
		if !strings.HasSuffix(h.wire.String(), "\n\ndata: [DONE]\n\n") {
			t.Errorf("the stream ends with %q", h.wire.String()[max(0, h.wire.Len()-80):])
		}
	})
}

func TestUsageComesOnceWhetherAskedForOrNot(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, asked := range []bool{false, true} {
		p := ask(kimi, "Hello there")
		if asked {
			p.StreamOptions.IncludeUsage = openai.Bool(true)
		}
		count := 0
		for _, c := range s.listenWell(t, p).chunks {
			if c.JSON.Usage.Valid() {
				count++
			}
		}
		if count != 1 {
			t.Errorf("asked for: %v, came %d times", asked, count)
		}
	}
}

func TestAStreamArrivesInManyPieces(t *testing.T) {
	s := start(t, emulator.Options{})
	pieces := 0
	for _, c := range s.listenWell(t, ask(kimi, "Count to 50")).chunks {
		if len(c.Choices) > 0 && c.Choices[0].Delta.Content != "" {
			pieces++
		}
	}
	if pieces < 50 {
		t.Errorf("50 numbers came in %d pieces", pieces)
	}
}
