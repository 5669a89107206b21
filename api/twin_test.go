package api

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// decodeFrames tells everything that comes of frames, with twins or without.
func decodeFrames(frames []string, twins bool) (out string, spared int) {
	d := newDecoder("", 1)
	if !twins {
		d.twin.wait = math.MaxInt
	}
	ids := 0
	d.newID = func() string { ids++; return fmt.Sprint("call_", ids) }
	for _, f := range frames {
		if d.twin.take(strings.TrimSpace(f)) != nil {
			spared++
		}
		d.frame("", f)
	}
	d.close()
	events, _ := json.Marshal(d.events)
	extra, _ := json.Marshal(d.extra.byName())
	return fmt.Sprintf("%s %q %q extra=%s done=%t err=%v skipped=%d", events, d.id, d.model, extra, d.done, d.err, d.skipped), spared
}

// around gives frames that differ in what stands between a head and a tail.
func around(head, tail string, texts ...string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, head+t+tail)
	}
	return out
}

func TestAFrameLikeTheOneBeforeSaysTheSameWithoutBeingDecoded(t *testing.T) {
	const id = `{"id":"r1","object":"chat.completion.chunk","model":"m",`
	for _, c := range []struct {
		name, head, tail string
		spared           bool
	}{
		{"content", id + `"choices":[{"index":0,"delta":{"content":"`, `"},"logprobs":null,"finish_reason":null}]}`, true},
		{"spaces", `{"choices": [{"index": 0, "delta": {"role": "assistant", "content": "`, `"}, "finish_reason": null}], "usage": null}`, true},
		{"reasoning", id + `"choices":[{"index":0,"delta":{"reasoning_content":"`, `"}}]}`, true},
		{"another choice", id + `"choices":[{"index":1,"delta":{"content":"`, `"}}]}`, true},
		{"a fingerprint", id + `"system_fingerprint":"fp","choices":[{"delta":{"content":"`, `"}}]}`, true},
		{"fields that nobody knows", id + `"choices":[{"delta":{"content":"`, `","x":[1]},"stop_reason":null}]}`, true},
		{"in a field that nobody knows", id + `"choices":[{"delta":{"x":{"content":"`, `"},"content":"y"}}]}`, false},
		{"of two lists of choices", id + `"choices":[{"delta":{"content":"`, `","x":1}}],"choices":[{"y":2}]}`, true},
		{"a finish reason", id + `"choices":[{"index":0,"delta":{"content":"`, `"},"finish_reason":"stop"}]}`, false},
		{"usage", id + `"choices":[{"index":0,"delta":{"content":"`, `"}}],"usage":{"prompt_tokens":1}}`, false},
		{"an error", id + `"error":{"message":"x"},"choices":[{"index":0,"delta":{"content":"`, `"}}]}`, false},
		{"logprobs", id + `"choices":[{"index":0,"logprobs":{"content":[{"token":"a"}]},"delta":{"content":"`, `"}}]}`, false},
		{"a tool call too", id + `"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}],"content":"`, `"}}]}`, false},
		{"two choices", id + `"choices":[{"delta":{"content":"x"}},{"index":1,"delta":{"content":"`, `"}}]}`, false},
		{"overwritten", id + `"choices":[{"delta":{"content":"`, `","content":"last"}}]}`, false},
		{"of a message", id + `"choices":[{"message":{"content":"`, `"}}]}`, false},
		{"in a string", `{"choices":[{"delta":{"content":"x"}}],"note":"`, `"}`, false},
		{"no JSON", `{"choices":[{"delta":{"content":"`, `"}}]`, false},
	} {
		frames := around(c.head, c.tail, "one", " two", `\n`, "thr", "é", `a\"b`, "\xc3", "\xa9", "", "<thi", "nk>", "x", "</think>", "end")
		want, _ := decodeFrames(frames, false)
		got, spared := decodeFrames(frames, true)
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
		if (spared > 0) != c.spared {
			t.Errorf("%s: %d frames are not decoded", c.name, spared)
		}
	}
}

func TestFramesThatAlwaysDifferAreLeftAlone(t *testing.T) {
	d := newDecoder("", 1)
	learned := 0
	for i := range 5000 {
		before := d.twin.head
		d.frame("", fmt.Sprintf(`{"id":"r%d","choices":[{"delta":{"content":"x"}}]}`, i))
		if d.twin.head != before {
			learned++
		}
	}
	if learned == 0 || learned > 20 {
		t.Errorf("%d of 5000 frames were learned", learned)
	}
	for range 2 * maxPause {
		d.frame("", waferChunk)
	}
	if !d.twin.used {
		t.Error("frames that are alike again are not noticed")
	}
}

func FuzzTwinsSayTheSame(f *testing.F) {
	f.Add(`{"choices":[{"delta":{"content":"`, `"}}]}`, "a", "b", "c")
	f.Add(`{"choices":[{"delta":{"reasoning":"`, `"}}]}`, "<", `\u00e9`, `"},"x":"`)
	f.Add(`{"p":"q","choices":[{"delta":{"content":"`, `","x":null},"y":1}]}`, "a", "b", "c")
	f.Add(`{"content":"`, `","choices":[{"delta":{"content":"x"}}]}`, "a", "error", "c")
	f.Fuzz(func(t *testing.T, head, tail, a, b, c string) {
		frames := around(head, tail, a, b, c, a+b)
		want, _ := decodeFrames(frames, false)
		if got, _ := decodeFrames(frames, true); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}
