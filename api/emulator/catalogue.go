package emulator

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// rosterJSON holds the cards of the models that the documentation knew in
// September 2026. Creation dates, descriptions and the flags n, regex, grammar
// and logprobs are not documented and chosen for variety.
//
//go:embed roster.json
var rosterJSON []byte

// card is what the answers need to know of a catalogue card. A card without
// the wafer object leaves everything at "no" and "unknown".
type card struct {
	raw   json.RawMessage
	ID    string `json:"id"`
	ZDR   bool   `json:"zdr_supported"`
	Wafer struct {
		Context      int `json:"context_length"`
		MaxOutput    int `json:"max_output_tokens"`
		Capabilities struct {
			Vision bool `json:"vision"`
			Effort struct {
				Efforts []string `json:"efforts"`
				Default string   `json:"default"`
			} `json:"reasoning_effort"`
			Chat struct {
				N        bool  `json:"n"`
				Regex    bool  `json:"regex"`
				Grammar  bool  `json:"grammar"`
				Logprobs *bool `json:"logprobs"` // nil: unknown, then they are given
			} `json:"chat_completions"`
		} `json:"capabilities"`
	} `json:"wafer"`
}

func roster(extra []json.RawMessage) []card {
	var raw []json.RawMessage
	mustDecode(rosterJSON, &raw)
	var cards []card
	for _, r := range append(raw, extra...) {
		c := card{raw: r}
		mustDecode(r, &c)
		cards = append(cards, c)
	}
	return cards
}

func mustDecode(b []byte, v any) {
	if err := json.Unmarshal(b, v); err != nil {
		panic("emulator: bad catalogue card: " + err.Error())
	}
}

// find looks a model up; ids are case-insensitive. The strict profile takes
// any name, so that its rules on names can be tried.
func (s *Server) find(id string) (card, bool) {
	i := slices.IndexFunc(s.cards, func(c card) bool { return strings.EqualFold(c.ID, id) })
	if i >= 0 {
		return s.cards[i], true
	}
	if s.o.Profile != Strict {
		return card{}, false
	}
	c := card{ID: id, ZDR: true}
	c.Wafer.Capabilities.Vision = true
	return c, true
}

// effortOrder is every documented effort, from the least on.
func effortOrder() []string { return []string{"none", "low", "medium", "high", "xhigh", "max"} }

// runs returns the effort that the model runs at when a request asks for
// wanted: the default for "", a listed effort, or the nearest one. Reasoning
// that was asked for is never turned off, nor the other way round.
func (c card) runs(wanted string) string {
	e := c.Wafer.Capabilities.Effort
	switch {
	case len(e.Efforts) == 0:
		return "none"
	case wanted == "":
		return e.Default
	case wanted == "enabled" && e.Default != "none":
		return e.Default
	case wanted == "enabled":
		wanted = "low"
	}
	if slices.Contains(e.Efforts, wanted) || wanted == "none" {
		return wanted
	}
	order := effortOrder()
	at := slices.Index(order, wanted)
	best, distance := "none", len(order)
	for _, have := range e.Efforts {
		i := slices.Index(order, have)
		if d := max(i-at, at-i); have != "none" && d <= distance {
			best, distance = have, d
		}
	}
	return best
}

// thinksInSecret tells whether the model spends output tokens on reasoning
// that it does not show when told "none", as the document says of GLM-5.3 and
// GLM-5.3-Flash.
func (c card) thinksInSecret() bool { return c.ID == "GLM-5.3" || c.ID == "GLM-5.3-Flash" }

// extraRoom is what the document says Wafer adds to max_tokens on two models
// when reasoning is on.
func (c card) extraRoom() int {
	if c.ID == "DeepSeek-V4-Flash-0731-Fast" || c.ID == "DeepSeek-V4-Pro" {
		return 24576
	}
	return 0
}
