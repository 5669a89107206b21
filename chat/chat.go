package chat

import (
	"errors"
	"sync"
	"time"

	"waferchat/api"
	"waferchat/session"
)

// Errors of the engine.
var (
	ErrBusy   = errors.New("an answer is still arriving in this chat")
	ErrClosed = errors.New("the engine is closed")
	// ErrAnswered: the message cannot be taken back, its answer has begun.
	ErrAnswered = errors.New("the answer has already begun")
)

// Options of an [Engine].
type Options struct {
	Store  *session.Store
	Client *api.Client
	// Prices looks up the prices of a model at the time a turn ends; nil or a
	// nil result is unknown.
	Prices func(model string) *api.Prices
	// Model looks up the card of a model; nil or false is unknown.
	Model func(id string) (api.Model, bool)
	// Names lists the models of the catalogue, to name those near one that is
	// gone; nil is none.
	Names func() []string
	// Wafer: the server is Wafer's or does as its document says. It decides which
	// rules a forecast goes by.
	Wafer bool
	// HonoursSampling are the models that honour all sampling fields on such a
	// server; nil is what the document of the API said when this was written.
	HonoursSampling []string
	// Replay says when reasoning is sent back; "" is session.ReplayAuto.
	Replay session.ReplayPolicy
	// Prefill: the server goes on with an assistant message that ends a request.
	Prefill bool
	// Pace is the least time between two batches of events, after the first;
	// 0 gives each as soon as it is there.
	Pace time.Duration
	// Now and After are the clock; nil is the real one.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// New returns an engine. It starts nothing; whoever made it must Close it.
func New(o Options) *Engine {
	e := &Engine{
		store:   o.Store,
		client:  o.Client,
		pace:    o.Pace,
		prices:  o.Prices,
		model:   o.Model,
		names:   o.Names,
		wafer:   o.Wafer,
		honours: o.HonoursSampling,
		meter:   sync.OnceValue(newMeter),
		replay:  o.Replay,
		prefill: o.Prefill,
		now:     o.Now,
		after:   o.After,
		gate:    make(chan struct{}, 1),
		seats:   map[session.ID]*seat{},
	}
	if e.prices == nil {
		e.prices = func(string) *api.Prices { return nil }
	}
	if e.model == nil {
		e.model = func(string) (api.Model, bool) { return api.Model{}, false }
	}
	if e.names == nil {
		e.names = func() []string { return nil }
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.after == nil {
		e.after = time.After
	}
	return e
}
