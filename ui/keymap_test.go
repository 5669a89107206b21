package ui

import (
	"strings"
	"testing"
)

func TestActionsAreWellFormed(t *testing.T) {
	k := newKeymap(nil)
	if len(k.problems) > 0 {
		t.Errorf("the table contradicts itself: %v", k.problems)
	}
	ids, slashes := map[string]bool{}, map[string]string{}
	for _, a := range k.table {
		if a.id == "" || a.title == "" || a.group == "" || a.run == nil {
			t.Errorf("action %+v is not complete", a.id)
		}
		if ids[a.id] {
			t.Errorf("action %s is there twice", a.id)
		}
		ids[a.id] = true
		for _, s := range a.slash {
			if slashes[s] != "" {
				t.Errorf("/%s is both %s and %s", s, slashes[s], a.id)
			}
			slashes[s] = a.id
		}
		for _, key := range a.keys {
			switch key {
			case "ctrl+s", "ctrl+q", "ctrl+i", "ctrl+m", "ctrl+h":
				t.Errorf("%s uses %s, which terminals and people need for themselves", a.id, key)
			}
		}
		if len(a.keys) == 0 && len(a.slash) == 0 {
			t.Errorf("%s can only be reached through the palette", a.id)
		}
	}
}

func TestEveryActionWithoutAKeyIsReachable(t *testing.T) {
	for _, a := range newKeymap(nil).table {
		if a.quiet && len(a.keys) == 0 {
			t.Errorf("%s is hidden from the palette and has no key", a.id)
		}
	}
}

func TestUserBindingsReplaceAndReport(t *testing.T) {
	k := newKeymap(map[string][]string{"new": {"ctrl+x"}, "sessions": {"none"}, "nonsense": {"a"}, "help": {"ctrl+p"}})
	if a := k.find("", "ctrl+x"); a == nil || a.id != "new" {
		t.Error("the new key does not work")
	}
	if k.find("", "ctrl+n") != nil || k.find("", "ctrl+o") != nil {
		t.Error("a replaced key still works")
	}
	all := strings.Join(k.problems, "\n")
	for _, want := range []string{`no action "nonsense"`, "ctrl+p is bound to both palette and help"} {
		if !strings.Contains(all, want) {
			t.Errorf("problems %q do not tell %q", all, want)
		}
	}
}

func TestSlashNames(t *testing.T) {
	k := newKeymap(nil)
	for _, c := range []struct{ name, want, near string }{
		{"new", "new", ""}, {"clear", "new", ""}, {"sess", "sessions", ""}, {"exit", "quit", ""},
		{"modle", "", "model"}, {"xyzzy", "", ""}, {"re", "", ""},
	} {
		a, near := k.named(c.name)
		got := ""
		if a != nil {
			got = a.id
		}
		if got != c.want || c.near != "" && near != c.near {
			t.Errorf("/%s is %q (near %q), want %q (near %q)", c.name, got, near, c.want, c.near)
		}
	}
}

func TestSlashCommandsAndPaths(t *testing.T) {
	for text, want := range map[string]bool{
		"/new": true, "/model GLM-5.3": true, "/usr/bin": false, "//new": false, "/": false, "/ x": false, "/new\nx": false, "new": false, "/etc.d": false,
	} {
		if _, _, ok := slashCommand(text); ok != want {
			t.Errorf("%q is a command: %v, want %v", text, ok, want)
		}
	}
}

func TestKeyLabels(t *testing.T) {
	for key, want := range map[string]string{"ctrl+p": "^P", "alt+m": "Alt+M", "pgup": "PgUp", "f1": "F1", "enter": "⏎", "ctrl+home": "^Home", "alt+shift+z": "Alt+Shift+Z", "?": "?", "{": "{"} {
		if got := keyLabel(key); got != want {
			t.Errorf("%s is shown as %q, want %q", key, got, want)
		}
	}
}
