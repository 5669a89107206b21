package openai_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3/option"

	"waferchat/api/emulator"
)

func TestTheCatalogueIsListed(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		page, err := s.client.Models.List(t.Context())
		if err != nil {
			t.Fatal(describe(err))
		}
		if page.Object != "list" || len(page.Data) == 0 {
			t.Fatalf("not a list of models: %s", page.RawJSON())
		}
		var ids, paged []string
		for _, m := range page.Data {
			ids = append(ids, m.ID)
			if m.ID == "" || m.Object != "model" || !m.JSON.Created.Valid() || !m.JSON.OwnedBy.Valid() {
				t.Errorf("no model to the client: %s", m.RawJSON())
			}
		}
		pager := s.client.Models.ListAutoPaging(t.Context())
		for pager.Next() {
			paged = append(paged, pager.Current().ID)
		}
		if pager.Err() != nil || !slices.Equal(paged, ids) {
			t.Errorf("page by page %q (%v), at once %q", paged, pager.Err(), ids)
		}
		// The models that the document names.
		for _, id := range []string{glm, "GLM-5.3-Flash", kimi, "Qwen3.8-27B", "DeepSeek-V4-Pro", "DeepSeek-V4-Flash-0731-Fast"} {
			if !slices.Contains(ids, id) {
				t.Errorf("no %s among %q", id, ids)
			}
		}
	})
}

func TestEveryModelOfTheCatalogueAnswers(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		for _, c := range s.cards(t) {
			if got := s.complete(t, ask(c.ID, "Hello there")); got.Model != c.ID || got.Choices[0].Message.Content == "" {
				t.Errorf("%s answers as %s: %q", c.ID, got.Model, got.Choices[0].Message.Content)
			}
		}
	})
}

// What OpenAI's cards do not have reaches the caller untouched.
func TestExtraFieldsOfACardAreKept(t *testing.T) {
	const bare = `{"id":"Bare-1","object":"model","created":1,"owned_by":"wafer","of_tomorrow":{"deeply":[1,2]}}`
	s := start(t, emulator.Options{Cards: []json.RawMessage{json.RawMessage(bare)}})
	page, err := s.client.Models.List(t.Context())
	if err != nil {
		t.Fatal(describe(err))
	}
	for _, m := range page.Data[:len(page.Data)-1] {
		var wafer struct {
			Context int                        `json:"context_length"`
			Pricing map[string]any             `json:"pricing"`
			Can     map[string]json.RawMessage `json:"capabilities"`
		}
		if err := json.Unmarshal([]byte(m.JSON.ExtraFields["wafer"].Raw()), &wafer); err != nil {
			t.Errorf("%s: %v in %s", m.ID, err, m.RawJSON())
		}
		if wafer.Context < 1 || wafer.Pricing["input_cents_per_million"] == nil || wafer.Can["reasoning_effort"] == nil {
			t.Errorf("%s: wafer is %s", m.ID, m.JSON.ExtraFields["wafer"].Raw())
		}
	}
	last := page.Data[len(page.Data)-1]
	if got := last.JSON.ExtraFields["of_tomorrow"].Raw(); last.ID != "Bare-1" || got != `{"deeply":[1,2]}` {
		t.Errorf("the last card is %s", last.RawJSON())
	}
	if _, ok := last.JSON.ExtraFields["wafer"]; ok {
		t.Errorf("the bare card has a wafer object: %s", last.RawJSON())
	}
	s.complete(t, ask("bare-1", "Hello there"))
}

// The catalogue is public, but a wrong key is refused.
func TestTheCatalogueNeedsNoKeyButNoWrongOne(t *testing.T) {
	s := start(t, emulator.Options{})
	if page, err := s.client.Models.List(t.Context(), option.WithHeaderDel("Authorization")); err != nil || len(page.Data) == 0 {
		t.Errorf("without a key: %v", err)
	}
	_, err := s.client.Models.List(t.Context(), option.WithAPIKey("wfr_of_nobody"))
	checkError(t, apiError(t, err), wanted{http.StatusUnauthorized, "authentication_error", "invalid_api_key", ""})
}
