package emulator

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Raw writes its bytes, flushed in one go.
type Raw string

func (r Raw) play(p *player) error { return p.out([]byte(r)) }

// Frames that never vary.
const (
	// U is the usage frame of a short answer: 10 prompt and 5 completion tokens.
	U Raw = `data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}` + "\n\n"
	// D is the frame that ends a stream.
	D Raw = "data: [DONE]\n\n"
)

// Omit and Null stand for a field that is left out and for JSON's null, as the
// id, name or arguments of [T].
const (
	Omit = "\x00omit"
	Null = "\x00null"
)

// frame is a write that carries visible text.
type frame struct {
	bytes []byte
	texts []said
}

func (f frame) play(p *player) error { return p.out(f.bytes, f.texts...) }

func textFrame(field, text string, reasoning bool) frame {
	b := []byte(Delta(`{"` + field + `":` + string(encode(text)) + `}`))
	return frame{b, []said{{text, reasoning, len(b)}}}
}

// C is a frame with a content delta.
func C(text string) Step { return textFrame("content", text, false) }

// R is a frame with a delta of reasoning_content.
func R(text string) Step { return textFrame("reasoning_content", text, true) }

// T is a frame with a fragment of a tool call. See [Omit] and [Null].
func T(index int, id, name, arguments string) Step {
	field := func(key, value string) string {
		switch value {
		case Omit:
			return ""
		case Null:
			return `,"` + key + `":null`
		}
		return `,"` + key + `":` + string(encode(value))
	}
	function := strings.TrimPrefix(field("name", name)+field("arguments", arguments), ",")
	return Delta(fmt.Sprintf(`{"tool_calls":[{"index":%d%s,"type":"function","function":{%s}}]}`, index, field("id", id), function))
}

// F is a frame with an empty delta and a finish reason.
func F(reason string) Step {
	return Chunk(`"choices":[{"index":0,"delta":{},"finish_reason":` + string(encode(reason)) + `}]`)
}

// Usage is a usage frame of any numbers. cached is part of prompt, reasoning
// part of completion.
func Usage(prompt, completion, cached, reasoning int) Step {
	u := usage{Prompt: prompt, Completion: completion, Total: prompt + completion}
	u.PromptDetails.Cached, u.CompletionDetails.Reasoning = cached, reasoning
	return Chunk(`"choices":[],"usage":` + string(encode(u)))
}

// Delta is the frame of one choice with this JSON as its delta.
func Delta(json string) Raw {
	return Chunk(`"choices":[{"index":0,"delta":` + json + `,"finish_reason":null}]`)
}

// Chunk is a frame whose object has these JSON fields after the usual ones.
func Chunk(fields string) Raw {
	return Frame(`{"id":"r1","object":"chat.completion.chunk","created":1,"model":"m",` + fields + `}`)
}

// Frame is one data event with this payload.
func Frame(payload string) Raw { return Raw("data: " + payload + "\n\n") }

// Flood writes n content deltas of size bytes each (at least 8, ASCII) as fast
// as the client takes them. Each begins with its number, from "0000001" on, so
// that a lost or doubled one is seen.
func Flood(n, size int) Step { return flood{n, size} }

type flood struct{ n, size int }

func (f flood) play(p *player) error {
	const batch = 16 << 10
	filler := strings.Repeat("word ", f.size/5+1)
	var b []byte
	var texts []said
	for i := range f.n {
		text := fmt.Sprintf("%07d ", i+1)
		text += filler[:max(0, f.size-len(text))]
		b = append(b, Delta(`{"content":"`+text+`"}`)...)
		texts = append(texts, said{text, false, len(b)})
		if len(b) < batch && i < f.n-1 {
			continue
		}
		if err := p.out(b, texts...); err != nil {
			return err
		}
		b, texts = b[:0], texts[:0]
	}
	return nil
}

// Repeat plays the steps n times.
func Repeat(n int, steps ...Step) Step { return repeat{n, steps} }

type repeat struct {
	n     int
	steps []Step
}

func (r repeat) play(p *player) error {
	for range r.n {
		if err := p.run(r.steps); err != nil {
			return err
		}
	}
	return nil
}

// Pause waits for d by the server's Sleep.
type Pause time.Duration

func (d Pause) play(p *player) error {
	if p.dry {
		return nil
	}
	return p.x.s.o.Sleep(p.x.r.Context(), time.Duration(d))
}

// Wait waits until ch is closed or gives a value, or the client leaves.
func Wait(ch <-chan struct{}) Step { return wait(ch) }

type wait <-chan struct{}

func (w wait) play(p *player) error {
	if p.dry {
		return nil
	}
	select {
	case <-w:
		return nil
	case <-p.x.r.Context().Done():
		return p.x.r.Context().Err()
	}
}

// Do calls f, for a test that wants to know how far a reply has got.
func Do(f func()) Step { return do(f) }

type do func()

func (f do) play(p *player) error {
	if !p.dry {
		f()
	}
	return nil
}

// End is a step that ends a reply.
type End string

// The ways to end a reply early.
const (
	// EOF ends the body properly, as every reply does after its last step.
	EOF End = "eof"
	// RST resets the connection: no end of the body, no goodbye.
	RST End = "rst"
	// Hang says nothing more until the client leaves.
	Hang End = "hang"
)

func (e End) play(p *player) error {
	switch {
	case p.dry:
		return nil
	case e == EOF:
		return errEnd
	case e == Hang:
		<-p.x.r.Context().Done()
	}
	return errReset
}

// Split writes what the steps write in pieces of n bytes, each flushed by
// itself and regardless of frames; with n = 0 all in one write, at the end.
func Split(n int, steps ...Step) Step { return split{n, steps} }

type split struct {
	n     int
	steps []Step
}

func (s split) play(p *player) error {
	before := p.out
	defer func() { p.out = before }()
	var held []byte
	var texts []said
	flush := func(n int) error {
		ready := 0
		for ready < len(texts) && texts[ready].end <= n {
			ready++
		}
		err := before(held[:n], texts[:ready]...)
		held, texts = held[n:], texts[ready:]
		for i := range texts {
			texts[i].end -= n
		}
		return err
	}
	p.out = func(b []byte, more ...said) error {
		for _, t := range more {
			t.end += len(held)
			texts = append(texts, t)
		}
		held = append(held, b...)
		for s.n > 0 && len(held) >= s.n {
			if err := flush(s.n); err != nil {
				return err
			}
		}
		return nil
	}
	err := p.run(s.steps)
	if len(held) > 0 {
		if ferr := flush(len(held)); err == nil {
			err = ferr
		}
	}
	return err
}

// Cut writes only the first n bytes of what the steps write; the steps after
// the n-th byte are not played, and the reply goes on behind the Cut.
func Cut(n int, steps ...Step) Step { return cut{n, steps} }

type cut struct {
	n     int
	steps []Step
}

func (c cut) play(p *player) error {
	before := p.out
	defer func() { p.out = before }()
	left, done := c.n, false
	p.out = func(b []byte, texts ...said) error {
		if len(b) < left {
			left -= len(b)
			return before(b, texts...)
		}
		whole := 0
		for whole < len(texts) && texts[whole].end <= left {
			whole++
		}
		done = true
		if err := before(b[:left], texts[:whole]...); err != nil {
			return err
		}
		return errEnd
	}
	err := p.run(c.steps)
	if done && err == errEnd {
		return nil
	}
	return err
}

// Bytes returns what the steps write, joined; pauses and ends are ignored. It
// is for replies that change the bytes: Raw(strings.ReplaceAll(Bytes(…), …)).
func Bytes(steps ...Step) string {
	var b bytes.Buffer
	p := &player{dry: true, out: func(piece []byte, _ ...said) error { b.Write(piece); return nil }}
	_ = p.run(steps)
	return b.String()
}
