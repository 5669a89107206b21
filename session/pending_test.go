package session

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"waferchat/api"
)

// streaming begins a session with a question and an answer to come.
func streaming(t testing.TB, s *Store) {
	t.Helper()
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "hello"), assistant("m2", "m1", Streaming)))
}

func textDelta(s string) Delta { return Delta{Message: "m2", Kind: PartText, Text: s} }

func TestWhatStreamsIsInThePathAtOnceAndInOtherProcessesAfterAFlush(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	deltas := []Delta{
		{Message: "m2", Kind: PartReasoning, Text: "hm", Field: "reasoning"},
		{Message: "m2", Kind: PartReasoning, Text: "m "},
		{Message: "m2", Ordinal: 1, Kind: PartText, Text: "one "},
		{Message: "m2", Ordinal: 0, Kind: PartReasoning, Text: "mm"},
		{Message: "m2", Ordinal: 1, Kind: PartText, Text: "two"},
		{Message: "m2", Ordinal: 2, Kind: PartToolCall, CallID: "c", Name: "f"},
		{Message: "m2", Ordinal: 2, Kind: PartToolCall, Text: "{}"},
	}
	want := []Part{
		{Kind: PartReasoning, Text: "hmm mm", Field: "reasoning"}, text("one two"),
		{Kind: PartToolCall, CallID: "c", Name: "f", Text: "{}"},
	}
	for i, d := range deltas {
		s.Append(d)
		if i == 3 {
			check(t, s.Flush(t.Context()))
		}
	}
	same(t, "here", last(t, s, "m2").Parts, want)
	other := reopen(t, path)
	same(t, "elsewhere, before", last(t, other, "m2").Parts,
		[]Part{{Kind: PartReasoning, Text: "hmm mm", Field: "reasoning"}, text("one ")})
	check(t, s.Flush(t.Context()))
	same(t, "elsewhere, after", last(t, other, "m2").Parts, want)
	same(t, "here, after", last(t, s, "m2").Parts, want)

	final := assistant("m2", "m1", Done, want...)
	final.Parts[2].CallState, final.Parts[0].Extra = "ok", raw("[1]")
	final.Usage, final.Prices = &api.Usage{PromptTokens: ptr(int64(1))}, &api.Prices{}
	s.Append(Delta{Message: "m2", Ordinal: 1, Kind: PartText, Text: "!"})
	final.Parts[1].Text = "one two!"
	check(t, s.Finish(t.Context(), final))
	for name, s := range map[string]*Store{"here": s, "elsewhere": other} {
		m := last(t, s, "m2")
		same(t, name, m.Parts, final.Parts)
		if m.State != Done || m.Usage == nil || m.Prices == nil || m.Parent != "m1" || m.Created.IsZero() {
			t.Fatal(dump(m))
		}
	}
	if n := count(t, s, "SELECT count(*) FROM chunks"); n != 0 {
		t.Fatalf("%d chunks are left", n)
	}
	s.Append(textDelta("late"))
	if err := s.Flush(t.Context()); !errors.Is(err, ErrNoMessage) {
		t.Fatalf("a delta after the end: %v", err)
	}
	same(t, "still", last(t, s, "m2").Parts, final.Parts)
}

func TestFinishKeepsPartsThatItsCallerDidNotRepeat(t *testing.T) {
	s := memoryStore(t)
	streaming(t, s)
	s.Append(textDelta("kept"))
	check(t, s.Finish(t.Context(), assistant("m2", "m1", Cancelled)))
	if m := last(t, s, "m2"); m.Text() != "kept" || m.State != Cancelled {
		t.Fatal(dump(m))
	}
	m := assistant("m2", "m1", Done, Part{}, call("c", "running", "{}"))
	check(t, s.Finish(t.Context(), m)) // a second time, with a part that never streamed
	m.Parts[1].CallState = "ok"
	check(t, s.Finish(t.Context(), m))
	same(t, "parts", last(t, s, "m2").Parts, []Part{text("kept"), call("c", "ok", "{}")})
	if err := s.Finish(t.Context(), assistant("none", "", Done)); !errors.Is(err, ErrNoMessage) {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), Message{ID: "m2", Params: api.Params{ToolChoice: raw("{")}}); err == nil {
		t.Fatal("broken parameters were stored")
	}
	check(t, s.Check(t.Context()))
}

func TestDeltasAreWrittenWithinTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must(OpenMemory(t.Context(), Options{}))(t)
		defer func() { check(t, s.Close()) }()
		streaming(t, s)
		written := func() int64 { return count(t, s, "SELECT coalesce(sum(length(text)), 0) FROM chunks") }
		for range 3 {
			before := written()
			s.Append(textDelta("ab"))
			time.Sleep(199 * time.Millisecond)
			s.Append(textDelta("c"))
			synctest.Wait()
			if n := written(); n != before {
				t.Fatalf("%d characters written before the interval", n-before)
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if n := written(); n != before+3 {
				t.Fatalf("%d characters written, not 3", n-before)
			}
			time.Sleep(time.Hour)
		}
		if n := count(t, s, "SELECT count(*) FROM chunks"); n != 3 {
			t.Fatalf("%d rows: neighbouring deltas are not joined", n)
		}
	})
}

// fillDisk makes writes of long texts fail as on a full disk, until mended.
func fillDisk(t *testing.T, s *Store) (mend func()) {
	t.Helper()
	limit := func(pages int64) {
		if _, err := s.writer.ExecContext(t.Context(), fmt.Sprint("PRAGMA max_page_count=", pages)); err != nil {
			t.Error(err)
		}
	}
	limit(count(t, s, "PRAGMA page_count"))
	return func() { limit(1 << 30) }
}

func TestWhatCannotBeSavedIsKeptAndSavedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		s := must(OpenMemory(t.Context(), Options{OnError: func(err error) { told = append(told, err) }}))(t)
		t.Cleanup(func() { _ = s.Close() })
		two := strings.Repeat("two ", 50_000)
		streaming(t, s)
		s.Append(textDelta("one "))
		time.Sleep(time.Second)
		mend := fillDisk(t, s)
		s.Append(textDelta(two))
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told) != 1 || !strings.Contains(told[0].Error(), "disk is full") {
			t.Fatalf("told %v", told)
		}
		if err := s.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "disk is full") {
			t.Fatalf("Flush says %v", err)
		}
		s.Append(textDelta("three"))
		if got := last(t, s, "m2").Text(); got != "one "+two+"three" {
			t.Fatalf("%d bytes on screen", len(got))
		}
		final := assistant("m2", "m1", Done, Part{}, call("c", "waiting", "{}"))
		if err := s.Finish(t.Context(), final); err == nil {
			t.Fatal("Finish says nothing")
		}
		if m := last(t, s, "m2"); m.Text() != "one "+two+"three" || m.State != Done || m.Parts[1].CallState != "waiting" {
			t.Fatal(dump(m))
		}
		if n := count(t, s, "SELECT count(*) FROM messages WHERE state = 'streaming'"); n != 1 {
			t.Fatal("something was written")
		}
		time.Sleep(time.Minute) // nothing new comes: it is tried again all the same
		mend()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(told) != 2 || told[1] != nil {
			t.Fatalf("told %v", told)
		}
		s.mu.Lock()
		left := len(s.pending)
		s.mu.Unlock()
		if m := last(t, s, "m2"); left != 0 || m.Text() != "one "+two+"three" || m.State != Done {
			t.Fatal(left, dump(m))
		}
		if err := s.Flush(t.Context()); err == nil {
			t.Fatal("the failure since the last Flush is forgotten")
		}
		check(t, s.Flush(t.Context()))
		check(t, s.Close())
	})
}

func TestCloseSavesWhatIsPendingAndSaysWhatItCouldNot(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	s.Append(textDelta("abc"))
	check(t, s.Close())
	check(t, s.Close())
	s = reopen(t, path)
	if got := last(t, s, "m2").Text(); got != "abc" {
		t.Fatalf("%q", got)
	}
	fillDisk(t, s)
	s.Append(textDelta(strings.Repeat("def", 100_000)))
	if err := s.Close(); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		t.Fatalf("the log is left: %v", err)
	}
}

// The size of the log tells how much a flush writes, on any machine.
func TestAFlushCostsTheSameAtTheStartAndAtTheEndOfALongAnswer(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	if _, err := s.writer.ExecContext(t.Context(), "PRAGMA wal_autocheckpoint=0"); err != nil {
		t.Fatal(err)
	}
	piece := strings.Repeat("x", 1000)
	cost := func() int64 {
		before := must(os.Stat(path + "-wal"))(t).Size()
		for range 50 {
			s.Append(textDelta(piece))
			check(t, s.Flush(t.Context()))
		}
		return must(os.Stat(path+"-wal"))(t).Size() - before
	}
	first := cost()
	for range 1000 {
		s.Append(textDelta(piece))
		check(t, s.Flush(t.Context()))
	}
	if end := cost(); end > first*5/4 {
		t.Fatalf("50 flushes write %d bytes at the start and %d at the end", first, end)
	}
	check(t, s.Finish(t.Context(), assistant("m2", "m1", Done)))
	if n := len(last(t, s, "m2").Text()); n != 1_100_000 {
		t.Fatal(n)
	}
}

// A reader copies what is pending first, and the database afterwards. Whatever
// is written in between must not count twice.
func TestTextThatIsWrittenWhileAPathIsReadCountsOnce(t *testing.T) {
	s := memoryStore(t)
	streaming(t, s)
	read := func(copied batch) string {
		m := must(loadPath(t.Context(), s.readers, "m2", 9, copied))(t)[1]
		return m.Text()
	}
	s.Append(textDelta("one "))
	check(t, s.Flush(t.Context()))
	s.Append(textDelta("two "))
	copied := s.copyPending()
	if got := read(copied); got != "one two " {
		t.Errorf("before: %q", got)
	}
	check(t, s.Flush(t.Context()))
	s.Append(textDelta("three"))
	if got := read(copied); got != "one two " {
		t.Errorf("written in between: %q", got)
	}
	copied = s.copyPending()
	check(t, s.Finish(t.Context(), assistant("m2", "m1", Done)))
	if got := read(copied); got != "one two three" {
		t.Errorf("finished in between: %q", got)
	}
}

func TestADeltaThatComesDuringAWriteIsLeftForTheNext(t *testing.T) {
	s := memoryStore(t)
	streaming(t, s)
	s.Append(textDelta("one "))
	b, _ := s.takeBatch("")
	s.Append(textDelta("two"))
	if got := string(b["m2"].chunks[0].text); got != "one " {
		t.Fatalf("%q is being written", got)
	}
	check(t, s.transact(t.Context(), quick, func(tx *sql.Tx) error { return s.writePending(t.Context(), tx, "m2", b["m2"]) }))
	s.settle(b)
	if got := last(t, s, "m2").Text(); got != "one two" {
		t.Fatalf("%q", got)
	}
	check(t, s.Flush(t.Context()))
	if n := count(t, s, "SELECT count(*) FROM chunks"); n != 2 {
		t.Fatalf("%d chunks", n)
	}
}

func TestTurnsAreSyncedToTheDiskAndDeltasAreNot(t *testing.T) {
	s, _ := fileStore(t)
	level := func(want int) {
		t.Helper()
		var got int
		check(t, s.writer.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&got))
		if got != want {
			t.Errorf("synchronous is %d, not %d", got, want)
		}
	}
	const normal, full = 1, 2
	streaming(t, s)
	level(full)
	s.Append(textDelta("x"))
	check(t, s.Flush(t.Context()))
	level(normal)
	check(t, s.Finish(t.Context(), assistant("m2", "m1", Done)))
	level(full)
	check(t, s.SaveDraft(t.Context(), "", Draft{Text: "x"}))
	level(normal)
}

func TestReadersSeeEveryDeltaOnceWhileItIsWritten(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	other := reopen(t, path)
	var all strings.Builder
	for range 200 {
		all.WriteString("0123456789")
	}
	want := all.String()
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for _, r := range []*Store{s, other} {
		wg.Go(func() {
			for n := 0; ; {
				p, err := r.Path(t.Context(), "m2", 0)
				if err != nil {
					t.Error(err)
					return
				}
				got := p[1].Text()
				if len(got) < n || got != want[:len(got)] {
					t.Errorf("%d characters after %d: %q", len(got), n, got[max(0, len(got)-30):])
					return
				}
				n = len(got)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 200 {
		s.Append(textDelta(want[i*10 : i*10+7]))
		s.Append(textDelta(want[i*10+7 : i*10+10]))
		check(t, s.Flush(t.Context()))
	}
	check(t, s.Finish(t.Context(), assistant("m2", "m1", Done, text(want))))
	close(stop)
	wg.Wait()
}
