package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"waferchat/api"
	"waferchat/config"
)

func (p *program) modelsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models with what they can do and cost",
		Args:  p.takes(0, 0, ""),
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.models(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// models prints the list of the server, or the cached one with its age when the
// server cannot be asked. The list is public: without a usable key it is shown,
// and what is wrong with the key is said.
func (p *program) models(ctx context.Context, asJSON bool) error {
	if err := p.setup(); err != nil {
		return err
	}
	if err := p.warn(); err != nil {
		return err
	}
	c, err := p.connection("")
	if err != nil {
		return err
	}
	source := ""
	if !c.Demo {
		if _, err := p.roots(); err != nil {
			return err
		}
		if c.Key, source, err = p.findKey(ctx, c.BaseURL); err != nil {
			p.say("%v", err)
		}
	}
	start := time.Now()
	list := p.catalogue(ctx, c, true)
	if err := p.tellList(list, c, source); err != nil {
		return err
	}
	if list.Fetched.Before(start) {
		p.say("this is the list of %s", past(time.Since(list.Fetched)))
	}
	if asJSON {
		return writeJSON(p.out, modelRecords(list.Models))
	}
	return p.modelTable(list.Models)
}

// tellList says what is wrong with a list. It returns an error when there is
// none.
func (p *program) tellList(list Catalogue, c Connection, source string) error {
	if list.Err == nil {
		return nil
	}
	var refused *api.Error
	if errors.As(list.Err, &refused) && !refused.HTML && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed) {
		list.Err = local(fmt.Errorf("%s has no list of models where one is looked for, %s/models (%d); check the base URL", c.Name, config.Redacted(c.BaseURL), refused.Status))
	}
	if len(list.Models) == 0 {
		return list.Err
	}
	if source != "" && errors.As(list.Err, &refused) && refused.Status == http.StatusUnauthorized {
		p.say("%s does not accept the key from %s; chats will fail until it is replaced", c.Name, source)
	} else {
		p.say("%v", explain(list.Err))
	}
	return nil
}

// modelRecord is a model in `models --json`. What the card does not say is
// absent.
type modelRecord struct {
	ID          string     `json:"id"`
	Name        string     `json:"name,omitempty"`
	Description string     `json:"description,omitempty"`
	OwnedBy     string     `json:"owned_by,omitempty"`
	Provider    string     `json:"provider,omitempty"`
	Tier        string     `json:"tier,omitempty"`
	Disabled    string     `json:"disabled,omitempty"` // why it is out of service
	Created     *time.Time `json:"created,omitempty"`
	Context     int64      `json:"context,omitempty"`
	MaxOutput   int64      `json:"max_output,omitempty"`

	Vision          *bool `json:"vision,omitempty"`
	Tools           *bool `json:"tools,omitempty"`
	Reasoning       *bool `json:"reasoning,omitempty"`
	ZDR             *bool `json:"zdr,omitempty"`
	JSONObject      *bool `json:"json_object,omitempty"`
	JSONSchema      *bool `json:"json_schema,omitempty"`
	ToolsWithFormat *bool `json:"tools_with_response_format,omitempty"`
	N               *bool `json:"n,omitempty"`
	Regex           *bool `json:"regex,omitempty"`
	Grammar         *bool `json:"grammar,omitempty"`
	Logprobs        *bool `json:"logprobs,omitempty"`

	Efforts       []string `json:"efforts,omitempty"`
	DefaultEffort string   `json:"default_effort,omitempty"`
	EffortControl string   `json:"effort_control,omitempty"`
	// Prices are in micro-cents per million tokens.
	Prices *api.Prices `json:"prices,omitempty"`
}

func modelRecords(models api.Catalogue) []modelRecord {
	out := []modelRecord{}
	for _, m := range models {
		r := modelRecord{
			ID: m.ID, Name: m.DisplayName, Description: m.Description,
			OwnedBy: m.OwnedBy, Provider: m.Provider, Tier: m.Tier, Disabled: m.Disabled,
			Context: m.ContextLength, MaxOutput: m.MaxOutputTokens,
			Vision: known(m.Vision), Tools: known(m.Tools), Reasoning: known(m.Reasoning), ZDR: known(m.ZDR),
			JSONObject: known(m.JSONObject), JSONSchema: known(m.JSONSchema), ToolsWithFormat: known(m.ToolsWithFormat),
			N: known(m.N), Regex: known(m.Regex), Grammar: known(m.Grammar), Logprobs: known(m.Logprobs),
			Efforts: m.Efforts, DefaultEffort: m.DefaultEffort, EffortControl: m.EffortControl, Prices: m.Prices,
		}
		if !m.Created.IsZero() {
			r.Created = new(m.Created.UTC())
		}
		out = append(out, r)
	}
	return out
}

func known(s api.Support) *bool {
	yes := s == api.Yes
	if s == api.Unknown {
		return nil
	}
	return &yes
}
