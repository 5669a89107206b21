package openai_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

func zeroRetention() option.RequestOption { return option.WithHeader("Wafer-ZDR", "required") }

func TestZeroDataRetentionWhereTheCardSaysSo(t *testing.T) {
	s := start(t, emulator.Options{})
	for _, c := range s.cards(t) {
		p := ask(c.ID, "Hello there")
		if c.ZDR {
			s.complete(t, p, zeroRetention())
			s.listenWell(t, p, zeroRetention())
			continue
		}
		want := wanted{http.StatusUnprocessableEntity, "", "model_zdr_not_supported", ""}
		checkError(t, s.refused(t, p, zeroRetention()), want)
		checkError(t, apiError(t, s.listen(t, p, zeroRetention()).err), want)
		s.complete(t, p) // without the header it answers
	}
	requests := s.emulator.Requests()
	if got := requests[1].Header.Get("Wafer-ZDR"); got != "required" {
		t.Errorf("the header arrived as %q", got)
	}
}

func TestEveryAnswerHasARequestID(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		ofTheServer := regexp.MustCompile("^req_[0-9a-f]{12}$")
		seen := map[string]bool{}
		for _, question := range []string{"Hello there", "error 500", "error 502", "Hello there"} {
			var res *http.Response
			_, _ = s.client.Chat.Completions.New(t.Context(), ask(kimi, question), option.WithResponseInto(&res))
			if id := res.Header.Get("X-Request-Id"); !ofTheServer.MatchString(id) || seen[id] {
				t.Errorf("%s: the request id is %q", question, id)
			} else {
				seen[id] = true
			}
		}
	})
}

func TestOnesOwnRequestIDComesBackMarked(t *testing.T) {
	s := start(t, emulator.Options{})
	own := option.WithHeader("X-Request-Id", "turn-7")
	var res *http.Response
	s.complete(t, ask(kimi, "Hello there"), own, option.WithResponseInto(&res))
	if id := res.Header.Get("X-Request-Id"); id != "client_turn-7" {
		t.Errorf("the id of an answer is %q", id)
	}
	e := s.refused(t, ask(kimi, "error 500"), own)
	if got := text(t, e.JSON.ExtraFields["request_id"].Raw()); got != "client_turn-7" {
		t.Errorf("the id in an error is %q", got)
	}
	if _, err := s.client.Models.List(t.Context(), own, option.WithResponseInto(&res)); err != nil || res.Header.Get("X-Request-Id") != "client_turn-7" {
		t.Errorf("the id of the catalogue is %q (%v)", res.Header.Get("X-Request-Id"), err)
	}
}

func TestTheKeyMayComeInEitherHeader(t *testing.T) {
	s := start(t, emulator.Options{})
	bare := option.WithHeaderDel("Authorization")
	s.complete(t, ask(kimi, "Hello there"), bare, option.WithHeader("X-Api-Key", key))
	e := s.refused(t, ask(kimi, "Hello there"), bare, option.WithHeader("X-Api-Key", "wfr_of_nobody"))
	checkError(t, e, wanted{http.StatusUnauthorized, "authentication_error", "invalid_api_key", ""})
	missing := s.refused(t, ask(kimi, "Hello there"), bare)
	for _, name := range []string{"Authorization: Bearer", "x-api-key"} {
		if !strings.Contains(missing.Message, name) {
			t.Errorf("%q does not name %s", missing.Message, name)
		}
	}
}

func TestAnswersSayWhatTheyAre(t *testing.T) {
	s := start(t, emulator.Options{})
	var res *http.Response
	s.complete(t, ask(kimi, "Hello there"), option.WithResponseInto(&res))
	if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("a whole answer is %q", got)
	}
	s.listenWell(t, ask(kimi, "Hello there"), option.WithResponseInto(&res))
	if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("a stream is %q", got)
	}
}
