package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"waferchat/nearest"
)

// Type is how an option is written.
type Type string

// The types. In config.toml a duration is text such as "90s" or "10m", and a
// list is an array of texts; as one text its items are separated by commas.
const (
	Text     Type = "text"
	Choice   Type = "choice"
	Integer  Type = "integer"
	Boolean  Type = "boolean"
	Duration Type = "duration"
	List     Type = "list"
)

// Option is one thing that can be configured.
type Option struct {
	Name    string
	Type    Type
	Choices []string // of a Choice
	Default string   // as it would be written, without quotes; "" is none
	Doc     string   // one sentence
	Env     string   // the variable that sets it, if any
	Flag    string   // the flag that sets it, if any
	// TopLevel options cannot stand in a profile.
	TopLevel bool

	set func(c *Config, value string) error
}

// Options returns the table of options in the order of the README.
func Options() []Option {
	return slices.Concat(serverOptions(), chatOptions(), screenOptions())
}

func serverOptions() []Option {
	return []Option{
		{Name: "base_url", Type: Text, Default: DefaultBaseURL, Env: "WAFER_BASE_URL", Flag: "--base-url",
			Doc: "The server's address: Wafer, or any server with the same chat completions API.",
			set: func(c *Config, v string) (err error) { c.BaseURL, err = CleanBaseURL(v); return err }},
		{Name: "key_command", Type: Text,
			Doc: "A command whose output is the API key for the base_url beside it, such as `op read op://private/wafer/key`.",
			set: func(c *Config, v string) error { c.keyCommand = strings.TrimSpace(v); return nil }},
		{Name: "key_env", Type: Text,
			Doc: "The name of an environment variable that holds the API key for the base_url beside it.",
			set: setKeyEnv},
		{Name: "ca_file", Type: Text,
			Doc: "A PEM file of certificates to trust besides the system's, relative to the file that names it; `~` is the home directory.",
			set: func(c *Config, v string) error { c.CAFile = strings.TrimSpace(v); return nil }},
		{Name: "first_byte_timeout", Type: Duration, Default: "10m",
			Doc: "How long to wait for the first byte of an answer.",
			set: func(c *Config, v string) (err error) { c.FirstByte, err = parseTimeout(v); return err }},
		{Name: "idle_timeout", Type: Duration, Default: "10m",
			Doc: "How long an answer may be silent before it counts as lost.",
			set: func(c *Config, v string) (err error) { c.Idle, err = parseTimeout(v); return err }},
		{Name: "max_retries", Type: Integer, Default: "3",
			Doc: "How often a failed request is sent again before anything was shown (0 to 10).",
			set: func(c *Config, v string) (err error) { c.MaxRetries, err = parseInt(v, 0, 10); return err }},
		{Name: "default_profile", Type: Text, TopLevel: true, Flag: "--profile",
			Doc: "The `[profile.NAME]` to use when none is named on the command line.",
			set: func(c *Config, v string) error { c.Profile = v; return nil }},
	}
}

func chatOptions() []Option {
	return []Option{
		{Name: "model", Type: Text, Env: "WAFER_MODEL", Flag: "--model",
			Doc: "The model of new chats.",
			set: func(c *Config, v string) error { c.Model = strings.TrimSpace(v); return nil }},
		{Name: "effort", Type: Text, Flag: "--effort",
			Doc: "The reasoning effort: none, low, medium, high, xhigh, max, or what the model lists.",
			set: setEffort},
		{Name: "system", Type: Text, Flag: "--system",
			Doc: "The system prompt of new chats.",
			set: func(c *Config, v string) error { c.System = v; return nil }},
		{Name: "max_tokens", Type: Integer, Flag: "--max-tokens",
			Doc: "The most tokens an answer may have.",
			set: func(c *Config, v string) (err error) { c.MaxTokens, err = parseInt(v, 1, 1<<31-1); return err }},
		{Name: "zdr", Type: Boolean, Default: "false", Flag: "--zdr",
			Doc: "Ask for zero data retention; a model without it then refuses instead of answering.",
			set: func(c *Config, v string) (err error) { c.ZDR, err = parseBool(v); return err }},
		{Name: "send_reasoning", Type: Choice, Choices: []string{"auto", "never", "always"}, Default: "auto",
			Doc: "When the reasoning of earlier answers is sent back: with those that called tools (`auto`), never, or always.",
			set: func(c *Config, v string) error { c.SendReasoning = v; return nil }},
		{Name: "prefill", Type: Boolean, Default: "false",
			Doc: "The server goes on with an assistant message that ends a request; otherwise the model is asked to go on with a cut answer.",
			set: func(c *Config, v string) (err error) { c.Prefill, err = parseBool(v); return err }},
		{Name: "honours_sampling", Type: List, Default: "Kimi-K3, Qwen3.8-27B",
			Doc: "The models of pass.wafer.ai that honour temperature, top_p, presence_penalty and frequency_penalty (its document of 2026-09-30); the others are noted to drop them.",
			set: func(c *Config, v string) error { c.HonoursSampling = items(v); return nil }},
	}
}

func screenOptions() []Option {
	return []Option{
		{Name: "theme", Type: Text, Default: "auto", Flag: "--theme",
			Doc: "The colour theme; `auto` follows the terminal's background.",
			set: func(c *Config, v string) error { c.Theme = strings.TrimSpace(v); return nil }},
		{Name: "reasoning", Type: Choice, Choices: []string{"hidden", "line", "tail", "full"}, Default: "line",
			Doc: "How finished reasoning is shown.",
			set: func(c *Config, v string) error { c.Reasoning = v; return nil }},
		{Name: "links", Type: Choice, Choices: []string{"auto", "hidden", "shown"}, Default: "auto",
			Doc: "Whether the addresses of links are shown; `auto` shows them in terminals that cannot open a link by its text.",
			set: func(c *Config, v string) error { c.Links = v; return nil }},
		{Name: "wide_code", Type: Choice, Choices: []string{"wrap", "scroll"}, Default: "wrap",
			Doc: "Whether code that is wider than the screen wraps or scrolls sideways.",
			set: func(c *Config, v string) error { c.WideCode = v; return nil }},
	}
}

// apply checks a value and puts it into c. The error never repeats the value:
// it may be a secret in the wrong place.
func (o Option) apply(c *Config, value string) error {
	if o.Type == Choice && !slices.Contains(o.Choices, value) {
		msg := "takes " + list(o.Choices)
		if near, ok := nearest.Name(value, o.Choices); ok {
			msg += fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("%s", msg)
	}
	return o.set(c, value)
}

// defaults returns a Config that holds the defaults of all options.
func defaults() Config {
	c := Config{Keys: map[string][]string{}, values: map[string]string{},
		origins: map[string]Origin{}, keysAt: map[string]Origin{}}
	for _, o := range Options() {
		if o.Default != "" {
			_ = o.apply(&c, o.Default) // a test proves that every default is valid
		}
	}
	return c
}

func find(name string) (Option, bool) {
	i := slices.IndexFunc(Options(), func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return Options()[i], true
}

func names(profile bool) []string {
	var out []string
	for _, o := range Options() {
		if !profile || !o.TopLevel {
			out = append(out, o.Name)
		}
	}
	return out
}

func setEffort(c *Config, v string) error {
	v = strings.TrimSpace(v)
	for _, r := range v {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", r) {
			return fmt.Errorf("takes one word, such as \"low\" or \"high\"")
		}
	}
	c.Effort = v
	return nil
}

func setKeyEnv(c *Config, v string) error {
	v = strings.TrimPrefix(strings.TrimSpace(v), "$")
	for i, r := range v {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return fmt.Errorf("takes the name of an environment variable, not the key itself")
		}
	}
	c.keyEnv = v
	return nil
}

func parseTimeout(v string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.ReplaceAll(v, " ", ""))
	if err != nil {
		return 0, fmt.Errorf("takes a duration such as \"90s\" or \"10m\"")
	}
	if d < time.Second || d > 24*time.Hour {
		return 0, fmt.Errorf("takes a duration from \"1s\" to \"24h\"")
	}
	return d, nil
}

func parseInt(v string, low, high int) (int, error) {
	n, err := strconv.Atoi(strings.ReplaceAll(v, "_", ""))
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("takes a whole number from %d to %d", low, high)
	}
	return n, nil
}

func parseBool(v string) (bool, error) {
	switch v {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("takes true or false")
}

// items takes the texts of a list apart; an empty list is not nil.
func items(v string) []string {
	out := []string{}
	for _, item := range strings.Split(v, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// list writes words as `"a", "b" or "c"`.
func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}
