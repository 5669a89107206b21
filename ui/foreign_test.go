package ui

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/themes"
)

// ours are the sequences that the program itself writes into a screen: colours
// and attributes, and hyperlinks to what a browser or mail program opens.
var ours = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[^;\x00-\x1f\x7f-\x9f]*;(?:(?:https?|mailto|ftp):[^\x00-\x20\x7f-\x9f]*)?(?:\x1b\\|\x07)`)

// foreign finds what no text from outside may bring onto a screen.
func foreign(screen string) string {
	rest := ours.ReplaceAllString(screen, "")
	for i, r := range rest {
		switch {
		case r == '\n':
		case r < 0x20, r >= 0x7f && r <= 0x9f, r == utf8.RuneError && !utf8.ValidString(rest[i:i+1]) && rest[i] >= 0x80 && !strings.HasPrefix(rest[i:], "\uFFFD"):
			return rest[max(0, i-20):min(len(rest), i+20)]
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			return rest[max(0, i-20):min(len(rest), i+20)]
		}
	}
	return ""
}

// FuzzNoForeignSequenceReachesTheTerminal puts any text wherever text from outside
// can stand, whole and in pieces, and looks at every screen that comes of it.
func FuzzNoForeignSequenceReachesTheTerminal(f *testing.F) {
	for _, s := range []string{
		"plain", "a\x1b]0;PWNED\x07b", "a\x1b]52;c;cHduZWQ=\x07b", "\x1b]8;;http://evil/\x1b\\ok\x1b]8;;\x1b\\", "\x1b[2J\x1b[H", "\x1b[31m", "\u009b31m", "\x9b31m",
		"\x1bc", "\x1b[6n", "\x1bP+q544e\x1b\\", "x\rEVIL", "\a\a", "\u200f\u202etxt", "[a](http://x\x1b]0;y\x07)", "```\x1b[2J\n\x1b]0;t\x07\n```", "`\x1b[1m`", "$\\alpha\x1b[2J$",
		"| \x1b[2J | b |\n|---|---|\n| \x07 | \u202e |", "[^1]\n\n[^1]: \x1b[2J", "<\x1b[2J>", "# \x1b]0;h\x07", "![\x1b[2J](\x1b)", "&#27;[2J &#x9b;31m &#x202e;", "http://e.org/\u202e\x1b[2J", "\xff\xfe\x1b", "\x1b",
		"[x](javascript:alert(1))", "[x](http://a\\\x1b]8;;b)", "- [ ] \x1b[2J\n  1. \x9d0;x\x9c",
	} {
		f.Add(s, uint8(80), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, width, piece uint8) {
		m := New(Deps{Themes: themes.Builtin(), Dark: true, Connection: &Connection{Name: text, BaseURL: "http://127.0.0.1:1/v1"}})
		m.resumed = true
		m.chat.session.Title, m.chat.session.Model, m.chat.session.Effort = text, text, text
		look := func(where string) {
			t.Helper()
			v := m.View()
			if bad := foreign(v.Content); bad != "" {
				t.Fatalf("%s: %q on the screen", where, bad)
			}
			if bad := foreign(v.WindowTitle); bad != "" || strings.Contains(v.WindowTitle, "\n") {
				t.Fatalf("%s: %q in the window's title", where, v.WindowTitle)
			}
		}
		m.Update(tea.WindowSizeMsg{Width: 40 + int(width)%120, Height: 40})
		m.chat.transcript.load([]session.Message{
			{ID: "u1", Role: api.RoleUser, State: session.Done, Parts: []session.Part{{Kind: session.PartText, Text: text}}},
			{ID: "a1", Role: api.RoleAssistant, State: session.Failed, Model: text, Effort: text, Finish: text,
				Failure: &session.Failure{Title: text, Advice: text},
				Parts: []session.Part{{Kind: session.PartReasoning, Text: text, Field: text}, {Kind: session.PartText, Text: text},
					{Kind: session.PartToolCall, Name: text, Text: text, CallID: text, CallState: text}}},
		})
		for _, view := range []reasoningView{reasoningLine, reasoningTail, reasoningFull} {
			m.chat.transcript.setReasoning(view)
			m.Update(nil)
			look("a finished answer, reasoning " + string(view))
		}
		m.toggleRaw()
		m.Update(nil)
		look("as it was written")
		m.toggleRaw()
		reply := session.Message{ID: "a2", Role: api.RoleAssistant, State: session.Streaming, Parent: "u1"}
		m.chat.transcript.apply([]chat.Event{{Kind: chat.EventMessage, Stored: &reply}})
		for ordinal, kind := range []session.PartKind{session.PartReasoning, session.PartText, session.PartToolCall} {
			for rest := text; rest != ""; {
				n := min(len(rest), int(piece)%7+1)
				m.chat.transcript.apply([]chat.Event{{Kind: chat.EventDelta, Delta: session.Delta{Message: "a2", Ordinal: ordinal, Kind: kind, Text: rest[:n], Name: text}}})
				rest = rest[n:]
				m.Update(nil)
				look("an arriving " + string(kind))
			}
		}
		m.say(text)
		m.chat.transcript.notice(noticeError, text, text)
		m.catalogue = Catalogue{Models: api.Catalogue{{ID: text, Description: text, Efforts: []string{text}}}, Err: errors.New(text)}
		m.pickSession([]session.Summary{{ID: "x", Title: text, First: text, Model: text}})
		m.Update(nil)
		look("a list of chats")
		m.overlays = nil
		m.openModels()
		m.Update(nil)
		look("a list of models")
		m.overlays = nil
		m.Update(tea.PasteMsg{Content: text})
		look("a paste")
	})
}

func TestTheLookAtScreensFindsWhatIsForeign(t *testing.T) {
	for _, s := range []string{"a\x1b[2Jb", "a\x1b]0;t\x07", "\u009b31m", "x\ry", "\u202e", "\x9b", "\x1b]8;;javascript:x\x1b\\", "\x1b]8;;http://a b\x1b\\"} {
		if foreign(s) == "" {
			t.Errorf("%q is let through", s)
		}
	}
	for _, s := range []string{"\x1b[1;38;2;1;2;3mx\x1b[m\ny", "\x1b]8;;https://e.org/x\x1b\\e\x1b]8;;\x1b\\", "漢字 👩‍🍳 \uFFFD"} {
		if bad := foreign(s); bad != "" {
			t.Errorf("%q: %q is no danger", s, bad)
		}
	}
}
