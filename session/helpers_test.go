package session

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"waferchat/api"
)

// clock gives a new second each time it is asked.
func clock() func() time.Time {
	n := int64(1_700_000_000)
	return func() time.Time { n++; return time.Unix(n, 0) }
}

// fileStore opens a store that flushes only when told to.
func fileStore(t testing.TB) (*Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "sessions.db")
	return reopen(t, path), path
}

func reopen(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{Flush: time.Hour, Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func memoryStore(t testing.TB) *Store {
	t.Helper()
	s, err := OpenMemory(t.Context(), Options{Flush: time.Hour, Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func user(id, parent, text string) Message {
	return Message{ID: MessageID(id), Parent: MessageID(parent), Role: api.RoleUser, State: Done,
		Parts: []Part{{Kind: PartText, Text: text}}}
}

func assistant(id, parent string, s State, parts ...Part) Message {
	return Message{ID: MessageID(id), Parent: MessageID(parent), Role: api.RoleAssistant, State: s, Parts: parts}
}

func text(s string) Part { return Part{Kind: PartText, Text: s} }

func call(id, state, args string) Part {
	return Part{Kind: PartToolCall, CallID: id, Name: "tool", Text: args, CallState: state}
}

func result(id, parent string, parts ...Part) Message {
	return Message{ID: MessageID(id), Parent: MessageID(parent), Role: api.RoleTool, State: Done, Parts: parts}
}

func answer(callID, s string) Part { return Part{Kind: PartToolResult, CallID: callID, Text: s} }

func pathOf(t testing.TB, s *Store, end string) []Message {
	t.Helper()
	return must(s.Path(t.Context(), MessageID(end), 0))(t)
}

func last(t testing.TB, s *Store, end string) *Message {
	t.Helper()
	p := pathOf(t, s, end)
	return &p[len(p)-1]
}

// dump is for comparing: times as instants, nil and empty as stored.
func dump(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := dump(got), dump(want); g != w {
		t.Fatalf("%s:\ngot  %s\nwant %s", what, g, w)
	}
}

func ptr[T any](v T) *T { return &v }

func count(t testing.TB, s *Store, query string, args ...any) int64 {
	t.Helper()
	var n int64
	check(t, s.readers.QueryRowContext(context.Background(), query, args...).Scan(&n))
	return n
}
