package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheRequestIDComesFromTheHeaderFirst(t *testing.T) {
	client, _ := newTestClient(t, noRetries, refused(400, `{"error":{"message":"x","request_id":"body"}}`, "X-Request-Id: req_header"))
	e := asError[*Error](t, read(client.Stream(t.Context(), hello())).err)
	if e.RequestID != "req_header" || e.Error() != "400: x (request req_header)" {
		t.Errorf("%q", e.Error())
	}
	client, _ = newTestClient(t, noRetries, refused(400, `{"error":{"message":"x","request_id":"req_body"}}`))
	if e = asError[*Error](t, read(client.Stream(t.Context(), hello())).err); e.RequestID != "req_body" {
		t.Errorf("%q without a header", e.Error())
	}
}

func TestWhatIsNoErrorIsNone(t *testing.T) {
	for _, value := range []string{"null", `""`, "false", "{}", "[]"} {
		wantText(t, play(t, raw(`{"choices":[],"error":`+value+`}`)+textFrame("fine")+finishFrame("stop")+doneFrame), "fine")
	}
	wantText(t, play(t, textFrame("fine")+finishFrame("stop")+"trailing words\n"), "fine")
}

func TestAWebPageInsteadOfAnAnswerIsNamedAsOne(t *testing.T) {
	page := "<!doctype html><html><title>Log in</title>Ray ID: 123" + strings.Repeat("<p>x</p>", 300000)
	for _, contentType := range []string{"text/html", "text/event-stream", "", "text/plain", "application/json"} {
		client, server := newTestClient(t, Options{}, answer(200, []string{"Content-Type: " + contentType}, page))
		e := asError[*Error](t, read(client.Stream(t.Context(), hello())).err)
		if !e.HTML || e.Status != 200 || e.Message != "Log in" || strings.Contains(e.Error(), "Ray") || server.count() != 1 {
			t.Errorf("%s: %+v, %d requests", contentType, e, server.count())
		}
	}
}

func TestAWholeAnswerToAStreamedRequestIsRead(t *testing.T) {
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "", "text/event-stream"} {
		client, _ := newTestClient(t, noRetries, answer(200, []string{"Content-Type: " + contentType}, "\n\n\n"+documentResponse))
		o := read(client.Stream(t.Context(), hello()))
		wantText(t, o, "Wafer Serverless is pay-per-token access to Wafer-hosted models.")
		if o.finish != "stop" || o.usage == nil {
			t.Errorf("%q: finish %q usage %v", contentType, o.finish, o.usage)
		}
	}
	client, _ := newTestClient(t, noRetries, answer(200, []string{"Content-Type: application/json"}, documentResponse[:200]))
	asError[*InterruptedError](t, read(client.Stream(t.Context(), hello())).err)
	client, _ = newTestClient(t, noRetries, answer(200, []string{"Content-Type: application/json"}, `{"error":{"message":"no"}}`))
	asError[*Error](t, read(client.Stream(t.Context(), hello())).err)
}

func TestAStreamAnnouncedAsJSONIsRead(t *testing.T) {
	client, _ := newTestClient(t, noRetries, answer(200, []string{"Content-Type: application/json"}, ": ping\n\n", documentStream))
	wantText(t, read(client.Stream(t.Context(), hello())), "1, 2, 3, 4, 5")
}

func TestAStreamForAWholeRequestIsRead(t *testing.T) {
	client, _ := newTestClient(t, noRetries, events(documentStream))
	got, err := client.Complete(t.Context(), hello())
	if err != nil || got.Choices[0].Message.Content[0].Text != "1, 2, 3, 4, 5" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestReasoningOfAWholeAnswerIsRead(t *testing.T) {
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_text", "thinking"} {
		body := fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":"42","%s":"We"},"finish_reason":"stop"}]}`, field)
		client, _ := newTestClient(t, noRetries, answer(200, []string{"Content-Type: application/json"}, body))
		got, err := client.Complete(t.Context(), hello())
		if err != nil {
			t.Fatal(err)
		}
		if m := got.Choices[0].Message; m.Reasoning == nil || *m.Reasoning != "We" || m.ReasoningField != field || m.Content[0].Text != "42" {
			t.Errorf("%+v", m)
		}
	}
}

func TestAKeyIsNeverInAnError(t *testing.T) {
	const secret = "sk-SECRET-123456"
	own := Key("plainsecret-without-prefix")
	for name, r := range map[string]reply{
		"in the message": refused(401, `{"error":{"message":"Incorrect API key provided: `+secret+` and `+own.Reveal()+`","code":"`+secret+`","param":"`+own.Reveal()+`"}}`),
		"echoed headers": refused(500, "Authorization: Bearer "+own.Reveal()+"\nX: wfr_abcdefghijkl"),
		"in a stream":    events(textFrame("a") + raw(`{"error":{"message":"key `+secret+` `+own.Reveal()+`"}}`)),
		"request id":     refused(400, `{"error":{"message":"x"}}`, "X-Request-Id: "+secret),
		"redirect":       refused(307, "", "Location: https://user:"+secret+"@evil.test/v1?key="+own.Reveal()),
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := newTestClient(t, Options{Key: own, MaxRetries: new(int)}, r)
			err := read(client.Stream(t.Context(), hello())).err
			text := fmt.Sprintf("%v %+v %#v", err, err, err)
			var e *Error
			if errors.As(err, &e) {
				text += fmt.Sprintf("%+v", *e)
			}
			for _, s := range []string{"SECRET", own.Reveal(), "abcdefghijkl"} {
				if strings.Contains(text, s) {
					t.Errorf("%q in %s", s, text)
				}
			}
		})
	}
}

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	for _, s := range []string{strings.Repeat("🔑", 400), strings.Repeat("가", 301), strings.Repeat("x", 299) + "🔑🔑"} {
		got := scrub(s, "", maxErrorText)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxErrorText+1 || !strings.HasSuffix(got, "…") {
			t.Errorf("%d characters, valid %t", utf8.RuneCountInString(got), utf8.ValidString(got))
		}
	}
	if got := scrub("model ollama/sk-small not found", "ollama", 300); got != "model ollama/sk-small not found" {
		t.Errorf("words were masked: %q", got)
	}
}

func TestEachErrorIsOneGoodLine(t *testing.T) {
	for want, err := range map[string]error{
		"429 rate_limit_exceeded: Slow down (request req_1)": &Error{Status: 429, Code: "rate_limit_exceeded", Message: "Slow down", RequestID: "req_1"},
		"503: overloaded":        &Error{Status: 503, Code: "503", Message: "overloaded"},
		"server error 503: busy": &Error{Status: 200, Code: "503", Message: "busy"},
		"server error: boom":     &Error{Status: 200, Message: "boom"},
		"400: api_error":         &Error{Status: 400, Type: "api_error"},
		`502: the server answered with a web page, check the base URL and the proxy ("Bad gateway")`: &Error{Status: 502, HTML: true, Message: "Bad gateway"},
		"answer interrupted: the server ended the answer early (request req_1)":                      &InterruptedError{Cause: io.ErrUnexpectedEOF, RequestID: "req_1"},
		"answer interrupted: the server fell silent":                                                 &InterruptedError{Cause: ErrIdle},
		"answer interrupted: connection lost: unexpected EOF":                                        &InterruptedError{Cause: lost(io.ErrUnexpectedEOF)},
		"answer interrupted: the connection was lost while this machine slept":                       &InterruptedError{Cause: ErrAsleep},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

func TestOnlyWhatPassesIsRetryable(t *testing.T) {
	for _, status := range []int{408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529} {
		if e := (&Error{Status: status}); !e.Retryable() {
			t.Errorf("%d is not retryable", status)
		}
	}
	for _, status := range []int{301, 307, 400, 401, 402, 403, 404, 405, 413, 422} {
		if e := (&Error{Status: status}); e.Retryable() {
			t.Errorf("%d is retryable", status)
		}
	}
	for want, list := range map[bool][]Error{
		false: {
			{Status: 429, Code: "insufficient_quota", Message: "quota used up"},
			{Status: 429, Type: "insufficient_quota"},
			{Status: 429, Code: "billing_hard_limit_reached"},
			{Status: 429, Message: "You exceeded your current quota, please check your plan and billing details."},
			{Status: http.StatusOK, Message: "boom"},
			{Status: http.StatusOK, Code: "context_length_exceeded"},
			{Status: http.StatusOK, Code: "400"},
			{Status: http.StatusOK, HTML: true},
			{Status: http.StatusNotFound, HTML: true},
		},
		true: {
			{Status: 429, Message: "Quota exceeded: 100 requests/minute"},
			{Status: 429, Code: "ttfb_gate_shed"},
			{Status: http.StatusOK, Code: "503"},
			{Status: http.StatusOK, Type: "server_error"},
			{Status: http.StatusOK, Type: "overloaded_error"},
			{Status: http.StatusBadGateway, HTML: true},
		},
	} {
		for _, e := range list {
			if e.Retryable() != want {
				t.Errorf("%+v: %t", e, !want)
			}
		}
	}
}
