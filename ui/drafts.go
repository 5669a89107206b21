package ui

import (
	"context"
	"sync"

	"waferchat/session"
)

// drafts are the drafts of this run, by session, "" for the new chat. Commands
// that save run in no order: each saves what is newest when its turn comes.
type drafts struct {
	mu   sync.Mutex
	kept map[session.ID]session.Draft
	disk sync.Mutex // one save at a time
}

// put takes the newest draft of a session.
func (d *drafts) put(id session.ID, v session.Draft) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept == nil {
		d.kept = map[session.ID]session.Draft{}
	}
	d.kept[id] = v
}

// newest is the draft of a session if one was put in this run: what is on the
// disk may be older, while a save is under way.
func (d *drafts) newest(id session.ID) (session.Draft, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, ok := d.kept[id]
	return v, ok
}

// save writes the newest draft of a session.
func (d *drafts) save(ctx context.Context, s *session.Store, id session.ID) error {
	d.disk.Lock()
	defer d.disk.Unlock()
	v, _ := d.newest(id)
	return s.SaveDraft(ctx, id, v)
}
