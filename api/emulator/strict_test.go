package emulator

import (
	"encoding/base64"
	"strings"
	"testing"
)

type strictCase struct{ rule, model, messages, rest string }

// strictCases are bodies with the rule that each breaks, if any.
func strictCases(t *testing.T) []strictCase {
	const user = `{"role":"user","content":"hi"}`
	call := func(id, name, arguments string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	calls := func(list ...string) string {
		return `{"role":"assistant","content":"","tool_calls":[` + strings.Join(list, ",") + `]}`
	}
	result := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"ok"}` }
	img := func(url string) string {
		return `{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + url + `"}}]}`
	}
	png := base64.StdEncoding.EncodeToString(pngBytes(t, 2, 2))
	ok := call("a", "f", `"{}"`)
	return []strictCase{
		{"", "m", user, ""},
		{"", "m", user + "," + calls(ok, call("b", "g", `"{\"x\":1}"`)) + "," + result("b") + "," + result("a") + "," + user, ""},
		{"", "m", user + `,{"role":"assistant","tool_calls":[` + ok + `]},` + result("a"), ""},
		{"", "m", user + "," + calls(ok) + "," + result("a") + "," + user + "," + calls(ok) + "," + result("a"), ""},
		{"", "m", user + "," + calls(ok) + "," + result("a") + "," + calls(call("b", "f", `" {} "`)) + "," + result("b"), ""},
		{"", "m", user + `,{"role":"assistant","content":[{"type":"text","text":"x"}]},` + user, ""},
		{"", "m", user, `,"tools":[{"type":"function","function":{"name":"a_B-9` + strings.Repeat("x", 59) + `"}}]`},
		{"", "think", user + `,{"role":"assistant","content":"x"},` + user, ""},
		{"", "text", img("data:image/png;base64," + png), ""},
		{"", "txt", `{"role":"user","content":[{"type":"text","text":"x"}]}`, ""},
		{"", "m", img("https://pictures.waferchat.dev/a.png"), ""},
		{"S2", "m", user + "," + calls(ok) + "," + result("a") + "," + calls(ok) + "," + result("a"), ""},
		{"", "m", img("data:image/png;base64," + png), ""},
		{"", "m", `{"role":"user","content":"pair \ud83c\udf0d, backslash \\ud83c"}`, ""},
		{"", "m-think", user + `,{"role":"assistant","content":"","reasoning_content":"","tool_calls":[` + ok + `]},` + result("a"), ""},
		{"S1", "m", user + "," + calls(ok) + "," + user, ""},
		{"S1", "m", user + "," + calls(ok, call("b", "g", `"{}"`)) + "," + result("a") + "," + user, ""},
		{"S1", "m", user + "," + calls(ok), ""},
		{"S2", "m", user + "," + result("a"), ""},
		{"S2", "m", user + "," + calls(ok) + "," + result("a") + "," + result("a"), ""},
		{"S2", "m", user + "," + calls(ok, ok) + "," + result("a"), ""},
		{"S2", "m", user + "," + calls(call("", "f", `"{}"`)) + "," + result(""), ""},
		{"S3", "m", user + "," + calls(call("a", "f", `"{\"x\":"`)) + "," + result("a"), ""},
		{"S3", "m", user + "," + calls(call("a", "f", `""`)) + "," + result("a"), ""},
		{"S3", "m", user + "," + calls(call("a", "f", `"[1]"`)) + "," + result("a"), ""},
		{"S3", "m", user + "," + calls(call("a", "f", `"null"`)) + "," + result("a"), ""},
		{"S3", "m", user + "," + calls(call("a", "f", `{}`)) + "," + result("a"), ""},
		{"S4", "m", user + `,{"role":"assistant","content":" \n"}`, ""},
		{"S4", "m", user + `,{"role":"assistant","content":[{"type":"text","text":" "}]}`, ""},
		{"S4", "m", user + `,{"role":"assistant"}`, ""},
		{"S5", "m", `{"role":"user","content":null}`, ""},
		{"S5", "m", user + `,{"role":"assistant","content":null,"tool_calls":[` + ok + `]},` + result("a"), ""},
		{"S6", "think", user + `,{"role":"assistant","content":"","reasoning_content":null,"tool_calls":[` + ok + `]},` + result("a"), ""},
		{"S7", "m", img("data:image/png," + png), ""},
		{"S8", "txt", img("https://pictures.waferchat.dev/a.png"), ""},
		{"S10", "m", user + `,{"role":"user","content":"\ud83c\ud83c\udf0d"}`, ""},
		{"S11", "m", user, `,"tools":[{"type":"function","function":{"name":""}}]`},
		{"S6", "Big-Think-1", user + "," + calls(ok) + "," + result("a"), ""},
		{"S7", "m", img("data:image/jpeg;base64," + png), ""},
		{"S7", "m", img("data:image/png;base64,"), ""},
		{"S7", "m", img(`data:image/png;base64,` + png[:8] + `\n` + png[8:]), ""},
		{"S7", "m", img("data:image/png;base64,%%%"), ""},
		{"S8", "old-TXT", img("data:image/png;base64," + png), ""},
		{"S10", "m", "{\"role\":\"user\",\"content\":\"\xff\"}", ""},
		{"S10", "m", `{"role":"user","content":"\ud83c"}`, ""},
		{"S10", "m", `{"role":"user","content":"\ud83cx\udf0d"}`, ""},
		{"S10", "m", `{"role":"user","content":"\udf0d"}`, ""},
		{"S10", "m", `{"role":"user","content":"\ud83c\n"}`, ""},
		{"S10", "m", user + ",", ""},
		{"S11", "m", user, `,"tools":[{"type":"function","function":{"name":"a.b"}}]`},
		{"S11", "m", user + "," + calls(call("a", "a b", `"{}"`)) + "," + result("a"), ""},
		{"S11", "m", user + "," + calls(call("a", strings.Repeat("x", 65), `"{}"`)) + "," + result("a"), ""},
	}
}

func TestStrictProfileRefusesAndAcceptsOverTheWire(t *testing.T) {
	run := start(t, Options{Profile: Strict})
	for _, tt := range strictCases(t) {
		body := `{"model":"` + tt.model + `","messages":[` + tt.messages + `]` + tt.rest + `}`
		run.Script(Stream(C("ok"), F("stop"), D))
		a := run.post(t, []byte(body))
		if tt.rule == "" {
			if a.status != 200 || a.content() != "ok" {
				t.Errorf("%d %s for %s", a.status, a.body, body)
			}
			continue
		}
		e := a.envelope(t).Error
		if rule, _, _ := strings.Cut(e.Message, ":"); a.status != 400 || e.Type != "invalid_request_error" || rule != tt.rule {
			t.Errorf("%d %+v, want %s, for %s", a.status, e, tt.rule, body)
		}
		if got := run.ask(t, "x", `"model":"m"`).content(); got != "ok" { // the reply that was not consumed
			t.Errorf("after a refusal: %q", got)
		}
	}
}

func TestStrictBodiesMayHaveFiveMiB(t *testing.T) {
	run := start(t, Options{Profile: Strict})
	run.Script(Stream(C("ok"), F("stop"), D))
	frame := len(question("", `"model":"m"`))
	fits := question(strings.Repeat("x", 5<<20-frame), `"model":"m"`)
	if a := run.post(t, fits); len(fits) != 5<<20 || a.status != 200 {
		t.Errorf("%d bytes: %d %s", len(fits), a.status, a.body)
	}
	if a := run.post(t, append(fits, '\xff')); a.status != 413 || a.envelope(t).Error.Type != "invalid_request_error" {
		t.Errorf("a byte more: %d %s", a.status, a.body)
	}
}

func TestStrictProfileLeavesTheScriptToGoodRequests(t *testing.T) {
	run := start(t, Options{Profile: Strict})
	run.Script(Stream(C("scripted"), D))
	a := run.post(t, []byte(`{"model":"m","messages":[{"role":"user","content":null}]}`))
	if e := a.envelope(t).Error; a.status != 400 || !strings.HasPrefix(e.Message, "S5: ") || e.Type != "invalid_request_error" {
		t.Errorf("%d %+v", a.status, e)
	}
	large := question(strings.Repeat("x", 5<<20))
	if a := run.post(t, large); a.status != 413 || !strings.Contains(a.envelope(t).Error.Message, "request too large") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if got := run.ask(t, "x", `"model":"any-name"`).content(); got != "scripted" {
		t.Errorf("refused requests must leave the script alone, got %q", got)
	}
	if a := run.ask(t, "x", `"model":"any-name"`); a.status != 200 || !strings.Contains(a.content(), "Scripted demo") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if r := run.Requests(); len(r) != 4 || !strings.Contains(string(r[0].Body), `"content":null`) {
		t.Errorf("requests %+v", r)
	}
}
