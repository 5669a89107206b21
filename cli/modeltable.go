package cli

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"waferchat/api"
	"waferchat/ui/untrusted"
)

// column is one fact about a model. What the card does not say is "?", or
// nothing where only few have it.
type column struct {
	title string
	cell  func(m api.Model) string
}

// columns are everything that a card says, the facts that most choose by first.
func columns() []column {
	flag := func(of func(m api.Model) api.Support) func(m api.Model) string {
		return func(m api.Model) string { return cmp.Or(string(of(m)), "?") }
	}
	price := func(of func(p api.Prices) *int64) func(m api.Model) string {
		return func(m api.Model) string {
			if m.Prices == nil {
				return "?"
			}
			return dollars(of(*m.Prices))
		}
	}
	return []column{
		{"MODEL", func(m api.Model) string { return m.ID }},
		{"CONTEXT", func(m api.Model) string { return tokens(m.ContextLength) }},
		{"MAX OUTPUT", func(m api.Model) string { return tokens(m.MaxOutputTokens) }},
		{"IN $/M", price(func(p api.Prices) *int64 { return p.Input })},
		{"OUT $/M", price(func(p api.Prices) *int64 { return p.Output })},
		{"CACHED $/M", price(func(p api.Prices) *int64 { return p.CacheRead })},
		{"ZDR", flag(func(m api.Model) api.Support { return m.ZDR })},
		{"VISION", flag(func(m api.Model) api.Support { return m.Vision })},
		{"TOOLS", flag(func(m api.Model) api.Support { return m.Tools })},
		{"REASONING", flag(func(m api.Model) api.Support { return m.Reasoning })},
		{"EFFORTS", efforts},
		{"EFFORT BY", func(m api.Model) string { return cmp.Or(m.EffortControl, "?") }},
		{"JSON", flag(func(m api.Model) api.Support { return m.JSONObject })},
		{"SCHEMA", flag(func(m api.Model) api.Support { return m.JSONSchema })},
		{"TOOLS+JSON", flag(func(m api.Model) api.Support { return m.ToolsWithFormat })},
		{"N", flag(func(m api.Model) api.Support { return m.N })},
		{"REGEX", flag(func(m api.Model) api.Support { return m.Regex })},
		{"GRAMMAR", flag(func(m api.Model) api.Support { return m.Grammar })},
		{"LOGPROBS", flag(func(m api.Model) api.Support { return m.Logprobs })},
		{"CREATED", created},
		{"TIER", func(m api.Model) string { return m.Tier }},
		{"DISABLED", func(m api.Model) string { return m.Disabled }},
	}
}

// efforts marks the default with a star; one that is not in the list comes last.
func efforts(m api.Model) string {
	var out []string
	listed := m.DefaultEffort == ""
	for _, e := range m.Efforts {
		if e == m.DefaultEffort {
			e, listed = e+"*", true
		}
		out = append(out, e)
	}
	if !listed {
		out = append(out, m.DefaultEffort+"*")
	}
	return cmp.Or(strings.Join(out, " "), "?")
}

func created(m api.Model) string {
	if m.Created.IsZero() {
		return "?"
	}
	return m.Created.UTC().Format(time.DateOnly)
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

// modelTable prints one line a model, or a paragraph a model on a terminal that
// the lines do not fit into.
func (p *program) modelTable(models api.Catalogue) error {
	cols := columns()
	rows := make([][]string, len(models))
	for i, m := range models {
		for _, c := range cols {
			rows[i] = append(rows[i], untrusted.Line(c.cell(m)))
		}
	}
	text, err := lined(cols, rows)
	if err != nil {
		return err
	}
	if width := p.terminalWidth(); width > 0 && widest(text) > width {
		text = paragraphs(cols, rows, width)
	}
	_, err = fmt.Fprint(p.out, text)
	return err
}

// terminalWidth is 0 where there is no terminal.
func (p *program) terminalWidth() int {
	f, ok := p.sys.Stdout.(*os.File)
	if !ok || !isTerminal(f) {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}

// lined is a table; a column that is empty in every row is left out.
func lined(cols []column, rows [][]string) (string, error) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	var shown []int
	var titles []string
	for i, c := range cols {
		for _, row := range rows {
			if row[i] != "" {
				shown, titles = append(shown, i), append(titles, c.title)
				break
			}
		}
	}
	fmt.Fprintln(w, strings.Join(titles, "\t"))
	for _, row := range rows {
		var cells []string
		for _, i := range shown {
			cells = append(cells, row[i])
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	err := w.Flush()
	return b.String(), err
}

func widest(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n = max(n, ansi.StringWidth(line))
	}
	return n
}

// paragraphs gives each model its name and its facts below, wrapped.
func paragraphs(cols []column, rows [][]string, width int) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row[0])
		line := width // full: the first fact begins a line
		for i, cell := range row[1:] {
			if cell == "" {
				continue
			}
			fact := strings.ToLower(cols[i+1].title) + " " + cell
			if n := ansi.StringWidth(fact); line+3+n > width {
				b.WriteString("\n  " + fact)
				line = 2 + n
			} else {
				b.WriteString(" · " + fact)
				line += 3 + n
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
