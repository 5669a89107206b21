package ui

import (
	"strings"
	"time"

	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/markdown"
)

// Every block of the conversation has a file of its own, block_*.go. A block
// lays itself out for the pane's inner width; the pane adds the focus mark on
// the left and the scrollbar on the right.

// block is a block of the conversation: part of a message.
type block interface {
	blocklist.Block
	// message is the message that the block shows a part of, "" for a notice.
	message() session.MessageID
}

// scene is what all blocks draw with. One is shared by a transcript's blocks.
type scene struct {
	look        *look
	style       *markdown.Style
	reasoning   reasoningView
	graphemes   bool   // the terminal counts grapheme clusters (mode 2027)
	raw         bool   // markdown is shown as it was written
	codeScrolls bool   // code that is too wide scrolls sideways instead of wrapping
	retry       string // the keys of a failed turn, shown where there is room
	goOn        string // those of one that was cut short
	now         time.Time
	location    *time.Location
	// generation changes with look, style and reasoning, so that every block's
	// version does.
	generation uint64
}

func (s *scene) dress() dress { return dress{s.style, s.codeScrolls, s.raw, s.graphemes} }

// base is what most blocks have in common.
type base struct {
	scene *scene
	id    session.MessageID
	count uint64
}

func (b *base) message() session.MessageID { return b.id }

// Version joins the block's own changes with the scene's.
func (b *base) Version() uint64 { return b.scene.generation<<32 | b.count }

func (b *base) changed() { b.count++ }

// rows is a small, finished layout. sources may be nil. shown is the text that
// can be selected, from the top.
type rows struct {
	lines   []string
	sources []int
	shown   []stretch
}

func (r rows) Len() int          { return len(r.lines) }
func (r rows) Line(i int) string { return r.lines[i] }

func (r rows) Source(i int) int {
	if r.sources == nil {
		return 0
	}
	return r.sources[i]
}

// indent is the gutter of everything that the user did not write.
const indent = "  "

// estimateRows guesses the rows of a text of n bytes.
func estimateRows(n, width int) int { return 1 + n/max(1, width*2/3) }

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }
