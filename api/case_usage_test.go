package api

import (
	"strings"
	"testing"
)

// usageCases are the shapes and places of usage. "-" is what was not reported:
// unknown, and never zero.
func usageCases() []wireCase {
	answer := textFrame("Hello") + finishFrame("stop")
	all := `{"prompt_tokens":9,"completion_tokens":8,"total_tokens":17,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}`
	behind := func(usage string) string { return answer + raw(`{"choices":[],"usage":`+usage+`}`) + doneFrame }
	hello := func(usage string) string { return `text "Hello", finish stop, usage ` + usage }
	return []wireCase{
		{saw: "usage behind the finish lost", body: behind(all), want: hello("9 8 17 4 3")},
		{saw: "zero tokens where nobody counted", body: answer + doneFrame, want: `text "Hello", finish stop`},
		{saw: "zero tokens where usage is null", body: behind(`null`), want: `text "Hello", finish stop`},
		{saw: "zero tokens where usage is empty", body: behind(`{}`), want: `text "Hello", finish stop`},
		{saw: "a crash at details that are null", body: behind(`{"prompt_tokens":9,"completion_tokens":8,"total_tokens":17,"prompt_tokens_details":null,"completion_tokens_details":null}`), want: hello("9 8 17 - -")},
		{saw: "a crash at details that are empty", body: behind(`{"prompt_tokens":9,"prompt_tokens_details":{},"completion_tokens_details":{"reasoning_tokens":null}}`), want: hello("9 - - - -")},
		{saw: "unknown where the server counted zero", body: behind(`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}`), want: hello("0 0 0 0 0")},
		{saw: "usage lost to null in every other chunk", want: hello("9 8 17 4 3"), body: strings.ReplaceAll(textFrame("Hello"), `"choices":`, `"usage":null,"choices":`) +
			strings.ReplaceAll(finishFrame("stop"), `"choices":`, `"usage":`+all+`,"choices":`) + raw(`{"choices":[],"usage":null}`) + doneFrame},
		{saw: "usage in the chunk of the finish lost", body: textFrame("Hello") + raw(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":`+all+`}`) + doneFrame, want: hello("9 8 17 4 3")},
		{saw: "usage in the chunk of the last words lost", body: raw(`{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}],"usage":` + all + `}`), want: hello("9 8 17 4 3")},
		{saw: "usage inside the choice lost", body: textFrame("Hello") + raw(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":`+all+`}]}`) + doneFrame, want: hello("9 8 17 4 3")},
		{saw: "usage of every chunk added up", body: raw(`{"choices":[{"index":0,"delta":{"content":"Hel"}}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}`) +
			raw(`{"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`) + doneFrame, want: hello("5 2 7 - -")},
		{saw: "cached tokens beside the others lost", body: behind(`{"prompt_tokens":9,"completion_tokens":8,"total_tokens":17,"cached_tokens":4}`), want: hello("9 8 17 4 -")},
		{saw: "cached tokens of another name lost", body: behind(`{"prompt_tokens":9,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":5}`), want: hello("9 - - 4 -")},
		{saw: "tokens under the names of another API lost", body: behind(`{"input_tokens":9,"output_tokens":8}`), want: hello("9 8 - - -")},
		{saw: "tokens that are strings or fractions lost", body: behind(`{"prompt_tokens":"9","completion_tokens":8.0,"total_tokens":1.7e1}`), want: hello("9 8 17 - -")},
		{saw: "tokens that are no numbers counted", body: behind(`{"prompt_tokens":9,"completion_tokens":-8,"total_tokens":"many"}`), want: hello("9 - - - -")},
		{saw: "tokens of hidden thoughts explained away", body: behind(`{"prompt_tokens":9,"completion_tokens":300,"total_tokens":309,"completion_tokens_details":{"reasoning_tokens":0}}`), want: hello("9 300 309 - 0")},
		{saw: "the tokens of a broken answer forgotten", body: textFrame("Hel") + raw(`{"choices":[],"usage":`+all+`}`) + raw(`{"error":{"message":"boom"}}`), want: `text "Hel", usage 9 8 17 4 3, error 200 "boom"`},
		{saw: "the tokens of an answer in one piece lost", kind: "application/json", body: `{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],"usage":` + all + `}`, want: hello("9 8 17 4 3")},
	}
}

func TestTokensAreCountedAsTheServerReportsThem(t *testing.T) { checkCases(t, usageCases()) }
