package api

import (
	"slices"
	"strings"
	"time"
)

const (
	// afterFinish is how long usage and [DONE] are waited for once every choice
	// has its finish reason in a chunk without words.
	afterFinish = 5 * time.Second
	// afterLastWords is how long they are waited for when a finish reason came
	// with words. Those may be the last, or the server may write a reason on
	// every chunk, which shows only when the next words come. A server of that
	// kind that pauses for longer behind its first chunk loses the rest: the
	// price of not waiting minutes for a server that has ended and holds the line.
	afterLastWords = 30 * time.Second
)

// speak notes that a choice says something. If it had its finish reason already,
// this server's reasons do not mean the end.
func (s *choiceState) speak() {
	s.started, s.spoke = true, true
	s.resumed = s.resumed || s.finish != ""
}

// end notes the finish reason of a choice.
func (s *choiceState) end(reason string) {
	s.finish, s.inWords = reason, s.spoke
}

// finished tells whether as many choices as were asked for have their finish
// reason, and each of those that were asked for that has begun. Of others that a
// server adds, no end is waited for.
func (d *decoder) finished() bool {
	n := 0
	for _, s := range d.choices {
		if s.finish != "" {
			n++
		} else if s.index < d.expected {
			return false
		}
	}
	return n >= d.expected
}

// patience is how long more is waited for when the answer seems to be whole. ok
// is false while it does not: then the server has all the time it wants.
func (d *decoder) patience() (wait time.Duration, ok bool) {
	if !d.finished() || d.resumed() {
		return 0, false
	}
	wait = afterFinish
	for _, s := range d.choices {
		if s.inWords {
			wait = afterLastWords
		}
	}
	return wait, true
}

// resumed tells whether a choice went on after its finish reason. Then only
// [DONE], a clean end and long silence mean that the answer is whole.
func (d *decoder) resumed() bool {
	for _, s := range d.choices {
		if s.resumed {
			return true
		}
	}
	return false
}

// complete tells whether the answer is whole, should nothing more come.
func (d *decoder) complete() bool {
	return d.err == nil && (d.done || d.finished() && !(d.torn && d.resumed()))
}

// ended tells whether a choice has come to its end, although the answer as a
// whole may not have: where one choice went on behind its finish reason, those of
// this server mean nothing.
func (d *decoder) ended(s *choiceState) bool {
	return s.finish != "" && (d.complete() || d.expected > 1 && !d.resumed())
}

// LimitReached tells whether a finish reason, as [Event.Finish] has it, means that
// the answer reached the most tokens it may have: "length" in the API's document,
// and what other servers call it, case aside.
func LimitReached(finish string) bool {
	return slices.ContainsFunc([]string{"length", "max_tokens", "max_output_tokens", "model_length"}, func(name string) bool {
		return strings.EqualFold(finish, name)
	})
}

// close gives the last events: what is held, the finish reasons of the choices
// that have ended, and the usage.
func (d *decoder) close() {
	if d.closed {
		return
	}
	d.closed = true
	d.flush()
	for _, s := range d.choices {
		if d.ended(s) {
			d.give(Event{Kind: EventFinish, Choice: s.index, Finish: s.finish})
		}
	}
	if d.usage != nil {
		d.give(Event{Kind: EventUsage, Usage: d.usage})
	}
}
