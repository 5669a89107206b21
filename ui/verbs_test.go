package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/session"
)

const twoBlocks = "One:\n\n```python\nprint(1)\nprint(2)\n```\n\nTwo:\n\n```sh\nls -l\n```\n"

func TestThePickerShowsTheCodeBlocksAndCopiesOne(t *testing.T) {
	d, b, c := reading(t, twoBlocks, "sh · copy 2")
	d.asksFor(b, "```go\nx := 1\n```\n", "go · copy 1")
	d.keys("alt+c")
	d.sees("Code blocks of the chat")
	var order []string
	for _, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, "│") && strings.Contains(line, " line") && !strings.Contains(line, "number,") {
			order = append(order, strings.Join(strings.Fields(strings.ReplaceAll(strings.Trim(line[strings.Index(line, "│"):], "│"), "▌", "")), " "))
		}
	}
	for i, want := range []string{"1 go 1 line · x := 1", "2 sh 1 line · ls -l", "1 python 2 lines · print(1)"} {
		if i >= len(order) || !strings.Contains(order[i], want) {
			t.Fatalf("row %d of %q is not %q on:\n%s", i, order, want, d.screen())
		}
	}
	d.sees("s save   e editor   p pipe")
	d.strikes("code block 1, 2 lines →", "down", "down", "enter")
	c.has(t, "print(1)\nprint(2)")
	d.keys("alt+c")
	d.sees("Code blocks of the chat")
	d.strikes("code block 2, 1 line →", "2", "enter")
	c.has(t, "ls -l")
	d.keys("alt+c", "/")
	d.types("print")
	d.never("ls -l")
	d.strikes("code block 1, 2 lines →", "enter")
	c.has(t, "print(1)\nprint(2)")
	d.keys("alt+c", "/")
	d.types("zzz")
	d.sees("nothing matches")
	d.keys("esc")
	d.sees("ls -l") // the filter is gone, the list is there
	d.keys("z", "esc")
	d.never("Code blocks of the chat")
}

func TestTheCodeOfTheFocusedMessageComesFirst(t *testing.T) {
	d, b, c := reading(t, twoBlocks, "sh · copy 2")
	d.asksFor(b, "```go\nx := 1\n```\n", "go · copy 1")
	d.asksFor(b, "No code.", "No code.")
	d.keys("tab", "up", "up")
	d.strikes("code block 1, the only one, 1 line →", "c")
	c.has(t, "x := 1")
	d.keys("up", "up", "c")
	d.sees("Code blocks of this answer")
	d.sees("2 blocks")
	d.keys("esc", "G", "c")
	d.sees("Code blocks of the chat") // the focused one has none
	d.sees("3 blocks")
}

func TestAQuoteGoesIntoTheDraft(t *testing.T) {
	d, _, _ := reading(t, "One *word*.\n\n  two  \n", "One word.")
	d.keys("tab", "q")
	d.wait("the draft", func() bool { return d.m.prompt.editor.Text() == "> One *word*.\n>\n>   two  \n\n" })
	if d.m.focus != paneComposer {
		t.Error("the composer has no focus")
	}
	d.types("Why?")
	d.keys("tab", "up", "q") // the question, below what is typed
	if got, want := d.m.prompt.editor.Text(), "> One *word*.\n>\n>   two  \n\nWhy?\n\n> go\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.keys("ctrl+c")
	d.asks("/quote")
	d.wait("the draft", func() bool { return strings.HasPrefix(d.m.prompt.editor.Text(), "> One") })
}

func TestALinkIsOpened(t *testing.T) {
	b, c := newBench(t, ""), &clip{}
	var opened []string
	var fault error
	b.deps.Copy = c.copy
	b.deps.Launch = func(link string) error { opened = append(opened, link); return fault }
	d := newDriver(t, b.deps, 100, 40)
	d.asksFor(b, "See [this](https://a.example/x?y=1) and [that](javascript:alert).", "See this")
	d.keys("tab")
	d.strikes("opening https://a.example/x?y=1", "o")
	d.keys("tab")
	d.asksFor(b, "Both [one](https://b.example), <mailto:me@c.example> and <ftp://d.example>.", "Both one")
	d.keys("tab", "G", "o")
	d.sees("Links")
	d.sees("mailto:me@c.example")
	d.never("ftp://d.example │")
	d.strikes("opening mailto:me@c.example", "down", "enter")
	d.keys("tab") // / finds in the conversation
	d.command("/open 1", "opening https://b.example")
	fault = errors.New("open: this is a remote machine (SSH)")
	d.command("/open 1", "not opened (open: this is a remote machine (SSH)): address → clipboard + OSC 52")
	c.has(t, "https://b.example")
	if want := []string{"https://a.example/x?y=1", "mailto:me@c.example", "https://b.example", "https://b.example"}; !slices.Equal(opened, want) {
		t.Errorf("opened %q", opened)
	}
}

func TestOnlyHarmlessLinksAreOffered(t *testing.T) {
	tr := newTranscript(&scene{})
	a := &session.Message{ID: "a", Role: api.RoleAssistant, Parts: []session.Part{{Kind: session.PartText,
		Text: "[a](HTTPS://a.example) [b](file:///etc/passwd) [c](javascript:x) [d](/x) [e](data:text/html,x) [f](http://b.example) [g](vscode://x) [h](mailto:x@y.example)"}}}
	var got []string
	for _, l := range tr.links(a) {
		got = append(got, l.Target)
	}
	if !slices.Equal(got, []string{"HTTPS://a.example", "http://b.example", "mailto:x@y.example"}) {
		t.Errorf("%q", got)
	}
}

// disk is a place for files that remembers.
type disk struct{ files map[string]string }

func (f *disk) save(name, text string, replace bool) (string, error) {
	if _, ok := f.files[name]; ok && !replace {
		return "/home/me/" + name, fmt.Errorf("save: %w", fs.ErrExist)
	}
	if strings.HasPrefix(name, "no/") {
		return name, errors.New("there is no directory no")
	}
	f.files[name] = text
	return "/home/me/" + name, nil
}

func TestSavingTellsWhereAndHowMuchAndAsksBeforeItReplaces(t *testing.T) {
	b := newBench(t, "")
	f := &disk{files: map[string]string{"old.md": "old"}}
	var now atomic.Int64
	b.deps.Now = func() time.Time { return moment.Add(time.Duration(now.Load())) }
	b.deps.Save = f.save
	d := newDriver(t, b.deps, 100, 40)
	d.asksFor(b, "An *answer*", "An answer")
	d.command("/save a b.md", "answer, 12 bytes → /home/me/a b.md")
	d.command("/save no/x.md", "not saved: there is no directory no")
	d.asks("/save old.md")
	d.sees("Replace the file?")
	d.sees("/home/me/old.md is there already.")
	d.types("y") // what was under way
	now.Add(int64(399 * time.Millisecond))
	d.types("y") // too early, and so is the next
	now.Add(int64(399 * time.Millisecond))
	d.types("y")
	d.sees("Replace the file?")
	if f.files["old.md"] != "old" {
		t.Fatal("replaced by what was typed for something else")
	}
	now.Add(int64(confirmGrace))
	d.keys("n")
	d.never("Replace the file?")
	d.asks("/save old.md")
	d.sees("Replace the file?")
	now.Add(int64(confirmGrace))
	d.keys("x", "enter", "space")
	d.strikes("answer, 12 bytes → /home/me/old.md", "y")
	if f.files["old.md"] != "An *answer*\n" || f.files["a b.md"] != "An *answer*\n" {
		t.Errorf("%q", f.files)
	}
	d.asks("/save")
	d.sees("Save answer")
	d.strikes("answer, 12 bytes → /home/me/answer.md", "enter")
}

func TestABlockIsSavedUnderANameOfItsLanguage(t *testing.T) {
	b := newBench(t, "")
	f := &disk{files: map[string]string{}}
	b.deps.Save = f.save
	d := newDriver(t, b.deps, 100, 40)
	d.asksFor(b, twoBlocks, "sh · copy 2")
	d.keys("alt+c", "s")
	d.sees("Save code block 2")
	d.sees("block-2.sh")
	d.strikes("code block 2, 6 bytes → /home/me/block-2.sh", "enter")
	d.keys("alt+c", "down", "s")
	d.sees("block-1.py")
	d.keys("ctrl+u")
	d.types("  ")
	d.keys("enter") // no name, nothing happens
	d.sees("Save code block 1")
	d.types("run.py")
	d.strikes("code block 1, 18 bytes → /home/me/run.py", "enter")
	if f.files["run.py"] != "print(1)\nprint(2)\n" {
		t.Errorf("%q", f.files)
	}
	for lang, want := range map[string]string{"": "block-3.txt", "Go": "block-3.go", "python": "block-3.py", "bash": "block-3.sh", "c++": "block-3.cpp", "cpp": "block-3.cpp",
		"tsx": "block-3.tsx", "typescript": "block-3.ts", "jsonc": "block-3.jsonc", "dockerfile": "Dockerfile", "make": "Makefile", "console": "block-3.txt",
		"no such": "block-3.txt", "html": "block-3.html", "c": "block-3.c", "yaml": "block-3.yaml", "sql": "block-3.sql", "diff": "block-3.diff",
		"rust": "block-3.rs", "../../x": "block-3.txt", "kotlin": "block-3.kt", "text": "block-3.txt", "markdown": "block-3.md", strings.Repeat("x", 1000): "block-3.txt"} {
		if got := blockFile(&codeBlock{number: 3, lang: lang}); got != want {
			t.Errorf("%.20q: %s, want %s", lang, got, want)
		}
	}
}

func TestTheOutputOfACommandIsTheNextDraft(t *testing.T) {
	b := newBench(t, "")
	var got []string
	results := []Piped{
		{Head: "\x1b[31mred\x1b[0m\r\n\x1b]0;title\alast\n"},
		{Head: "half\n", Errors: strings.Repeat("noise\n", 7) + "gone\n" + strings.Repeat("noise\n", 7) + "\x1b[1mjq\x1b[m: bad\n", Code: 2},
		{},
		{Head: "start\n", Tail: "end\n", LeftOut: 12_345},
		{Head: "/quit\n"},
	}
	b.deps.Pipe = func(_ context.Context, command, input string) (Piped, error) {
		got = append(got, command+" < "+input)
		r := results[0]
		results = results[1:]
		return r, nil
	}
	d := newDriver(t, b.deps, 120, 40)
	d.asksFor(b, twoBlocks, "sh · copy 2")
	d.command("/pipe sort -u", "“sort -u”: exit code 0, 2 lines → draft")
	draft := func(want string) {
		t.Helper()
		if text := d.m.prompt.editor.Text(); text != want {
			t.Errorf("the draft is %q, want %q", text, want)
		}
	}
	draft("red\nlast")
	d.keys("alt+c", "p")
	d.sees("Pipe code block 2")
	d.types("jq .")
	d.strikes("“jq .”: exit code 2, 1 line → draft; Up brings your draft back", "enter")
	draft("half")
	d.sees("jq: bad")
	d.never("gone")
	d.keys("ctrl+c")
	d.command("/pipe true", "“true”: exit code 0, no output")
	draft("")
	d.command("/pipe long", "3 lines (12,345 bytes in the middle left out) → draft")
	draft("start\n… 12,345 bytes left out …\nend")
	d.keys("ctrl+c")
	d.command("/pipe echo", "1 line → draft")
	draft("//quit") // a text, not a command
	want := []string{"sort -u < " + twoBlocks, "jq . < ls -l\n", "true < " + twoBlocks, "long < " + twoBlocks, "echo < " + twoBlocks}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	d.asks("/pipe")
	d.wait("an open overlay or the next draft", func() bool { return len(d.m.overlays) == 1 || strings.HasSuffix(d.m.prompt.editor.Text(), "/pipe") })
}

func TestACommandIsStoppedByEscAndByItsLimit(t *testing.T) {
	b := newBench(t, "")
	began := make(chan context.Context, 1)
	end := make(chan error, 1)
	b.deps.Pipe = func(ctx context.Context, _, _ string) (Piped, error) {
		began <- ctx
		select {
		case <-ctx.Done():
			return Piped{Head: "partial\n", Code: -1}, fmt.Errorf("run: %w", ctx.Err())
		case err := <-end:
			return Piped{Head: "partial\n", Code: -1}, fmt.Errorf("run: %w", err)
		}
	}
	d := newDriver(t, b.deps, 120, 40)
	d.asksFor(b, "Words.", "Words.")
	run := func(command string) context.Context {
		t.Helper()
		d.asks("/pipe " + command)
		d.sees("◐ “" + command + "” 0.0 s of 60 s · Esc stops")
		var ctx context.Context
		d.wait("the start of the command", func() bool { // the clock of the status line ticks meanwhile
			select {
			case ctx = <-began:
			default:
			}
			return ctx != nil
		})
		return ctx
	}
	ctx := run("sleep 100")
	if limit, ok := ctx.Deadline(); !ok || time.Until(limit) > pipeLimit {
		t.Error("the command has no limit")
	}
	d.command("/pipe sort", "a command is running already: Esc stops it")
	d.strikes("“sleep 100” was stopped", "esc")
	if !d.m.prompt.editor.Empty() {
		t.Errorf("the draft is %q", d.m.prompt.editor.Text())
	}
	run("tail -f x")
	d.does(func() { end <- context.DeadlineExceeded }, "“tail -f x”: stopped after 60 s, 1 line → draft")
	d.sees("partial")
	d.keys("ctrl+c")
	run("bad")
	d.does(func() { end <- errors.New("there is no shell") }, "not run: run: there is no shell")
	run("sleep 50")
	if err := d.m.Shutdown(context.Background()); err != nil { // leaving stops it, and waits
		t.Error(err)
	}
	select {
	case <-d.m.prompt.pipe.ended:
	default:
		t.Error("the command runs on")
	}
}

func TestOutputOfACommandForAChatThatWasLeftIsInTheHistory(t *testing.T) {
	b := newBench(t, "")
	end := make(chan struct{})
	b.deps.Pipe = func(context.Context, string, string) (Piped, error) { <-end; return Piped{Head: "out\n"}, nil }
	d := newDriver(t, b.deps, 120, 40)
	d.asksFor(b, "Words.", "Words.")
	d.asks("/pipe slow")
	d.sees("◐ “slow”")
	d.keys("ctrl+n")
	d.does(func() { close(end) }, "1 line → history")
	if !d.m.prompt.editor.Empty() {
		t.Errorf("the draft is %q", d.m.prompt.editor.Text())
	}
	d.keys("up")
	if got := d.m.prompt.editor.Text(); got != "out" {
		t.Errorf("Up brings %q", got)
	}
}

func TestABlockIsOpenedInTheEditorAndItsAnswerStays(t *testing.T) {
	b := newBench(t, "")
	file := make(chan string, 1)
	b.deps.Edit = func(name, text string) (Runner, func() (string, error), error) {
		file <- name + ": " + text
		return nil, nil, errors.New("set EDITOR")
	}
	d := newDriver(t, b.deps, 100, 40)
	d.asksFor(b, twoBlocks, "sh · copy 2")
	d.keys("alt+c", "down")
	d.strikes("the editor failed: set EDITOR", "e")
	if got := <-file; got != "block-1.py: print(1)\nprint(2)\n" {
		t.Errorf("%q", got)
	}
	block := codeBlock{number: 1, lang: "python", text: "print(1)\n"}
	edited := func(text, says, draft string) {
		t.Helper()
		d.does(func() { d.send(blockEditedMsg{block: block, text: text}) }, says)
		if got := d.m.prompt.editor.Text(); got != draft {
			t.Errorf("the draft is %q", got)
		}
	}
	edited("print(1)", "code block 1 was looked at, not changed", "")
	edited("print(3) # ```\r\n", "code block 1 as you changed it is the draft", "````python\nprint(3) # ```\n````")
	edited("print(4)\n", "Up brings your draft back", "```python\nprint(4)\n```")
	d.send(blockEditedMsg{block: block, err: errors.New("exit status 1")})
	d.sees("the editor failed: exit status 1")
}

func TestTheVerbsAreInTheHelpAndThePalette(t *testing.T) {
	d, _, c := reading(t, twoBlocks, "sh · copy 2")
	text := ""
	for i := range d.m.keys.table {
		a := &d.m.keys.table[i]
		text += strings.Join(a.keys, " ") + " " + a.title + " " + strings.Join(a.slash, " ") + "\n"
	}
	for _, want := range []string{"y Copy the ", "c Copy a code block", "q Quote the message", "o Open a link", "alt+y Copy the last answer copy", "alt+c Copy a code block copy code",
		"Copy question and answer copy turn", "Copy the whole chat as Markdown copy all", "copy table", "copy csv", "Save the answer to a file save", "Pipe the answer to a command pipe"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the table", want)
		}
	}
	if len(d.m.keys.problems) > 0 {
		t.Error(d.m.keys.problems)
	}
	d.keys("ctrl+p")
	d.types("whole chat")
	d.sees("/copy all")
	d.strikes("chat, ", "enter")
	c.mu.Lock()
	defer c.mu.Unlock()
	if !strings.Contains(c.text, "## Assistant\n\nOne:") {
		t.Errorf("%q", c.text)
	}
}

func TestTheVerbsSayThatThereIsNothingYet(t *testing.T) {
	b, c := newBench(t, ""), &clip{}
	b.deps.Copy = c.copy
	d := newDriver(t, b.deps, 100, 30)
	d.wait("the store", func() bool { return d.m.back != nil })
	for _, command := range []string{"/copy", "/copy 1", "/copy table", "/copy turn", "/copy all", "/quote", "/open", "/save x", "/pipe sort"} {
		d.command(command, "there is no answer yet")
	}
	d.strikes("there is no code block in this chat", "alt+c")
	c.has(t, "")
}

func TestTheCodePickerFitsAnyScreen(t *testing.T) {
	m := offline()
	m.chat.transcript.load([]session.Message{{ID: "a", Role: api.RoleAssistant, State: session.Done,
		Parts: []session.Part{{Kind: session.PartText, Text: strings.Repeat("```averylonglanguagename\n\x1b[2J漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n```\n\n```\n```\n", 30)}}}})
	for _, size := range [][2]int{{40, 10}, {60, 20}, {100, 40}, {200, 60}} {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		m.Update(press("alt+c"))
		check(t, m, size[0], size[1])
		m.Update(press("/"))
		check(t, m, size[0], size[1])
		m.Update(press("esc"))
		m.Update(press("s"))
		check(t, m, size[0], size[1])
		m.Update(press("esc"))
	}
}
