package api

import (
	"strings"
	"testing"
)

// reasoningCases are the fields that reasoning comes in, and what is left when
// it is all there is.
func reasoningCases() []wireCase {
	answer := textFrame("42") + finishFrame("stop") + doneFrame
	we := func(field string) string { return deltaFrame(`{"content":"","` + field + `":"We "}`) }
	return []wireCase{
		{saw: "a frozen screen because the field is called reasoning", body: strings.Repeat(we("reasoning"), 20) + answer,
			want: `reasoning "` + strings.Repeat("We ", 20) + `", text "42", finish stop`},
		{saw: "a frozen screen because the field is called reasoning_text", body: we("reasoning_text") + answer, want: `reasoning_text "We ", text "42", finish stop`},
		{saw: "a frozen screen because the field is called thinking", body: we("thinking") + answer, want: `thinking "We ", text "42", finish stop`},
		{saw: "a frozen screen because the thoughts are in details", body: deltaFrame(`{"reasoning_details":[{"type":"reasoning.text","text":"We "}]}`) + answer,
			want: `reasoning_details "We ", details [{"type":"reasoning.text","text":"We "}], text "42", finish stop`},
		{saw: "a frozen screen because the thoughts are summaries in details", body: deltaFrame(`{"reasoning_details":[{"type":"reasoning.text","text":"We "}]}`) + deltaFrame(`{"reasoning_details":[{"type":"reasoning.summary","summary":"know"}]}`) + answer,
			want: `reasoning_details "We know", details [{"type":"reasoning.text","text":"We "},{"type":"reasoning.summary","summary":"know"}], text "42", finish stop`},
		{saw: "every thought twice because it has two names", body: deltaFrame(`{"reasoning_content":"We ","reasoning":"We ","reasoning_details":[{"type":"reasoning.text","text":"We "}]}`) + answer,
			want: `reasoning_content "We ", details [{"type":"reasoning.text","text":"We "}], text "42", finish stop`},
		{saw: "two different thoughts joined", body: deltaFrame(`{"reasoning":"B","reasoning_content":"A"}`) + answer, want: `reasoning_content "A", text "42", finish stop`},
		{saw: "the thought lost behind an empty field", body: deltaFrame(`{"reasoning_content":"","reasoning":"We"}`) + deltaFrame(`{"reasoning_content":null,"reasoning":" know"}`) + answer,
			want: `reasoning "We know", text "42", finish stop`},
		{saw: "thought and answer in one delta", body: deltaFrame(`{"reasoning_content":"hm","content":"42"}`) + finishFrame("stop") + doneFrame,
			want: `reasoning_content "hm", text "42", finish stop`},
		{saw: "an emoji cut between two thoughts", body: deltaFrame(`{"reasoning_content":"\ud83c"}`) + deltaFrame(`{"reasoning_content":"\udf0d"}`) + answer,
			want: `reasoning_content "🌍", text "42", finish stop`},
		{saw: "the answer among the thoughts", body: textFrame("") + deltaFrame(`{"content":null}`) + reasoningFrame("x") + textFrame("y") + reasoningFrame("z") + textFrame("w") + finishFrame("stop") + doneFrame,
			want: `reasoning_content "xz", text "yw", finish stop`},
		{saw: "the thoughts shown as the answer", body: reasoningFrame("The answer is 4.") + finishFrame("stop") + doneFrame, want: `reasoning_content "The answer is 4.", finish stop`},
		{saw: "a thought about a tag taken for the end of thinking", body: reasoningFrame("write </think> and <think>") + answer,
			want: `reasoning_content "write </think> and <think>", text "42", finish stop`},
		{saw: "a blank answer because the limit was spent on thoughts", body: reasoningFrame(strings.Repeat("x", 2000)) + finishFrame("length") + usageFrame + doneFrame,
			want: `reasoning_content "` + strings.Repeat("x", 2000) + `", finish length, usage 10 5 15 - -`},
		{saw: "a blank answer because of the limit", body: textFrame("") + finishFrame("length") + doneFrame, want: `finish length`},
		{saw: "half a sentence without a word about the limit", body: textFrame("half a sent") + finishFrame("length") + doneFrame, want: `text "half a sent", finish length`},
		{saw: "thoughts in parts of the content lost", body: deltaFrame(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}`) + finishFrame("length") + doneFrame,
			want: `reasoning_content "t", finish length`},
		{saw: "nothing, and no reason", body: textFrame("") + finishFrame("stop") + doneFrame, want: `finish stop`},
		{saw: "the thoughts of an answer in one piece lost", kind: "application/json", body: `{"choices":[{"message":{"role":"assistant","content":"42","reasoning_text":"We"},"finish_reason":"stop"}]}`,
			want: `reasoning_text "We", text "42", finish stop`},
		{saw: "special tokens swallowed or taken for calls", body: reasoningFrame("<|tool_calls_section_begin|>") + textFrame("<tool_call>f<arg_key>a</arg_key></tool_call><|im_end|>") + finishFrame("stop") + doneFrame,
			want: `reasoning_content "<|tool_calls_section_begin|>", text "<tool_call>f<arg_key>a</arg_key></tool_call><|im_end|>", finish stop`},
	}
}

// tagCases are thoughts inside the content.
func tagCases() []wireCase {
	end := finishFrame("stop") + doneFrame
	in := func(pieces ...string) string {
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(textFrame(p))
		}
		return b.String() + end
	}
	const want = `<think> "abc", text "ANSWER", finish stop`
	return []wireCase{
		{saw: "tags shown in the answer", body: in("<think>\nabc</think>\n\nANSWER"), want: want},
		{saw: "tags shown because the deltas cut them", body: in("<th", "ink>\nabc</thi", "nk>", "\n", "\nANSWER"), want: want},
		{saw: "tags shown because every delta is one character", body: in(strings.Split("<think>\nabc</think>\n\nANSWER", "")...), want: want},
		{saw: "tags of another name shown", body: in("<thinking>", "abc</think", "ing>ANSWER"), want: want},
		{saw: "tags in capitals shown", body: in("<THINK>abc</THINK>ANSWER"), want: want},
		{saw: "tags behind a blank shown", body: in(" \u00a0<think>abc</think>ANSWER"), want: want},
		{saw: "a thought without its opening tag as the answer", body: in("I should say so.", "</think>", "\n\nANSWER"), want: `<think> "I should say so.", text "\n\nANSWER", finish stop`},
		{saw: "a closing tag left over from thoughts in their own field", body: reasoningFrame("r") + in("</think>\n\nANSWER"), want: `reasoning_content "r", text "ANSWER", finish stop`},
		{saw: "code about tags taken for thoughts", body: in("```html\n<think>x</think>\n```\n"), want: "text \"```html\\n<think>x</think>\\n```\\n\", finish stop"},
		{saw: "the answer swallowed behind a tag that is never closed", body: textFrame("<think>all of it") + finishFrame("length") + doneFrame, want: `<think> "all of it", finish length`},
		{saw: "the thought lost because the stream broke inside its tag", body: textFrame("<think>ab") + textFrame("c</thi"), want: `<think> "abc</thi", cut off`},
	}
}

func TestThoughtsAreTheirOwnWhateverTheFieldIsCalled(t *testing.T) { checkCases(t, reasoningCases()) }
func TestThoughtsInTagsAreNoPartOfTheAnswer(t *testing.T)          { checkCases(t, tagCases()) }

// TestThoughtsAndWordsKeepTheirOrder: what came first is shown first.
func TestThoughtsAndWordsKeepTheirOrder(t *testing.T) {
	c, _ := newTestClient(t, noRetries, events(reasoningFrame("x")+textFrame("y")+reasoningFrame("z")+textFrame("w")+finishFrame("stop")+doneFrame))
	s := c.Stream(t.Context(), hello())
	defer s.Close()
	var said []string
	for {
		e, err := s.Next()
		if err != nil {
			break
		}
		if e.Text != "" {
			said = append(said, string(e.Kind)+" "+e.Text)
		}
	}
	if got := strings.Join(said, ", "); got != "reasoning x, text y, reasoning z, text w" {
		t.Error(got)
	}
}
