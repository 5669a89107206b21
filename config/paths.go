package config

import (
	"errors"
	"path/filepath"
	"strings"
)

// Paths are the files and directories of the program. None is created here.
type Paths struct {
	// Config is config.toml, the user's own file; Settings is settings.toml
	// beside it, the program's; Keys is the key file for machines without a
	// keyring; Themes is a directory.
	Config, Settings, Keys, Themes string
	// Data is the directory of the stores: Sessions, and Demo for chats with the
	// built-in demo.
	Data, Sessions, Demo string
	Log                  string
	// Cache is the directory of the model lists.
	Cache string
}

// Models returns the file that caches the model list of a host.
func (p Paths) Models(host string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, host)
	return filepath.Join(p.Cache, "models-"+name+".json")
}

// ErrNoHome tells that no place for files can be found.
var ErrNoHome = errors.New("no home directory: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME and XDG_CACHE_HOME")

// FindPaths computes the paths from the environment: the XDG base directories
// where they are set to absolute paths (relative ones do not count, as the XDG
// specification says), else what is usual on goos (runtime.GOOS).
func FindPaths(getenv func(string) string, goos string) (Paths, error) {
	config, data, state, cache := standard(getenv, goos)
	for _, d := range []struct {
		name string
		dir  *string
	}{{"XDG_CONFIG_HOME", &config}, {"XDG_DATA_HOME", &data}, {"XDG_STATE_HOME", &state}, {"XDG_CACHE_HOME", &cache}} {
		if v := getenv(d.name); filepath.IsAbs(v) {
			*d.dir = filepath.Join(v, "waferchat")
		}
		if *d.dir == "" {
			return Paths{}, ErrNoHome
		}
	}
	return Paths{
		Config:   filepath.Join(config, "config.toml"),
		Settings: filepath.Join(config, "settings.toml"),
		Keys:     filepath.Join(config, "keys.json"),
		Themes:   filepath.Join(config, "themes"),
		Log:      filepath.Join(state, "waferchat.log"),
		Cache:    cache,
	}.WithData(data), nil
}

// WithData returns p with its stores in another directory.
func (p Paths) WithData(dir string) Paths {
	p.Data = dir
	p.Sessions = filepath.Join(dir, "sessions.db")
	p.Demo = filepath.Join(dir, "sessions-demo.db")
	return p
}

// WithConfig returns p with another config.toml, and settings.toml beside it.
func (p Paths) WithConfig(file string) Paths {
	p.Config = file
	p.Settings = filepath.Join(filepath.Dir(file), "settings.toml")
	return p
}

// standard gives the usual directories of a system, "" where there are none.
func standard(getenv func(string) string, goos string) (config, data, state, cache string) {
	join := func(parts ...string) string {
		if !filepath.IsAbs(parts[0]) {
			return ""
		}
		return filepath.Join(append(parts, "waferchat")...)
	}
	switch goos {
	case "windows":
		local := getenv("LOCALAPPDATA")
		base := join(local)
		if base == "" {
			return "", "", "", ""
		}
		return base, base, base, filepath.Join(base, "cache")
	case "darwin":
		home := getenv("HOME")
		support := join(home, "Library", "Application Support")
		return support, support, join(home, "Library", "Logs"), join(home, "Library", "Caches")
	}
	home := getenv("HOME")
	return join(home, ".config"), join(home, ".local", "share"), join(home, ".local", "state"), join(home, ".cache")
}
