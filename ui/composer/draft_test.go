package composer

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestADraftComesBackExactly(t *testing.T) {
	long := strings.Repeat("line <&> \u2028\n", 30)
	c := New()
	do(t, c, "type a漢\x00\n")
	c.Paste(long)
	do(t, c, "type  tail")
	do(t, c, "move word-left")
	c.Paste(long + "more")
	data, err := c.State()
	if err != nil || !json.Valid(data) {
		t.Fatalf("%s: %v", data, err)
	}
	d := New()
	d.SetText("something else")
	if err := d.SetState(data); err != nil {
		t.Fatal(err)
	}
	sound(t, d)
	if marked(d) != marked(c) || d.Text() != c.Text() || !slices.Equal(d.View(), c.View()) {
		t.Errorf("%q, want %q", marked(d), marked(c))
	}
	if d.Undo() {
		t.Error("a loaded draft can be undone")
	}
	d.Paste(long)
	if got := d.View()[1]; !strings.Contains(got, "[paste 3 · ") {
		t.Errorf("numbers begin again: %q", got)
	}
	again, _ := c.State()
	if string(again) != string(data) {
		t.Error("a state is not stable")
	}
}

func TestAnEmptyDraftComesBack(t *testing.T) {
	data, err := New().State()
	if err != nil {
		t.Fatal(err)
	}
	c := load(t, "x│")
	if err := c.SetState(data); err != nil || !c.Empty() {
		t.Errorf("%v, %q", err, c.Text())
	}
}

func TestABadStateChangesNothingAndAnOddOneIsUsed(t *testing.T) {
	c := load(t, "a│b")
	for _, bad := range []string{"", "{", "[]", `{"parts":"x"}`, `{"caret":"x"}`} {
		if err := c.SetState([]byte(bad)); err == nil || marked(c) != "a│b" {
			t.Errorf("%s: %v, %q", bad, err, marked(c))
		}
	}
	odd := map[string]string{
		`{}`:                                                       "│",
		`{"parts":[{"text":"ab"}],"caret":99}`:                     "ab│",
		`{"parts":[{"text":"ab"}],"caret":-5}`:                     "│ab",
		`{"parts":[{"text":"e\u0301x"}],"caret":1}`:                "e\u0301│x",
		`{"parts":[{"text":"a\r\nb"},{"text":""}],"caret":2}`:      "a\n│b",
		`{"parts":[{"text":"a\ud800b"}],"caret":0}`:                "│a\ufffdb",
		`{"parts":[{"text":"a","paste":7}],"caret":1,"pastes":-1}`: "▣│",
	}
	for data, want := range odd {
		if err := c.SetState([]byte(data)); err != nil || marked(c) != want {
			t.Errorf("%s: %v, %q, want %q", data, err, marked(c), want)
		}
		sound(t, c)
	}
}

func TestASnapshotIsRestoredAsAStep(t *testing.T) {
	c := load(t, "a│b")
	c.Paste(strings.Repeat("x\n", 20))
	d := c.Snapshot()
	c.SetText("other")
	c.Restore(d)
	if marked(c) != "a▣│b" {
		t.Errorf("%q", marked(c))
	}
	c.Insert("!")
	if d.Text() != "a"+strings.Repeat("x\n", 20)+"b" {
		t.Errorf("the draft changed: %q", d.Text())
	}
	c.Undo()
	c.Undo()
	if marked(c) != "other│" {
		t.Errorf("after undo: %q", marked(c))
	}
}

func TestHistoryKeepsTheLiveDraft(t *testing.T) {
	h := NewHistory("one", "two", "two", "", "three")
	c := load(t, "li│ve")
	c.Paste(strings.Repeat("x\n", 20))
	recall := func(d Draft, ok bool) string {
		if !ok {
			return "no"
		}
		c.Restore(d)
		return marked(c)
	}
	steps := []struct{ call, want string }{
		{"next", "no"}, {"prev", "three│"}, {"prev", "two│"}, {"next", "three│"}, {"next", "li▣│ve"},
		{"next", "no"}, {"prev", "three│"}, {"prev", "two│"}, {"prev", "one│"}, {"prev", "no"}, {"next", "two│"},
		{"add", "four│"}, {"prev", "four│"}, {"prev", "three│"}, {"add", "four│"}, {"prev", "four│"}, {"prev", "three│"},
		{"reset", "three│"}, {"next", "no"}, {"prev", "four│"},
	}
	for i, s := range steps {
		got := ""
		switch s.call {
		case "prev":
			got = recall(h.Prev(c.Snapshot()))
		case "next":
			got = recall(h.Next())
		case "add":
			c.SetText("four")
			h.Add(c.Snapshot())
			got = marked(c)
		case "reset":
			h.Reset()
			got = marked(c)
		}
		if got != s.want {
			t.Errorf("step %d, %s: %q, want %q", i, s.call, got, s.want)
		}
	}
	var empty History
	if _, ok := empty.Prev(Draft{}); ok {
		t.Error("the zero history has an entry")
	}
}
