package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// pending is what a message has in memory and not yet in the database.
type pending struct {
	chunks []*chunk
	sealed int      // that many chunks are being written, or were tried: nothing joins them
	final  *Message // set by Finish
}

// chunk is text to append to a part: neighbouring deltas joined. Its delta has
// what creates the part, and no text.
type chunk struct {
	n     int64
	delta Delta
	text  []byte
}

// Append takes a delta of a streaming message. It never blocks on the disk:
// deltas are written together within Options.Flush. While they can't be
// written they stay in memory and are tried again. A delta of a message that
// is finished is dropped.
func (s *Store) Append(d Delta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pendingOf(d.Message)
	if p.final != nil {
		return
	}
	if i := len(p.chunks) - 1; i >= p.sealed && p.chunks[i].delta.Ordinal == d.Ordinal {
		p.chunks[i].text = append(p.chunks[i].text, d.Text...)
	} else {
		s.serial++
		c := &chunk{n: s.serial, delta: d, text: []byte(d.Text)}
		c.delta.Text = ""
		p.chunks = append(p.chunks, c)
	}
	s.schedule()
}

// pendingOf needs s.mu.
func (s *Store) pendingOf(id MessageID) *pending {
	p := s.pending[id]
	if p == nil {
		p = &pending{}
		s.pending[id] = p
	}
	return p
}

// schedule makes the loop flush one interval from now. It needs s.mu.
func (s *Store) schedule() {
	if s.scheduled {
		return
	}
	s.scheduled = true
	s.wake <- struct{}{} // there is room: the loop took the last one before scheduled was cleared
}

// loop flushes in the background, and tries again, ever more slowly, when it
// fails.
func (s *Store) loop() {
	defer close(s.idle)
	const slowest = 5 * time.Second
	wait := s.o.Flush
	for {
		select {
		case <-s.quit:
			return
		case <-s.wake:
		}
		timer := time.NewTimer(wait)
		select {
		case <-s.quit:
			timer.Stop()
			return
		case <-timer.C:
		}
		s.mu.Lock()
		s.scheduled = false
		s.mu.Unlock()
		if err := s.flush(context.Background(), ""); err != nil {
			wait = max(s.o.Flush, min(2*wait, slowest))
			s.mu.Lock()
			s.schedule()
			s.mu.Unlock()
		} else {
			wait = s.o.Flush
		}
	}
}

// Flush writes all pending deltas now. Its error is the first one since the
// last Flush, so that the user can be told that saving fails; what could not be
// written is kept and tried again.
func (s *Store) Flush(ctx context.Context) error {
	err := s.flush(ctx, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		err, s.failed = s.failed, nil
	}
	return err
}

// Finish writes what is pending of m and m itself in its final state, in one
// synced transaction. m.Parts are not rewritten but where they differ from what
// was appended (CallState, Extra); parts that m lacks are kept. When writing
// fails, Finish says why, and the store keeps m and tries again like a delta.
func (s *Store) Finish(ctx context.Context, m Message) error {
	if _, err := encodeMessage(&m); err != nil {
		return wrap(err, "finish message %s", m.ID)
	}
	m.Parts = slices.Clone(m.Parts)
	s.mu.Lock()
	p := s.pendingOf(m.ID)
	p.final = &m
	s.schedule()
	s.mu.Unlock()
	return wrap(s.flush(ctx, m.ID), "finish message %s", m.ID)
}

// batch is what one transaction takes from s.pending.
type batch map[MessageID]pending

// flush writes what is pending, or only what is of one message.
func (s *Store) flush(ctx context.Context, only MessageID) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.release()
	b, d := s.takeBatch(only)
	if len(b) == 0 {
		if only == "" {
			s.report(ctx, nil)
		}
		return nil
	}
	var lost []error // of messages that are not there to be written
	err := s.transact(ctx, d, func(tx *sql.Tx) error {
		lost = nil
		for id, p := range b {
			err := s.writePending(ctx, tx, id, p)
			if errors.Is(err, ErrNoMessage) {
				lost = append(lost, wrap(err, "message %s", id))
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.settle(b)
	}
	s.report(ctx, wrap(errors.Join(err, errors.Join(lost...)), "save messages"))
	return errors.Join(err, errors.Join(lost...))
}

func (s *Store) takeBatch(only MessageID) (batch, durability) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, d := batch{}, quick
	for id, p := range s.pending {
		if only != "" && id != only {
			continue
		}
		p.sealed = len(p.chunks)
		b[id] = pending{chunks: slices.Clone(p.chunks), final: p.final}
		if p.final != nil {
			d = synced
		}
	}
	return b, d
}

// settle forgets what was written.
func (s *Store) settle(b batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, done := range b {
		p := s.pending[id]
		p.chunks = slices.Delete(p.chunks, 0, len(done.chunks))
		p.sealed -= len(done.chunks)
		if done.final != nil && done.final == p.final {
			delete(s.pending, id)
			if s.live[id] = working(done.final); !s.live[id] {
				delete(s.live, id)
			}
		} else if len(p.chunks) == 0 && p.final == nil {
			delete(s.pending, id)
		}
	}
}

// working tells whether calls of m are still to be answered.
func working(m *Message) bool {
	return slices.ContainsFunc(m.Parts, func(p Part) bool {
		return p.Kind == PartToolCall && (p.CallState == "waiting" || p.CallState == "running")
	})
}

// report tells OnError and the next Flush what came of a flush. Whoever calls
// it has the turn.
func (s *Store) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() != nil {
		return // the caller gave up: not a failure of the disk
	}
	s.mu.Lock()
	if err != nil && s.failed == nil {
		s.failed = err
	}
	changed := (err != nil) != s.failing
	s.failing = err != nil
	s.mu.Unlock()
	if changed && s.o.OnError != nil {
		s.o.OnError(err)
	}
}

// writePending writes the chunks of a message as they are, or folds everything
// when it is final.
func (s *Store) writePending(ctx context.Context, tx *sql.Tx, id MessageID, p pending) error {
	if p.final != nil {
		return s.finish(ctx, tx, *p.final, p.chunks)
	}
	var seq int64
	err := tx.QueryRowContext(ctx, "SELECT seq FROM messages WHERE id = ? AND state = ?", id, Streaming).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoMessage
	}
	if err != nil {
		return err
	}
	for _, c := range p.chunks {
		if err := writeChunk(ctx, tx, seq, c); err != nil {
			return fmt.Errorf("append to message %s: %w", id, err)
		}
	}
	return nil
}

// writeChunk costs the same however long the part already is.
func writeChunk(ctx context.Context, tx *sql.Tx, seq int64, c *chunk) error {
	d := c.delta
	_, err := tx.ExecContext(ctx, `INSERT INTO parts
		(message, ordinal, kind, text, field, extra, blob, name, call_id, call_state, approval, started, ended)
		VALUES (?, ?, ?, '', ?, '', '', ?, ?, '', '', 0, 0) ON CONFLICT DO NOTHING`,
		seq, d.Ordinal, d.Kind, d.Field, d.Name, d.CallID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO chunks (message, ordinal, n, text) VALUES (?, ?, ?, ?)",
		seq, d.Ordinal, c.n, string(c.text))
	return err
}
