package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waferchat/api"
	"waferchat/config"
	"waferchat/host"
	"waferchat/session"
)

// refusedAge is how long it counts that a server refused something: servers learn.
const refusedAge = 30 * 24 * time.Hour

// refusals is the file refused-<host>.json: what a server has refused and is not
// sent any more.
type refusals struct {
	Host string `json:"host"`
	// Models has by model, in lower case, the names as [api.Client.Refused] gives
	// them, with the time when the server was found to refuse each.
	Models map[string]map[string]time.Time `json:"models"`
}

// names are the refusals for a client.
func (r refusals) names() map[string][]string {
	out := map[string][]string{}
	for model, when := range r.Models {
		for name := range when {
			out[model] = append(out[model], name)
		}
	}
	return out
}

// refusedFile is "" where there is none.
func (p *program) refusedFile(c Connection) string {
	if c.Demo || p.paths.Cache == "" {
		return ""
	}
	name := filepath.Base(p.paths.Models(config.Host(c.BaseURL)))
	return filepath.Join(p.paths.Cache, strings.Replace(name, "models-", "refused-", 1))
}

// refusals reads what a server has refused of late. Whatever is wrong with the
// file, nothing is known then.
func (p *program) refusals(c Connection) refusals {
	none := refusals{Host: config.Host(c.BaseURL), Models: map[string]map[string]time.Time{}}
	file := p.refusedFile(c)
	if file == "" {
		return none
	}
	var kept refusals
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.log.Warn("read what was refused", "error", err.Error())
	}
	if err != nil || kept.Host != none.Host {
		return none
	}
	for model, when := range kept.Models {
		for name, at := range when {
			if age := time.Since(at); age > refusedAge || age < -refusedAge {
				delete(when, name)
			}
		}
		if len(when) > 0 {
			none.Models[model] = when
		}
	}
	return none
}

// keepRefused adds to the file what a client has learnt. Others may have written
// it meanwhile.
func (p *program) keepRefused(c Connection, client *api.Client, known map[string][]string) {
	file := p.refusedFile(c)
	if file == "" || p.flags.noSave {
		return
	}
	all, learnt := p.refusals(c), false
	for model, names := range client.Refused() {
		for _, name := range names {
			if slices.Contains(known[model], name) {
				continue
			}
			if learnt = true; all.Models[model] == nil {
				all.Models[model] = map[string]time.Time{}
			}
			all.Models[model][name] = time.Now().UTC().Truncate(time.Second)
		}
	}
	if !learnt {
		return
	}
	data, err := json.Marshal(all)
	if err == nil {
		err = host.WriteFile(file, data)
	}
	if err != nil {
		p.log.Warn("keep what was refused", "error", err.Error())
	}
}

// tellRefused tells which fields of a chat are not sent, because the server has
// refused them before. When it refuses one, that is told as it happens.
func (p *program) tellRefused(c Connection, client *api.Client, v session.Session) {
	refused := client.Refused()[strings.ToLower(v.Model)]
	if len(refused) == 0 {
		return
	}
	v.Params.ReasoningEffort = cmp.Or(v.Effort, v.Params.ReasoningEffort)
	set := map[string]json.RawMessage{}
	if text, err := plainJSON(v.Params); err != nil || json.Unmarshal(text, &set) != nil {
		return
	}
	var left []string
	for _, name := range refused {
		renamed := name == "max_tokens" || name == "max_completion_tokens"
		if _, byName := v.Params.Extra[name]; set[name] != nil && !byName && !renamed {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		p.note("not sent, because the server refused it before: %s (until %s is removed)", strings.Join(left, ", "), p.refusedFile(c))
	}
}
