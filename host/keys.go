package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
)

// ErrNoKey tells that no key is stored for a host.
var ErrNoKey = errors.New("no key is stored for this host")

// Place is where a key is kept.
type Place struct {
	// Keyring tells that it is the system's keyring; else File is the 0600 file.
	Keyring bool
	File    string
	// Reason is why the keyring could not be used, when it could not.
	Reason error
}

// String says the place in words.
func (p Place) String() string {
	if p.Keyring {
		return "the system's keyring"
	}
	return p.File
}

// Keys keeps API keys, one per host: in the system's keyring, or in a 0600 file
// where there is none. A key is never kept in both. It is safe for concurrent
// use.
type Keys struct {
	file string
	ring ring
	mu   sync.Mutex // guards the file
}

// KeyOptions configure [Keys].
type KeyOptions struct {
	// File is the path of the file that is used without a keyring.
	File string
	// Keyring replaces the system's keyring.
	Keyring Keyring
	System  System
}

// NewKeys returns the store of keys. It opens nothing.
func NewKeys(o KeyOptions) *Keys {
	if o.Keyring == nil {
		o.Keyring = systemKeyring{o.System, filepath.Join("/run/user", strconv.Itoa(os.Getuid()))}
	}
	return &Keys{file: o.File, ring: ring{keyring: o.Keyring, limit: keyringLimit}}
}

// Store keeps a host's key and tells where. A keyring that does not answer in
// 2 s counts as none.
func (k *Keys) Store(ctx context.Context, host, secret string) (Place, error) {
	reason := k.ring.set(ctx, host, secret)
	if reason == nil {
		if _, err := k.edit(host, ""); err != nil {
			return Place{}, fmt.Errorf("store key: remove the old one: %w", err)
		}
		return Place{Keyring: true}, nil
	}
	if ctx.Err() != nil {
		return Place{}, fmt.Errorf("store key: %w", ctx.Err())
	}
	if _, err := k.edit(host, secret); err != nil {
		return Place{}, fmt.Errorf("store key: %w", err)
	}
	return Place{File: k.file, Reason: reason}, nil
}

// Load returns a host's key and where it is kept, or [ErrNoKey]. The file comes
// first: it answers at once, and it is written only without a keyring.
func (k *Keys) Load(ctx context.Context, host string) (string, Place, error) {
	keys, err := k.read()
	if err != nil {
		return "", Place{}, fmt.Errorf("load key: %w", err)
	}
	if secret := keys[host]; secret != "" {
		return secret, Place{File: k.file}, nil
	}
	secret, err := k.ring.get(ctx, host)
	if err != nil {
		return "", Place{File: k.file, Reason: err}, ErrNoKey
	}
	return secret, Place{Keyring: true}, nil
}

// Delete removes a host's key wherever it is kept and tells where that was, or
// [ErrNoKey].
func (k *Keys) Delete(ctx context.Context, host string) (Place, error) {
	had, err := k.edit(host, "")
	if err != nil {
		return Place{}, fmt.Errorf("delete key: %w", err)
	}
	switch ring := k.ring.remove(ctx, host); {
	case ring == nil:
		return Place{Keyring: true}, nil
	case had:
		return Place{File: k.file}, nil
	case errors.Is(ring, errNotInRing):
		return Place{}, ErrNoKey
	default:
		return Place{Reason: ring}, ErrNoKey
	}
}

// FileHosts returns the hosts that have a key in the file, sorted.
func (k *Keys) FileHosts() ([]string, error) {
	keys, err := k.read()
	return slices.Sorted(maps.Keys(keys)), err
}

func (k *Keys) read() (map[string]string, error) {
	keys := map[string]string{}
	data, err := os.ReadFile(k.file)
	if errors.Is(err, fs.ErrNotExist) || k.file == "" {
		return keys, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("%s is not a key file", k.file) // the JSON error may quote the content
	}
	return keys, nil
}

// edit sets a key of the file, or removes it when it is empty, and tells
// whether there was one. The file is not touched when nothing changes.
func (k *Keys) edit(host, secret string) (had bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.read()
	if err != nil {
		return false, err
	}
	had = keys[host] != ""
	if secret == "" && !had {
		return false, nil
	}
	if k.file == "" {
		return false, errors.New("there is no place for a key file")
	}
	keys[host] = secret
	if secret == "" {
		delete(keys, host)
		if len(keys) == 0 {
			return had, os.Remove(k.file)
		}
	}
	data, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return had, err
	}
	return had, WriteFile(k.file, append(data, '\n'))
}
