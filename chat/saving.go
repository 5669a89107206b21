package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"waferchat/session"
)

// savingCheck is how often a running engine asks the store whether saving
// works, so that the user is told soon when it does not.
const savingCheck = 500 * time.Millisecond

// startWatch begins the watch over saving if there is none. e.mu is held.
func (e *Engine) startWatch() {
	if e.unwatch != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	e.unwatch = cancel
	e.watching.Go(func() { e.watch(ctx) })
}

// stopWatch ends the watch over saving.
func (e *Engine) stopWatch() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unwatch != nil {
		e.unwatch()
		e.unwatch = nil
	}
}

// watch looks after saving while a turn runs or an answer is unsaved: an idle
// engine wakes up for nothing.
func (e *Engine) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.after(savingCheck):
		}
		err := e.store.Flush(ctx)
		if ctx.Err() != nil {
			return
		}
		e.tell(err)
		for id, all := range e.unsaved() {
			_ = e.commit(ctx, id, all) // what fails is tried again
		}
		e.rest()
	}
}

// tell tells the running turns when saving begins to fail or works again.
func (e *Engine) tell(err error) {
	e.mu.Lock()
	if (err == nil) == (e.failing == nil) {
		e.mu.Unlock()
		return
	}
	e.failing = err
	var turns []*Turn
	for _, s := range e.seats {
		if s.turn != nil {
			turns = append(turns, s.turn)
		}
	}
	e.mu.Unlock()
	for _, t := range turns {
		t.saving(err)
	}
}

// rest ends the watch when there is nothing to look after, and gives up the
// seats that were kept for it only.
func (e *Engine) rest() {
	e.mu.Lock()
	defer e.mu.Unlock()
	busy := false
	for id, s := range e.seats {
		busy = busy || s.turn != nil || len(s.unsaved) > 0
		e.settle(id, s)
	}
	if !busy && e.unwatch != nil {
		e.unwatch()
		e.unwatch = nil
	}
}

// ended takes a turn off its seat; saved is how its commit ended.
func (e *Engine) ended(t *Turn, all []session.Message, saved error) {
	id := t.session.ID
	e.mu.Lock()
	s := e.seats[id]
	s.turn, s.failing = nil, saved != nil
	if saved != nil && !gone(saved) {
		for _, m := range all {
			m.Parts = slices.Clone(m.Parts)
			s.unsaved = append(s.unsaved, m)
		}
	}
	e.mu.Unlock()
	e.tell(saved)
	e.rest()
}

// unsaved returns the answers whose commit failed.
func (e *Engine) unsaved() map[session.ID][]session.Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[session.ID][]session.Message{}
	for id, s := range e.seats {
		if len(s.unsaved) > 0 {
			all[id] = s.unsaved
		}
	}
	return all
}

// commit tries again to store the answers of a turn.
func (e *Engine) commit(ctx context.Context, id session.ID, all []session.Message) error {
	for _, m := range all {
		if err := e.store.Finish(ctx, m); err != nil && !gone(err) {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.seats[id]; s != nil && len(s.unsaved) > 0 && s.unsaved[0].ID == all[0].ID {
		s.unsaved = nil
	}
	return nil
}

// gone tells that a message is no longer in the store, so that it need not be
// saved: the user erased it while its answer arrived.
func gone(err error) bool { return errors.Is(err, session.ErrNoMessage) }
