package api

import (
	"strings"
	"testing"
)

func TestThinkTagsAreCutOutWhereverTheyAreCut(t *testing.T) {
	for _, content := range []string{
		"<think>\nabc</think>\n\nANSWER",
		"<thinking>\nabc</thinking>\n\nANSWER",
		"<THINK>abc</THINK>ANSWER",
		" \u00a0<think>abc</think>ANSWER",
		"\n<think>\n\nabc</think>\r\n\r\nANSWER",
	} {
		check := func(pieces ...string) {
			t.Helper()
			var frames strings.Builder
			for _, p := range pieces {
				frames.WriteString(textFrame(p))
			}
			o := play(t, frames.String()+finishFrame("stop")+doneFrame)
			if o.err != nil || o.text != "ANSWER" || o.reasoning != "abc" || o.field != "<think>" {
				t.Errorf("%q: text %q, reasoning %q, field %q, error %v", pieces, o.text, o.reasoning, o.field, o.err)
			}
		}
		for i := range content {
			check(content[:i], content[i:])
		}
		check(strings.Split(content, "")...)
	}
}

func TestTagsAreTextWhereTheyAreMeantAsText(t *testing.T) {
	for _, text := range []string{
		"Use `<think>` and `</think>` tags.",
		"```html\n<think>x</think>\n```\nand on",
		"~~~\n<think>x</think>\n~~~\n",
		"1. first\n   ```\n   <think>\n   </think>\n   ```\n",
		"> ```\n> <think>\n> </think>\n> ```\n",
		"````\n```\n<think>\n````\n",
		"a < b, <b>bold</b>, <thin, <thinker>, and </thinker>",
		"The tag <think> in a sentence.",
		"   \n",
		"<",
		"<thi",
		"</thi",
		"a\n<think",
		"a\n  <",
		"```\n</think>\n",
	} {
		for _, pieces := range [][]string{{text}, strings.Split(text, "")} {
			var frames strings.Builder
			for _, p := range pieces {
				frames.WriteString(textFrame(p))
			}
			o := play(t, frames.String()+finishFrame("stop")+doneFrame)
			if o.err != nil || o.text != text || o.reasoning != "" {
				t.Errorf("%q in %d pieces: text %q, reasoning %q, error %v", text, len(pieces), o.text, o.reasoning, o.err)
			}
		}
	}
}

func TestTagsInOddPlaces(t *testing.T) {
	cases := []struct{ name, content, text, reasoning string }{
		{"never closed", "<think>all of it", "", "all of it"},
		{"closed at once", "<think></think>ANSWER", "ANSWER", ""},
		{"blank inside", "<think>\n\n</think>\n\nANSWER", "ANSWER", ""},
		{"twice", "<think>a</think>one\n<think>b</think>two", "one\ntwo", "ab"},
		{"a closing tag first", "</think>\n\nANSWER", "ANSWER", ""},
		{"a closing tag without the opening one", "I should say so.</think>\n\nANSWER", "\n\nANSWER", "I should say so."},
		{"a second orphan is text", "a</think>b</think>c", "b</think>c", "a"},
		{"code after the tag keeps its indent", "<think>a</think>\n\n    code", "    code", "a"},
		{"a lesser sign in the reasoning", "<think>1 < 2 </b> </thin</think>ANSWER", "ANSWER", "1 < 2 </b> </thin"},
		{"an unclosed fence in the reasoning", "<think>```\nx</think>ANSWER", "ANSWER", "```\nx"},
		{"ends in half a closing tag", "<think>a</thi", "", "a</thi"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, pieces := range [][]string{{c.content}, strings.Split(c.content, "")} {
				var frames strings.Builder
				for _, p := range pieces {
					frames.WriteString(textFrame(p))
				}
				o := play(t, frames.String()+finishFrame("stop")+doneFrame)
				wantText(t, o, c.text)
				if o.reasoning != c.reasoning {
					t.Errorf("reasoning %q", o.reasoning)
				}
			}
		})
	}
}

func TestTagsAfterReasoningInItsOwnFieldAreText(t *testing.T) {
	o := play(t, reasoningFrame("r")+textFrame("Write it so:\n<think>x</think>\nend")+finishFrame("stop")+doneFrame)
	wantText(t, o, "Write it so:\n<think>x</think>\nend")
	if o.reasoning != "r" {
		t.Errorf("reasoning %q", o.reasoning)
	}
	o = play(t, reasoningFrame("r")+textFrame("</think>\n\nANSWER")+finishFrame("stop")+doneFrame)
	wantText(t, o, "ANSWER")
}

func TestAnOrphanTagSaysThatTheTextWasReasoning(t *testing.T) {
	o := play(t, textFrame("prose")+textFrame("</think>ANSWER")+finishFrame("stop")+doneFrame)
	if got := kinds(o); got != "open text reclassify text finish" {
		t.Errorf("events %q", got)
	}
}

func TestTextBeforeAToolCallIsNotHeldBack(t *testing.T) {
	o := play(t, textFrame("a\n<")+callFrame("0", `"a"`, `"f"`, quoted("{}"))+finishFrame("tool_calls")+doneFrame)
	if got := kinds(o); got != "open text text tool_call finish" || o.text != "a\n<" {
		t.Errorf("events %q text %q", got, o.text)
	}
}
