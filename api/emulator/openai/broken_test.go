package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"waferchat/api/emulator"
)

func TestAnErrorInsideAStreamEndsItAsAnError(t *testing.T) {
	s := start(t, emulator.Options{})
	s.emulator.Script(emulator.Stream(emulator.C("Half an "), emulator.ErrFrame(http.StatusInternalServerError, "internal_error", "The model fell over."), emulator.EOF))
	h := s.listen(t, ask(kimi, "scripted"))
	var failed *ssestream.StreamError
	if !errors.As(h.err, &failed) {
		t.Fatalf("the stream ended with %v", h.err)
	}
	var event struct {
		Error struct{ Type, Code, Message string }
	}
	if err := json.Unmarshal(failed.Event.Data, &event); err != nil {
		t.Fatal(err)
	}
	if e := event.Error; e.Code != "internal_error" || e.Type != "server_error" || e.Message != "The model fell over." {
		t.Errorf("the event is %s", failed.Event.Data)
	}
	if c := h.Choices[0]; c.Message.Content != "Half an " || c.FinishReason != "" {
		t.Errorf("kept %q with finish reason %q", c.Message.Content, c.FinishReason)
	}
}

func TestTheDemosBrokenStreamsNeverLookComplete(t *testing.T) {
	s := start(t, emulator.Options{})
	for question, silent := range map[string]bool{
		"error stream": false,
		"error reset":  false,
		"error frame":  false, // the official client gives up at JSON that it cannot read
		// When the body ends properly but too early, the official client does not
		// notice: it reports no error. Only the missing finish reason tells.
		"error cut": true,
	} {
		t.Run(question, func(t *testing.T) {
			h := s.listen(t, ask(kimi, question))
			if (h.err == nil) != silent {
				t.Errorf("the stream ended with %v", h.err)
			}
			for _, c := range h.Choices {
				if c.FinishReason != "" {
					t.Errorf("a broken answer has the finish reason %q", c.FinishReason)
				}
			}
			if h.Usage.TotalTokens != 0 || strings.Contains(h.wire.String(), "[DONE]") && question != "error frame" {
				t.Errorf("a broken stream ends like a whole one: %q", h.wire)
			}
		})
	}
}

// Where a stream would break in the middle there is no half of a whole answer.
func TestABrokenWholeAnswerIsAnError(t *testing.T) {
	s := start(t, emulator.Options{})
	if e := s.refused(t, ask(kimi, "error cut")); e.StatusCode != http.StatusInternalServerError {
		t.Errorf("status %d", e.StatusCode)
	}
}

func TestAResetBeforeTheFirstByteIsAnError(t *testing.T) {
	s := start(t, emulator.Options{})
	s.emulator.Script(emulator.Stream(emulator.RST))
	if h := s.listen(t, ask(kimi, "scripted")); h.err == nil || len(h.chunks) != 0 {
		t.Errorf("%d chunks, then %v", len(h.chunks), h.err)
	}
}

func TestCommentsAndBlankLinesAreNoChunks(t *testing.T) {
	s := start(t, emulator.Options{})
	s.emulator.Script(emulator.Stream(emulator.Raw(": keep-alive\n\n\n"), emulator.C("All "), emulator.Raw(": keep-alive\n\n"), emulator.C("well"), emulator.F("stop"), emulator.U, emulator.D))
	h := s.listenWell(t, ask(kimi, "scripted"))
	if c := h.Choices[0]; c.Message.Content != "All well" || c.FinishReason != "stop" || h.Usage.TotalTokens != 15 {
		t.Errorf("heard %q with finish reason %q, %d tokens", c.Message.Content, c.FinishReason, h.Usage.TotalTokens)
	}
}

func TestAStreamThatIsCancelledEndsAtOnce(t *testing.T) {
	s := start(t, emulator.Options{})
	s.emulator.Script(emulator.Stream(emulator.C("Half an "), emulator.Hang))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream := s.client.Chat.Completions.NewStreaming(ctx, ask(kimi, "scripted"))
	defer stream.Close()
	if !stream.Next() || stream.Current().Choices[0].Delta.Content != "Half an " {
		t.Fatalf("no first chunk: %v", stream.Err())
	}
	cancel()
	if stream.Next() || !errors.Is(stream.Err(), context.Canceled) {
		t.Errorf("after the cancel: %v", stream.Err())
	}
}

func TestAnAnswerThatIsCancelledBeforeItBeginsIsNone(t *testing.T) {
	s := start(t, emulator.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.emulator.Script(emulator.Stream(emulator.Do(cancel), emulator.Hang))
	if _, err := s.client.Chat.Completions.New(ctx, ask(kimi, "scripted")); !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v", err)
	}
}
