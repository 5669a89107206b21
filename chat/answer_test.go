package chat

import (
	"encoding/json"
	"reflect"
	"testing"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/session"
)

func thought(field, text, details string) api.Event {
	return api.Event{Kind: api.EventReasoning, ReasoningField: field, Text: text, ReasoningDetails: json.RawMessage(details)}
}

func TestPartsAreInOrderOfArrival(t *testing.T) {
	a := answer{message: session.Message{ID: "m"}}
	a.reasoning(thought("reasoning_content", "hm", ""))
	a.reasoning(thought("reasoning_content", "m ", ""))
	a.output("Let ")
	a.output("me see.")
	a.reasoning(thought("reasoning_content", "again", ""))
	a.call(api.CallDelta{Index: 0, ID: "c0", Name: "f", Arguments: `{"a`})
	a.call(api.CallDelta{Index: 1, ID: "c1", Name: "g", Arguments: `{`})
	a.call(api.CallDelta{Index: 0, Arguments: `":1}`})
	a.call(api.CallDelta{Index: 1, ID: "c1", Name: "g", Arguments: `}`})
	d := a.output("Done.")
	if d.Ordinal != 5 || d.Message != "m" || d.Kind != session.PartText || d.Text != "Done." {
		t.Errorf("delta = %+v", d)
	}
	want := []session.Part{
		{Kind: session.PartReasoning, Text: "hmm ", Field: "reasoning_content"},
		{Kind: session.PartText, Text: "Let me see."},
		{Kind: session.PartReasoning, Text: "again", Field: "reasoning_content"},
		{Kind: session.PartToolCall, Text: `{"a":1}`, CallID: "c0", Name: "f"},
		{Kind: session.PartToolCall, Text: `{}`, CallID: "c1", Name: "g"},
		{Kind: session.PartText, Text: "Done."},
	}
	if got := a.snapshot().Parts; !reflect.DeepEqual(got, want) {
		t.Errorf("parts = %+v\nwant %+v", got, want)
	}
}

func TestReasoningDetailsAreKeptVerbatim(t *testing.T) {
	var a answer
	a.reasoning(thought("reasoning", "a", `[{"type":"t","n":1.0}]`))
	a.reasoning(thought("reasoning", "b", `null`))
	a.reasoning(thought("reasoning", "c", `[{"x": 2},{"y":3}]`))
	a.reasoning(thought("reasoning", "d", `{"single":true}`))
	if got, want := string(a.snapshot().Parts[0].Extra), `[{"type":"t","n":1.0},{"x": 2},{"y":3},{"single":true}]`; got != want {
		t.Errorf("extra = %s, want %s", got, want)
	}
}

func TestReasoningUnderAnotherNameIsAnotherPart(t *testing.T) {
	var a answer
	a.reasoning(thought("reasoning_content", "a", ""))
	a.reasoning(thought("<think>", "b", ""))
	if got := a.snapshot().Parts; len(got) != 2 || got[1].Field != "<think>" {
		t.Errorf("parts = %+v", got)
	}
}

func TestASnapshotDoesNotChange(t *testing.T) {
	var a answer
	a.output("one")
	before := a.snapshot()
	for range 1000 {
		a.output(" more")
	}
	a.reasoning(thought("r", "x", ""))
	if len(before.Parts) != 1 || before.Parts[0].Text != "one" {
		t.Errorf("the snapshot became %+v", before.Parts)
	}
}

func TestCallsThatNobodyAnsweredAreCancelled(t *testing.T) {
	var a answer
	a.output("x")
	a.call(api.CallDelta{Index: 0})
	a.call(api.CallDelta{Index: 0, ID: "late", Name: "name"})
	a.settle()
	got := a.snapshot().Parts
	if got[0].CallState != "" || got[1].CallState != "cancelled" || got[1].CallID != "late" || got[1].Name != "name" {
		t.Errorf("parts = %+v", got)
	}
}

func TestProseBeforeAnOrphanClosingTagIsKeptAsReasoning(t *testing.T) {
	r := newRig(t)
	r.server.Script(emulator.Stream(emulator.C("I should add the numbers."), emulator.C("</think>"), emulator.C("The sum is 4."), emulator.F("stop"), emulator.U, emulator.D))
	v, events := r.say(chat(), "2+2?")
	end := events[len(events)-1]
	if end.Kind != EventEnd || end.Stored.Text() != "The sum is 4." || end.Stored.ReasoningText() != "I should add the numbers." {
		t.Errorf("the answer is %q, the reasoning %q", end.Stored.Text(), end.Stored.ReasoningText())
	}
	path, err := r.store.Path(t.Context(), v.Head, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := path[len(path)-1]
	if last.Text() != "The sum is 4." || last.ReasoningText() != "I should add the numbers." {
		t.Errorf("stored: the answer is %q, the reasoning %q", last.Text(), last.ReasoningText())
	}
}

func TestANameThatComesInPiecesIsWhole(t *testing.T) {
	var a answer
	a.call(api.CallDelta{Index: 0, ID: "c", Name: "read_"})
	a.call(api.CallDelta{Index: 0, Name: "read_file"})
	a.call(api.CallDelta{Index: 0, Arguments: "{}"})
	if p := a.snapshot().Parts[0]; p.Name != "read_file" || p.CallID != "c" || p.Text != "{}" {
		t.Errorf("call = %+v", p)
	}
}
