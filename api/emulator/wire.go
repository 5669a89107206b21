package emulator

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
	Token   string         `json:"token"`
	Logprob float64        `json:"logprob"`
	Bytes   []int          `json:"bytes"`
	Top     []tokenLogprob `json:"top_logprobs,omitempty"`
}

// tokenLogprobs makes up log probabilities: the token itself first, then
// alternatives that are ever less likely.
func (q *request) tokenLogprobs(tokens ...string) *logprobs {
	if !q.Logprobs || !q.card.Wafer.Capabilities.Chat.Logprobs {
		return nil
	}
	out := &logprobs{Content: []tokenLogprob{}}
	for _, t := range tokens {
		sure := -0.02 * float64(1+len(t)*7%60)
		e := tokenLogprob{Token: t, Logprob: sure, Bytes: byteValues(t)}
		for i := range q.TopLogprobs {
			other := tokenLogprob{Token: t, Logprob: sure, Bytes: e.Bytes}
			if i > 0 {
				other.Token = alternative(t, i)
				other.Logprob = sure - 0.9*float64(i)
				other.Bytes = byteValues(other.Token)
			}
			e.Top = append(e.Top, other)
		}
		out.Content = append(out.Content, e)
	}
	return out
}

func alternative(token string, i int) string {
	words := []string{" demo", " script", " token", " other", ",", ".", " the", " a", "\n"}
	w := words[(len(token)+i)%len(words)]
	if i > len(words) {
		w += words[i%len(words)]
	}
	return w
}

func byteValues(s string) []int {
	out := make([]int, len(s))
	for i := range len(s) {
		out[i] = int(s[i])
	}
	return out
}
