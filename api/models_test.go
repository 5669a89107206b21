package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const kimiCard = `{
  "id": "Kimi-K3", "object": "model", "created": 1784160000, "owned_by": "wafer", "max_model_len": 1048576, "zdr_supported": true,
  "wafer": {
    "display_name": "Kimi-K3", "description": "Sample text for tests: large sparse model with image input.", "tier": "serverless_only",
    "context_length": 1048576, "max_output_tokens": 131072,
    "capabilities": {
      "vision": true, "tools": true, "reasoning": true,
      "reasoning_effort": {"control": "native_effort", "efforts": ["none", "high", "max"], "default": "none"},
      "chat_completions": {"supported": true, "streaming": true, "tools": true, "tool_streaming": true, "json_object": true, "json_schema": true,
        "tools_with_response_format": true, "n": false, "regex": false, "grammar": false, "logprobs": false},
      "responses": {"supported": true, "text_format": true}
    },
    "pricing": {"currency": "usd", "input_cents_per_million": 144, "output_cents_per_million": 900,
      "cache_read_cents_per_million": 30, "cache_read_microcents_per_million": 30000000}
  }
}`

func catalogue(t *testing.T, body string) (Catalogue, error) {
	t.Helper()
	c, _ := newTestClient(t, noRetries, answer(200, []string{"Content-Type: application/json"}, body))
	return c.Models(t.Context())
}

func TestAFullCardIsRead(t *testing.T) {
	got, err := catalogue(t, `{"object":"list","data":[`+kimiCard+`]}`)
	if err != nil || len(got) != 1 {
		t.Fatalf("%v %v", got, err)
	}
	m := got[0]
	prices := m.Prices
	m.Prices = nil
	want := Model{
		ID: "Kimi-K3", DisplayName: "Kimi-K3", Description: "Sample text for tests: large sparse model with image input.",
		ContextLength: 1048576, MaxOutputTokens: 131072, Vision: Yes, Tools: Yes, Reasoning: Yes, ZDR: Yes,
		Efforts: []string{"none", "high", "max"}, DefaultEffort: "none", EffortControl: "native_effort",
		JSONObject: Yes, JSONSchema: Yes, ToolsWithFormat: Yes, N: No, Regex: No, Grammar: No, Logprobs: No,
		OwnedBy: "wafer", Tier: "serverless_only", Created: time.Date(2026, 7, 16, 0, 0, 0, 0, time.UTC),
	}
	if fmt.Sprintf("%+v", m) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v\nwant %+v", m, want)
	}
	if *prices.Input != 144e6 || *prices.Output != 900e6 || *prices.CacheRead != 30e6 {
		t.Errorf("%d %d %d", *prices.Input, *prices.Output, *prices.CacheRead)
	}
	if m, ok := got.Find("kimi-k3"); !ok || m.ID != "Kimi-K3" {
		t.Error("ids are not compared case-folded")
	}
}

func TestCardsWithLittleInThemAreRead(t *testing.T) {
	cases := []struct {
		name, card string
		check      func(Model) bool
	}{
		{"an id alone", `{"id":"a"}`, func(m Model) bool {
			return m.ZDR == Unknown && m.Vision == Unknown && m.Prices == nil && m.ContextLength == 0 && m.Efforts == nil
		}},
		{"a string", `"a"`, func(m Model) bool { return m.ID == "a" }},
		{"Wafer's card that lost its object", `{"id":"a","owned_by":"wafer","max_model_len":5}`, func(m Model) bool { return m.ZDR == No && m.ContextLength == 5 }},
		{"null in place of all", `{"id":"a","object":null,"created":null,"owned_by":null,"max_model_len":null,"zdr_supported":null,"disabled_reason":null,"wafer":null}`,
			func(m Model) bool { return fmt.Sprint(m) == fmt.Sprint(Model{ID: "a"}) }},
		{"null everywhere", `{"id":"a","wafer":{"capabilities":null,"pricing":null,"max_output_tokens":null,"context_length":null,"display_name":null}}`,
			func(m Model) bool { return m.MaxOutputTokens == 0 && m.Prices == nil }},
		{"wrong types", `{"id":"a","max_model_len":"12","wafer":{"capabilities":{"vision":"true","tools":{"supported":false},"reasoning":[]},"pricing":{"input_cents_per_million":"3.5"}}}`,
			func(m Model) bool {
				return m.ContextLength == 12 && m.Vision == Yes && m.Tools == No && m.Reasoning == Unknown && *m.Prices.Input == 3.5e6 && m.Prices.Output == nil
			}},
		{"wrong types in every place", `{"id":"a","created":"x","owned_by":[],"disabled_reason":{},"supported_parameters":7,"architecture":"x","top_provider":[],"pricing":"free","meta":1,
			"wafer":{"tier":{},"provider":false,"disabled_reason":true,"capabilities":{"reasoning_effort":"low","chat_completions":[{}],"tools":7},"pricing":[]}}`,
			func(m Model) bool { return fmt.Sprint(m) == fmt.Sprint(Model{ID: "a"}) }},
		{"out of service", `{"id":"a","created":1784160000,"disabled_reason":"self_hosted_backend_decommissioned","wafer":{"tier":"pass_included","provider":"moonshotai"}}`,
			func(m Model) bool {
				return m.Disabled == "self_hosted_backend_decommissioned" && m.Tier == "pass_included" && m.Provider == "moonshotai" && m.Created.Unix() == 1784160000
			}},
		{"out of service, said inside", `{"id":"a","created":"1784160000","wafer":{"disabled_reason":"gone\u001b[2J\nfor good"}}`,
			func(m Model) bool { return m.Disabled == "gone for good" && m.Created.Year() == 2026 }},
		{"no date", `{"id":"a","created":0}`, func(m Model) bool { return m.Created.IsZero() }},
		{"a date that cannot be written", `{"id":"a","created":9e17}`, func(m Model) bool { return m.Created.IsZero() }},
		{"a flag of chat alone", `{"id":"a","wafer":{"capabilities":{"chat_completions":{"tools":true,"json_object":"true","tools_with_response_format":0}}}}`,
			func(m Model) bool {
				return m.Tools == Yes && m.JSONObject == Yes && m.ToolsWithFormat == No && m.JSONSchema == Unknown
			}},
		{"exact cache price", `{"id":"a","wafer":{"pricing":{"cache_read_cents_per_million":24,"cache_read_microcents_per_million":23590000}}}`,
			func(m Model) bool { return *m.Prices.CacheRead == 23590000 && m.Prices.Input == nil }},
		{"another list of efforts", `{"id":"a","wafer":{"capabilities":{"reasoning_effort":{"supported":["low","high"],"default":"low"}}}}`,
			func(m Model) bool { return len(m.Efforts) == 2 && m.DefaultEffort == "low" }},
		{"another currency", `{"id":"a","wafer":{"pricing":{"currency":"eur","input_cents_per_million":3}}}`, func(m Model) bool { return m.Prices == nil }},
		{"OpenRouter's", `{"id":"a","name":"A","context_length":9,"pricing":{"prompt":"0.0000015","completion":"0"},"architecture":{"input_modalities":["text","image"]},"supported_parameters":["tools"],"top_provider":{"max_completion_tokens":3}}`,
			func(m Model) bool {
				return m.DisplayName == "A" && *m.Prices.Input == 150e6 && *m.Prices.Output == 0 && m.Vision == Yes && m.Tools == Yes && m.Reasoning == No && m.MaxOutputTokens == 3
			}},
		{"llama.cpp's", `{"id":"a","meta":{"n_ctx_train":4096}}`, func(m Model) bool { return m.ContextLength == 4096 }},
		{"escape characters", `{"id":"x\u001b[31m","wafer":{"display_name":"\u001b[31mred\u0007","description":"a\nb"}}`,
			func(m Model) bool { return m.ID == "x\x1b[31m" && m.DisplayName == "red" && m.Description == "a b" }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := catalogue(t, `{"data":[null,{},{"id":""},7,`+c.card+`]}`)
			if err != nil || len(got) != 1 && c.name != "" {
				t.Fatalf("%+v %v", got, err)
			}
			if !c.check(got[0]) {
				t.Errorf("%+v %+v", got[0], got[0].Prices)
			}
		})
	}
}

func TestACatalogueKeptByAnEarlierVersionIsRead(t *testing.T) {
	const kept = `[{"ID":"Kimi-K3","DisplayName":"Kimi-K3","Description":"d","ContextLength":1048576,"MaxOutputTokens":131072,"Vision":"yes","Tools":"yes",` +
		`"Reasoning":"yes","ZDR":"no","Efforts":["none","high"],"DefaultEffort":"none","JSONSchema":"yes","N":"no","Regex":"","Grammar":"","Logprobs":"no","Prices":{"input":144000000}}]`
	var old Catalogue
	if err := json.Unmarshal([]byte(kept), &old); err != nil {
		t.Fatal(err)
	}
	if m := old[0]; m.ZDR != No || m.JSONObject != Unknown || m.Tier != "" || !m.Created.IsZero() || *m.Prices.Input != 144e6 {
		t.Errorf("%+v", m)
	}
	// What is kept now comes back as it was.
	fresh, err := catalogue(t, `{"data":[`+kimiCard+`,{"id":"a"},{"id":"b","created":253402300799}]}`)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(fresh)
	if err != nil {
		t.Fatal(err)
	}
	var back Catalogue
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, fresh) {
		t.Errorf("%+v, %v\nwant %+v", back, err, fresh)
	}
}

func TestEveryEnvelopeIsRead(t *testing.T) {
	for body, n := range map[string]int{
		`{"object":"list","data":[{"id":"a"},{"id":"b"}]}`: 2, `[{"id":"a"}]`: 1, `{"models":[{"id":"a"}]}`: 1, `{"data":null}`: 0, `{"data":[]}`: 0, "\xef\xbb\xbf[]": 0,
	} {
		if got, err := catalogue(t, body); err != nil || len(got) != n {
			t.Errorf("%s: %v %v", body, got, err)
		}
	}
	for _, body := range []string{"", "<html><title>Log in</title>", "{", "nonsense", `{"ok":true}`, `{"data":7}`, `{"error":{"message":"no"}}`} {
		if got, err := catalogue(t, body); err == nil {
			t.Errorf("%q: %v", body, got)
		}
	}
	_, err := catalogue(t, "<html><title>Log in</title>")
	if e := asError[*Error](t, err); !e.HTML || e.Message != "Log in" {
		t.Errorf("%+v", e)
	}
}

func TestABadKeyIsToldFromACatalogueThatIsDown(t *testing.T) {
	key := `{"error":{"code":"invalid_api_key","message":"bad key"}}`
	list := answer(200, nil, `{"data":[{"id":"a"}]}`)
	cases := []struct {
		name     string
		key      Key
		replies  []reply
		status   int // 0: a ConnectError
		models   int
		requests int
	}{
		{"bad key, public list", "k", []reply{refused(401, key), list}, 401, 1, 2},
		{"bad key, private list", "k", []reply{refused(401, key), refused(401, "")}, 401, 0, 2},
		{"list is down", "k", []reply{refused(401, key), refused(503, "")}, 503, 0, 2},
		{"list is unreachable", "k", []reply{refused(401, key), failure(io.EOF)}, 0, 0, 2},
		{"no key", "", []reply{refused(401, key), list}, 401, 0, 1},
		{"no access", "k", []reply{refused(403, ""), list}, 403, 0, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			client, server := newTestClient(t, Options{Key: c.key}, c.replies...)
			got, err := client.Models(t.Context())
			var e *Error
			if c.status == 0 {
				asError[*ConnectError](t, err)
			} else if !errors.As(err, &e) || e.Status != c.status {
				t.Errorf("error %v", err)
			} else if c.status == 401 && e.Message != "bad key" {
				t.Errorf("message %q", e.Message)
			}
			if len(got) != c.models || server.count() != c.requests {
				t.Errorf("%d models, %d requests", len(got), server.count())
			}
			if server.count() == 2 && server.requests[1].Header.Get("Authorization") != "" {
				t.Error("the key was sent again")
			}
		})
	}
}

func TestWhatIsNoCatalogueIsToldWithWhatItIs(t *testing.T) {
	for body, want := range map[string]string{"It works!": "It works!", `{"ok":true}`: `{"ok":true}`, `{"error":{"message":"no"}}`: "no", "": ""} {
		c, _ := newTestClient(t, noRetries, answer(200, nil, body))
		_, err := c.Models(t.Context())
		if e := asError[*Error](t, err); !errors.Is(err, ErrNoCatalogue) || e.Message != want || e.Status != 200 {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestAHugeCatalogueIsGivenUp(t *testing.T) {
	piece := strings.Repeat(`{"id":"a"},`, 1<<16)
	pieces := []string{`{"data":[`}
	for range 40 {
		pieces = append(pieces, piece)
	}
	c, _ := newTestClient(t, noRetries, answer(200, nil, pieces...))
	if got, err := c.Models(t.Context()); !errors.Is(err, ErrTooLarge) || got != nil {
		t.Errorf("%d models, %v", len(got), err)
	}
}

func TestASlowCatalogueIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c, _ := newTestClient(t, noRetries, func(req *http.Request) (*http.Response, error) {
			return response(200, nil, &dripBody{req}), nil
		})
		_, err := c.Models(t.Context())
		asError[*ConnectError](t, err)
		if time.Since(begin) > catalogueTime+time.Second {
			t.Errorf("after %s", time.Since(begin))
		}
	})
}

// dripBody gives a byte a second until its request ends.
type dripBody struct{ req *http.Request }

func (b *dripBody) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	case <-b.req.Context().Done():
		return 0, b.req.Context().Err()
	}
}
