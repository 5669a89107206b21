package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/config"
	"waferchat/session"
)

// closeLimit is how long the end of the run may take to store what arrived.
const closeLimit = 10 * time.Second

// Backend is the store and the engine behind a chat.
type Backend struct {
	Client *api.Client
	Engine *chat.Engine
	Store  *session.Store
	// Unsaved says why nothing is kept on the disk; nil when it is.
	Unsaved error
}

// errNoSave is why nothing is kept when the user asked for that.
var errNoSave = errors.New("asked for with --no-save")

// openStore opens the sessions, or a store in memory when they cannot be
// opened, with the reason. The store is closed at the end of the run.
func (p *program) openStore(ctx context.Context, demo bool) (store *session.Store, unsaved, err error) {
	switch {
	case p.flags.noSave:
		unsaved = errNoSave
	case p.sessionsFile(demo) == "":
		unsaved = p.noPaths
	default:
		store, unsaved = session.Open(ctx, p.sessionsFile(demo), session.Options{})
	}
	if unsaved != nil {
		p.log.Warn("nothing is saved", "error", unsaved.Error())
		if store, err = session.OpenMemory(ctx, session.Options{}); err != nil {
			return nil, unsaved, fmt.Errorf("open a store in memory: %w", err)
		}
	}
	p.onClose(func() {
		if err := store.Close(); err != nil {
			p.say("%v", explain(err))
		}
	})
	return store, unsaved, nil
}

// engine makes the engine of a connection; it is closed, and what runs in it
// stored, at the end of the run.
func (p *program) engine(store *session.Store, c Connection, pace time.Duration) (*chat.Engine, *api.Client, error) {
	client, err := p.client(c)
	if err != nil {
		return nil, nil, err
	}
	card := p.card(c)
	if c.Demo {
		card = p.demoCards(client)
	}
	var mu sync.Mutex
	model := func(id string) (api.Model, bool) {
		mu.Lock()
		defer mu.Unlock()
		return card(id)
	}
	e := chat.New(chat.Options{
		Store:  store,
		Client: client,
		Pace:   pace,
		Model:  model,
		Prices: func(id string) *api.Prices { m, _ := model(id); return m.Prices },
	})
	p.onClose(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		if err := e.Close(ctx); err != nil {
			p.say("%v", explain(err))
		}
	})
	return e, client, nil
}

// demoCards asks the demo itself, which answers at once.
func (p *program) demoCards(client *api.Client) func(string) (api.Model, bool) {
	var list api.Catalogue
	return func(id string) (api.Model, bool) {
		if list == nil {
			ctx, cancel := context.WithTimeout(context.Background(), fetchLimit)
			defer cancel()
			list, _ = client.Models(ctx)
		}
		return list.Find(id)
	}
}

// framePace is the least time between two batches of events for a screen.
const framePace = time.Second / 30

// newChat is what a new chat starts from, but for its model when none is
// configured.
func (p *program) newChat(c Connection) (session.Session, error) {
	params, err := p.params()
	if err != nil {
		return session.Session{}, err
	}
	return session.Session{
		ID:      session.NewID(),
		Profile: p.config.Profile,
		BaseURL: storedURL(c),
		Model:   p.config.Model,
		Effort:  p.config.Effort,
		System:  p.config.System,
		ZDR:     p.config.ZDR,
		Params:  params,
	}, nil
}

// storedURL is the address that a session remembers: never a password, and not
// the demo's, which changes each time.
func storedURL(c Connection) string {
	if c.Demo {
		return ""
	}
	return config.Redacted(c.BaseURL)
}

// override applies to a resumed session what was said explicitly now.
func (p *program) override(v *session.Session) error {
	if p.config.Explicit("model") {
		v.Model = p.config.Model
	}
	if p.config.Explicit("effort") {
		v.Effort = p.config.Effort
	}
	if p.config.Explicit("system") {
		v.System = p.config.System
	}
	// A lock that was set is loosened only by saying so.
	v.ZDR = p.config.ZDR || v.ZDR && !p.config.Explicit("zdr")
	params, err := p.params()
	if err != nil {
		return err
	}
	if !p.config.Explicit("max_tokens") {
		params.MaxTokens = nil
	}
	return merge(&v.Params, params)
}

// explain puts an error of a server or a store into words for the user; others
// say enough themselves.
func explain(err error) error {
	title, advice := chat.Explain(err)
	if title == "" || strings.HasPrefix(title, "An unexpected error occurred") {
		return err
	}
	return errors.New(strings.TrimSpace(title + " " + advice))
}
