package session

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestZZDeleted(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	s.Append(textDelta("one "))
	t.Log("flush", s.Flush(t.Context()))
	t.Log("rm", os.RemoveAll(filepath.Dir(path)))
	s.Append(textDelta("two "))
	t.Log("flush", s.Flush(t.Context()))
	p, err := s.Path(t.Context(), "m2", 0)
	t.Log("path", dump(p), err)
	t.Log(s.Finish(t.Context(), assistant("m2", "m1", Done)))
	t.Log(s.Begin(t.Context(), Session{ID: "s1", Head: "m2"}, user("m3", "m2", "go on")))
	_, err = s.Lock(t.Context(), "s9")
	t.Log("lock", err)
	for range 5 {
		tx, err := s.readers.BeginTx(t.Context(), nil)
		t.Log(tx != nil, err)
	}
	es, err := os.ReadDir(filepath.Dir(path))
	t.Log(es, err)
}

func TestZZFsize(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	s.Append(textDelta("one "))
	t.Log("flush", s.Flush(t.Context()))
	st, _ := os.Stat(path + "-wal")
	var was syscall.Rlimit
	syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was)
	lim := was
	lim.Cur = uint64(st.Size()) + 5000
	t.Log(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim))
	for range 3 {
		s.Append(textDelta(strings.Repeat("two ", 5000)))
		t.Log("flush", s.Flush(t.Context()))
	}
	t.Log("begin", s.Begin(t.Context(), Session{ID: "s1", Head: "m2"}, user("m3", "m2", strings.Repeat("go on", 5000))))
	t.Log(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	t.Log("flush", s.Flush(t.Context()))
	t.Log("flush", s.Flush(t.Context()))
	t.Log(len(last(t, s, "m2").Text()), len(last(t, reopen(t, path), "m2").Text()), s.Check(t.Context()))
}
