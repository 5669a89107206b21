package chat

import (
	"context"
	"errors"
	"sync"
)

// Close cancels all turns, waits until they are stored, and releases the locks.
// It does not close the store. When ctx ends first it returns ctx's error, and
// the locks of the turns that have not ended stay until they do; its error tells
// also of answers that could not be stored. After Close everything that would
// begin something returns ErrClosed.
func (e *Engine) Close(ctx context.Context) error {
	turns, err := e.shut(ctx)
	if err != nil {
		return err
	}
	for _, t := range turns {
		t.Cancel()
	}
	for _, t := range turns {
		select {
		case <-t.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	e.stopWatch()
	if err := waitFor(ctx, &e.watching); err != nil {
		return err
	}
	return e.clear(ctx)
}

// shut lets nobody in any more and returns the turns that run.
func (e *Engine) shut(ctx context.Context) ([]*Turn, error) {
	select {
	case e.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer e.leave()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	var turns []*Turn
	for _, s := range e.seats {
		s.left = true
		if s.turn != nil {
			turns = append(turns, s.turn)
		}
	}
	return turns, nil
}

// clear commits what is unsaved, a last time, and gives up all seats.
func (e *Engine) clear(ctx context.Context) error {
	var errs []error
	for id, all := range e.unsaved() {
		errs = append(errs, e.commit(ctx, id, all))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, s := range e.seats {
		s.unsaved = nil
		e.settle(id, s)
	}
	return errors.Join(errs...)
}

// waitFor waits for a group, or for the end of ctx.
func waitFor(ctx context.Context, group *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
