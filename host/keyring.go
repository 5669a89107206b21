package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringLimit is how long a keyring may take: a locked one may wait for a
// dialog that nobody sees.
const keyringLimit = 2 * time.Second

const keyringService = "waferchat"

// Keyring keeps secrets by service and user. Its methods may hang. Get and
// Delete return keyring.ErrNotFound of go-keyring, or an error that says
// the same, for a secret that is not there.
type Keyring interface {
	Set(service, user, secret string) error
	Get(service, user string) (string, error)
	Delete(service, user string) error
}

var (
	errNoKeyring  = errors.New("there is no keyring on this system")
	errNotInRing  = errors.New("the keyring has no key for this host")
	errRingHangs  = errors.New("the keyring does not answer")
	errRingBroken = errors.New("the keyring cannot be used")
)

// ring asks a keyring under a time limit. One that hung is not asked again.
type ring struct {
	keyring Keyring
	limit   time.Duration
	hung    atomic.Bool
}

func (r *ring) set(ctx context.Context, user, secret string) error {
	_, err := r.ask(ctx, func() (string, error) { return "", r.keyring.Set(keyringService, user, secret) })
	return err
}

func (r *ring) get(ctx context.Context, user string) (string, error) {
	return r.ask(ctx, func() (string, error) { return r.keyring.Get(keyringService, user) })
}

func (r *ring) remove(ctx context.Context, user string) error {
	_, err := r.ask(ctx, func() (string, error) { return "", r.keyring.Delete(keyringService, user) })
	return err
}

type reply struct {
	secret string
	err    error
}

// ask leaves a call that hangs to itself: the keyring's client cannot be
// cancelled.
func (r *ring) ask(ctx context.Context, f func() (string, error)) (string, error) {
	if r.hung.Load() {
		return "", errRingHangs
	}
	done := make(chan reply, 1)
	go func() {
		secret, err := f()
		done <- reply{secret, err}
	}()
	limit := time.NewTimer(r.limit)
	defer limit.Stop()
	select {
	case a := <-done:
		return a.secret, ringError(a.err)
	case <-limit.C:
		r.hung.Store(true)
		return "", errRingHangs
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func ringError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return errNotInRing
	case errors.Is(err, errNoKeyring):
		return errNoKeyring
	}
	return fmt.Errorf("%w: %w", errRingBroken, err)
}

// systemKeyring is the one of the operating system. runtime is the user's
// runtime directory, where a session bus may be found.
type systemKeyring struct {
	system  System
	runtime string
}

func (s systemKeyring) Set(service, user, secret string) error {
	if !s.present() {
		return errNoKeyring
	}
	return keyring.Set(service, user, secret)
}

func (s systemKeyring) Get(service, user string) (string, error) {
	if !s.present() {
		return "", errNoKeyring
	}
	return keyring.Get(service, user)
}

func (s systemKeyring) Delete(service, user string) error {
	if !s.present() {
		return errNoKeyring
	}
	return keyring.Delete(service, user)
}

// present tells whether there is a session bus to ask. Without one the client
// library would start dbus-launch, which leaves a daemon behind.
func (s systemKeyring) present() bool {
	switch s.system.goos() {
	case "darwin", "windows":
		return true
	}
	if s.system.env("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(s.runtime, name)); err == nil {
			return true
		}
	}
	return false
}
