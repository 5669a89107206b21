package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"waferchat/api"
	"waferchat/chat"
)

const (
	// listDelay is how long a server may be silent before it is asked for its
	// model list all the same.
	listDelay = 250 * time.Millisecond
	// listGrace is how long a finished answer waits for the list.
	listGrace = 300 * time.Millisecond
)

// aside does something beside the answer. A fault in it is logged and no more:
// the answer is worth more. The result is closed when f has ended.
func (p *program) aside(what string, f func()) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if v := recover(); v != nil {
				p.log.Error(what, "fault", fmt.Sprint(v))
			}
		}()
		f()
	}()
	return ended
}

// fetching asks for a model list while an answer arrives. A nil one asks for
// nothing.
type fetching struct {
	once   sync.Once
	begun  chan struct{} // closed when the server may be asked
	done   <-chan struct{}
	cancel context.CancelFunc
}

// fetchBeside fetches the model list of a server when there is none or it is old,
// so that prices, spellings and notices are right from then on. It waits until
// the answer has begun, so that the request and its first byte come first. A
// server that was asked in vain is not asked again.
func (p *program) fetchBeside(ctx context.Context, c Connection, client *api.Client) *fetching {
	if list := p.listed(c); c.Demo || !list.old() || list.Err != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	f := &fetching{begun: make(chan struct{}), cancel: cancel}
	f.done = p.aside("catalogue", func() {
		late := time.NewTimer(listDelay)
		defer late.Stop()
		select {
		case <-f.begun:
		case <-late.C:
		case <-ctx.Done():
			return
		}
		p.refresh(ctx, c, client)
	})
	return f
}

// see lets the fetching begin when the server has begun to answer.
func (f *fetching) see(e chat.Event) {
	if f != nil && e.State != chat.Connecting && e.State != chat.Retrying {
		f.once.Do(func() { close(f.begun) })
	}
}

// end gives the list a little more time, or none, and returns a func that waits
// until it has come or was given up.
func (f *fetching) end(grace time.Duration) (wait func()) {
	if f == nil {
		return func() {}
	}
	late := time.AfterFunc(grace, f.cancel)
	return func() {
		<-f.done
		late.Stop()
		f.cancel()
	}
}
