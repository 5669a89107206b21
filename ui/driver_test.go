package ui

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/themes"
)

// driver plays Bubble Tea for a Model: it runs commands in goroutines and gives
// their messages to Update, one at a time.
type driver struct {
	t    *testing.T
	m    *Model
	msgs chan tea.Msg
	quit bool
	raw  []string
}

// patience is how long a test waits for something that must come.
const patience = 20 * time.Second

// moment is the fixed time of the screens.
var moment = time.Date(2026, 3, 5, 14, 2, 0, 0, time.UTC)

func newDriver(t *testing.T, d Deps, width, height int) *driver {
	t.Helper()
	if d.Themes == nil {
		d.Themes = themes.Builtin()
	}
	if d.Now == nil {
		d.Now = func() time.Time { return moment }
	}
	if d.After == nil {
		d.After = func(d time.Duration) <-chan time.Time { return time.After(d / 10) }
	}
	d.Dark = true
	dr := &driver{t: t, m: New(d), msgs: make(chan tea.Msg, 1024)}
	dr.run(dr.m.Init())
	dr.send(tea.WindowSizeMsg{Width: width, Height: height})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := dr.m.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return dr
}

// send gives one message to Update and starts what it asks for.
func (d *driver) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.QuitMsg:
		d.quit = true
		return
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
		return
	case tea.RawMsg:
		d.raw = append(d.raw, fmt.Sprint(msg.Msg))
		return
	}
	if cmds, ok := sequence(msg); ok {
		go func() {
			for _, c := range cmds {
				if c != nil {
					d.msgs <- c()
				}
			}
		}()
		return
	}
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

// sequence unpacks what tea.Sequence makes, whose type is not exported.
func sequence(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return nil, false
	}
	cmds := make([]tea.Cmd, v.Len())
	for i := range cmds {
		cmds[i] = v.Index(i).Interface().(tea.Cmd)
	}
	return cmds, true
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { d.msgs <- cmd() }()
	}
}

// wait takes messages until ok holds.
func (d *driver) wait(what string, ok func() bool) {
	d.t.Helper()
	late := time.After(patience)
	for !ok() {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-late:
			d.t.Fatalf("never saw %s on:\n%s", what, d.screen())
		}
	}
}

// sees waits until the screen shows a text.
func (d *driver) sees(text string) {
	d.t.Helper()
	d.wait(fmt.Sprintf("%q", text), func() bool { return strings.Contains(d.screen(), text) })
}

// idle waits until no turn is under way.
func (d *driver) idle() {
	d.t.Helper()
	d.wait("the end of the turn", func() bool { return !d.m.chat.running() && !d.m.pending() })
}

func (d *driver) never(text string) {
	d.t.Helper()
	if s := d.screen(); strings.Contains(s, text) {
		d.t.Errorf("the screen shows %q:\n%s", text, s)
	}
}

// screen is the text on the screen, rows trimmed at the right.
func (d *driver) screen() string {
	rows := strings.Split(ansi.Strip(d.m.View().Content), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

// keys presses keys by name, one a word; "space" is a blank.
func (d *driver) keys(names ...string) {
	for _, n := range names {
		d.send(press(n))
	}
}

// types types a text.
func (d *driver) types(text string) {
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// press makes the key press that a name like "alt+enter" describes.
func press(name string) tea.KeyPressMsg {
	var k tea.Key
	rest := name
	for {
		mod, after, ok := strings.Cut(rest, "+")
		if !ok || after == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		rest = after
	}
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": ' ', "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1}
	if r, ok := special[rest]; ok {
		k.Code = r
		if rest == "space" {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	k.Code = []rune(rest)[0]
	if k.Mod == 0 {
		k.Text = rest
	}
	return tea.KeyPressMsg(k)
}

// bench is a server, a store and the Deps over them.
type bench struct {
	server *emulator.Server
	store  *session.Store
	engine *chat.Engine
	url    string
	deps   Deps
	change func(*chat.Options) // of the engine, when not nil
}

func newBench(t *testing.T, path string) *bench {
	t.Helper()
	run, err := emulator.Start(emulator.Options{Profile: emulator.Strict})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	b := &bench{server: run.Server, url: run.URL}
	conn := Connection{BaseURL: run.URL, Name: "test server"}
	b.deps = Deps{
		Connection: &conn,
		Template:   session.Session{Model: "GLM-5.3"},
		Open: func(ctx context.Context, c Connection) (Backend, error) {
			var err error
			if path == "" {
				b.store, err = session.OpenMemory(ctx, session.Options{})
			} else {
				b.store, err = session.Open(ctx, path, session.Options{})
			}
			if err != nil {
				return Backend{}, err
			}
			client, err := api.New(api.Options{BaseURL: c.BaseURL})
			if err != nil {
				return Backend{}, err
			}
			o := chat.Options{Store: b.store, Client: client}
			if b.change != nil {
				b.change(&o)
			}
			b.engine = chat.New(o)
			return Backend{Engine: b.engine, Store: b.store}, nil
		},
	}
	t.Cleanup(func() {
		if b.store != nil {
			b.store.Close()
		}
	})
	return b
}
