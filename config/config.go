package config

import (
	"maps"
	"time"
)

// DefaultBaseURL is the Wafer API, where requests go when nothing else is said.
const DefaultBaseURL = "https://pass.wafer.ai/v1"

// Config is what was configured. It is a value: nothing changes it after
// [Load], and its map and slices must not be written to.
type Config struct {
	// BaseURL is where requests go. It is empty when the configured one could
	// not be understood: nothing may then be sent anywhere.
	BaseURL string
	Model   string // "" is the server's or the program's default
	Effort  string // "" is the model's default
	System  string
	// MaxTokens is 0 when the server decides.
	MaxTokens int
	// ZDR asks for zero data retention with every request.
	ZDR bool
	// Theme is a theme's name; "auto" follows the terminal.
	Theme string
	// Reasoning is "hidden", "line", "tail" or "full".
	Reasoning string
	// Links is "auto", "hidden" or "shown".
	Links string
	// WideCode is "wrap" or "scroll".
	WideCode string
	// CAFile is a PEM file of certificates to trust besides the system's, "" for
	// none. Its path is absolute unless there is no home directory to begin at.
	CAFile string
	// SendReasoning is "auto", "never" or "always".
	SendReasoning string
	// Prefill: the server goes on with an assistant message that ends a request.
	Prefill bool
	// HonoursSampling are the ids of the models of Wafer that do not drop the
	// sampling fields; it is never nil.
	HonoursSampling []string
	// FirstByte and Idle bound the wait for the first byte of an answer and the
	// silence after it.
	FirstByte time.Duration
	Idle      time.Duration
	// MaxRetries is the number of attempts after the first.
	MaxRetries int
	// Profile is the profile in use, "" for none, and Profiles the names of all.
	Profile  string
	Profiles []string
	// Keys are the user's key bindings: action to keys; "none" is no key.
	Keys map[string][]string

	// keyCommand and keyEnv are those of the layer that is being applied; what
	// counts of them is in keys.
	keyCommand, keyEnv string

	keys    KeyInput
	values  map[string]string
	origins map[string]Origin
	keysAt  map[string]Origin
}

// Origin says where a value came from.
type Origin struct {
	// Source is a file's path, the name of an environment variable, or a flag
	// such as "--model"; "" is the default.
	Source string
	// Line and Column are 1-based, 0 outside of files. Columns count bytes.
	Line, Column int
	// Profile is set when the value stands in a profile.
	Profile string
}

// Origin tells where the value of an option came from.
func (c Config) Origin(option string) Origin { return c.origins[option] }

// Value returns the value of an option as it would be written, to be shown: a
// base URL is without its userinfo. It is "" when there is none.
func (c Config) Value(option string) string {
	if option == "base_url" {
		return Redacted(c.BaseURL)
	}
	if v, ok := c.values[option]; ok {
		return v
	}
	o, _ := find(option)
	return o.Default
}

// KeyOrigin tells where the binding of an action was made.
func (c Config) KeyOrigin(action string) Origin { return c.keysAt[action] }

// Explicit tells whether an option was set on the command line, by the
// environment, or by a profile chosen on the command line: such a value also
// wins over what a resumed session remembers.
func (c Config) Explicit(option string) bool {
	o := c.origins[option]
	if o.Profile != "" {
		return c.keys.ProfileChosen
	}
	return o.Source != "" && o.Line == 0
}

// KeySources returns the places that may give the API key for a base URL, best
// first. It is the only way to a key: see the function [KeySources].
func (c Config) KeySources(baseURL string) []KeySource {
	in := c.keys
	in.BaseURL = baseURL
	return KeySources(in)
}

// WithServer returns c with what another Config says about reaching a server:
// the sources of keys, ca_file and honours_sampling. It is for the profile that
// a resumed session was held with.
func (c Config) WithServer(from Config) Config {
	from.keys.ProfileChosen = c.keys.ProfileChosen
	c.keys = from.keys
	c.CAFile, c.HonoursSampling = from.CAFile, from.HonoursSampling
	c.SendReasoning, c.Prefill = from.SendReasoning, from.Prefill
	c.origins = maps.Clone(c.origins)
	c.origins["ca_file"] = from.origins["ca_file"]
	return c
}

// WithheldKeys returns the sources of a key that exist but were given for
// another host, for a hint to the user.
func (c Config) WithheldKeys(baseURL string) []KeySource {
	in := c.keys
	in.BaseURL = baseURL
	return withheldKeys(in)
}
