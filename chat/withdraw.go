package chat

import (
	"context"
	"fmt"
	"slices"

	"waferchat/api"
	"waferchat/session"
)

// Withdraw takes back a user message whose answer never began: both are marked
// deleted and the head returns to the parent, which it returns. v.Head must be
// the message or an answer below it. Errors: those of Start, session.ErrNotFound
// when the message is not on the path to v.Head, and ErrAnswered.
func (e *Engine) Withdraw(ctx context.Context, v session.Session, user session.MessageID) (session.MessageID, error) {
	if err := e.enter(ctx); err != nil {
		return "", err
	}
	defer e.leave()
	undo, err := e.sit(ctx, v.ID)
	if err != nil {
		return "", err
	}
	parent, err := e.withdraw(ctx, v, user)
	if err != nil {
		undo()
		return "", fmt.Errorf("withdraw message %s: %w", user, err)
	}
	return parent, nil
}

func (e *Engine) withdraw(ctx context.Context, v session.Session, user session.MessageID) (session.MessageID, error) {
	now, err := e.store.Get(ctx, v.ID)
	if err != nil {
		return "", err
	}
	if now.Head != v.Head {
		return "", session.ErrMoved
	}
	path, err := e.path(ctx, v.Head)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(path, func(m session.Message) bool { return m.ID == user && m.Role == api.RoleUser })
	if i < 0 {
		return "", session.ErrNotFound
	}
	ids := []session.MessageID{user}
	if i+1 < len(path) {
		answers, err := e.unanswered(ctx, path[i+1:])
		if err != nil {
			return "", err
		}
		ids = append(ids, answers...)
	}
	// The head first: cut off between the two, the message is a variant that
	// can still be reached, not a hidden one that the chat goes on below.
	if err := e.store.SetHead(ctx, v.ID, path[i].Parent); err != nil {
		return "", err
	}
	return path[i].Parent, e.store.SetDeleted(ctx, true, ids...)
}

// unanswered returns the answers to a message, of which the path below it is
// one, or ErrAnswered when one of them began.
func (e *Engine) unanswered(ctx context.Context, below []session.Message) ([]session.MessageID, error) {
	if len(below) > 1 || len(below[0].Parts) > 0 {
		return nil, ErrAnswered
	}
	ids, err := e.store.Siblings(ctx, below[0].ID)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		m, err := e.store.Path(ctx, id, 1)
		if err != nil {
			return nil, err
		}
		if len(m) != 1 || len(m[0].Parts) > 0 {
			return nil, ErrAnswered
		}
	}
	return ids, nil
}
