package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// Siblings returns the ids of the messages with the same parent and role as
// id, itself included, oldest first, deleted ones left out.
func (s *Store) Siblings(ctx context.Context, id MessageID) ([]MessageID, error) {
	all, err := column[MessageID](ctx, s.readers, `SELECT b.id FROM messages a
		JOIN messages b ON b.parent = a.parent OR (a.parent IS NULL AND b.parent IS NULL AND b.session = a.session)
		WHERE a.id = ? AND b.role = a.role AND b.deleted = 0 ORDER BY b.seq`, id)
	if err == nil && len(all) == 0 {
		var n int
		err = noMessage(s.readers.QueryRowContext(ctx, "SELECT 1 FROM messages WHERE id = ?", id).Scan(&n), id)
	}
	return all, wrap(err, "read siblings")
}

// Leaf returns the newest leaf below id, or id itself. Deleted messages are no
// leaves.
func (s *Store) Leaf(ctx context.Context, id MessageID) (MessageID, error) {
	var leaf MessageID
	// The newest message below id has no children: they would be newer.
	err := s.readers.QueryRowContext(ctx, `WITH RECURSIVE below(seq) AS (
		SELECT seq FROM messages WHERE id = ?1
		UNION ALL
		SELECT m.seq FROM below CROSS JOIN messages m ON m.parent = below.seq WHERE m.seq > below.seq)
		SELECT id FROM messages WHERE seq = (SELECT max(seq) FROM messages JOIN below USING (seq) WHERE deleted = 0 OR id = ?1)`,
		id).Scan(&leaf)
	return leaf, wrap(noMessage(err, id), "read leaf")
}

// SetHead moves the head of a session. The lock must be held.
func (s *Store) SetHead(ctx context.Context, id ID, head MessageID) error {
	err := s.write(ctx, quick, func(tx *sql.Tx) error {
		var seq int64
		err := tx.QueryRowContext(ctx, "SELECT seq FROM sessions WHERE id = ?", id).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		if head != "" {
			var n int
			err := tx.QueryRowContext(ctx, "SELECT 1 FROM messages WHERE id = ? AND session = ?", head, seq).Scan(&n)
			if err != nil {
				return noMessage(err, head)
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET head = ? WHERE seq = ?", head, seq)
		return err
	})
	return wrap(err, "move head of session %s", id)
}

// SetDeleted marks or unmarks messages, all or none. The lock must be held.
func (s *Store) SetDeleted(ctx context.Context, deleted bool, ids ...MessageID) error {
	err := s.write(ctx, quick, func(tx *sql.Tx) error {
		for _, id := range ids {
			r, err := tx.ExecContext(ctx, "UPDATE messages SET deleted = ? WHERE id = ?", deleted, id)
			if err != nil {
				return err
			}
			if n, err := r.RowsAffected(); err != nil || n == 0 {
				return errors.Join(err, fmt.Errorf("message %s: %w", id, ErrNoMessage))
			}
		}
		return nil
	})
	return wrap(err, "mark messages")
}

// Fork copies the path that ends at the message end into a new session with
// new message ids and a link to its parent, and returns it. A message that is
// still streaming is interrupted in the copy.
func (s *Store) Fork(ctx context.Context, end MessageID) (Session, error) {
	path, err := s.Path(ctx, end, 0)
	if err == nil && len(path) == 0 {
		err = ErrNoMessage
	}
	if err != nil {
		return Session{}, wrap(err, "fork session")
	}
	v, err := s.Get(ctx, path[0].Session)
	if err != nil {
		return Session{}, wrap(err, "fork session")
	}
	v.Parent, v.ParentMessage = v.ID, end
	v.ID, v.Head, v.Created = NewID(), "", s.o.Now()
	v.Pinned, v.Archived, v.View = false, false, View{Reasoning: v.View.Reasoning}
	var parent MessageID
	for i := range path {
		m := &path[i]
		m.ID, m.Session, m.Parent = NewMessageID(), v.ID, parent
		parent = m.ID
		if m.State == Streaming {
			m.State = Interrupted
			m.Parts = cancelCalls(m.Parts)
		}
	}
	if err := s.Begin(ctx, v, path...); err != nil {
		return Session{}, wrap(err, "fork session")
	}
	return s.Get(ctx, v.ID)
}

// cancelCalls returns the parts with all calls that have not ended cancelled.
func cancelCalls(parts []Part) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		if p := &parts[i]; p.Kind == PartToolCall && (p.CallState == "" || p.CallState == "waiting" || p.CallState == "running") {
			p.CallState = "cancelled"
		}
	}
	return parts
}
