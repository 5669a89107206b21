package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"waferchat/config"
	"waferchat/host"
)

func (p *program) keyCommand() *cobra.Command {
	none := p.takes(0, 0, "")
	return p.group("key", "Keep the API key of a server in the system's keyring",
		&cobra.Command{Use: "set", Short: "Store a key, typed or from stdin, for the server of --base-url or the configuration", Args: none,
			RunE: func(cmd *cobra.Command, _ []string) error { return p.setKey(cmd.Context()) }},
		&cobra.Command{Use: "status", Short: "Tell which key would be used, without showing it", Args: none,
			RunE: func(cmd *cobra.Command, _ []string) error { return p.keyStatus(cmd.Context()) }},
		&cobra.Command{Use: "delete", Short: "Remove the stored key", Args: none,
			RunE: func(cmd *cobra.Command, _ []string) error { return p.deleteKey(cmd.Context()) }},
	)
}

// keyHost is the host that a key command is about.
func (p *program) keyHost() (string, error) {
	if err := p.setup(); err != nil {
		return "", err
	}
	if err := p.warn(); err != nil {
		return "", err
	}
	if p.flags.demo {
		return "", usage("the demo needs no key")
	}
	return config.Host(p.config.BaseURL), nil
}

func (p *program) setKey(ctx context.Context) error {
	at, err := p.keyHost()
	if err != nil {
		return err
	}
	text, err := p.readKey(at)
	if err != nil {
		return err
	}
	where, err := p.keepKey(ctx, p.config.BaseURL, text)
	if err != nil {
		return local(err)
	}
	p.note("the key for %s is kept in %s", at, where)
	return nil
}

// readKey reads a key without showing it, or the first line of a pipe.
func (p *program) readKey(at string) (string, error) {
	if f, ok := p.sys.Stdin.(*os.File); ok && isTerminal(f) {
		fmt.Fprintf(p.sys.Stderr, "API key for %s: ", at)
		text, err := term.ReadPassword(f.Fd())
		fmt.Fprintln(p.sys.Stderr)
		if err != nil {
			return "", fmt.Errorf("read key: %w", err)
		}
		return string(text), nil
	}
	if p.sys.Stdin == nil {
		return "", usage("there is no key on stdin")
	}
	line, err := bufio.NewReader(io.LimitReader(p.sys.Stdin, 1<<16)).ReadString('\n')
	if strings.TrimSpace(line) == "" {
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read key: %w", err)
		}
		return "", usage("there is no key on stdin")
	}
	return line, nil
}

func (p *program) keyStatus(ctx context.Context) error {
	at, err := p.keyHost()
	if err != nil {
		return err
	}
	key, source, err := p.findKey(ctx, p.config.BaseURL)
	if err != nil {
		return local(err)
	}
	if key == "" {
		return &exitError{exitFailed, fmt.Errorf("there is no key for %s%s", at, p.withheld(p.config.BaseURL))}
	}
	_, err = fmt.Fprintf(p.out, "%s: from %s\n", at, source)
	return err
}

func (p *program) deleteKey(ctx context.Context) error {
	at, err := p.keyHost()
	if err != nil {
		return err
	}
	place, err := p.keys.Delete(ctx, at)
	if errors.Is(err, host.ErrNoKey) {
		return &exitError{exitFailed, fmt.Errorf("no key is stored for %s", at)}
	}
	if err != nil {
		return local(err)
	}
	p.note("the key for %s is gone from %s", at, place)
	return nil
}
