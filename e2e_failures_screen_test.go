//go:build unix

package main

import (
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"waferchat/api/emulator"
)

// refusal is a message that gets no answer, so that it comes back into the
// composer.
type refusal struct {
	name    string
	config  string // "" retries as by default
	replies []emulator.Reply
	until   string // with this on the screen,
	keys    string // these keys are typed; then print mode is not tried
	shows   []string
	errs    string // part of what print mode tells
}

func (r refusal) play(t *testing.T) {
	t.Parallel()
	s := strictServer(t)
	h := userOf(t, s, "GLM-5.3")
	h.config(r.config)
	s.Script(r.replies...)
	s.Script(answer("fine again"), answer("still fine"))
	term := h.start(100, 30)
	settled(term)
	term.Send("question one\r")
	if r.keys != "" {
		term.WaitFor(r.until, long)
		term.Send(r.keys)
	}
	settled(term, append([]string{"❯ question one"}, r.shows...)...)
	if all := bodies(s); len(all) != len(r.replies) {
		t.Errorf("%d requests, want %d", len(all), len(r.replies))
	}
	if screen := term.Text(); len(strings.TrimSpace(screen)) > 1000 || strings.Contains(screen, "<p>") {
		t.Errorf("the server's page is on the screen:\n%s", screen)
	}
	term.Send("\r")
	settled(term, "▌ question one", "fine again")
	leave(t, term)
	term = h.start(100, 30, "-c")
	settled(term, "▌ question one", "fine again")
	if strings.Count(term.Text(), "▌ question one") != 1 {
		t.Errorf("the question is there twice:\n%s", term.Text())
	}
	term.Send("question two\r")
	settled(term, "still fine")
	all := bodies(s)
	n := len(all)
	if got, want := messages(t, all[n-2]), "["+asking("question one")+"]"; got != want {
		t.Errorf("the message was sent again as %s, want %s", got, want)
	}
	if want := goOn(all[n-2], "question one", "fine again", "question two"); all[n-1] != want {
		t.Errorf("the next request is\n%s\nwant\n%s", all[n-1], want)
	}
	if r.keys == "" {
		h := userOf(t, s, "GLM-5.3")
		h.config(r.config)
		s.Script(r.replies...)
		if out, errs, code := h.run("", "-p", "question one"); out != "" || code != 1 && code != 3 || !strings.Contains(errs, r.errs) || len(errs) > 800 || strings.Contains(errs, "<p>") {
			t.Errorf("print mode gave %q, %q, code %d; want %q", out, errs, code, r.errs)
		}
		if sent := len(bodies(s)) - n; sent != len(r.replies) {
			t.Errorf("print mode sent %d requests, want %d", sent, len(r.replies))
		}
	}
}

func TestARefusedMessageComesBackOnceAndGoesOutAgain(t *testing.T) {
	const never = "max_retries = 0\n"
	page := "<!doctype html><html><title>Sign in</title>" + strings.Repeat("<p>much text</p>", 3000) + "</html>"
	one := func(r emulator.Reply) []emulator.Reply { return []emulator.Reply{r} }
	json := func(status int, body string) []emulator.Reply {
		return one(emulator.Body(status, "application/json", body))
	}
	tooLong := []string{"✖ The chat is too long for this model", "Start a new chat"}
	for _, r := range []refusal{
		{name: "a page for an answer", replies: one(emulator.Body(200, "text/html", page)), shows: []string{"✖ A web page answered instead of the API"}, errs: "A web page answered"},
		{name: "a page as a stream", replies: one(emulator.Stream(emulator.Raw("\n\n\n" + page))), shows: []string{"✖ A web page answered instead of the API"}, errs: "A web page answered"},
		{name: "a page of a gateway", config: never, replies: one(emulator.Body(502, "text/html", page)), shows: []string{"✖ The server is not available just now", "(502)"}, errs: "(502)"},
		{name: "a page that forbids", replies: one(emulator.Body(403, "text/html", page)), shows: []string{"✖ A web page answered", "(403)"}, errs: "(403)"},
		{name: "no balance", replies: json(402, `{"error":{"message":"Insufficient Balance"}}`), shows: []string{"✖ There is no credit left", "“Insufficient Balance”"}, errs: "Insufficient Balance"},
		{name: "no quota", replies: json(429, `{"error":{"code":"insufficient_quota","message":"quota used up"}}`), shows: []string{"✖ There is no credit left", "“quota used up”"}, errs: "quota used up"},
		{name: "a wait of an hour", replies: one(emulator.RetryAfter(3600)), shows: []string{"✖ The server limits how often", "asks to wait 1 h"}, errs: "asks to wait 1 h"},
		{name: "too long by code", replies: json(400, `{"error":{"code":"context_length_exceeded","message":"maximum context is 8192 tokens, you sent 9000"}}`), shows: tooLong, errs: "too long"},
		{name: "too long by words", replies: json(400, `{"error":{"message":"prompt is too long"}}`), shows: tooLong, errs: "too long"},
		{name: "too long, flat", replies: json(400, `{"object":"error","message":"Input length exceeds","code":400}`), shows: tooLong, errs: "too long"},
		{name: "too long in a stream", replies: one(emulator.Stream(emulator.ErrFrame(400, "context_length_exceeded", "too long"))), shows: tooLong, errs: "too long"},
		{name: "overloaded to the end", config: "max_retries = 2\n", replies: []emulator.Reply{now(503), now(529), now(500)}, shows: []string{"✖ The server failed to answer (500"}, errs: "failed to answer"},
		{name: "nothing at all", config: never, replies: one(emulator.Stream(emulator.EOF)), shows: []string{"✖ " + endedEarly}, errs: endedEarly},
		{name: "nothing but an error", config: never, replies: one(emulator.Stream(emulator.ErrFrame(503, "overloaded", "too many cooks"), emulator.D)), shows: []string{"✖ The server is overloaded", "too many cooks"}, errs: "too many cooks"},
		{name: "stopped before the first word", replies: one(emulator.Stream(emulator.Hang)), until: "waiting for the first token", keys: "\x1b"},
		{name: "stopped while it counts down", replies: one(emulator.RetryAfter(9)), until: "try 2 of 4 in ", keys: "\x1b"},
	} {
		t.Run(r.name, r.play)
	}
}

// now is a failure of a server that may be asked again at once.
func now(status int) emulator.Reply {
	return emulator.Err(status, "", "not now").With("Retry-After", "0")
}

func TestAServerThatRecoversIsAskedAgainAndAnswersOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		reply  emulator.Reply
		saying string
	}{
		{"overloaded", now(503), "overloaded"},
		{"overloaded in its own way", now(529), "overloaded"},
		{"a rate limit", emulator.Err(429, "", "Quota exceeded: 100 requests/minute").With("Retry-After-Ms", "1"), "limits how often"},
		{"a reset before the first word", emulator.Stream(emulator.RST), "broke"},
		{"an error before the first word", emulator.Stream(emulator.ErrFrame(500, "server_error", "broke down")), "Trying again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := strictServer(t)
			s.Script(c.reply, answer("One two three"), answer("fine again"), c.reply, answer("One two three"))
			h := waferHome(t, s)
			term := h.start(100, 30)
			settled(term)
			term.Send("question one\r")
			settled(term, "One two three")
			term.Send("question two\r")
			settled(term, "fine again")
			if screen := term.Text(); strings.Count(screen, "One two") != 1 || strings.Contains(screen, "✖") {
				t.Errorf("the screen:\n%s", screen)
			}
			all := bodies(s)
			if len(all) != 3 || all[1] != all[0] || all[2] != goOn(all[0], "question one", "One two three", "question two") {
				t.Errorf("asked %q", all)
			}
			out, errs, code := waferHome(t, s).run("", "-p", "question one")
			if out != "One two three\n" || code != 0 || !strings.Contains(errs, c.saying) {
				t.Errorf("print mode gave %q, %q, code %d", out, errs, code)
			}
		})
	}
}

func TestAnAnswerThatBrokeOffIsAskedForAgainByHandAndNotDoubled(t *testing.T) {
	s := strictServer(t)
	h := waferHome(t, s)
	s.Script(emulator.Stream(emulator.R("thinking A"), emulator.C("One two "), emulator.T(0, "c1", "shell", `{"cmd":"touch x"}`), emulator.RST))
	term := h.start(100, 30)
	settled(term)
	term.Send("question one\r")
	settled(term, "One two", "⚙ shell", "broke before the answer was complete", "Alt+R answers again")
	if n := len(bodies(s)); n != 1 {
		t.Fatalf("%d requests before anybody asked again", n)
	}
	s.Script(emulator.Stream(whole(emulator.R("thinking B"), emulator.C("One two three"))...), answer("fine again"))
	term.Send("\x1br")
	settled(term, "One two three")
	for range 2 {
		if screen := term.Text(); strings.Count(screen, "One two") != 1 || strings.Contains(screen, "⚙") || strings.Count(screen, "thought") != 1 {
			t.Errorf("the screen:\n%s", screen)
		}
		leave(t, term)
		term = h.start(100, 30, "-c")
		settled(term, "One two three")
	}
	term.Send("question two\r")
	settled(term, "fine again")
	all := bodies(s)
	if len(all) != 3 || all[1] != all[0] || all[2] != goOn(all[0], "question one", "One two three", "question two") {
		t.Errorf("asked %q", all)
	}
}

func TestAFieldThatTheModelRefusesIsLeftOutFromThenOn(t *testing.T) {
	for field, refused := range map[string]emulator.Reply{
		"reasoning_effort": emulator.Err(400, "unsupported_parameter", "Unsupported parameter: 'reasoning_effort' is not supported with this model."),
		"stream_options":   emulator.Body(422, "application/json", `{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted"}]}`),
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			s := strictServer(t)
			h := userOf(t, s, "GLM-5.3")
			h.config("effort = \"low\"\n")
			s.Script(refused, answer("it works"), answer("fine again"), answer("it works"))
			term := h.start(100, 30)
			settled(term)
			term.Send("question one\r")
			settled(term, "it works")
			term.Send("question two\r")
			settled(term, "fine again")
			all := bodies(s)
			if len(all) != 3 || !strings.Contains(all[0], `"`+field+`"`) || strings.Contains(all[1]+all[2], `"`+field+`"`) ||
				messages(t, all[1]) != messages(t, all[0]) || all[2] != goOn(all[1], "question one", "it works", "question two") {
				t.Errorf("asked %q", all)
			}
			leave(t, term)
			out, errs, code := h.run("", "-p", "question three")
			told := field != "reasoning_effort" || strings.Contains(errs, "refused it before") // what the user never asked for needs no word
			if out != "it works\n" || code != 0 || !told || len(bodies(s)) != 4 {
				t.Errorf("print mode gave %q, %q, code %d, %d requests", out, errs, code, len(bodies(s)))
			}
		})
	}
}

// hostile are texts that would do something to a terminal.
func hostile() []string {
	return []string{"a\x1b]0;PWNED\ab", "a\x1b]52;c;cHduZWQ=\ab", "\x1b]8;;http://evil/\x1b\\ok\x1b]8;;\x1b\\", "\x1b[2J\x1b[H", "\x1b[31m",
		"\u009b31m", "\x1bc", "\x1b[6n", "\x1bP+q544e\x1b\\", "x\rEVIL", "\a\a", "\u200f\u202etxt"}
}

func TestNothingOfAServerCommandsTheTerminal(t *testing.T) {
	for i, text := range hostile() {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			t.Parallel()
			s := strictServer(t)
			s.ScriptModels(emulator.Body(200, "application/json", `{"object":"list","data":[{"id":"GLM-5.3"},{"id":`+plain("m"+text)+`}]}`))
			half := len(text) / 2
			for text[half]&0xc0 == 0x80 {
				half--
			}
			s.Script(emulator.Stream(emulator.R(text), emulator.C(text+" "), emulator.C(text[:half]), emulator.C(text[half:]), emulator.T(0, "a"+text, "f"+text, plain(map[string]string{"k": text})), emulator.F(text), emulator.D),
				emulator.Stream(emulator.C("half"), emulator.ErrFrame(500, text, text), emulator.D), answer("fine again"))
			h := userOf(t, s, "GLM-5.3")
			h.config("max_retries = 0\nreasoning = \"full\"\n")
			term := h.start(100, 30)
			settled(term)
			term.Send("question one\r")
			settled(term, "⚙ f")
			term.Send("question two\r")
			settled(term, "half", "✖ The server")
			term.Send("\x1bm") // Alt+M: the models
			term.WaitFor("┌ Model ", long)
			term.WaitFor("2 models", long)
			term.Send("\x1b")
			term.WaitGone("┌ Model ", long)
			term.Send("question three\r")
			settled(term, "fine again")
			raw := string(term.Raw())
			for _, piece := range []string{text, "\x1b]0;PWNED", "\x1b]52;c;cHduZWQ=", "http://evil/\x1b", "\x1b[6n", "\u009b"} {
				if strings.Contains(raw, piece) {
					t.Errorf("%q reached the terminal", piece)
				}
			}
			if term.Clipboard() != "" || strings.Contains(term.Title(), "PWNED") {
				t.Errorf("clipboard %q, title %q", term.Clipboard(), term.Title())
			}
			if left := h.show(); i == 0 && left[1].Text != text+" "+text {
				t.Errorf("stored is %q", left[1].Text)
			}
		})
	}
}

func TestAListOfModelsThatIsBrokenKeepsNobodyFromChatting(t *testing.T) {
	for name, reply := range map[string]emulator.Reply{
		"failing": emulator.Err(500, "", "no list"), "a page": emulator.Body(200, "text/html", "<!doctype html><title>login</title>"),
		"null": emulator.Body(200, "application/json", `{"data":null}`), "odd cards": emulator.Body(200, "application/json", `{"data":[{"id":""},{},null,7]}`),
		"silent": emulator.Stream(emulator.Hang), "broken off": emulator.Body(200, "application/json", `{"data":[{"id":"GL`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := strictServer(t)
			s.ScriptModels(reply, reply)
			s.Script(answer("fine again"), answer("still fine"))
			h := userOf(t, s, "my-own-model")
			term := h.start(100, 30)
			settled(term, "my-own-model")
			term.Send("question one\r")
			settled(term, "fine again")
			leave(t, term)
			term = h.start(100, 30, "-c")
			settled(term, "fine again")
			term.Send("question two\r")
			settled(term, "still fine")
			if all := bodies(s); len(all) != 2 || all[1] != goOn(all[0], "question one", "fine again", "question two") {
				t.Errorf("asked %q", all)
			}
		})
	}
}

func TestAServerOfAnotherKindIsNamedAndTheMessageComesBack(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("SSH-2.0-OpenSSH_9.9\r\n"))
			t.Cleanup(func() { _ = c.Close() })
		}
	}()
	for url, says := range map[string]string{
		"http://" + l.Addr().String() + "/v1":  "does not speak HTTP",
		"https://" + l.Addr().String() + "/v1": "does not speak TLS",
	} {
		h := newHome(t, "WAFER_API_KEY="+secret, "WAFER_BASE_URL="+url, "WAFER_MODEL=GLM-5.3")
		term := h.start(100, 30)
		settled(term)
		term.Send("question one\r")
		settled(term, l.Addr().String(), says, "❯ question one")
		if out, errs, code := h.run("", "-p", "question one"); out != "" || code != 1 || !strings.Contains(errs, says) {
			t.Errorf("print mode gave %q, %q, code %d", out, errs, code)
		}
	}
}

func TestPathsThatAreNoPicturesGoOutAsTheyWerePasted(t *testing.T) {
	s := strictServer(t)
	h := userOf(t, s, "GLM-5.3")
	term := h.start(100, 30)
	settled(term)
	for i, text := range []string{"/etc/passwd", `C:\Users\x y\p.png`, "/nope/Screen\\ Shot\\ 1.png", "'/nope/a b.png'", "file:///nope/a%20b.png", "is /nope/x.png a picture?"} {
		s.Script(answer(fmt.Sprintf("answer %d", i)))
		term.Paste(text)
		term.WaitFor("❯ "+text, long)
		term.Send("\r")
		settled(term, fmt.Sprintf("answer %d", i))
		all := bodies(s)
		if got := messages(t, all[len(all)-1]); len(all) != i+1 || !strings.HasSuffix(got, asking(text)+"]") {
			t.Errorf("sent %s, want %s", got, text)
		}
	}
}

func TestACallThatTheProgramDidNotOutliveIsSettled(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := strictServer(t)
			h := userOf(t, s, "deep-think")
			s.Script(emulator.Stream(emulator.R("I must look."), emulator.T(0, "c1", "shell", `{"cmd":"sleep 60"}`), emulator.T(1, "c2", "shell", `{"cmd":"sle`), emulator.Hang),
				answer("fine again"), answer("still fine"))
			term := h.start(100, 30)
			settled(term)
			term.Send("question one\r")
			term.WaitFor(`⚙ shell  {"cmd":"sle`, long)
			eventually(t, "flush", func() bool { return strings.Contains(h.rows()["chunks"], `{"cmd":"sle'`) })
			term.Signal(sig)
			term.Wait(long)
			want := "[" + asking("question one") + "," + calling("", reasoned("I must look."), `c1 shell {"cmd":"sleep 60"}`, `c2 shell {"_raw":"{\"cmd\":\"sle"}`) + "," + asking("question two") + "]"
			next := []string{"question two", "question three"}
			for i, got := range []string{"fine again", "still fine"} {
				term = h.start(100, 30, "-c")
				settled(term, "∴ thought", "⚙ shell")
				term.Send(next[i] + "\r")
				settled(term, got)
				leave(t, term)
			}
			all := bodies(s)
			if got := messages(t, all[1]); len(all) != 3 || got != want {
				t.Errorf("%d requests, the second has\n%s\nwant\n%s", len(all), got, want)
			}
			if all[2] != goOn(all[1], "question two", "fine again", "question three") {
				t.Errorf("then it was %s", all[2])
			}
		})
	}
}

func TestAThinkingModelThatDidNotThinkThisTimeGetsEmptyReasoningBack(t *testing.T) {
	s := strictServer(t)
	s.Script(emulator.Stream(whole(emulator.R("I think."), emulator.C("so I am"))...),
		emulator.Stream(emulator.T(0, "c1", "read", "{}"), emulator.F("tool_calls"), emulator.D), answer("fine again"))
	term := userOf(t, s, "deep-think").start(100, 30)
	settled(term)
	term.Send("question one\r")
	settled(term, "so I am")
	term.Send("question two\r")
	settled(term, "⚙ read")
	term.Send("question three\r")
	settled(term, "fine again")
	want := "[" + strings.Join([]string{asking("question one"), answering("so I am"), asking("question two"), calling("", reasoned(""), "c1 read {}"), asking("question three")}, ",") + "]"
	if all := bodies(s); messages(t, all[2]) != want {
		t.Errorf("sent %s, want %s", all[2], want)
	}
}

func TestAModelThatWantsReasoningBackGetsItAlsoWhenItNeverThought(t *testing.T) {
	s := strictServer(t)
	s.Script(emulator.Stream(emulator.T(0, "c1", "read", "{}"), emulator.F("tool_calls"), emulator.D), answer("fine again"))
	h := userOf(t, s, "deep-think")
	h.config("max_retries = 1\n") // 0 is for those who want one request and no other
	if _, errs, code := h.run("", "-p", "question one"); code != 0 {
		t.Fatal(errs)
	}
	out, errs, code := h.run("", "-p", "-c", "question two")
	if out != "fine again\n" || code != 0 {
		t.Errorf("%q, %q, code %d", out, errs, code)
	}
	all := bodies(s)
	if want := "[" + asking("question one") + "," + calling("", reasoned(""), "c1 read {}") + "," + asking("question two") + "]"; messages(t, all[len(all)-1]) != want {
		t.Errorf("sent %s, want %s", all[len(all)-1], want)
	}
}

func TestPrintModeSaysThatAnAnswerOfBlanksHasNoText(t *testing.T) {
	s := strictServer(t)
	s.Script(answer("   \n"))
	out, errs, code := waferHome(t, s).run("", "-p", "question one")
	if strings.TrimSpace(out) != "" || code != 0 || !strings.Contains(errs, "no answer text") {
		t.Errorf("%q, %q, code %d", out, errs, code)
	}
}
