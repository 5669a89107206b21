package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"waferchat/api/emulator"
	"waferchat/session"
)

// refusedFile is where the refusals of the home's server are kept.
func (h *home) refusedFile() string { return strings.Replace(h.listFile(), "models-", "refused-", 1) }

// ageRefusals makes everything that is kept older.
func (h *home) ageRefusals(d time.Duration) {
	h.t.Helper()
	var kept refusals
	data, err := os.ReadFile(h.refusedFile())
	if err != nil || json.Unmarshal(data, &kept) != nil || len(kept.Models) == 0 {
		h.t.Fatal(err, string(data))
	}
	for _, when := range kept.Models {
		for name, at := range when {
			when[name] = at.Add(-d)
		}
	}
	if data, err = json.Marshal(kept); err != nil || os.WriteFile(h.refusedFile(), data, 0o600) != nil {
		h.t.Fatal(err)
	}
}

func TestWhatAServerRefusedIsNotSentByTheNextRun(t *testing.T) {
	h := newHome(t)
	no := emulator.Err(400, "unsupported_parameter", "Unsupported parameter: 'temperature' is not supported with this model.")
	h.server.Script(no, answer("one"), answer("two"), answer("three"), answer("four"), no, answer("five"))
	args := []string{"-p", "-m", "Kimi-K3", "-o", "temperature=0.5", "-o", "top_k=3", "hi"}
	h.run(args...).want(t, 0, "one\n", "the server does not take temperature; asking again without it")
	note := "waferchat: not sent, because the server refused it before: temperature (until " + h.refusedFile() + " is removed)\n"
	if r := h.run(args...); r.out != "two\n" || r.err != note {
		t.Errorf("%+v", r)
	}
	if got := fieldsOf(t, h.server); got["temperature"] != nil || got["top_k"] == nil {
		t.Errorf("%s", got)
	}
	if r := h.run(append(args, "--dry-run")...); strings.Contains(r.out, "temperature") || !strings.Contains(r.err, note) {
		t.Errorf("%+v", r)
	}
	if st, err := os.Stat(h.refusedFile()); err != nil || st.Mode().Perm() != 0o600 {
		t.Error(st, err)
	}
	h.run("-p", "-m", "GLM-5.3", "-o", "temperature=0.5", "hi").status0(t) // of another model nothing is known
	if got := fieldsOf(t, h.server); got["temperature"] == nil {
		t.Errorf("%s", got)
	}
	h.ageRefusals(31 * 24 * time.Hour)
	h.run(args...).want(t, 0, "four\n", "")
	if got := fieldsOf(t, h.server); got["temperature"] == nil {
		t.Errorf("after a month it was not tried: %s", got)
	}
	h.run(args...).want(t, 0, "five\n", "asking again without it")
	if data, _ := os.ReadFile(h.refusedFile()); strings.Count(string(data), "temperature") != 1 {
		t.Errorf("%s", data)
	}
}

func TestWhatIsRefusedInTheTerminalIsKeptWhenItEnds(t *testing.T) {
	h := newHome(t)
	h.server.Script(emulator.Err(400, "unsupported_parameter", "Unsupported parameter: 'reasoning_effort' is not supported with this model."), answer("one"), answer("two"))
	p := newProgram(System{Getenv: func(k string) string { return h.env[k] }, Keyring: h.ring})
	defer p.close()
	if err := p.setup(); err != nil {
		t.Fatal(err)
	}
	c := Connection{BaseURL: h.server.URL, Key: secret, Name: hostOf(h.server)}
	b, err := p.open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	turn, err := b.Engine.Start(t.Context(), session.Session{ID: session.NewID(), Model: "GLM-5.3", Effort: "low"}, "hi")
	if err != nil {
		t.Fatal(err)
	}
	turn.Wait()
	p.close()
	r := h.run("-p", "-m", "glm-5.3", "-e", "low", "hi")
	if r.out != "two\n" || !strings.Contains(r.err, "not sent, because the server refused it before: reasoning_effort (until ") || fieldsOf(t, h.server)["reasoning_effort"] != nil {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsRenamedIsNoLoss(t *testing.T) {
	h := newHome(t)
	no := emulator.Err(400, "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	h.server.Script(no, answer("one"), answer("two"))
	r := h.run("-p", "-m", "Kimi-K3", "--max-tokens", "9", "hi")
	if r.out != "one\n" || r.err != "waferchat: the server wants max_completion_tokens instead of max_tokens; asking again with it\n" {
		t.Errorf("%+v", r)
	}
	h.run("-p", "-m", "Kimi-K3", "--max-tokens", "9", "hi").want(t, 0, "two\n", "")
	if got := fieldsOf(t, h.server); got["max_tokens"] != nil || string(got["max_completion_tokens"]) != "9" {
		t.Errorf("%s", got)
	}
}

func TestNoSaveKeepsNothingThatWasRefused(t *testing.T) {
	h := newHome(t)
	no := emulator.Err(400, "unsupported_parameter", "Unsupported parameter: 'top_k' is not supported with this model.")
	h.server.Script(no, answer("one"))
	h.run("-p", "--no-save", "-o", "top_k=3", "hi").want(t, 0, "one\n", "asking again without it")
	if entries, _ := os.ReadDir(h.dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}

func TestABrokenFileOfRefusalsIsNoHarm(t *testing.T) {
	h := newHome(t)
	no := emulator.Err(400, "unsupported_parameter", "Unsupported parameter: 'top_k' is not supported with this model.")
	for _, text := range []string{"", "nonsense", `{"host":"elsewhere","models":{"glm-5.3":{"top_k":"2999-01-01T00:00:00Z"}}}`, `{"models":null}`} {
		h.write(text, "cache", "waferchat", strings.TrimPrefix(h.refusedFile(), h.file("cache", "waferchat")+"/"))
		h.server.Script(no, answer("one"))
		h.run("-p", "-m", "GLM-5.3", "-o", "top_k=3", "hi").want(t, 0, "one\n", "asking again without it")
	}
}
