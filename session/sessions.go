package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

const sessionColumns = `id, title, title_source, profile, base_url, model, effort, params, system, zdr, tools, head, view,
	pinned, archived, parent, parent_message, created, updated,
	(SELECT coalesce(json_group_array(tag ORDER BY rowid), '') FROM tags WHERE session = sessions.seq)`

// Get returns a session.
func (s *Store) Get(ctx context.Context, id ID) (Session, error) {
	return s.oneSession(ctx, "session "+string(id), "WHERE id = ?", id)
}

// Latest returns the session that was used last, or [ErrNotFound].
func (s *Store) Latest(ctx context.Context) (Session, error) {
	return s.oneSession(ctx, "latest session", `WHERE EXISTS (SELECT 1 FROM messages
		WHERE session = sessions.seq AND role = 'user' AND deleted = 0) ORDER BY updated DESC, seq DESC LIMIT 1`)
}

func (s *Store) oneSession(ctx context.Context, what, where string, args ...any) (Session, error) {
	v, err := scanSession(s.readers.QueryRowContext(ctx, "SELECT "+sessionColumns+" FROM sessions "+where, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, fmt.Errorf("read %s: %w", what, ErrNotFound)
	}
	return v, wrap(err, "read %s", what)
}

func scanSession(r *sql.Row) (Session, error) {
	var v Session
	var params, tools, view, tags string
	var created, updated int64
	err := r.Scan(&v.ID, &v.Title, &v.TitleSource, &v.Profile, &v.BaseURL, &v.Model, &v.Effort, &params, &v.System,
		&v.ZDR, &tools, &v.Head, &view, &v.Pinned, &v.Archived, &v.Parent, &v.ParentMessage, &created, &updated, &tags)
	if err != nil {
		return v, err
	}
	v.Created, v.Updated = fromNanos(created), fromNanos(updated)
	if tags == "[]" {
		tags = ""
	}
	return v, errors.Join(wrap(decodeParams(params, &v.Params), "decode parameters"), wrap(decode(tools, &v.Tools), "decode tools"),
		wrap(decode(view, &v.View), "decode view"), wrap(decode(tags, &v.Tags), "decode tags"))
}

// own are the values of the columns that Save writes.
func (v *Session) own() ([]any, error) {
	params, err1 := encode(v.Params)
	tools, err2 := encode(v.Tools)
	view, err3 := encode(v.View)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, wrap(err, "encode session")
	}
	return []any{v.Title, v.TitleSource, v.Profile, v.BaseURL, v.Model, v.Effort, params, v.System, v.ZDR, tools, view,
		v.Pinned, v.Archived, v.Parent, v.ParentMessage}, nil
}

// Save writes a session's own data except Head, Created and Updated. A session
// that holds no message yet is not in the store: Save of it does nothing.
func (s *Store) Save(ctx context.Context, v Session) error {
	values, err := v.own()
	if err != nil {
		return wrap(err, "save session %s", v.ID)
	}
	err = s.write(ctx, quick, func(tx *sql.Tx) error {
		var seq int64
		var title string
		err := tx.QueryRowContext(ctx, "SELECT seq, title FROM sessions WHERE id = ?", v.ID).Scan(&seq, &title)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE sessions SET title = ?, title_source = ?, profile = ?, base_url = ?, model = ?,
			effort = ?, params = ?, system = ?, zdr = ?, tools = ?, view = ?, pinned = ?, archived = ?, parent = ?,
			parent_message = ? WHERE seq = ?`, append(values, seq)...)
		if err != nil {
			return err
		}
		if title != v.Title {
			if err := indexTitle(ctx, tx, seq, v.Title); err != nil {
				return err
			}
		}
		return saveTags(ctx, tx, seq, v.Tags)
	})
	return wrap(err, "save session %s", v.ID)
}

func saveTags(ctx context.Context, tx *sql.Tx, session int64, tags []string) error {
	stored, err := column[string](ctx, tx, "SELECT tag FROM tags WHERE session = ? ORDER BY rowid", session)
	if err != nil {
		return err
	}
	a, _ := json.Marshal(stored)
	if b, _ := json.Marshal(tags); string(a) == string(b) {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM tags WHERE session = ?", session); err != nil {
		return err
	}
	for _, t := range tags {
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO tags (session, tag) VALUES (?, ?)", session, t); err != nil {
			return err
		}
	}
	return nil
}

// Begin stores new messages and moves the head to the last of them, of siblings
// to the first, in one transaction that is synced to the disk. The session is
// created when it is new, with all of its data; otherwise its stored head must
// equal v.Head, else [ErrMoved], and only its head changes, and its title when
// it has none: see [Title]. Parents must be stored or come first. No messages: nothing is done.
//
// The lock must be held, which Begin, like SetHead and SetDeleted, does not
// check.
func (s *Store) Begin(ctx context.Context, v Session, msgs ...Message) error {
	if len(msgs) == 0 {
		return nil
	}
	err := s.write(ctx, synced, func(tx *sql.Tx) error { return s.begin(ctx, tx, v, msgs) })
	if err != nil {
		return wrap(err, "store messages of session %s", v.ID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range msgs {
		if m.State == Streaming {
			s.live[m.ID] = true
		}
	}
	return nil
}

func (s *Store) begin(ctx context.Context, tx *sql.Tx, v Session, msgs []Message) error {
	var seq int64
	var head MessageID
	var title string
	var source TitleSource
	err := tx.QueryRowContext(ctx, "SELECT seq, head, title, title_source FROM sessions WHERE id = ?", v.ID).
		Scan(&seq, &head, &title, &source)
	isNew := errors.Is(err, sql.ErrNoRows)
	if err != nil && !isNew {
		return err
	}
	if head != v.Head { // also when another process has removed the session
		return ErrMoved
	}
	if isNew {
		title, source = v.Title, v.TitleSource
		if seq, err = s.insertSession(ctx, tx, v); err != nil {
			return err
		}
	}
	before := title
	if isNew {
		before = ""
	}
	if source == TitleNone {
		if t := firstTitle(msgs); t != "" {
			title, source = t, TitleHeuristic
		}
	}
	if err := s.insertMessages(ctx, tx, seq, msgs); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE sessions SET head = ?, title = ?, title_source = ?, updated = ? WHERE seq = ?",
		newHead(msgs), title, source, nanos(s.o.Now()), seq)
	if err != nil || title == before {
		return err
	}
	return indexTitle(ctx, tx, seq, title)
}

// newHead is the end of the path that new messages make.
func newHead(msgs []Message) MessageID {
	last := msgs[len(msgs)-1]
	for _, m := range msgs {
		if m.Parent == last.Parent && m.Role == last.Role {
			return m.ID
		}
	}
	return last.ID
}

func (s *Store) insertSession(ctx context.Context, tx *sql.Tx, v Session) (int64, error) {
	if v.ID == "" {
		return 0, errors.New("a session needs an id")
	}
	values, err := v.own()
	if err != nil {
		return 0, err
	}
	created := v.Created
	if created.IsZero() {
		created = s.o.Now()
	}
	r, err := tx.ExecContext(ctx, `INSERT INTO sessions (title, title_source, profile, base_url, model, effort, params,
		system, zdr, tools, view, pinned, archived, parent, parent_message, id, head, created, updated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?)`,
		append(values, v.ID, nanos(created), nanos(s.o.Now()))...)
	if err != nil {
		return 0, err
	}
	seq, err := r.LastInsertId()
	if err != nil {
		return 0, err
	}
	return seq, saveTags(ctx, tx, seq, v.Tags)
}

// Delete removes a session with its messages and its draft. Forks of it and
// blobs stay. The lock must be held. Traces of the text may remain in the file,
// in its log, its search indexes and in backups.
func (s *Store) Delete(ctx context.Context, id ID) error {
	err := s.write(ctx, synced, func(tx *sql.Tx) error {
		var seq int64
		err := tx.QueryRowContext(ctx, "SELECT seq FROM sessions WHERE id = ?", id).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := unindexSession(ctx, tx, seq); err != nil {
			return err
		}
		for _, q := range []string{"DELETE FROM messages WHERE session = ?", "DELETE FROM sessions WHERE seq = ?"} {
			if _, err := tx.ExecContext(ctx, q, seq); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM drafts WHERE session = ?", id)
		return err
	})
	return wrap(err, "delete session %s", id)
}
