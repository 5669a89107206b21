package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"waferchat/api"
	"waferchat/ui/untrusted"
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
// server cannot be asked.
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
	if !c.Demo {
		if c.Key, _, err = p.findKey(ctx, c.BaseURL); err != nil {
			return local(err)
		}
	}
	list := p.catalogue(ctx, c, true)
	if list.Err != nil {
		if len(list.Models) == 0 {
			return list.Err
		}
		p.say("%v", explain(list.Err))
		p.say("this is the list of %s", age(time.Since(list.Fetched)))
	}
	if asJSON {
		return writeJSON(p.out, modelRecords(list.Models))
	}
	return p.modelTable(list.Models)
}

// modelRecord is a model in `models --json`. What the card does not say is
// absent.
type modelRecord struct {
	ID            string   `json:"id"`
	Name          string   `json:"name,omitempty"`
	Description   string   `json:"description,omitempty"`
	Context       int64    `json:"context,omitempty"`
	MaxOutput     int64    `json:"max_output,omitempty"`
	Vision        *bool    `json:"vision,omitempty"`
	Tools         *bool    `json:"tools,omitempty"`
	Reasoning     *bool    `json:"reasoning,omitempty"`
	ZDR           *bool    `json:"zdr,omitempty"`
	Efforts       []string `json:"efforts,omitempty"`
	DefaultEffort string   `json:"default_effort,omitempty"`
	// Prices are in micro-cents per million tokens.
	Prices *api.Prices `json:"prices,omitempty"`
}

func modelRecords(models api.Catalogue) []modelRecord {
	out := []modelRecord{}
	for _, m := range models {
		out = append(out, modelRecord{
			ID: m.ID, Name: m.DisplayName, Description: m.Description,
			Context: m.ContextLength, MaxOutput: m.MaxOutputTokens,
			Vision: known(m.Vision), Tools: known(m.Tools), Reasoning: known(m.Reasoning), ZDR: known(m.ZDR),
			Efforts: m.Efforts, DefaultEffort: m.DefaultEffort, Prices: m.Prices,
		})
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

func (p *program) modelTable(models api.Catalogue) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tCONTEXT\tMAX OUTPUT\tVISION\tTOOLS\tEFFORTS\tZDR\tIN $/M\tOUT $/M\tCACHED $/M")
	for _, m := range models {
		efforts := make([]string, len(m.Efforts))
		for i, e := range m.Efforts {
			if efforts[i] = e; e == m.DefaultEffort {
				efforts[i] += "*"
			}
		}
		in, out, cached := "?", "?", "?"
		if m.Prices != nil {
			in, out, cached = dollars(m.Prices.Input), dollars(m.Prices.Output), dollars(m.Prices.CacheRead)
		}
		row := []string{m.ID, tokens(m.ContextLength), tokens(m.MaxOutputTokens), support(m.Vision), support(m.Tools),
			cmp.Or(strings.Join(efforts, " "), "?"), support(m.ZDR), in, out, cached}
		for i, cell := range row {
			row[i] = untrusted.Plain(strings.ReplaceAll(cell, "\t", " "))
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(p.out, b.String())
	return err
}

// dollars writes micro-cents as dollars.
func dollars(microCents *int64) string {
	if microCents == nil {
		return "?"
	}
	return strconv.FormatFloat(float64(*microCents)/1e8, 'f', -1, 64)
}

func tokens(n int64) string {
	if n == 0 {
		return "?"
	}
	return strconv.FormatInt(n, 10)
}

func support(s api.Support) string { return cmp.Or(string(s), "?") }
