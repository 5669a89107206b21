package ui

import (
	"context"
	"encoding/json"
	"time"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/themes"
	"waferchat/ui/markdown"
)

// Connection says which server a chat talks to.
type Connection struct {
	BaseURL string
	Key     api.Key
	// Name is what the user is told: a host, or "scripted demo".
	Name string
	// Demo marks the built-in emulator.
	Demo bool
}

// Backend is the store and the engine behind the screen.
type Backend struct {
	Engine *chat.Engine
	Store  *session.Store
	// Unsaved says why nothing is kept on the disk; nil when it is.
	Unsaved error
	// SetKey replaces the key for the requests to come.
	SetKey func(api.Key)
	// NoKey: the server wants a key and there is none.
	NoKey bool
}

// Resume says what the first chat on screen is.
type Resume struct {
	// Latest resumes the most recent session, Name the one it names (id,
	// prefix, title), Pick opens the session list.
	Latest bool
	Name   string
	Pick   bool
}

// Catalogue is the model list with its age.
type Catalogue struct {
	Models  api.Catalogue
	Fetched time.Time // when the server gave it
	Default string    // the model of a new chat where none is configured
	// Err is why the list could not be refreshed; Models may still be cached.
	Err error

	asked bool // the server has been asked, whatever it said
}

// Piped is what came of a command. The texts are as the command wrote them.
type Piped struct {
	// Head is its standard output, the first part of it when LeftOut is not 0;
	// Tail is the last part then.
	Head, Tail string
	LeftOut    int64 // bytes between them that are not kept
	Errors     string
	Code       int // exit code, -1 when it was killed
}

// Settings are the user's choices that the program starts with.
type Settings struct {
	Theme     string // a theme's name; "" or "auto" follows the terminal
	Reasoning string // "hidden", "line", "tail", "full"; "" is "line"
	// ShowAddresses: the addresses of links are shown.
	ShowAddresses bool
	// CodeScrolls: code that is too wide scrolls sideways instead of wrapping.
	CodeScrolls bool
	// Temporary: chats are kept in memory because the user asked for it.
	Temporary bool
	// Keys are the user's bindings: action id → keys, "none" for no key.
	Keys map[string][]string
}

// Deps is all that the program needs from outside. Every func may be called
// from a command, so from any goroutine. Nil funcs switch their feature off.
type Deps struct {
	// Open opens the store and the engine for a connection. It runs after the
	// first frame. When the store cannot be opened it gives one in memory and
	// says why in Backend.Unsaved; its error means that there is no chat at all.
	Open func(ctx context.Context, c Connection) (Backend, error)
	// Connection is the server to talk to; nil shows the first-run screen.
	Connection *Connection
	// Catalogue returns the cached model list at once (refresh false) or asks
	// the server.
	Catalogue func(ctx context.Context, c Connection, refresh bool) Catalogue
	// Probe looks for servers on this machine, for at most 300 ms.
	Probe func(ctx context.Context) []Connection
	// KeepKey stores a key for the default server and tells where it is now.
	KeepKey func(ctx context.Context, key string) (c Connection, where string, err error)
	// Reach tests a base URL and returns the connection to it.
	Reach func(ctx context.Context, baseURL string) (Connection, error)
	// Demo starts the built-in emulator.
	Demo func(ctx context.Context) (Connection, error)
	// Copy puts text on the clipboards that work here. Raw is to be written to
	// the terminal (OSC 52), how tells the user what was done.
	Copy func(text string) (raw, how string, err error)
	// Format makes a response format of a file: command is "schema" or "grammar".
	Format func(command, file string) (json.RawMessage, error)
	// Edit makes the external editor's command for a text, in a file of that name
	// in a place of its own; done reads the text back.
	Edit func(name, text string) (cmd Runner, done func() (string, error), err error)
	// Save writes a text to a file that the user named, and an existing one only
	// when replace is set: else the error is fs.ErrExist. path is where that is,
	// as it is told, also with an error.
	Save func(name, text string, replace bool) (path string, err error)
	// Pipe runs a command of the user's shell with a text on its standard input.
	// When ctx ends the command does, and what it had written is returned with
	// ctx's error.
	Pipe func(ctx context.Context, command, input string) (Piped, error)
	// Launch opens a link for the user's eyes and waits for nothing. Its error
	// says why that cannot be done here.
	Launch func(link string) error

	// Template is what a new chat begins with; its ID and times are not used.
	Template session.Session
	// Override applies to a resumed session what was asked for at the start.
	Override func(*session.Session) error
	// KeepSetting remembers a choice of the user, such as the theme.
	KeepSetting func(option, value string) error

	Themes map[string]themes.Theme
	// Markdown is the style that the user chose over the theme's; nil is none.
	Markdown *markdown.Style
	Settings Settings
	Resume   Resume
	Prompt   string   // sent at once
	Notices  []string // told at the start, such as problems of the configuration

	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	// Dark is what is assumed until the terminal tells its background.
	Dark bool
}
