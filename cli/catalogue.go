package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"waferchat/api"
	"waferchat/config"
	"waferchat/host"
)

const (
	// fetchLimit bounds a look at a server's model list.
	fetchLimit = 10 * time.Second
	// listAge is how old a list may be before a new one is wanted. Prices move
	// within days.
	listAge = 24 * time.Hour
)

// Catalogue is a model list with its age.
type Catalogue struct {
	Models  api.Catalogue
	Fetched time.Time // when the server gave it
	// Err is why the list could not be refreshed; Models may still be cached.
	Err error
}

// old tells that a new list is wanted: there is none, or it is older than a day.
// One of tomorrow is from a clock that was wrong.
func (l Catalogue) old() bool {
	age := time.Since(l.Fetched)
	return len(l.Models) == 0 || age > listAge || age < -listAge
}

// cachedCatalogue is the file models-<host>.json.
type cachedCatalogue struct {
	Host    string        `json:"host"`
	Fetched time.Time     `json:"fetched"`
	Models  api.Catalogue `json:"models"`
}

// catalogue returns the cached list of a server at once, or asks the server and
// keeps what it says. A list that is empty or broken never replaces a good one.
// One that the server gives although it refuses the key comes with an error of
// status 401.
func (p *program) catalogue(ctx context.Context, c Connection, refresh bool) Catalogue {
	if !refresh {
		return p.cached(c)
	}
	client, err := p.client(c, nil)
	if err != nil {
		list := p.cached(c)
		list.Err = err
		return list
	}
	return p.refresh(ctx, c, client)
}

// refresh is catalogue with a client that there is already.
func (p *program) refresh(ctx context.Context, c Connection, client *api.Client) Catalogue {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	list, err := client.Models(ctx)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s lists no models", c.Name)
	}
	if err != nil {
		p.log.Warn("catalogue", "host", c.Name, "error", err.Error())
	}
	if len(list) == 0 {
		cached := p.cached(c)
		cached.Err = err
		p.setListed(c, cached)
		return cached
	}
	fresh := Catalogue{Models: list, Fetched: time.Now(), Err: err}
	p.setListed(c, fresh)
	p.keep(c, fresh)
	return fresh
}

// fetch asks a server for its list and keeps nothing of it.
func (p *program) fetch(ctx context.Context, c Connection) (api.Catalogue, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	client, err := p.client(c, nil)
	if err != nil {
		return nil, err
	}
	return client.Models(ctx)
}

// cached reads the file; whatever is wrong with it, there is just no list.
func (p *program) cached(c Connection) Catalogue {
	file := p.catalogueFile(c)
	if file == "" {
		return Catalogue{}
	}
	var kept cachedCatalogue
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil || kept.Host != c.Name {
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			p.log.Warn("read cached catalogue", "error", err.Error())
		}
		return Catalogue{}
	}
	return Catalogue{Models: kept.Models, Fetched: kept.Fetched}
}

func (p *program) keep(c Connection, list Catalogue) {
	file := p.catalogueFile(c)
	if file == "" || p.flags.noSave { // which leaves no trace
		return
	}
	data, err := json.Marshal(cachedCatalogue{c.Name, list.Fetched, list.Models})
	if err == nil {
		err = host.WriteFile(file, data)
	}
	if err != nil {
		p.log.Warn("keep catalogue", "error", err.Error())
	}
}

// catalogueFile is "" where there is none: the demo's list is always at hand.
func (p *program) catalogueFile(c Connection) string {
	if c.Demo || p.paths.Cache == "" {
		return ""
	}
	return p.paths.Models(config.Host(c.BaseURL))
}

// listed is the newest list of models that is known without asking: that of
// this run, else the cached one, read at the first question and again as long as
// there is none. Its Err tells that the server was asked in vain.
func (p *program) listed(c Connection) Catalogue {
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.lists[c.BaseURL]; len(list.Models) > 0 {
		return list
	}
	list, asked := p.cached(c), p.lists[c.BaseURL]
	list.Err = asked.Err
	p.lists[c.BaseURL] = list
	return list
}

func (p *program) setListed(c Connection, list Catalogue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lists[c.BaseURL] = list
}

// demoListed asks the demo itself, which answers at once.
func (p *program) demoListed(c Connection, client *api.Client) api.Catalogue {
	if list := p.listed(c).Models; len(list) > 0 {
		return list
	}
	ctx, cancel := context.WithTimeout(context.Background(), fetchLimit)
	defer cancel()
	list, err := client.Models(ctx)
	if err == nil {
		p.setListed(c, Catalogue{Models: list, Fetched: time.Now()})
	}
	return list
}
