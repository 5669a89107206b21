package chat

import (
	"context"
	"errors"

	"waferchat/api"
	"waferchat/session"
)

// A request for several choices fills several messages at once: the answer and
// its siblings, which are variants of it from then on.

// settled finishes every choice the way the turn ended, failed for that reason,
// and returns the messages. Of several choices those that had come to their end
// before are done. A sibling that the server sent nothing for is marked deleted.
// The usage of the request is that of the first: the others count nothing of
// their own, so that sums are right. t.mu is held.
func (t *Turn) settled(failed *session.Failure) []session.Message {
	var all []session.Message
	for i, a := range t.choices {
		a.settle()
		if i > 0 {
			a.follow(t.choices[0].message)
		}
		a.message.State, a.message.Failure = stored(t.state), failed
		if len(t.choices) > 1 && a.message.Finish != "" {
			a.message.State, a.message.Failure = session.Done, nil
		}
		all = append(all, a.snapshot())
	}
	return all
}

// follow takes over what is said of the whole request.
func (a *answer) follow(first session.Message) {
	m := &a.message
	m.Timing, m.Prices = first.Timing, first.Prices
	m.RequestID, m.Attempts = first.RequestID, first.Attempts
	m.Estimate, m.Limit = 0, first.Limit
	m.Deleted = len(a.parts) == 0
	if first.Usage != nil {
		none := int64(0)
		m.Usage = &api.Usage{PromptTokens: &none, CompletionTokens: &none, TotalTokens: &none}
	}
}

// store commits the messages of a turn.
func (t *Turn) store(ctx context.Context, all []session.Message) error {
	var errs []error
	var empty []session.MessageID
	for _, m := range all {
		errs = append(errs, t.engine.store.Finish(ctx, m))
		if m.Deleted {
			empty = append(empty, m.ID)
		}
	}
	err := errors.Join(errs...)
	if err == nil && len(empty) > 0 {
		err = t.engine.store.SetDeleted(ctx, true, empty...)
	}
	return err
}
