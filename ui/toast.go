package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// toast says what was done, for a while, where the hints are.
type toast struct {
	text  string
	id    int
	timed int // the id that a timer is under way for
}

const toastTime = 3 * time.Second

func (t *toast) expire(id int) {
	if id == t.id {
		t.text = ""
	}
}

// say shows a toast; settle starts the timer that takes it away.
func (m *Model) say(text string) {
	m.toast.id++
	m.toast.text = text
}

// toastTimer starts the timer of a new toast.
func (m *Model) toastTimer() tea.Cmd {
	t := &m.toast
	if t.timed == t.id {
		return nil
	}
	t.timed = t.id
	return timerCmd(m.deps.After, toastTime, timerToast, t.id)
}
