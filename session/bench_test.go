package session

import (
	"fmt"
	"strings"
	"testing"

	"waferchat/api"
)

// fill stores a session of n messages in a row, as a real chat leaves them.
func fill(b *testing.B, s *Store, id ID, n int) MessageID {
	b.Helper()
	msgs := make([]Message, n)
	body := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)
	var parent MessageID
	for i := range msgs {
		m := &msgs[i]
		*m = user(fmt.Sprintf("%s-%d", id, i), string(parent), "question")
		if i%2 == 1 {
			*m = assistant(string(m.ID), string(parent), Done, Part{Kind: PartReasoning, Text: body, Field: "reasoning_content"}, text(body))
			m.Model, m.Finish, m.Attempts, m.Params = "model", "stop", 1, api.Params{MaxTokens: ptr(4096), Temperature: ptr(0.7)}
			m.Usage = &api.Usage{PromptTokens: ptr(int64(100)), CompletionTokens: ptr(int64(50)), CachedTokens: ptr(int64(20))}
			m.Prices = &api.Prices{Input: ptr(int64(3_000_000)), Output: ptr(int64(15_000_000))}
			m.Timing = Timing{FirstToken: 1e8, End: 1e9}
		}
		parent = m.ID
	}
	check(b, s.Begin(b.Context(), Session{ID: id}, msgs...))
	return parent
}

func benchmarkPath(b *testing.B, n, limit int) {
	s, _ := fileStore(b)
	end := fill(b, s, "s1", n)
	for b.Loop() {
		if p := must(s.Path(b.Context(), end, limit))(b); len(p) == 0 {
			b.Fatal("empty")
		}
	}
}

func BenchmarkPathLast60Of10000(b *testing.B) { benchmarkPath(b, 10_000, 60) }
func BenchmarkPathWhole2000(b *testing.B)     { benchmarkPath(b, 2000, 0) }

func BenchmarkProject2000(b *testing.B) {
	s := memoryStore(b)
	path := must(s.Path(b.Context(), fill(b, s, "s1", 2000), 0))(b)
	for b.Loop() {
		Project(Projection{}, path)
	}
}

func BenchmarkList2000Sessions(b *testing.B) {
	s, _ := fileStore(b)
	for i := range 2000 {
		fill(b, s, ID(fmt.Sprint("s", i)), 4)
	}
	for b.Loop() {
		must(s.List(b.Context()))(b)
	}
}

func BenchmarkListWith100000Messages(b *testing.B) {
	s, _ := fileStore(b)
	for i := range 10 {
		msgs := make([]Message, 10_000)
		for j := range msgs {
			msgs[j] = user(fmt.Sprint(i, "-", j), "", "x")
		}
		check(b, s.Begin(b.Context(), Session{ID: ID(fmt.Sprint(i))}, msgs...))
	}
	for b.Loop() {
		must(s.List(b.Context()))(b)
	}
}

// One flush of 200 ms at 1,000 deltas a second.
func benchmarkFlush(b *testing.B, before int) {
	s, _ := fileStore(b)
	streaming(b, s)
	piece := strings.Repeat("x", 1000)
	for range before {
		s.Append(textDelta(piece))
		check(b, s.Flush(b.Context()))
	}
	for b.Loop() {
		for range 200 {
			s.Append(textDelta("delta "))
		}
		check(b, s.Flush(b.Context()))
	}
}

func BenchmarkFlushAtTheStart(b *testing.B) { benchmarkFlush(b, 0) }
func BenchmarkFlushAfter1MB(b *testing.B)   { benchmarkFlush(b, 1000) }

func BenchmarkAppend(b *testing.B) {
	s := memoryStore(b)
	streaming(b, s)
	for i := 0; b.Loop(); i++ {
		s.Append(textDelta("delta "))
		if i%1_000_000 == 999_999 {
			check(b, s.Flush(b.Context()))
		}
	}
}

func BenchmarkFinish1MB(b *testing.B) {
	s, _ := fileStore(b)
	body := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 1<<20/45)
	var parent MessageID
	for i := 0; b.Loop(); i++ {
		m := assistant(fmt.Sprint("a", i), string(parent), Streaming)
		check(b, s.Begin(b.Context(), Session{ID: "s1", Head: parent}, m))
		s.Append(Delta{Message: m.ID, Kind: PartText, Text: body})
		m.State = Done
		check(b, s.Finish(b.Context(), m))
		parent = m.ID
	}
}

func BenchmarkOpen(b *testing.B) {
	s, path := fileStore(b)
	fill(b, s, "s1", 1000)
	check(b, s.Close())
	for b.Loop() {
		s := must(Open(b.Context(), path, Options{}))(b)
		must(s.Latest(b.Context()))(b)
		check(b, s.Close())
	}
}
