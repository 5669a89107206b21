package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options of a [Store].
type Options struct {
	// Flush is the longest that a delta stays in memory; 0 means 200 ms.
	Flush time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// OnError is told why what streams can't be saved, once, and nil as soon as
	// saving works again. Nothing is lost in between while the process lives.
	// It is called from the goroutine that wrote, never twice at once, and must
	// not call the store; nil tells nobody.
	OnError func(error)
}

// Store keeps sessions in one SQLite database. It is safe for concurrent use
// and for several processes at once.
//
// Every write checks the version of the schema first: when a newer waferchat
// has migrated the store meanwhile, this one gets [ErrNewer] and may only read.
//
// When the file is removed under an open Store, the first to write gets
// [ErrGone], so that the user is told; the next write puts the file back as it
// was.
type Store struct {
	o       Options
	version int
	writer  *sql.DB   // one connection
	readers *sql.DB   // the writer itself in memory
	keeper  *sql.DB   // in memory only
	anchor  *sql.Conn // of keeper: the database lives as long as a connection
	path    string    // of the file, "" in memory
	locks   string    // directory of the lock files, "" in memory

	turn chan struct{} // holds a token while someone writes
	// Whoever has the turn may use these.
	file   os.FileInfo // the file that was opened
	missed bool        // it was found to be gone, and somebody was told

	mu        sync.Mutex
	pending   map[MessageID]*pending
	live      map[MessageID]bool // streaming or waiting for tools, written by this Store
	serial    int64              // number of the newest chunk
	scheduled bool               // the loop knows that something is pending
	failed    error              // the first failure since the last Flush
	failing   bool               // OnError was told so
	held      map[ID]*Lock       // sessions locked through this Store
	closed    bool

	wake chan struct{}
	quit chan struct{}
	idle chan struct{} // closed when the loop has ended
}

// Open opens or creates the store at path (0600, in a 0700 directory),
// migrates an older one after a backup beside it, and refuses a newer one with
// [ErrNewer]. A file that is no store, or a damaged one, gives [ErrCorrupt].
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	ms, err := migrations()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, o, ms)
}

func open(ctx context.Context, path string, o Options, ms []string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, wrap(err, "open store")
	}
	s := newStore(o, len(ms))
	if err := s.openFile(ctx, path, ms); err != nil {
		return nil, errors.Join(wrap(err, "open store %s", path), s.closeAll())
	}
	go s.loop()
	return s, nil
}

// OpenMemory opens an empty store that touches no disk.
func OpenMemory(ctx context.Context, o Options) (*Store, error) {
	ms, err := migrations()
	if err != nil {
		return nil, err
	}
	s := newStore(o, len(ms))
	if err := s.openMemory(ctx, ms); err != nil {
		return nil, errors.Join(wrap(err, "open store in memory"), s.closeAll())
	}
	go s.loop()
	return s, nil
}

func newStore(o Options, version int) *Store {
	if o.Flush <= 0 {
		o.Flush = 200 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{
		o:       o,
		version: version,
		turn:    make(chan struct{}, 1),
		pending: map[MessageID]*pending{},
		live:    map[MessageID]bool{},
		serial:  rand.Int64() >> 1, // other processes number from elsewhere
		held:    map[ID]*Lock{},
		wake:    make(chan struct{}, 1),
		quit:    make(chan struct{}),
		idle:    make(chan struct{}),
	}
}

// Close flushes and closes the store. Its error tells that something could
// not be saved and is lost now. It may be called twice. Locks stay held.
func (s *Store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if again {
		return nil
	}
	close(s.quit)
	<-s.idle
	return errors.Join(s.flush(context.Background(), ""), s.closeAll())
}

func (s *Store) closeAll() error {
	var errs []error
	if s.readers != nil && s.readers != s.writer {
		errs = append(errs, s.readers.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.anchor != nil {
		errs = append(errs, s.anchor.Close())
	}
	if s.keeper != nil {
		errs = append(errs, s.keeper.Close())
	}
	return wrap(errors.Join(errs...), "close store")
}

// Check reads the whole store and returns an [ErrCorrupt] that names what is
// damaged.
func (s *Store) Check(ctx context.Context) error {
	for _, q := range []string{
		"PRAGMA integrity_check(5)",
		`SELECT 'a lost reference in ' || "table" FROM pragma_foreign_key_check LIMIT 5`,
	} {
		found, err := column[string](ctx, s.readers, q)
		if err != nil {
			return wrap(err, "check store")
		}
		if found = slices.DeleteFunc(found, func(f string) bool { return f == "ok" }); len(found) > 0 {
			return fmt.Errorf("check store: %w: %s", ErrCorrupt, strings.Join(found, "; "))
		}
	}
	return nil
}
