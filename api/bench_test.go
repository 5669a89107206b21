package api

import (
	"io"
	"math"
	"strings"
	"testing"
)

// waferChunk is a chunk as the document says real ones are.
const waferChunk = `{"id":"724b7b08675f40d7aa75c80d5fe51cf5","object":"chat.completion.chunk","created":1790793243,"model":"GLM-5.3","choices":[{"index":0,"delta":{"content":" of the"},"logprobs":null,"finish_reason":null}]}`

func BenchmarkDecodeTextDelta(b *testing.B) {
	d := newDecoder("", 1)
	b.ReportAllocs()
	for b.Loop() {
		d.frame("", waferChunk)
		d.events = d.events[:0]
	}
}

func BenchmarkDecodeTextDeltaThatIsLikeNoOther(b *testing.B) {
	d := newDecoder("", 1)
	d.twin.wait = math.MaxInt
	b.ReportAllocs()
	for b.Loop() {
		d.frame("", waferChunk)
		d.events = d.events[:0]
	}
}

// endless repeats a frame.
type endless struct {
	frame string
	n     int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	e.n--
	return copy(p, e.frame), nil
}

func BenchmarkFrameAndDecodeTextDelta(b *testing.B) {
	d := newDecoder("", 1)
	f := newFramer(&endless{"data: " + waferChunk + "\n\n", b.N})
	b.ReportAllocs()
	for e := range f.events() {
		d.frame(e.Type, e.Data)
		d.events = d.events[:0]
	}
}

func BenchmarkStreamTextDelta(b *testing.B) {
	c, _ := newTestClient(b, noRetries)
	c.http.Transport = roundTripper(func(io.Reader) io.ReadCloser {
		return io.NopCloser(&endless{strings.Repeat("data: "+waferChunk+"\n\n", 16), b.N/16 + 1})
	})
	s := c.Stream(b.Context(), hello())
	b.ReportAllocs()
	for range b.N {
		if _, err := s.Next(); err != nil {
			b.Fatal(err)
		}
	}
	s.Close()
}

func BenchmarkDecodeOneLineOfFiveMegabytes(b *testing.B) {
	frame := textFrame(strings.Repeat("x", 5<<20))
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		d := newDecoder("", 1)
		f := newFramer(io.MultiReader(&pieceReader{pieces: []string{frame}, err: io.EOF}))
		for e := range f.events() {
			d.frame(e.Type, e.Data)
		}
	}
}
