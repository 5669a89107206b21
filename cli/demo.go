package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"waferchat/api/emulator"
)

func (p *program) serveDemoCommand() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve-demo",
		Short: "Serve the scripted demo to other programs until interrupted",
		Args:  p.takes(0, 0, ""),
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.serveDemo(cmd.Context(), addr) },
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "listen on this `ADDRESS`")
	return cmd
}

// serveDemo prints the base URL on stdout and serves. Being interrupted is its
// ordinary end.
func (p *program) serveDemo(ctx context.Context, addr string) error {
	server, err := emulator.Listen(addr, emulator.Options{Forget: true})
	if err != nil {
		return local(err)
	}
	defer func() { _ = server.Close() }()
	if _, err := fmt.Fprintln(p.out, server.URL); err != nil {
		return err
	}
	p.note("this is a scripted demo, no model; Ctrl+C ends it")
	<-ctx.Done()
	return nil
}
