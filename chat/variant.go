package chat

import (
	"context"
	"fmt"
	"slices"

	"waferchat/session"
)

// Variant moves the head of a session to another answer to the same question: of
// the siblings of the assistant message, the one that is step places on (negative
// is earlier), with what was said below it. At the ends it stays. It returns the
// session with its new head. Errors: those of Start.
func (e *Engine) Variant(ctx context.Context, v session.Session, assistant session.MessageID, step int) (session.Session, error) {
	if err := e.enter(ctx); err != nil {
		return v, err
	}
	defer e.leave()
	undo, err := e.sit(ctx, v.ID)
	if err != nil {
		return v, err
	}
	defer undo() // a lock that was taken for this move alone is given back
	head, err := e.variant(ctx, v, assistant, step)
	if err != nil {
		return v, fmt.Errorf("change the variant of message %s: %w", assistant, err)
	}
	v.Head = head
	return v, nil
}

func (e *Engine) variant(ctx context.Context, v session.Session, assistant session.MessageID, step int) (session.MessageID, error) {
	now, err := e.store.Get(ctx, v.ID)
	if err != nil {
		return "", err
	}
	if now.Head != v.Head {
		return "", session.ErrMoved
	}
	ids, err := e.store.Siblings(ctx, assistant)
	if err != nil {
		return "", err
	}
	at := slices.Index(ids, assistant)
	to := min(max(at+step, 0), len(ids)-1)
	if at < 0 || to == at {
		return v.Head, nil
	}
	head, err := e.store.Leaf(ctx, ids[to])
	if err != nil {
		return "", err
	}
	return head, e.store.SetHead(ctx, v.ID, head)
}
