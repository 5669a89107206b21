package emulator

import "strings"

// The shapes of the document's response objects.

type chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	Usage   *usage        `json:"usage,omitempty"`
}

type chunkChoice struct {
	Index    int       `json:"index"`
	Delta    delta     `json:"delta"`
	Logprobs *logprobs `json:"logprobs"`
	Finish   *string   `json:"finish_reason"`
}

type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *string     `json:"content,omitempty"`
	Reasoning string      `json:"reasoning_content,omitempty"`
	ToolCalls []callDelta `json:"tool_calls,omitempty"`
}

type callDelta struct {
	ID       string        `json:"id,omitempty"`
	Index    int           `json:"index"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Index    int           `json:"index"`
	Message  answerMessage `json:"message"`
	Logprobs *logprobs     `json:"logprobs"`
	Finish   string        `json:"finish_reason"`
}

type answerMessage struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	Reasoning *string    `json:"reasoning_content"`
	ToolCalls []fullCall `json:"tool_calls"`
}

type fullCall struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function functionDelta `json:"function"`
}

type usage struct {
	Prompt        int `json:"prompt_tokens"`
	Completion    int `json:"completion_tokens"`
	Total         int `json:"total_tokens"`
	PromptDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

type logprobs struct {
	Content []tokenLogprob `json:"content"`
}

type tokenLogprob struct {
	likelihood
	Top []likelihood `json:"top_logprobs"`
}

type likelihood struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

// tokenLogprobs makes up log probabilities, in the shape of OpenAI's: the token
// itself first, then alternatives that are ever less likely.
func (q *request) tokenLogprobs(tokens ...string) *logprobs {
	if !q.Logprobs {
		return nil
	}
	most := 0
	if q.TopLogprobs != nil {
		most = *q.TopLogprobs
	}
	out := &logprobs{Content: []tokenLogprob{}}
	for _, t := range tokens {
		e := tokenLogprob{likelihood{t, -0.02 * float64(1+len(t)*7%60), byteValues(t)}, []likelihood{}}
		if most > 0 {
			e.Top = append(e.Top, e.likelihood)
		}
		for i := 1; len(e.Top) < most; i++ {
			if other := alternative(t, i); other != t {
				e.Top = append(e.Top, likelihood{other, e.Logprob - 0.9*float64(i), byteValues(other)})
			}
		}
		out.Content = append(out.Content, e)
	}
	return out
}

// alternative is the i-th word that might have stood there; they differ.
func alternative(token string, i int) string {
	words := []string{" demo", " script", " token", " other", ",", ".", " the", " a", "\n"}
	return words[(len(token)+i)%len(words)] + strings.Repeat("s", i/len(words))
}

func byteValues(s string) []int {
	out := make([]int, len(s))
	for i := range len(s) {
		out[i] = int(s[i])
	}
	return out
}
