package chat

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waferchat/api"
)

// TestWhatHappenedIsToldTruly: of whatever a server sends instead of an answer,
// nobody says that something of it had arrived.
func TestWhatHappenedIsToldTruly(t *testing.T) {
	elsewhere := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://there.test/v1")
			w.WriteHeader(status)
		}
	}
	body := func(kind, text string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			_, _ = w.Write([]byte(text))
		}
	}
	const sse, text = "text/event-stream", `data: {"choices":[{"index":0,"delta":{"content":"half"},"finish_reason":null}]}` + "\n\n"
	const fault = `data: {"error":{"message":"boom"}}` + "\n\n"
	for _, c := range []struct {
		name           string
		serve          http.HandlerFunc
		answer, models string // how what is said of each begins; "" for no error
		kept           bool
	}{
		{"moved", elsewhere(301), "The server sends the request elsewhere (301). The server redirects to https://there.test/v1", "The server sends the request elsewhere (301).", false},
		{"found", elsewhere(302), "The server sends the request elsewhere (302).", "The server sends the request elsewhere (302).", false},
		{"temporary", elsewhere(307), "The server sends the request elsewhere (307).", "The server sends the request elsewhere (307).", false},
		{"an empty list", body("application/json", "[]"), "What the server sent is no answer of a chat API.", "", false},
		{"plain words", body("text/plain", "It works!"), "What the server sent is no answer of a chat API. Check the base URL; it usually ends in /v1. The server says: “It works!”", "The server sent no list of models.", false},
		{"another object", body("application/json", `{"ok":true}`), "What the server sent is no answer of a chat API.", "The server sent no list of models.", false},
		{"an error object", body("application/json", `{"error":{"message":"boom"}}`), "The server reported an error instead of an answer.", "The server sent no list of models.", false},
		{"an error first", body(sse, fault), "The server reported an error instead of an answer.", "The server sent no list of models.", false},
		{"an error behind words", body(sse, text+fault), "The server reported an error in the middle of the answer. What arrived is kept", "The server sent no list of models.", true},
		{"nothing", body(sse, ""), "The answer ended before it was complete. Nothing of it had arrived", "The server sent no list of models.", false},
		{"half", body(sse, text), "The answer ended before it was complete. What arrived is kept", "The server sent no list of models.", true},
		{"compressed", body(sse, "\x0b\x02\x80hello\x03", "Content-Encoding", "br"), "The server's answer is compressed with br, which waferchat cannot read.", "The server's answer is compressed with br, which waferchat cannot read.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.serve)
			defer server.Close()
			client, err := api.New(api.Options{BaseURL: server.URL, MaxRetries: new(int)})
			if err != nil {
				t.Fatal(err)
			}
			defer client.CloseIdleConnections()
			s := client.Stream(t.Context(), api.Request{Model: "m", Messages: []api.Message{{Role: api.RoleUser, Content: []api.Part{{Text: "hi"}}}}})
			defer s.Close()
			for err == nil {
				_, err = s.Next()
			}
			title, advice := Explain(err)
			if said := title + " " + advice; !strings.HasPrefix(said, c.answer) || strings.Contains(said, "is kept") != c.kept || strings.Contains(said, "hello\x03") {
				t.Errorf("of the answer: %s", said)
			}
			_, err = client.Models(t.Context())
			title, advice = Explain(err)
			if said := title + " " + advice; !strings.HasPrefix(said, c.models) || (err == nil) != (c.models == "") || strings.Contains(said, "is kept") || strings.Contains(said, "answer of") {
				t.Errorf("of the catalogue: %s", said)
			}
		})
	}
}
