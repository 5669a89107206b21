package emulator

import (
	"net/http"
	"strings"
)

// failure is a way for a demo stream to go wrong in the middle. The zero value
// is none.
type failure string

const (
	failReset failure = "reset" // the connection is reset
	failEnd   failure = "end"   // the body ends without a finish reason
	failHang  failure = "hang"  // nothing more is said
	failError failure = "error" // an error object in the stream
	failFrame failure = "frame" // one damaged frame, then it goes on
)

// streamer sends the chunks of one answer.
type streamer struct {
	x    *exchange
	q    *request
	base chunk
	err  error // the first error; nothing is sent after it
}

// firstTokenWait is the time before the first token, in tokens.
const firstTokenWait = 8

func (x *exchange) stream(q *request, choices []produced, u usage) {
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(x.w).Flush()
	st := &streamer{x: x, q: q, base: chunk{ID: x.answerID(), Object: "chat.completion.chunk", Created: x.s.o.Now().Unix(), Model: q.card.ID}}
	empty := ""
	st.pace(firstTokenWait, choices[0].slowness)
	for i := range choices {
		st.choice(chunkChoice{Index: i, Delta: delta{Role: "assistant", Content: &empty}})
	}
	st.pace(choices[0].hidden, 1)
	st.tokens(choices)
	for i, c := range choices {
		st.calls(i, c)
		st.choice(chunkChoice{Index: i, Finish: &c.finish})
	}
	last := st.base
	last.Choices, last.Usage = []chunkChoice{}, &u
	st.send(last)
	st.try(func() error { return x.write([]byte(D)) })
	if st.err != nil && st.err != errEnd {
		x.abort()
	}
}

// try does f unless something failed before.
func (st *streamer) try(f func() error) {
	if st.err == nil {
		st.err = f()
	}
}

func (st *streamer) pace(tokens int, slowness float64) {
	st.try(func() error { return st.x.pace(tokens, slowness) })
}

func (st *streamer) choice(c chunkChoice, texts ...said) {
	out := st.base
	out.Choices = []chunkChoice{c}
	st.send(out, texts...)
}

func (st *streamer) send(c chunk, texts ...said) {
	st.try(func() error {
		b := append([]byte("data: "), encode(c)...)
		return st.x.write(append(b, "\n\n"...), texts...)
	})
}

// tokens sends reasoning and content, the choices in turn.
func (st *streamer) tokens(choices []produced) {
	for at, more := 0, true; more && st.err == nil; at++ {
		more = false
		for i, c := range choices {
			if at < len(c.reasoning)+len(c.content) {
				more = true
				st.token(i, c, at)
			}
		}
	}
}

func (st *streamer) token(i int, c produced, at int) {
	st.pace(1, c.slowness)
	if at < len(c.reasoning) {
		t := c.reasoning[at]
		st.choice(chunkChoice{Index: i, Delta: delta{Reasoning: t}}, said{text: t, reasoning: true})
		return
	}
	at -= len(c.reasoning)
	if c.breakAs != "" && at == len(c.content)/2 {
		st.fail(c.breakAs)
	}
	t := c.content[at]
	st.choice(chunkChoice{Index: i, Delta: delta{Content: &t}, Logprobs: st.q.tokenLogprobs(t)}, said{text: t})
}

func (st *streamer) fail(as failure) {
	p := &player{x: st.x, out: st.x.write}
	steps := map[failure][]Step{
		failReset: {RST},
		failEnd:   {EOF},
		failHang:  {Hang},
		failError: {ErrFrame(http.StatusInternalServerError, "internal_error", "Scripted demo: this answer failed on request."), EOF},
		failFrame: {Frame(`{"choices":[{"index":0,"del`)},
	}
	st.try(func() error { return p.run(steps[as]) })
}

// calls streams the tool calls: a first delta with id and name, then the
// arguments in fragments.
func (st *streamer) calls(i int, c produced) {
	for n, call := range c.calls {
		first := callDelta{ID: call.ID, Index: n, Type: "function", Function: functionDelta{Name: call.Function.Name}}
		st.choice(chunkChoice{Index: i, Delta: delta{ToolCalls: []callDelta{first}}})
		tokens := cutTokens(call.Function.Arguments)
		for len(tokens) > 0 {
			k := min(3, len(tokens))
			part := callDelta{Index: n, Function: functionDelta{Arguments: strings.Join(tokens[:k], "")}}
			tokens = tokens[k:]
			st.pace(k, 1)
			st.choice(chunkChoice{Index: i, Delta: delta{ToolCalls: []callDelta{part}}})
		}
	}
}
