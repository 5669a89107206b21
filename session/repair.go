package session

import (
	"context"
	"database/sql"
	"errors"
)

// Repair marks the messages that a dead process left streaming as
// interrupted, and their unanswered calls as cancelled, also those of finished
// messages whose tools were at work. Only the lock's holder may call it.
// Messages that this Store itself is writing are left alone. It returns how
// many messages it changed.
func (s *Store) Repair(ctx context.Context, l *Lock) (int, error) {
	if !l.holds(s) {
		return 0, wrap(errors.New("the lock is not held"), "repair session %s", l.id)
	}
	n := 0
	err := s.write(ctx, synced, func(tx *sql.Tx) error {
		n = 0
		for _, repair := range []func(context.Context, *sql.Tx, ID) (int, error){s.repairStreams, s.repairCalls} {
			changed, err := repair(ctx, tx, l.id)
			if err != nil {
				return err
			}
			n += changed
		}
		return nil
	})
	return n, wrap(err, "repair session %s", l.id)
}

func (s *Store) repairStreams(ctx context.Context, tx *sql.Tx, id ID) (int, error) {
	seqs, err := column[int64](ctx, tx, `SELECT seq FROM messages WHERE state = 'streaming'
		AND session = (SELECT seq FROM sessions WHERE id = ?)`, id)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, seq := range seqs {
		var m MessageID
		if err := tx.QueryRowContext(ctx, "SELECT id FROM messages WHERE seq = ?", seq).Scan(&m); err != nil {
			return 0, err
		}
		if s.isLive(m) {
			continue
		}
		if err := finishParts(ctx, tx, seq, true, nil, nil); err != nil {
			return 0, err
		}
		_, err := tx.ExecContext(ctx, "UPDATE messages SET state = 'interrupted' WHERE seq = ?", seq)
		if err != nil {
			return 0, err
		}
		_, err = tx.ExecContext(ctx, `UPDATE parts SET call_state = 'cancelled' WHERE message = ? AND kind = 'tool_call'
			AND call_state IN ('', 'waiting', 'running')`, seq)
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// repairCalls cancels the calls of finished messages that have no result.
func (s *Store) repairCalls(ctx context.Context, tx *sql.Tx, id ID) (int, error) {
	const unanswered = `kind = 'tool_call' AND call_state IN ('waiting', 'running') AND NOT EXISTS (
		SELECT 1 FROM messages t JOIN parts r ON r.message = t.seq
		WHERE t.session = m.session AND t.role = 'tool' AND t.seq > m.seq
		AND r.kind = 'tool_result' AND r.call_id = parts.call_id)`
	// CROSS JOIN has the few calls at work looked at first, by their index.
	found, err := column[MessageID](ctx, tx, `SELECT DISTINCT m.id FROM parts CROSS JOIN messages m ON m.seq = parts.message
		WHERE m.session = (SELECT seq FROM sessions WHERE id = ?) AND m.role = 'assistant' AND m.state <> 'streaming'
		AND `+unanswered, id)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, m := range found {
		if s.isLive(m) {
			continue
		}
		_, err := tx.ExecContext(ctx, `UPDATE parts SET call_state = 'cancelled' FROM messages m
			WHERE m.id = ? AND parts.message = m.seq AND `+unanswered, m)
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func (s *Store) isLive(id MessageID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[id]
}
