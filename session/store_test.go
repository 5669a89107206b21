package session

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"waferchat/api"
)

func fullSession() Session {
	return Session{
		ID: "s1", Title: "Ö title", TitleSource: TitleUser, Profile: "work", BaseURL: "http://127.0.0.1/v1", Model: "m",
		Effort: "high", Params: api.Params{MaxTokens: ptr(5), Stop: []string{"<a>"}, ToolChoice: json.RawMessage(`"auto"`)},
		System: "be brief", ZDR: true, Tools: []string{"a", "b"}, View: View{Message: "m1", Offset: 3, Reasoning: "full"},
		Pinned: true, Archived: true, Tags: []string{"z", "a"}, Parent: "s0", ParentMessage: "m0",
		Created: time.Unix(5, 6), Updated: time.Unix(7, 8),
	}
}

func fullMessage() Message {
	return Message{
		ID: "m2", Parent: "m1", Role: api.RoleAssistant, State: Failed, Deleted: true, Created: time.Unix(9, 10),
		Model: "m", Effort: "low", Params: api.Params{Temperature: ptr(0.5)},
		Usage: &api.Usage{PromptTokens: ptr(int64(10)), CompletionTokens: ptr(int64(0)),
			Raw: json.RawMessage(`{"prompt_tokens":10,"gpu_seconds":0.5}`)}, Prices: &api.Prices{Input: ptr(int64(3))},
		Timing: Timing{FirstToken: 1, Reasoning: 2, End: 3}, Finish: "length",
		Failure: &Failure{Title: "t", Advice: "a", Code: "c", Status: 500}, RequestID: "r", Attempts: 2,
		Estimate: 9, Limit: 65_536, Extra: json.RawMessage(`{"service_tier":null,"x":"<ä>"}`),
		Parts: []Part{
			{Kind: PartReasoning, Text: "hm\x00\xff\xfe", Field: "reasoning", Extra: json.RawMessage(`[{"a": "<b>"}]`)},
			text("täxt\n"),
			{Kind: PartToolCall, CallID: "c", Name: "f", Text: `{"x": `, CallState: "denied", Approval: "asked", Started: time.Unix(1, 2), Ended: time.Unix(3, 4)},
			{Kind: PartImage, Text: "data:image/png;base64,AA==", Blob: "abc"},
			{Kind: PartRefusal, Text: "no"},
		},
	}
}

func TestEverythingOfASessionAndItsMessagesComesBack(t *testing.T) {
	for name, s := range map[string]*Store{"file": must2(fileStore(t)), "memory": memoryStore(t)} {
		t.Run(name, func(t *testing.T) {
			v, m := fullSession(), fullMessage()
			check(t, s.Begin(t.Context(), v, user("m1", "", "hi"), m))
			got := must(s.Get(t.Context(), "s1"))(t)
			v.Head, v.Updated = "m2", got.Updated
			same(t, "session", got, v)

			path := pathOf(t, s, "m2")
			m.Session = "s1"
			same(t, "message", path[1], m)
			if p := path[1].Parts[0]; p.Text != m.Parts[0].Text || string(p.Extra) != string(m.Parts[0].Extra) {
				t.Fatalf("bytes changed: %q %s", p.Text, p.Extra)
			}
			if path[0].Usage != nil || path[0].Prices != nil || path[0].Failure != nil {
				t.Fatal("unknown became known")
			}
		})
	}
}

func must2(s *Store, _ string) *Store { return s }

func TestSaveWritesASessionsOwnDataOnly(t *testing.T) {
	s := memoryStore(t)
	check(t, s.Save(t.Context(), Session{ID: "s1", Title: "x"}))
	if _, err := s.Get(t.Context(), "s1"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("a session without a message is stored: %v", err)
	}
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "hello")))
	before := must(s.Get(t.Context(), "s1"))(t)
	v := fullSession()
	v.Head = "other"
	check(t, s.Save(t.Context(), v))
	got := must(s.Get(t.Context(), "s1"))(t)
	v.Head, v.Created, v.Updated = before.Head, before.Created, before.Updated
	same(t, "saved", got, v)
	v.Tags = nil
	check(t, s.Save(t.Context(), v))
	same(t, "tags", must(s.Get(t.Context(), "s1"))(t).Tags, []string(nil))
}

func TestAnAnswerThatMovedOnElsewhereIsNotOverwritten(t *testing.T) {
	s := memoryStore(t)
	v := Session{ID: "s1"}
	check(t, s.Begin(t.Context(), v, user("m1", "", "hello")))
	err := s.Begin(t.Context(), v, user("m2", "", "again"))
	if !errors.Is(err, ErrMoved) {
		t.Fatalf("got %v", err)
	}
	if _, err := s.Path(t.Context(), "m2", 0); !errors.Is(err, ErrNoMessage) || !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	v.Head = "m1"
	check(t, s.Begin(t.Context(), v, user("m2", "m1", "again")))
	if err := s.Begin(t.Context(), Session{ID: "gone", Head: "m2"}, user("m3", "m2", "x")); !errors.Is(err, ErrMoved) {
		t.Fatalf("a deleted session: %v", err)
	}
	v.Head = "m2"
	err = s.Begin(t.Context(), v, user("m3", "m2", "fine"), user("m4", "nowhere", "not"))
	if !errors.Is(err, ErrNoMessage) {
		t.Fatalf("got %v", err)
	}
	if _, err := s.Path(t.Context(), "m3", 0); !errors.Is(err, ErrNoMessage) {
		t.Fatalf("half of it was stored: %v", err)
	}
	if err := s.Begin(t.Context(), v, Message{Role: api.RoleUser}); err == nil {
		t.Fatal("a message without id was stored")
	}
	if err := s.Begin(t.Context(), Session{}, user("m5", "", "x")); err == nil {
		t.Fatal("a session without id was stored")
	}
}

func TestFilesArePrivateFromCreation(t *testing.T) {
	defer umask(0)()
	s, path := fileStore(t)
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "hello")))
	l := must(s.Lock(t.Context(), "s1"))(t)
	defer func() { _ = l.Unlock() }()
	seen := 0
	err := filepath.WalkDir(filepath.Dir(path), func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want && posix {
			t.Errorf("%s is %v", p, info.Mode())
		}
		seen++
		return err
	})
	check(t, err)
	if seen != 6 { // directory, database, -wal, -shm, locks, one lock
		t.Errorf("%d files", seen)
	}
}

func TestALooseFileIsTightened(t *testing.T) {
	s, path := fileStore(t)
	check(t, s.Close())
	check(t, os.Chmod(path, 0o644))
	reopen(t, path)
	if info := must(os.Stat(path))(t); info.Mode().Perm() != 0o600 && posix {
		t.Fatal(info.Mode())
	}
}

func TestPathsWithOddCharactersWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%41?#&ü", "s=1?.db")
	if !posix {
		path = filepath.Join(t.TempDir(), "a b%41#&ü", "s=1.db")
	}
	s := reopen(t, path)
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "hello")))
	check(t, s.Close())
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	same(t, "text", last(t, reopen(t, path), "m1").Text(), "hello")
}

func TestAFileThatIsNoStoreIsRefusedAndKept(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db := must(sql.Open("sqlite", dsn(filepath.ToSlash(foreign))))(t)
	_, err := db.Exec("CREATE TABLE t (a); PRAGMA user_version = 1")
	check(t, errors.Join(err, db.Close()))
	cases := map[string][]byte{
		"text":             []byte(strings.Repeat("no database ", 1000)),
		"zeros":            make([]byte, 8192),
		"short":            []byte("x"),
		"another database": must(os.ReadFile(foreign))(t),
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			check(t, os.WriteFile(path, content, 0o600))
			_, err := Open(t.Context(), path, Options{})
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v", err)
			}
			if got := must(os.ReadFile(path))(t); string(got) != string(content) {
				t.Fatal("the file was changed")
			}
		})
	}
	t.Run("emptied beside its log", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s.db")
		check(t, os.WriteFile(path, nil, 0o600))
		check(t, os.WriteFile(path+"-wal", []byte("something"), 0o600))
		if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("got %v", err)
		}
		if got := must(os.ReadFile(path + "-wal"))(t); string(got) != "something" {
			t.Fatal("the log was changed")
		}
	})
}

func TestADamagedStoreSaysSo(t *testing.T) {
	s, path := fileStore(t)
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", strings.Repeat("hello ", 20_000))))
	check(t, s.Check(t.Context()))
	check(t, s.Close())
	b := must(os.ReadFile(path))(t)
	for i := 4096; i < len(b); i++ {
		b[i] = 0xa5
	}
	check(t, os.WriteFile(path, b, 0o600))
	s, err := Open(t.Context(), path, Options{})
	if err == nil {
		defer func() { _ = s.Close() }()
		_, err = s.Path(t.Context(), "m1", 0)
	}
	if !errors.Is(err, ErrCorrupt) {
		t.Fatalf("got %v", err)
	}
}

func TestAMemoryStoreTouchesNoDisk(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	a, b := memoryStore(t), memoryStore(t)
	check(t, a.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "hello"), assistant("m2", "m1", Streaming)))
	a.Append(Delta{Message: "m2", Kind: PartText, Text: strings.Repeat("secret ", 1<<17)})
	check(t, a.Flush(t.Context()))
	check(t, a.Finish(t.Context(), assistant("m2", "m1", Done)))
	if n := len(last(t, a, "m2").Text()); n != 7<<17 {
		t.Fatal(n)
	}
	if _, err := b.Get(t.Context(), "s1"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("two stores in memory are one: %v", err)
	}
	if l := must(os.ReadDir(dir))(t); len(l) != 0 {
		t.Fatal(l)
	}
	l := must(a.Lock(t.Context(), "s1"))(t)
	if _, err := a.Lock(t.Context(), "s1"); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	check(t, l.Unlock())
	if l := must(os.ReadDir(dir))(t); len(l) != 0 {
		t.Fatal(l)
	}
}

func TestTwoStoresOnOneFileSeeEachOther(t *testing.T) {
	a, path := fileStore(t)
	b := reopen(t, path)
	check(t, a.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "hello")))
	check(t, b.Begin(t.Context(), Session{ID: "s1", Head: "m1"}, user("m2", "m1", "world")))
	if p := pathOf(t, a, "m2"); len(p) != 2 || p[1].Text() != "world" {
		t.Fatal(dump(p))
	}
	check(t, a.Close())
	same(t, "head", must(b.Get(t.Context(), "s1"))(t).Head, "m2")
}

func TestDeleteRemovesASessionAndItsTraces(t *testing.T) {
	s := memoryStore(t)
	v := Session{ID: "s1", Tags: []string{"t"}}
	check(t, s.Begin(t.Context(), v, user("m1", "", "hello secret"), assistant("m2", "m1", Streaming)))
	check(t, s.Begin(t.Context(), Session{ID: "s2"}, user("n1", "", "other secret")))
	s.Append(Delta{Message: "m2", Kind: PartText, Text: "abc"})
	check(t, s.Flush(t.Context()))
	s.Append(Delta{Message: "m2", Kind: PartText, Text: "def"})
	check(t, s.SaveDraft(t.Context(), "s1", Draft{Text: "draft"}))
	check(t, s.Delete(t.Context(), "s1"))
	if err := s.Delete(t.Context(), "s1"); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	for table, want := range map[string]int64{"sessions": 1, "messages": 1, "parts": 1, "chunks": 0, "tags": 0, "drafts": 0,
		"trigrams WHERE trigrams MATCH 'secret'": 2} {
		if n := count(t, s, "SELECT count(*) FROM "+table); n != want {
			t.Errorf("%s: %d rows, not %d", table, n, want)
		}
	}
	if err := s.Flush(t.Context()); !errors.Is(err, ErrNoMessage) {
		t.Fatalf("text of a deleted message: %v", err)
	}
	check(t, s.Flush(t.Context()))
	check(t, s.Check(t.Context()))
}

func TestBlobsAreKeptOnceByTheirSum(t *testing.T) {
	s := memoryStore(t)
	a := must(s.SaveBlob(t.Context(), []byte("x\x00y")))(t)
	b := must(s.SaveBlob(t.Context(), []byte("x\x00y")))(t)
	if a != b || len(a) != 64 || count(t, s, "SELECT count(*) FROM blobs") != 1 {
		t.Fatal(a, b)
	}
	if got := must(s.Blob(t.Context(), a))(t); string(got) != "x\x00y" {
		t.Fatalf("%q", got)
	}
	if _, err := s.Blob(t.Context(), "none"); err == nil {
		t.Fatal("no error")
	}
	if e := must(s.SaveBlob(t.Context(), nil))(t); len(must(s.Blob(t.Context(), e))(t)) != 0 {
		t.Fatal("not empty")
	}
}

func TestDrafts(t *testing.T) {
	s, path := fileStore(t)
	for _, id := range []ID{"", "s1"} {
		same(t, "none", must(s.Draft(t.Context(), id))(t), Draft{})
		d := Draft{Text: "hel", Attachments: json.RawMessage(`[{"a": 1}]`)}
		check(t, s.SaveDraft(t.Context(), id, d))
		if got := must(reopen(t, path).Draft(t.Context(), id))(t); !reflect.DeepEqual(got, d) {
			t.Fatalf("%+v", got)
		}
		check(t, s.SaveDraft(t.Context(), id, Draft{Text: "x"}))
		same(t, "newer", must(s.Draft(t.Context(), id))(t), Draft{Text: "x"})
		check(t, s.SaveDraft(t.Context(), id, Draft{}))
		same(t, "removed", must(s.Draft(t.Context(), id))(t), Draft{})
	}
	if n := count(t, s, "SELECT count(*) FROM drafts"); n != 0 {
		t.Fatal(n)
	}
}
