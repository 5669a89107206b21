package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"waferchat/api"
	"waferchat/config"
	"waferchat/host"
)

// tui runs the terminal program.
func (p *program) tui(ctx context.Context, words []string) error {
	if p.sys.Getenv("TERM") == "dumb" {
		return usage("this terminal (TERM=dumb) cannot show the program; -p prints an answer")
	}
	prompt, err := p.prompt(ctx, words)
	if err != nil {
		return err
	}
	conn := Connection{}
	if p.config.BaseURL != "" || p.flags.demo {
		if conn, err = p.connection(""); err != nil {
			return err
		}
	}
	s, err := p.starting(conn, prompt)
	if err != nil {
		return err
	}
	return p.sys.TUI(ctx, s)
}

// starting collects what the terminal program is handed. Nothing here opens a
// store, asks a keyring or talks to a server.
func (p *program) starting(conn Connection, prompt string) (Start, error) {
	t, err := p.newChat(conn)
	if err != nil {
		return Start{}, err
	}
	resume := Resume{Latest: p.flags.continued, Pick: p.flags.noSessionValue}
	if p.flags.resumeSet && !p.flags.noSessionValue {
		resume.Name = p.flags.resume
	}
	return Start{
		Config: p.config, Paths: p.paths, Problems: p.problems, Log: p.log,
		Host: p.host(), Getenv: p.sys.Getenv,
		Connection: conn, Template: t, Model: p.model, Override: p.override,
		Resume: resume, Prompt: prompt, NoSave: p.flags.noSave, DataDir: p.flags.dataDir,
		Open:        p.open,
		Key:         p.findKey,
		KeepKey:     p.keepKey,
		Catalogue:   p.catalogue,
		Probe:       func(ctx context.Context) []Connection { return p.probe(ctx, localPorts()) },
		Reach:       p.reach,
		Demo:        func(context.Context) (Connection, error) { return p.demo(p.demoSpeed()) },
		KeepSetting: p.keepSetting,
	}, nil
}

// open opens the store and an engine for a connection, the key included.
func (p *program) open(ctx context.Context, c Connection) (Backend, error) {
	store, unsaved, err := p.openStore(ctx, c.Demo)
	if err != nil {
		return Backend{}, err
	}
	engine, client, err := p.engine(store, c, framePace)
	return Backend{Client: client, Engine: engine, Store: store, Unsaved: unsaved}, err
}

func (p *program) keepKey(ctx context.Context, baseURL, key string) (string, error) {
	clean, err := api.CleanKey(key)
	if err != nil {
		return "", err
	}
	at := config.Host(baseURL)
	if at == "" || clean == "" {
		return "", errors.New("store key: there is no key or no host to store")
	}
	place, err := p.keys.Store(ctx, at, clean.Reveal())
	if err != nil {
		return "", err
	}
	return place.String(), nil
}

func (p *program) keepSetting(option, value string) error {
	if p.paths.Settings == "" {
		return fmt.Errorf("keep setting: %w", p.noPaths)
	}
	text, err := os.ReadFile(p.paths.Settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep setting: %w", err)
	}
	if text, err = config.WithSetting(text, option, value); err != nil {
		return err
	}
	return host.WriteFile(p.paths.Settings, text)
}
