package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"waferchat/chat"
	"waferchat/session"
)

// print sends a prompt and prints the answer as it arrives.
func (p *program) print(ctx context.Context, prompt string) error {
	if p.sys.Frugal != nil {
		p.sys.Frugal()
	}
	j, err := p.prepare(ctx)
	if err != nil {
		return p.notStarted(ctx, err)
	}
	p.tellRegex(j.session.Params)
	if p.flags.dryRun {
		return p.dryRun(ctx, j, prompt)
	}
	if j.conn, err = p.withKey(ctx, j.conn); err != nil {
		return p.notStarted(ctx, local(err))
	}
	engine, client, err := p.engine(j.store, j.conn, 0)
	if err != nil {
		return p.notStarted(ctx, err)
	}
	turn, err := p.start(ctx, engine, &j, prompt)
	if err != nil {
		return p.notStarted(ctx, err)
	}
	p.tellRefused(j.conn, client, j.session)
	told := p.startNotices(ctx, engine, j, prompt)
	list := p.fetchBeside(ctx, j.conn, client)
	err = p.watch(ctx, turn, p.output(j), list)
	listed := list.end(p.grace(ctx, err))
	told()
	listed()
	return err
}

// grace is how long the model list may still take when an answer has ended with
// err: nothing where nobody waits for it any more.
func (p *program) grace(ctx context.Context, err error) time.Duration {
	var out *outputError
	if ctx.Err() != nil || errors.As(err, &out) {
		return 0
	}
	return p.patience
}

// job is what print mode is about to do.
type job struct {
	conn    Connection
	store   *session.Store
	unsaved error
	session session.Session
	// changed tells that what a resumed session says was overridden, for good.
	changed bool
}

// destination decides where to send: to what was said explicitly, else to where
// the session was held, else to what is configured.
func (p *program) destination(held string) (Connection, error) {
	if held != "" && !p.config.Explicit("base_url") && !p.flags.demo {
		p.tellProblems()
		return p.connection(held)
	}
	if err := p.warn(); err != nil {
		return Connection{}, err
	}
	return p.connection("")
}

// prepare decides where to send, and opens the store and the session.
func (p *program) prepare(ctx context.Context) (j job, err error) {
	if p.resumes() {
		return p.prepareResumed(ctx)
	}
	if j.conn, err = p.destination(""); err != nil {
		return j, err
	}
	if !p.flags.dryRun {
		if j.store, j.unsaved, err = p.openStore(ctx, p.flags.demo); err != nil {
			return j, err
		}
	}
	if j.unsaved != nil && j.unsaved != errNoSave {
		p.say("this chat is not saved: %v", explain(j.unsaved))
	}
	return j, p.beginSession(ctx, &j)
}

// beginSession makes a new session.
func (p *program) beginSession(ctx context.Context, j *job) (err error) {
	j.session, err = p.newChat(j.conn)
	if j.session.Model == "" && err == nil {
		j.session.Model = p.model(ctx, j.conn)
	}
	return err
}

// prepareResumed is prepare for -c and -r, which are nothing without the store.
func (p *program) prepareResumed(ctx context.Context) (j job, err error) {
	if j.store, j.unsaved, err = p.openStore(ctx, p.flags.demo); err != nil {
		return j, err
	}
	if j.unsaved != nil {
		return j, j.unsaved
	}
	found := false
	if j.session, found, err = p.chosen(ctx, j.store); err != nil {
		return j, err
	}
	if j.conn, err = p.destination(j.session.BaseURL); err != nil {
		return j, err
	}
	if !found {
		p.note("there is no session to go on with; this is a new one")
		return j, p.beginSession(ctx, &j)
	}
	p.useServerOf(j.session.Profile)
	held := j.session
	j.session.BaseURL = storedURL(j.conn)
	err = p.override(&j.session)
	// What is said for another server is for this once.
	j.changed = held.BaseURL == j.session.BaseURL && !reflect.DeepEqual(held, j.session)
	return j, err
}

// keepChanges stores what was overridden with the session, so that it counts the
// next time too.
func (p *program) keepChanges(ctx context.Context, j *job) {
	v, err := j.store.Get(ctx, j.session.ID)
	if err == nil {
		s := &j.session
		v.Model, v.Effort, v.System, v.ZDR, v.Params = s.Model, s.Effort, s.System, s.ZDR, s.Params
		err = j.store.Save(ctx, v)
	}
	if err != nil {
		p.say("what was set for this chat counts only now: %v", explain(err))
	}
}

// start begins the turn. When the disk refuses a new session, the answer comes
// all the same.
func (p *program) start(ctx context.Context, engine *chat.Engine, j *job, prompt string) (*chat.Turn, error) {
	if p.resumes() && j.session.Head != "" {
		v, _, busy, err := engine.Open(ctx, j.session.ID, 1)
		if err != nil {
			return nil, err
		}
		if busy {
			return nil, fmt.Errorf("go on with session %s: %w", v.ID, session.ErrLocked)
		}
		j.session.Head = v.Head
	}
	turn, err := engine.Start(ctx, j.session, prompt)
	if err == nil && j.changed {
		p.keepChanges(ctx, j)
	}
	known := errors.Is(err, session.ErrLocked) || errors.Is(err, session.ErrMoved) || errors.Is(err, context.Canceled)
	if err == nil || known || j.unsaved != nil || p.resumes() {
		return turn, err
	}
	title, _ := chat.Explain(err) // its advice is for a program that goes on
	p.say("this chat is not saved. %s", title)
	p.lost = true
	if j.store, err = session.OpenMemory(ctx, session.Options{}); err != nil {
		return nil, err
	}
	p.onClose(func() { _ = j.store.Close() })
	if engine, _, err = p.engine(j.store, j.conn, 0); err != nil {
		return nil, err
	}
	return engine.Start(ctx, j.session, prompt)
}

// watch prints the events of a turn to its end. When ctx ends, or stdout goes
// away, it cancels the turn and waits until what arrived is stored.
func (p *program) watch(ctx context.Context, turn *chat.Turn, out output, list *fetching) error {
	var saving error
	var others []*session.Message // the finished choices behind the first
	for {
		events, err := turn.Next(ctx)
		if err != nil && ctx.Err() != nil {
			turn.Cancel()
			turn.Wait()
			_ = out.end(chat.Event{State: chat.Cancelled})
			return &exitError{status: exitInterrupted}
		}
		if errors.Is(err, io.EOF) {
			return errors.New("the answer ended without an end") // the engine's contract rules it out
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			list.see(e)
			switch e.Kind {
			case chat.EventSaving:
				saving = e.Err
			case chat.EventChoice:
				others = append(others, e.Stored)
			}
			p.tell(e)
		}
		if err := out.events(events); err != nil {
			turn.Cancel()
			turn.Wait()
			return err
		}
		if last := events[len(events)-1]; last.Kind == chat.EventEnd {
			err := out.end(last)
			if err == nil || errors.Is(err, errNoCode) { // that the answer was cut short says more
				err = cmp.Or(p.outcome(last, others, saving), err)
			}
			return err
		}
	}
}

// tell says on stderr what is no part of the answer.
func (p *program) tell(e chat.Event) {
	switch {
	case e.Kind == chat.EventRetry && e.Retry.Added != "":
		p.note("the server wants %s with every tool call; asking again with it", e.Retry.Added)
	case e.Kind == chat.EventRetry && e.Retry.Renamed != "":
		p.note("the server wants %s instead of %s; asking again with it", e.Retry.Renamed, e.Retry.Dropped)
	case e.Kind == chat.EventRetry && e.Retry.Dropped == "content":
		p.note("the server does not take empty content beside tool calls; asking again without it")
	case e.Kind == chat.EventRetry && e.Retry.Dropped != "":
		p.note("the server does not take %s; asking again without it", e.Retry.Dropped)
	case e.Kind == chat.EventRetry:
		title, _ := chat.Explain(e.Retry.Err)
		p.note("%s Trying again in %v (%d of %d)", title, e.Retry.Wait.Round(100*time.Millisecond), e.Retry.Attempt, e.Retry.Max)
	case e.Kind == chat.EventSaving && e.Err != nil:
		p.say("the answer is not being saved: %v", explain(e.Err))
	}
}
