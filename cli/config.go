package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"waferchat/config"
	"waferchat/ui/untrusted"
)

func (p *program) configCommand() *cobra.Command {
	none := p.takes(0, 0, "")
	return p.group("config", "Show, check and begin the configuration",
		&cobra.Command{Use: "path", Short: "Print where config.toml is", Args: none,
			RunE: func(*cobra.Command, []string) error { return p.configPath() }},
		&cobra.Command{Use: "show", Short: "Print what is in force and where it comes from", Args: none,
			RunE: func(*cobra.Command, []string) error { return p.showConfig() }},
		&cobra.Command{Use: "check", Short: "Report mistakes", Args: none,
			RunE: func(*cobra.Command, []string) error { return p.checkConfig() }},
		&cobra.Command{Use: "init", Short: "Write a config.toml in which everything is explained", Args: none,
			RunE: func(*cobra.Command, []string) error { return p.initConfig() }},
	)
}

func (p *program) configPath() error {
	if err := p.findPaths(); err != nil {
		return err
	}
	if p.paths.Config == "" {
		return local(p.noPaths)
	}
	_, err := fmt.Fprintln(p.out, p.paths.Config)
	return err
}

func (p *program) showConfig() error {
	if err := p.setup(); err != nil {
		return err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, o := range config.Options() {
		fmt.Fprintf(w, "%s = %s\t# %s\n", o.Name, config.Quote(o, p.config.Value(o.Name)), origin(p.config.Origin(o.Name)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprint(p.out, untrusted.Plain(b.String())); err != nil {
		return err
	}
	p.tellProblems()
	return nil
}

func origin(o config.Origin) string {
	text := o.Source
	switch {
	case o.Source == "":
		return "default"
	case o.Line > 0:
		text = fmt.Sprintf("%s:%d", o.Source, o.Line)
	}
	if o.Profile != "" {
		text += " in the profile " + o.Profile
	}
	return text
}

func (p *program) checkConfig() error {
	if err := p.setup(); err != nil {
		return err
	}
	problems := append(slices.Clone(p.problems), p.rootProblems()...)
	for _, problem := range problems {
		fmt.Fprintln(p.sys.Stderr, untrusted.Plain(problem.Error()))
	}
	if len(problems) > 0 {
		return &exitError{status: exitUsage}
	}
	p.note("the configuration is in order")
	return nil
}

func (p *program) initConfig() error {
	if err := p.findPaths(); err != nil {
		return err
	}
	file := p.paths.Config
	if file == "" {
		return local(p.noPaths)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return local(fmt.Errorf("write config: %w", err))
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &exitError{exitFailed, fmt.Errorf("%s exists already; it is yours and stays as it is", file)}
	}
	if err != nil {
		return local(fmt.Errorf("write config: %w", err))
	}
	_, err = f.WriteString(config.Template())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return local(fmt.Errorf("write config: %w", err))
	}
	_, err = fmt.Fprintln(p.out, file)
	return err
}
