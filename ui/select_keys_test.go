package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

func TestSelectingWithTheKeys(t *testing.T) {
	r := reads(t, 60, 30, user("u1", "alpha beta\ngamma delta"), answer("a1", "One **two** three.\n\n- four\n\n```\ncode here\n```\n"))
	r.keys("tab", "up")
	for _, step := range []struct {
		keys string
		want string
	}{
		{"shift+right", "a"},
		{"shift+right shift+right shift+left", "al"},
		{"ctrl+shift+right", "alpha"},
		{"ctrl+shift+right", "alpha beta"},
		{"ctrl+shift+left", "alpha "},
		{"shift+down", "alpha beta\ngamma "},
		{"shift+down", "alpha beta\ngamma delta\n\nOne **tw"},
		{"shift+down", "alpha beta\ngamma delta\n\nOne **two** three.\n\n- four"},
		{"shift+up shift+up", "alpha beta\ngamma "},
		{"shift+up", "alpha "},
		{"shift+up", ""},
		{"ctrl+shift+right ctrl+shift+right ctrl+shift+right ctrl+shift+right ctrl+shift+right ctrl+shift+right", "alpha beta\ngamma delta\n\nOne **two"},
	} {
		r.keys(strings.Fields(step.keys)...)
		if got, _ := r.m.selectedText(); got != step.want {
			t.Errorf("after %s: %q, want %q\n%s", step.keys, got, step.want, r.screen())
		}
	}
	r.shows("alpha beta\ngamma delta\nOne two")
	r.keys("y")
	r.gets("alpha beta\ngamma delta\n\nOne **two")
	r.sees("4 lines → clipboard")
	r.shows("")
	r.keys("y") // the message
	r.gets("alpha beta\ngamma delta")
	r.keys("ctrl+shift+right", "q") // the draft has a quote of it, and the focus
	if got := r.m.prompt.editor.Text(); got != "> alpha\n\n" || r.m.focus != paneComposer {
		t.Errorf("the draft is %q", got)
	}
	r.shows("")
	r.keys("tab", "shift+down", "esc")
	if _, ok := r.m.selectedText(); ok || r.m.focus != paneConversation {
		t.Error("Esc does not clear the selection first")
	}
	r.keys("esc")
	if r.m.focus != paneComposer {
		t.Error("the second Esc does not go back to the composer")
	}
	r.keys("shift+down") // the composer's
	if _, ok := r.m.selectedText(); ok {
		t.Error("the conversation is selected from the composer")
	}
}

func TestTheCaretOfASelectionIsKeptInView(t *testing.T) {
	text := ""
	for i := range 80 {
		text += fmt.Sprintf("row %02d\n\n", i)
	}
	r := reads(t, 60, 20, answer("a1", text))
	r.keys("tab", "g")
	for range 50 {
		r.keys("shift+down")
	}
	r.sees("row 50")
	r.never("row 52")
	for range 45 {
		r.keys("shift+up")
	}
	r.sees("row 05")
	r.keys("y")
	r.gets("row 00\n\nrow 01\n\nrow 02\n\nrow 03\n\nrow 04")
}

func TestSelectionIsSeenWithoutColours(t *testing.T) {
	r := reads(t, 60, 24, answer("a1", "alpha beta"))
	r.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	r.drag("alpha", "be")
	r.shows("alpha be")
	if !strings.Contains(r.m.View().Content, "\x1b[7malpha be") {
		t.Errorf("the selection is %q", r.m.View().Content)
	}
	r.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	r.shows("alpha be")
}
