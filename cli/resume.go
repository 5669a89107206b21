package cli

import "github.com/spf13/cobra"

// resumeCommand is -r as a command.
func (p *program) resumeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume [ID|TITLE|PREFIX]",
		Short: "Go on with a session; without a name, choose one",
		Args:  p.takes(0, 1, "one session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.flags.resumeSet, p.flags.noSessionValue = true, len(args) == 0
			if len(args) == 1 {
				p.flags.resume = args[0]
			}
			return p.chat(cmd.Context(), nil)
		},
	}
	p.flags.chat(cmd.Flags())
	_ = cmd.Flags().MarkHidden("resume")
	return cmd
}
