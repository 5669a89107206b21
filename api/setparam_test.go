package api

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestAParameterIsSetByTheTextThatAPersonWrote(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"temperature", "0.3", `{"temperature":0.3}`},
		{"stop", "END", `{"stop":["END"]}`},
		{"stop", "5", `{"stop":["5"]}`},
		{"stop", "", `{"stop":[""]}`},
		{"regex", "5", `{"regex":"5"}`},
		{"regex", `{"a":`, `{"regex":"{\"a\":"}`},
		{"stop", `["a","b"]`, `{"stop":["a","b"]}`},
		{"seed", "7", `{"seed":7}`},
		{"regex", "[0-9]+", `{"regex":"[0-9]+"}`},
		{"reasoning_effort", "high", `{"reasoning_effort":"high"}`},
		{"tool_choice", "required", `{"tool_choice":"required"}`},
		{"logprobs", "true", `{"logprobs":true}`},
		{"guided_choice", `["yes","no"]`, `{"guided_choice":["yes","no"]}`},
		{"service_tier", "flex", `{"service_tier":"flex"}`},
		{"user", "null", `{"user":null}`},
	} {
		var p Params
		if err := p.Set(c.name, c.value); err != nil {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
			continue
		}
		if got, _ := json.Marshal(p); string(got) != c.want {
			t.Errorf("%s=%s: %s, want %s", c.name, c.value, got, c.want)
		}
	}
}

func TestWhatCannotBeSetChangesNothing(t *testing.T) {
	seed := int64(1)
	p := Params{Seed: &seed}
	for _, c := range [][2]string{{"temperature", "warm"}, {"n", "1.5"}, {"model", "x"}, {"messages", "[]"}, {"", "1"}, {"logprobs", "maybe"}} {
		if err := p.Set(c[0], c[1]); err == nil {
			t.Errorf("%s=%s was taken", c[0], c[1])
		}
	}
	if got, _ := json.Marshal(p); string(got) != `{"seed":1}` {
		t.Errorf("now %s", got)
	}
}

func TestAParameterIsTakenOutAgain(t *testing.T) {
	var p Params
	for _, c := range [][2]string{{"seed", "1"}, {"top_p", "0.5"}, {"user", "me"}} {
		if err := p.Set(c[0], c[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Set("seed", "null"); err != nil || p.Seed != nil {
		t.Errorf("seed = %v, %v", p.Seed, err)
	}
	if !p.Unset("user") || p.Unset("user") || p.Unset("temperature") {
		t.Error("only what is set can be unset")
	}
	if got, _ := json.Marshal(p); string(got) != `{"top_p":0.5}` {
		t.Errorf("now %s", got)
	}
}

func TestAParameterIsTakenOutInWhateverCaseItIsWritten(t *testing.T) {
	half := 0.5
	for _, name := range []string{"Temperature", "TEMPERATURE", " temperature "} {
		p := Params{Temperature: &half, Extra: map[string]json.RawMessage{"User": json.RawMessage("1")}}
		if !p.Unset(name) || p.Temperature != nil || p.Unset(name) {
			t.Errorf("%q: %v", name, p.Temperature)
		}
		if p.Unset("user") || !p.Unset("User") || p.Extra != nil { // what nobody knows has one case only
			t.Errorf("now %v", p.Extra)
		}
	}
	p := Params{Extra: map[string]json.RawMessage{"Temperature": json.RawMessage("1"), "temperature": json.RawMessage(`"warm"`)}}
	if !p.Unset("Temperature") || p.Extra != nil {
		t.Errorf("now %v", p.Extra)
	}
}

// TestAParameterIsTakenOutWhateverElseIsThere: also beside values that no field
// can hold, which are in Extra.
func TestAParameterIsTakenOutWhateverElseIsThere(t *testing.T) {
	const stored = `{"temperature":"warm","top_p":0.5,"n":"two","user":"me"}`
	for _, c := range []struct{ name, want string }{
		{"top_p", `{"temperature":"warm","n":"two","user":"me"}`},
		{"temperature", `{"top_p":0.5,"n":"two","user":"me"}`},
		{"user", `{"temperature":"warm","top_p":0.5,"n":"two"}`},
	} {
		var p Params
		var misfit *json.UnmarshalTypeError
		if err := json.Unmarshal([]byte(stored), &p); !errors.As(err, &misfit) {
			t.Fatal(err)
		}
		before := p
		if !p.Unset(c.name) || p.Unset(c.name) {
			t.Errorf("%s was not set once", c.name)
		}
		if got, _ := json.Marshal(p); string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got, _ := json.Marshal(before); string(got) != stored {
			t.Errorf("%s: a copy became %s", c.name, got)
		}
	}
	p := Params{Extra: map[string]json.RawMessage{"temperature": json.RawMessage(`"warm"`)}}
	if err := p.Set("temperature", "hot"); err == nil || string(p.Extra["temperature"]) != `"warm"` {
		t.Errorf("%v, now %s", err, p.Extra)
	}
	if err := p.Set("temperature", "0.5"); err != nil || *p.Temperature != 0.5 || len(p.Extra) != 0 {
		t.Errorf("%v, now %+v", err, p)
	}
	if p = (Params{Stop: []string{}, Extra: map[string]json.RawMessage{"n": json.RawMessage(`"two"`)}}); p.Unset("stop") || p.Unset("regex") {
		t.Error("what is not sent is not set")
	}
	if err := p.Set("n", "null"); err != nil || len(p.Extra) != 0 {
		t.Errorf("%v, now %+v", err, p)
	}
}
