package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"waferchat/api/emulator"
)

// served is a serve-demo that runs.
type served struct {
	t   *testing.T
	url string
}

// serveDemo runs the command until the test ends, and wants it to end well.
func (h *home) serveDemo(args ...string) served {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	r, w := io.Pipe()
	done := make(chan result, 1)
	go func() {
		done <- h.start(ctx, nil, w, append([]string{"serve-demo"}, args...)...)
		_ = w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		cancel()
		h.t.Fatalf("%v, %+v", err, <-done)
	}
	h.t.Cleanup(func() {
		cancel()
		if res := <-done; res.status != 0 || !strings.Contains(res.err, "scripted demo") {
			h.t.Errorf("%+v", res)
		}
	})
	return served{h.t, strings.TrimSpace(line)}
}

// post asks, and returns the status and the body.
func (s served) post(body, key string) (int, string) {
	s.t.Helper()
	q, err := http.NewRequest(http.MethodPost, s.url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if key != "" {
		q.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

const asksHello = `{"model":"GLM-5.3","messages":[{"role":"user","content":"hello"}]}`

func TestServeDemoTakesItsProfileKeyAndSeed(t *testing.T) {
	h := newHome(t)
	const empty = `{"model":"any","messages":[{"role":"user","content":null}]}`
	if status, body := h.serveDemo("--profile", "strict").post(empty, ""); status != 400 || !strings.Contains(body, "S5") {
		t.Errorf("strict: %d %s", status, body)
	}
	if status, body := h.serveDemo("--profile", "document").post(asksHello, "anything"); status != 200 || !strings.Contains(body, "chat.completion") {
		t.Errorf("document: %d %s", status, body)
	}
	locked := h.serveDemo("--key", "wfr_only")
	for key, want := range map[string]int{"": 401, "wfr_other": 401, "wfr_only": 200} {
		if status, body := locked.post(asksHello, key); status != want {
			t.Errorf("key %q: %d %s", key, status, body)
		}
	}
	first, same, other := h.serveDemo("--seed", "1"), h.serveDemo("--seed", "1"), h.serveDemo("--seed", "2")
	id := func(s served) string {
		_, body := s.post(asksHello, "")
		_, rest, _ := strings.Cut(body, `"id":"`)
		return rest[:32]
	}
	if a, b, c := id(first), id(same), id(other); a != b || a == c {
		t.Errorf("ids of seeds 1, 1 and 2: %s %s %s", a, b, c)
	}
}

func TestServeDemoReplaysACassette(t *testing.T) {
	h := newHome(t)
	var file bytes.Buffer
	c := emulator.Cassette{Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, End: emulator.EOF,
		Pieces: []emulator.Piece{{Bytes: []byte("data: odd")}, {After: 24 * 3600e9, Bytes: []byte("\n\n")}}}
	if err := emulator.WriteCassette(&file, c); err != nil {
		t.Fatal(err)
	}
	server := h.serveDemo("--cassette", h.write(file.String(), "odd.jsonl"), "--speed", "0")
	for range 2 {
		if status, body := server.post(asksHello, ""); status != 200 || body != "data: odd\n\n" {
			t.Errorf("%d %q", status, body)
		}
	}
}

func TestServeDemoExplainsWrongValues(t *testing.T) {
	h := newHome(t)
	broken := h.write("{\"status\":200}\n{\"after\":1}\n", "broken.jsonl")
	for _, tt := range []struct{ args, want string }{
		{"--profile lax", `--profile is document or strict here, not "lax"`},
		{"--seed -1", "--seed"},
		{"--seed some", "--seed"},
		{"--speed -3", "--speed is a number of tokens a second, 0 or more, not -3"},
		{"--speed NaN", "--speed is a number of tokens a second"},
		{"--speed fast", "--speed"},
		{"--addr 8080", `--addr is HOST:PORT, such as 127.0.0.1:8080, not "8080"`},
		{"--cassette " + h.file("none.jsonl"), "--cassette: "},
		{"--cassette " + broken, "broken.jsonl: read cassette, line 2: "},
		{"--cassette " + broken + " --speed 9", "--cassette has its own time"},
		{"--casette x", "did you mean --cassette?"},
	} {
		h.run(append([]string{"serve-demo"}, strings.Fields(tt.args)...)...).want(t, 2, "", tt.want)
	}
}
