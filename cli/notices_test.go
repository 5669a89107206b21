package cli

import (
	"context"
	"os"
	"strings"
	"testing"

	"waferchat/api/emulator"
	"waferchat/chat"
)

func TestWhatAModelWillIgnoreIsNotedBesideTheAnswer(t *testing.T) {
	h := newHome(t)
	r := h.run("--demo", "-p", "-o", "temperature=0.2", "hi")
	if r.status != 0 || r.out == "" || strings.Contains(r.out, "temperature") || !strings.Contains(r.err, "waferchat: note: ") || !strings.Contains(r.err, "temperature") {
		t.Errorf("%+v", r)
	}
	if r := h.run("--demo", "-p", "-q", "-o", "temperature=0.2", "hi"); r.status != 0 || r.err != "" {
		t.Errorf("%+v", r)
	}
	h.run("--demo", "-p", "-m", "Kimi-K3", "-o", "temperature=0.2", "hi").wantQuiet(t)
	h.write("honours_sampling = [\"glm-5.3\"]\n", "config", "waferchat", "config.toml")
	h.run("--demo", "-p", "-o", "temperature=0.2", "hi").wantQuiet(t)
	if r := h.run("--demo", "-p", "-m", "Kimi-K3", "-o", "temperature=0.2", "hi"); !strings.Contains(r.err, "temperature") {
		t.Errorf("%+v", r)
	}
	h.write("honours_sampling = []\n", "config", "waferchat", "config.toml")
	if r := h.run("--demo", "-p", "-m", "Kimi-K3", "-o", "temperature=0.2", "hi"); !strings.Contains(r.err, "temperature") {
		t.Errorf("an empty list: %+v", r)
	}
}

// wantQuiet checks for an answer with nothing to note.
func (r result) wantQuiet(t *testing.T) {
	t.Helper()
	if r.status != 0 || r.out == "" || r.err != "" {
		t.Errorf("%+v", r)
	}
}

func TestWhatAServerWillRefuseIsWarnedOf(t *testing.T) {
	h := newHome(t)
	if r := h.run("--demo", "--dry-run", "-m", "Qwen3.8-27B", "--zdr", "hi"); r.status != 0 || !strings.Contains(r.err, "waferchat: warning: ") {
		t.Errorf("%+v", r)
	}
	if r := h.run("--demo", "--dry-run", "-q", "-m", "Qwen3.8-27B", "--zdr", "hi"); r.status != 0 || r.err != "" {
		t.Errorf("%+v", r)
	}
}

func TestTheDryRunTellsWhatARequestWouldComeTo(t *testing.T) {
	h := newHome(t)
	r := h.run("--demo", "--dry-run", "-m", "Kimi-K3", "--max-tokens", "1000", "hi")
	if r.status != 0 || !strings.Contains(r.err, "waferchat: estimate: ") || !strings.Contains(r.err, " of a context of 1,048,576; an answer of at most 1,000 tokens; $") {
		t.Errorf("%+v", r)
	}
	h = wafer(t) // no list of models is at hand
	r = h.run("--dry-run", "hi")
	if r.status != 0 || !strings.Contains(r.err, "; the price is unknown\n") || strings.Contains(r.err, "of a context") {
		t.Errorf("%+v", r)
	}
}

func TestAForecastInWords(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, tt := range []struct {
		f    chat.Forecast
		want string
	}{
		{chat.Forecast{Request: 1234567, Error: 0.081, Window: 2000000, Limit: 65536, Least: n(1_234_000), Most: n(150_000_000)},
			"estimate: 1,234,567 tokens (±9 %) of a context of 2,000,000; an answer of at most 65,536 tokens; $0.01 to $1.50"},
		{chat.Forecast{Request: 12, Error: 0.25, Least: n(0)}, "estimate: 12 tokens (±25 %); the most tokens of an answer are unknown; at least $0.00"},
		{chat.Forecast{Request: 999, Error: 0.25, Limit: 100}, "estimate: 999 tokens (±25 %); an answer of at most 100 tokens; the price is unknown"},
	} {
		if got := estimate(tt.f); got != tt.want {
			t.Errorf("%q\nwant %q", got, tt.want)
		}
	}
	for microCents, want := range map[int64]string{0: "$0.00", 1: "$0.000000010", 12_345: "$0.00012", 100_000: "$0.0010", 999_999: "$0.0100", 1_000_000: "$0.01", 9_950_000: "$0.10", 12_300_000_000: "$123.00"} {
		if got := money(microCents); got != want {
			t.Errorf("%d: %s, want %s", microCents, got, want)
		}
	}
}

func TestTheCatalogueSpellsTheModel(t *testing.T) {
	h := newHome(t)
	h.run("models").status0(t)
	r := h.run("--output", "stream-json", "-m", "glm-5.2", "hi")
	if got := asked(t, h.server)[0]; got.Model != "GLM-5.2" || !strings.Contains(r.out, `"model":"GLM-5.2"`) {
		t.Errorf("%+v %+v", got, r)
	}
	if r := h.run("--output", "json", "-m", "glm-5.2", "hi"); !strings.Contains(r.out, `"model":"GLM-5.2"`) {
		t.Errorf("%+v", r)
	}
}

func TestAModelThatIsGoneNamesTheNearest(t *testing.T) {
	h := newHome(t)
	h.run("models").status0(t)
	h.server.Script(emulator.Err(404, "model_not_found", "no such model"))
	if r := h.run("-p", "-m", "GLM-5.33", "hi"); r.status != 1 || !strings.Contains(r.err, "GLM-5.33") || !strings.Contains(r.err, "GLM-5.3,") {
		t.Errorf("%+v", r)
	}
}

func TestAFreshListCountsInTheSameRun(t *testing.T) {
	h := newHome(t)
	p := newProgram(System{Getenv: func(k string) string { return h.env[k] }, Keyring: h.ring})
	defer p.close()
	p.flags.noSave = true // nothing is read back from the disk
	if err := p.setup(); err != nil {
		t.Fatal(err)
	}
	c, err := p.connection("")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = p.withKey(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if list := p.listed(c); len(list.Models) != 0 {
		t.Error("a list from nowhere")
	}
	p.catalogue(context.Background(), c, true)
	if _, ok := p.listed(c).Models.Find("glm-5.3"); !ok {
		t.Error("the list that was fetched is not known")
	}
	if entries, _ := os.ReadDir(h.dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}
