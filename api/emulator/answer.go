package emulator

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer is what the demo says, before it is cut into tokens.
type answer struct {
	reasoning string
	hidden    int // tokens of reasoning that is paid for but not shown
	content   string
	calls     []fullCall
	finish    string
	slowness  float64 // how many times slower than Speed; 0 means 1
	breakAs   failure
}

// produced is an answer within its limit of tokens.
type produced struct {
	reasoning, content []string
	hidden             int
	calls              []fullCall
	finish             string
	slowness           float64
	breakAs            failure
}

// answer lets the demo answer the request.
func (x *exchange) answer() {
	q, f := decodeRequest(x.body)
	if f == nil {
		f = x.s.validate(q, x.r.Header)
	}
	if f != nil {
		x.refuse(f)
		return
	}
	attempt := x.s.attempt(q)
	if f := q.wantedFault(attempt); f != nil {
		x.refuse(f)
		return
	}
	prompt := q.promptTokens()
	var u usage
	u.Prompt, u.PromptDetails.Cached = prompt, x.s.cachedTokens(q)
	var choices []produced
	n := 1
	if q.N != nil {
		n = *q.N
	}
	for i := range n {
		a, f := x.s.compose(q, attempt, i)
		if f != nil {
			x.refuse(f)
			return
		}
		for j := range a.calls {
			a.calls[j].ID = "call_" + x.s.hexID("call", fmt.Sprint(x.same, "/", i, "/", j), 24)
		}
		c := q.produce(a, q.limit(prompt))
		reasoned := len(c.reasoning)
		u.Completion += reasoned + c.hidden + len(c.content) + c.callTokens()
		u.CompletionDetails.Reasoning += reasoned
		choices = append(choices, c)
	}
	u.Total = u.Prompt + u.Completion
	if q.Stream {
		x.stream(q, choices, u)
		return
	}
	x.whole(q, choices, u)
}

// produce applies the limit of tokens and the stop sequences.
func (q *request) produce(a answer, limit int) produced {
	p := produced{calls: a.calls, finish: "stop", slowness: max(a.slowness, 1), breakAs: a.breakAs}
	if a.finish != "" {
		p.finish = a.finish
	}
	content := a.content
	for _, s := range q.Stop {
		if before, _, found := strings.Cut(content, s); found && s != "" {
			content, p.finish = before, "stop"
		}
	}
	p.reasoning, p.content = cutTokens(a.reasoning), cutTokens(content)
	limit += min(q.card.extraRoom(), len(p.reasoning))
	p.hidden = min(a.hidden, limit)
	p.reasoning = p.reasoning[:min(len(p.reasoning), limit-p.hidden)]
	left := limit - p.hidden - len(p.reasoning)
	switch {
	case len(p.calls) > 0 && left < p.callTokens():
		p.calls, p.content, p.finish = nil, nil, "length"
	case len(p.calls) > 0:
		p.finish = "tool_calls"
	case left < len(p.content):
		p.content, p.finish = p.content[:left], "length"
	}
	return p
}

func (p *produced) callTokens() int {
	n := 0
	for _, c := range p.calls {
		n += len(cutTokens(c.Function.Arguments)) + 8
	}
	return n
}

func (x *exchange) whole(q *request, choices []produced, u usage) {
	c := completion{ID: x.answerID(), Object: "chat.completion", Created: x.s.o.Now().Unix(), Model: q.card.ID, Usage: u}
	var texts []said
	for i, p := range choices {
		if p.breakAs != "" {
			x.refuse(&fault{Status: http.StatusInternalServerError, Code: "internal_error", Message: "Scripted demo: this answer failed on request."})
			return
		}
		m := answerMessage{Role: "assistant", Content: strings.Join(p.content, ""), ToolCalls: p.calls}
		if len(p.reasoning) > 0 {
			text := strings.Join(p.reasoning, "")
			m.Reasoning = &text
			texts = append(texts, said{text: text, reasoning: true})
		}
		texts = append(texts, said{text: m.Content})
		c.Choices = append(c.Choices, choice{i, m, q.tokenLogprobs(p.content...), p.finish})
		if x.pace(len(p.content)+len(p.reasoning), p.slowness) != nil {
			x.abort()
			return
		}
	}
	x.s.record(x.number, texts)
	x.reply(http.StatusOK, c)
}

func (x *exchange) answerID() string { return x.s.hexID("answer", x.same, 32) }

// pace waits for as long as that many tokens take.
func (x *exchange) pace(tokens int, slowness float64) error {
	if x.s.o.Speed <= 0 {
		return x.r.Context().Err()
	}
	d := time.Duration(float64(tokens) * slowness / x.s.o.Speed * float64(time.Second))
	return x.s.o.Sleep(x.r.Context(), d)
}
