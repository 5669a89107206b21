package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"waferchat/api/emulator"
)

// body is what a request said.
type body struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	MaxTokens int    `json:"max_tokens"`
	Effort    string `json:"reasoning_effort"`
}

// chats are the requests for an answer that a server has seen.
func chats(s *emulator.Running) []emulator.Received {
	return slices.DeleteFunc(s.Requests(), func(r emulator.Received) bool { return !strings.HasSuffix(r.Path, "/chat/completions") })
}

// asked returns the chat requests that a server has seen.
func asked(t *testing.T, s *emulator.Running) []body {
	t.Helper()
	var out []body
	for _, r := range chats(s) {
		var b body
		if err := json.Unmarshal(r.Body, &b); err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func (b body) texts() string {
	var all []string
	for _, m := range b.Messages {
		all = append(all, m.Role+": "+m.Content)
	}
	return strings.Join(all, " | ")
}

func answer(text string) emulator.Reply {
	return emulator.Stream(emulator.C(text), emulator.F("stop"), emulator.U, emulator.D)
}

func TestTheAnswerAloneIsOnStdout(t *testing.T) {
	h := newHome(t)
	h.server.Script(emulator.Stream(emulator.R("let me think"), emulator.C("Hello"), emulator.C(", you."), emulator.F("stop"), emulator.U, emulator.D))
	h.run("-p", "say", "hello").want(t, 0, "Hello, you.\n", "")
	h.server.Script(answer("with its own newline\n"))
	h.run("print is implied").want(t, 0, "with its own newline\n", "")
	if got := asked(t, h.server)[0]; got.texts() != "user: say hello" || got.Model != defaultModel {
		t.Errorf("%+v", got)
	}
}

func TestExitStatuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		reply  emulator.Reply
		status int
		out    string
		err    string
	}{
		{"length", emulator.Stream(emulator.C("half"), emulator.F("length"), emulator.U, emulator.D), 3, "half\n", "cut short"},
		{"lost stream", emulator.Stream(emulator.C("half")), 3, "half\n", "waferchat: "},
		{"nothing at all", emulator.Stream(), 3, "", "waferchat: "},
		{"finished without [DONE]", emulator.Stream(emulator.C("full"), emulator.F("stop")), 0, "full\n", ""},
		{"refused", emulator.Err(400, "unsupported_value", "no such thing"), 1, "", "unsupported_value"},
		{"wrong key", emulator.Err(401, "invalid_api_key", "bad key"), 1, "", "waferchat: "},
		{"error in the stream", emulator.Stream(emulator.C("half"), emulator.ErrFrame(500, "server_error", "broke")), 1, "half\n", "waferchat: "},
		{"no answer text", emulator.Stream(emulator.R("hm"), emulator.F("stop"), emulator.D), 0, "", "no answer text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			h.write("max_retries = 0\n", "config", "waferchat", "config.toml")
			h.server.Script(tt.reply)
			h.run("-p", "hi").want(t, tt.status, tt.out, tt.err)
		})
	}
}

func TestEachTextIsOutBeforeTheNextComes(t *testing.T) {
	h := newHome(t)
	one, two := make(chan struct{}), make(chan struct{})
	h.server.Script(emulator.Stream(emulator.C("first "), emulator.Wait(one), emulator.C("second"), emulator.Wait(two), emulator.F("stop"), emulator.D))
	r, w := io.Pipe()
	done := make(chan result, 1)
	go func() {
		done <- h.start(t.Context(), nil, w, "-p", "hi")
		_ = w.Close()
	}()
	in := bufio.NewReader(r)
	for _, step := range []struct {
		want string
		next chan struct{}
	}{{"first ", one}, {"second", two}} {
		got := make([]byte, len(step.want))
		if _, err := io.ReadFull(in, got); err != nil || string(got) != step.want {
			t.Fatalf("%q %v", got, err)
		}
		close(step.next)
	}
	if rest, _ := io.ReadAll(in); string(rest) != "\n" {
		t.Errorf("%q", rest)
	}
	if res := <-done; res.status != 0 {
		t.Errorf("%+v", res)
	}
}

func TestControlCharactersNeverComeOut(t *testing.T) {
	evil := "a\x1b]0;PWNED\x07b\u009b31mc\u202ed\re\x00f\tg\n"
	for _, format := range []string{"text", "json", "stream-json"} {
		h := newHome(t)
		h.server.Script(emulator.Stream(emulator.C(evil), emulator.F("stop"), emulator.D))
		r := h.run("-p", "--output", format, "hi")
		if r.status != 0 || strings.ContainsAny(r.out, "\x1b\x07\u009b\u202e\r\x00") {
			t.Errorf("%s: %q", format, r.out)
		}
		if format == "json" {
			var got struct{ Content string }
			if err := json.Unmarshal([]byte(r.out), &got); err != nil || got.Content != strings.ReplaceAll(evil, "\x00", "\x00") {
				t.Errorf("the JSON means %q, %v", got.Content, err)
			}
		}
	}
	h := newHome(t)
	h.server.Script(emulator.Err(400, "x", "bad \x1b[2J\u202e thing"))
	if r := h.run("-p", "hi"); strings.ContainsAny(r.err, "\x1b\u202e") {
		t.Errorf("stderr %q", r.err)
	}
}

func TestWordsAndStdinMakeOnePrompt(t *testing.T) {
	for _, tt := range []struct{ stdin, args, want string }{
		{"", "-p two words", "two words"},
		{"piped\n", "-p", "piped"},
		{"piped\r\n", "", "piped"},
		{"line 1\n\nline 3\n", "-p sum up", "sum up\n\nline 1\n\nline 3"},
		{"a\x00b\xffc", "-p x", "x\n\na\ufffdb\ufffdc"},
		{"\ufeffwith a mark", "-p", "with a mark"},
		{"", "-p -- models of cars", "models of cars"},
		{"", "-- --help me", "--help me"},
		{"", "-p what are models", "what are models"},
		{"", "help me", "help me"},
		{"x", "-p -m other-model hi", "hi\n\nx"},
	} {
		h := newHome(t)
		r := h.pipe(tt.stdin, strings.Fields(tt.args)...)
		got := asked(t, h.server)
		if r.status != 0 || len(got) != 1 || got[0].texts() != "user: "+tt.want {
			t.Errorf("%q %q: %+v %+v", tt.stdin, tt.args, r, got)
		}
	}
	h := newHome(t)
	h.pipe("\n\n", "-p").want(t, 2, "", "there is no prompt")
}

func TestContinueGoesOnWithTheLastSession(t *testing.T) {
	h := newHome(t)
	h.server.Script(answer("one"), answer("two"), answer("three"))
	h.run("-p", "-s", "be brief", "-m", "GLM-5.2", "-e", "high", "first").want(t, 0, "one\n", "")
	h.run("-p", "-c", "second").want(t, 0, "two\n", "")
	h.run("-p", "-c", "-e", "low", "-o", "seed=3", "third").want(t, 0, "three\n", "")
	got := asked(t, h.server)
	if want := "system: be brief | user: first | assistant: one | user: second"; got[1].texts() != want || got[1].Effort != "high" || got[1].Model != "GLM-5.2" {
		t.Errorf("%+v", got[1])
	}
	if got[2].Effort != "low" || !strings.HasSuffix(got[2].texts(), "assistant: two | user: third") {
		t.Errorf("%+v", got[2])
	}
}

func TestContinueWithoutASessionBeginsOne(t *testing.T) {
	h := newHome(t)
	h.server.Script(answer("hello"))
	h.run("-p", "-c", "hi").want(t, 0, "hello\n", "there is no session to go on with")
}

// list runs `sessions list --json`.
func (h *home) list() []map[string]any {
	h.t.Helper()
	r := h.run("sessions", "list", "--json")
	var out []map[string]any
	if err := json.Unmarshal([]byte(r.out), &out); err != nil || r.status != 0 {
		h.t.Fatal(r, err)
	}
	return out
}

func TestResumeByIDPrefixAndTitle(t *testing.T) {
	h := newHome(t)
	h.run("-p", "about bread").status0(t)
	h.run("-p", "about bridges").status0(t)
	var bread string
	for _, s := range h.list() {
		if s["first"] == "about bread" {
			bread = s["id"].(string)
		}
	}
	h.run("sessions", "rename", bread, "Sourdough").want(t, 0, "", "is now called")
	for _, name := range []string{bread, bread[:len(bread)-1], "sourdough", "SOUR"} {
		h.run("-p", "-r="+name, "more of "+name).status0(t)
		got := asked(t, h.server)
		if last := got[len(got)-1].texts(); !strings.HasPrefix(last, "user: about bread | ") || !strings.HasSuffix(last, "more of "+name) {
			t.Errorf("%s: %s", name, last)
		}
	}
	h.pipe("from stdin", "resume", bread).status0(t)
	h.run("-p", "-r=nothing like it", "x").want(t, 1, "", `no session matches "nothing like it"`)
	var other string
	for _, s := range h.list() {
		if id := s["id"].(string); id != bread {
			other = id
		}
	}
	h.run("sessions", "rename", other, "Sourness").status0(t)
	r := h.run("-p", "-r=sour", "x")
	if r.status != 1 || !strings.Contains(r.err, "several sessions match") || !strings.Contains(r.err, bread) || !strings.Contains(r.err, other) {
		t.Errorf("%+v", r)
	}
}

func TestAResumedSessionStaysWithItsServer(t *testing.T) {
	h := newHome(t)
	first := h.serve(openServer())
	second := h.serve(openServer())
	delete(h.env, "WAFER_API_KEY")
	delete(h.env, "WAFER_BASE_URL")
	h.run("-p", "-m", "x", "--base-url", first.URL, "one").status0(t)
	h.run("-p", "-c", "two").status0(t)
	if n := len(asked(t, first)); n != 2 {
		t.Errorf("%d requests at its own server", n)
	}
	h.run("-p", "-c", "--base-url", second.URL, "three").status0(t)
	if n := len(asked(t, second)); n != 1 {
		t.Errorf("%d requests where it was said explicitly", n)
	}
}

func TestWhenNothingCanBeSavedTheAnswerStillComes(t *testing.T) {
	h := newHome(t)
	h.write("a file where a directory should be", "data")
	h.server.Script(answer("hello"))
	h.run("-p", "hi").want(t, 0, "hello\n", "this chat is not saved")
	r := h.run("-p", "-c", "hi")
	if r.status != 1 || r.out != "" || len(asked(t, h.server)) != 1 {
		t.Errorf("%+v", r)
	}
	for name := range h.env {
		if strings.HasPrefix(name, "XDG_") {
			delete(h.env, name)
		}
	}
	h.server.Script(answer("hello"))
	h.run("-p", "hi").want(t, 0, "hello\n", "no home directory")
}

func TestNoSaveLeavesNothing(t *testing.T) {
	h := newHome(t)
	h.server.Script(answer("hello"))
	h.run("-p", "--no-save", "hi").want(t, 0, "hello\n", "")
	if entries, _ := os.ReadDir(h.dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}

func TestDryRunShowsTheRequestAndSendsNothing(t *testing.T) {
	h := newHome(t)
	r := h.run("--dry-run", "-s", "sys", "-m", "M", "--max-tokens", "9", "-o", "seed=4", "--zdr", "hi")
	var got body
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || r.status != 0 {
		t.Fatal(r, err)
	}
	if got.texts() != "system: sys | user: hi" || got.Model != "M" || got.MaxTokens != 9 || !strings.Contains(r.out, `"seed": 4`) {
		t.Errorf("%s", r.out)
	}
	for _, want := range []string{"POST " + h.server.URL + "/chat/completions", "Bearer •••", "Wafer-ZDR: required"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("stderr %q lacks %q", r.err, want)
		}
	}
	if len(h.server.Requests()) > 0 {
		t.Error("something was sent")
	}
}

func TestTheDryRunOfAResumedSessionEqualsWhatIsSent(t *testing.T) {
	h := newHome(t)
	h.server.Script(answer("one"), answer("two"))
	h.run("-p", "-s", "sys", "first").status0(t)
	dry := h.run("-c", "--dry-run", "-o", "seed=1", "second")
	h.run("-p", "-c", "-o", "seed=1", "second").status0(t)
	reqs := chats(h.server)
	var want, got any
	if json.Unmarshal([]byte(dry.out), &got) != nil || json.Unmarshal(reqs[len(reqs)-1].Body, &want) != nil {
		t.Fatal(dry)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("dry run %s\nsent    %s", a, b)
	}
}

func TestAnInterruptedAnswerIsSavedAsFarAsItCame(t *testing.T) {
	h := newHome(t)
	never := make(chan struct{})
	defer close(never)
	h.server.Script(emulator.Stream(emulator.C("as far as"), emulator.Wait(never)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := writerFunc(func(b []byte) (int, error) {
		if strings.Contains(string(b), "as far as") {
			cancel()
		}
		return len(b), nil
	})
	if r := h.start(ctx, nil, w, "-p", "hi"); r.status != 130 || r.err != "" {
		t.Errorf("%+v", r)
	}
	if r := h.run("sessions", "show", string(h.list()[0]["id"].(string))); !strings.Contains(r.out, "(cancelled)\n\nas far as\n") {
		t.Errorf("%+v", r)
	}
	h.server.Script(answer("on"))
	h.run("-p", "-c", "go on").want(t, 0, "on\n", "")
	got := asked(t, h.server)
	if last := got[len(got)-1].texts(); last != "user: hi | assistant: as far as | user: go on" {
		t.Error(last)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestAReaderThatGoesAwayEndsTheAnswerQuietly(t *testing.T) {
	h := newHome(t)
	never := make(chan struct{})
	defer close(never)
	h.server.Script(emulator.Stream(emulator.C("first line\n"), emulator.Wait(never)))
	w := writerFunc(func([]byte) (int, error) { return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE} })
	if r := h.start(t.Context(), nil, w, "-p", "hi"); r.status != 0 || r.err != "" {
		t.Errorf("%+v", r)
	}
	if r := h.run("sessions", "show", string(h.list()[0]["id"].(string))); !strings.Contains(r.out, "first line") {
		t.Errorf("%+v", r)
	}
	full := writerFunc(func([]byte) (int, error) { return 0, &os.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC} })
	h.server.Script(answer("x"))
	if r := h.start(t.Context(), nil, full, "-p", "hi"); r.status != 1 || !strings.Contains(r.err, "waferchat: ") {
		t.Errorf("%+v", r)
	}
}

func TestARetryIsToldOnStderr(t *testing.T) {
	h := newHome(t)
	h.server.Script(emulator.RetryAfter(0), answer("hello"))
	h.run("-p", "hi").want(t, 0, "hello\n", "Trying again in")
	h.server.Script(emulator.RetryAfter(0), answer("hello"))
	h.run("-p", "-q", "hi").want(t, 0, "hello\n", "")
}

func TestTheDemoWorksOfflineAndKeepsItsChatsApart(t *testing.T) {
	h := newHome(t)
	h.run("--demo", "-p", "hi").status0(t)
	h.run("--demo", "-p", "-c", "more").status0(t)
	if n := len(h.list()); n != 0 {
		t.Errorf("%d sessions beside the demo's", n)
	}
	if _, err := os.Stat(h.file("data", "waferchat", "sessions-demo.db")); err != nil {
		t.Error(err)
	}
	if r := h.run("--demo", "sessions", "list", "--json"); strings.Count(r.out, `"id"`) != 1 || !strings.Contains(r.out, `"turns":2`) {
		t.Errorf("%+v", r)
	}
	if len(h.server.Requests()) > 0 {
		t.Error("the demo talked to a server")
	}
}
