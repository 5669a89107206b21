package config

import "strings"

// KeyKind is a kind of place that an API key comes from.
type KeyKind string

// The kinds.
const (
	KeyFromEnv     KeyKind = "environment"
	KeyFromCommand KeyKind = "command"
	KeyStored      KeyKind = "stored"
)

// KeySource is a place that may give the key for one host.
type KeySource struct {
	Kind KeyKind
	// Name is the environment variable or the command line; "" when stored.
	Name string
	// Host is the host that the key was given for, as [Host] writes it.
	Host string
}

// KeyLayer is a configuration layer that names a source of a key.
type KeyLayer struct {
	// BaseURL is the base URL in force in that layer: its own, else that of the
	// layers below.
	BaseURL    string
	KeyEnv     string
	KeyCommand string
}

// KeyInput is what decides which key may go where.
type KeyInput struct {
	// BaseURL is where requests go.
	BaseURL string
	// Getenv reads the environment.
	Getenv func(string) string
	// File and Settings are config.toml and settings.toml, Profile the profile
	// in use; ProfileChosen tells that it was named on the command line.
	File, Settings, Profile KeyLayer
	ProfileChosen           bool
}

// KeySources returns the places that may give the API key for in.BaseURL, best
// first, under one rule: a key only ever goes to the host that it was given
// for.
//
// WAFER_API_KEY is for the host of WAFER_BASE_URL, or for pass.wafer.ai when
// that is not set. OPENAI_API_KEY is for the host of OPENAI_BASE_URL, and for
// none when that is not set. A key_env or key_command is for the base_url
// beside it, or the one of the layers below. A stored key is for the host that
// it is stored under. A profile named on the command line comes before the
// environment, one from a file after it. A variable that is empty is no source.
func KeySources(in KeyInput) []KeySource {
	host := Host(in.BaseURL)
	if host == "" {
		return nil
	}
	var out []KeySource
	for _, s := range grants(in) {
		if s.Host == host {
			out = append(out, s)
		}
	}
	return append(out, KeySource{KeyStored, "", host})
}

func withheldKeys(in KeyInput) []KeySource {
	host := Host(in.BaseURL)
	var out []KeySource
	for _, s := range grants(in) {
		if s.Host != host {
			out = append(out, s)
		}
	}
	return out
}

// grants lists all sources that exist with the host each was given for.
func grants(in KeyInput) []KeySource {
	profile := layerKeys(in, in.Profile)
	wafer := envKey(in, "WAFER_API_KEY", in.Getenv("WAFER_BASE_URL"), DefaultBaseURL)
	out := append(profile, wafer...)
	if !in.ProfileChosen {
		out = append(wafer, profile...)
	}
	out = append(out, layerKeys(in, in.Settings)...)
	out = append(out, layerKeys(in, in.File)...)
	return append(out, envKey(in, "OPENAI_API_KEY", in.Getenv("OPENAI_BASE_URL"), "")...)
}

// layerKeys prefers a variable over a command, because it costs nothing.
func layerKeys(in KeyInput, l KeyLayer) []KeySource {
	var out []KeySource
	if l.KeyEnv != "" {
		out = envKey(in, l.KeyEnv, l.BaseURL, "")
	}
	if l.KeyCommand != "" {
		out = append(out, KeySource{KeyFromCommand, l.KeyCommand, Host(l.BaseURL)})
	}
	return out
}

// envKey is a variable bound to the host of baseURL, or of other when baseURL
// is not set. A base URL that cannot be understood binds it to no host.
func envKey(in KeyInput, name, baseURL, other string) []KeySource {
	if strings.TrimSpace(in.Getenv(name)) == "" {
		return nil
	}
	if strings.TrimSpace(baseURL) == "" {
		baseURL = other
	}
	return []KeySource{{KeyFromEnv, name, Host(baseURL)}}
}
