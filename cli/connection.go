package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/config"
	"waferchat/host"
)

// defaultModel is used on Wafer when nothing else is said: the one of the API's
// document. The demo knows it too.
const defaultModel = "GLM-5.3"

// demoName is what the demo is called wherever a host would be named.
const demoName = "scripted demo"

// Connection says which server a chat talks to.
type Connection struct {
	BaseURL string
	Key     api.Key
	// Name is what the user is told: a host, or "scripted demo".
	Name string
	// Demo marks the built-in emulator.
	Demo bool
}

// wafer tells whether the server does as the document of Wafer's API says: it is
// Wafer's own, or the demo.
func (c Connection) wafer() bool {
	return c.Demo || config.Host(c.BaseURL) == config.Host(config.DefaultBaseURL)
}

// connection is the server to talk to, without its key. An empty base URL is
// the configured one.
func (p *program) connection(baseURL string) (Connection, error) {
	if p.flags.demo {
		return p.demo(p.demoSpeed())
	}
	if baseURL == "" {
		baseURL = p.config.BaseURL
	}
	return Connection{BaseURL: baseURL, Name: config.Host(baseURL)}, nil
}

// demo starts the built-in emulator; it ends with the run.
func (p *program) demo(speed float64) (Connection, error) {
	server, err := emulator.Start(emulator.Options{Speed: speed, Forget: true})
	if err != nil {
		return Connection{}, fmt.Errorf("start the demo: %w", err)
	}
	p.onClose(func() { _ = server.Close() })
	return Connection{BaseURL: server.URL, Name: demoName, Demo: true}, nil
}

// demoSpeed is a pace to watch, in tokens a second, or none for a pipe.
func (p *program) demoSpeed() float64 {
	if isTerminal(p.sys.Stdout) {
		return 80
	}
	return 0
}

// client makes the client of a connection. refused is what its server has refused
// before.
func (p *program) client(c Connection, refused map[string][]string) (*api.Client, error) {
	var roots *x509.CertPool
	if !c.Demo {
		var err error
		if roots, err = p.roots(); err != nil {
			return nil, err
		}
	}
	client, err := api.New(api.Options{
		BaseURL:    c.BaseURL,
		Key:        c.Key,
		UserAgent:  "waferchat/" + p.sys.Version,
		RootCAs:    roots,
		FirstByte:  p.config.FirstByte,
		Idle:       p.config.Idle,
		MaxRetries: &p.config.MaxRetries,
		Refused:    refused,
	})
	if err != nil {
		return nil, fmt.Errorf("reach %s: %w", c.Name, err)
	}
	return client, nil
}

// findKey looks for the key of a base URL at the places that may give it, and
// tells which one did. The empty key is no error: there is none.
func (p *program) findKey(ctx context.Context, baseURL string) (api.Key, string, error) {
	for _, s := range p.config.KeySources(baseURL) {
		text, name := "", s.Name
		var err error
		switch s.Kind {
		case config.KeyFromEnv:
			text = p.sys.Getenv(s.Name)
		case config.KeyFromCommand:
			name = "key_command"
			text, err = p.host().RunKeyCommand(ctx, s.Name)
		case config.KeyStored:
			var place host.Place
			text, place, err = p.keys.Load(ctx, s.Host)
			name = place.String()
			if errors.Is(err, host.ErrNoKey) {
				continue
			}
		}
		if err != nil {
			return "", name, err
		}
		key, err := api.CleanKey(text)
		if err != nil || key == "" {
			return "", name, fmt.Errorf("%s holds no usable API key: %w", name, orEmpty(err))
		}
		p.log.Debug("key found", "source", name, "host", s.Host)
		return key, name, nil
	}
	return "", "", nil
}

func orEmpty(err error) error {
	if err == nil {
		return errors.New("it is empty")
	}
	return err
}

// withKey completes a connection for print mode.
func (p *program) withKey(ctx context.Context, c Connection) (Connection, error) {
	if c.Demo {
		return c, nil
	}
	key, _, err := p.findKey(ctx, c.BaseURL)
	if err != nil {
		return c, err
	}
	c.Key = key
	if key == "" && c.wafer() {
		return c, fmt.Errorf("there is no API key for %s: set WAFER_API_KEY, run `waferchat key set`, or try --demo%s", c.Name, p.withheld(c.BaseURL))
	}
	return c, nil
}

// withheld is the hint that a key exists but was given for another host.
func (p *program) withheld(baseURL string) string {
	for _, s := range p.config.WithheldKeys(baseURL) {
		name := s.Name
		if s.Kind == config.KeyFromCommand {
			name = "key_command"
		}
		if s.Host == "" {
			return fmt.Sprintf(" (%s is not sent: it is not said which host it is for)", name)
		}
		return fmt.Sprintf(" (%s is not sent to %s: it was given for %s)", name, config.Host(baseURL), s.Host)
	}
	return ""
}

// listLimit is how long an unknown server may take to say what it offers before
// the default model is tried.
const listLimit = 2 * time.Second

// model chooses the model of a new chat.
func (p *program) model(ctx context.Context, c Connection) string {
	if p.config.Model != "" {
		return p.config.Model
	}
	list := p.catalogue(ctx, c, false)
	if len(list.Models) == 0 && !c.wafer() {
		ctx, cancel := context.WithTimeout(ctx, listLimit)
		defer cancel()
		list = p.catalogue(ctx, c, true)
	}
	if _, ok := list.Models.Find(defaultModel); ok || len(list.Models) == 0 {
		return defaultModel
	}
	return list.Models[0].ID
}

// localPorts are where Ollama, LM Studio, llama.cpp and vLLM listen.
func localPorts() []string { return []string{"11434", "1234", "8080", "8000"} }

// probe looks for model servers on this machine, for at most 300 ms. The
// result is in the order of the ports.
func (p *program) probe(ctx context.Context, ports []string) []Connection {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	found := make([]*Connection, len(ports))
	done := make(chan int)
	for i, port := range ports {
		go func() {
			u := url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", port), Path: "/v1"}
			c := Connection{BaseURL: u.String(), Name: u.Host}
			if _, err := p.fetch(ctx, c); err == nil {
				found[i] = &c
			}
			done <- i
		}()
	}
	for range ports {
		<-done
	}
	var out []Connection
	for _, c := range found {
		if c != nil {
			out = append(out, *c)
		}
	}
	return out
}

// reach tests a base URL by its model list and returns the connection to it.
func (p *program) reach(ctx context.Context, baseURL string) (Connection, error) {
	clean, err := config.CleanBaseURL(baseURL)
	if err != nil {
		return Connection{}, fmt.Errorf("the address %w", err)
	}
	c := Connection{BaseURL: clean, Name: config.Host(clean)}
	if c.Key, _, err = p.findKey(ctx, clean); err != nil {
		return c, err
	}
	list, err := p.fetch(ctx, c)
	if err == nil && len(list) == 0 {
		err = errors.New("it lists no models")
	}
	return c, err
}
