package vterm

import (
	"image/color"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

func screen(t *testing.T, c Config, output string) *Screen {
	t.Helper()
	s := newScreen(c)
	t.Cleanup(s.Close)
	_, _ = s.Write([]byte(output))
	return s
}

// answered waits for the answers to what was written: they end with the answer
// to a last query.
func answered(t *testing.T, s *Screen) string {
	t.Helper()
	const end = "\x1b[0n"
	_, _ = s.Write([]byte("\x1b[5n"))
	got := ""
	for deadline := time.Now().Add(5 * time.Second); !strings.HasSuffix(got, end) && !strings.HasSuffix(got, "\x1b[?0n"); {
		data, more := s.replies.take()
		got += string(data)
		if len(data) > 0 {
			continue
		}
		select {
		case <-more:
		case <-time.After(time.Until(deadline)):
			t.Fatalf("no end of the answers in %q", got)
		}
	}
	return strings.TrimSuffix(strings.TrimSuffix(got, end), "\x1b[?0n")
}

func TestTheScreenShowsTextAndStyles(t *testing.T) {
	s := screen(t, Config{Cols: 12, Rows: 3}, "plain \x1b[1;3;4mbold\x1b[m\r\n漢字 \x1b[7;2mrev\x1b[m\r\n\x1b[38;2;1;2;3;48;2;4;5;6mc\x1b[m")
	if got, want := s.Text(), "plain bold\n漢字 rev\nc\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got := s.Row(1); got != "漢字 rev" {
		t.Errorf("row 1 is %q", got)
	}
	if c := s.Cell(6, 0); c.Style.Attrs != uv.AttrBold|uv.AttrItalic || c.Style.Underline != uv.UnderlineSingle {
		t.Errorf("cell 6,0 is %+v", c)
	}
	if c := s.Cell(0, 1); c.Content != "漢" || c.Width != 2 {
		t.Errorf("cell 0,1 is %+v", c)
	}
	if c := s.Cell(5, 1); c.Content != "r" || c.Style.Attrs != uv.AttrReverse|uv.AttrFaint {
		t.Errorf("cell 5,1 is %+v", c)
	}
	fg, _ := color.NRGBAModel.Convert(s.Cell(0, 2).Style.Fg).(color.NRGBA)
	bg, _ := color.NRGBAModel.Convert(s.Cell(0, 2).Style.Bg).(color.NRGBA)
	if fg != (color.NRGBA{1, 2, 3, 255}) || bg != (color.NRGBA{4, 5, 6, 255}) {
		t.Errorf("colours %v on %v", fg, bg)
	}
	if c := s.Cell(50, 50); c.Content != " " {
		t.Errorf("outside is %+v", c)
	}
}

func TestTheCursorAndTheTitleAreThoseOfTheProgram(t *testing.T) {
	s := screen(t, Config{Cols: 20, Rows: 5}, "\x1b[3;7H\x1b]2;bread; and butter\a")
	if x, y, visible := s.Cursor(); x != 6 || y != 2 || !visible {
		t.Errorf("cursor %d,%d %v", x, y, visible)
	}
	if got := s.Title(); got != "bread; and butter" {
		t.Errorf("title %q", got)
	}
	_, _ = s.Write([]byte("\x1b[?25l\x1b[?1049h\x1b[?2004h"))
	if _, _, visible := s.Cursor(); visible || !s.AltScreen() || !s.Mode(2004) || s.Mode(1000) {
		t.Errorf("cursor %v, alt screen %v, paste %v, mouse %v", visible, s.AltScreen(), s.Mode(2004), s.Mode(1000))
	}
}

func TestOSC52FillsTheClipboard(t *testing.T) {
	s := screen(t, Config{Cols: 20, Rows: 5}, "\x1b]52;c;Z3LDvMOf\x1b\\\x1b]52;c;?\a\x1b]52;c;***\a")
	if got := s.Clipboard(); got != "grüß" {
		t.Errorf("clipboard %q", got)
	}
}

func TestQueriesAreAnsweredInOrder(t *testing.T) {
	white := Config{Cols: 80, Rows: 24, Background: color.White}
	tests := []struct {
		name   string
		config Config
		asked  string
		want   string
	}{
		{"device", Config{}, "\x1b[c", "\x1b[?62;1;6;22c"},
		{"dark ground", Config{}, "\x1b]11;?\a", "\x1b]11;rgb:0000/0000/0000\a"},
		{"light ground", white, "\x1b]11;?\a", "\x1b]11;rgb:ffff/ffff/ffff\a"},
		{"text on light", white, "\x1b]10;?\a", "\x1b]10;rgb:0000/0000/0000\a"},
		{"light scheme", white, "\x1b[?996n", "\x1b[?997;2n"},
		{"keyboard", Config{}, "\x1b[?u\x1b[>5u\x1b[?u\x1b[=2;2u\x1b[?u\x1b[=1;3u\x1b[?u\x1b[<u\x1b[?u\x1b[<9u\x1b[?u", "\x1b[?0u\x1b[?5u\x1b[?7u\x1b[?6u\x1b[?0u\x1b[?0u"},
		{"no kitty keyboard", Config{PlainKeys: true}, "\x1b[>1u\x1b[?u\x1b[c", "\x1b[?62;1;6;22c"},
		{"keyboard, then device", Config{}, "\x1b[?u\x1b[c\x1b[?u\x1b[c", "\x1b[?0u\x1b[?62;1;6;22c\x1b[?0u\x1b[?62;1;6;22c"},
		{"synchronised output", Config{}, "\x1b[?2026$p\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;2$y\x1b[?2026;1$y"},
		{"graphemes", Config{}, "\x1b[?2027$p", "\x1b[?2027;2$y"},
		{"unknown mode", Config{}, "\x1b[?4711$p", "\x1b[?4711;0$y"},
		{"version", Config{}, "\x1b[>q", "\x1bP>|vterm 1.0\x1b\\"},
		{"capability", Config{}, "\x1bP+q524742\x1b\\", "\x1bP0+r\x1b\\"},
		{"sizes", Config{Cols: 80, Rows: 24}, "\x1b[14t\x1b[16t\x1b[18t", "\x1b[4;480;800t\x1b[6;20;10t\x1b[8;24;80t"},
		{"cursor", Config{Cols: 80, Rows: 24}, "\x1b[2;3H\x1b[6n", "\x1b[2;3R"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := answered(t, screen(t, tt.config, tt.asked)); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestASilentTerminalAnswersNothing(t *testing.T) {
	s := screen(t, Config{Silent: true}, "\x1b[c\x1b]11;?\a\x1b[?u")
	if got := s.Replies(); got != "" {
		t.Errorf("answered %q", got)
	}
}

func TestAChangeOfTheGroundIsReportedToWhoAskedForIt(t *testing.T) {
	s := screen(t, Config{}, "")
	s.SetBackground(color.White)
	if got := answered(t, s); got != "" {
		t.Errorf("told %q without asking", got)
	}
	_, _ = s.Write([]byte("\x1b[?2031h"))
	s.SetBackground(color.Black)
	s.SetBackground(color.White)
	if got, want := answered(t, s), "\x1b[?997;1n\x1b[?997;2n"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if text, ground := s.Colors(); text != color.Black || ground != color.White {
		t.Errorf("colours %v on %v", text, ground)
	}
}

func TestHalfAFrameIsNotShown(t *testing.T) {
	s := screen(t, Config{Cols: 10, Rows: 1}, "old")
	_, _ = s.Write([]byte("\x1b[?2026h\rn"))
	seen := make(chan string)
	go func() { seen <- s.Row(0) }()
	_, _ = s.Write([]byte("ew"))
	_, _ = s.Write([]byte("\x1b[?2026l"))
	if got := <-seen; got != "new" {
		t.Errorf("saw %q", got)
	}
}
