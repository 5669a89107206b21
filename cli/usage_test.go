package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"waferchat/api"
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
		{"option of nothing", "-o =1 hi", "-o takes KEY=VALUE"},
		{"option of a wrong type", "-o seed=often hi", "-o seed takes a whole number, not 'often'"},
		{"option that is no switch", "-o logprobs=5 hi", "-o logprobs takes true or false, not '5'"},
		{"half an answer", "-o n=1.5 hi", "-o n takes a whole number, 1 or more, not '1.5'"},
		{"no answer", "-o n=0 hi", "-o n takes a whole number, 1 or more, not '0'"},
		{"fewer than no answer", "-o n=-1 hi", "-o n takes a whole number, 1 or more, not '-1'"},
		{"an exponent", "-o max_tokens=1e3 hi", "-o max_tokens takes a whole number, 1 or more, not '1e3'"},
		{"no tokens", "-o Max_Tokens=0 hi", "-o max_tokens takes a whole number, 1 or more, not '0'"},
		{"a temperature in words", "-o temperature=warm hi", "-o temperature takes a number, not 'warm'"},
		{"taking away with a value", "-o -seed=1 hi", "-o -seed takes the field away: it has no value"},
		{"taking away nothing", "-o - hi", "-o takes KEY=VALUE"},
		{"taking the model away", "-o -model hi", "-o model: use -m"},
		{"zdr as an option", "-o zdr=required hi", "-o zdr: use --zdr"},
		{"its header as an option", "-o Wafer-ZDR=required hi", "-o wafer-zdr: use --zdr"},
		{"broken JSON for an object", `-o response_format={"type": hi`, `-o response_format cannot be '{"type":'; it takes JSON such as {"type":"json_object"}`},
		{"text for an object", "-o thinking=disabled hi", `-o thinking cannot be 'disabled'; it takes JSON such as {"type":"disabled"}`},
		{"broken JSON for a choice", `-o tool_choice={"type" hi`, "-o tool_choice cannot be"},
		{"a list for a choice", `-o tool_choice=["auto"] hi`, "-o tool_choice cannot be"},
		{"option with a flag", "-o model=x hi", "use -m"},
		{"messages as an option", "-o messages=[] hi", "-o messages: give a prompt"},
		{"stream as an option", "-o Stream=false hi", "-o stream: --output says"},
		{"no tools", "-o tools=[] hi", "-o tools takes a JSON array of tools, such as [{"},
		{"one tool", `-o tools={"type":"function"} hi`, "-o tools takes a JSON array"},
		{"tools in words", "-o tools=search hi", "-o tools takes a JSON array"},
		{"a seed that is no number", "serve-demo --seed x", "--seed takes a whole number, 0 or more, not \"x\"\nTry 'waferchat serve-demo --help'"},
		{"a speed that is no number", "serve-demo --speed fast", "--speed takes a number, not \"fast\""},
		{"a switch that is neither", "--zdr=maybe hi", "--zdr takes true or false, or no value, not \"maybe\""},
		{"help of the sub-command", "sessions show", "Try 'waferchat sessions show --help' for more information."},
		{"efforts that differ", "-e low -o reasoning_effort=high hi", "--effort low and -o reasoning_effort do not agree"},
		{"a flag and null", "-e low -o reasoning_effort=null hi", "--effort low and -o reasoning_effort do not agree"},
		{"two shapes", "--json-mode --regex a+ hi", "--regex and --json-mode do not go together"},
		{"a shape and its field", "--json-mode -o response_format=null hi", "--json-mode and -o response_format do not go together"},
		{"a shape and another field", "--json-mode -o regex=a+ hi", "--json-mode and -o regex do not go together"},
		{"empty regex", "--regex= hi", "--regex is empty"},
		{"schema from stdin", "--schema - hi", "--schema takes the name of a file"},
		{"missing schema", "--schema /nonexistent/s.json hi", "--schema /nonexistent/s.json cannot be read: no such file"},
		{"extract and JSON", "-x --output json hi", "--extract prints text: it does not go with --output json"},
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
	p.flags.options = []string{"temperature=0.5", "stop=END", "seed=7", ` response_format = {"type":"json_object"} `, "regex=[0-9]+",
		"parallel_tool_calls=false", `stop=["a","b"]`, "tool_choice=auto", "user=ann", "top_a=0.1", "Min_P=0.2", `guided={"a":"<b>"}`, "note={x"}
	var v session.Session
	if err := errors.Join(p.readFields(), p.ask(&v)); err != nil {
		t.Fatal(err)
	}
	got := v.Params
	extra := fmt.Sprintf("%s", got.Extra)
	if string(got.ToolChoice) != `"auto"` || *got.MinP != 0.2 || extra != `map[guided:{"a":"<b>"} note:"{x" top_a:0.1 user:"ann"]` {
		t.Errorf("%+v %s", got, extra)
	}
	if *got.Temperature != 0.5 || strings.Join(got.Stop, ",") != "a,b" || *got.Seed != 7 || string(got.ResponseFormat) != `{"type":"json_object"}` ||
		got.Regex != "[0-9]+" || *got.ParallelToolCalls {
		t.Errorf("%+v", got)
	}
	p.flags.options = []string{"stop=END"}
	if err := errors.Join(p.readFields(), p.ask(&v)); err != nil || len(v.Params.Stop) != 1 || v.Params.Stop[0] != "END" || *v.Params.Seed != 7 {
		t.Errorf("%+v %v", v.Params, err)
	}
}

func TestWhatIsAskedForNowReplacesTheSameWishInOtherWords(t *testing.T) {
	const inherited = `{"max_tokens":5,"max_completion_tokens":6,"reasoning":{"effort":"low"},"thinking":{"type":"enabled"},"regex":"a","seed":1,"user":"ann"}`
	for _, tt := range []struct{ options, effort, want string }{
		{"", "high", inherited},
		{"seed=2", "high", `{"max_tokens":5,"max_completion_tokens":6,"seed":2,"regex":"a","reasoning":{"effort":"low"},"thinking":{"type":"enabled"},"user":"ann"}`},
		{"reasoning_effort=low max_tokens=9", "low", `{"max_tokens":9,"seed":1,"regex":"a","user":"ann"}`},
		{"thinking={\"type\":\"disabled\"} max_completion_tokens=9", "", `{"max_completion_tokens":9,"seed":1,"regex":"a","thinking":{"type":"disabled"},"user":"ann"}`},
		{"reasoning={} thinking={}", "", `{"max_tokens":5,"max_completion_tokens":6,"seed":1,"regex":"a","reasoning":{},"thinking":{},"user":"ann"}`},
		{"response_format={\"type\":\"json_object\"}", "high", `{"max_tokens":5,"max_completion_tokens":6,"seed":1,"response_format":{"type":"json_object"},"reasoning":{"effort":"low"},"thinking":{"type":"enabled"},"user":"ann"}`},
		{"reasoning_effort=null thinking=null regex=null", "", `{"max_tokens":5,"max_completion_tokens":6,"seed":1,"reasoning":{"effort":"low"},"user":"ann"}`},
		{"user=null max_tokens=null other=null", "high", `{"max_completion_tokens":6,"seed":1,"regex":"a","reasoning":{"effort":"low"},"thinking":{"type":"enabled"},"other":null,"user":null}`},
	} {
		p := newProgram(System{})
		p.flags.options = strings.Fields(tt.options)
		v := session.Session{Effort: "high"}
		var want api.Params
		if err := errors.Join(json.Unmarshal([]byte(inherited), &v.Params), json.Unmarshal([]byte(tt.want), &want), p.readFields(), p.ask(&v)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(v.Params, want) || v.Effort != tt.effort {
			got, _ := json.Marshal(v.Params)
			t.Errorf("%s: %s, effort %q\nwant %s, %q", tt.options, got, v.Effort, tt.want, tt.effort)
		}
	}
}

func TestAFlagReplacesWhatAResumedSessionSaysInOtherWords(t *testing.T) {
	h := newHome(t)
	h.write("[profile.calm]\neffort = \"low\"\n", "config", "waferchat", "config.toml")
	for _, tt := range []struct {
		name    string
		set     func(f *flags)
		effort  string
		thought bool // is the inherited switch still there?
	}{
		{"nothing", func(*flags) {}, "", true},
		{"-e", func(f *flags) { f.effort, f.effortSet = "high", true }, "high", false},
		{"a named profile", func(f *flags) { f.profile = "calm" }, "low", false},
		{"-o over a named profile", func(f *flags) { f.profile, f.options = "calm", []string{`thinking={"type":"disabled"}`} }, "", true},
	} {
		p := newProgram(System{Getenv: func(k string) string { return h.env[k] }})
		tt.set(&p.flags)
		v := session.Session{}
		v.Params.Thinking = api.ThinkingSwitch(true)
		if err := errors.Join(p.readFields(), p.setup(), p.override(&v)); err != nil {
			t.Fatal(err)
		}
		if v.Effort != tt.effort || (v.Params.Thinking != nil) != tt.thought {
			t.Errorf("%s: %q %s", tt.name, v.Effort, v.Params.Thinking)
		}
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
