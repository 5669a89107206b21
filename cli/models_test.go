package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"waferchat/api"
	"waferchat/api/emulator"
)

// cards are two models: one of which everything is said, and one of which
// nothing is.
const cards = `{"object":"list","data":[{
	"id":"Full","object":"model","created":1784160000,"owned_by":"wafer","max_model_len":1048576,"zdr_supported":true,
	"disabled_reason":"out for a while",
	"wafer":{"display_name":"Full One","description":"Says all.","tier":"serverless_only","provider":"acme",
	  "context_length":1048576,"max_output_tokens":131072,
	  "capabilities":{"vision":true,"tools":false,"reasoning":true,
	    "reasoning_effort":{"control":"native_effort","efforts":["none","high"],"default":"none"},
	    "chat_completions":{"json_object":true,"json_schema":false,"tools_with_response_format":true,"n":true,"regex":false,"grammar":true,"logprobs":false}},
	  "pricing":{"currency":"usd","input_cents_per_million":144,"output_cents_per_million":900,"cache_read_microcents_per_million":23590000}}},
	{"id":"Bare","object":"model"}]}`

func TestTheModelTableTellsYesFromNoFromUnknown(t *testing.T) {
	h := newHome(t)
	list := emulator.Body(200, "application/json", cards)
	h.server.ScriptModels(list, list)
	r := h.run("models")
	rows := strings.Split(r.out, "\n")
	if r.status != 0 || len(rows) != 4 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []string{
		"MODEL CONTEXT MAX OUTPUT IN $/M OUT $/M CACHED $/M ZDR VISION TOOLS REASONING EFFORTS EFFORT BY JSON SCHEMA TOOLS+JSON N REGEX GRAMMAR LOGPROBS CREATED TIER DISABLED",
		"Full 1048576 131072 1.44 9 0.2359 yes yes no yes none* high native_effort yes no yes yes no yes no 2026-07-16 serverless_only out for a while",
		"Bare ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ?",
	} {
		if got := strings.Join(strings.Fields(rows[i]), " "); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	h.run("models", "--json").want(t, 0, `[{"id":"Full","name":"Full One","description":"Says all.","owned_by":"wafer","provider":"acme","tier":"serverless_only",`+
		`"disabled":"out for a while","created":"2026-07-16T00:00:00Z","context":1048576,"max_output":131072,"vision":true,"tools":false,"reasoning":true,"zdr":true,`+
		`"json_object":true,"json_schema":false,"tools_with_response_format":true,"n":true,"regex":false,"grammar":true,"logprobs":false,`+
		`"efforts":["none","high"],"default_effort":"none","effort_control":"native_effort","prices":{"input":144000000,"output":900000000,"cache_read":23590000}},`+
		`{"id":"Bare"}]`+"\n", "")
}

func TestOnANarrowTerminalEachModelIsAParagraph(t *testing.T) {
	cols := []column{{"MODEL", nil}, {"CONTEXT", nil}, {"ZDR", nil}, {"TIER", nil}, {"VISION", nil}}
	got := paragraphs(cols, [][]string{{"One", "1048576", "yes", "", "no"}, {"Two", "?", "?", "", "?"}}, 25)
	if want := "One\n  context 1048576\n  zdr yes · vision no\nTwo\n  context ? · zdr ?\n  vision ?\n"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestADefaultEffortThatIsNotListedIsShown(t *testing.T) {
	for _, tt := range []struct {
		m    api.Model
		want string
	}{
		{api.Model{}, "?"},
		{api.Model{DefaultEffort: "low"}, "low*"},
		{api.Model{Efforts: []string{"none", "low"}, DefaultEffort: "low"}, "none low*"},
		{api.Model{Efforts: []string{"none"}, DefaultEffort: "max"}, "none max*"},
	} {
		if got := efforts(tt.m); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestAWrongKeyIsToldApartFromAServerThatIsAway(t *testing.T) {
	refused := emulator.Err(401, "invalid_api_key", "bad key")
	h := newHome(t)
	h.server.ScriptModels(refused, emulator.Body(200, "application/json", cards))
	r := h.run("models")
	if r.status != 0 || !strings.Contains(r.out, "Full") || !strings.Contains(r.err, "does not accept the key from WAFER_API_KEY") || strings.Contains(r.err, "the list of") {
		t.Errorf("%+v", r)
	}
	h.server.ScriptModels(refused, refused) // nothing without a key either: the cached list
	r = h.run("models")
	if r.status != 0 || !strings.Contains(r.out, "Full") || !strings.Contains(r.err, "does not accept the key from WAFER_API_KEY") {
		t.Errorf("%+v", r)
	}
	h.env["WAFER_API_KEY"] = secret + " and more"
	h.server.ScriptModels(emulator.Body(200, "application/json", cards))
	r = h.run("models")
	if r.status != 0 || !strings.Contains(r.out, "Full") || !strings.Contains(r.err, "WAFER_API_KEY holds no usable API key") {
		t.Errorf("%+v", r)
	}
	if err := h.server.Close(); err != nil {
		t.Fatal(err)
	}
	h.env["WAFER_API_KEY"] = secret
	if r = h.run("models"); r.status != 0 || !strings.Contains(r.out, "Full") || strings.Contains(r.err, "key from") || r.err == "" {
		t.Errorf("%+v", r)
	}
}

func TestAServerWithoutAListIsSaidToHaveNone(t *testing.T) {
	h := newHome(t)
	for _, status := range []int{404, 405} {
		h.server.ScriptModels(emulator.Body(status, "text/plain", "no such page"))
		want := fmt.Sprintf("waferchat: %s has no list of models where one is looked for, %s/models (%d); check the base URL\n", hostOf(h.server), h.server.URL, status)
		if r := h.run("models"); r.status != 1 || r.out != "" || r.err != want {
			t.Errorf("%+v", r)
		}
	}
	h.server.ScriptModels(emulator.Body(301, "text/html", "<html>moved").With("Location", "https://elsewhere.invalid/v1/models?x=1"))
	if r := h.run("models"); r.status != 1 || r.out != "" || !strings.Contains(r.err, "https://elsewhere.invalid") || strings.Contains(r.err, "x=1") {
		t.Errorf("%+v", r)
	}
}

func TestTheAgeOfACachedListIsSaid(t *testing.T) {
	h := newHome(t)
	h.run("models").status0(t)
	h.ageList(50 * time.Hour)
	h.server.ScriptModels(emulator.Err(500, "server_error", "down"))
	h.write("max_retries = 0\n", "config", "waferchat", "config.toml")
	if r := h.run("models"); r.status != 0 || !strings.Contains(r.out, "GLM-5.3") || !strings.Contains(r.err, "this is the list of 2 days ago") {
		t.Errorf("%+v", r)
	}
}
