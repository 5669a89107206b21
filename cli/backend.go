package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	refused := p.refusals(c).names()
	client, err := p.client(c, refused)
	if err != nil {
		return nil, nil, err
	}
	p.onClose(func() { p.keepRefused(c, client, refused) })
	list := func() api.Catalogue {
		if c.Demo {
			return p.demoListed(c, client)
		}
		return p.listed(c).Models
	}
	e := chat.New(chat.Options{
		Store:  store,
		Client: client,
		Pace:   pace,
		Model:  func(id string) (api.Model, bool) { return list().Find(id) },
		Prices: func(id string) *api.Prices { m, _ := list().Find(id); return m.Prices },
		Names:  func() []string { return ids(list()) },

		Wafer:           c.wafer(),
		HonoursSampling: p.config.HonoursSampling,
		Replay:          session.ReplayPolicy(p.config.SendReasoning),
		Prefill:         p.config.Prefill,
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

func ids(models api.Catalogue) []string {
	var out []string
	for _, m := range models {
		out = append(out, m.ID)
	}
	return out
}

// framePace is the least time between two batches of events for a screen.
const framePace = time.Second / 30

// newChat is what a new chat starts from, but for its model when none is
// configured.
func (p *program) newChat(c Connection) (session.Session, error) {
	v := session.Session{
		ID:      session.NewID(),
		Profile: p.config.Profile,
		BaseURL: storedURL(c),
		Model:   p.config.Model,
		Effort:  p.config.Effort,
		System:  p.config.System,
		ZDR:     p.config.ZDR,
	}
	v.Params.MaxTokens = p.maxTokens()
	return v, p.ask(&v)
}

// maxTokens is the configured limit, nil for none.
func (p *program) maxTokens() *int {
	if p.config.MaxTokens == 0 {
		return nil
	}
	return new(p.config.MaxTokens)
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
	if p.config.Explicit("max_tokens") {
		v.Params.MaxTokens = p.maxTokens()
	}
	return p.ask(v)
}

// explain puts an error of a server or a store into words for the user; others
// say enough themselves.
func explain(err error) error {
	title, advice := chat.Explain(err)
	if !explained(title) {
		return err
	}
	return errors.New(strings.TrimSpace(title + " " + advice))
}

// explained tells whether a title of [chat.Explain] says something of its own.
func explained(title string) bool {
	return title != "" && !strings.HasPrefix(title, "An unexpected error occurred")
}
