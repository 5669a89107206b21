package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
)

// Draft returns the draft of a session, or of the new chat for "". Without one
// it is empty.
func (s *Store) Draft(ctx context.Context, id ID) (Draft, error) {
	var d Draft
	var attachments string
	err := s.readers.QueryRowContext(ctx, "SELECT text, attachments FROM drafts WHERE session = ?", id).
		Scan(&d.Text, &attachments)
	if errors.Is(err, sql.ErrNoRows) {
		return Draft{}, nil
	}
	d.Attachments = raw(attachments)
	return d, wrap(err, "read draft")
}

// SaveDraft keeps the draft of a session ("" for the new chat); an empty one
// is removed. It needs no lock: the last writer wins.
func (s *Store) SaveDraft(ctx context.Context, id ID, d Draft) error {
	err := s.write(ctx, quick, func(tx *sql.Tx) error {
		if d.Text == "" && len(d.Attachments) == 0 {
			_, err := tx.ExecContext(ctx, "DELETE FROM drafts WHERE session = ?", id)
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO drafts (session, text, attachments, updated) VALUES (?, ?, ?, ?)",
			id, d.Text, string(d.Attachments), nanos(s.o.Now()))
		return err
	})
	return wrap(err, "save draft")
}

// History returns the last n texts that were sent, in any session, oldest first,
// without consecutive repeats. Texts of deleted messages are left out.
func (s *Store) History(ctx context.Context, n int) ([]string, error) {
	var texts []string
	enough := errors.New("enough")
	var message int64
	var text string
	add := func() error { // newest first
		if text != "" && (len(texts) == 0 || texts[len(texts)-1] != text) {
			texts = append(texts, text)
		}
		if len(texts) >= n {
			return enough
		}
		return nil
	}
	if n <= 0 {
		return nil, nil
	}
	err := each(ctx, s.readers, `SELECT m.seq, p.text FROM messages m JOIN parts p ON p.message = m.seq
		WHERE m.role = 'user' AND m.deleted = 0 AND p.kind = 'text'
		ORDER BY m.created DESC, m.seq DESC, p.ordinal`, nil, func(scan func(...any) error) error {
		var seq int64
		var part string
		if err := scan(&seq, &part); err != nil {
			return err
		}
		if seq == message {
			text += part
			return nil
		}
		err := add()
		message, text = seq, part
		return err
	})
	if err == nil {
		err = add()
	}
	if err != nil && !errors.Is(err, enough) {
		return nil, wrap(err, "read history")
	}
	slices.Reverse(texts)
	return texts, nil
}

// clearedDrafts is where the drafts that were cleared are kept. It is no session's
// id, which has 12 characters.
const clearedDrafts ID = "cleared"

// maxCleared is how many cleared drafts are kept.
const maxCleared = 20

// Cleared returns the drafts that were cleared and never sent, oldest first.
func (s *Store) Cleared(ctx context.Context) ([]string, error) {
	d, err := s.Draft(ctx, clearedDrafts)
	if err != nil || len(d.Attachments) == 0 {
		return nil, err
	}
	var texts []string
	return texts, wrap(json.Unmarshal(d.Attachments, &texts), "read cleared drafts")
}

// KeepCleared keeps a draft that was cleared, for the history; the oldest gives
// way.
func (s *Store) KeepCleared(ctx context.Context, text string) error {
	texts, err := s.Cleared(ctx)
	if err != nil {
		texts = nil // what cannot be read is not worth losing a draft for
	}
	texts = append(texts, text)
	list, err := json.Marshal(texts[max(0, len(texts)-maxCleared):])
	if err != nil {
		return wrap(err, "keep cleared draft")
	}
	return s.SaveDraft(ctx, clearedDrafts, Draft{Attachments: list})
}
