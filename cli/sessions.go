package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"waferchat/api"
	"waferchat/session"
	"waferchat/ui/untrusted"
)

func (p *program) sessionsCommand() *cobra.Command {
	var listJSON, showJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the sessions, the last one first", Args: p.takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.listSessions(cmd.Context(), listJSON) },
	}
	list.Flags().BoolVar(&listJSON, "json", false, "print a JSON array")
	show := &cobra.Command{
		Use: "show ID|TITLE|PREFIX", Short: "Print a session", Args: p.takes(1, 1, "one session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.showSession(cmd.Context(), args[0], showJSON)
		},
	}
	show.Flags().BoolVar(&showJSON, "json", false, "print a JSON object")
	where := &cobra.Command{
		Use: "path", Short: "Print where the sessions are kept", Args: p.takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return p.sessionsPath() },
	}
	rename := &cobra.Command{
		Use: "rename ID|TITLE|PREFIX TITLE", Short: "Give a session another title", Args: p.takes(2, 2, "a session and its new title"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.renameSession(cmd.Context(), args[0], args[1])
		},
	}
	var yes bool
	remove := &cobra.Command{
		Use: "delete ID|TITLE|PREFIX", Short: "Delete a session for ever", Args: p.takes(1, 1, "one session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.deleteSession(cmd.Context(), args[0], yes)
		},
	}
	remove.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return p.group("sessions", "List, show, rename and delete sessions", list, show, where, rename, remove)
}

// stored opens the sessions for a command, which has no use for a store in
// memory. It returns nil when there are none yet, and makes no file then.
func (p *program) stored(ctx context.Context) (*session.Store, error) {
	if err := p.setup(); err != nil {
		return nil, err
	}
	file := p.sessionsFile(p.flags.demo)
	if file == "" {
		return nil, local(p.noPaths)
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	store, err := session.Open(ctx, file, session.Options{})
	if err == nil {
		p.onClose(func() { _ = store.Close() })
	}
	return store, err
}

// named opens the sessions and finds one.
func (p *program) named(ctx context.Context, name string) (*session.Store, session.Session, error) {
	store, err := p.stored(ctx)
	if err == nil && store == nil {
		err = fmt.Errorf("there are no sessions yet")
	}
	if err != nil {
		return nil, session.Session{}, err
	}
	v, err := p.resolve(ctx, store, name)
	return store, v, err
}

// sessionRecord is a session in JSON.
type sessionRecord struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Model    string          `json:"model"`
	Created  time.Time       `json:"created"`
	Updated  time.Time       `json:"updated"`
	Turns    int             `json:"turns"`
	Pinned   bool            `json:"pinned,omitempty"`
	Archived bool            `json:"archived,omitempty"`
	State    string          `json:"state,omitempty"`
	First    string          `json:"first,omitempty"`
	Cost     *int64          `json:"cost_microcents,omitempty"`
	Messages []messageRecord `json:"messages,omitempty"`
}

type messageRecord struct {
	ID        string    `json:"id"`
	Role      api.Role  `json:"role"`
	State     string    `json:"state"`
	Created   time.Time `json:"created"`
	Model     string    `json:"model,omitempty"`
	Text      string    `json:"text"`
	Reasoning string    `json:"reasoning,omitempty"`
	Finish    string    `json:"finish_reason,omitempty"`
}

func summaryRecord(s session.Summary) sessionRecord {
	return sessionRecord{
		ID: string(s.ID), Title: title(s), Model: s.Model, Created: s.Created.UTC(), Updated: s.Updated.UTC(), Turns: s.Turns,
		Pinned: s.Pinned, Archived: s.Archived, State: string(s.State), First: s.First, Cost: s.Cost,
	}
}

// title is a session's title on one line, else the beginning of its first
// message.
func title(s session.Summary) string {
	text := s.Title
	if text == "" {
		text = s.First
	}
	text = untrusted.Plain(strings.Join(strings.Fields(text), " "))
	if r := []rune(text); len(r) > 60 {
		text = string(r[:59]) + "…"
	}
	return text
}

func (p *program) listSessions(ctx context.Context, asJSON bool) error {
	store, err := p.stored(ctx)
	if err != nil {
		return err
	}
	var list []session.Summary
	if store != nil {
		if list, err = store.List(ctx); err != nil {
			return err
		}
	}
	if asJSON {
		records := []sessionRecord{}
		for _, s := range list {
			r := summaryRecord(s)
			r.Title = s.Title
			records = append(records, r)
		}
		return writeJSON(p.out, records)
	}
	if len(list) == 0 {
		p.note("there are no sessions yet")
		return nil
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUSED\tTURNS\tMODEL\tTITLE")
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", s.ID, age(time.Since(s.Updated)), s.Turns, untrusted.Plain(s.Model), title(s))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprint(p.out, b.String())
	return err
}

// age is a duration in the past in words.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// past is age behind "of".
func past(d time.Duration) string {
	if d < time.Minute {
		return "a moment ago"
	}
	return age(d)
}

func (p *program) showSession(ctx context.Context, name string, asJSON bool) error {
	store, v, err := p.named(ctx, name)
	if err != nil {
		return err
	}
	msgs, err := store.Path(ctx, v.Head, 0)
	if err != nil {
		return err
	}
	if asJSON {
		r := sessionRecord{ID: string(v.ID), Title: v.Title, Model: v.Model, Created: v.Created.UTC(), Updated: v.Updated.UTC(),
			Pinned: v.Pinned, Archived: v.Archived, Messages: []messageRecord{}}
		for _, m := range msgs {
			if m.Role == api.RoleUser {
				r.Turns++
			}
			r.Messages = append(r.Messages, messageRecord{ID: string(m.ID), Role: m.Role, State: string(m.State),
				Created: m.Created.UTC(), Model: m.Model, Text: m.Text(), Reasoning: m.ReasoningText(), Finish: m.Finish})
		}
		return writeJSON(p.out, r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s · %s · %s\n", title(session.Summary{Title: v.Title}), v.ID, v.Model, v.Updated.Local().Format(time.DateTime))
	for _, m := range msgs {
		if m.Deleted {
			continue
		}
		mark := ""
		if m.State != session.Done {
			mark = fmt.Sprintf(" (%s)", m.State)
		}
		fmt.Fprintf(&b, "\n## %s%s\n\n%s\n", m.Role, mark, strings.TrimRight(m.Text(), "\n"))
	}
	_, err = fmt.Fprint(p.out, untrusted.Plain(b.String()))
	return err
}

func (p *program) sessionsPath() error {
	if err := p.setup(); err != nil {
		return err
	}
	file := p.sessionsFile(p.flags.demo)
	if file == "" {
		return local(p.noPaths)
	}
	_, err := fmt.Fprintln(p.out, file)
	return err
}

func (p *program) renameSession(ctx context.Context, name, text string) error {
	text = strings.Join(strings.Fields(cleanText(text)), " ")
	if text == "" {
		return usage("the new title is empty")
	}
	store, v, err := p.named(ctx, name)
	if err != nil {
		return err
	}
	v.Title, v.TitleSource = text, session.TitleUser
	if err := store.Save(ctx, v); err != nil {
		return err
	}
	p.note("session %s is now called %q", v.ID, text)
	return nil
}

// deleteSession asks a person at a terminal, and nobody else.
func (p *program) deleteSession(ctx context.Context, name string, yes bool) error {
	store, v, err := p.named(ctx, name)
	if err != nil {
		return err
	}
	called := fmt.Sprintf("session %s, %q", v.ID, title(session.Summary{Title: v.Title}))
	if !yes && isTerminal(p.sys.Stdin) {
		fmt.Fprintf(p.sys.Stderr, "Delete %s for ever? [y/N] ", called)
		answer, err := bufio.NewReader(p.sys.Stdin).ReadString('\n')
		if err != nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
			return &exitError{exitFailed, errors.New("nothing was deleted")}
		}
	}
	lock, err := store.Lock(ctx, v.ID)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if err := store.Delete(ctx, v.ID); err != nil {
		return err
	}
	p.note("%s is deleted", called)
	return nil
}
