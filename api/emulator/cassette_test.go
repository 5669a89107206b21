package emulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

const tape = `{"status":203,"headers":{"content-type":["text/event-stream"],"X-Request-Id":["req_0123456789ab"],"Transfer-Encoding":["chunked"],"Content-Length":["3"]},"request":{"method":"POST","path":"/v1/chat/completions","body":"{}"}}

{"bytes":"data: h"}
{"after_ms":12.5,"base64":"w6k="}
{"base64":"8J+Y"}
{"after_ms":1000,"bytes":"\n\n"}
{"after_ms":60000,"end":"eof"}
`

func TestCassetteReplaysWhatAServerSent(t *testing.T) {
	c, err := ReadCassette(strings.NewReader(tape))
	if err != nil {
		t.Fatal(err)
	}
	if want := (RecordedRequest{"POST", "/v1/chat/completions", "{}"}); c.Request == nil || *c.Request != want {
		t.Errorf("request %+v", c.Request)
	}
	for name, tt := range map[string]struct {
		reply Reply
		slept string
	}{
		"in its own time": {c.Reply(), "[12.5ms 1s 1m0s]"},
		"at once":         {c.ReplyAtOnce(), "[]"},
	} {
		slept := []time.Duration{}
		run := start(t, Options{Sleep: func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }})
		run.ScriptRest(tt.reply)
		run.Script(Stream(C("first in the queue"), D))
		if got := run.ask(t, "x").content(); got != "first in the queue" {
			t.Errorf("%s: the queue goes first, got %q", name, got)
		}
		for range 2 {
			slept = []time.Duration{}
			a := run.ask(t, "x")
			if a.status != 203 || string(a.body) != "data: hé\xf0\x9f\x98\n\n" || a.header.Get("Content-Type") != "text/event-stream" || a.header.Get("X-Request-Id") != "req_0123456789ab" || a.err != nil {
				t.Errorf("%s: %d %v %q %v", name, a.status, a.header, a.body, a.err)
			}
			if got := fmt.Sprint(slept); got != tt.slept {
				t.Errorf("%s: slept %s", name, got)
			}
		}
	}
}

func TestCassetteEndsAsTheServerDid(t *testing.T) {
	run := start(t, Options{})
	for end, want := range map[string]string{"eof": "", "rst": "reset"} {
		c, err := ReadCassette(strings.NewReader("{\"status\":200}\n{\"bytes\":\"half\"}\n{\"end\":\"" + end + "\"}"))
		if err != nil {
			t.Fatal(err)
		}
		run.Script(c.Reply())
		a := run.ask(t, "x")
		if string(a.body) != "half" || want == "" != (a.err == nil) || a.err != nil && !strings.Contains(a.err.Error(), want) {
			t.Errorf("%s: %q, %v", end, a.body, a.err)
		}
	}
}

func TestBrokenCassettesAreExplainedByTheirLine(t *testing.T) {
	const head, end = "{\"status\":200}\n", "{\"end\":\"eof\"}\n"
	for text, want := range map[string]string{
		"":                                                "line 1: it stops without an end",
		head + "{\"bytes\":\"a\"}\n":                      "line 3: it stops without an end",
		head + "\n{\"bytes\":\n":                          "line 3: decode",
		head + "[]\n":                                     "line 2: decode",
		head + "{\"bytes\":7}\n":                          "line 2: decode",
		head + "{\"after\":7}\n":                          "line 2: decode",
		head + "{\"bytes\":\"a\"} {}\n":                   "line 2: more than one object",
		"{\"bytes\":\"a\"}\n":                             "line 1: the first line must have the status",
		"{\"headers\":{}}\n":                              "line 1: the first line must have the status",
		"{\"status\":99}\n":                               "line 1: the status 99",
		"{\"status\":200,\"end\":\"eof\"}\n":              "line 1: status, headers and request",
		"{\"status\":200,\"headers\":{\"a b\":[]}}":       "line 1: the header",
		"{\"status\":200,\"headers\":{\"a\":[\"b\\n\"]}}": "line 1: the header",
		head + head:                                       "line 2: only the first line",
		head + "{}\n":                                     "line 2: one of bytes, base64 and end",
		head + "{\"after_ms\":3}\n":                       "line 2: one of bytes, base64 and end",
		head + "{\"bytes\":\"a\",\"base64\":\"\"}":        "line 2: one of bytes, base64 and end",
		head + "{\"base64\":\"!\"}\n":                     "line 2: decode base64",
		head + "{\"after_ms\":-1,\"bytes\":\"\"}\n":       "line 2: after_ms -1",
		head + "{\"after_ms\":1e300,\"bytes\":\"\"}":      "line 2: after_ms 1e+300",
		head + "{\"end\":\"bang\"}\n":                     "line 2: the end \"bang\"",
		head + end + end:                                  "line 3: something stands behind the end",
	} {
		if _, err := ReadCassette(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), "read cassette, "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	broken := errors.New("the disk is gone")
	if _, err := ReadCassette(io.MultiReader(strings.NewReader(head), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestRecorderKeepsAnAnswerAsItCame(t *testing.T) {
	now := time.Unix(1790793243, 0)
	var file bytes.Buffer
	r := NewRecorder(&file, func() time.Time { return now })
	if _, err := r.Write([]byte("too early")); err == nil {
		t.Error("a piece before the beginning is taken")
	}
	header := http.Header{"Content-Type": {"text/event-stream"}, "Set-Cookie": {"secret=1"}}
	if err := r.Begin(200, header, &RecordedRequest{Method: "POST", Path: "/v1/chat/completions"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Begin(200, nil, nil); err == nil {
		t.Error("an answer begins twice")
	}
	now = now.Add(1500 * time.Microsecond)
	body := io.TeeReader(io.MultiReader(strings.NewReader("data: <&>\n\n"), strings.NewReader(""), strings.NewReader("\xff\x00")), r)
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second)
	if err := r.Close(RST); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(EOF); err == nil {
		t.Error("an answer ends twice")
	}
	want := `{"status":200,"headers":{"Content-Type":["text/event-stream"]},"request":{"method":"POST","path":"/v1/chat/completions"}}
{"after_ms":1.5,"bytes":"data: <&>\n\n"}
{"after_ms":0,"base64":"/wA="}
{"after_ms":1000,"end":"rst"}
`
	if file.String() != want || header.Get("Set-Cookie") == "" {
		t.Errorf("recorded %s", file.String())
	}
	broken := errors.New("the disk is full")
	if err := NewRecorder(failing{broken}, nil).Begin(200, nil, nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// What was read is written so that it is read as the same again.
func FuzzCassetteIsReadAndWrittenAlike(f *testing.F) {
	f.Add(tape)
	f.Add("{\"status\":500}\n{\"end\":\"hang\"}")
	f.Add("{\"status\":200}\n{\"after_ms\":0.001,\"bytes\":\"\\ud800\"}\n{\"end\":\"rst\",\"after_ms\":3}")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadCassette(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteCassette(&b, c); err != nil {
			t.Fatal(err)
		}
		again, err := ReadCassette(&b)
		if err != nil {
			t.Fatalf("%v in %s", err, b.String())
		}
		if got, want := Bytes(again.ReplyAtOnce().Steps...), Bytes(c.ReplyAtOnce().Steps...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if again.Status != c.Status || again.End != c.End || !reflect.DeepEqual(again.Request, c.Request) {
			t.Errorf("%+v, want %+v", again, c)
		}
	})
}
