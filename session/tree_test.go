package session

import (
	"errors"
	"fmt"
	"testing"
)

// forest stores this tree; b3 is deleted, c2's answer still arrives:
//
//	a1 ─ b1 ─ c1
//	   ─ b2 ─ c2 ─ d
//	   ─ b3
//	e (a second root)
func forest(t *testing.T) *Store {
	t.Helper()
	s := memoryStore(t)
	v := Session{ID: "s1", Title: "trees", TitleSource: TitleUser, Tags: []string{"x"}, Pinned: true, Model: "m"}
	b3 := assistant("b3", "a1", Done, text("3"))
	b3.Deleted = true
	check(t, s.Begin(t.Context(), v,
		user("a1", "", "a"), assistant("b1", "a1", Done, text("1")), user("c1", "b1", "c"),
		assistant("b2", "a1", Done, text("2")), b3, user("c2", "b2", "c"), user("e", "", "e"),
		assistant("d", "c2", Streaming, Part{Kind: PartText}, call("x", "running", "{}"))))
	check(t, s.Begin(t.Context(), Session{ID: "s2"}, user("o", "", "other root")))
	s.Append(Delta{Message: "d", Text: "half"})
	return s
}

func TestSiblingsAndLeaves(t *testing.T) {
	s := forest(t)
	for id, want := range map[MessageID]string{"b1": "[b1 b2]", "b3": "[b1 b2]", "a1": "[a1 e]", "e": "[a1 e]", "d": "[d]", "o": "[o]"} {
		if got := fmt.Sprint(must(s.Siblings(t.Context(), id))(t)); got != want {
			t.Errorf("siblings of %s: %s, not %s", id, got, want)
		}
	}
	for id, want := range map[MessageID]MessageID{"a1": "d", "b1": "c1", "b2": "d", "b3": "b3", "d": "d", "e": "e"} {
		if got := must(s.Leaf(t.Context(), id))(t); got != want {
			t.Errorf("leaf of %s: %s, not %s", id, got, want)
		}
	}
	check(t, s.SetDeleted(t.Context(), true, "d", "c2"))
	if got := must(s.Leaf(t.Context(), "a1"))(t); got != "b2" {
		t.Errorf("leaf %s is deleted", got)
	}
	check(t, s.SetDeleted(t.Context(), true, "b2"))
	check(t, s.SetDeleted(t.Context(), false, "d"))
	if got := must(s.Leaf(t.Context(), "a1"))(t); got != "d" {
		t.Errorf("leaf is %s, below deleted messages it is d", got)
	}
	for _, err := range []error{
		must1(s.Siblings(t.Context(), "none")), must1(s.Leaf(t.Context(), "none")), must1(s.Path(t.Context(), "none", 0)),
		s.SetHead(t.Context(), "s1", "none"), s.SetHead(t.Context(), "s1", "o"), s.SetDeleted(t.Context(), true, "b1", "none"),
	} {
		if !errors.Is(err, ErrNoMessage) {
			t.Errorf("got %v", err)
		}
	}
	if last(t, s, "b1").Deleted {
		t.Error("SetDeleted did half of its work")
	}
	if err := s.SetHead(t.Context(), "none", "a1"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func must1[T any](_ T, err error) error { return err }

func TestThePathIsTheBranchOfItsEnd(t *testing.T) {
	s := forest(t)
	for _, c := range []struct {
		end   MessageID
		limit int
		want  string
	}{{"d", 0, "[a1< b2<a1 c2<b2 d<c2]"}, {"d", 2, "[c2<b2 d<c2]"}, {"c1", -1, "[a1< b1<a1 c1<b1]"}, {"b3", 9, "[a1< b3<a1]"}, {"", 3, "[]"}} {
		got := []string{}
		for _, m := range must(s.Path(t.Context(), c.end, c.limit))(t) {
			got = append(got, string(m.ID+"<"+m.Parent))
			if m.Session != "s1" {
				t.Errorf("%s is of session %q", m.ID, m.Session)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("path to %s, %d: %v, not %s", c.end, c.limit, got, c.want)
		}
	}
	check(t, s.SetHead(t.Context(), "s1", "b1"))
	if v := must(s.Get(t.Context(), "s1"))(t); v.Head != "b1" {
		t.Error(v.Head)
	}
}

func TestAForkIsItsOwnSession(t *testing.T) {
	s := forest(t)
	before := pathOf(t, s, "d")
	v := must(s.Fork(t.Context(), "d"))(t)
	if v.Parent != "s1" || v.ParentMessage != "d" || v.ID == "s1" || v.Title != "trees" || v.Pinned || v.Model != "m" || len(v.Tags) != 1 {
		t.Fatal(dump(v))
	}
	same(t, "stored", must(s.Get(t.Context(), v.ID))(t), v)
	fork := pathOf(t, s, string(v.Head))
	for i, m := range fork {
		if m.ID == before[i].ID || m.Session != v.ID || !m.Created.Equal(before[i].Created) || m.Text() != before[i].Text() {
			t.Errorf("message %d: %s", i, dump(m))
		}
	}
	d := fork[3]
	if d.State != Interrupted || d.Text() != "half" || d.Parts[1].CallState != "cancelled" {
		t.Errorf("what streams is %s", dump(d))
	}
	check(t, s.Begin(t.Context(), v, user("f", string(v.Head), "on")))
	same(t, "the original", pathOf(t, s, "d"), before)
	if must(s.Get(t.Context(), "s1"))(t).Head != "d" {
		t.Error("the original's head moved")
	}
	if _, err := s.Fork(t.Context(), "none"); !errors.Is(err, ErrNoMessage) {
		t.Error(err)
	}
	if _, err := s.Fork(t.Context(), ""); !errors.Is(err, ErrNoMessage) {
		t.Error(err)
	}
}
