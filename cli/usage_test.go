package cli

import (
	"context"
	"strings"
	"testing"

	"waferchat/session"
)

func TestMistakesOnTheCommandLineAreExplained(t *testing.T) {
	for _, tt := range []struct{ name, args, want string }{
		{"typo in a flag", "--modle x", "did you mean --model?"},
		{"typo in a command's flag", "models --jsn", "did you mean --json?"},
		{"unknown short flag", "-Z", "unknown shorthand flag"},
		{"flag without value", "-m", "flag needs an argument"},
		{"a command with words", "models of cars", "to send it as a prompt: waferchat -- models of cars"},
		{"a command with words and -p", "-p models", "waferchat -p -- models"},
		{"a group with words", "sessions of parliament", "waferchat -- sessions of parliament"},
		{"a group alone", "config", "config needs a command: path, show, check, init"},
		{"typo in a sub-command", "sessions lsit", `did you mean "list"?`},
		{"completion with words", "completion of the task", "waferchat -- completion of the task"},
		{"resume with words", "resume my plan", "(quote it if it has blanks)"},
		{"show without a name", "sessions show", "sessions show needs one session"},
		{"no prompt", "-p", "there is no prompt"},
		{"blank prompt", "-p --", "there is no prompt"},
		{"bad output", "--output jsn hi", `did you mean "json"?`},
		{"bad log level", "--log-level dbg hi", `--log-level takes debug, info, warn, error`},
		{"bad effort", "-e two/words hi", "--effort takes one word"},
		{"bad number", "--max-tokens none hi", "--max-tokens takes a whole number"},
		{"bad address", "--base-url nowhere hi", "--base-url needs http:// or https:// in front"},
		{"unknown profile", "--profile x hi", `names the profile "x"`},
		{"missing config", "--config /nonexistent/x.toml hi", "cannot be read"},
		{"option without value", "-o seed hi", "-o takes KEY=VALUE"},
		{"unknown option", "-o temprature=1 hi", `did you mean "temperature"?`},
		{"option of a wrong type", "-o seed=often hi", "-o seed cannot be often"},
		{"option with a flag", "-o model=x hi", "use -m"},
		{"-c and -r", "-c -r=x hi", "do not go together"},
		{"-c and --no-save", "-c --no-save hi", "--no-save begins a chat of its own"},
		{"-r with a blank", "-r abc", "-r=abc; or use: waferchat resume abc"},
		{"-r without a value in a pipe", "-r", "-r needs a value to print"},
		{"demo with an address", "--demo --base-url http://127.0.0.1:1 hi", "do not go together"},
		{"empty title", "sessions rename x ", "needs a session and its new title"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			r := h.run(strings.Fields(tt.args)...)
			if r.status != 2 || r.out != "" || !strings.Contains(r.err, tt.want) || !strings.HasPrefix(r.err, "waferchat: ") {
				t.Errorf("status %d, stdout %q, stderr %q", r.status, r.out, r.err)
			}
			if len(h.server.Requests()) > 0 {
				t.Error("something was sent")
			}
		})
	}
}

func TestHelpVersionManAndCompletion(t *testing.T) {
	h := newHome(t)
	for _, args := range []string{"--help", "-h", "help"} {
		r := h.run(args)
		if r.status != 0 || r.err != "" || !strings.Contains(r.out, "--continue") || strings.ContainsAny(r.out, "\x00\x01") || !strings.Contains(r.out, "--resume[=NAME]  ") {
			t.Errorf("%s: %d %q %q", args, r.status, r.err, r.out)
		}
	}
	h.run("--version").want(t, 0, "waferchat test\n", "")
	if r := h.run("man"); r.status != 0 || !strings.HasPrefix(r.out, ".TH WAFERCHAT 1\n") || !strings.Contains(r.out, "--max\\-tokens") && !strings.Contains(r.out, `\-\-max\-tokens`) {
		t.Errorf("%+v", r)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if r := h.run("completion", shell); r.status != 0 || !strings.Contains(r.out, "waferchat") {
			t.Errorf("%s: %+v", shell, r)
		}
	}
}

func TestRequestFieldsTakeJSONOrText(t *testing.T) {
	p := newProgram(System{})
	p.flags.options = []string{"temperature=0.5", "stop=END", "seed=7", `response_format={"type":"json_object"}`, "regex=[0-9]+", "parallel_tool_calls=false", `stop=["a","b"]`}
	got, err := p.params()
	if err != nil {
		t.Fatal(err)
	}
	if *got.Temperature != 0.5 || strings.Join(got.Stop, ",") != "a,b" || *got.Seed != 7 || string(got.ResponseFormat) != `{"type":"json_object"}` ||
		got.Regex != "[0-9]+" || *got.ParallelToolCalls {
		t.Errorf("%+v", got)
	}
	p.flags.options = []string{"stop=END"}
	if got, _ = p.params(); len(got.Stop) != 1 || got.Stop[0] != "END" {
		t.Errorf("%+v", got.Stop)
	}
}

func TestWhatIsSaidNowOverridesAResumedSession(t *testing.T) {
	h := newHome(t)
	h.write("model = \"file\"\nzdr = true\nmax_tokens = 5\n", "config", "waferchat", "config.toml")
	p := newProgram(System{Getenv: func(k string) string { return h.env[k] }})
	p.flags.effort, p.flags.effortSet = "high", true
	if err := p.setup(); err != nil {
		t.Fatal(err)
	}
	ten := 10
	v := session.Session{Model: "its own", Effort: "low", System: "its own"}
	v.Params.MaxTokens = &ten
	if err := p.override(&v); err != nil {
		t.Fatal(err)
	}
	if v.Model != "its own" || v.Effort != "high" || v.System != "its own" || !v.ZDR || *v.Params.MaxTokens != 10 {
		t.Errorf("%+v", v)
	}
}

func TestInATerminalTheProgramIsHandedWhatItNeeds(t *testing.T) {
	h := newHome(t)
	h.write("modle = 1\n", "config", "waferchat", "config.toml")
	p := newProgram(System{Getenv: func(k string) string { return h.env[k] }, Keyring: h.ring, Stdin: strings.NewReader("piped\n")})
	var got Start
	p.sys.TUI = func(_ context.Context, s Start) error { got = s; return nil }
	p.flags.resume, p.flags.resumeSet = "abc", true
	if err := p.setup(); err != nil {
		t.Fatal(err)
	}
	if err := p.tui(t.Context(), []string{"two", "words"}); err != nil {
		t.Fatal(err)
	}
	if got.Prompt != "two words\n\npiped" || got.Connection.BaseURL != h.server.URL || got.Connection.Key != "" ||
		len(got.Problems) != 1 || got.Resume != (Resume{Name: "abc"}) || got.Template.BaseURL != h.server.URL {
		t.Errorf("%+v", got)
	}
	key, source, err := got.Key(t.Context(), h.server.URL)
	if key.Reveal() != secret || source != "WAFER_API_KEY" || err != nil {
		t.Error(key, source, err)
	}
	if key, _, err := got.Key(t.Context(), "https://pass.wafer.ai/v1"); key != "" || err != nil {
		t.Error("the key goes to another host", err)
	}
	if err := got.KeepSetting("theme", "dark"); err != nil {
		t.Error(err)
	}
	if c, err := got.Reach(t.Context(), h.server.URL); err != nil || c.Key.Reveal() != secret {
		t.Error(c, err)
	}
	if _, err := got.Reach(t.Context(), "http://127.0.0.1:1/v1"); err == nil {
		t.Error("a server that is not there is reached")
	}
	list := got.Catalogue(t.Context(), got.Connection, true)
	if list.Err == nil { // without its key the strict server refuses the list
		if cached := got.Catalogue(t.Context(), got.Connection, false); len(cached.Models) != len(list.Models) {
			t.Error("the list is not kept")
		}
	}
	p.close()
}

func TestProbeFindsServersOnThisMachine(t *testing.T) {
	h := newHome(t)
	open := h.serve(openServer())
	p := newProgram(System{Getenv: func(k string) string { return h.env[k] }})
	if err := p.setup(); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(open.URL, "http://"), "/v1"), ":")
	got := p.probe(t.Context(), []string{"1", port})
	if len(got) != 1 || got[0].BaseURL != open.URL {
		t.Errorf("%+v", got)
	}
}
