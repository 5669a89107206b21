package ui

import (
	"strings"

	"waferchat/session"
)

// The conversation always has one focused message once it has the focus; keys
// act on it.

// focused is the message with the focus mark, nil when there is none.
func (t *transcript) focused() *session.Message {
	if i := t.indexOf(t.focus); i >= 0 {
		return t.messages[i]
	}
	return nil
}

// focusLast puts the mark on the last message, if none has it.
func (t *transcript) focusLast() {
	if t.focused() == nil && len(t.messages) > 0 {
		t.focus = t.messages[len(t.messages)-1].ID
	}
}

// focusBy moves the mark by messages and shows where it is.
func (t *transcript) focusBy(n int) {
	t.focusLast()
	i := t.indexOf(t.focus)
	if i < 0 {
		return
	}
	i = min(max(i+n, 0), len(t.messages)-1)
	t.focus = t.messages[i].ID
	if b := t.firstBlock(t.focus); b < t.list.Len() {
		t.list.Show(b)
	}
}

// toggleFocused opens or folds what can be folded in the focused message.
func (t *transcript) toggleFocused() bool {
	done := false
	for i := t.firstBlock(t.focus); i < t.list.Len() && t.blockAt(i).message() == t.focus; i++ {
		switch b := t.list.Block(i).(type) {
		case *reasoningBlock:
			b.toggle()
			done = true
		case *userBlock:
			b.toggle()
			done = true
		case *toolBlock:
			b.toggle()
			done = true
		}
	}
	return done
}

// focusVisible puts the mark on the first message in view when the focused one
// has left the screen.
func (t *transcript) focusVisible() {
	var first session.MessageID
	for y := range t.list.Height() {
		pos, ok := t.list.At(y)
		if !ok {
			continue
		}
		id := t.blockAt(pos.Block).message()
		if id == t.focus && id != "" {
			return
		}
		if first == "" {
			first = id
		}
	}
	if first != "" {
		t.focus = first
	}
}

// marked tells whether row y of the pane belongs to the focused message, the
// blank rows between its blocks included.
func (t *transcript) marked(y int) bool {
	pos, row := t.list.At(y)
	if t.focus == "" || pos.Block < 0 || pos.Block >= t.list.Len() || t.blockAt(pos.Block).message() != t.focus {
		return false
	}
	return row || pos.Block+1 < t.list.Len() && t.blockAt(pos.Block+1).message() == t.focus
}

// folds tells of a block whether it can be unfolded and folded.
func (b *reasoningBlock) folds() bool { return true }
func (b *toolBlock) folds() bool      { return true }
func (b *userBlock) folds() bool      { return strings.Count(b.text, "\n") > userFoldRows+4 }
