package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"waferchat/config"
	"waferchat/host"
	"waferchat/nearest"
)

// setup reads the configuration. Mistakes on the command line end the run,
// others are left in p.problems.
func (p *program) setup() error {
	if err := p.findPaths(); err != nil {
		return err
	}
	p.config, p.problems = p.load(p.flags.profile)
	var mistakes []string
	for _, problem := range p.problems {
		if problem.Usage() {
			mistakes = append(mistakes, problem.Error())
		}
	}
	if len(mistakes) > 0 {
		return usage("%s", strings.Join(mistakes, "\nwaferchat: "))
	}
	if p.flags.demo && p.flags.baseURLSet {
		return usage("--demo and --base-url do not go together")
	}
	p.keys = host.NewKeys(host.KeyOptions{File: p.paths.Keys, Keyring: p.sys.Keyring, System: p.host()})
	return p.openLog()
}

func (p *program) load(profile string) (config.Config, []config.Problem) {
	return config.Load(config.Sources{
		Getenv:   p.sys.Getenv,
		File:     p.paths.Config,
		Settings: p.paths.Settings,
		Required: p.flags.config != "",
		Profile:  profile,
		Flags:    p.flags.settings(),
	})
}

// useServerOf makes available what a profile says about its server, for a
// session that was held with it: the key that was given for its host may stand
// there.
func (p *program) useServerOf(profile string) {
	if profile == "" || profile == p.config.Profile || p.flags.profile != "" || !slices.Contains(p.config.Profiles, profile) {
		return
	}
	with, _ := p.load(profile)
	p.config = p.config.WithServer(with)
}

func (p *program) findPaths() error {
	p.paths, p.noPaths = config.FindPaths(p.sys.Getenv, goos)
	for _, f := range []struct {
		flag  string
		value *string
	}{{"--config", &p.flags.config}, {"--data-dir", &p.flags.dataDir}} {
		if *f.value == "" {
			continue
		}
		abs, err := filepath.Abs(*f.value)
		if err != nil {
			return fmt.Errorf("find %s: %w", f.flag, err)
		}
		*f.value = abs
	}
	if p.flags.config != "" {
		p.paths = p.paths.WithConfig(p.flags.config)
	}
	if p.flags.dataDir != "" {
		p.paths = p.paths.WithData(p.flags.dataDir)
	}
	return nil
}

// sessionsFile is the store's path: the demo has one of its own, so that its
// chats never mix with real ones.
func (p *program) sessionsFile(demo bool) string {
	if demo {
		return p.paths.Demo
	}
	return p.paths.Sessions
}

// warn tells the problems of the configuration. It returns an error when they
// leave no server to talk to.
func (p *program) warn() error {
	closed := p.config.BaseURL == "" && !p.flags.demo
	if closed {
		var lines []string
		for _, problem := range p.problems {
			lines = append(lines, problem.Error())
		}
		return usage("%s\nwaferchat: nothing is sent while it is unclear where to", strings.Join(lines, "\nwaferchat: "))
	}
	p.tellProblems()
	if config.Plain(p.config.BaseURL) && !p.flags.demo {
		p.note("%s is not encrypted: everything, the key included, can be read on the way", config.Host(p.config.BaseURL))
	}
	return nil
}

func (p *program) tellProblems() {
	for _, problem := range p.problems {
		p.note("%s", problem.Error())
	}
}

// oneOf checks a flag's value against what it may be.
func oneOf(flag, value string, valid ...string) error {
	if slices.Contains(valid, value) {
		return nil
	}
	if near, ok := nearest.Name(value, valid); ok {
		return usage("--%s takes %s, not %q; did you mean %q?", flag, strings.Join(valid, ", "), value, near)
	}
	return usage("--%s takes %s, not %q", flag, strings.Join(valid, ", "), value)
}
