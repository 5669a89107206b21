package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"waferchat/api/emulator"
)

func TestARegularExpressionOfAnotherKindIsWarnedOfAndSent(t *testing.T) {
	const warning = "waferchat: warning: the regular expression is sent as it is, but it is none that can be checked here"
	h := tolerant(t)
	h.server.Script(answer("b"), answer("b"))
	r := h.run("-p", "-m", "Qwen3.8-27B", "--regex", "(?=a)a", "hi")
	if r.status != 0 || r.out != "b\n" || !strings.HasPrefix(r.err, warning) || strings.Count(r.err, "\n") != 1 || string(fieldsOf(t, h.server)["regex"]) != `"(?=a)a"` {
		t.Errorf("%+v", r)
	}
	if r := h.run("-c", "--dry-run", "hi"); r.status != 0 || !strings.HasPrefix(r.err, warning) || !strings.Contains(r.out, `"regex": "(?=a)a"`) {
		t.Errorf("%+v", r)
	}
	h.run("-p", "-q", "-c", "hi").want(t, 0, "b\n", "")
	if r := h.run("--dry-run", "--regex", "[0-9]+", "hi"); strings.Contains(r.err, "is sent as it is") {
		t.Errorf("%+v", r)
	}
}

func TestAnAnswerThatIsNotWhatWasAskedForGivesStatus4(t *testing.T) {
	schema := personSchema
	for _, tt := range []struct {
		name   string
		args   []string
		answer emulator.Reply
		status int
		err    string
	}{
		{"satisfied schema", []string{"--schema", "SCHEMA"}, answer(`{"name":"Ann","age":7}`), 0, ""},
		{"missing field", []string{"--schema", "SCHEMA"}, answer(`{"name":"Ann"}`), 4, "age"},
		{"wrong type", []string{"--schema", "SCHEMA"}, answer(`{"name":"Ann","age":"7"}`), 4, "age"},
		{"no JSON", []string{"--schema", "SCHEMA"}, answer("Ann is 7."), 4, "JSON"},
		{"JSON mode", []string{"--json-mode"}, answer(`{"a":1}`), 0, ""},
		{"JSON mode with words", []string{"--json-mode"}, answer(`Sure! {"a":1}`), 4, "JSON"},
		{"matching regex", []string{"-m", "Qwen3.8-27B", "--regex", "[0-9]+"}, answer("42"), 0, ""},
		{"regex", []string{"-m", "Qwen3.8-27B", "--regex", "[0-9]+"}, answer("42 or so"), 4, "[0-9]+"},
		{"a regex that is not known here", []string{"-m", "Qwen3.8-27B", "--regex", "(?=a)a"}, answer("a"), 0, "warning: "},
		{"in a fence", []string{"--json-mode"}, answer("```json\n{}\n```"), 4, "fence"},
		{"cut short says more", []string{"--json-mode"}, emulator.Stream(emulator.C(`{"a":`), emulator.F("length"), emulator.U, emulator.D), 3, "cut short"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			h.server = h.serve(emulator.Options{Key: secret})
			h.env["WAFER_BASE_URL"] = h.server.URL
			for i, a := range tt.args {
				if a == "SCHEMA" {
					tt.args[i] = h.write(schema, "person.json")
				}
			}
			h.server.Script(tt.answer, tt.answer)
			r := h.run(append([]string{"-p"}, append(tt.args, "hi")...)...)
			if r.status != tt.status || r.out == "" || !strings.Contains(r.err, tt.err) || tt.err == "" && r.err != "" {
				t.Errorf("%+v", r)
			}
			if strings.Count(r.err, "waferchat: ") > 1 {
				t.Errorf("more than one message: %q", r.err)
			}
			j := h.run(append([]string{"--output", "json"}, append(tt.args, "hi")...)...)
			var got struct{ Unsatisfied string }
			if err := json.Unmarshal([]byte(j.out), &got); err != nil || (got.Unsatisfied != "") != (tt.status == 4) || j.status != tt.status {
				t.Errorf("%+v %v", j, err)
			}
		})
	}
}
