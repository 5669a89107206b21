//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"waferchat/api/emulator"
	"waferchat/internal/vterm"
)

// mishap is an answer that goes wrong, and what is left of it: on the screen, in
// print mode, and in every request that follows.
type mishap struct {
	name  string
	model string // "" is GLM-5.3
	steps []emulator.Step
	until string   // with this on the screen,
	keys  string   // these keys are typed; then print mode is not tried
	shows []string // on the screen when it is over, and after the next start
	lacks string   // never on the screen, if not empty
	// left is what stands for the answer in the requests that follow, "" for
	// nothing. Call ids that the program made up are ‹1›, ‹2›, in their order.
	left string
	out  string // print mode's output
	errs string // part of what it tells, "" for nothing
	code int    // its exit code
}

// plain is JSON without the escapes that only HTML needs.
func plain(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}

func asking(text string) string { return `{"role":"user","content":` + plain(text) + `}` }

func answering(text string) string { return `{"role":"assistant","content":` + plain(text) + `}` }

// calling is an assistant message with tool calls, each "id name arguments", and
// the results that stand for those that nobody gave. extra are further fields.
func calling(text, extra string, calls ...string) string {
	var list, results []string
	for _, c := range calls {
		f := strings.SplitN(c, " ", 3)
		list = append(list, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, f[0], f[1], plain(f[2])))
		results = append(results, fmt.Sprintf(`{"role":"tool","content":"[no result: the call was cancelled before it finished]","tool_call_id":%q}`, f[0]))
	}
	return `{"role":"assistant","content":` + plain(text) + extra + `,"tool_calls":[` + strings.Join(list, ",") + `]},` + strings.Join(results, ",")
}

func reasoned(text string) string { return `,"reasoning_content":` + plain(text) }

// bodies are the chat requests that a server has seen, refused ones too.
func bodies(s *emulator.Running) (all []string) {
	for _, r := range s.Requests() {
		if strings.HasSuffix(r.Path, "/chat/completions") {
			all = append(all, string(r.Body))
		}
	}
	return all
}

// messages are the messages of a body, byte for byte as they are written there.
func messages(t *testing.T, body string) string {
	t.Helper()
	var b struct{ Messages json.RawMessage }
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	return string(b.Messages)
}

var madeUp = regexp.MustCompile(`call_[0-9a-f]{24}`)

// numbered puts ‹1›, ‹2› for the call ids that the program made up.
func numbered(text string) string {
	var seen []string
	return madeUp.ReplaceAllStringFunc(text, func(id string) string {
		if !slices.Contains(seen, id) {
			seen = append(seen, id)
		}
		return fmt.Sprintf("‹%d›", slices.Index(seen, id)+1)
	})
}

// userOf is a user of a server with a model, who has switched retries off.
func userOf(t *testing.T, s *emulator.Running, model string) *home {
	t.Helper()
	h := newHome(t, "WAFER_API_KEY="+secret, "WAFER_BASE_URL="+s.URL, "WAFER_MODEL="+model)
	h.config("max_retries = 0\n")
	return h
}

// settled waits until nothing runs and all the texts are on the screen at once.
func settled(term *vterm.Term, texts ...string) {
	term.WaitUntil(fmt.Sprintf("rest with %q", texts), long, func() bool {
		screen := term.Text()
		return strings.Contains(screen, "⏎ send") && !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(screen, text) })
	})
}

// leave quits the program.
func leave(t *testing.T, term *vterm.Term) {
	t.Helper()
	term.Send("\x04")
	if code := term.Wait(long); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// goOn is a body with one more exchange behind its last message.
func goOn(body, last, got, next string) string {
	return strings.Replace(body, last+`"}]`, last+`"},`+answering(got)+","+asking(next)+"]", 1)
}

// play lets a user go through the mishap and on: at once, after quitting, and in
// print mode.
func (m mishap) play(t *testing.T) {
	t.Parallel()
	s := strictServer(t)
	model := cmp.Or(m.model, "GLM-5.3")
	h := userOf(t, s, model)
	s.Script(emulator.Stream(m.steps...), answer("fine again"), answer("still fine"))
	term := h.start(100, 30)
	settled(term)
	term.Send("question one\r")
	if m.keys != "" {
		term.WaitFor(m.until, long)
		term.Send(m.keys)
	}
	settled(term, m.shows...)
	screens := term.Text()
	term.Send("question two\r")
	settled(term, "fine again")
	leave(t, term)

	term = h.start(100, 30, "-c")
	settled(term, append([]string{"fine again"}, m.shows...)...)
	screens += term.Text()
	term.Send("question three\r")
	settled(term, "still fine")
	if m.lacks != "" && strings.Contains(screens+term.Text(), m.lacks) {
		t.Errorf("%q is on the screen:\n%s", m.lacks, screens)
	}
	want := "[" + asking("question one\n\nquestion two") + "]"
	if m.left != "" {
		want = "[" + asking("question one") + "," + m.left + "," + asking("question two") + "]"
	}
	all := bodies(s)
	if len(all) != 3 {
		t.Fatalf("%d requests, want 3", len(all))
	}
	if got := numbered(messages(t, all[1])); got != want {
		t.Errorf("the next request has\n%.2000s\nwant\n%.2000s", got, want)
	}
	if all[2] != goOn(all[1], "question two", "fine again", "question three") {
		t.Errorf("after quitting the request is\n%.2000s\nbefore it was\n%.2000s", all[2], all[1])
	}
	if m.keys == "" {
		m.print(t, s, userOf(t, s, model), all[1])
	}
}

// print goes through the mishap in print mode. What it sends next is what the
// screen sent, which never quit.
func (m mishap) print(t *testing.T, s *emulator.Running, h *home, never string) {
	t.Helper()
	s.Script(emulator.Stream(m.steps...), answer("fine again"))
	out, errs, code := h.run("", "-p", "question one")
	if out != m.out || code != m.code || !strings.Contains(errs, m.errs) || (errs == "") != (m.errs == "") {
		t.Errorf("print mode gave %.300q, %q, code %d; want %.300q, %q, code %d", out, errs, code, m.out, m.errs, m.code)
	}
	if out, errs, code := h.run("", "-p", "-c", "question two"); out != "fine again\n" || code != 0 {
		t.Errorf("then print mode gave %q, %q, code %d", out, errs, code)
	}
	all := bodies(s)
	if last := all[len(all)-1]; numbered(last) != numbered(never) {
		t.Errorf("print mode went on with\n%.2000s\nthe screen with\n%.2000s", last, never)
	}
}

func playAll(t *testing.T, all []mishap) {
	for _, m := range all {
		t.Run(m.name, m.play)
	}
}

const (
	endedEarly = "The answer ended before it was complete."
	noText     = "The model gave no answer text."
)

// whole is an answer's text with its proper end behind it.
func whole(steps ...emulator.Step) []emulator.Step {
	return append(steps, emulator.F("stop"), emulator.U, emulator.D)
}

func TestAStreamThatBreaksOffIsShownKeptAndSentOn(t *testing.T) {
	begun := emulator.C("The answer is fo")
	left := answering("The answer is fo")
	playAll(t, []mishap{
		{name: "clean end without a finish", steps: []emulator.Step{begun, emulator.EOF},
			shows: []string{"The answer is fo", "✖ " + endedEarly, "answers again"}, left: left, out: "The answer is fo\n", errs: endedEarly, code: 3},
		{name: "reset", steps: []emulator.Step{begun, emulator.RST},
			shows: []string{"The answer is fo", "broke before the answer was complete", "answers again"}, left: left, out: "The answer is fo\n", errs: "broke before", code: 3},
		{name: "reasoning alone", steps: []emulator.Step{emulator.R("thinking hard..."), emulator.EOF},
			shows: []string{"∴ thought", "✖ " + endedEarly}, errs: endedEarly, code: 3},
		{name: "finish without DONE", steps: []emulator.Step{emulator.C("It is full"), emulator.F("stop"), emulator.EOF},
			shows: []string{"It is full"}, lacks: "✖", left: answering("It is full"), out: "It is full\n"},
		{name: "DONE without finish", steps: []emulator.Step{emulator.C("It is full"), emulator.D},
			shows: []string{"It is full"}, lacks: "✖", left: answering("It is full"), out: "It is full\n"},
		{name: "an error object", steps: []emulator.Step{emulator.C("Par"), emulator.Frame(`{"error":{"message":"too many cooks","type":"server_error","code":503}}`), emulator.D},
			shows: []string{"Par", "✖ The server is overloaded", "too many cooks"}, left: answering("Par"), out: "Par\n", errs: "too many cooks", code: 1},
		{name: "an error event", steps: []emulator.Step{emulator.C("Par"), emulator.Raw("event: error\ndata: {\"message\":\"boom in the kitchen\"}\n\n")},
			shows: []string{"Par", "✖ ", "boom in the kitchen"}, left: answering("Par"), out: "Par\n", errs: "boom in the kitchen", code: 1},
		{name: "an error field", steps: []emulator.Step{emulator.C("Par"), emulator.Raw("error: {\"code\":500,\"message\":\"boom in the kitchen\"}\n\n")},
			shows: []string{"Par", "✖ ", "boom in the kitchen"}, left: answering("Par"), out: "Par\n", errs: "boom in the kitchen", code: 1},
		{name: "an error in a choice", steps: []emulator.Step{emulator.C("Par"), emulator.Chunk(`"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"message":"boom in the kitchen"}}]`)},
			shows: []string{"Par", "✖ ", "boom in the kitchen"}, left: answering("Par"), out: "Par\n", errs: "boom in the kitchen", code: 1},
		{name: "stopped", steps: []emulator.Step{emulator.C("1 2 3 "), emulator.Hang}, until: "1 2 3", keys: "\x1b",
			shows: []string{"1 2 3", "Stopped. What had arrived is kept."}, left: answering("1 2 3 ")},
	})
}

func TestAnOddButWholeStreamIsShownKeptAndSentOnAsItWasMeant(t *testing.T) {
	text := "那个 🌍 é 👩‍👩‍👧 ok"
	megabyte := strings.Repeat("long ", 220_000) + "line's end"
	lines := emulator.Bytes(whole(emulator.C("Hello, "), emulator.C("CRLF"))...)
	same := func(name, text string, steps ...emulator.Step) mishap {
		return mishap{name: name, steps: steps, shows: []string{text[max(0, len(text)-10):]}, lacks: "✖", left: answering(text), out: text + "\n"}
	}
	playAll(t, []mishap{
		same("comments and empty events", "hello!", whole(
			emulator.Raw(": OPENROUTER PROCESSING\n\nretry: 3000\n\nid: 7\n\nevent: ping\n\ndata:\n\n\n\n"), emulator.C("hel"),
			emulator.Raw(": ping - 2026-01-01\n\n"), emulator.C("lo"), emulator.Raw(":\n: c\n"), emulator.C("!"))...),
		same("a line of a megabyte", megabyte, whole(emulator.C(megabyte))...),
		{name: "byte by byte", steps: []emulator.Step{emulator.Split(1, whole(emulator.C(text))...)},
			shows: []string{"那个 🌍 é"}, lacks: "\ufffd", left: answering(text), out: text + "\n"},
		same("CRLF", "Hello, CRLF", emulator.Raw(strings.ReplaceAll(lines, "\n", "\r\n"))),
		same("CR", "Hello, CRLF", emulator.Raw("\ufeff"+strings.ReplaceAll(lines, "\n", "\r"))),
		same("CRLF in pieces", "Hello, CRLF", emulator.Split(1, emulator.Raw(strings.ReplaceAll(lines, "\n", "\r\n")))),
		same("chunks without choices", "It is ok", append([]emulator.Step{
			emulator.Frame(`{"choices":[],"prompt_filter_results":[]}`), emulator.Frame(`{}`), emulator.Frame(`null`), emulator.Frame(`[]`), emulator.Frame(`{"choices":null}`)},
			whole(emulator.C("It is "), emulator.Frame(`{"choices":[],"error":null}`), emulator.C("ok"))...)...),
	})
}

func TestAWordIsShownBeforeTheNextIsSentWhateverEndsItsLines(t *testing.T) {
	for _, ending := range []string{"\n", "\r\n", "\r"} {
		t.Run(fmt.Sprintf("%q", ending), func(t *testing.T) {
			t.Parallel()
			s := strictServer(t)
			more := make(chan struct{})
			lines := func(steps ...emulator.Step) emulator.Step {
				return emulator.Raw(strings.ReplaceAll(emulator.Bytes(steps...), "\n", ending))
			}
			s.Script(emulator.Stream(lines(emulator.C("first ")), emulator.Wait(more), lines(whole(emulator.C("second"))...)))
			term := userOf(t, s, "GLM-5.3").start(100, 30)
			settled(term)
			term.Send("question one\r")
			term.WaitFor("first", long)
			close(more)
			settled(term, "first second")
		})
	}
}

func TestACallThatNobodyAnswersDoesNotPoisonTheChat(t *testing.T) {
	end := []emulator.Step{emulator.F("tool_calls"), emulator.D}
	call := func(name string, shows []string, left string, steps ...emulator.Step) mishap {
		return mishap{name: name, steps: append(steps, end...), shows: shows, left: left, errs: "tools are not run here"}
	}
	sleep := emulator.T(0, "call_1", "shell", `{"cmd":"sleep 60"}`)
	open := emulator.T(0, "c1", "write_file", `{"path":"/tmp/x","content":"abc`)
	cut := `c1 write_file {"_raw":"{\"path\":\"/tmp/x\",\"content\":\"abc"}`
	empty := func(name, arguments string) mishap {
		return call(name, []string{"⚙ now"}, calling("", "", `a now {}`), emulator.T(0, "a", "now", arguments))
	}
	playAll(t, []mishap{
		call("two calls", []string{"⚙ shell", `{"cmd":"sleep 60"}`, "⚙ read"}, calling("", "", `call_1 shell {"cmd":"sleep 60"}`, `call_2 read {}`),
			sleep, emulator.T(1, "call_2", "read", "{}")),
		{name: "stopped in the middle of the second call", steps: []emulator.Step{emulator.R("Let me look."), emulator.C("I look."), sleep, emulator.T(1, "call_2", "read", `{"a`), emulator.Hang},
			until: "⚙ read", keys: "\x1b", shows: []string{"I look.", "⚙ shell", "⚙ read", "Stopped."},
			left: calling("I look.", reasoned("Let me look."), `call_1 shell {"cmd":"sleep 60"}`, `call_2 read {"_raw":"{\"a"}`)},
		call("arguments that are never closed", []string{`⚙ shell  {"cmd": "echo hi`}, calling("", "", `call_1 shell {"_raw":"{\"cmd\": \"echo hi"}`),
			emulator.T(0, "call_1", "shell", `{"cmd": "echo hi`)),
		call("half a surrogate in the arguments", []string{"⚙ shell"}, calling("", "", `call_1 shell {"t":"\ufffd x"}`),
			emulator.T(0, "call_1", "shell", `{"t":"\ud99c x"}`)),
		call("one delta without indexes", []string{"⚙ f", "⚙ g"}, calling("", "", `a f {"x":1}`, `b g {"y":2}`),
			emulator.Delta(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}}]}`)),
		call("deltas without indexes", []string{"⚙ f", "⚙ g"}, calling("", "", `a f {"x":1}`, `b g {"y":2}`),
			emulator.Delta(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`), emulator.Delta(`{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}}]}`)),
		call("neither indexes nor ids", []string{"⚙ f"}, calling("", "", `‹1› f {"x":1}`, `‹2› f {"x":2}`, `‹3› f {}`),
			emulator.Delta(`{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":1}"}}]}`), emulator.Delta(`{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":2}"}}]}`), emulator.Delta(`{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`)),
		call("no index and an id only once", []string{"⚙ f"}, calling("", "", `a f {"x":1}`),
			emulator.Delta(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`), emulator.Delta(`{"tool_calls":[{"function":{"arguments":":1}"}}]}`)),
		call("odd indexes", []string{"⚙ f", "⚙ g"}, calling("", "", `a f {"x":1}`, `b g {"y":2}`),
			emulator.Delta(`{"tool_calls":[{"index":"1","id":"a","function":{"name":"f","arguments":"{\"x\""}}]}`), emulator.T(3, "b", "g", `{"y":2}`), emulator.Delta(`{"tool_calls":[{"index":1,"function":{"arguments":":1}"}}]}`)),
		call("no ids", []string{"⚙ f", "⚙ g"}, calling("", "", `‹1› f {}`, `‹2› g {}`), emulator.T(0, "", "f", "{}"), emulator.T(1, emulator.Null, "g", "{}")),
		call("the name again and then empty", []string{"⚙ read_file"}, calling("", "", `a read_file {"x":1}`),
			emulator.T(0, "a", "read_file", "{"), emulator.T(0, "a", "read_file", `"x":`), emulator.T(0, emulator.Omit, "", "1}")),
		call("a name that servers refuse", []string{"⚙ a.b"}, calling("", "", `a a_b {}`), emulator.T(0, "a", "a.b", "{}")),
		empty("empty arguments", ""), empty("null as arguments", emulator.Null), empty("no arguments", emulator.Omit),
		empty("blank arguments", " \n"), empty("the word null as arguments", "null"),
		{name: "a stop", steps: whole(sleep), shows: []string{"⚙ shell"}, left: calling("", "", `call_1 shell {"cmd":"sleep 60"}`), errs: "tools are not run here"},
		{name: "tool_calls without any", steps: append([]emulator.Step{emulator.C("It is done")}, end...), shows: []string{"It is done"}, left: answering("It is done"), out: "It is done\n"},
		{name: "cut by the end of the stream", steps: []emulator.Step{open, emulator.EOF}, shows: []string{"⚙ write_file", endedEarly}, left: calling("", "", cut), errs: endedEarly, code: 3},
		{name: "cut by a reset, parseable", steps: []emulator.Step{emulator.T(0, "c1", "write_file", `{"path":"/tmp/x"}`), emulator.RST},
			shows: []string{"⚙ write_file", "broke before"}, left: calling("", "", `c1 write_file {"path":"/tmp/x"}`), errs: "broke before", code: 3},
		{name: "cut by the token limit", steps: []emulator.Step{open, emulator.F("length"), emulator.D},
			shows: []string{"⚙ write_file", "▲ The token limit was reached"}, left: calling("", "", cut), errs: "the most tokens", code: 3},
	})
}

func TestReasoningIsShownKeptAndSentOnWhereItIsWanted(t *testing.T) {
	look := []emulator.Step{emulator.R("I should look. "), emulator.R("Calling."), emulator.T(0, "c1", "read", `{"path":"a"}`), emulator.F("tool_calls"), emulator.D}
	tagged := "<think>\nabc</think>\n\nANSWER"
	var runes []emulator.Step
	for _, r := range tagged {
		runes = append(runes, emulator.C(string(r)))
	}
	field := emulator.Delta(`{"content":"","reasoning":"We think. "}`)
	silent := func(name string, shows []string, steps ...emulator.Step) mishap {
		return mishap{name: name, steps: steps, shows: shows, errs: "no answer text"}
	}
	playAll(t, []mishap{
		{name: "with a call", model: "deep-think", steps: look, shows: []string{"∴ thought", "⚙ read"}, left: calling("", reasoned("I should look. Calling."), `c1 read {"path":"a"}`), errs: "tools are not run here"},
		{name: "under another name", model: "GLM-5.3", steps: []emulator.Step{field, field, emulator.T(0, "c1", "read", "{}"), emulator.F("tool_calls"), emulator.D},
			shows: []string{"∴ thought", "⚙ read"}, left: calling("", `,"reasoning":"We think. We think. "`, `c1 read {}`), errs: "tools are not run here"},
		{name: "stopped", steps: []emulator.Step{emulator.R("hmm "), emulator.R("let me"), emulator.Hang}, until: "hmm let me", keys: "\x1b", shows: []string{"∴ thought", "Stopped."}},
		silent("alone", []string{"∴ thought", noText}, whole(emulator.R("the answer is 4"))...),
		silent("none and no text", []string{noText}, whole(emulator.C(""))...),
		{name: "all tokens went into it", steps: []emulator.Step{emulator.R(strings.Repeat("x", 2000)), emulator.F("length"), emulator.U, emulator.D},
			shows: []string{"∴ thought", "▲ The token limit was reached before the answer began."}, errs: "the most tokens", code: 3},
		{name: "none, and no tokens were left", steps: []emulator.Step{emulator.C(""), emulator.F("length"), emulator.D},
			shows: []string{"▲ The token limit was reached before the answer began."}, errs: "the most tokens", code: 3},
		{name: "the answer was cut", steps: []emulator.Step{emulator.C("half a sent"), emulator.F("length"), emulator.D},
			shows: []string{"half a sent", "▲ The token limit was reached: the answer is cut short."}, left: answering("half a sent"), out: "half a sent\n", errs: "the most tokens", code: 3},
		{name: "tags a character at a time", steps: whole(runes...), shows: []string{"∴ thought", "ANSWER"}, lacks: "think>", left: answering("ANSWER"), out: "ANSWER\n"},
		{name: "tags in two pieces", steps: whole(emulator.C(tagged[:3]), emulator.C(tagged[3:15]), emulator.C(tagged[15:])), shows: []string{"∴ thought", "ANSWER"}, lacks: "think>", left: answering("ANSWER"), out: "ANSWER\n"},
		{name: "by turns with text", steps: whole(emulator.C(""), emulator.Delta(`{"content":null}`), emulator.R("x"), emulator.C("yes "), emulator.R("z"), emulator.C("we can")),
			shows: []string{"∴ thought", "yes", "we can"}, left: answering("yes we can"), out: "yes we can\n"},
	})
}
