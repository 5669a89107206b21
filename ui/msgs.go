package ui

import (
	"encoding/json"
	"time"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/markdown"
)

// The messages of the program: facts from outside, each sent by a command in
// cmds.go and handled by the method named here.

// openedMsg: the store and the engine are there, or cannot be had.
// Sent by openCmd, handled by Model.opened.
type openedMsg struct {
	conn    Connection
	backend Backend
	err     error
}

// loadedMsg: a session was read. Sent by loadCmd, resumeCmd and variantCmd,
// handled by Model.loaded.
type loadedMsg struct {
	session session.Session
	path    []session.Message
	busy    bool // another process writes it
	draft   session.Draft
	err     error
	wanted  string // the name that was asked for, for the error
}

// earlierMsg: the messages before those on screen. Sent by earlierCmd, handled
// by Model.earlier.
type earlierMsg struct {
	session session.ID
	path    []session.Message
	err     error
}

// startedMsg: a turn has begun, or could not. Sent by startCmd and retryCmd,
// handled by Model.started.
type startedMsg struct {
	session session.ID
	turn    *chat.Turn
	text    string // what was to be sent, "" for a retry
	err     error
}

// turnEventsMsg: a batch of a turn's events. watch tells listeners of the same
// turn apart. Sent by nextEventsCmd, handled by Model.turnEvents.
type turnEventsMsg struct {
	watch  int
	events []chat.Event
	err    error
}

// withdrawnMsg: a turn without an answer was taken back. Sent by withdrawCmd,
// handled by Model.withdrawn.
type withdrawnMsg struct {
	session session.ID
	user    session.MessageID
	head    session.MessageID
	text    string
	err     error
}

// sessionsMsg: the session list. Sent by sessionsCmd, handled by
// Model.gotSessions.
type sessionsMsg struct {
	list []session.Summary
	err  error
}

// variantsMsg: an answer is the at-th (from 0) of several to one question. Sent by
// countVariantsCmd, handled by Model.gotVariants.
type variantsMsg struct {
	answer session.MessageID
	at, of int
}

// catalogueMsg: the model list. Sent by catalogueCmd, handled by
// Model.gotCatalogue.
type catalogueMsg struct {
	catalogue Catalogue
	refreshed bool
}

// gaugeMsg: what the engine measured of a chat. Sent by gaugeCmd, handled by
// Model.gauged.
type gaugeMsg struct {
	about occasion
	gauge chat.Gauge
	err   error
}

// formatMsg: the response format of a file that a command named. Sent by
// formatCmd, handled by Model.gotFormat.
type formatMsg struct {
	format json.RawMessage
	err    error
}

// foundMsg: the hits of a find in a part of the chat; search is the number of the
// find that they are for. Sent by findCmd, handled by Model.found.
type foundMsg struct {
	search int
	found  []scanned
}

// checkedMsg: whether an answer is what a schema or the like asked for. Sent by
// checkCmd, handled by Model.checked.
type checkedMsg struct {
	answer session.MessageID
	err    error
}

// savedMsg: a draft, a session's settings or a choice was written, or not. Sent
// by saveDraftCmd, saveSessionCmd and keepSettingCmd, handled by Model.saved.
type savedMsg struct{ err error }

// historyMsg: what was sent before, oldest first. Sent by historyCmd, handled
// by Model.gotHistory.
type historyMsg struct{ texts []string }

// draftMsg: the kept draft of the new chat. Sent by draftCmd, handled by
// Model.gotDraft.
type draftMsg struct{ draft session.Draft }

// copiedMsg: text went to the clipboards. Sent by copyCmd and copyChatCmd, handled
// by Model.copied.
type copiedMsg struct {
	what, how, raw string
	err            error
}

// fileSavedMsg: a text was written to a file of the user's, or not: fs.ErrExist
// when there is one. Sent by saveFileCmd, handled by Model.fileSaved.
type fileSavedMsg struct {
	file fileToSave
	path string
	err  error
}

// pipedMsg: the user's command has ended. Sent by pipeCmd, handled by
// Model.piped.
type pipedMsg struct {
	result Piped
	err    error
}

// blockEditedMsg: the external editor that had a code block has ended. Sent by
// editBlockCmd, handled by Model.blockEdited.
type blockEditedMsg struct {
	block codeBlock
	text  string
	err   error
}

// launchedMsg: a link is being opened, or cannot be and was copied. Sent by
// launchCmd, handled by Model.launched.
type launchedMsg struct {
	link   string
	copied copiedMsg
	err    error
}

// editedMsg: the external editor has ended. Sent by editCmd, handled by
// Model.edited.
type editedMsg struct {
	text string
	err  error
}

// highlightedMsg: exact colours for a block's code. Sent by highlightCmd,
// handled by Model.highlighted.
type highlightedMsg struct {
	block  *textBlock
	result markdown.Highlights
}

// probedMsg: servers found on this machine. Sent by probeCmd, handled by the
// first-run screen.
type probedMsg struct{ found []Connection }

// connectedMsg: a connection for the first-run screen, or why there is none.
// Sent by keepKeyCmd, reachCmd and demoCmd, handled by Model.connected.
type connectedMsg struct {
	conn Connection
	keep bool // the server is to be used at the next start too
	note string
	err  error
}

// keyedMsg: a replaced key was stored. Sent by replaceKeyCmd, handled by
// Model.keyed.
type keyedMsg struct {
	key  api.Key
	note string
	err  error
}

// timerMsg: a timer has run out. id tells whether it is still wanted. Sent by
// timerCmd, handled by Model.timer.
type timerMsg struct {
	timer timer
	id    int
	at    time.Time
}

// timer names what a timer is for.
type timer string

// The timers.
const (
	timerClock timer = "clock" // a live state shows its seconds
	timerDraft timer = "draft" // the draft is to be saved
	timerToast timer = "toast" // the toast goes
	timerEnter timer = "enter" // an Enter that nothing followed sends
	timerWheel timer = "wheel" // summed wheel events are due

	timerSelect timer = "select" // a drag beyond the edge scrolls on
)
