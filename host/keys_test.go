package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"
)

type memoryRing map[string]string

func (m memoryRing) Set(service, user, secret string) error {
	m[service+"/"+user] = secret
	return nil
}

func (m memoryRing) Get(service, user string) (string, error) {
	if s, ok := m[service+"/"+user]; ok {
		return s, nil
	}
	return "", keyring.ErrNotFound
}

func (m memoryRing) Delete(service, user string) error {
	if _, ok := m[service+"/"+user]; !ok {
		return keyring.ErrNotFound
	}
	delete(m, service+"/"+user)
	return nil
}

type brokenRing struct{ err error }

func (b brokenRing) Set(string, string, string) error        { return b.err }
func (b brokenRing) Get(string, string) (string, error)      { return "", b.err }
func (b brokenRing) Delete(service, user string) (err error) { return b.err }

// hangingRing answers nothing until it is let go.
type hangingRing chan struct{}

func (h hangingRing) Set(string, string, string) error   { <-h; return nil }
func (h hangingRing) Get(string, string) (string, error) { <-h; return "", nil }
func (h hangingRing) Delete(string, string) error        { <-h; return nil }

func TestAKeyIsKeptInTheKeyringPerHost(t *testing.T) {
	ctx, file := context.Background(), filepath.Join(t.TempDir(), "d", "keys.json")
	k := NewKeys(KeyOptions{File: file, Keyring: memoryRing{}})
	for host, key := range map[string]string{"a": "key-a", "b:1": "key-b"} {
		if p, err := k.Store(ctx, host, key); err != nil || !p.Keyring || p.String() != "the system's keyring" {
			t.Fatal(p, err)
		}
	}
	if s, p, err := k.Load(ctx, "b:1"); s != "key-b" || !p.Keyring || err != nil {
		t.Error(s, p, err)
	}
	if _, _, err := k.Load(ctx, "b"); !errors.Is(err, ErrNoKey) {
		t.Error(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a key file was made beside the keyring")
	}
	if p, err := k.Delete(ctx, "a"); err != nil || !p.Keyring {
		t.Error(p, err)
	}
	if _, err := k.Delete(ctx, "a"); !errors.Is(err, ErrNoKey) {
		t.Error(err)
	}
}

func TestWithoutAKeyringAKeyGoesToAPrivateFile(t *testing.T) {
	ctx, file := context.Background(), filepath.Join(t.TempDir(), "d", "keys.json")
	k := NewKeys(KeyOptions{File: file, Keyring: brokenRing{errors.New("no bus")}})
	p, err := k.Store(ctx, "a", "key-a")
	if err != nil || p.Keyring || p.String() != file || p.Reason == nil {
		t.Fatal(p, err)
	}
	for path, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700 | os.ModeDir} {
		if st, err := os.Stat(path); err != nil || st.Mode() != mode {
			t.Errorf("%s has mode %v", path, st.Mode())
		}
	}
	if s, p, err := k.Load(ctx, "a"); s != "key-a" || p.Keyring || err != nil {
		t.Error(s, p, err)
	}
	if hosts, _ := k.FileHosts(); len(hosts) != 1 || hosts[0] != "a" {
		t.Error(hosts)
	}
	// A keyring that works again takes the key over.
	k = NewKeys(KeyOptions{File: file, Keyring: memoryRing{}})
	if p, err = k.Store(ctx, "a", "new"); err != nil || !p.Keyring {
		t.Error(p, err)
	}
	if s, p, _ := k.Load(ctx, "a"); s != "new" || !p.Keyring {
		t.Error("the old file wins:", s, p)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the key is kept in both places")
	}
}

func TestABrokenKeyFileIsNeverQuotedOrOverwritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, []byte(`{"a": sk-SECRET`), 0o600); err != nil {
		t.Fatal(err)
	}
	k := NewKeys(KeyOptions{File: file, Keyring: brokenRing{errors.New("no")}})
	_, _, lerr := k.Load(context.Background(), "a")
	_, serr := k.Store(context.Background(), "a", "key")
	_, derr := k.Delete(context.Background(), "a")
	for _, err := range []error{lerr, serr, derr} {
		if err == nil || errors.Is(err, ErrNoKey) || strings.Contains(err.Error(), "SECRET") {
			t.Error(err)
		}
	}
	if data, _ := os.ReadFile(file); string(data) != `{"a": sk-SECRET` {
		t.Errorf("overwritten: %s", data)
	}
}

func TestAKeyringThatHangsCostsTwoSecondsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := make(hangingRing)
		defer close(ring)
		k := NewKeys(KeyOptions{File: filepath.Join(t.TempDir(), "keys.json"), Keyring: ring})
		start := time.Now()
		p, err := k.Store(t.Context(), "a", "key-a")
		if err != nil || p.Keyring || time.Since(start) != 2*time.Second {
			t.Error(p, err, time.Since(start))
		}
		if _, _, err := k.Load(t.Context(), "b"); !errors.Is(err, ErrNoKey) {
			t.Error(err)
		}
		if s, _, err := k.Load(t.Context(), "a"); s != "key-a" || err != nil {
			t.Error(s, err)
		}
		if _, err := k.Delete(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		if time.Since(start) != 2*time.Second {
			t.Error("asked again:", time.Since(start))
		}
	})
}

func TestWithoutASessionBusTheKeyringIsNotTouched(t *testing.T) {
	ring := systemKeyring{System{GOOS: "linux", Getenv: func(string) string { return "" }}, t.TempDir()}
	if _, err := ring.Get("s", "u"); !errors.Is(err, errNoKeyring) {
		t.Error(err)
	}
	if err := ring.Set("s", "u", "x"); !errors.Is(err, errNoKeyring) {
		t.Error(err)
	}
	if err := ring.Delete("s", "u"); !errors.Is(err, errNoKeyring) {
		t.Error(err)
	}
}

func TestWriteFileReplacesInOneStep(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(real); string(data) != "new" {
		t.Errorf("the link was replaced, not its target: %s", data)
	}
	if st, _ := os.Stat(real); st.Mode() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if err := WriteFile(filepath.Join(real, "below"), nil); err == nil {
		t.Error("a file below a file")
	}
	if names, _ := os.ReadDir(dir); len(names) != 2 {
		t.Errorf("something is left: %v", names)
	}
}
