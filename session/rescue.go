package session

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// present makes sure that what is written can be found again: that the path
// still leads to the file that is open. A system lets a file be removed that is
// in use, and SQLite writes on into it. Whoever finds it gone is told so, once;
// the next one puts it back. Whoever calls it has the turn.
func (s *Store) present(ctx context.Context) error {
	if s.path == "" {
		return nil
	}
	there, err := os.Stat(s.path)
	switch {
	case err == nil && os.SameFile(there, s.file):
		s.missed = false
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return wrap(err, "find store")
	case !s.missed:
		s.missed = true
		return ErrGone
	case err == nil:
		return wrap(s.adopt(ctx), "take up the store that is there now")
	}
	return wrap(s.rescue(ctx), "put back store %s", s.path)
}

// restore does for one who only reads what a write would do first.
func (s *Store) restore(ctx context.Context) error {
	if s.path == "" {
		return nil
	}
	if there, err := os.Stat(s.path); err == nil && os.SameFile(there, s.file) {
		return nil
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.release()
	return s.present(ctx)
}

// rescue writes the store, which the open connection still has, to its path
// again, and goes on with that. It never writes over a file.
func (s *Store) rescue(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".*.tmp") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := s.copyTo(ctx, f); err != nil {
		return err
	}
	for _, left := range []string{"-wal", "-shm", "-journal"} { // SQLite would take them for the copy's
		if err := os.Remove(s.path + left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err = os.Link(f.Name(), s.path)
	if _, missing := os.Lstat(s.path); err != nil && errors.Is(missing, fs.ErrNotExist) { // a disk without links
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return err
	}
	return s.reconnect(ctx)
}

// copyTo copies the whole store into an empty file, which it closes.
func (s *Store) copyTo(ctx context.Context, f *os.File) error {
	_, err := s.writer.ExecContext(ctx, "VACUUM INTO ?", f.Name())
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// adopt goes on with a file that was put in the place of the store's: by another
// waferchat that rescued it first, or from a backup. It must have every message
// that is still to be written.
func (s *Store) adopt(ctx context.Context) error {
	db, err := openDB(s.path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if v, err := inspect(ctx, db, s.version); err != nil || v != s.version {
		return errors.Join(ErrGone, err)
	}
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.pending))
	s.mu.Unlock()
	for _, id := range ids {
		var n int
		err := db.QueryRowContext(ctx, "SELECT 1 FROM messages WHERE id = ?", id).Scan(&n)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: message %s is not in the one that is there now", ErrGone, id)
		}
		if err != nil {
			return err
		}
	}
	return s.reconnect(ctx)
}

// reconnect has every connection opened anew, and takes the locks that are held
// again.
func (s *Store) reconnect(ctx context.Context) error {
	there, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if err := drop(ctx, s.writer, 1); err != nil {
		return err
	}
	if err := s.keepLog(ctx); err != nil {
		return err
	}
	if err := drop(ctx, s.readers, readerConns); err != nil {
		return err
	}
	s.file, s.missed = there, false
	s.mu.Lock()
	held := slices.Collect(maps.Values(s.held))
	s.mu.Unlock()
	for _, l := range held {
		_ = l.take() // one that is taken by somebody else now finds the session moved
	}
	return nil
}

// drop closes the n connections that a database may have, once they are free.
func drop(ctx context.Context, db *sql.DB, n int) error {
	var conns []*sql.Conn
	var errs []error
	for range n {
		c, err := db.Conn(ctx)
		if err != nil {
			errs = append(errs, err)
			break
		}
		conns = append(conns, c)
	}
	for _, c := range conns {
		_ = c.Raw(func(any) error { return driver.ErrBadConn })
		_ = c.Close()
	}
	return errors.Join(errs...)
}
