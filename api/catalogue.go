package api

import (
	"strings"
	"time"
)

// Support is a capability of a model that the catalogue may not mention.
type Support string

// The three values of Support. The zero value is unknown.
const (
	Unknown Support = ""
	Yes     Support = "yes"
	No      Support = "no"
)

// Catalogue is the list of models a server offers, in the server's order.
type Catalogue []Model

// Model is one card of the catalogue. Only ID is certain; every other field
// has a zero value that means "not said".
type Model struct {
	ID          string
	DisplayName string
	Description string
	// ContextLength and MaxOutputTokens are in tokens, 0 when unknown.
	ContextLength   int64
	MaxOutputTokens int64
	Vision          Support
	Tools           Support
	Reasoning       Support
	ZDR             Support
	// Efforts are the reasoning efforts the model lists, DefaultEffort the one
	// it uses when a request sets none.
	Efforts       []string
	DefaultEffort string
	// EffortControl is how efforts reach the model, as the card says it:
	// "system_prompt" or "native_effort".
	EffortControl string
	// JSONObject, ToolsWithFormat, JSONSchema, N, Regex, Grammar and Logprobs come from
	// wafer.capabilities.chat_completions.
	JSONObject      Support
	JSONSchema      Support
	ToolsWithFormat Support
	N               Support
	Regex           Support
	Grammar         Support
	Logprobs        Support
	// OwnedBy, Provider and Tier are the card's own words. Disabled is why the
	// model is listed but out of service, "" when it is not.
	OwnedBy  string
	Provider string
	Tier     string
	Disabled string
	// Created is when the model was released, zero when the card does not say.
	Created time.Time
	// Prices is nil when the card has none.
	Prices *Prices
}

// Prices are in micro-cents (1/1,000,000 of a US cent) per 1,000,000 tokens,
// as Wafer's cards give them. A nil price is unknown.
type Prices struct {
	Input     *int64 `json:"input,omitempty"`
	Output    *int64 `json:"output,omitempty"`
	CacheRead *int64 `json:"cache_read,omitempty"`
}

// Find returns the model with this id. Ids are compared case-folded, as the
// API's document says; the result has the catalogue's spelling.
func (c Catalogue) Find(id string) (Model, bool) {
	for _, m := range c {
		if strings.EqualFold(m.ID, id) {
			return m, true
		}
	}
	return Model{}, false
}
