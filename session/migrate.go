package session

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// applicationID marks a SQLite file as a store: "wfch".
const applicationID = 0x77666368

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations returns the steps from an empty file to the newest schema: after
// step n, counted from 1, the schema has version n.
func migrations() ([]string, error) {
	var ms []string
	for {
		b, err := migrationFiles.ReadFile(fmt.Sprintf("migrations/%d.sql", len(ms)+1))
		if errors.Is(err, fs.ErrNotExist) {
			return ms, nil
		}
		if err != nil {
			return nil, wrap(err, "read migrations")
		}
		ms = append(ms, string(b))
	}
}

// inspect returns the schema version of the file, or an error if it is no
// store or a newer one.
func inspect(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, newest int) (version int, err error) {
	var app, tables int
	err = db.QueryRowContext(ctx, `SELECT
		(SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&version, &app, &tables)
	switch {
	case err != nil:
		return 0, wrap(err, "read version")
	case tables == 0 && version == 0 && app == 0:
		return 0, nil
	case app != applicationID || version < 1:
		return 0, ErrCorrupt
	case version > newest:
		return 0, ErrNewer
	}
	return version, nil
}

// migrate brings the file at path to the newest schema.
func (s *Store) migrate(ctx context.Context, path string, ms []string) error {
	v, err := inspect(ctx, s.writer, len(ms))
	if err != nil || v == len(ms) {
		return err
	}
	if v > 0 {
		if err := s.backup(ctx, path, v); err != nil {
			return wrap(err, "back up store")
		}
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous=FULL"); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if v, err = inspect(ctx, tx, len(ms)); err != nil { // another process may have been faster
		return err
	}
	for i, m := range ms[v:] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return wrap(err, "migrate store to version %d", v+i+1)
		}
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(ms)))
	if err != nil {
		return wrap(err, "set version")
	}
	return wrap(tx.Commit(), "migrate store")
}

// backup copies the store to a file beside it that names the version. The
// copy appears under its name only when it is complete.
func (s *Store) backup(ctx context.Context, path string, version int) error {
	name := fmt.Sprintf("%s.v%d", filepath.Base(path), version)
	f, err := os.CreateTemp(filepath.Dir(path), name+".*.tmp") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = s.writer.ExecContext(ctx, "VACUUM INTO ?", f.Name())
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	stamp := s.o.Now().UTC().Format("20060102T150405.000000000Z")
	return os.Rename(f.Name(), filepath.Join(filepath.Dir(path), name+"."+stamp+".bak"))
}
