package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/config"
	"waferchat/host"
	"waferchat/session"
	"waferchat/themes"
	"waferchat/ui"
	"waferchat/ui/markdown"
)

// TUI is the terminal program. It returns when the user has left it.
type TUI func(ctx context.Context, s Start) error

// Start is everything the terminal program needs. Its funcs may be called from
// any goroutine; those that take a context may block.
type Start struct {
	Config   config.Config
	Paths    config.Paths
	Problems []config.Problem // of the configuration, to be shown
	Log      *slog.Logger
	Host     host.System
	Getenv   func(string) string

	// Connection is the configured server, without its key; an empty BaseURL
	// means that there is none.
	Connection Connection
	// Template is what a new chat starts from. Its model may be "" until the
	// catalogue is known; Model chooses one then.
	Template session.Session
	Model    func(ctx context.Context, c Connection) string
	// Override applies to a resumed session what the command line said.
	Override func(v *session.Session) error
	Resume   Resume
	Prompt   string // sent at once
	NoSave   bool
	DataDir  string // as given with --data-dir

	// Open opens the store and the engine for a connection. It is meant to run
	// after the first frame. Both are closed when the program has ended.
	Open func(ctx context.Context, c Connection) (Backend, error)
	// Key finds the key of a server and tells where it came from. It may ask the
	// keyring (up to 2 s) or run key_command. "" is none.
	Key func(ctx context.Context, baseURL string) (key api.Key, source string, err error)
	// KeepKey stores a key for a server and tells where it is now.
	KeepKey func(ctx context.Context, baseURL, key string) (where string, err error)
	// Catalogue returns the cached model list at once, or asks the server.
	Catalogue func(ctx context.Context, c Connection, refresh bool) Catalogue
	// Probe looks for servers on this machine, for at most 300 ms.
	Probe func(ctx context.Context) []Connection
	// Reach tests a base URL and returns the connection to it.
	Reach func(ctx context.Context, baseURL string) (Connection, error)
	// Demo starts the built-in demo, which ends with the run.
	Demo func(ctx context.Context) (Connection, error)
	// KeepSetting puts one option into settings.toml.
	KeepSetting func(option, value string) error
}

// Resume says what the first chat on screen is.
type Resume struct {
	// Latest resumes the most recent session, Name the one it names (id,
	// prefix, title), Pick opens the session list.
	Latest bool
	Name   string
	Pick   bool
}

// startTUI is the terminal program of this build.
func startTUI(ctx context.Context, s Start) error {
	log.SetOutput(io.Discard) // net/http would write over the screen
	m := ui.New(s.deps())
	// The framework's own frame rate: it wakes up for each, also when idle.
	p := tea.NewProgram(m, tea.WithContext(ctx))
	_, err := p.Run()
	fmt.Fprint(os.Stdout, ui.Farewell)
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		err = nil
	}
	ending, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if saving := m.Shutdown(ending); saving != nil {
		// The advice of Explain is for a program that goes on.
		title, _ := chat.Explain(saving)
		return errors.Join(err, local(fmt.Errorf("not everything could be saved, what is missing is lost. %s", title)))
	}
	if err == nil {
		err = ctx.Err() // ended by a signal
	}
	if id := m.SessionID(); id != "" {
		fmt.Fprintf(os.Stderr, "To come back to this chat: waferchat%s -r=%s\n", s.comeBack(m), id)
	}
	return err
}

// comeBack are the flags that lead to the same store.
func (s Start) comeBack(m *ui.Model) string {
	flags := ""
	if m.Demo() {
		flags += " --demo"
	}
	if s.DataDir != "" {
		flags += fmt.Sprintf(" --data-dir %q", s.DataDir)
	}
	return flags
}

// deps translates what the command line knows into what the program takes.
func (s Start) deps() ui.Deps {
	palettes, notices := s.themes()
	for _, p := range s.Problems {
		notices = append(notices, p.Error())
	}
	d := ui.Deps{
		Open:      s.open,
		Catalogue: s.catalogue,
		Probe:     s.probe,
		KeepKey:   s.keepKey,
		Reach: func(ctx context.Context, base string) (ui.Connection, error) {
			c, err := s.Reach(ctx, base)
			return ui.Connection(c), err
		},
		Demo: func(ctx context.Context) (ui.Connection, error) {
			c, err := s.Demo(ctx)
			return ui.Connection(c), err
		},
		Format:      responseFormat,
		Copy:        s.copy,
		Edit:        s.edit,
		Save:        s.save,
		Pipe:        s.pipe,
		Launch:      s.Host.Launch,
		Template:    s.Template,
		Override:    s.Override,
		KeepSetting: s.KeepSetting,
		Themes:      palettes,
		Markdown:    s.markdownStyle(),
		Settings: ui.Settings{Theme: s.Config.Theme, Reasoning: s.Config.Reasoning, CodeScrolls: s.Config.WideCode == "scroll", ShowAddresses: s.showsAddresses(),
			Temporary: s.NoSave, Keys: s.Config.Keys},
		Resume:  ui.Resume(s.Resume),
		Prompt:  s.Prompt,
		Notices: notices,
		Dark:    s.dark(),
	}
	if s.Connection.BaseURL != "" {
		c := ui.Connection(s.Connection)
		d.Connection = &c
	}
	return d
}

// open looks for the key while the store opens.
func (s Start) open(ctx context.Context, c ui.Connection) (ui.Backend, error) {
	type found struct {
		key api.Key
		err error
	}
	keys := make(chan found, 1)
	if c.Key != "" || c.Demo {
		keys <- found{key: c.Key}
	} else {
		go func() {
			key, _, err := s.Key(ctx, c.BaseURL)
			keys <- found{key, err}
		}()
	}
	b, err := s.Open(ctx, Connection(c))
	if err != nil {
		return ui.Backend{}, err
	}
	k := <-keys
	if k.err != nil {
		s.Log.Warn("no key", "error", k.err.Error())
	}
	b.Client.SetKey(k.key)
	return ui.Backend{
		Engine: b.Engine, Store: b.Store, Unsaved: b.Unsaved, SetKey: b.Client.SetKey,
		NoKey: k.key == "" && !c.Demo && config.Host(c.BaseURL) == config.Host(config.DefaultBaseURL),
	}, nil
}

func (s Start) catalogue(ctx context.Context, c ui.Connection, refresh bool) ui.Catalogue {
	if c.Key == "" && !c.Demo && refresh {
		c.Key, _, _ = s.Key(ctx, c.BaseURL) // the list is public: no key is no fault
	}
	list := s.Catalogue(ctx, Connection(c), refresh)
	out := ui.Catalogue{Models: list.Models, Fetched: list.Fetched, Err: list.Err}
	// Where the choice needs the list, it waits for the list.
	known := len(list.Models) > 0 || Connection(c).wafer()
	if s.Template.Model == "" && (refresh || known) {
		out.Default = s.Model(ctx, Connection(c))
	}
	return out
}

func (s Start) probe(ctx context.Context) []ui.Connection {
	var out []ui.Connection
	for _, c := range s.Probe(ctx) {
		out = append(out, ui.Connection(c))
	}
	return out
}

// keepKey keeps a key for the configured server, else for Wafer.
func (s Start) keepKey(ctx context.Context, text string) (ui.Connection, string, error) {
	base := s.Connection.BaseURL
	if base == "" || s.Connection.Demo {
		base = config.DefaultBaseURL
	}
	key, err := api.CleanKey(text)
	if err != nil {
		return ui.Connection{}, "", fmt.Errorf("the key %w", err)
	}
	c := ui.Connection{BaseURL: base, Key: key, Name: config.Host(base)}
	// A wrong key never replaces one that works.
	var refused *api.Error
	asking, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	if list := s.Catalogue(asking, Connection(c), true); errors.As(list.Err, &refused) && refused.Status == 401 {
		return c, "", fmt.Errorf("%s does not accept this key; nothing was changed", c.Name)
	}
	where, err := s.KeepKey(ctx, base, key.Reveal())
	if err == nil {
		if used, source, _ := s.Key(ctx, base); used != key {
			where += fmt.Sprintf(", but at the next start %s wins over it", source)
		}
	}
	return c, where, err
}

// copy puts a text on every clipboard there is, else into a file, and says
// where it is. A chat that leaves no traces has that file among the temporary
// ones.
func (s Start) copy(text string) (raw, how string, err error) {
	clipboard := host.Clipboard{System: s.Host}
	if !s.NoSave && s.Paths.Log != "" {
		clipboard.Dir = filepath.Dir(s.Paths.Log)
	}
	c, err := clipboard.Copy(text)
	if err != nil {
		return "", "", err
	}
	return c.Sequence, c.How(), nil
}

// save writes a text to a file that the user named.
func (s Start) save(name, text string, replace bool) (string, error) {
	path, err := s.Host.SaveFile(name, []byte(text), replace)
	return s.Host.Short(path), err
}

func (s Start) pipe(ctx context.Context, command, input string) (ui.Piped, error) {
	p, err := s.Host.Pipe(ctx, command, input)
	return ui.Piped(p), err
}

func (s Start) edit(name, text string) (ui.Runner, func() (string, error), error) {
	e, err := s.Host.Edit(name, text)
	if err != nil {
		return nil, nil, err
	}
	done := func() (string, error) {
		text, err := e.Text()
		return text, errors.Join(err, e.Remove())
	}
	return editor{e.Cmd}, done, nil
}

// editor lets an external editor have the terminal.
type editor struct{ *exec.Cmd }

func (e editor) SetStdin(r io.Reader)  { e.Stdin = r }
func (e editor) SetStdout(w io.Writer) { e.Stdout = w }
func (e editor) SetStderr(w io.Writer) { e.Stderr = w }

// themes are the built-in palettes with the user's over them.
func (s Start) themes() (map[string]themes.Theme, []string) {
	all := themes.Builtin()
	var notices []string
	files, _ := filepath.Glob(filepath.Join(s.Paths.Themes, "*.toml"))
	if s.Paths.Themes == "" {
		files = nil
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			notices = append(notices, err.Error())
			continue
		}
		t, err := themes.Load(f, data)
		if err != nil {
			notices = append(notices, err.Error())
			continue
		}
		if t.Name == "" {
			t.Name = strings.TrimSuffix(filepath.Base(f), ".toml")
		}
		all[t.Name] = t
	}
	if n := s.Config.Theme; n != "" && n != "auto" {
		if _, ok := all[n]; !ok {
			notices = append(notices, fmt.Sprintf("there is no theme %q: the terminal's background decides", n))
		}
	}
	return all, notices
}

// markdownStyle is what GLAMOUR_STYLE names: a built-in Glamour style or a file.
func (s Start) markdownStyle() *markdown.Style {
	name := s.Getenv("GLAMOUR_STYLE")
	if name == "" || name == "auto" {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		data = nil
	}
	style, err := markdown.LoadStyle(name, data)
	if err != nil {
		s.Log.Warn("GLAMOUR_STYLE", "error", err.Error())
		return nil
	}
	return style
}

// dark is what is assumed until the terminal tells: COLORFGBG where it is set.
// showsAddresses tells whether the addresses of links stand beside their texts.
// Hyperlinks (OSC 8) are ignored by the consoles of Linux and by Apple's Terminal.
func (s Start) showsAddresses() bool {
	switch s.Config.Links {
	case "shown":
		return true
	case "hidden":
		return false
	}
	return s.Getenv("TERM") == "linux" || s.Getenv("TERM_PROGRAM") == "Apple_Terminal"
}

func (s Start) dark() bool {
	v := s.Getenv("COLORFGBG")
	bg := v[strings.LastIndexByte(v, ';')+1:]
	return bg != "15" && bg != "7"
}
