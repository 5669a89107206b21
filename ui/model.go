package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"waferchat/session"
	"waferchat/themes"
)

// pane is where keys go when no overlay is open.
type pane string

const (
	paneComposer     pane = "composer"
	paneConversation pane = "conversation"
)

// Model is the program's one Bubble Tea model. Make it with [New]; it is used
// by the program's goroutine alone until [Model.Shutdown].
type Model struct {
	deps      Deps
	keys      *keymap
	screen    screen
	chat      *conversation
	prompt    *prompt
	overlays  []overlay
	focus     pane
	back      *Backend // nil until the store is open
	conn      *Connection
	catalogue Catalogue
	outlook   outlook
	toast     toast
	wheel     wheel
	quitting  quitting
	queued    string // a message sent before the store was open
	resumed   bool   // the session that the program was started for was looked for
	closed    bool   // Shutdown was called
}

// screen is what is known of the terminal.
type screen struct {
	width, height int
	dark          bool
	ground        themes.Color // the terminal's background, "" until it tells
	sixteen       bool         // the terminal has sixteen colours
	theme         string       // chosen, "auto" to follow the terminal
	now           time.Time
	rows          []string // the conversation's rows, laid out by settle
	mouseOff      bool     // the mouse is left to the terminal
	colourless    bool     // the terminal has none, or is to show none (NO_COLOR)
}

// New returns the model. Nothing is opened and nothing asked until the program
// runs it.
func New(d Deps) *Model {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.After == nil {
		d.After = time.After
	}
	m := &Model{deps: d, keys: newKeymap(d.Settings.Keys), focus: paneComposer, conn: d.Connection}
	m.screen = screen{dark: d.Dark, theme: d.Settings.Theme, now: d.Now()}
	m.chat = newConversation(m.newScene())
	m.prompt = newPrompt()
	m.restyle()
	m.chat.session = m.freshSession()
	m.resumed = !d.Resume.Latest && d.Resume.Name == ""
	m.chat.model, m.chat.effort = d.Template.Model, d.Template.Effort
	for _, n := range append(d.Notices, m.keys.problems...) {
		m.chat.transcript.notice(noticeWarning, n, "")
	}
	if m.conn == nil {
		m.push(newFirstRun(m))
	}
	return m
}

func (m *Model) newScene() *scene {
	return &scene{reasoning: m.reasoningSetting(), codeScrolls: m.deps.Settings.CodeScrolls, retry: m.keys.hint("retry") + " answers again", goOn: m.keys.hint("continue") + " goes on", now: m.screen.now, location: m.screen.now.Location()}
}

func (m *Model) reasoningSetting() reasoningView {
	if v := reasoningView(m.deps.Settings.Reasoning); v != "" {
		return v
	}
	return reasoningLine
}

// freshSession is a new chat with the settings in force.
func (m *Model) freshSession() session.Session {
	v := m.deps.Template
	v.ID, v.Created, v.Head = session.NewID(), m.screen.now, ""
	return v
}

// Init asks the terminal for its background, now and whenever it changes.
// Everything else waits for the first frame.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark))
}

// Update takes a message to the method that handles it and settles the screen.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.screen.now = m.deps.Now()
	m.chat.transcript.scene.now = m.screen.now
	cmd := m.handle(msg)
	return m, tea.Batch(cmd, m.settle())
}

// handle takes what the terminal tells, and the program's own messages to those
// who know them.
func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resized(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.pasted(msg.Content)
	case tea.MouseWheelMsg:
		return m.wheeled(msg.Mouse())
	case tea.MouseClickMsg:
		return m.pressed(msg.Mouse())
	case tea.MouseMotionMsg:
		return m.dragged(msg.Mouse())
	case tea.MouseReleaseMsg:
		return m.released(msg.Mouse())
	case tea.BackgroundColorMsg:
		return m.background(msg)
	case tea.ColorProfileMsg:
		return m.colours(msg.Profile)
	case tea.ModeReportMsg:
		m.modeReported(msg)
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		return tea.RequestBackgroundColor
	case tea.ResumeMsg:
		return tea.RequestWindowSize
	}
	for _, know := range []func(tea.Msg) (tea.Cmd, bool){m.chatMsg, m.readingMsg, m.programMsg} {
		if cmd, ok := know(msg); ok {
			return cmd
		}
	}
	return nil
}

// chatMsg takes messages about the chat on screen and its turns.
func (m *Model) chatMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case openedMsg:
		return m.opened(msg), true
	case loadedMsg:
		return m.loaded(msg), true
	case earlierMsg:
		return m.earlier(msg), true
	case startedMsg:
		return m.started(msg), true
	case turnEventsMsg:
		return m.turnEvents(msg), true
	case withdrawnMsg:
		return m.withdrawn(msg), true
	case variantsMsg:
		return m.gotVariants(msg), true
	case gaugeMsg:
		return m.gauged(msg), true
	case formatMsg:
		return m.gotFormat(msg), true
	case checkedMsg:
		return m.checked(msg), true
	case savedMsg:
		return m.saved(msg), true
	case historyMsg:
		return m.prompt.gotHistory(msg.texts), true
	case draftMsg:
		return m.gotDraft(msg.draft), true
	}
	return nil, false
}

// readingMsg takes messages about what is read, copied and found in it.
func (m *Model) readingMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case foundMsg:
		return m.found(msg), true
	case copiedMsg:
		return m.copied(msg), true
	case fileSavedMsg:
		return m.fileSaved(msg), true
	case pipedMsg:
		return m.piped(msg), true
	case blockEditedMsg:
		return m.blockEdited(msg), true
	case launchedMsg:
		return m.launched(msg), true
	case editedMsg:
		return m.edited(msg), true
	case highlightedMsg:
		msg.block.highlighted(msg.result)
		return nil, true
	}
	return nil, false
}

// programMsg takes messages about everything around the chat.
func (m *Model) programMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case sessionsMsg:
		return m.gotSessions(msg), true
	case catalogueMsg:
		return m.gotCatalogue(msg), true
	case probedMsg:
		return m.probed(msg), true
	case connectedMsg:
		return m.connected(msg), true
	case keyedMsg:
		return m.keyed(msg), true
	case timerMsg:
		return m.timer(msg), true
	}
	return nil, false
}

// resized takes the terminal's size. The first one starts what waits for the
// first frame.
func (m *Model) resized(msg tea.WindowSizeMsg) tea.Cmd {
	first := m.screen.width == 0
	m.screen.width, m.screen.height = msg.Width, msg.Height
	if !first || m.conn == nil {
		if first {
			return probeCmd(m.deps.Probe)
		}
		return nil
	}
	return m.open(*m.conn)
}

// settle lays out what is visible, so that View only reads, and starts the
// work that the visible blocks want done.
func (m *Model) settle() tea.Cmd {
	w := m.screen.width
	if w == 0 {
		return nil
	}
	m.prompt.setSize(w, m.screen.height)
	l := m.layout()
	if l.tooSmall {
		return nil
	}
	t := m.chat.transcript
	t.list.SetSize(paneWidth(w), l.listH)
	m.settleSelection()
	m.settleFind()
	m.screen.rows = m.markHits(t.list.Rows())
	m.drawSelection()
	if m.focus == paneConversation {
		t.focusLast()
	}
	return tea.Batch(m.highlights(), m.watchDraft(), m.watchForecast(), m.clock(), m.toastTimer(), m.findMore())
}

// paneWidth is what blocks have: the screen without the focus mark, and the
// scrollbar with a blank before it.
func paneWidth(screen int) int { return max(1, screen-3) }

func (m *Model) layout() layout {
	return arrange(m.screen.width, m.screen.height, m.prompt.editor.Height())
}

// highlights starts the exact colouring of code that is visible.
func (m *Model) highlights() tea.Cmd {
	var cmds []tea.Cmd
	t := m.chat.transcript
	seen := -1
	for y := range t.list.Height() {
		pos, ok := t.list.At(y)
		if !ok || pos.Block == seen {
			continue
		}
		seen = pos.Block
		if b, ok := t.list.Block(seen).(*textBlock); ok {
			if job := b.highlightJob(); job != nil {
				cmds = append(cmds, highlightCmd(b, job))
			}
		}
	}
	return tea.Batch(cmds...)
}

// restyle applies the theme in force to everything.
func (m *Model) restyle() {
	lk, style := m.styles()
	m.chat.transcript.restyle(lk, style)
	m.prompt.restyle(lk)
}

// look is the palette in force.
func (m *Model) look() *look { return m.chat.transcript.scene.look }

// Shutdown saves what only the screen knew, ends the turns and waits for them.
// Call it when the program has ended.
func (m *Model) Shutdown(ctx context.Context) error {
	m.prompt.pipe.shutdown(ctx)
	if m.back == nil || m.closed {
		return nil
	}
	m.closed = true
	id := m.draftID()
	m.prompt.drafts.put(id, m.prompt.draft())
	err := m.prompt.drafts.save(ctx, m.back.Store, id)
	m.keepPlace(ctx)
	return errors.Join(err, m.back.Engine.Close(ctx))
}

// keepPlace keeps where the reader is. Only that: what was asked for at the start
// counts for this run, and what another process has changed since stays. A place
// that cannot be kept is not worth a word at the end.
func (m *Model) keepPlace(ctx context.Context) {
	if m.chat.session.Head == "" || m.chat.busy {
		return
	}
	v, err := m.back.Store.Get(ctx, m.chat.session.ID)
	if err != nil {
		return
	}
	v.View = m.view()
	_ = m.back.Store.Save(ctx, v)
}

// SessionID is the chat on screen, "" when nothing of it is stored, so that the
// shell can be told how to come back.
func (m *Model) SessionID() session.ID {
	if m.back == nil || m.back.Unsaved != nil || m.chat.session.Head == "" {
		return ""
	}
	return m.chat.session.ID
}

// Demo tells whether the chat on screen is with the built-in demo.
func (m *Model) Demo() bool { return m.conn != nil && m.conn.Demo }
