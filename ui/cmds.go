package ui

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/markdown"
)

// tailMessages is how many messages are read before the first look at a
// session; the rest follows behind the screen.
const tailMessages = 60

// storeTime bounds what is asked of the store for the screen.
const storeTime = 10 * time.Second

func within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

func openCmd(open func(context.Context, Connection) (Backend, error), c Connection) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		b, err := open(ctx, c)
		return openedMsg{conn: c, backend: b, err: err}
	}
}

func loadCmd(b Backend, id session.ID, wanted string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		return load(ctx, b, id, wanted)
	}
}

func load(ctx context.Context, b Backend, id session.ID, wanted string) loadedMsg {
	v, path, busy, err := b.Engine.Open(ctx, id, tailMessages)
	if err != nil {
		return loadedMsg{err: err, wanted: wanted}
	}
	draft, err := b.Store.Draft(ctx, id)
	if err != nil {
		draft = session.Draft{}
	}
	return loadedMsg{session: v, path: path, busy: busy, draft: draft}
}

// resumeCmd finds the session that the program was started for.
func resumeCmd(b Backend, r Resume) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		var v session.Session
		var err error
		if r.Latest {
			v, err = b.Store.Latest(ctx)
		} else {
			v, err = b.Store.Resolve(ctx, r.Name)
		}
		if err != nil {
			return loadedMsg{err: err, wanted: r.Name}
		}
		return load(ctx, b, v.ID, r.Name)
	}
}

// earlierDelay leaves the first look at a session the machine to itself.
const earlierDelay = 100 * time.Millisecond

func earlierCmd(after func(time.Duration) <-chan time.Time, s *session.Store, id session.ID, end session.MessageID) tea.Cmd {
	return func() tea.Msg {
		<-after(earlierDelay)
		ctx, cancel := within(storeTime)
		defer cancel()
		path, err := s.Path(ctx, end, 0)
		return earlierMsg{session: id, path: path, err: err}
	}
}

func startCmd(e *chat.Engine, v session.Session, text string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		turn, err := e.Start(ctx, v, text)
		return startedMsg{session: v.ID, turn: turn, text: text, err: err}
	}
}

func retryCmd(e *chat.Engine, v session.Session, assistant session.MessageID) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		turn, err := e.Retry(ctx, v, assistant)
		return startedMsg{session: v.ID, turn: turn, err: err}
	}
}

func continueCmd(e *chat.Engine, v session.Session, assistant session.MessageID) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		turn, err := e.Continue(ctx, v, assistant)
		return startedMsg{session: v.ID, turn: turn, err: err}
	}
}

// variantCmd moves to another variant of an answer and reads the session anew.
func variantCmd(b Backend, v session.Session, assistant session.MessageID, step int) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		now, err := b.Engine.Variant(ctx, v, assistant, step)
		if err != nil {
			return startedMsg{session: v.ID, err: err}
		}
		if now.Head == v.Head {
			return nil
		}
		return load(ctx, b, v.ID, "")
	}
}

func countVariantsCmd(s *session.Store, answer session.MessageID) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		ids, err := s.Siblings(ctx, answer)
		if err != nil {
			return nil
		}
		return variantsMsg{answer: answer, at: slices.Index(ids, answer), of: len(ids)}
	}
}

// nextEventsCmd waits for a turn's events. Exactly one is in flight per watch.
func nextEventsCmd(ctx context.Context, t *chat.Turn, watch int) tea.Cmd {
	return func() tea.Msg {
		events, err := t.Next(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
			return nil
		}
		return turnEventsMsg{watch: watch, events: events, err: err}
	}
}

func withdrawCmd(e *chat.Engine, v session.Session, user session.MessageID, text string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		head, err := e.Withdraw(ctx, v, user)
		return withdrawnMsg{session: v.ID, user: user, head: head, text: text, err: err}
	}
}

func sessionsCmd(s *session.Store) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		list, err := s.List(ctx)
		return sessionsMsg{list: list, err: err}
	}
}

func catalogueCmd(get func(context.Context, Connection, bool) Catalogue, c Connection, refresh bool) tea.Cmd {
	if get == nil {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := within(30 * time.Second)
		defer cancel()
		return catalogueMsg{catalogue: get(ctx, c, refresh), refreshed: refresh}
	}
}

// gaugeDelay leaves the first look at a chat the machine to itself.
const gaugeDelay = 150 * time.Millisecond

func gaugeCmd(after func(time.Duration) <-chan time.Time, e *chat.Engine, v session.Session, about occasion) tea.Cmd {
	return func() tea.Msg {
		<-after(gaugeDelay)
		ctx, cancel := within(storeTime)
		defer cancel()
		g, err := e.Gauge(ctx, v)
		return gaugeMsg{about: about, gauge: g, err: err}
	}
}

func formatCmd(read func(command, file string) (json.RawMessage, error), command, file string) tea.Cmd {
	return func() tea.Msg {
		format, err := read(command, file)
		return formatMsg{format: format, err: err}
	}
}

func findCmd(job scanJob) tea.Cmd {
	return func() tea.Msg { return foundMsg{search: job.search, found: job.run()} }
}

// checkCmd compares an answer with what its request demanded.
func checkCmd(a *session.Message) tea.Cmd {
	m := *a
	return func() tea.Msg {
		msg := checkedMsg{answer: m.ID}
		if miss := chat.Unsatisfied(m); miss != nil {
			msg.err = miss
		}
		return msg
	}
}

func saveDraftCmd(s *session.Store, d *drafts, id session.ID) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		return savedMsg{err: d.save(ctx, s, id)}
	}
}

func saveSessionCmd(s *session.Store, v session.Session) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		return savedMsg{err: s.Save(ctx, v)}
	}
}

func keepSettingCmd(keep func(option, value string) error, option, value string) tea.Cmd {
	if keep == nil {
		return nil
	}
	return func() tea.Msg { return savedMsg{err: keep(option, value)} }
}

func draftCmd(s *session.Store) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		d, err := s.Draft(ctx, "")
		if err != nil {
			return nil
		}
		return draftMsg{draft: d}
	}
}

func historyCmd(s *session.Store) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		texts, err := s.History(ctx, 500)
		cleared, err2 := s.Cleared(ctx)
		if errors.Join(err, err2) != nil && len(texts)+len(cleared) == 0 {
			return nil
		}
		// The newest cleared draft comes first on Up, the others behind what was sent.
		last := max(0, len(cleared)-1)
		return historyMsg{texts: slices.Concat(cleared[:last], texts, cleared[last:])}
	}
}

func keepClearedCmd(s *session.Store, text string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		return savedMsg{err: s.KeepCleared(ctx, text)}
	}
}

func copyCmd(copyText func(string) (string, string, error), what, text string) tea.Cmd {
	return func() tea.Msg {
		raw, how, err := copyText(text)
		return copiedMsg{what: what, how: how, raw: raw, err: err}
	}
}

// Runner is a program that takes over the terminal, such as *exec.Cmd.
type Runner = tea.ExecCommand

// editCmd runs the external editor on a draft.
func editCmd(edit func(name, text string) (Runner, func() (string, error), error), draft string) tea.Cmd {
	return func() tea.Msg {
		run, done, err := edit("prompt.md", draft)
		if err != nil {
			return editedMsg{err: err}
		}
		return tea.Exec(run, func(err error) tea.Msg {
			text, readErr := done()
			if err == nil {
				err = readErr
			}
			return editedMsg{text: text, err: err}
		})()
	}
}

func highlightCmd(b *textBlock, job func() markdown.Highlights) tea.Cmd {
	return func() tea.Msg { return highlightedMsg{block: b, result: job()} }
}

func probeCmd(probe func(context.Context) []Connection) tea.Cmd {
	if probe == nil {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := within(time.Second)
		defer cancel()
		return probedMsg{found: probe(ctx)}
	}
}

func keepKeyCmd(keep func(context.Context, string) (Connection, string, error), key string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		c, where, err := keep(ctx, key)
		return connectedMsg{conn: c, note: "The key is kept in " + where + ".", err: err}
	}
}

func replaceKeyCmd(keep func(context.Context, string) (Connection, string, error), key string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		c, where, err := keep(ctx, key)
		return keyedMsg{key: c.Key, note: "The key is kept in " + where + ".", err: err}
	}
}

func reachCmd(reach func(context.Context, string) (Connection, error), base string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		c, err := reach(ctx, base)
		return connectedMsg{conn: c, keep: true, err: err}
	}
}

func demoCmd(demo func(context.Context) (Connection, error)) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := within(storeTime)
		defer cancel()
		c, err := demo(ctx)
		return connectedMsg{conn: c, err: err}
	}
}

func timerCmd(after func(time.Duration) <-chan time.Time, d time.Duration, t timer, id int) tea.Cmd {
	return func() tea.Msg { return timerMsg{timer: t, id: id, at: <-after(d)} }
}
