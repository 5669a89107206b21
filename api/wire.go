package api

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// The types of this file decode what servers send, not what they should send:
// a value of the wrong kind is read for what it says or counts as absent, and
// never makes the rest of a chunk unreadable.

// chunk is a streamed chunk or a whole completion.
type chunk struct {
	ID      label     `json:"id"`
	Model   label     `json:"model"`
	Object  label     `json:"object"`
	Choices []choice  `json:"choices"`
	Usage   wireUsage `json:"usage"`
	Error   present   `json:"error"`

	extra []member // fields that are not named above
}

type choice struct {
	Index        index     `json:"index"`
	Delta        delta     `json:"delta"`
	Message      delta     `json:"message"`
	FinishReason text      `json:"finish_reason"`
	Usage        wireUsage `json:"usage"`
	Logprobs     present   `json:"logprobs"`
	Error        present   `json:"error"`

	// extra are the fields of the choice, its delta and its message that are not
	// named here. What was given out is not changed.
	extra map[string]json.RawMessage
}

type delta struct {
	Content          content   `json:"content"`
	ReasoningContent content   `json:"reasoning_content"`
	Reasoning        content   `json:"reasoning"`
	ReasoningText    content   `json:"reasoning_text"`
	Thinking         content   `json:"thinking"`
	ReasoningDetails present   `json:"reasoning_details"`
	Refusal          text      `json:"refusal"`
	ToolCalls        calls     `json:"tool_calls"`
	FunctionCall     *function `json:"function_call"`
}

type fragment struct {
	Index    index    `json:"index"`
	ID       text     `json:"id"`
	Function function `json:"function"`

	extra []member // fields that are not named above
}

type function struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`

	extra []member // fields that are not named above
}

// empty tells whether a fragment says nothing. An index alone is no call.
func (f *fragment) empty() bool {
	return f.ID == "" && f.Function.Name == "" && f.Function.Arguments == "" && len(f.extra)+len(f.Function.extra) == 0
}

// text is a string that may come as a number. It may not be valid UTF-8: see
// joiner.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0:
	case b[0] == '"':
		*t = text(unquote(b))
	case b[0] == '-' || b[0] >= '0' && b[0] <= '9':
		*t = text(b)
	}
	return nil
}

// label is a text that every chunk repeats; its memory is used again.
type label []byte

func (l *label) UnmarshalJSON(b []byte) error {
	if len(b) < 2 || b[0] != '"' || bytes.IndexByte(b, '\\') >= 0 {
		var t text
		_ = t.UnmarshalJSON(b)
		*l = append((*l)[:0], t...)
		return nil
	}
	*l = append((*l)[:0], b[1:len(b)-1]...)
	return nil
}

// arguments are JSON in a string; some servers send the object itself.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || b[0] == 'n':
	case b[0] == '"':
		*a = arguments(unquote(b))
	default:
		*a = arguments(b)
	}
	return nil
}

// content is a string or an array of parts, of which some can be thoughts.
type content struct {
	text    string
	thought string
}

type contentPart struct {
	Type      text    `json:"type"`
	Text      text    `json:"text"`
	Content   text    `json:"content"`
	Refusal   text    `json:"refusal"`
	Summary   text    `json:"summary"`
	Thinking  content `json:"thinking"`
	Reasoning content `json:"reasoning"`
}

func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		c.text = unquote(b)
	case '[':
		var parts []json.RawMessage
		if json.Unmarshal(b, &parts) != nil {
			return nil
		}
		for _, raw := range parts {
			var part content
			_ = part.UnmarshalJSON(raw)
			c.text += part.text
			c.thought += part.thought
		}
	case '{':
		var p contentPart
		_ = json.Unmarshal(b, &p)
		said := string(p.Text + p.Content + p.Refusal + p.Summary)
		switch p.Type {
		case "thinking", "reasoning", "reasoning.text", "reasoning.summary":
			c.thought = p.Thinking.text + p.Reasoning.text + said
		default:
			c.text = said
		}
	}
	return nil
}

// calls is an array of fragments or, from some servers, one fragment.
type calls []fragment

func (c *calls) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		*c = make(calls, 1)
		_ = json.Unmarshal(b, &(*c)[0])
		(*c)[0].scan(b)
		return nil
	}
	_ = json.Unmarshal(b, (*[]fragment)(c))
	i := 0
	for object := range elements(b) {
		if i < len(*c) {
			(*c)[i].scan(object)
		}
		i++
	}
	return nil
}

// index is a position that may be absent, null, or a number in a string.
type index struct {
	n  int
	ok bool
}

func (i *index) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(string(bytes.Trim(b, `"`)))
	i.n, i.ok = n, err == nil
	return nil
}

// count is a number of tokens that may be absent, null, or written otherwise.
type count struct {
	n  int64
	ok bool
}

func (c *count) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	c.ok = err == nil && f >= 0 && f < math.MaxInt64
	if c.ok {
		c.n = int64(f)
	}
	return nil
}

// pointer is nil when the count was not reported.
func (c count) pointer() *int64 {
	if !c.ok {
		return nil
	}
	return &c.n
}

// or is the first of the counts that was reported.
func (c count) or(others ...count) count {
	for _, o := range others {
		if !c.ok {
			c = o
		}
	}
	return c
}

// present is a raw value that is there: null, "", false, {} and [] are not.
type present json.RawMessage

func (p *present) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null", `""`, "false", "{}", "[]":
		return nil
	}
	*p = present(validRaw(b))
	return nil
}

// wireUsage is a usage object and its bytes.
type wireUsage struct {
	counts usageCounts
	raw    json.RawMessage
}

func (w *wireUsage) UnmarshalJSON(b []byte) error {
	*w = wireUsage{}
	if len(b) == 0 || b[0] != '{' {
		return nil
	}
	_ = json.Unmarshal(b, &w.counts)
	if w.counts != (usageCounts{}) {
		w.raw = validRaw(b)
	}
	return nil
}

type usageCounts struct {
	Prompt        count `json:"prompt_tokens"`
	Completion    count `json:"completion_tokens"`
	Total         count `json:"total_tokens"`
	Input         count `json:"input_tokens"`
	Output        count `json:"output_tokens"`
	Cached        count `json:"cached_tokens"`
	CacheHit      count `json:"prompt_cache_hit_tokens"`
	Reasoning     count `json:"reasoning_tokens"`
	PromptDetails struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usage is nil when nothing was counted.
func (w *wireUsage) usage() *Usage {
	if w.raw == nil {
		return nil
	}
	c := &w.counts
	return &Usage{
		PromptTokens:     c.Prompt.or(c.Input).pointer(),
		CompletionTokens: c.Completion.or(c.Output).pointer(),
		TotalTokens:      c.Total.pointer(),
		CachedTokens:     c.PromptDetails.Cached.or(c.Cached, c.CacheHit).pointer(),
		ReasoningTokens:  c.CompletionDetails.Reasoning.or(c.Reasoning).pointer(),
		Raw:              w.raw,
	}
}
