package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"waferchat/api"
	"waferchat/session"
)

// Start stores the user's message and a new assistant message below v.Head,
// and begins the turn. It takes the session's lock and keeps it until Release.
// v may be new. Errors: ErrBusy, session.ErrLocked, session.ErrMoved (the
// session went on in another process: open it again), a store's error. When it
// returns an error nothing was stored. ctx bounds Start, not the turn.
func (e *Engine) Start(ctx context.Context, v session.Session, text string) (*Turn, error) {
	return e.begin(ctx, v, func() (exchange, error) {
		path, err := e.path(ctx, v.Head)
		if err != nil {
			return exchange{}, err
		}
		user := e.question(v, text)
		return exchange{path: append(path, user), user: user, added: []session.Message{user}}, nil
	})
}

// Retry begins a turn that answers the user message above the assistant message
// again, as a sibling of it; the head moves to the new answer. Its errors are
// those of Start, and session.ErrNotFound.
func (e *Engine) Retry(ctx context.Context, v session.Session, assistant session.MessageID) (*Turn, error) {
	return e.begin(ctx, v, func() (exchange, error) {
		path, err := e.path(ctx, assistant)
		if err != nil {
			return exchange{}, err
		}
		for i, m := range slices.Backward(path) {
			if m.Role == api.RoleUser && m.Session == v.ID {
				return exchange{path: path[:i+1], user: m}, nil
			}
		}
		return exchange{}, fmt.Errorf("retry message %s: no question above it: %w", assistant, session.ErrNotFound)
	})
}

// exchange is what a turn is about to do.
type exchange struct {
	session session.Session
	path    []session.Message // from the root to the user's message
	user    session.Message
	replies []session.Message // one for each choice that is asked for
	added   []session.Message // those that are not stored yet
	cut     *session.Message  // the answer that is gone on with, nil for a new one
	request api.Request
}

func (e *Engine) path(ctx context.Context, end session.MessageID) ([]session.Message, error) {
	if end == "" {
		return nil, nil
	}
	path, err := e.store.Path(ctx, end, 0)
	if err != nil {
		return nil, fmt.Errorf("read path to message %s: %w", end, err)
	}
	return path, nil
}

// begin takes the session, stores what is new of an exchange, and starts the
// turn. propose is called with the lock held.
func (e *Engine) begin(ctx context.Context, v session.Session, propose func() (exchange, error)) (*Turn, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.leave()
	undo, err := e.sit(ctx, v.ID)
	if err != nil {
		return nil, err
	}
	x, err := propose()
	if err != nil {
		undo()
		return nil, err
	}
	x.request = e.request(v, x.path)
	if x.cut != nil {
		e.goOn(&x.request, *x.cut)
	}
	x.replies = e.replies(v, x.user.ID, x.request)
	if x.cut != nil {
		x.replies[0].Parts = x.cut.Parts
	}
	x.request.RequestID = string(x.replies[0].ID) // known also when no answer comes
	x.added = append(x.added, x.replies...)
	if err := e.store.Begin(ctx, v, x.added...); err != nil {
		undo()
		return nil, fmt.Errorf("store message: %w", err)
	}
	x.session = v
	x.session.Head = x.replies[0].ID
	return e.launch(ctx, x), nil
}

// Preview returns the request that Start would send for a text, and sends and
// stores nothing. The store is read only when the session has messages.
func (e *Engine) Preview(ctx context.Context, v session.Session, text string) (api.Request, error) {
	path, err := e.path(ctx, v.Head)
	if err != nil {
		return api.Request{}, err
	}
	return e.request(v, append(path, e.question(v, text))), nil
}

// question is a user's message below the head of a session.
func (e *Engine) question(v session.Session, text string) session.Message {
	return session.Message{
		ID:      session.NewMessageID(),
		Session: v.ID,
		Parent:  v.Head,
		Role:    api.RoleUser,
		State:   session.Done,
		Parts:   []session.Part{{Kind: session.PartText, Text: text}},
		Created: e.now(),
	}
}

// request is what is sent for a path. A model that the catalogue has is named
// in the catalogue's spelling.
func (e *Engine) request(v session.Session, path []session.Message) api.Request {
	card, _ := e.model(v.Model)
	req := api.Request{
		Model:    cmp.Or(card.ID, v.Model),
		Messages: session.Project(session.Projection{System: v.System, Replay: e.replay, Vision: card.Vision}, path),
		Params:   v.Params,
		ZDR:      v.ZDR,
	}
	req.ReasoningEffort = cmp.Or(v.Effort, v.Params.ReasoningEffort)
	return req
}

// mostChoices bounds the answers that one request may store.
const mostChoices = 32

// replies are the assistant messages that will hold the answers to a request,
// siblings of each other.
func (e *Engine) replies(v session.Session, user session.MessageID, req api.Request) []session.Message {
	n := 1
	if req.N != nil {
		n = min(max(*req.N, 1), mostChoices)
	}
	all := make([]session.Message, n)
	for i := range all {
		all[i] = session.Message{
			ID:      session.NewMessageID(),
			Session: v.ID,
			Parent:  user,
			Role:    api.RoleAssistant,
			State:   session.Streaming,
			Created: e.now(),
			Model:   req.Model,
			Effort:  req.ReasoningEffort,
			Params:  req.Params,
		}
	}
	return all
}

// launch starts the goroutine of a turn whose messages are stored.
func (e *Engine) launch(ctx context.Context, x exchange) *Turn {
	// The turn goes on when whoever started it has gone.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	at := e.now()
	t := &Turn{
		engine:  e,
		session: x.session,
		user:    x.user,
		started: at,
		cancel:  cancel,
		done:    make(chan struct{}),
		box:     newMailbox(e.pace, e.after),
		state:   Connecting,
		since:   at,
	}
	for _, m := range x.replies {
		if x.cut != nil {
			t.choices = append(t.choices, begun(m, *x.cut, e.prefill))
			continue
		}
		t.choices = append(t.choices, &answer{message: m})
	}
	for _, m := range x.added {
		m.Parts = slices.Clone(m.Parts)
		t.box.put(Event{Kind: EventMessage, State: t.state, At: at, Stored: &m})
	}
	t.box.put(Event{Kind: EventState, State: t.state, At: at})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.turns++
	t.id = e.turns
	s := e.seats[x.session.ID]
	if s.failing { // it no longer does: the answer that was unsaved is stored now
		s.failing = false
		t.box.put(Event{Kind: EventSaving, State: t.state, At: at})
	}
	s.turn = t
	e.startWatch()
	go t.run(ctx, x.request)
	return t
}
