package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"waferchat/api"
	"waferchat/config"
	"waferchat/host"
	"waferchat/session"
)

// dryRun prints the body that would be sent on stdout; where it would go, and
// what it would come to, on stderr.
func (p *program) dryRun(ctx context.Context, j job, prompt string) error {
	if j.store == nil { // a new chat needs nothing from the disk
		var err error
		if j.store, err = session.OpenMemory(ctx, session.Options{}); err != nil {
			return fmt.Errorf("open a store in memory: %w", err)
		}
		p.onClose(func() { _ = j.store.Close() })
	}
	engine, client, err := p.engine(j.store, j.conn, 0)
	if err != nil {
		return err
	}
	req, err := engine.Preview(ctx, j.session, prompt)
	if err != nil {
		return err
	}
	body, err := client.Body(req, true)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, body, "", "  "); err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	p.tellHead(ctx, j, req, client.BaseURL())
	p.tellRefused(j.conn, client, j.session)
	p.tellForecast(ctx, engine, j, prompt)
	_, err = fmt.Fprintf(p.out, "%s\n", escapeJSON(text.Bytes()))
	return err
}

// tellHead shows the request line and headers of a dry run.
func (p *program) tellHead(ctx context.Context, j job, req api.Request, baseURL string) {
	if p.flags.quiet {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s/chat/completions\nContent-Type: application/json\n", baseURL)
	if p.hasKey(ctx, j.conn) {
		fmt.Fprintln(&b, "Authorization: Bearer •••")
	}
	if req.ZDR {
		fmt.Fprintln(&b, "Wafer-ZDR: required")
	}
	fmt.Fprint(p.sys.Stderr, b.String())
}

// hasKey tells whether a request would carry a key. A variable or a command that
// is there counts without a look at what it gives; a keyring is asked.
func (p *program) hasKey(ctx context.Context, c Connection) bool {
	if c.Demo {
		return false
	}
	for _, s := range p.config.KeySources(c.BaseURL) {
		if s.Kind != config.KeyStored {
			return true
		}
		_, _, err := p.keys.Load(ctx, s.Host)
		if err == nil {
			return true
		}
		if !errors.Is(err, host.ErrNoKey) {
			p.note("the stored keys cannot be read: %v", err)
		}
	}
	return false
}
