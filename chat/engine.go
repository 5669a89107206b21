package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"waferchat/api"
	"waferchat/session"
)

// Engine runs turns, at most one per session, any number of sessions at once.
// It is safe for concurrent use.
type Engine struct {
	store   *session.Store
	client  *api.Client
	pace    time.Duration
	prices  func(string) *api.Prices
	model   func(string) (api.Model, bool)
	names   func() []string
	wafer   bool
	honours []string
	meter   func() *meter
	replay  session.ReplayPolicy
	prefill bool
	now     func() time.Time
	after   func(time.Duration) <-chan time.Time

	// gate holds one token: whoever put it may take locks and begin turns. It is
	// held over work in the store, which mu never is.
	gate chan struct{}

	mu       sync.Mutex
	closed   bool
	turns    int64
	seats    map[session.ID]*seat
	failing  error              // why saving fails, nil while it works
	unwatch  context.CancelFunc // ends the watch over saving; nil: there is none
	watching sync.WaitGroup
}

// seat is a session that this engine writes: it holds the lock.
type seat struct {
	lock *session.Lock
	turn *Turn // the turn that runs, or nil
	// unsaved are the answers of an ended turn whose commit failed; it is tried
	// again.
	unsaved []session.Message
	// failing: the last listener was told that saving fails, and nothing since.
	failing bool
	left    bool // to be unlocked as soon as nothing holds it
}

// held tells whether the seat must be kept.
func (s *seat) held() bool { return !s.left || s.turn != nil || len(s.unsaved) > 0 }

// enter waits for the gate; leave must be called when it returns nil.
func (e *Engine) enter(ctx context.Context) error {
	select {
	case e.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		e.leave()
		return ErrClosed
	}
	return nil
}

func (e *Engine) leave() { <-e.gate }

// Open takes a session for reading: it repairs turns that a dead process left
// unfinished if no other process holds the session, and returns the session and
// the last limit messages (all if limit <= 0) of its active path. busy tells
// that another live process is writing the session: then nothing was changed.
// Where nothing can be written, such as on a read-only disk, the session is
// read as it is.
func (e *Engine) Open(ctx context.Context, id session.ID, limit int) (v session.Session, path []session.Message, busy bool, err error) {
	if err := e.enter(ctx); err != nil {
		return v, nil, false, err
	}
	defer e.leave()
	if v, err = e.store.Get(ctx, id); err != nil {
		return v, nil, false, fmt.Errorf("open session %s: %w", id, err)
	}
	if e.seat(id) == nil {
		busy = e.repair(ctx, id)
	}
	if v.Head == "" {
		return v, nil, busy, nil
	}
	path, err = e.store.Path(ctx, v.Head, limit)
	if err != nil {
		return v, nil, busy, fmt.Errorf("open session %s: %w", id, err)
	}
	return v, path, busy, nil
}

// repair repairs a session if its lock can be had, and gives the lock back. Who
// only reads can do without it, and who writes is told what fails by Start.
func (e *Engine) repair(ctx context.Context, id session.ID) (busy bool) {
	lock, err := e.store.Lock(ctx, id)
	if err != nil {
		return errors.Is(err, session.ErrLocked)
	}
	_, _ = e.store.Repair(ctx, lock)
	_ = lock.Unlock()
	return false
}

func (e *Engine) seat(id session.ID) *seat {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seats[id]
}

// sit takes the session's lock if it is not held yet, and makes sure that no
// turn runs and nothing of the last one is unsaved. The gate is held. undo
// gives back what sit took.
func (e *Engine) sit(ctx context.Context, id session.ID) (undo func(), err error) {
	e.mu.Lock()
	s := e.seats[id]
	if s == nil {
		e.mu.Unlock()
		return e.lock(ctx, id)
	}
	if s.turn != nil {
		e.mu.Unlock()
		return nil, ErrBusy
	}
	undo = func() {}
	if s.left {
		s.left = false // so that nobody else frees it meanwhile
		undo = func() { e.free(id) }
	}
	unsaved := s.unsaved
	e.mu.Unlock()
	if len(unsaved) > 0 {
		if err := e.commit(ctx, id, unsaved); err != nil {
			undo()
			return nil, fmt.Errorf("save the last answer of session %s: %w", id, err)
		}
	}
	return undo, nil
}

// lock takes the lock of a session that this engine does not hold, and repairs
// what a dead process left there.
func (e *Engine) lock(ctx context.Context, id session.ID) (undo func(), err error) {
	lock, err := e.store.Lock(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("lock session %s: %w", id, err)
	}
	if _, err := e.store.Repair(ctx, lock); err != nil {
		return nil, errors.Join(fmt.Errorf("repair session %s: %w", id, err), lock.Unlock())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seats[id] = &seat{lock: lock}
	return func() { e.free(id) }, nil
}

// free marks a seat as left and gives it up unless something holds it.
func (e *Engine) free(id session.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.seats[id]; s != nil {
		s.left = true
		e.settle(id, s)
	}
}

// settle gives up a seat that nothing holds. e.mu is held.
func (e *Engine) settle(id session.ID, s *seat) {
	if s.held() {
		return
	}
	delete(e.seats, id)
	_ = s.lock.Unlock() // the system does it when the process ends
}

// Release gives up the write lock of a session that is left, unless a turn
// runs in it, which then releases it at its end.
func (e *Engine) Release(id session.ID) {
	e.gate <- struct{}{}
	defer e.leave()
	e.free(id)
}

// Running returns the turn that runs in a session, or nil.
func (e *Engine) Running(id session.ID) *Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.seats[id]; s != nil {
		return s.turn
	}
	return nil
}
