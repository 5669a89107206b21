package emulator

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

func TestDemoAnswersWhatIsAsked(t *testing.T) {
	run := start(t, Options{})
	for ask, want := range map[string]string{
		"hello there":               "`help`",
		"help":                      "| say |",
		"Show me code":              "```go",
		"a table please":            "|---",
		"make a list":               "\n   - ",
		"slow":                      "A few tokens a second",
		"some math":                 "$$",
		"unicode":                   "日本語",
		"zeig mir 漢字":               "日本語",
		"a quote":                   "> ",
		"links":                     "](https://example.com/",
		"think hard":                "**none**",
		"count from 3 to 6":         "3, 4, 5, 6\n\n",
		"count down from 3 to 1":    "3, 2, 1\n\n",
		"json":                      "```json",
		"weather":                   "`calculate`",
		"an image":                  "No image arrived",
		"markdown":                  "# Everything",
		"repeat yourself":           "\n\n",
		"summary":                   "this is the first question",
		"error":                     "error 429",
		"What is *love* in\n\nmay?": "What is love in may?",
	} {
		content := run.ask(t, ask).content()
		if !strings.Contains(content, want) {
			t.Errorf("%q: no %q in\n%s", ask, want, content)
		}
		if !strings.Contains(content, "Scripted demo, no model.") {
			t.Errorf("%q: the answer is not labelled:\n%s", ask, content)
		}
		for _, placeholder := range []string{"{asked}", "{model}", "{effort}", "{stats}", "{system}"} {
			if strings.Contains(content, placeholder) {
				t.Errorf("%q: %s left in\n%s", ask, placeholder, content)
			}
		}
	}
}

func TestAskingAgainGivesAnotherAnswerAndASeedTheSame(t *testing.T) {
	for _, topic := range topics() {
		if len(topic.triggers) == 0 || topic.name == "count" {
			continue
		}
		run := start(t, Options{})
		first, second := run.ask(t, topic.triggers[0]).content(), run.ask(t, topic.triggers[0]).content()
		if first == second || !strings.Contains(second, "Version 2 of this answer.") {
			t.Errorf("%s: the second answer is %q", topic.name, second)
		}
	}
	run := start(t, Options{})
	a, b := run.ask(t, "code", `"seed":7`).content(), run.ask(t, "code", `"seed":7`).content()
	if c := run.ask(t, "code", `"seed":8`).content(); a != b || a == c {
		t.Error("the answer must follow the seed")
	}
}

func TestSameSeedAndRequestsGiveTheSameBytes(t *testing.T) {
	now := func() time.Time { return time.Unix(1790793243, 0) }
	session := func(seed uint64) string {
		run := start(t, Options{Seed: seed, Now: now})
		var b strings.Builder
		for _, text := range []string{"hello", "long 300", "code", "code"} {
			a := run.ask(t, text, `"reasoning_effort":"max"`)
			b.WriteString(a.header.Get("X-Request-Id"))
			b.Write(a.body)
		}
		return b.String()
	}
	if session(1) != session(1) {
		t.Error("two servers with the same seed differ")
	}
	if session(1) == session(2) {
		t.Error("another seed changes nothing")
	}
}

// Which of several requests comes first decides nothing about their answers.
func TestRequestsAtTheSameTimeGetTheSameBytes(t *testing.T) {
	now := func() time.Time { return time.Unix(1790793243, 0) }
	texts := []string{"hello", "code", "a list", "a table", "count to 30", "unicode", "weather in Rome", "error 429"}
	session := func(order []int) []string {
		run := start(t, Options{Seed: 5, Now: now})
		out := make([]string, len(texts))
		var all sync.WaitGroup
		for _, i := range order {
			all.Go(func() {
				a := run.ask(t, texts[i], twoTools, `"reasoning_effort":"high"`)
				out[i] = a.header.Get("X-Request-Id") + string(a.body)
			})
		}
		all.Wait()
		return out
	}
	a, b := session([]int{0, 1, 2, 3, 4, 5, 6, 7}), session([]int{7, 3, 5, 1, 6, 0, 2, 4})
	for i := range a {
		if a[i] != b[i] || !strings.HasPrefix(a[i], "req_") {
			t.Errorf("%s:\n%s\n%s", texts[i], a[i], b[i])
		}
	}
}

func TestDemoRemembersTheConversation(t *testing.T) {
	run := start(t, Options{})
	a := run.post(t, []byte(`{"model":"Kimi-K3","stream":true,"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"x"},
		{"role":"user","content":"my second"},{"role":"assistant","content":"y"},{"role":"user","content":"hello"}]}`))
	if got := a.content(); !strings.Contains(got, "This is your 3rd question; the one before was “my second”.") {
		t.Errorf("content %q", got)
	}
}

func TestCutAnswerContinuesWhereItEnded(t *testing.T) {
	run := start(t, Options{})
	run.ask(t, "code") // so that the cut one is a second version
	whole := ""
	for _, ask := range []string{`"max_tokens":40`, ``} {
		fields := []string{}
		if ask != "" {
			fields = append(fields, ask)
		}
		a := run.ask(t, "code", fields...)
		if ask != "" {
			if a.finish() != "length" || a.usage(t).Completion != 40 {
				t.Errorf("finish %q, usage %+v", a.finish(), a.usage(t))
			}
			whole = a.content()
		}
	}
	for name, tail := range map[string]string{"prefill": "", "request": `,{"role":"user","content":"Continue exactly where you stopped."}`} {
		a := run.post(t, []byte(`{"model":"Kimi-K3","stream":true,"messages":[{"role":"user","content":"code"},{"role":"assistant","content":`+string(encode(whole))+`}`+tail+`]}`))
		joined := whole + a.content()
		want := New(Options{}).texts["code"][1]
		if !strings.HasPrefix(joined, want) || !strings.HasSuffix(joined, "Version 2 of this answer.*") {
			t.Errorf("%s: joined answer is\n%s", name, joined)
		}
	}
}

func TestEffortDecidesHowMuchIsReasoned(t *testing.T) {
	run := start(t, Options{})
	tokens := map[string]int{}
	for _, tt := range []struct{ model, fields, same string }{
		{"Kimi-K3", `"x":1`, ""}, // the card's default is none
		{"Kimi-K3", `"reasoning_effort":"none"`, ""},
		{"Kimi-K3", `"reasoning_effort":"low"`, "high"}, // not listed: the nearest that reasons
		{"Kimi-K3", `"reasoning":{"effort":"high"}`, "high"},
		{"Kimi-K3", `"thinking":{"type":"disabled"}`, ""},
		{"Kimi-K3", `"reasoning_effort":null,"reasoning":null,"thinking":null`, ""},
		{"GLM-5.2", `"reasoning":{"effort":"none"}`, ""},
		{"GLM-5.2", `"thinking":{"type":"enabled"}`, "low"},
		{"GLM-5.2", `"reasoning_effort":"xhigh"`, "max"},
		{"GLM-5.2", `"reasoning_effort":"max","reasoning":{"effort":"low"},"thinking":{"type":"disabled"}`, "max"},
		{"Kimi-K3", `"thinking":{"type":"enabled"}`, "high"},
		{"Kimi-K3", `"reasoning_effort":"xhigh"`, "max"},
		{"GLM-5.3", `"x":1`, "low"},
		{"GLM-5.3", `"reasoning_effort":"medium"`, "high"},
		{"Qwen3.8-27B", `"x":1`, "high"},
		{"Qwen3.8-27B", `"reasoning_effort":"medium"`, "medium"},
	} {
		s := New(Options{})
		q, f := decodeRequest(question("hello", `"model":"`+tt.model+`"`, tt.fields))
		if f != nil || s.validate(q, nil) != nil {
			t.Fatal(f)
		}
		if want := map[bool]string{true: "none", false: tt.same}[tt.same == ""]; q.effort != want {
			t.Errorf("%s with %s runs at %q, want %q", tt.model, tt.fields, q.effort, want)
		}
		a := run.ask(t, "hello", `"model":"`+tt.model+`"`, tt.fields)
		reasoning, u := a.join(0, true), a.usage(t)
		if (reasoning != "") != (tt.same != "") || (reasoning != "") != (u.CompletionDetails.Reasoning > 0) {
			t.Errorf("%s with %s: reasoning %q, usage %+v", tt.model, tt.fields, reasoning, u)
		}
		tokens[q.effort] = u.CompletionDetails.Reasoning
	}
	if !(tokens["low"] < tokens["medium"] && tokens["medium"] < tokens["high"] && tokens["high"] < tokens["max"]) {
		t.Errorf("reasoning tokens by effort: %v", tokens)
	}
}

func TestReasoningComesBeforeContent(t *testing.T) {
	run := start(t, Options{})
	content := false
	for _, c := range run.ask(t, "hello", `"model":"GLM-5.2"`).chunks(t) {
		for _, choice := range c.Choices {
			content = content || choice.Delta.Content != nil && *choice.Delta.Content != ""
			if content && choice.Delta.Reasoning != "" {
				t.Fatal("reasoning after content")
			}
		}
	}
}

func TestHiddenReasoningOfGLMIsPaidFor(t *testing.T) {
	run := start(t, Options{})
	a := run.ask(t, "hello", `"model":"glm-5.3"`, `"reasoning_effort":"none"`)
	u := a.usage(t)
	if visible := len(cutTokens(a.content())); u.Completion < visible+40 || u.CompletionDetails.Reasoning != 0 || a.join(0, true) != "" {
		t.Errorf("usage %+v for %d visible tokens", u, visible)
	}
	a = run.ask(t, "hello", `"model":"GLM-5.3"`, `"reasoning_effort":"none"`, `"max_tokens":16`)
	if u := a.usage(t); a.content() != "" || a.finish() != "length" || u.Completion != 16 {
		t.Errorf("content %q, finish %q, usage %+v", a.content(), a.finish(), u)
	}
}

func TestMaxTokensIsBoundedAsTheDocumentSays(t *testing.T) {
	run := start(t, Options{})
	for _, tt := range []struct {
		fields     string
		completion int
	}{
		{`"max_tokens":5`, 5},
		{`"max_completion_tokens":6`, 6},
		{`"max_completion_tokens":6,"max_tokens":5`, 5},
	} {
		if a := run.ask(t, "long", tt.fields); a.usage(t).Completion != tt.completion || a.finish() != "length" {
			t.Errorf("%s: %+v, finish %q", tt.fields, a.usage(t), a.finish())
		}
	}
	a := run.ask(t, "hello", `"max_tokens":20`, `"model":"DeepSeek-V4-Pro"`)
	if u := a.usage(t); u.Completion != 20+u.CompletionDetails.Reasoning || u.CompletionDetails.Reasoning < 20 {
		t.Errorf("the extra room for reasoning is missing: %+v", u)
	}
	k3, glm := New(Options{}).cards[2], New(Options{}).cards[0]
	ten, huge, over := 10, 2_000_000, 200_000
	for _, tt := range []struct {
		card         card
		asked        *int
		prompt, want int
	}{
		{k3, nil, 1, 131072}, {k3, &over, 1, 131072}, {k3, &ten, 1, 10}, {k3, &huge, 1, 131072},
		{glm, nil, 1, 65536}, {glm, &over, 1, 200_000}, {glm, &huge, 1, 65536}, {glm, &over, 1_000_000, 48576}, {glm, nil, 1_040_000, 8576}, {glm, &ten, 1_048_570, 6},
		{card{}, nil, 1, 65536}, {card{}, &ten, 1, 10},
	} {
		q := &request{card: tt.card, MaxTokens: tt.asked}
		if got := q.limit(tt.prompt); got != tt.want {
			t.Errorf("%s: limit %d, want %d", tt.card.ID, got, tt.want)
		}
	}
}

func TestStopSequencesEndTheContent(t *testing.T) {
	run := start(t, Options{})
	for _, stop := range []string{`"stop":"4"`, `"stop":["9","4"]`} {
		if a := run.ask(t, "count to 9", stop); a.content() != "1, 2, 3, " || a.finish() != "stop" {
			t.Errorf("%s: %q, finish %q", stop, a.content(), a.finish())
		}
	}
	if a := run.ask(t, "repeat"); a.finish() != "length" {
		t.Errorf("finish %q", a.finish())
	}
}

func TestUsageCountsWhatAnEarlierPromptBeganWith(t *testing.T) {
	run := start(t, Options{})
	const first = `{"role":"system","content":"Be brief, whatever is asked of you."},{"role":"user","content":"hello"}`
	send := func(messages string) usage {
		return run.post(t, []byte(`{"model":"Kimi-K3","stream":true,"messages":[`+messages+`]}`)).usage(t)
	}
	if u := send(first); u.PromptDetails.Cached != 0 {
		t.Errorf("first: %+v", u)
	}
	one := send(first)
	if one.PromptDetails.Cached != one.Prompt {
		t.Errorf("repeated: %+v", one)
	}
	two := send(first + `,{"role":"assistant","content":"Hi."},{"role":"user","content":"code"}`)
	if two.PromptDetails.Cached != one.Prompt || two.Prompt <= one.Prompt {
		t.Errorf("continued: %+v after %+v", two, one)
	}
	if u := send(strings.Replace(first, "brief", "short", 1)); u.PromptDetails.Cached != 0 {
		t.Errorf("changed: %+v", u)
	}
}

func TestSeveralChoicesWhereTheModelHasThem(t *testing.T) {
	run := start(t, Options{})
	a := run.ask(t, "code", `"model":"Qwen3.8-27B"`, `"n":3`)
	texts := []string{a.join(0, false), a.join(1, false), a.join(2, false)}
	if texts[0] == "" || texts[0] == texts[1] || texts[1] == texts[2] || a.join(3, false) != "" {
		t.Errorf("choices %q", texts)
	}
	var c completion
	whole := run.post(t, question("code", `"model":"Qwen3.8-27B"`, `"n":2`))
	if err := json.Unmarshal(whole.body, &c); err != nil || len(c.Choices) != 2 || c.Choices[1].Index != 1 || c.Choices[1].Message.Content == c.Choices[0].Message.Content {
		t.Errorf("%v in %s", err, whole.body)
	}
	if c := run.complete(t, "code", `"n":1`); c.Message.Content == "" {
		t.Error("one choice is what every model gives")
	}
}

// wantLogprobs checks the shape that OpenAI's have, as JSON and not as ours.
func wantLogprobs(t *testing.T, items []any, top int) (joined string) {
	t.Helper()
	for _, item := range items {
		e := item.(map[string]any)
		alternatives := e["top_logprobs"].([]any)
		if len(e) != 4 || len(alternatives) != top {
			t.Fatalf("%v", e)
		}
		seen, before := map[string]bool{}, 0.0
		for i, alternative := range alternatives {
			o := alternative.(map[string]any)
			token, p := o["token"].(string), o["logprob"].(float64)
			if len(o) != 3 || len(o["bytes"].([]any)) != len(token) || seen[token] || p > before || i == 0 && (token != e["token"] || p != e["logprob"]) {
				t.Fatalf("alternative %d of %v", i, e)
			}
			seen[token], before = true, p
		}
		joined += e["token"].(string)
	}
	return joined
}

func TestLogprobsWhereTheModelHasThem(t *testing.T) {
	run := start(t, Options{})
	for _, tt := range []struct {
		fields string
		top    int
	}{{`"logprobs":true`, 0}, {`"logprobs":true,"top_logprobs":0`, 0}, {`"logprobs":true,"top_logprobs":4`, 4}, {`"logprobs":true,"top_logprobs":20`, 20}} {
		a := run.ask(t, "code", qwen, tt.fields)
		joined := ""
		for _, e := range a.events() {
			var c struct {
				Choices []struct {
					Delta    map[string]any
					Logprobs map[string]any
				}
			}
			_ = json.Unmarshal([]byte(e), &c)
			for _, choice := range c.Choices {
				if (choice.Logprobs != nil) != (choice.Delta["content"] != nil && choice.Delta["role"] == nil) {
					t.Fatalf("%s", e)
				}
				if choice.Logprobs != nil {
					joined += wantLogprobs(t, choice.Logprobs["content"].([]any), tt.top)
				}
			}
		}
		if joined == "" || joined != a.content() {
			t.Errorf("%s: the tokens join to %q", tt.fields, joined)
		}
		whole := decoded(t, run.post(t, question("code", qwen, tt.fields)).body).(map[string]any)["choices"].([]any)[0].(map[string]any)
		items := whole["logprobs"].(map[string]any)["content"].([]any)
		if got := wantLogprobs(t, items, tt.top); got != whole["message"].(map[string]any)["content"] {
			t.Errorf("%s, whole: the tokens join to %q", tt.fields, got)
		}
	}
	unknown := start(t, Options{Cards: []json.RawMessage{json.RawMessage(`{"id":"bare"}`)}})
	if a := unknown.ask(t, "code", `"model":"bare"`, `"logprobs":true`); a.status != 200 {
		t.Errorf("a model that says nothing of them: %d %s", a.status, a.body)
	}
	if a := run.ask(t, "code", `"logprobs":false`); a.status != 200 || strings.Contains(string(a.body), `"top_logprobs"`) {
		t.Errorf("not wanted: %d %s", a.status, a.body)
	}
}

// A model that repeats itself is stopped, with tokens left.
func TestRepetitionEndsTheAnswerBelowItsLimit(t *testing.T) {
	run := start(t, Options{})
	a := run.ask(t, "repeat", `"max_tokens":60000`)
	if u := a.usage(t); a.finish() != "length" || u.Completion >= 60000 || u.Completion < 100 || strings.Count(a.content(), "\n\n") < 10 {
		t.Errorf("finish %q, usage %+v", a.finish(), u)
	}
}

func TestLongAnswersAreAsLongAsAsked(t *testing.T) {
	run := start(t, Options{})
	for ask, want := range map[string]int{"long": 3000, "long 120": 120, "a long answer of 20000 words": 20000} {
		if got := len(strings.Fields(run.ask(t, ask).content())); got < want || got > want+150 {
			t.Errorf("%q: %d words", ask, got)
		}
	}
}

func TestDemoIsPaced(t *testing.T) {
	slept := func(text string) (time.Duration, int) {
		var sum time.Duration
		run := start(t, Options{Speed: 50, Sleep: func(_ context.Context, d time.Duration) error { sum += d; return nil }})
		n := run.ask(t, text).usage(t).Completion
		return sum, n
	}
	if d, n := slept("code"); d != time.Duration(n+firstTokenWait)*20*time.Millisecond {
		t.Errorf("%d tokens in %v", n, d)
	}
	if d, n := slept("slow"); d != time.Duration(n+firstTokenWait)*240*time.Millisecond {
		t.Errorf("%d slow tokens in %v", n, d)
	}
}

func TestTitleRequestsGetATitle(t *testing.T) {
	run := start(t, Options{})
	a := run.post(t, []byte(`{"model":"Kimi-K3","messages":[{"role":"user","content":"How long does rye bread take to rise?"},{"role":"assistant","content":"Four hours."},
		{"role":"user","content":"Write a short title for this conversation."}]}`))
	if !strings.Contains(string(a.body), `"content":"Demo: How long does rye bread"`) {
		t.Errorf("%s", a.body)
	}
}

func TestTokensJoinToTheTextAndSplitNoRune(t *testing.T) {
	texts := []string{"", " ", "\n\n  x", "plain words, and   blanks\n\tand tabs", "漢字かな 👩‍👩‍👧 é e\u0301 ناس"}
	for _, variants := range New(Options{}).texts {
		texts = append(texts, variants...)
	}
	for _, text := range texts {
		tokens := cutTokens(text)
		if strings.Join(tokens, "") != text {
			t.Errorf("%q is cut into %q", text, tokens)
		}
		for _, token := range tokens {
			if !utf8.ValidString(token) || token == "" {
				t.Errorf("token %q of %q", token, text)
			}
		}
		if n := len(tokens); len(text) > 500 && text == strings.ToValidUTF8(text, "") && (n*12 < utf8.RuneCountInString(text) || n > utf8.RuneCountInString(text)) {
			t.Errorf("%d tokens for %d characters", n, utf8.RuneCountInString(text))
		}
	}
}
