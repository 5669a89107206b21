package session

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// Errors of the store.
var (
	ErrNotFound  = errors.New("no such session")
	ErrLocked    = errors.New("another waferchat is writing this session")
	ErrNewer     = errors.New("the store was written by a newer waferchat")
	ErrMoved     = errors.New("the session has changed since it was read")
	ErrAmbiguous = errors.New("more than one session matches")
	// ErrNoMessage is also ErrNotFound.
	ErrNoMessage error = missingMessage{}
	// ErrGone means that the file was removed, or another put in its place,
	// while it was in use. What it held is still known to the Store.
	ErrGone = errors.New("the file of the store is not there any more")
	// ErrCorrupt means that the file is not a store, or a damaged one. It was
	// not changed.
	ErrCorrupt = errors.New("the file is damaged or no waferchat store")
)

type missingMessage struct{}

func (missingMessage) Error() string        { return "no such message" }
func (missingMessage) Is(target error) bool { return target == ErrNotFound }

// SQLite's primary result codes, as its document lists them.
const (
	codeBusy    = 5
	codeCorrupt = 11
	codeNotADB  = 26
)

// busy tells that another connection held what was wanted.
func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == codeBusy
}

// wrap says what was being done when err happened, and makes damage an
// ErrCorrupt.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	what := fmt.Sprintf(format, args...)
	var e *sqlite.Error
	if errors.As(err, &e) && (e.Code()&0xff == codeCorrupt || e.Code()&0xff == codeNotADB) {
		return fmt.Errorf("%s: %w: %w", what, ErrCorrupt, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
