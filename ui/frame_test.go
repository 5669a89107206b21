package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/ui/blocklist"
)

// These tests count work instead of timing it, so that they hold on any
// machine.

// work is what the blocks of a conversation were asked for.
type work struct{ layouts, lines, estimates int }

// countedBlock is a block that counts.
type countedBlock struct {
	block
	w *work
}

func (c countedBlock) Layout(width int) blocklist.Layout {
	c.w.layouts++
	return countedLayout{c.block.Layout(width), c.w}
}

func (c countedBlock) Estimate(width int) int {
	c.w.estimates++
	return c.block.Estimate(width)
}

type countedLayout struct {
	blocklist.Layout
	w *work
}

func (c countedLayout) Line(i int) string {
	c.w.lines++
	return c.Layout.Line(i)
}

// count puts counting blocks in the place of those from index i on.
func (d *driver) count(i int, w *work) {
	l := d.m.chat.transcript.list
	var blocks []block
	for j := i; j < l.Len(); j++ {
		blocks = append(blocks, l.Block(j).(block))
	}
	l.Remove(i, len(blocks))
	for _, b := range blocks {
		l.Append(countedBlock{b, w})
	}
	d.m.Update(nil)
	*w = work{}
}

// manyTurns is a path of so many turns.
func manyTurns(turns int) []session.Message {
	answer := strings.Repeat("Some **words** of an answer that goes over more than one row of the screen. ", 5)
	path := make([]session.Message, 0, 2*turns)
	for i := range turns {
		ask, reply := session.MessageID(fmt.Sprint("q", i)), session.MessageID(fmt.Sprint("a", i))
		path = append(path,
			session.Message{ID: ask, Role: api.RoleUser, State: session.Done, Created: moment, Parts: []session.Part{{Kind: session.PartText, Text: "And then?"}}},
			session.Message{ID: reply, Parent: ask, Role: api.RoleAssistant, State: session.Done, Created: moment, Finish: "stop",
				Parts: []session.Part{{Kind: session.PartText, Text: answer}}})
	}
	return path
}

// streaming is a program with so many earlier turns and an answer of n bytes
// that goes on, all of whose blocks count.
func streaming(t *testing.T, turns, n int) (*driver, *work) {
	t.Helper()
	b := newBench(t, "")
	b.server.Script(emulator.Stream(emulator.C(answerText(n)), emulator.Hang))
	d := newDriver(t, b.deps, 100, 30)
	d.wait("the store", func() bool { return d.m.back != nil })
	d.m.chat.transcript.load(manyTurns(turns))
	d.types("go on")
	d.keys("enter")
	d.wait("the text", func() bool { return d.m.chat.live.bytes >= n })
	w := new(work)
	d.count(0, w)
	return d, w
}

// deltas is a batch of events as a turn gives it.
func (d *driver) deltas(texts ...string) turnEventsMsg {
	c := d.m.chat
	msg := turnEventsMsg{watch: c.watch}
	for _, text := range texts {
		msg.events = append(msg.events, chat.Event{Kind: chat.EventDelta, State: chat.Answering,
			Delta: session.Delta{Message: c.transcript.live.ID, Kind: session.PartText, Text: text}})
	}
	return msg
}

// frame is what one message and the drawing after it ask of the blocks.
func (d *driver) frame(w *work, msg tea.Msg) work {
	*w = work{}
	d.m.Update(msg) // what it asks for is not wanted here
	d.m.View()
	return *w
}

func TestAFrameCostsTheSameHoweverLongTheAnswerAndTheConversation(t *testing.T) {
	var first work
	for i, c := range []struct{ turns, bytes int }{{0, 10_000}, {0, 1 << 20}, {10, 10_000}, {3000, 10_000}} {
		d, w := streaming(t, c.turns, c.bytes)
		got := d.frame(w, d.deltas(" more", " and", " more\n\n"))
		if got.layouts != 1 {
			t.Errorf("%d turns, %d bytes: a batch of deltas lays out %d blocks, want 1", c.turns, c.bytes, got.layouts)
		}
		if i == 0 {
			first = got
		} else if got != first {
			t.Errorf("%d turns, %d bytes: a batch costs %+v, at the start %+v", c.turns, c.bytes, got, first)
		}
		if h := d.m.chat.transcript.list.Height(); got.lines > h {
			t.Errorf("a frame asks for %d lines, the pane has %d", got.lines, h)
		}
	}
}

func TestABatchOfDeltasIsLaidOutOnce(t *testing.T) {
	d, w := streaming(t, 3, 2000)
	live := d.m.chat.transcript.parts[0].(*textBlock)
	for _, n := range []int{1, 2, 100} {
		before := live.count
		got := d.frame(w, d.deltas(strings.Fields(strings.Repeat("word ", n))...))
		if live.count != before+1 || got.layouts != 1 {
			t.Errorf("%d deltas: flushed %d times, laid out %d times, want once", n, live.count-before, got.layouts)
		}
	}
}

func TestWhatDoesNotChangeTheConversationLaysNothingOut(t *testing.T) {
	d, w := streaming(t, 3000, 10_000)
	for name, msg := range map[string]tea.Msg{
		"a key":                press("x"),
		"a tick of the clock":  timerMsg{timer: timerClock},
		"an end of the toast":  timerMsg{timer: timerToast},
		"a late batch":         turnEventsMsg{watch: -1},
		"the catalogue":        catalogueMsg{},
		"a draft that is safe": savedMsg{},
	} {
		if got := d.frame(w, msg); got.layouts != 0 || got.estimates != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAResizeLaysOutOnlyWhatIsVisible(t *testing.T) {
	var few work
	for _, turns := range []int{100, 3000} {
		b := newBench(t, "")
		d := newDriver(t, b.deps, 100, 30)
		d.wait("the store", func() bool { return d.m.back != nil })
		d.m.chat.transcript.load(manyTurns(turns))
		w := new(work)
		d.count(0, w)
		got := d.frame(w, tea.WindowSizeMsg{Width: 80, Height: 24})
		visible := map[int]bool{}
		for y := range d.m.chat.transcript.list.Height() {
			if pos, ok := d.m.chat.transcript.list.At(y); ok {
				visible[pos.Block] = true
			}
		}
		// One block above the window may be needed to know where it begins.
		if got.layouts > len(visible)+1 {
			t.Errorf("%d turns: a resize lays out %d blocks, %d are visible", turns, got.layouts, len(visible))
		}
		if few == (work{}) {
			few = got
		} else if got != few {
			t.Errorf("%d turns: a resize costs %+v, with fewer turns %+v", turns, got, few)
		}
	}
}

func TestScrollingLaysOutAWindowAtATime(t *testing.T) {
	d, w := streaming(t, 3000, 2000)
	for _, key := range []string{"pgup", "pgup", "pgdown", "ctrl+home", "ctrl+end"} {
		got := d.frame(w, press(key))
		if h := d.m.chat.transcript.list.Height(); got.layouts > 2*h {
			t.Errorf("%s lays out %d blocks for a window of %d rows", key, got.layouts, h)
		}
	}
}
