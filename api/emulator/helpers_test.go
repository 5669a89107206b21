package emulator

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"
)

// running is a started server with a client of its own.
type running struct {
	*Running
	client *http.Client
}

func start(t *testing.T, o Options) *running {
	t.Helper()
	run, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = run.Close()
	})
	return &running{run, &http.Client{Transport: transport}}
}

// answered is a response read to its end, however that came.
type answered struct {
	status int
	header http.Header
	body   []byte
	err    error // the error of reading the body
}

func (r *running) do(t *testing.T, method, path string, body []byte, header ...string) answered {
	t.Helper()
	q, err := http.NewRequest(method, r.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	res, err := r.client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	return readAll(res)
}

func readAll(res *http.Response) answered {
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return answered{res.StatusCode, res.Header, b, err}
}

func (r *running) post(t *testing.T, body []byte, header ...string) answered {
	t.Helper()
	return r.do(t, http.MethodPost, "/chat/completions", body, header...)
}

func (r *running) get(t *testing.T, path string, header ...string) answered {
	t.Helper()
	return r.do(t, http.MethodGet, path, nil, header...)
}

// ask posts one streamed question; fields are further JSON fields.
func (r *running) ask(t *testing.T, text string, fields ...string) answered {
	t.Helper()
	return r.post(t, question(text, append(fields, `"stream":true`)...))
}

// question is the body of a request with one user message. A field "model"
// among fields wins over the usual one.
func question(text string, fields ...string) []byte {
	model := `"model":"Kimi-K3",`
	for _, f := range fields {
		if strings.HasPrefix(f, `"model"`) {
			model = ""
		}
	}
	return []byte(`{` + model + strings.Join(append(fields, `"messages":[{"role":"user","content":`+string(encode(text))+`}]`), ",") + `}`)
}

// events are the payloads of a stream's data events.
func (a answered) events() []string {
	var out []string
	for e := range strings.SplitSeq(string(a.body), "\n\n") {
		if payload, ok := strings.CutPrefix(e, "data: "); ok {
			out = append(out, payload)
		}
	}
	return out
}

func (a answered) chunks(t *testing.T) []chunk {
	t.Helper()
	var out []chunk
	for _, e := range a.events() {
		var c chunk
		if e == "[DONE]" {
			continue
		}
		if err := json.Unmarshal([]byte(e), &c); err != nil {
			t.Fatalf("%v in %q", err, e)
		}
		out = append(out, c)
	}
	return out
}

// content joins the text of a stream; damaged events are left out.
func (a answered) content() string { return a.join(0, false) }

func (a answered) join(index int, reasoning bool) string {
	var b strings.Builder
	for _, e := range a.events() {
		var c chunk
		_ = json.Unmarshal([]byte(e), &c)
		for _, choice := range c.Choices {
			switch {
			case choice.Index != index:
			case reasoning:
				b.WriteString(choice.Delta.Reasoning)
			case choice.Delta.Content != nil:
				b.WriteString(*choice.Delta.Content)
			}
		}
	}
	return b.String()
}

func (a answered) finish() string {
	for _, e := range a.events() {
		var c chunk
		_ = json.Unmarshal([]byte(e), &c)
		for _, choice := range c.Choices {
			if choice.Finish != nil {
				return *choice.Finish
			}
		}
	}
	return ""
}

func (a answered) usage(t *testing.T) usage {
	t.Helper()
	for _, c := range a.chunks(t) {
		if c.Usage != nil {
			return *c.Usage
		}
	}
	t.Fatalf("no usage in %s", a.body)
	return usage{}
}

type envelope struct {
	Error struct {
		Type, Code, Message, Param string
		RequestID                  string `json:"request_id"`
		DocsURL                    string `json:"docs_url"`
	}
}

func (a answered) envelope(t *testing.T) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(a.body, &e); err != nil || e.Error.Message == "" || e.Error.RequestID != a.header.Get("X-Request-Id") {
		t.Errorf("no envelope (%v): %s", err, a.body)
	}
	return e
}

// pngBytes is a picture of one colour.
func pngBytes(t *testing.T, w, h int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.Set(i%w, i/w, color.RGBA{220, 30, 30, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
