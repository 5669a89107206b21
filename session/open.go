package session

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// dsn names a database for the driver. Pragmas there hold for each connection.
func dsn(path string, params ...string) string {
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path}
	params = append(params, "_pragma=busy_timeout(5000)", "_pragma=foreign_keys(1)",
		"_pragma=secure_delete(1)", "_pragma=temp_store(memory)")
	u.RawQuery = strings.Join(params, "&")
	return u.String()
}

func (s *Store) openFile(ctx context.Context, path string, ms []string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := prepareFile(path); err != nil {
		return err
	}
	s.path, s.locks = path, filepath.Join(filepath.Dir(path), "locks")
	var err error
	if s.file, err = os.Stat(path); err != nil {
		return err
	}
	if s.writer, err = openDB(path, "_txlock=immediate"); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	if _, err := inspect(ctx, s.writer, len(ms)); err != nil { // before anything is written
		return err
	}
	if err := s.keepLog(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx, path, ms); err != nil {
		return err
	}
	if s.readers, err = openDB(path, "_pragma=query_only(1)"); err != nil {
		return err
	}
	s.readers.SetMaxOpenConns(readerConns)
	return nil
}

// readerConns is how many may read at once.
const readerConns = 4

// openDB opens a file that exists: SQLite would make one that all can read.
func openDB(path string, params ...string) (*sql.DB, error) {
	return sql.Open("sqlite", dsn(filepath.ToSlash(path), append(params, "mode=rw")...))
}

// keepLog sets the journal mode, which the file remembers. SQLite does not wait
// there while another process does the same, so that the wait is made here.
func (s *Store) keepLog(ctx context.Context) error {
	const longest, pause = 5 * time.Second, 5 * time.Millisecond
	var mode string
	for waited := time.Duration(0); ; waited += pause {
		err := s.writer.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode)
		if !busy(err) || waited >= longest {
			return wrap(err, "set journal mode")
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// openMemory uses SQLite's memdb: the database lives as long as a connection
// to it, and anchor is one that nothing interrupts.
func (s *Store) openMemory(ctx context.Context, ms []string) error {
	name := dsn("/waferchat-"+randomID(), "vfs=memdb", "_txlock=immediate")
	keeper, err := sql.Open("sqlite", name)
	if err != nil {
		return err
	}
	s.writer, err = sql.Open("sqlite", name)
	if err != nil {
		return errors.Join(err, keeper.Close())
	}
	s.keeper = keeper
	if s.anchor, err = keeper.Conn(ctx); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	s.readers = s.writer
	return s.migrate(ctx, "", ms)
}

// prepareFile makes sure that the file exists and is private from its first
// moment: SQLite gives its -wal and -shm files the same mode. It opens no file
// that exists, because closing it again would release the locks that another
// Store of this process has on it.
func prepareFile(path string) error {
	wal, _ := os.Stat(path + "-wal") // before the file itself, which always comes first
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	const smallestPage = 512
	if size := info.Size(); size > 0 && size < smallestPage || size == 0 && wal != nil && wal.Size() > 0 {
		return ErrCorrupt // SQLite would take it for empty, and throw the log away
	}
	if info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, 0o600) // fails for someone else's file: then it stays as it is
	}
	return nil
}
