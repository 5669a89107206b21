package session

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// build makes a store as an earlier version left it: that of version 1, with
// what each one after it did to it.
func build(t *testing.T, version int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.db")
	db := must(sql.Open("sqlite", dsn(filepath.ToSlash(path))))(t)
	db.SetMaxOpenConns(1)
	for v := range version {
		script := must(os.ReadFile(fmt.Sprintf("testdata/v%d.sql", v+1)))(t)
		if _, err := db.ExecContext(t.Context(), string(script)); err != nil {
			t.Fatal(err)
		}
	}
	check(t, db.Close())
	return path
}

// contents is all that the calls of a store can tell of a fixture.
func contents(t *testing.T, s *Store) string {
	t.Helper()
	ctx := t.Context()
	check(t, s.Check(ctx))
	v := must(s.Latest(ctx))(t)
	all := []any{must(s.List(ctx))(t), v, must(s.Draft(ctx, ""))(t), must(s.Draft(ctx, v.ID))(t), must(s.History(ctx, 9))(t)}
	for _, end := range must(column[string](ctx, s.readers, "SELECT id FROM messages ORDER BY seq"))(t) {
		all = append(all, pathOf(t, s, end))
	}
	for _, q := range []string{"old chat", "look it", "秃发", "up", "answer"} {
		all = append(all, hits(t, s, q))
	}
	b := must(json.MarshalIndent(utc(t, all), "", " "))(t)
	return string(b) + "\n"
}

// utc makes times independent of this machine's zone.
func utc(t *testing.T, v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = utc(t, v[i])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = utc(t, v[k])
		}
		return v
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
		return v
	case nil, bool, float64:
		return v
	}
	var plain any
	check(t, json.Unmarshal(must(json.Marshal(v))(t), &plain))
	return utc(t, plain)
}

// keeps opens a store of an earlier version and compares all it holds with a
// golden file.
func keeps(t *testing.T, version int) *Store {
	t.Helper()
	s := reopen(t, build(t, version))
	got, golden := contents(t, s), fmt.Sprintf("testdata/v%d.json", version)
	if *update {
		check(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	if want := must(os.ReadFile(golden))(t); got != string(want) {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	if b := must(s.Blob(t.Context(), "f00d"))(t); string(b) != "\x00\xff" {
		t.Fatalf("%q", b)
	}
	return s
}

func TestAStoreOfVersion1KeepsAllItHolds(t *testing.T) {
	s := keeps(t, 1)
	l := must(s.Lock(t.Context(), "aaaaaaaaaaaa"))(t)
	if n := must(s.Repair(t.Context(), l))(t); n != 1 || hits(t, s, "an answer") != "[mmmmmmmmmmm5]" {
		t.Fatal("the half answer is not repaired")
	}
}

func TestAStoreOfVersion2KeepsAllItHolds(t *testing.T) {
	s := keeps(t, 2)
	l := must(s.Lock(t.Context(), "aaaaaaaaaaaa"))(t)
	if n := must(s.Repair(t.Context(), l))(t); n != 2 || hits(t, s, "an answer") != "[mmmmmmmmmmm5]" {
		t.Fatalf("%d messages are repaired", n)
	}
	if p := last(t, s, "mmmmmmmmmmm6").Parts[0]; p.CallState != "cancelled" {
		t.Fatalf("the call of a dead process is %q", p.CallState)
	}
	// Its answers have no estimates: there is nothing to calibrate with, until
	// there is.
	same(t, "calibration", must(s.Calibration(t.Context(), "model-a"))(t), Calibration{Factor: 1, Error: UncalibratedError})
	m := *last(t, s, "mmmmmmmmmmm3")
	m.Estimate, m.Limit = 500, 4096
	check(t, s.Finish(t.Context(), m))
	if c := must(s.Calibration(t.Context(), "MODEL-A"))(t); c.Count != 1 {
		t.Fatalf("calibration: %+v", c)
	}
	if m := last(t, s, "mmmmmmmmmmm3"); m.Estimate != 500 || m.Limit != 4096 {
		t.Fatal(dump(m))
	}
}

func TestMigrationsThatStoresWentThroughAreFrozen(t *testing.T) {
	ms := must(migrations())(t)
	schema := func(s *Store) []string {
		return must(column[string](t.Context(), s.readers, "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name"))(t)
	}
	for i, want := range []string{
		"12c35dc27e6ef894c0c5b8ee643e414d445930bb0d862069f05015780231759b",
		"ee4321d275616c4128782d2ce9738cabd82af4e95f950b1531f585633d2ba306",
	} {
		sum := sha256.Sum256([]byte(ms[i]))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("migrations/%d.sql was edited (%s): stores that people have don't change with it", i+1, got)
		}
		old := must(open(t.Context(), build(t, i+1), Options{}, ms[:i+1]))(t)
		fresh := must(open(t.Context(), filepath.Join(t.TempDir(), "s.db"), Options{}, ms[:i+1]))(t)
		same(t, "schema", schema(fresh), schema(old))
		check(t, errors.Join(old.Close(), fresh.Close()))
	}
}

// next are the migrations of a later waferchat.
func next(t *testing.T, last string) []string {
	return append(must(migrations())(t), "ALTER TABLE sessions ADD COLUMN later TEXT NOT NULL DEFAULT 'x'", last)
}

func TestMigratingKeepsABackupOfTheOldFile(t *testing.T) {
	defer umask(0)()
	path := build(t, 1)
	s := must(open(t.Context(), path, Options{Now: clock()}, next(t, "CREATE TABLE more (a)")))(t)
	after := contents(t, s)
	if n := count(t, s, "SELECT count(*) FROM sessions WHERE later = 'x'"); n != 1 {
		t.Fatal("not migrated")
	}
	check(t, s.Close())
	s = must(open(t.Context(), path, Options{}, next(t, "CREATE TABLE more (a)")))(t) // no second backup
	check(t, s.Close())
	backups := must(filepath.Glob(filepath.Join(filepath.Dir(path), "s.db.v1.*")))(t)
	if len(backups) != 1 || filepath.Ext(backups[0]) != ".bak" {
		t.Fatal(backups)
	}
	if info := must(os.Stat(backups[0]))(t); info.Mode().Perm() != 0o600 && posix {
		t.Fatal(info.Mode())
	}
	if db := must(openDB(backups[0]))(t); must(inspect(t.Context(), db, 1))(t) != 1 || db.Close() != nil {
		t.Fatal("the backup is not of version 1")
	}
	old := reopen(t, backups[0]) // brought to what can be read
	if before := contents(t, old); before != after {
		t.Fatalf("before\n%s\nafter\n%s", before, after)
	}
	check(t, old.Close())
}

func TestAFailedMigrationChangesNothing(t *testing.T) {
	path := build(t, 1)
	if _, err := open(t.Context(), path, Options{}, next(t, "CREATE nonsense")); err == nil {
		t.Fatal("no error")
	}
	s := reopen(t, path)
	if n := count(t, s, "SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'later'"); n != 0 {
		t.Fatal("half of it was done")
	}
}

func TestANewerStoreIsRefusedUntouched(t *testing.T) {
	_, path := fileStore(t)
	s := must(open(t.Context(), path, Options{}, next(t, "CREATE TABLE more (a)")))(t)
	check(t, s.Close())
	before := must(os.ReadFile(path))(t)
	_, err := Open(t.Context(), path, Options{})
	if !errors.Is(err, ErrNewer) {
		t.Fatalf("got %v", err)
	}
	if after := must(os.ReadFile(path))(t); string(after) != string(before) {
		t.Fatal("the file was changed")
	}
}

func TestAnOlderProcessReadsOnWhenANewerOneMigrates(t *testing.T) {
	s, path := fileStore(t)
	streaming(t, s)
	newer := must(open(t.Context(), path, Options{}, next(t, "CREATE TABLE more (a)")))(t)
	s.Append(textDelta("abc"))
	ctx := t.Context()
	for name, err := range map[string]error{
		"Begin":     s.Begin(ctx, Session{ID: "s2"}, user("n1", "", "x")),
		"Save":      s.Save(ctx, Session{ID: "s1", Title: "x"}),
		"SaveDraft": s.SaveDraft(ctx, "", Draft{Text: "x"}),
		"SetHead":   s.SetHead(ctx, "s1", "m1"),
		"Flush":     s.Flush(ctx),
		"Finish":    s.Finish(ctx, assistant("m2", "m1", Done)),
		"Fork":      must1(s.Fork(ctx, "m1")),
	} {
		if !errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m := last(t, s, "m2"); m.Text() != "abc" {
		t.Errorf("what could not be saved is gone: %s", dump(m))
	}
	if m := last(t, newer, "m2"); m.State != Streaming || m.Text() != "" {
		t.Errorf("the newer store was changed: %s", dump(m))
	}
	check(t, newer.Close())
	if err := s.Close(); !errors.Is(err, ErrNewer) {
		t.Errorf("Close hides what is lost: %v", err)
	}
}

func TestManyProcessesMayCreateAndMigrateAStoreAtOnce(t *testing.T) {
	fresh, old := filepath.Join(t.TempDir(), "s.db"), build(t, 1)
	for _, path := range []string{fresh, old} {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				s, err := open(t.Context(), path, Options{}, next(t, "CREATE TABLE more (a)"))
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.SaveDraft(t.Context(), "", Draft{Text: "x"}); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}
