package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waferchat/session"
)

// chat runs the program without a command: print mode or the terminal program.
func (p *program) chat(ctx context.Context, words []string) error {
	if err := p.checkFlags(words); err != nil {
		return err
	}
	if err := p.setup(); err != nil {
		return err
	}
	if !p.prints() {
		return p.tui(ctx, words)
	}
	prompt, err := p.prompt(ctx, words)
	if err != nil {
		return p.notStarted(ctx, err)
	}
	if strings.TrimSpace(prompt) == "" {
		return usage("there is no prompt: give it as words or on stdin")
	}
	return p.print(ctx, prompt)
}

// prints tells whether this is print mode.
func (p *program) prints() bool {
	f := &p.flags
	return f.print || f.dryRun || f.output != "" || f.extractSet || !isTerminal(p.sys.Stdout)
}

func (p *program) checkFlags(words []string) error {
	f := &p.flags
	if f.output != "" {
		if err := oneOf("output", f.output, "text", "json", "stream-json"); err != nil {
			return err
		}
	}
	switch {
	case f.extractSet && f.output != "" && f.output != "text":
		return usage("--extract prints text: it does not go with --output %s", f.output)
	case f.continued && f.resumeSet:
		return usage("--continue and --resume do not go together")
	case f.noSave && p.resumes():
		return usage("--no-save begins a chat of its own: it does not go with --continue and --resume")
	case f.noSessionValue && len(words) > 0:
		return usage("-r takes its value after =, such as -r=%s; or use: waferchat resume %s", shellQuote(words[0]), shellQuote(words[0]))
	case f.noSessionValue && p.prints():
		return usage("-r needs a value to print: -r=ID, -r=TITLE or the beginning of an ID")
	}
	return p.readFields()
}

// resumes tells whether an earlier session is wanted.
func (p *program) resumes() bool { return p.flags.continued || p.flags.resumeSet }

// chosen finds the session that -c or -r names. Only -c with no session at all
// is no error.
func (p *program) chosen(ctx context.Context, store *session.Store) (v session.Session, found bool, err error) {
	if p.flags.continued {
		v, err = store.Latest(ctx)
		if errors.Is(err, session.ErrNotFound) {
			return v, false, nil
		}
		return v, err == nil, err
	}
	v, err = p.resolve(ctx, store, p.flags.resume)
	return v, err == nil, err
}

// resolve finds a session by name, with words for what can go wrong.
func (p *program) resolve(ctx context.Context, store *session.Store, name string) (session.Session, error) {
	v, err := store.Resolve(ctx, name)
	var several *session.AmbiguousError
	switch {
	case errors.As(err, &several):
		var b strings.Builder
		fmt.Fprintf(&b, "several sessions match %q:", name)
		for _, m := range several.Matches {
			fmt.Fprintf(&b, "\n  %s  %s", m.ID, title(m))
		}
		return v, &exitError{exitFailed, errors.New(b.String())}
	case errors.Is(err, session.ErrNotFound):
		return v, &exitError{exitFailed, fmt.Errorf("no session matches %q; `waferchat sessions list` shows them all", name)}
	}
	return v, err
}
