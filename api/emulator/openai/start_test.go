package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

// key is the only key that the emulator of a test takes.
const key = "wfr_only_for_tests"

const (
	// kimi sees images, honours the sampling fields and does not reason unless
	// asked to.
	kimi = "Kimi-K3"
	// glm has no vision and reasons by default.
	glm = "GLM-5.3"
)

// service is a running emulator and the official client that talks to it.
type service struct {
	emulator *emulator.Running
	client   openai.Client
}

// start runs an emulator for the length of the test. The client tries every
// request once; opts come after all other options.
func start(t *testing.T, o emulator.Options, opts ...option.RequestOption) service {
	t.Helper()
	o.Key = key
	run, err := emulator.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	usual := []option.RequestOption{
		option.WithBaseURL(run.URL), option.WithAPIKey(key), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: transport}),
	}
	return service{run, openai.NewClient(append(usual, opts...)...)}
}

// inBothProfiles runs a test against the emulator that follows the document
// and against the one that is as picky as the pickiest servers.
func inBothProfiles(t *testing.T, test func(t *testing.T, s service)) {
	for _, p := range []emulator.Profile{emulator.Document, emulator.Strict} {
		t.Run(string(p), func(t *testing.T) { test(t, start(t, emulator.Options{Profile: p})) })
	}
}

// ask is a request with one question.
func ask(model, text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

// complete sends a request that must succeed with at least one choice.
func (s service) complete(t *testing.T, p openai.ChatCompletionNewParams, opts ...option.RequestOption) *openai.ChatCompletion {
	t.Helper()
	c, err := s.client.Chat.Completions.New(t.Context(), p, opts...)
	if err != nil {
		t.Fatal(describe(err))
	}
	if len(c.Choices) == 0 {
		t.Fatalf("no choices in %s", c.RawJSON())
	}
	return c
}

// refused sends a request that must fail with an error of the API.
func (s service) refused(t *testing.T, p openai.ChatCompletionNewParams, opts ...option.RequestOption) *openai.Error {
	t.Helper()
	c, err := s.client.Chat.Completions.New(t.Context(), p, opts...)
	if err == nil {
		t.Fatalf("the request was answered: %s", c.RawJSON())
	}
	return apiError(t, err)
}

func apiError(t *testing.T, err error) *openai.Error {
	t.Helper()
	var e *openai.Error
	if !errors.As(err, &e) {
		t.Fatalf("no error of the API but %T: %v", err, err)
	}
	return e
}

// describe adds the body of an API error, which the client's own text hides.
func describe(err error) string {
	var e *openai.Error
	if errors.As(err, &e) {
		return e.Error() + ": " + e.RawJSON()
	}
	return err.Error()
}

// card is what the tests want to know of a catalogue card.
type card struct {
	ID    string `json:"id"`
	ZDR   bool   `json:"zdr_supported"`
	Wafer struct {
		Context      int `json:"context_length"`
		MaxOutput    int `json:"max_output_tokens"`
		Capabilities struct {
			Vision bool            `json:"vision"`
			Chat   map[string]bool `json:"chat_completions"`
			Effort struct {
				Efforts []string `json:"efforts"`
				Default string   `json:"default"`
			} `json:"reasoning_effort"`
		} `json:"capabilities"`
	} `json:"wafer"`
}

// cards reads the catalogue with the official client.
func (s service) cards(t *testing.T) []card {
	t.Helper()
	page, err := s.client.Models.List(t.Context())
	if err != nil {
		t.Fatal(describe(err))
	}
	var out []card
	for _, m := range page.Data {
		var c card
		if err := json.Unmarshal([]byte(m.RawJSON()), &c); err != nil {
			t.Fatalf("card %s: %v", m.ID, err)
		}
		out = append(out, c)
	}
	return out
}

// model is the id of the first model in the catalogue that fits.
func (s service) model(t *testing.T, fits func(card) bool) string {
	t.Helper()
	for _, c := range s.cards(t) {
		if fits(c) {
			return c.ID
		}
	}
	t.Fatal("the catalogue has no model for this test")
	return ""
}

// can tells whether a card has a flag of capabilities.chat_completions.
func can(flag string) func(card) bool {
	return func(c card) bool { return c.Wafer.Capabilities.Chat[flag] }
}

func cannot(flag string) func(card) bool {
	return func(c card) bool { return !c.Wafer.Capabilities.Chat[flag] }
}
