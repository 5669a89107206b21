package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"waferchat/api"
)

func priced(m Message, prompt int64) Message {
	m.Usage = &api.Usage{PromptTokens: &prompt, CompletionTokens: ptr(int64(0))}
	m.Prices = &api.Prices{Input: ptr(int64(2_000_000))}
	return m
}

func TestTheListTellsEachSessionsState(t *testing.T) {
	s := memoryStore(t)
	ctx := t.Context()
	if _, err := s.Latest(ctx); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	long := strings.Repeat("äb", 150)
	gone := user("a3", "a2", "gone")
	gone.Deleted = true
	check(t, s.Begin(ctx, Session{ID: "s1", Title: "t", TitleSource: TitleUser, Model: "m"}, user("a1", "", long),
		priced(assistant("a2", "a1", Done, text("x")), 7), gone,
		priced(assistant("a4", "a1", Failed, text("x")), 8), assistant("a5", "a4", Cancelled)))
	check(t, s.Begin(ctx, Session{ID: "s2", Pinned: true}, user("b1", "", "b"), assistant("b2", "b1", Streaming)))
	check(t, s.Begin(ctx, Session{ID: "s3", Archived: true}, gone2("c1"), user("c2", "", "second")))
	check(t, s.Begin(ctx, Session{ID: "s4"}, user("d1", "", "d"), priced(assistant("d2", "d1", Done), 1), assistant("d3", "d2", Done, text("?"))))
	l := must(s.List(ctx))(t)
	got := ""
	for _, v := range l {
		cost := "?"
		if v.Cost != nil {
			cost = fmt.Sprint(*v.Cost)
		}
		got += fmt.Sprintf("%s %d %s %s %v %v\n", v.ID, v.Turns, v.State, cost, v.Pinned, v.Archived)
	}
	want := "s2 1 streaming ? true false\ns4 1 done ? false false\ns3 1  0 false true\ns1 1 cancelled 30 false false\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if l[2].First != "second" || l[3].First != strings.Repeat("äb", 100) || l[3].Title != "t" || l[3].Model != "m" || l[3].Created.IsZero() {
		t.Error(dump(l))
	}
	same(t, "latest", must(s.Latest(ctx))(t).ID, "s4")
	check(t, s.Finish(ctx, assistant("b2", "b1", Done)))
	same(t, "latest", must(s.Latest(ctx))(t).ID, "s2")
}

func gone2(id string) Message {
	m := user(id, "", "first, withdrawn")
	m.Deleted = true
	return m
}

func TestSessionsAreFoundByIDPrefixOrTitle(t *testing.T) {
	s := memoryStore(t)
	for id, title := range map[ID]string{"abc111": "Über Go", "abd222": "go modules", "xyz333": "Other", "xyz": "prefix of another", "q": ""} {
		check(t, s.Begin(t.Context(), Session{ID: id, Title: title, TitleSource: TitleUser}, user("m-"+string(id), "", "x")))
	}
	for name, want := range map[string]ID{
		"abc111": "abc111", "abc": "abc111", "xyz": "xyz", "xyz3": "xyz333", "über go": "abc111", "UBER GO": "abc111",
		"module": "abd222", "OTHER": "xyz333", "q": "q",
	} {
		v, err := s.Resolve(t.Context(), name)
		if err != nil || v.ID != want {
			t.Errorf("%q: %s, %v", name, v.ID, err)
		}
	}
	for _, name := range []string{"", "nothing", "abc1111"} {
		if _, err := s.Resolve(t.Context(), name); !errors.Is(err, ErrNotFound) || errors.Is(err, ErrAmbiguous) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, n := range map[string]int{"ab": 2, " go": 1, "o": 4} {
		v, err := s.Resolve(t.Context(), name)
		if n == 1 {
			if err != nil || v.ID != "abc111" {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		var e *AmbiguousError
		if !errors.As(err, &e) || !errors.Is(err, ErrAmbiguous) || len(e.Matches) != n || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestHistoryHasTheTextsThatWereSent(t *testing.T) {
	s := memoryStore(t)
	withdrawn := user("a3", "", "withdrawn")
	withdrawn.Deleted = true
	image := user("a6", "", "look ")
	image.Parts = append(image.Parts, Part{Kind: PartImage, Text: "data:"}, text("here"))
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("a1", "", "one"), user("a2", "", "two"), withdrawn,
		assistant("a4", "", Done, text("answer")), user("a5", "", "two"), image))
	check(t, s.Begin(t.Context(), Session{ID: "s2"}, user("b1", "", "one")))
	must(s.Fork(t.Context(), "a1"))(t) // the copy is no second sending
	for n, want := range map[int]string{0: "[]", 1: "[one]", 2: "[look here one]", 3: "[two look here one]", 9: "[one two look here one]"} {
		if got := fmt.Sprint(must(s.History(t.Context(), n))(t)); got != want {
			t.Errorf("%d: %s, not %s", n, got, want)
		}
	}
}
