package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestALimitThatGoesUnderAnotherNameIsToldAsRenamed(t *testing.T) {
	one, two := 1, 2
	for name, c := range map[string]struct {
		params  Params
		refuses string
		renamed string
	}{
		"the older name": {Params{MaxTokens: &one}, "max_tokens", "max_completion_tokens"},
		"the newer name": {Params{MaxCompletionTokens: &one}, "max_completion_tokens", "max_tokens"},
		"both were set":  {Params{MaxTokens: &one, MaxCompletionTokens: &two}, "max_tokens", ""},
		"another field":  {Params{TopK: &one}, "top_k", ""},
	} {
		t.Run(name, func(t *testing.T) {
			req := hello()
			req.Params = c.params
			client, server := newTestClient(t, Options{}, refusing("Unsupported parameter: '"+c.refuses+"'", c.refuses, "unsupported_parameter"), whole)
			o := read(client.Stream(t.Context(), req))
			wantText(t, o, "fine")
			if len(o.retries) != 1 || o.retries[0].Dropped != c.refuses || o.retries[0].Renamed != c.renamed {
				t.Errorf("%+v", o.retries)
			}
			if c.renamed != "" && !strings.Contains(server.bodies[1], `"`+c.renamed+`":1`) {
				t.Error(server.bodies[1])
			}
		})
	}
	req := hello()
	req.MaxTokens = &one
	req.Extra = map[string]json.RawMessage{"max_completion_tokens": json.RawMessage("2")}
	client, server := newTestClient(t, Options{}, refusing("Unsupported parameter: 'max_tokens'", "max_tokens", "unsupported_parameter"), whole)
	if o := read(client.Stream(t.Context(), req)); o.err != nil || o.retries[0].Renamed != "" || !strings.Contains(server.bodies[1], `"max_completion_tokens":2`) {
		t.Errorf("%v, %+v, %s", o.err, o.retries, server.bodies[1])
	}
}

func TestWhatAServerRefusedIsKnownToTheNextProgram(t *testing.T) {
	one, half := 1, 0.5
	req := toolTurn()
	req.Model, req.MaxTokens, req.Temperature = "GLM-5.3", &one, &half
	first, _ := newTestClient(t, Options{},
		refusing("Unsupported parameter: 'temperature'", "temperature", ""),
		refusing("Unsupported parameter: 'max_tokens'", "max_tokens", ""),
		refusing("content cannot be empty", "messages[1].content", ""),
		refusing("The reasoning_content must be passed back", "", ""), whole)
	wantText(t, read(first.Stream(t.Context(), req)), "fine")
	known := first.Refused()
	const want = "map[glm-5.3:[max_tokens messages.+reasoning_content messages.content temperature]]"
	if got := fmt.Sprint(known); got != want {
		t.Errorf("known are %s, want %s", got, want)
	}

	known["glm-5.3"] = append(known["glm-5.3"], "tools", "messages", "", "messages.tool_calls.", "no such thing")
	known["other"] = []string{"response_format"}
	second, server := newTestClient(t, Options{Refused: known}, whole)
	known["glm-5.3"][0] = "n" // the map is the caller's
	wantText(t, read(second.Stream(t.Context(), req)), "fine")
	body, err := first.Body(req, true)
	if err != nil || server.bodies[0] != string(body) || server.count() != 1 {
		t.Errorf("sent %s\nwant %s, %v", server.bodies[0], body, err)
	}
	if got := fmt.Sprint(second.Refused()); got != want {
		t.Errorf("known are %s, want %s", got, want)
	}
	if strings.Contains(string(body), "temperature") || !strings.Contains(string(body), `"max_completion_tokens":1`) {
		t.Errorf("%s", body)
	}
}

func TestWhatIsKnownCanBeReadWhileRequestsRun(t *testing.T) {
	one := 1
	req := hello()
	req.TopK = &one
	client, _ := newTestClient(t, Options{}, refusing("Unsupported parameter: 'top_k'", "top_k", ""), whole)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { read(client.Stream(t.Context(), req)) })
		all.Go(func() { clear(client.Refused()) })
	}
	all.Wait()
	if got := client.Refused(); len(got) != 1 {
		t.Errorf("known are %v", got)
	}
}
