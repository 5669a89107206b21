package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"waferchat/config"
)

func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Args: p.takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(p.out, manPage(cmd.Root()))
			return err
		},
	}
}

// manPage writes the command line and the configuration as a man(7) page.
func manPage(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH WAFERCHAT 1\n.SH NAME\nwaferchat \\- %s\n.SH SYNOPSIS\n.nf\n%s [flags]\nwaferchat COMMAND\n.fi\n",
		roff(strings.ToLower(root.Short)), roff(root.Use))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.SH EXAMPLES\n.nf\n%s\n.fi\n", roff(root.Long), roff(root.Example))
	b.WriteString(".SH OPTIONS\n")
	manFlags(&b, root.LocalFlags())
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, root)
	b.WriteString(".SH CONFIGURATION\nconfig.toml holds these options, also in tables [profile.NAME].\n")
	for _, o := range config.Options() {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(o.Name), roff(o.Doc))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, s := range []struct {
		status int
		means  string
	}{
		{exitDone, "done"}, {exitFailed, "the API or the system reported an error"}, {exitUsage, "wrong usage or configuration"},
		{exitCut, "the answer was cut short"}, {exitUnsatisfied, "the answer does not satisfy the schema, JSON mode or the regular expression"}, {exitInterrupted, "interrupted"},
	} {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", s.status, s.means)
	}
	return b.String()
}

func manCommands(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || !c.IsAvailableCommand() {
			continue
		}
		if c.HasAvailableSubCommands() {
			manCommands(b, c)
			continue
		}
		use := strings.TrimPrefix(c.UseLine(), c.Root().Name()+" ")
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSuffix(use, " [flags]")), roff(c.Short))
	}
}

func manFlags(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		name, text := pflag.UnquoteUsage(f)
		form := "--" + f.Name
		if f.Shorthand != "" {
			form = "-" + f.Shorthand + ", " + form
		}
		if name != "" {
			form += " " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(form), roff(text))
	})
}

// roff escapes text for man(7).
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
