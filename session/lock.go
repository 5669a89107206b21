package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Lock is a held write lock of one session.
type Lock struct {
	store *Store
	id    ID
	file  *flock.Flock // nil in memory

	mu       sync.Mutex
	released bool
}

// Lock takes the advisory write lock of a session, which the system releases
// when the process dies. It returns ErrLocked at once when another process, or
// another Lock of this one, holds it. In memory there are no other processes.
// The session need not be stored yet.
func (s *Store) Lock(ctx context.Context, id ID) (*Lock, error) {
	if err := ctx.Err(); err != nil {
		return nil, wrap(err, "lock session %s", id)
	}
	l := &Lock{store: s, id: id}
	s.mu.Lock()
	_, taken := s.held[id]
	if !taken {
		s.held[id] = l
	}
	s.mu.Unlock()
	if taken {
		return nil, wrap(ErrLocked, "lock session %s", id)
	}
	if err := l.take(); err != nil {
		s.unhold(id)
		return nil, wrap(err, "lock session %s", id)
	}
	return l, nil
}

// take locks the session's file, also when it was locked before and removed
// since.
func (l *Lock) take() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store.locks == "" || l.released {
		return nil
	}
	if err := os.MkdirAll(l.store.locks, 0o700); err != nil {
		return err
	}
	path := filepath.Join(l.store.locks, lockName(l.id))
	if l.file != nil && l.onDisk(path) {
		return nil
	}
	f, err := lockFile(path)
	if err != nil {
		return err
	}
	if l.file != nil {
		_ = l.file.Close() // of a file that nobody finds any more
	}
	l.file = f
	return nil
}

func (l *Lock) onDisk(path string) bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

func (s *Store) unhold(id ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
}

// lockName is a file name whatever the id is: imported ones are not ours.
func lockName(id ID) string {
	if id == "" || strings.Trim(string(id), "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		sum := sha256.Sum256([]byte(id))
		return "id-" + hex.EncodeToString(sum[:]) + ".lock"
	}
	return string(id) + ".lock"
}

// lockFile locks a file, created 0600. Unlock removes the file before it lets
// go, so one who has got a lock makes sure that it is still on the file that
// others will find.
func lockFile(path string) (*flock.Flock, error) {
	for range 10 {
		f := flock.New(path, flock.SetPermissions(0o600))
		ok, err := f.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errors.Join(ErrLocked, f.Close())
		}
		mine, err := f.Stat()
		if err == nil {
			if there, err := os.Stat(path); err == nil && os.SameFile(mine, there) {
				return f, nil
			}
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return nil, ErrLocked // others take and release it all the time
}

// Unlock releases the lock. It may be called twice.
func (l *Lock) Unlock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return nil
	}
	l.released = true
	defer l.store.unhold(l.id)
	if l.file == nil {
		return nil
	}
	_ = os.Remove(l.file.Path()) // where open files can't be removed it stays, which does no harm
	return wrap(l.file.Unlock(), "unlock session %s", l.id)
}

// holds tells whether l is held and of this store.
func (l *Lock) holds(s *Store) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.store == s && !l.released
}
