// Command waferchat is a terminal chat client for the Wafer Serverless API and
// for every server that speaks the same OpenAI-compatible protocol.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"waferchat/cli"
)

func main() { os.Exit(run()) }

func run() (status int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprint(os.Stderr, cli.Crash(os.Getenv, v, debug.Stack()))
			status = 1
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	// Whoever reads the output may go away: then the write fails, and the run
	// ends in order instead of dying.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	cobra.MousetrapHelpText = "" // a double click in Windows opens the chat
	return cli.Run(ctx, cli.System{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Version: version(),
		Frugal:  frugal,
	})
}

// frugal sets the process up for one answer that passes through: with a single
// processor its goroutines hand over without waking threads, which is half the
// cost of a delta.
func frugal() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
}

// endings are the signals that end the program in order. A hangup that the
// parent had ignored, as nohup does, stays so.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// version is the module's version, else the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
