package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// signedTurn is a conversation with a call that has fields of its server's own.
func signedTurn() Request {
	r := toolTurn()
	r.Messages[1].ToolCalls[0].Extra = map[string]json.RawMessage{
		"extra_content": json.RawMessage(`{"google":{"thought_signature":"s<1>"}}`),
		"function":      json.RawMessage(`{"z_index":[1]}`),
	}
	return r
}

const (
	signed   = `{"id":"a","type":"function","function":{"name":"f","arguments":"{}","z_index":[1]},"extra_content":{"google":{"thought_signature":"s<1>"}}}`
	unsigned = `{"id":"a","type":"function","function":{"name":"f","arguments":"{}","z_index":[1]}}`
	plain    = `{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s<1>"}}}`
)

func TestAFieldOfACallIsLeftOutWhereItIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		first         reply
		dropped, then string
	}{
		"by its place":         {refused(422, `{"detail":[{"loc":["body","messages",1,"tool_calls",0,"extra_content"],"msg":"Extra inputs are not permitted"}]}`), "extra_content", unsigned},
		"in words":             {refusing(`Unrecognized field "extra_content" in messages[1].tool_calls[0]`, "", ""), "extra_content", unsigned},
		"inside the function":  {refusing("property 'z_index' is unsupported", "messages[1].tool_calls[0].function.z_index", ""), "z_index", plain},
		"because more belongs": {refusing("extra_content is missing a thought_signature", "", ""), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := newTestClient(t, Options{}, c.first, whole)
			o := read(client.Stream(t.Context(), signedTurn()))
			if !strings.Contains(server.bodies[0], `"tool_calls":[`+signed+`]`) {
				t.Fatal(server.bodies[0])
			}
			if c.dropped == "" {
				if asError[*Error](t, o.err); server.count() != 1 {
					t.Errorf("%d requests", server.count())
				}
				return
			}
			wantText(t, o, "fine")
			if len(o.retries) != 1 || o.retries[0].Dropped != c.dropped {
				t.Fatalf("%+v", o.retries)
			}
			if want := strings.Replace(server.bodies[0], signed, c.then, 1); server.bodies[1] != want {
				t.Errorf("%s\nwant %s", server.bodies[1], want)
			}
			other := signedTurn()
			other.Model = "another"
			if b, err := client.Body(other, true); err != nil || !strings.Contains(string(b), signed) {
				t.Errorf("another model: %s %v", b, err)
			}
		})
	}
}

func TestOnlyFieldsThatNobodyKnowsAreSentFromTheExtraOfACall(t *testing.T) {
	for extra, want := range map[string]string{
		`{}`: `"arguments":"{}"}}`,
		`{"id":"b","type":"x","index":3,"name":"g"}`:          `"arguments":"{}"},"name":"g"}`,
		`{"function":{"name":"g","arguments":"no","y":null}}`: `"arguments":"{}","y":null}}`,
		`{"function":"f","b":2,"a":1}`:                        `"arguments":"{}"},"a":1,"b":2}`,
	} {
		r := toolTurn()
		if err := json.Unmarshal([]byte(extra), &r.Messages[1].ToolCalls[0].Extra); err != nil {
			t.Fatal(err)
		}
		if b, err := r.Body(true); err != nil || !strings.Contains(string(b), `{"id":"a","type":"function","function":{"name":"f",`+want+`]`) {
			t.Errorf("%s: %s %v", extra, b, err)
		}
	}
	for _, bad := range []string{"", "1,\"id\":2", "{", "\xff"} {
		r := toolTurn()
		r.Messages[1].ToolCalls[0].Extra = map[string]json.RawMessage{"x": json.RawMessage(bad)}
		if b, err := r.Body(true); err == nil || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%q was sent: %s %v", bad, b, err)
		}
	}
}

func TestTheFieldsOfACallAreToldWhenTheyChange(t *testing.T) {
	call := func(fields string) string { return deltaFrame(`{"tool_calls":[{"index":0,` + fields + `}]}`) }
	c, _ := newTestClient(t, noRetries, events(call(`"id":"a","function":{"name":"f"},"x":1`)+call(`"x":1,"function":{"arguments":"{"}`)+
		call(`"x":null,"function":{"arguments":"}","y":2}`)+call(`"x":1`)+call(`"x":3`)+doneFrame))
	s := c.Stream(t.Context(), hello())
	defer s.Close()
	var got []string
	for {
		e, err := s.Next()
		if err != nil {
			break
		}
		if e.Kind == EventToolCall {
			raw, _ := marshal(e.Call.Extra)
			got = append(got, string(raw))
		}
	}
	if all, want := strings.Join(got, " "), `{"x":1} null {"function":{"y":2},"x":1} {"function":{"y":2},"x":3}`; all != want {
		t.Errorf("%s\nwant %s", all, want)
	}
}

func TestAFloodOfFieldsInACallIsBounded(t *testing.T) {
	d := newDecoder("", 1)
	for i := range 3 * maxExtra {
		d.frame("", fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":0,"x%d":1,"function":{"y%d":1}}]}}]}`, i, i))
	}
	var own, function map[string]json.RawMessage
	own = d.events[len(d.events)-1].Call.Extra
	if err := json.Unmarshal(own["function"], &function); err != nil {
		t.Fatal(err)
	}
	if len(d.events) != maxExtra || len(own) != maxExtra+1 || len(function) != maxExtra {
		t.Errorf("%d events, %d fields, %d of the function", len(d.events), len(own), len(function))
	}
}
