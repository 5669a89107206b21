package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// insertMessages stores new messages of a session, whose parents are stored or
// come before them.
func (s *Store) insertMessages(ctx context.Context, tx *sql.Tx, session int64, msgs []Message) error {
	for i := range msgs {
		if err := s.insertMessage(ctx, tx, session, &msgs[i]); err != nil {
			return wrap(err, "store message %s", msgs[i].ID)
		}
	}
	return nil
}

func (s *Store) insertMessage(ctx context.Context, tx *sql.Tx, session int64, m *Message) error {
	if m.ID == "" {
		return errors.New("a message needs an id")
	}
	r, err := encodeMessage(m)
	if err != nil {
		return err
	}
	var parent *int64
	if m.Parent != "" {
		err := tx.QueryRowContext(ctx, "SELECT seq FROM messages WHERE id = ? AND session = ?", m.Parent, session).Scan(&parent)
		if err != nil {
			return noMessage(err, m.Parent)
		}
	}
	state, created := m.State, m.Created
	if state == "" {
		state = Done
	}
	if created.IsZero() {
		created = s.o.Now()
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO messages
		(id, session, parent, role, state, deleted, created, model, effort, params, usage, prices, cost, timing,
		finish, failure, request_id, attempts, estimate, counted, output_limit, extra)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.ID, session, parent, m.Role, state, m.Deleted, nanos(created), m.Model, m.Effort, r.params, r.usage,
		r.prices, r.cost, r.timing, m.Finish, r.failure, m.RequestID, m.Attempts, m.Estimate, r.counted, m.Limit, r.extra)
	if err != nil {
		return err
	}
	seq, err := res.LastInsertId()
	if err != nil {
		return err
	}
	for o, p := range m.Parts {
		stored := storedPart{message: seq, ordinal: o, Part: p}
		if err := savePart(ctx, tx, &stored, Part{}); err != nil {
			return err
		}
		if state != Streaming {
			if err := indexPart(ctx, tx, &stored); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish writes the final state of m, with chunks that were never written.
func (s *Store) finish(ctx context.Context, tx *sql.Tx, m Message, chunks []*chunk) error {
	var seq int64
	var state State
	err := tx.QueryRowContext(ctx, "SELECT seq, state FROM messages WHERE id = ?", m.ID).Scan(&seq, &state)
	if err != nil {
		return noMessage(err, m.ID)
	}
	if err := finishParts(ctx, tx, seq, state == Streaming, m.Parts, chunks); err != nil {
		return err
	}
	r, err := encodeMessage(&m)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE messages SET state = ?, model = ?, effort = ?, params = ?, usage = ?,
		prices = ?, cost = ?, timing = ?, finish = ?, failure = ?, request_id = ?, attempts = ?,
		estimate = ?, counted = ?, output_limit = ?, extra = ? WHERE seq = ?`,
		m.State, m.Model, m.Effort, r.params, r.usage, r.prices, r.cost, r.timing, m.Finish, r.failure,
		m.RequestID, m.Attempts, m.Estimate, r.counted, m.Limit, r.extra, seq)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE sessions SET updated = ? WHERE seq = (SELECT session FROM messages WHERE seq = ?)",
		nanos(s.o.Now()), seq)
	return err
}

// finishParts folds what streamed into the parts of a message and indexes what
// is new. What streamed is in final too, unless its writer has died.
func finishParts(ctx context.Context, tx *sql.Tx, seq int64, streaming bool, final []Part, more []*chunk) error {
	stored, err := loadParts(ctx, tx, seq)
	if err != nil {
		return err
	}
	var chunks []*chunk
	if streaming {
		if chunks, err = loadChunks(ctx, tx, seq); err != nil {
			return err
		}
		chunks = append(chunks, more...)
	}
	was := map[int64]Part{}
	for _, p := range stored {
		was[p.id] = p.Part
	}
	for _, p := range merge(fold(stored, chunks), final) {
		p.message = seq
		changed := p.id == 0 || p.Text != was[p.id].Text || streaming
		if err := savePart(ctx, tx, &p, was[p.id]); err != nil {
			return err
		}
		if changed {
			if err := indexPart(ctx, tx, &p); err != nil {
				return err
			}
		}
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM chunks WHERE message = ?", seq)
	return err
}

// noMessage makes a query that found nothing an ErrNoMessage.
func noMessage(err error, id MessageID) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("message %s: %w", id, ErrNoMessage)
	}
	return err
}
