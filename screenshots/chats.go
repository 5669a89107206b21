package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"waferchat/api"
	"waferchat/session"
)

// past is a chat that was there before.
type past struct {
	question string
	model    string
	turns    int
	ago      time.Duration
	state    session.State
	cost     int64 // of a turn, in micro-cents
}

// seedChats writes the chats of the list of chats.
func seedChats(st *stage) error {
	const half = 30 * time.Second // in the middle of a minute: the age stays the same for as long
	return st.keep(
		past{retriesQuestion, model, 3, 4*time.Minute + half, session.Done, 210_000},
		past{"Review this migration: does it lock the table?", "DeepSeek-V4-Pro", 8, 52*time.Minute + half, session.Done, 940_000},
		past{"Why does my sourdough spread instead of rising?", "GLM-5.3", 12, 3*time.Hour + half, session.Done, 1_120_000},
		past{"Translate the release notes into Japanese — 日本語に翻訳して", "Kimi-K3", 2, 5*time.Hour + half, session.Interrupted, 3_300_000},
		past{"Explain the borrow checker to someone who knows C++, with one example that does not compile", "GLM-5.3", 5, 9*time.Hour + half, session.Done, 480_000},
		past{"Plan a week of dinners for four without nuts", "GLM-5.3-Flash", 1, 14*time.Hour + half, session.Failed, 0},
		past{"regex for ISO 8601 durations", "GLM-5.3-Flash", 4, 21*time.Hour + half, session.Done, 12_000},
	)
}

// keep stores chats, the last one first, as the program would have at the time.
func (st *stage) keep(chats ...past) (err error) {
	now := time.Now()
	clock := now
	ctx := context.Background()
	file := filepath.Join(st.data(), "waferchat", "sessions.db")
	store, err := session.Open(ctx, file, session.Options{Now: func() time.Time { return clock }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, p := range chats {
		clock = now.Add(-p.ago)
		if err := p.write(ctx, store, st.server.URL, clock); err != nil {
			return err
		}
	}
	return nil
}

func (p *past) write(ctx context.Context, store *session.Store, url string, at time.Time) error {
	v := session.Session{ID: session.NewID(), Title: session.Title(p.question), BaseURL: url, Model: p.model, Created: at}
	lock, err := store.Lock(ctx, v.ID)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	return store.Begin(ctx, v, p.messages(at)...)
}

func (p *past) messages(at time.Time) []session.Message {
	var out []session.Message
	parent := session.MessageID("")
	add := func(m session.Message) {
		m.ID, m.Parent, m.Created = session.NewMessageID(), parent, at
		out, parent = append(out, m), m.ID
	}
	text := func(s string) []session.Part { return []session.Part{{Kind: session.PartText, Text: s}} }
	tokens, price := int64(1000), p.cost*1000 // of a million tokens
	for range p.turns {
		add(session.Message{Role: api.RoleUser, State: session.Done, Parts: text(p.question)})
		add(session.Message{
			Role: api.RoleAssistant, State: p.state, Parts: text("An answer."), Model: p.model,
			Usage:  &api.Usage{PromptTokens: new(int64), CompletionTokens: &tokens, CachedTokens: new(int64)},
			Prices: &api.Prices{Input: &price, Output: &price},
		})
	}
	return out
}
