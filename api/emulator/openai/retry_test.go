package openai_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

// retrying is an emulator in memory and a client that tries three times, as
// the official one does of itself. It is for bubbles with a fake clock.
func retrying() service {
	server := emulator.New(emulator.Options{Key: key})
	client := openai.NewClient(
		option.WithBaseURL("http://emulator.invalid/v1"), option.WithAPIKey(key),
		option.WithHTTPClient(&http.Client{Transport: server.RoundTripper()}),
	)
	return service{&emulator.Running{Server: server}, client}
}

// tries are the numbers of retries that the client put into its requests.
func (s service) tries() []string {
	var out []string
	for _, r := range s.emulator.Requests() {
		out = append(out, r.Header.Get("X-Stainless-Retry-Count"))
	}
	return out
}

func TestTheWaitOfARateLimitIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := retrying()
		begun := time.Now()
		if c := s.complete(t, ask(kimi, "error 429")); c.Choices[0].FinishReason != "stop" {
			t.Errorf("answered %s", c.RawJSON())
		}
		if waited := time.Since(begun); waited != 2*time.Second {
			t.Errorf("two waits of a second took %v", waited)
		}
		if got := s.tries(); !slices.Equal(got, []string{"0", "1", "2"}) {
			t.Errorf("tries %q", got)
		}
	})
}

func TestStreamsAreRetriedBeforeTheyBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := retrying()
		s.emulator.Script(emulator.Err(http.StatusInternalServerError, "internal_error", "Once only."), emulator.RetryAfter(30))
		begun := time.Now()
		h := s.listenWell(t, ask(kimi, "Hello there"))
		if h.Choices[0].FinishReason != "stop" || len(s.tries()) != 3 || time.Since(begun) < 30*time.Second {
			t.Errorf("finish reason %q after %d tries and %v", h.Choices[0].FinishReason, len(s.tries()), time.Since(begun))
		}
	})
}

func TestAnOverloadedServerIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := retrying()
		s.complete(t, ask(kimi, "error 503"))
		if got := s.tries(); len(got) != 3 {
			t.Errorf("tries %q", got)
		}
	})
}

func TestWhatIsWrongStaysWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := retrying()
		for _, question := range []string{"error 400", "error 401", "error 402", "error 403", "error 404", "error 413", "error 422"} {
			s.refused(t, ask(kimi, question))
		}
		if got := s.tries(); len(got) != 7 || slices.ContainsFunc(got, func(n string) bool { return n != "0" }) {
			t.Errorf("tries %q", got)
		}
	})
}

// With no retries left the error tells how long to wait.
func TestARateLimitSaysHowLongToWait(t *testing.T) {
	s := start(t, emulator.Options{})
	s.emulator.Script(emulator.RetryAfter(7))
	e := s.refused(t, ask(kimi, "scripted"))
	checkError(t, e, wanted{http.StatusTooManyRequests, "rate_limit_error", "rate_limit_exceeded", ""})
	if got := e.Response.Header.Get("Retry-After"); got != "7" {
		t.Errorf("Retry-After is %q", got)
	}
	if got := s.tries(); len(got) != 1 {
		t.Errorf("tries %q", got)
	}
}
