package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"waferchat/nearest"
)

// Sources are what [Load] reads.
type Sources struct {
	// Getenv reads the environment.
	Getenv func(string) string
	// File and Settings are the paths of config.toml and settings.toml; "" is
	// none. A file that does not exist is no problem unless Required names it.
	File, Settings string
	// Required tells that the user named File, so that it has to exist.
	Required bool
	// Profile is the profile named on the command line, "" for none.
	Profile string
	// Flags are option values given on the command line, by option name.
	Flags map[string]string
}

// Load layers defaults, config.toml, settings.toml, the profile, the
// environment and the flags, later ones winning. It always returns a usable
// Config: what is wrong is left out and reported. Two mistakes fail closed:
// with a base URL that cannot be understood there is none at all, and a broken
// zdr counts as true.
func Load(src Sources) (Config, []Problem) {
	l := loader{config: defaults()}
	l.config.keys = KeyInput{Getenv: src.Getenv, ProfileChosen: src.Profile != ""}
	file := l.read(src.File, src.Required)
	l.config.keys.File = l.topLevel(file)
	settings := l.read(src.Settings, false)
	l.config.keys.Settings = l.topLevel(settings)
	l.profile(src.Profile, file, settings)
	l.environment(src.Getenv)
	for _, o := range Options() {
		if v, ok := src.Flags[o.Name]; ok {
			l.set(o, v, Origin{Source: o.Flag})
		}
	}
	return l.config, l.problems
}

type loader struct {
	config   Config
	problems []Problem
	// lostURL and lostZDR tell that the file read last may have said where to
	// send, or to require zero data retention, in a part that cannot be read.
	lostURL, lostZDR bool
}

func (l *loader) report(p Problem) { l.problems = append(l.problems, p) }

// read parses a file into its valid entries.
func (l *loader) read(path string, required bool) []entry {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		p := Problem{Source: path, Message: fmt.Sprintf("cannot be read: %v", err)}
		if required {
			p.Source = "--config " + path
		}
		l.report(p)
		l.lostURL = true
		return nil
	}
	entries, problems := parseTOML(path, data)
	for _, p := range problems {
		l.report(p)
		l.lostURL = l.lostURL || p.Option == "base_url"
		l.lostZDR = l.lostZDR || p.Option == "zdr"
	}
	return l.check(entries)
}

// topLevel applies the top level of the file that was read last.
func (l *loader) topLevel(entries []entry) KeyLayer {
	k := l.layer(entries, "")
	if l.lostURL {
		k.BaseURL, l.config.BaseURL = "", ""
	}
	l.config.ZDR = l.config.ZDR || l.lostZDR
	l.lostURL, l.lostZDR = false, false
	return k
}

// layer applies the entries of one table, "" for the top level, and returns
// what they say about keys.
func (l *loader) layer(entries []entry, profile string) KeyLayer {
	l.config.keyEnv, l.config.keyCommand = "", ""
	for _, e := range entries {
		name, in := e.path[0], ""
		if e.path[0] == "profile" && len(e.path) == 3 {
			name, in = e.path[2], e.path[1]
		}
		if in != profile || e.path[0] == "profile" && in == "" {
			continue
		}
		if e.path[0] == "keys" && len(e.path) == 2 {
			l.bind(e)
		}
		if o, ok := find(name); ok {
			at := e.origin
			at.Profile = in
			l.set(o, e.text, at)
		}
	}
	return KeyLayer{BaseURL: l.config.BaseURL, KeyEnv: l.config.keyEnv, KeyCommand: l.config.keyCommand}
}

// set applies one value, or fails closed where going on would be worse. What
// is wrong with a value of a file was reported when it was read.
func (l *loader) set(o Option, value string, at Origin) {
	err := o.apply(&l.config, value)
	if err == nil {
		if o.Name == "ca_file" {
			l.config.CAFile = l.place(l.config.CAFile, at)
		}
		l.config.origins[o.Name], l.config.values[o.Name] = at, value
		return
	}
	switch o.Name {
	case "base_url":
		l.config.BaseURL = ""
		l.config.origins[o.Name] = at
	case "zdr":
		l.config.ZDR = true
	}
	if at.Line == 0 {
		l.report(at.problem(o.Name, "%v", err))
	}
}

// place is where a path leads that stands in a file: it is relative to that
// file, and ~ is the home directory.
func (l *loader) place(path string, at Origin) string {
	home := l.config.keys.Getenv("HOME")
	if home == "" {
		home = l.config.keys.Getenv("USERPROFILE")
	}
	rest, tilde := strings.CutPrefix(path, "~")
	switch {
	case tilde && home != "" && (rest == "" || os.IsPathSeparator(rest[0])):
		return filepath.Join(home, rest)
	case path == "" || at.Line == 0 || filepath.IsAbs(path):
		return path
	}
	return filepath.Join(filepath.Dir(at.Source), path)
}

func (l *loader) bind(e entry) {
	keys := e.items
	if e.kind == unstable.String {
		keys = []string{e.text}
	}
	l.config.Keys[e.path[1]] = slices.Clone(keys)
	l.config.keysAt[e.path[1]] = e.origin
}

// profile applies the profile that was named, or the default one.
func (l *loader) profile(named string, layers ...[]entry) {
	seen := map[string]bool{}
	for _, entries := range layers {
		for _, e := range entries {
			if e.path[0] == "profile" && len(e.path) > 1 {
				seen[e.path[1]] = true
			}
		}
	}
	l.config.Profiles = slices.Sorted(maps.Keys(seen))
	at := l.config.origins["default_profile"]
	if named != "" {
		l.config.Profile, at = named, Origin{Source: "--profile"}
		l.config.origins["default_profile"] = at
	}
	name := l.config.Profile
	if name == "" {
		return
	}
	if !seen[name] {
		l.config.Profile, l.config.BaseURL = "", "" // who knows where it would have sent
		l.report(at.problem("default_profile", "%s", l.unknownProfile(name)))
		return
	}
	for _, entries := range layers {
		k := l.layer(entries, name)
		p := &l.config.keys.Profile
		p.BaseURL = k.BaseURL
		if k.KeyEnv != "" || k.KeyCommand != "" {
			p.KeyEnv, p.KeyCommand = k.KeyEnv, k.KeyCommand
		}
	}
}

func (l *loader) unknownProfile(name string) string {
	msg := fmt.Sprintf("names the profile %q, which is not configured", name)
	if near, ok := nearest.Name(name, l.config.Profiles); ok {
		return msg + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(l.config.Profiles) > 0 {
		return msg + "; there is " + list(l.config.Profiles)
	}
	return msg
}

// environment applies the variables of the table. The OPENAI pair is a last
// resort: other programs set it too, so it never outranks what was said to
// this one.
func (l *loader) environment(getenv func(string) string) {
	for _, o := range Options() {
		if o.Env == "" {
			continue
		}
		if v := getenv(o.Env); v != "" {
			l.set(o, v, Origin{Source: o.Env})
		}
	}
	openai := getenv("OPENAI_BASE_URL")
	if openai == "" || getenv("OPENAI_API_KEY") == "" || getenv("WAFER_API_KEY") != "" {
		return
	}
	if (l.config.origins["base_url"] == Origin{}) {
		o, _ := find("base_url")
		l.set(o, openai, Origin{Source: "OPENAI_BASE_URL"})
	}
}
