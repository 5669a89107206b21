package session

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// chatOf stores n turns, each answer streamed, and returns the last message.
func chatOf(t *testing.T, s *Store, n int) (v Session) {
	t.Helper()
	v = Session{ID: "s1"}
	for i := range n {
		u, a := fmt.Sprint("u", i), fmt.Sprint("a", i)
		check(t, s.Begin(t.Context(), v, user(u, string(v.Head), "question "+u), assistant(a, u, Streaming)))
		for range 3 {
			s.Append(Delta{Message: MessageID(a), Kind: PartText, Text: "words of " + a + " "})
			check(t, s.Flush(t.Context()))
		}
		check(t, s.Finish(t.Context(), assistant(a, u, Done)))
		v.Head = MessageID(a)
	}
	return v
}

// TestALogTornByAPowerCutKeepsEveryWholeWrite cuts and damages the end of the
// log, where a power cut leaves half a write. All that was written before it
// must be there, and what is written after it too: nothing is glued to a torn
// end.
func TestALogTornByAPowerCutKeepsEveryWholeWrite(t *testing.T) {
	s, path := fileStore(t)
	chatOf(t, s, 5)
	db, wal := must(os.ReadFile(path))(t), must(os.ReadFile(path+"-wal"))(t)
	random := rand.New(rand.NewPCG(1, 2))
	most := 0
	for range 30 {
		n := random.IntN(len(wal) + 1)
		torn := bytes.Clone(wal[:n])
		switch random.IntN(4) {
		case 0: // the file was made longer, its blocks never written
			torn = append(torn, make([]byte, 9000)...)
		case 1: // garbage behind
			torn = append(torn, bytes.Repeat([]byte{0xa5}, 1206)...)
		case 2: // a block within was lost
			for i := max(0, n-random.IntN(3000)); i < n; i++ {
				torn[i] = 0
			}
		}
		path := filepath.Join(t.TempDir(), "s.db")
		check(t, os.WriteFile(path, db, 0o600))
		check(t, os.WriteFile(path+"-wal", torn, 0o600))
		most = max(most, survives(t, path))
	}
	if most < 8 {
		t.Errorf("at most %d messages were ever left", most)
	}
}

// survives opens a torn store and tells how many messages are left of the chat,
// which goes on from there, three times.
func survives(t *testing.T, path string) int {
	t.Helper()
	before := 0
	for round := range 3 {
		s, err := Open(t.Context(), path, Options{Now: clock()})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		check(t, s.Check(t.Context()))
		l := must(s.Lock(t.Context(), "s1"))(t)
		_ = must(s.Repair(t.Context(), l))(t)
		v, err := s.Get(t.Context(), "s1")
		if err != nil { // not even the first message was whole
			v = Session{ID: "s1"}
		}
		msgs := pathOf(t, s, string(v.Head))
		for i, m := range msgs {
			if m.Text() == "" && m.State == Done {
				t.Fatalf("message %d of %d is empty: %s", i, len(msgs), dump(m))
			}
		}
		if round > 0 && (len(msgs) != before+1 || msgs[before].Text() != "marker "+fmt.Sprint(round-1)) {
			t.Fatalf("%d messages after %d and a marker: %s", len(msgs), before, dump(msgs))
		}
		before = len(msgs)
		id := fmt.Sprint("marker", round)
		check(t, s.Begin(t.Context(), v, user(id, string(v.Head), "marker "+fmt.Sprint(round))))
		if n := len(must(s.List(t.Context()))(t)); n != 1 {
			t.Fatalf("%d chats are listed", n)
		}
		check(t, l.Unlock())
		check(t, s.Close())
	}
	return before - 2
}
