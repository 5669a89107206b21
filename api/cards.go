package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"
)

// The cards below are those of Wafer's catalogue; the fields that other
// servers of the same protocol have are read where Wafer's are missing.

// maxCardText bounds a description, in characters.
const maxCardText = 1000

type card struct {
	ID              text      `json:"id"`
	OwnedBy         text      `json:"owned_by"`
	Created         count     `json:"created"` // Unix seconds
	Disabled        text      `json:"disabled_reason"`
	MaxModelLen     count     `json:"max_model_len"`  // Wafer, vLLM, SGLang
	ContextLength   count     `json:"context_length"` // OpenRouter
	ContextWindow   count     `json:"context_window"`
	MaxContext      count     `json:"max_context_length"`
	Name            text      `json:"name"`
	Description     text      `json:"description"`
	ZDR             support   `json:"zdr_supported"`
	Wafer           waferCard `json:"wafer"`
	SupportedParams []text    `json:"supported_parameters"`
	Architecture    struct {
		Input []text `json:"input_modalities"`
	} `json:"architecture"`
	TopProvider struct {
		MaxOutput count `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Pricing struct {
		Prompt     dollars `json:"prompt"`
		Completion dollars `json:"completion"`
		CacheRead  dollars `json:"input_cache_read"`
	} `json:"pricing"`
	Meta struct {
		Context count `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
}

type waferCard struct {
	DisplayName   text         `json:"display_name"`
	Tier          text         `json:"tier"`
	Provider      text         `json:"provider"`
	Disabled      text         `json:"disabled_reason"`
	Description   text         `json:"description"`
	ContextLength count        `json:"context_length"`
	MaxOutput     count        `json:"max_output_tokens"`
	Capabilities  capabilities `json:"capabilities"`
	Pricing       waferPricing `json:"pricing"`
}

type capabilities struct {
	Vision    support `json:"vision"`
	Tools     support `json:"tools"`
	Reasoning support `json:"reasoning"`
	Effort    struct {
		Control   text   `json:"control"`
		Efforts   []text `json:"efforts"`
		Supported []text `json:"supported"`
		Values    []text `json:"values"`
		Default   text   `json:"default"`
	} `json:"reasoning_effort"`
	Chat struct {
		Tools           support `json:"tools"`
		JSONObject      support `json:"json_object"`
		JSONSchema      support `json:"json_schema"`
		ToolsWithFormat support `json:"tools_with_response_format"`
		N               support `json:"n"`
		Regex           support `json:"regex"`
		Grammar         support `json:"grammar"`
		Logprobs        support `json:"logprobs"`
	} `json:"chat_completions"`
}

type waferPricing struct {
	Currency       text  `json:"currency"`
	Input          cents `json:"input_cents_per_million"`
	Output         cents `json:"output_cents_per_million"`
	CacheRead      cents `json:"cache_read_cents_per_million"`
	InputMicro     count `json:"input_microcents_per_million"`
	OutputMicro    count `json:"output_microcents_per_million"`
	CacheReadMicro count `json:"cache_read_microcents_per_million"`
}

// support is a flag that may be missing.
type support Support

func (s *support) UnmarshalJSON(b []byte) error {
	switch string(bytes.Trim(b, `"`)) {
	case "true", "1":
		*s = support(Yes)
	case "false", "0":
		*s = support(No)
	default:
		var object struct {
			Supported *bool `json:"supported"`
		}
		if json.Unmarshal(b, &object) == nil && object.Supported != nil {
			*s = support(supportOf(*object.Supported))
		}
	}
	return nil
}

func supportOf(yes bool) Support {
	if yes {
		return Yes
	}
	return No
}

// microCents is a price in micro-cents for 1,000,000 tokens.
type microCents struct {
	n  int64
	ok bool
}

func (m *microCents) set(b []byte, scale float64) {
	f, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	f = math.Round(f * scale)
	if m.ok = err == nil && f >= 0 && f < math.MaxInt64; m.ok {
		m.n = int64(f)
	}
}

// cents are US cents for 1,000,000 tokens.
type cents struct{ microCents }

func (c *cents) UnmarshalJSON(b []byte) error { c.set(b, 1e6); return nil }

// dollars are US dollars for one token, as OpenRouter writes them.
type dollars struct{ microCents }

func (d *dollars) UnmarshalJSON(b []byte) error { d.set(b, 1e14); return nil }

// decodeCatalogue reads the list of models in whatever envelope it comes. Cards
// without an id are left out. It fails if the body is no list of models.
func decodeCatalogue(body []byte) (Catalogue, error) {
	body = unwrapBody(body)
	var envelope struct {
		Data   json.RawMessage `json:"data"`
		Models json.RawMessage `json:"models"`
	}
	list := json.RawMessage(body)
	if len(body) > 0 && body[0] == '{' {
		if err := json.Unmarshal(body, &envelope); err != nil {
			return nil, err
		}
		if list = envelope.Data; list == nil {
			list = envelope.Models
		}
		if list == nil {
			return nil, errors.New("no list of models")
		}
	}
	var cards []json.RawMessage
	if err := json.Unmarshal(list, &cards); err != nil {
		return nil, err
	}
	models := make(Catalogue, 0, len(cards))
	for _, raw := range cards {
		var c card
		if raw[0] == '"' {
			_ = json.Unmarshal(raw, &c.ID)
		} else {
			_ = json.Unmarshal(raw, &c) // what has the wrong type counts as missing
		}
		if m := c.model(); m.ID != "" {
			models = append(models, m)
		}
	}
	return models, nil
}

// model makes the card's model. The id stays as the server spelled it.
func (c *card) model() Model {
	caps := &c.Wafer.Capabilities
	m := Model{
		ID:              new(joiner).add(string(c.ID)),
		DisplayName:     cardText(c.Wafer.DisplayName, c.Name),
		Description:     cardText(c.Wafer.Description, c.Description),
		ContextLength:   c.Wafer.ContextLength.or(c.MaxModelLen, c.ContextLength, c.ContextWindow, c.MaxContext, c.Meta.Context).n,
		MaxOutputTokens: c.Wafer.MaxOutput.or(c.TopProvider.MaxOutput).n,
		Vision:          Support(caps.Vision),
		Tools:           Support(cmp.Or(caps.Tools, caps.Chat.Tools)),
		Reasoning:       Support(caps.Reasoning),
		ZDR:             Support(c.ZDR),
		DefaultEffort:   cardText(caps.Effort.Default),
		EffortControl:   cardText(caps.Effort.Control),
		JSONObject:      Support(caps.Chat.JSONObject),
		JSONSchema:      Support(caps.Chat.JSONSchema),
		ToolsWithFormat: Support(caps.Chat.ToolsWithFormat),
		N:               Support(caps.Chat.N),
		Regex:           Support(caps.Chat.Regex),
		Grammar:         Support(caps.Chat.Grammar),
		Logprobs:        Support(caps.Chat.Logprobs),
		OwnedBy:         cardText(c.OwnedBy),
		Provider:        cardText(c.Wafer.Provider),
		Tier:            cardText(c.Wafer.Tier),
		Disabled:        cardText(c.Disabled, c.Wafer.Disabled),
		Created:         released(c.Created),
		Prices:          c.prices(),
	}
	for _, list := range [][]text{caps.Effort.Efforts, caps.Effort.Supported, caps.Effort.Values} {
		for _, effort := range list {
			if name := cardText(effort); name != "" && len(m.Efforts) < len(list) {
				m.Efforts = append(m.Efforts, name)
			}
		}
		if len(m.Efforts) > 0 {
			break
		}
	}
	// Wafer's documentation says that a card without the flag means no.
	if m.ZDR == Unknown && c.OwnedBy == "wafer" {
		m.ZDR = No
	}
	if len(c.Architecture.Input) > 0 && m.Vision == Unknown {
		m.Vision = supportOf(slices.Contains(c.Architecture.Input, "image"))
	}
	if len(c.SupportedParams) > 0 {
		m.fromParameters(c.SupportedParams)
	}
	return m
}

// fromParameters reads what OpenRouter's list of parameters says.
func (m *Model) fromParameters(names []text) {
	has := func(name text) Support { return supportOf(slices.Contains(names, name)) }
	for _, f := range []struct {
		flag *Support
		name text
	}{{&m.Tools, "tools"}, {&m.Reasoning, "reasoning"}, {&m.JSONObject, "response_format"}, {&m.JSONSchema, "structured_outputs"}, {&m.Logprobs, "logprobs"}} {
		if *f.flag == Unknown {
			*f.flag = has(f.name)
		}
	}
}

// prices is nil when the card has none, or has them in another currency.
func (c *card) prices() *Prices {
	w := &c.Wafer.Pricing
	if w.Currency != "" && w.Currency != "usd" && w.Currency != "USD" {
		return nil
	}
	p := Prices{
		Input:     price(w.InputMicro, w.Input.microCents, c.Pricing.Prompt.microCents),
		Output:    price(w.OutputMicro, w.Output.microCents, c.Pricing.Completion.microCents),
		CacheRead: price(w.CacheReadMicro, w.CacheRead.microCents, c.Pricing.CacheRead.microCents),
	}
	if p == (Prices{}) {
		return nil
	}
	return &p
}

// price is the first of the prices that is known; the exact one comes first.
func price(exact count, others ...microCents) *int64 {
	if exact.ok {
		return &exact.n
	}
	for _, o := range others {
		if o.ok {
			return &o.n
		}
	}
	return nil
}

// lastSecond is the last that a time can be written as JSON.
const lastSecond = 253402300799

// released is the time that a card gives in Unix seconds. Servers without one
// write 0.
func released(c count) time.Time {
	if c.n <= 0 || c.n > lastSecond {
		return time.Time{}
	}
	return time.Unix(c.n, 0).UTC()
}

func cardText(texts ...text) string {
	for _, t := range texts {
		if t != "" {
			return oneLine(string(t), maxCardText)
		}
	}
	return ""
}
