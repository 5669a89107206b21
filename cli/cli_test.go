package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"waferchat/api/emulator"
)

// secret is a key that must never be seen anywhere but in the key store and on
// its way to its host.
const secret = "wfr_SECRET_4711"

// home is a user's machine: directories, environment, keyring, and a server.
type home struct {
	t      *testing.T
	dir    string
	env    map[string]string
	ring   *ring
	server *emulator.Running
	// hurried runs wait for the model list only as long as for users.
	hurried bool

	mu   sync.Mutex
	seen strings.Builder // everything that was ever printed
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), ring: &ring{keys: map[string]string{}}, env: map[string]string{}}
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		h.env["XDG_"+name+"_HOME"] = filepath.Join(h.dir, strings.ToLower(name))
	}
	h.server = h.serve(emulator.Options{Key: secret, Profile: emulator.Strict})
	h.env["WAFER_BASE_URL"], h.env["WAFER_API_KEY"] = h.server.URL, secret
	t.Cleanup(h.noSecrets)
	return h
}

func (h *home) serve(o emulator.Options) *emulator.Running {
	h.t.Helper()
	s, err := emulator.Start(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = s.Close() })
	return s
}

// noSecrets looks for the key in everything that was printed and written.
func (h *home) noSecrets() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if strings.Contains(h.seen.String(), "SECRET") {
		h.t.Errorf("the key was printed:\n%s", h.seen.String())
	}
	err := filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "keys.json" || strings.HasSuffix(path, ".secret") {
			return nil
		}
		if data, _ := os.ReadFile(path); bytes.Contains(data, []byte("SECRET")) {
			h.t.Errorf("the key is in %s", path)
		}
		return nil
	})
	if err != nil {
		h.t.Error(err)
	}
}

func (h *home) file(parts ...string) string {
	return filepath.Join(append([]string{h.dir}, parts...)...)
}

func (h *home) write(text string, parts ...string) string {
	h.t.Helper()
	path := h.file(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// result is what a run left.
type result struct {
	out, err string
	status   int
}

func (h *home) run(args ...string) result { return h.pipe("", args...) }

// pipe runs the program with a text on stdin.
func (h *home) pipe(stdin string, args ...string) result {
	var in io.Reader
	if stdin != "" {
		in = strings.NewReader(stdin)
	}
	var out bytes.Buffer
	r := h.start(context.Background(), in, &out, args...)
	r.out = out.String()
	return r
}

// start runs the program with its output going to w.
func (h *home) start(ctx context.Context, in io.Reader, w io.Writer, args ...string) result {
	var errs bytes.Buffer
	tee := &teeWriter{h, w}
	p := newProgram(System{Args: args, Stdin: in, Stdout: tee, Stderr: &errs, Keyring: h.ring, Version: "test",
		Getenv: func(k string) string { return h.env[k] }})
	if !h.hurried {
		p.patience = time.Minute // the list comes, however slow the machine
	}
	status := p.run(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen.WriteString(errs.String())
	return result{err: errs.String(), status: status}
}

// teeWriter remembers what is printed.
type teeWriter struct {
	h *home
	w io.Writer
}

func (t *teeWriter) Write(b []byte) (int, error) {
	t.h.mu.Lock()
	t.h.seen.Write(b)
	t.h.mu.Unlock()
	return t.w.Write(b)
}

// want checks a run: its status, its output exactly, and a part of its stderr.
func (r result) want(t *testing.T, status int, out, errPart string) {
	t.Helper()
	if r.status != status || r.out != out || !strings.Contains(r.err, errPart) || errPart == "" && r.err != "" {
		t.Errorf("status %d, stdout %q, stderr %q\nwant %d, %q, %q", r.status, r.out, r.err, status, out, errPart)
	}
}

// ring is a keyring in memory, or one that fails.
type ring struct {
	mu   sync.Mutex
	keys map[string]string
	err  error
	hang chan struct{}
}

func (r *ring) Set(_, user, key string) error {
	return r.do(func() error { r.keys[user] = key; return nil })
}

func (r *ring) Get(_, user string) (key string, err error) {
	err = r.do(func() error {
		if key = r.keys[user]; key == "" {
			return keyring.ErrNotFound
		}
		return nil
	})
	return key, err
}

func (r *ring) Delete(_, user string) error {
	return r.do(func() error {
		if r.keys[user] == "" {
			return keyring.ErrNotFound
		}
		delete(r.keys, user)
		return nil
	})
}

func (r *ring) do(f func() error) error {
	if r.hang != nil {
		<-r.hang
	}
	if r.err != nil {
		return r.err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return f()
}
