package ui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

// clip is a clipboard that remembers.
type clip struct {
	mu   sync.Mutex
	text string
	err  error
}

func (c *clip) copy(text string) (raw, how string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = text
	return "\x1b]52;" + fmt.Sprint(len(text)) + "\a", "clipboard + OSC 52", c.err
}

func (c *clip) has(t *testing.T, want string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.text != want {
		t.Errorf("copied %q\nwant %q", c.text, want)
	}
}

// reading is a driver with an answer on the screen and a clipboard.
func reading(t *testing.T, answer, sign string) (*driver, *bench, *clip) {
	t.Helper()
	b, c := newBench(t, ""), &clip{}
	b.deps.Copy = c.copy
	d := newDriver(t, b.deps, 100, 40)
	d.asksFor(b, answer, sign)
	return d, b, c
}

// does runs what tells its end in a toast, and waits for that.
func (d *driver) does(run func(), says string) {
	d.t.Helper()
	before := d.m.toast.id
	run()
	d.wait(fmt.Sprintf("the toast %q", says), func() bool { return d.m.toast.id != before && strings.Contains(d.m.toast.text, says) })
}

// toldClipboard tells whether the terminal was sent what it is to copy.
func (d *driver) toldClipboard() bool {
	return slices.ContainsFunc(d.raw, func(s string) bool { return strings.Contains(s, "]52;") })
}

func (d *driver) command(text, says string) {
	d.t.Helper()
	d.does(func() { d.asks(text) }, says)
}

func (d *driver) strikes(says string, names ...string) {
	d.t.Helper()
	d.does(func() { d.keys(names...) }, says)
}

const pythonCode = "def hours(temp_c, rye):\n    # bulk fermentation estimate\n    return 5 - 0.25 * (temp_c - 22) - 2 * rye"

func TestWhatIsCopiedOfAnAnswerIsItsSource(t *testing.T) {
	data, err := os.ReadFile("markdown/testdata/answer.md")
	if err != nil {
		t.Fatal(err)
	}
	answer := string(data)
	d, _, c := reading(t, answer, "日本語の長い文章")
	d.strikes(fmt.Sprintf("answer, %d lines → clipboard + OSC 52", lineCount(answer)), "alt+y")
	c.has(t, answer) // the last newline too
	d.wait("OSC 52", d.toldClipboard)
	for _, tt := range []struct{ command, says, want string }{
		{"/copy", "answer, ", answer},
		{"/copy 1", "code block 1, 3 lines →", pythonCode},
		{"/copy code", "code block 1, the only one, 3 lines →", pythonCode},
		{"/copy table", "table, 3 rows →", "temp °C\thours\tnote\n20\t6.5\tovernight in a cold kitchen works too\n24\t4.6\t漢字 emoji 👩‍🍳 ok"},
		{"/copy csv", "table as CSV, 3 rows →", "temp °C,hours,note\n20,6.5,overnight in a cold kitchen works too\n24,4.6,漢字 emoji 👩‍🍳 ok"},
		{"/copy turn", "question and answer, ", "## User\n\ngo\n\n## Assistant\n\n" + strings.TrimRight(answer, "\n")},
		{"/copy all", "chat, ", "# go\n\n## User\n\ngo\n\n## Assistant\n\n" + strings.TrimRight(answer, "\n")},
	} {
		d.command(tt.command, tt.says)
		c.has(t, tt.want)
	}
}

func TestAWrongNumberSaysHowManyThereAre(t *testing.T) {
	d, b, _ := reading(t, "Just words.", "Just words.")
	for command, says := range map[string]string{
		"/copy 1": "the last answer has no code block", "/copy table": "the last answer has no table", "/open": "the last answer has no link",
		"/cop 9": "the last answer has no code block", "/copy x": "/copy takes nothing, the number", "/copy turn 2": "/copy takes nothing",
	} {
		d.command(command, says)
	}
	d.command("/copy code", "there is no code block in this chat")
	d.asksFor(b, "```go\na\n```\n\n    b\n\n- x\n\n  ```sh\n  c\n  ```\n\n[l](https://a.example)\n\n|h|\n|-|\n|d|\n", "sh · copy 3")
	for command, says := range map[string]string{
		"/copy 0": "the last answer has 3 code blocks: /copy 1 to 3", "/copy 4": "the last answer has 3 code blocks: /copy 1 to 3",
		"/copy table 2": "the last answer has 1 table: /copy table 1", "/open 3": "the last answer has 1 link: /open 1",
	} {
		d.command(command, says)
	}
}

func TestTheNumberOnTheScreenIsTheNumberToCopy(t *testing.T) {
	d, _, c := reading(t, "```go\na\n```\n\n    b\n\n- x\n\n  ```sh\n  c\n   d\n  ```\n", "sh · copy 3")
	d.sees("go · copy 1")
	for i, want := range []string{"a", "b", "c\n d"} {
		d.command(fmt.Sprintf("/copy %d", i+1), fmt.Sprintf("code block %d, %s →", i+1, plural(lineCount(want), "line")))
		c.has(t, want)
	}
}

func TestCodeIsNumberedThroughAMessageThatReasoningInterrupts(t *testing.T) {
	tr := newTranscript(&scene{})
	a := &session.Message{ID: "a", Role: api.RoleAssistant, Parts: []session.Part{
		{Kind: session.PartText, Text: "```\none\n```"}, {Kind: session.PartReasoning, Text: "```\nno\n```"},
		{Kind: session.PartText, Text: "more\n\n```py\r\ntwo\r\n```"}, {Kind: session.PartRefusal, Text: "~~~\nthree"}}}
	var got []string
	for _, b := range tr.codeBlocks(a) {
		got = append(got, fmt.Sprintf("%d %s %q", b.number, b.lang, b.clip()))
	}
	if s := strings.Join(got, ", "); s != `1  "one", 2 py "two", 3  "three"` {
		t.Error(s)
	}
	for i, want := range []int{0, 1, 2, 3} {
		if n := codesBefore(tr.texts(a), i); n != want {
			t.Errorf("%d before text %d, want %d", n, i, want)
		}
	}
	if s := tr.sourceOf(a); s != "```\none\n```\n\nmore\n\n```py\r\ntwo\r\n```\n\n~~~\nthree" {
		t.Errorf("%q", s)
	}
}

func TestWhatHasArrivedSoFarIsCopied(t *testing.T) {
	b, c := newBench(t, ""), &clip{}
	b.deps.Copy = c.copy
	b.server.Script(emulator.Stream(emulator.C("so **far**\n\n```\nx\n"), emulator.Hang))
	d := newDriver(t, b.deps, 100, 30)
	d.asks("go")
	d.sees("so far")
	d.sees("copy 1")
	d.strikes("answer, 4 lines →", "alt+y")
	c.has(t, "so **far**\n\n```\nx\n")
	d.command("/copy 1", "code block 1, 1 line →")
	c.has(t, "x")
	d.keys("esc")
	d.idle()
}

func TestACodeBlockThatGrowsUnderThePickerIsCopiedWhole(t *testing.T) {
	b, c := newBench(t, ""), &clip{}
	b.deps.Copy = c.copy
	more := make(chan struct{})
	b.server.Script(emulator.Stream(emulator.C("```\nx\n```\n\n```sh\none\n"), emulator.Wait(more), emulator.C("two\n```\n"), emulator.F("stop"), emulator.U, emulator.D))
	d := newDriver(t, b.deps, 100, 30)
	d.asks("go")
	d.sees("copy 2")
	d.sees("one")
	d.keys("alt+c")
	d.sees("1 line · one")
	close(more)
	d.idle()
	d.strikes("code block 2, 2 lines →", "enter")
	c.has(t, "one\ntwo")
}

func TestOddLineEndsAreNewlinesOnTheClipboard(t *testing.T) {
	d, _, c := reading(t, "one\r\ntwo\rthree\r\n\r\n```sh\r\nls  \r\n```\r\n", "copy 1")
	d.strikes("answer, 7 lines →", "alt+y")
	c.has(t, "one\ntwo\nthree\n\n```sh\nls  \n```\n")
	d.command("/copy 1", "code block 1, 1 line →")
	c.has(t, "ls  ")
}

func TestACopyThatFailedIsNoCopy(t *testing.T) {
	d, _, c := reading(t, "Words.", "Words.")
	c.err = fmt.Errorf("nothing takes it")
	d.strikes("not copied: nothing takes it", "alt+y")
	if d.toldClipboard() {
		t.Errorf("the terminal is told %q", d.raw)
	}
	d.strikes("not copied", "tab", "up", "y")
	c.has(t, "go")
}

func TestTheFocusedMessageIsCopied(t *testing.T) {
	d, b, c := reading(t, "First *answer*.", "First answer.")
	d.asksFor(b, "Second.", "Second.")
	d.strikes("answer, 1 line →", "tab", "up", "up", "y")
	c.has(t, "First *answer*.")
	d.strikes("message, 1 line →", "up", "y")
	c.has(t, "go")
	d.keys("tab")
	d.command("/copy", "answer, 1 line →")
	c.has(t, "Second.")
}

func TestTablesAreValuesASpreadsheetTakes(t *testing.T) {
	rows := [][]string{{"a", "b,c"}, {"x\ty", "line 1\nline 2"}, {`say "hi"`, ""}}
	if got := tsvText(rows); got != "a\tb,c\nx y\tline 1 line 2\nsay \"hi\"\t" {
		t.Errorf("%q", got)
	}
	if got := csvText(rows); got != "a,\"b,c\"\nx\ty,\"line 1\nline 2\"\n\"say \"\"hi\"\"\"," {
		t.Errorf("%q", got)
	}
	d, _, c := reading(t, "| a |\n|---|\n| 1 |\n\nand\n\n| b | c |\n|---|---|\n| **2** | `x` |\n\nThe end.", "The end.")
	d.command("/copy table 2", "table 2 of 2, 2 rows →")
	c.has(t, "b\tc\n2\tx")
	d.command("/copy csv", "table 1 of 2 as CSV, 2 rows →")
	c.has(t, "a\n1")
}

func TestAChatIsCopiedWithTheReasoningThatIsShown(t *testing.T) {
	b, c := newBench(t, ""), &clip{}
	b.deps.Copy = c.copy
	b.server.Script(emulator.Stream(emulator.R("Hm.\n\nYes."), emulator.C("```\nhalfway"), emulator.F("stop"), emulator.U, emulator.D), answered("Second."))
	d := newDriver(t, b.deps, 100, 40)
	d.command("/system Be brief.", "system prompt")
	d.wait("the toast to go", func() bool { return d.m.toast.text == "" })
	d.asks("go")
	d.sees("halfway")
	d.idle()
	d.asks("again")
	d.sees("Second.")
	d.idle()
	d.command("/copy all", "chat, ")
	want := "# go\n\n## System\n\nBe brief.\n\n## User\n\ngo\n\n## Assistant\n\n%s```\nhalfway\n```\n\n## User\n\nagain\n\n## Assistant\n\nSecond."
	c.has(t, fmt.Sprintf(want, ""))
	d.strikes("reasoning: tail", "ctrl+t")
	d.command("/copy all", "chat, ")
	c.has(t, fmt.Sprintf(want, "> **Reasoning**\n>\n> Hm.\n>\n> Yes.\n\n"))
	d.keys("ctrl+t", "ctrl+t")
	d.keys("tab", "up", "up")
	d.keys("space") // the focused answer's alone
	d.keys("ctrl+p")
	d.types("copy turn")
	d.keys("enter")
	d.sees("question and answer, ")
	c.has(t, "## User\n\ngo\n\n## Assistant\n\n> **Reasoning**\n>\n> Hm.\n>\n> Yes.\n\n```\nhalfway\n```")
}

func TestAChatIsCopiedWithWhatIsNotReadYet(t *testing.T) {
	b, c := newBench(t, ""), &clip{}
	b.deps.Copy = c.copy
	d := newDriver(t, b.deps, 100, 40)
	d.asksFor(b, "First.", "First.")
	d.asksFor(b, "Second.", "Second.")
	tr := d.m.chat.transcript
	var last []session.Message
	for _, a := range tr.messages[2:] {
		last = append(last, *a)
	}
	tr.load(last)
	d.command("/copy all", "chat, 17 lines →")
	c.has(t, "# go\n\n## User\n\ngo\n\n## Assistant\n\nFirst.\n\n## User\n\ngo\n\n## Assistant\n\nSecond.")
}

func TestToolCallsAreWrittenAsCode(t *testing.T) {
	got := chatMarkdown([]passage{
		{"a", api.RoleAssistant, session.PartText, "", "Let me see.\n"},
		{"a", api.RoleAssistant, session.PartToolCall, "calculate", `{"expression":"1+1"}`},
		{"b", api.RoleTool, session.PartToolResult, "calculate", "a ``` b\n"},
		{"c", api.RoleAssistant, session.PartText, "", "  \n"},
	})
	if want := "## Assistant\n\nLet me see.\n\nTool call: calculate\n\n```json\n{\"expression\":\"1+1\"}\n```\n\n## Tool\n\n````\na ``` b\n````"; got != want {
		t.Errorf("%q", got)
	}
}

func TestACodeBlockThatATextLeavesOpenIsClosed(t *testing.T) {
	for in, want := range map[string]string{
		"a\n":                     "a",
		"```\na":                  "```\na\n```",
		"````py\na\n```\n":        "````py\na\n```\n````",
		"~~~\na\n```":             "~~~\na\n```\n~~~",
		"```\na\n```\nb":          "```\na\n```\nb",
		"    ```\na":              "    ```\na",
		"``` not `a fence":        "``` not `a fence",
		"```\r\na\r\n``` not\r\n": "```\na\n``` not\n```",
	} {
		if got := section(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func FuzzCopyingNeverLosesOrAddsText(f *testing.F) {
	for _, s := range []string{"", "a", "```go\nx\n```", "|a|\n|-|\n|b|", "    x\n\ty", "\r\n", "~~~", "- ```\n  x\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tr := newTranscript(&scene{})
		a := &session.Message{ID: "a", Role: api.RoleAssistant, Parts: []session.Part{{Kind: session.PartText, Text: text}}}
		if tr.sourceOf(a) != text {
			t.Fatalf("%q", tr.sourceOf(a))
		}
		source := lineEnds(text)
		for i, b := range tr.codeBlocks(a) {
			if b.number != i+1 || strings.Contains(b.text, "\r") {
				t.Fatalf("%+v", b)
			}
			for line := range strings.Lines(b.text) {
				if bare := strings.TrimSpace(line); bare != "" && !strings.Contains(source, bare) && !strings.ContainsAny(text, "\x00\t") {
					t.Fatalf("%q is not in %q", bare, source)
				}
			}
		}
		for _, rows := range tr.tables(a) {
			if n := strings.Count(tsvText(rows), "\n") + 1; n != len(rows) {
				t.Fatalf("%d lines for %d rows", n, len(rows))
			}
		}
	})
}
