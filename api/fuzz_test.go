package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// decodeChunked decodes a body that comes in pieces of the given sizes, again
// and again, and tells everything that came of it.
func decodeChunked(body []byte, sizes []byte) string {
	d := newDecoder("", 1)
	ids := 0
	d.newID = func() string { ids++; return fmt.Sprint("call_", ids) }
	f := newFramer(&pieceReader{pieces: inPieces(string(body), sizes), err: io.EOF})
	for e, err := range f.events() {
		if err != nil {
			return err.Error()
		}
		d.frame(e.Type, e.Data)
	}
	d.stray = append(f.stray, d.stray...)
	if !d.complete() {
		_ = d.strayError()
	}
	d.close()
	out, _ := json.Marshal(d.events)
	extra, _ := json.Marshal(d.extra.byName())
	return fmt.Sprintf("%s extra=%s done=%t err=%v skipped=%d", out, extra, d.done, d.err, d.skipped)
}

func FuzzAnyChunkingGivesTheSameEvents(f *testing.F) {
	f.Add([]byte(documentStream), []byte{0})
	f.Add([]byte(documentToolStream), []byte{3, 200, 1})
	f.Add([]byte("\xef\xbb\xbf"+strings.ReplaceAll(textFrame("<think>a</think>é🌍")+finishFrame("stop")+doneFrame, "\n", "\r\n")), []byte{0})
	f.Add([]byte(strings.ReplaceAll(textFrame("a")+": c\n\n"+usageFrame, "\n", "\r")), []byte{0, 1})
	f.Add([]byte("error: {\"message\":\"boom\"}\r\n\r\n<html>"), []byte{4})
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83c\"}}]}\n\n\r\r\n\n\rdata"), []byte{0})
	f.Add([]byte(callFrame("-", "-", `"f"`, `{"x":1}`)+callFrame(`"7"`, "null", "null", "null")), []byte{9})
	f.Add([]byte(strings.Repeat(deltaFrame(`{"content":"a","x":null,"y":{"z":[1,"}"]}}`), 3)+raw(`{"p":"q\"","choices":[null,{"x":1}]}`)+usageFrame), []byte{5})
	f.Add([]byte(deltaFrame(`{"tool_calls":[{"index":0,"x":1,"function":{"name":"f","y":[1]}},null,{"index":0,"id":"b","x":null}]}`)), []byte{8})
	f.Add([]byte(raw("{\"p\":\"\xff\",\"choices\":[{\"delta\":{\"\xfe\":\"\xc3\"},\"logprobs\":\"\xff\"}],\"usage\":{\"total_tokens\":1,\"\xff\":0}}")), []byte{7, 0})
	f.Fuzz(func(t *testing.T, body, sizes []byte) {
		want := decodeChunked(body, nil)
		if got := decodeChunked(body, sizes); got != want {
			t.Fatalf("in pieces %s\nwhole     %s", got, want)
		}
		if !utf8.ValidString(want) || strings.Contains(want, "\x1b") {
			t.Fatalf("not fit to store: %q", want)
		}
	})
}

func FuzzTextSurvivesAnyDeltas(f *testing.F) {
	f.Add("那个 🌍 é 👩‍👩‍👧 ok", []byte{1, 2})
	f.Add("a `<think>` b\n```\n</think>\n```", []byte{0})
	f.Fuzz(func(t *testing.T, text string, sizes []byte) {
		// Without a tag, what was said is what is shown, wherever it was cut.
		if strings.Contains(text, "<") || !utf8.ValidString(text) {
			return // tags are for the other target
		}
		var frames bytes.Buffer
		for i, rest := 0, text; rest != ""; i++ {
			n := len(rest)
			if len(sizes) > 0 {
				n = min(n, int(sizes[i%len(sizes)])+1)
			}
			// Cut inside characters, as some servers do.
			fmt.Fprintf(&frames, "data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", rawQuote(rest[:n]))
			rest = rest[n:]
		}
		frames.WriteString(doneFrame)
		var b completionBuilder
		d := newDecoder("", 1)
		fr := newFramer(&frames)
		for e, err := range fr.events() {
			if err != nil {
				t.Fatal(err)
			}
			d.frame(e.Type, e.Data)
		}
		d.close()
		for _, e := range d.events {
			b.add(e)
		}
		got := ""
		if choices := b.completion().Choices; len(choices) > 0 && len(choices[0].Message.Content) > 0 {
			got = choices[0].Message.Content[0].Text
		}
		if got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// rawQuote quotes bytes for JSON without minding whether they are UTF-8.
func rawQuote(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

func FuzzErrorTextsAreFitToShow(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"\u001b[31mx","code":7}}`))
	f.Add([]byte(strings.Repeat("0", maxErrorText-1) + " 00"))
	f.Add([]byte("<html><title>a\x1b]0;b\x07"))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := streamError(body, "", "wfr_secret_key")
		line := e.Error()
		if !utf8.ValidString(line) || strings.ContainsAny(line, "\x1b\n\r\x00") || strings.Contains(line, "wfr_secret_key") || utf8.RuneCountInString(e.Message) > maxErrorText+1 {
			t.Fatalf("%q", line)
		}
		_, _ = decodeCatalogue(body)
	})
}

func FuzzBaseURLsAndKeys(f *testing.F) {
	f.Add("https://pass.wafer.ai/v1")
	f.Add("Bearer  x")
	f.Add("localhost:1/chat/completions")
	f.Fuzz(func(t *testing.T, s string) {
		if u, err := parseBaseURL(s); err == nil {
			if _, err := parseBaseURL(printable(u)); err != nil {
				t.Fatalf("%q is understood, %q is not", s, printable(u))
			}
		}
		if key, err := CleanKey(s); err == nil {
			if again, err := CleanKey(key.Reveal()); err != nil || again != key {
				t.Fatalf("%q became %q, then %q: %v", s, key.Reveal(), again.Reveal(), err)
			}
		}
	})
}
