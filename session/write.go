package session

import (
	"context"
	"database/sql"
)

// durability is SQLite's synchronous setting of a transaction. Both survive
// the death of the process.
type durability string

const (
	synced durability = "FULL"   // survives a power cut from its commit on
	quick  durability = "NORMAL" // survives one from the next checkpoint on
)

// write runs fn in a transaction, alone among this Store's writers.
func (s *Store) write(ctx context.Context, d durability, fn func(*sql.Tx) error) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.release()
	return s.transact(ctx, d, fn)
}

// take waits until nobody else writes through this Store.
func (s *Store) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store) release() { <-s.turn }

// transact is write for one who has taken the turn.
func (s *Store) transact(ctx context.Context, d durability, fn func(*sql.Tx) error) error {
	if err := s.present(ctx); err != nil {
		return err
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // back to the pool
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous="+string(d)); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // no effect after Commit
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > s.version {
		return ErrNewer
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// querier is a *sql.DB or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// column reads all rows of a query with one column.
func column[T any](ctx context.Context, q querier, query string, args ...any) ([]T, error) {
	var all []T
	err := each(ctx, q, query, args, func(scan func(...any) error) error {
		var v T
		if err := scan(&v); err != nil {
			return err
		}
		all = append(all, v)
		return nil
	})
	return all, err
}

// each calls fn for each row of a query.
func each(ctx context.Context, q querier, query string, args []any, fn func(scan func(...any) error) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
