package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
)

// pathQuery walks up from a message. Parents are older than their children, so
// that even a damaged tree ends the walk.
const pathQuery = `WITH RECURSIVE path(seq, parent, depth) AS (
	SELECT seq, parent, 0 FROM messages WHERE id = ?1
	UNION ALL
	SELECT m.seq, m.parent, path.depth + 1 FROM path JOIN messages m ON m.seq = path.parent
	WHERE m.seq < path.seq AND path.depth + 1 < ?2)
`

// Path returns at most limit messages (all if limit <= 0) of the path that
// ends at the message end, oldest first, with what is still pending in this
// process included. Deleted messages are in it. The path to "" is empty; an
// unknown message gives [ErrNoMessage].
func (s *Store) Path(ctx context.Context, end MessageID, limit int) ([]Message, error) {
	if end == "" {
		return nil, nil
	}
	if limit <= 0 {
		limit = 1 << 31
	}
	// What is pending is copied before the database is read: what is written
	// in between shows up in both, never in neither.
	pending := s.copyPending()
	if err := s.restore(ctx); err != nil {
		return nil, wrap(err, "read path to message %s", end)
	}
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, wrap(err, "read messages")
	}
	defer func() { _ = tx.Rollback() }()
	msgs, err := loadPath(ctx, tx, end, limit, pending)
	if err != nil {
		return nil, wrap(err, "read path to message %s", end)
	}
	return msgs, nil
}

// copyPending copies what can still change.
func (s *Store) copyPending() batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := batch{}
	for id, p := range s.pending {
		c := pending{final: p.final}
		for _, k := range p.chunks {
			c.chunks = append(c.chunks, &chunk{n: k.n, delta: k.delta, text: slices.Clone(k.text)})
		}
		b[id] = c
	}
	return b
}

func loadPath(ctx context.Context, q querier, end MessageID, limit int, b batch) ([]Message, error) {
	msgs, seqs, err := loadMessages(ctx, q, end, limit)
	if err != nil {
		return nil, err
	}
	if len(msgs) == 0 {
		return nil, ErrNoMessage
	}
	parts, err := loadPathParts(ctx, q, seqs)
	if err != nil {
		return nil, wrap(err, "read parts")
	}
	for i := range msgs {
		stored := parts[seqs[i]]
		if msgs[i].State == Streaming {
			chunks, err := loadChunks(ctx, q, seqs[i])
			if err != nil {
				return nil, wrap(err, "read chunks")
			}
			stored = fold(stored, chunks)
			stored = overlay(&msgs[i], stored, b[msgs[i].ID], chunks)
		} else if p := b[msgs[i].ID]; p.final != nil {
			stored = overlay(&msgs[i], stored, pending{final: p.final}, nil)
		}
		for _, p := range stored {
			msgs[i].Parts = append(msgs[i].Parts, p.Part)
		}
	}
	return msgs, nil
}

// orEmpty scans a text column, NULL as "". The driver is quicker with NULL than
// with an empty text.
type orEmpty struct{ s *string }

func (o orEmpty) Scan(v any) error {
	s, ok := v.(string)
	if !ok && v != nil {
		return fmt.Errorf("%T is no text", v)
	}
	*o.s = s
	return nil
}

// loadPathParts returns the parts of messages by the seq of their message, in
// order. Fetching columns is what takes time, so those that
// few parts have are fetched for these only.
func loadPathParts(ctx context.Context, q querier, seqs []int64) (map[int64][]storedPart, error) {
	list, err := json.Marshal(seqs)
	if err != nil {
		return nil, err
	}
	const rare = "(started <> 0 OR ended <> 0 OR blob || name || call_id || call_state || approval <> '')"
	const of = " FROM json_each(?) AS path CROSS JOIN parts ON message = path.value"
	parts := make(map[int64][]storedPart, len(seqs))
	more := false
	err = each(ctx, q, `SELECT message, ordinal, kind, text, nullif(field, ''), nullif(extra, ''), `+rare+of, []any{string(list)},
		func(scan func(...any) error) error {
			var p storedPart
			var extra string
			var incomplete bool
			err := scan(&p.message, &p.ordinal, &p.Kind, &p.Text, orEmpty{&p.Field}, orEmpty{&extra}, &incomplete)
			p.Extra = raw(extra)
			more = more || incomplete
			parts[p.message] = append(parts[p.message], p)
			return err
		})
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		slices.SortFunc(p, func(a, b storedPart) int { return a.ordinal - b.ordinal })
	}
	if !more {
		return parts, nil
	}
	return parts, each(ctx, q, "SELECT parts."+partColumns+of+" WHERE "+rare,
		[]any{string(list)}, func(scan func(...any) error) error {
			p, err := scanPart(scan)
			if i, found := find(parts[p.message], p.ordinal); found {
				parts[p.message][i] = p
			}
			return err
		})
}

// overlay adds what is pending of m, but for the chunks that were written
// already.
func overlay(m *Message, stored []storedPart, p pending, written []*chunk) []storedPart {
	known := make(map[int64]bool, len(written))
	for _, c := range written {
		known[c.n] = true
	}
	stored = fold(stored, slices.DeleteFunc(p.chunks, func(c *chunk) bool { return known[c.n] }))
	if f := p.final; f != nil {
		stored = merge(stored, f.Parts)
		final := *f
		final.ID, final.Session, final.Parent, final.Role = m.ID, m.Session, m.Parent, m.Role
		final.Deleted, final.Created, final.Parts = m.Deleted, m.Created, nil
		*m = final
	}
	return stored
}

// loadMessages returns the messages of a path without their parts, and their
// seqs.
func loadMessages(ctx context.Context, q querier, end MessageID, limit int) ([]Message, []int64, error) {
	var msgs []Message
	var seqs []int64
	var parent, next *int64
	var session ID
	err := q.QueryRowContext(ctx, `SELECT s.id FROM messages m JOIN sessions s ON s.seq = m.session WHERE m.id = ?`,
		end).Scan(&session)
	if err != nil {
		return nil, nil, noMessage(err, end)
	}
	err = each(ctx, q, pathQuery+`SELECT m.seq, m.parent, m.id, m.role, m.state, m.deleted, m.created,
		nullif(model, ''), nullif(effort, ''), nullif(params, ''), nullif(usage, ''), nullif(prices, ''), nullif(timing, ''),
		nullif(finish, ''), nullif(failure, ''), nullif(request_id, ''), attempts, estimate, output_limit, nullif(extra, '')
		FROM path CROSS JOIN messages m ON m.seq = path.seq`, []any{end, limit},
		func(scan func(...any) error) error {
			m, r := Message{Session: session}, row{}
			var seq, created int64
			err := scan(&seq, &parent, &m.ID, &m.Role, &m.State, &m.Deleted, &created, orEmpty{&m.Model},
				orEmpty{&m.Effort}, orEmpty{&r.params}, orEmpty{&r.usage}, orEmpty{&r.prices}, orEmpty{&r.timing},
				orEmpty{&m.Finish}, orEmpty{&r.failure}, orEmpty{&m.RequestID}, &m.Attempts, &m.Estimate, &m.Limit, orEmpty{&r.extra})
			if err != nil {
				return err
			}
			if n := len(msgs); n > 0 && (next == nil || *next != seq) { // the walk gives them in its order
				return fmt.Errorf("message %s is not above message %s", m.ID, msgs[n-1].ID)
			} else if n > 0 {
				msgs[n-1].Parent = m.ID
			}
			m.Created, next = fromNanos(created), parent
			msgs, seqs = append(msgs, m), append(seqs, seq)
			return decodeMessage(&msgs[len(msgs)-1], &r)
		})
	if err != nil {
		return nil, nil, wrap(err, "read messages")
	}
	if parent != nil && len(msgs) > 0 { // the oldest one's is beyond the limit
		oldest := &msgs[len(msgs)-1]
		if err := q.QueryRowContext(ctx, "SELECT id FROM messages WHERE seq = ?", *parent).Scan(&oldest.Parent); err != nil {
			return nil, nil, wrap(err, "read parent of message %s", oldest.ID)
		}
	}
	slices.Reverse(msgs)
	slices.Reverse(seqs)
	return msgs, seqs, nil
}
