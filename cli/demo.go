package cli

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"

	"github.com/spf13/cobra"

	"waferchat/api/emulator"
)

// demoServer is what serve-demo was asked for.
type demoServer struct {
	addr, profile, key, cassette string

	seed       uint64
	speed      float64
	speedGiven bool
}

func (p *program) serveDemoCommand() *cobra.Command {
	var d demoServer
	cmd := &cobra.Command{
		Use:   "serve-demo",
		Short: "Serve the scripted demo to other programs until interrupted",
		Long: "Serve the scripted demo to other programs until interrupted. It plays the API without a model\n" +
			"behind it, and prints its base URL first, for any client that takes one.",
		Example: "  waferchat serve-demo --addr 127.0.0.1:8080 --speed 60\n" +
			"  waferchat serve-demo --profile strict --key wfr_test\n" +
			"  waferchat serve-demo --cassette answer.jsonl --speed 0",
		Args: p.takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.speedGiven = cmd.Flags().Changed("speed")
			return p.serveDemo(cmd.Context(), d)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&d.addr, "addr", "127.0.0.1:0", "listen on this `ADDRESS`")
	f.StringVar(&d.profile, "profile", string(emulator.Document), "answer as the `NAME` does: document (what the API's document allows) or strict (the pickiest servers)")
	f.Uint64Var(&d.seed, "seed", 0, "choose among the answers by `N`; the same one gives the same answers")
	f.Float64Var(&d.speed, "speed", 0, "stream `TOKENS` a second; 0 is as fast as possible")
	f.StringVar(&d.key, "key", "", "accept this `KEY` only; without it any, or none")
	f.StringVar(&d.cassette, "cassette", "", "answer every chat request with the recorded answer in `FILE`, in its own time, or at once with --speed 0")
	return cmd
}

// options checks the flags.
func (d demoServer) options() (emulator.Options, error) {
	profile := emulator.Profile(d.profile)
	_, _, badAddress := net.SplitHostPort(d.addr)
	switch {
	case badAddress != nil:
		return emulator.Options{}, usage("--addr is HOST:PORT, such as 127.0.0.1:8080, not %q", d.addr)
	case profile != emulator.Document && profile != emulator.Strict:
		return emulator.Options{}, usage("--profile is document or strict here, not %q", d.profile)
	case d.speed < 0 || math.IsNaN(d.speed) || math.IsInf(d.speed, 0):
		return emulator.Options{}, usage("--speed is a number of tokens a second, 0 or more, not %v", d.speed)
	case d.cassette != "" && d.speed > 0:
		return emulator.Options{}, usage("--cassette has its own time: --speed goes with it only as --speed 0")
	}
	return emulator.Options{Profile: profile, Key: d.key, Seed: d.seed, Speed: d.speed, Forget: true}, nil
}

// recorded is the cassette as a reply.
func (d demoServer) recorded() (emulator.Reply, error) {
	f, err := os.Open(d.cassette)
	if err != nil {
		return emulator.Reply{}, usage("--cassette: %v", err)
	}
	defer func() { _ = f.Close() }()
	c, err := emulator.ReadCassette(f)
	if err != nil {
		return emulator.Reply{}, usage("--cassette %s: %v", d.cassette, err)
	}
	if d.speedGiven {
		return c.ReplyAtOnce(), nil
	}
	return c.Reply(), nil
}

// serveDemo prints the base URL on stdout and serves. Being interrupted is its
// ordinary end.
func (p *program) serveDemo(ctx context.Context, d demoServer) error {
	options, err := d.options()
	if err != nil {
		return err
	}
	var reply emulator.Reply
	if d.cassette != "" {
		if reply, err = d.recorded(); err != nil {
			return err
		}
	}
	server, err := emulator.Listen(d.addr, options)
	if err != nil {
		return local(err)
	}
	defer func() { _ = server.Close() }()
	if d.cassette != "" {
		server.ScriptRest(reply)
	}
	if _, err := fmt.Fprintln(p.out, server.URL); err != nil {
		return err
	}
	p.note("this is a scripted demo, no model; Ctrl+C ends it")
	<-ctx.Done()
	return nil
}
