package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// told tells the events of a stream that carry fields nobody knows, in order,
// and the stream's own.
func told(t *testing.T, s *Stream) (events []string, own string) {
	t.Helper()
	defer s.Close()
	for {
		e, err := s.Next()
		if err != nil {
			break
		}
		if e.Kind == EventExtra {
			raw, err := marshal(e.Extra)
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, fmt.Sprint(e.Choice, " ", string(raw)))
		} else if e.Text != "" {
			events = append(events, e.Text)
		}
	}
	raw, err := marshal(s.Extra())
	if err != nil {
		t.Fatal(err)
	}
	return events, string(raw)
}

func TestFieldsThatNobodyKnowsAreGivenAsTheyCame(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		want         []string
		own          string
	}{
		{"none", documentStream, []string{"1, 2, 3, 4, 5"}, `null`},
		{"none in a call", documentToolStream, nil, `null`},
		{"of a delta", deltaFrame(`{"content":"a","annotations":[{"url": "x<y"}],"audio":null}`) + deltaFrame(`{"content":"b"}`),
			[]string{"a", `0 {"annotations":[{"url":"x<y"}],"audio":null}`, "b"}, `null`},
		{"of a choice", raw(`{"choices":[{"index":0,"delta":{"content":"a"},"stop_reason":null,"token_ids":[1]}]}`),
			[]string{"a", `0 {"stop_reason":null,"token_ids":[1]}`}, `null`},
		{"of a choice and its delta", raw(`{"choices":[{"x":1,"delta":{"content":"a","y":2}}]}`), []string{"a", `0 {"x":1,"y":2}`}, `null`},
		{"of nothing else", deltaFrame(`{"reasoning_state":{"n":1.0}}`), []string{`0 {"reasoning_state":{"n":1.0}}`}, `null`},
		{"of two choices", raw(`{"choices":[{"index":1,"delta":{"x":1}},null,{"index":0,"delta":{"content":"a","x":2}}]}`),
			[]string{`1 {"x":1}`, "a", `0 {"x":2}`}, `null`},
		{"of every delta", strings.Repeat(deltaFrame(`{"content":"a","x":null}`), 3), []string{"a", `0 {"x":null}`, "a", `0 {"x":null}`, "a", `0 {"x":null}`}, `null`},
		{"of a message", raw(`{"choices":[{"index":0,"message":{"role":"assistant","content":"a","citations":["u"]}}]}`), []string{"a", `0 {"citations":["u"]}`}, `null`},
		{"known in another spelling", raw(`{"ID":"x","Choices":[{"DELTA":{"Content":"a","Role":"assistant"},"Index":0}]}`), []string{"a"}, `null`},
		{"of wrong types", raw(`{"choices":{"x":1},"odd":1}`) + raw(`{"choices":[7,{"delta":"no","message":[1]},{"delta":{"content":"a"}}]}`), []string{"a"}, `{"odd":1}`},
		{"escaped names", raw(`{"choices":[{"delta":{"con\u0074ent":"a","\u0078":1}}],"\u0079\"":2}`), []string{"a", `0 {"x":1}`}, `{"y\"":2}`},
		{"blanks between", "data: { \"p\" : \"a\\\\\\\"]},\" ,\ndata:\t\"choices\" : [ { \"delta\" : { \"content\" : \"a\" , \"x\" : { \"y\" : [ 1 , \"}\" ] } } } ] }\n\n",
			[]string{"a", `0 {"x":{"y":[1,"}"]}}`}, `{"p":"a\\\"]},"}`},
		{"not UTF-8", deltaFrame("{\"content\":\"a\",\"x\":\"\xff\"}"), []string{"a", `0 {"x":"�"}`}, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, _ := newTestClient(t, noRetries, events(c.stream+finishFrame("stop")+doneFrame))
			got, own := told(t, client.Stream(t.Context(), hello()))
			if !slices.Equal(got, c.want) || own != c.own {
				t.Errorf("%q %s\nwant %q %s", got, own, c.want, c.own)
			}
		})
	}
}

func TestTheAnswersOwnFieldsAreTheLastThatWereSaid(t *testing.T) {
	chunk := func(text, more string) string {
		return raw(`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m",` + more + `"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`)
	}
	a, b := `"system_fingerprint":"a","service_tier":null,`, `"system_fingerprint":"b",`
	for name, c := range map[string]struct{ stream, want string }{
		"one":               {chunk("x", a) + chunk("y", a), `{"system_fingerprint":"a"}`},
		"null later":        {chunk("x", a) + chunk("y", `"system_fingerprint":null,`), `{"system_fingerprint":"a"}`},
		"another later":     {chunk("x", a) + chunk("y", b), `{"system_fingerprint":"b"}`},
		"the first again":   {chunk("x", a) + chunk("y", a) + chunk("y", b) + chunk("z", a), `{"system_fingerprint":"a"}`},
		"with the usage":    {chunk("x", "") + raw(`{"choices":[],"usage":{"prompt_tokens":1},"provider":"p","citations":["u"]}`), `{"citations":["u"],"provider":"p"}`},
		"one for each":      {chunk("x", `"obfuscation":"1234",`) + chunk("y", `"obfuscation":"56",`), `{"obfuscation":"56"}`},
		"no answer's field": {chunk("x", "") + raw(`{"object":"chat.completion.chunk","created":2,"choices":[],"usage":null,"error":null}`), `null`},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := newTestClient(t, noRetries, events(c.stream+finishFrame("stop")+doneFrame))
			s := client.Stream(t.Context(), hello())
			if _, own := told(t, s); own != c.want {
				t.Errorf("%s, want %s", own, c.want)
			}
			for _, value := range s.Extra() {
				value[0] = '!' // a copy
			}
			if raw, err := marshal(s.Extra()); err != nil || string(raw) != c.want {
				t.Errorf("now %s, %v", raw, err)
			}
		})
	}
}

func TestAWholeAnswerHasAllThatTheServerSaid(t *testing.T) {
	body := `{"id":"1","object":"chat.completion","created":1,"model":"m","system_fingerprint":"fp","service_tier":null,"choices":[{"index":1,"x":1,
		"message":{"role":"assistant","content":"b","refusal":null,"annotations":[]},"finish_reason":"stop"},
		{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":3,"cost":0.5}}`
	client, _ := newTestClient(t, noRetries, answer(200, []string{"Content-Type: application/json"}, "\n", body+"\n"))
	got, err := client.Complete(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Raw) != body {
		t.Errorf("raw %s", got.Raw)
	}
	all, _ := marshal([]any{got.Extra, got.Choices[0].Extra, got.Choices[1].Extra, got.Usage.Raw})
	if want := `[{"system_fingerprint":"fp"},{"stop_reason":null},{"annotations":[],"x":1},{"prompt_tokens":3,"cost":0.5}]`; string(all) != want {
		t.Errorf("%s\nwant %s", all, want)
	}
	// A stream has no body of its own, but the fields.
	client, _ = newTestClient(t, noRetries, events(raw(`{"p":1,"choices":[{"delta":{"content":"a","x":1,"y":2}}]}`)+
		raw(`{"choices":[{"delta":{"x":null,"y":3,"z":null},"finish_reason":"stop"}]}`)+doneFrame))
	if got, err = client.Complete(t.Context(), hello()); err != nil || got.Raw != nil {
		t.Fatalf("%+v %v", got, err)
	}
	all, _ = marshal([]any{got.Extra, got.Choices[0].Extra})
	if want := `[{"p":1},{"x":1,"y":3,"z":null}]`; string(all) != want {
		t.Errorf("%s\nwant %s", all, want)
	}
	// A body that was announced as a stream is one all the same.
	client, _ = newTestClient(t, noRetries, events(documentResponse))
	if got, err = client.Complete(t.Context(), hello()); err != nil || string(got.Raw) != documentResponse {
		t.Errorf("%s %v", got.Raw, err)
	}
}

func TestARetryForgetsTheFieldsOfTheAttemptBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := newTestClient(t, Options{}, events(raw(`{"provider":"first","choices":[{"delta":{"x":1}}]}`)),
			events(raw(`{"fp":"second","choices":[{"delta":{"content":"fine","y":2},"finish_reason":"stop"}]}`)+doneFrame))
		s := client.Stream(t.Context(), hello())
		var b completionBuilder
		for {
			e, err := s.Next()
			if err != nil {
				break
			}
			if b.add(e); e.Kind == EventRetry && s.Extra() != nil {
				t.Errorf("kept %s", s.Extra())
			}
		}
		all, _ := marshal([]any{s.Extra(), b.completion().Choices[0].Extra})
		if want := `[{"fp":"second"},{"y":2}]`; string(all) != want {
			t.Errorf("%s\nwant %s", all, want)
		}
	})
}

func TestAFloodOfUnknownFieldsIsBounded(t *testing.T) {
	d := newDecoder("", 1)
	for i := range 3 * maxExtra {
		d.frame("", fmt.Sprintf(`{"f%d":1,"choices":[]}`, i))
	}
	var delta strings.Builder
	for i := range 3 * maxExtra {
		fmt.Fprintf(&delta, `,"f%d":1`, i)
	}
	d.frame("", `{"choices":[{"delta":{"content":"a"`+delta.String()+`}}]}`)
	if n := len(d.extra); n != maxExtra {
		t.Errorf("%d fields of the answer", n)
	}
	if e := d.events[len(d.events)-1]; len(e.Extra) != maxExtra {
		t.Errorf("%d fields of the delta", len(e.Extra))
	}
}

func TestTheUsageObjectIsKeptAsTheServerWroteIt(t *testing.T) {
	usage := func(s string) string { return raw(`{"choices":[],"usage":` + s + `}`) }
	for name, c := range map[string]struct{ stream, want string }{
		"more than is named":   {usage(`{"prompt_tokens":1,"cost": 0.25,"prompt_tokens_details":null}`), `{"prompt_tokens":1,"cost": 0.25,"prompt_tokens_details":null}`},
		"the last of several":  {usage(`{"prompt_tokens":1}`) + usage(`{"prompt_tokens":2}`), `{"prompt_tokens":2}`},
		"null does not count":  {usage(`{"prompt_tokens":1}`) + usage(`null`) + usage(`{}`) + usage(`"x"`), `{"prompt_tokens":1}`},
		"of a choice":          {raw(`{"choices":[{"delta":{},"usage":{"total_tokens":3}}]}`), `{"total_tokens":3}`},
		"a details of a kind":  {usage(`{"prompt_tokens":1,"completion_tokens_details":7,"prompt_tokens_details":{"cached_tokens":null}}`), `{"prompt_tokens":1,"completion_tokens_details":7,"prompt_tokens_details":{"cached_tokens":null}}`},
		"a text for a number":  {usage(`{"prompt_tokens":"4"}`), `{"prompt_tokens":"4"}`},
		"nothing that it says": {usage(`{}`), ``},
	} {
		t.Run(name, func(t *testing.T) {
			o := play(t, textFrame("a")+finishFrame("stop")+c.stream+textFrame("later chunks change nothing")+doneFrame)
			if c.want == "" {
				if o.usage != nil {
					t.Errorf("%s", o.usage.Raw)
				}
				return
			}
			if string(o.usage.Raw) != c.want {
				t.Errorf("%s, want %s", o.usage.Raw, c.want)
			}
			if o.usage.CachedTokens != nil || o.usage.ReasoningTokens != nil {
				t.Error("unknown counts as a number")
			}
		})
	}
	// What is stored tells an unknown count from 0.
	var stored Usage
	if err := json.Unmarshal([]byte(`{"prompt_tokens":0,"raw":{"x":1}}`), &stored); err != nil || *stored.PromptTokens != 0 || stored.TotalTokens != nil || string(stored.Raw) != `{"x":1}` {
		t.Errorf("%+v %v", stored, err)
	}
}
