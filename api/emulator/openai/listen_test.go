package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// heard is a stream read to its end, however that came.
type heard struct {
	chunks []openai.ChatCompletionChunk
	*openai.ChatCompletionAccumulator
	err  error
	wire *bytes.Buffer // the body as the client read it
}

// listen reads a stream with the client's accumulator, which must take every
// chunk.
func (s service) listen(t *testing.T, p openai.ChatCompletionNewParams, opts ...option.RequestOption) heard {
	t.Helper()
	h := heard{ChatCompletionAccumulator: &openai.ChatCompletionAccumulator{}, wire: &bytes.Buffer{}}
	stream := s.client.Chat.Completions.NewStreaming(t.Context(), p, append(opts, option.WithMiddleware(h.tap))...)
	defer stream.Close()
	for stream.Next() {
		h.chunks = append(h.chunks, stream.Current())
		if !h.AddChunk(stream.Current()) {
			t.Fatalf("the accumulator refuses %s", stream.Current().RawJSON())
		}
	}
	h.err = stream.Err()
	return h
}

// listenWell is listen for a stream that must end well.
func (s service) listenWell(t *testing.T, p openai.ChatCompletionNewParams, opts ...option.RequestOption) heard {
	t.Helper()
	h := s.listen(t, p, opts...)
	if h.err != nil {
		t.Fatal(describe(h.err))
	}
	if len(h.Choices) == 0 {
		t.Fatalf("no choices in %q", h.wire)
	}
	return h
}

// tap copies the body of an answer to the wire.
func (h heard) tap(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(res.Body, h.wire), res.Body}
	}
	return res, err
}

// reasoning joins the reasoning of choice 0, a field that the official client
// does not know but keeps.
func (h heard) reasoning(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, c := range h.chunks {
		for _, choice := range c.Choices {
			if f, ok := choice.Delta.JSON.ExtraFields["reasoning_content"]; ok && choice.Index == 0 {
				b.WriteString(text(t, f.Raw()))
			}
		}
	}
	return b.String()
}

// text is the string that a raw JSON value holds, "" for null.
func text(t *testing.T, raw string) string {
	t.Helper()
	var s *string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		t.Fatalf("%s is no string: %v", raw, err)
	}
	if s == nil {
		return ""
	}
	return *s
}
