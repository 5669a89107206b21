package cli

import (
	"strings"
	"testing"

	"waferchat/api/emulator"
)

const twoBlocks = "Run this:\n\n```sh\nls -l\n```\n\n> quoted:\n>\n> ~~~Go title=\"x\"\n> fmt.Println(1)\n> ~~~\n\nDone."

func TestExtractPrintsTheFirstCodeBlockAlone(t *testing.T) {
	for _, tt := range []struct {
		name, answer, flag string
		status             int
		out, err           string
	}{
		{"the first", twoBlocks, "-x", 0, "ls -l\n", ""},
		{"of a language", twoBlocks, "-x=go", 0, "fmt.Println(1)\n", ""},
		{"long form", twoBlocks, "--extract=SH", 0, "ls -l\n", ""},
		{"no such language", twoBlocks, "-x=python", 1, "", "no code block of the language python"},
		{"none", "Just words, `code` among them.", "-x", 1, "", "the answer has no code block"},
		{"indented text is none", "A list:\n\n    indented\n", "-x", 1, "", "the answer has no code block"},
		{"an empty one is none", "```\n```\n\n```\nx\n```\n", "-x", 0, "x\n", ""},
		{"never closed", "```py\nprint(1)", "-x", 0, "print(1)\n", ""},
		{"control characters", "```\na\x1b[2Jb\n```", "-x", 0, "a[2Jb\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			h.server.Script(answer(tt.answer))
			r := h.run(tt.flag, "hi")
			if tt.name == "control characters" {
				if r.status != 0 || strings.ContainsAny(r.out, "\x1b") {
					t.Errorf("%+v", r)
				}
				return
			}
			r.want(t, tt.status, tt.out, tt.err)
		})
	}
}

func TestExtractOfAnAnswerThatWasCutShort(t *testing.T) {
	h := newHome(t)
	h.server.Script(emulator.Stream(emulator.C("Here:\n\n```sh\nls -l\ncd"), emulator.F("length"), emulator.U, emulator.D),
		emulator.Stream(emulator.C("Here"), emulator.F("length"), emulator.U, emulator.D))
	h.run("-x", "hi").want(t, 3, "ls -l\ncd\n", "cut short")
	h.run("-x", "hi").want(t, 3, "", "cut short")
}
