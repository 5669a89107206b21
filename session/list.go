package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// listQuery reads messages only through an index that has all it needs.
const listQuery = `WITH totals AS (
	SELECT session,
		sum(role = 'user' AND deleted = 0) AS turns,
		min(CASE WHEN role = 'user' AND deleted = 0 THEN seq END) AS first,
		max(CASE WHEN role = 'assistant' AND deleted = 0 THEN seq END) AS newest,
		coalesce(sum(cost), 0) AS cost,
		sum(CASE WHEN role = 'assistant' AND cost IS NULL THEN
			state = 'streaming' OR EXISTS (SELECT 1 FROM parts WHERE message = seq) ELSE 0 END) AS unknown
	FROM messages GROUP BY session)
SELECT s.id, s.title, s.model, s.created, s.updated, s.pinned, s.archived, t.turns,
	coalesce((SELECT substr(text, 1, 200) FROM parts WHERE message = t.first AND kind = 'text' ORDER BY ordinal LIMIT 1), ''),
	coalesce((SELECT state FROM messages WHERE seq = t.newest), ''),
	CASE WHEN t.unknown = 0 THEN t.cost END
FROM sessions s JOIN totals t ON t.session = s.seq
WHERE t.turns > 0
ORDER BY s.pinned DESC, s.updated DESC, s.seq DESC`

// List returns the sessions, pinned first, then newest first. One whose every
// message was taken back is not among them.
func (s *Store) List(ctx context.Context) ([]Summary, error) {
	var all []Summary
	err := each(ctx, s.readers, listQuery, nil, func(scan func(...any) error) error {
		var v Summary
		var created, updated int64
		err := scan(&v.ID, &v.Title, &v.Model, &created, &updated, &v.Pinned, &v.Archived, &v.Turns, &v.First,
			&v.State, &v.Cost)
		v.Created, v.Updated = fromNanos(created), fromNanos(updated)
		all = append(all, v)
		return err
	})
	return all, wrap(err, "list sessions")
}

// Resolve finds a session by id, unique id prefix, or title (case-folded;
// exact, else a unique substring). Several matches give an *AmbiguousError.
func (s *Store) Resolve(ctx context.Context, name string) (Session, error) {
	type candidate struct {
		id    ID
		title string
	}
	var near, far []ID // by prefix or whole title, by part of a title
	folded := searchable(name)
	err := each(ctx, s.readers, "SELECT id, title FROM sessions", nil, func(scan func(...any) error) error {
		var c candidate
		if err := scan(&c.id, &c.title); err != nil {
			return err
		}
		title := searchable(c.title)
		if strings.HasPrefix(string(c.id), name) || title == folded {
			near = append(near, c.id)
		} else if strings.Contains(title, folded) {
			far = append(far, c.id)
		}
		return nil
	})
	if err != nil {
		return Session{}, wrap(err, "find session %q", name)
	}
	if slices.Contains(near, ID(name)) {
		near = []ID{ID(name)}
	}
	found := near
	if len(found) == 0 {
		found = far
	}
	switch {
	case len(found) == 0 || name == "":
		return Session{}, fmt.Errorf("find session %q: %w", name, ErrNotFound)
	case len(found) == 1:
		return s.Get(ctx, found[0])
	}
	return Session{}, s.ambiguous(ctx, name, found)
}

func (s *Store) ambiguous(ctx context.Context, name string, found []ID) error {
	all, err := s.List(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(v Summary) bool { return !slices.Contains(found, v.ID) })
	return &AmbiguousError{Name: name, Matches: all}
}

// AmbiguousError lists the sessions that a name matches. It is ErrAmbiguous.
type AmbiguousError struct {
	Name    string
	Matches []Summary
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d sessions match %q", len(e.Matches), e.Name)
}

// Is makes errors.Is(err, ErrAmbiguous) true.
func (e *AmbiguousError) Is(target error) bool { return target == ErrAmbiguous }
