// Package config holds what the user has configured, as one immutable value.
//
// [Load] layers defaults, config.toml, settings.toml, a profile, the
// environment and the command line, and returns a [Config] with the problems
// it met, so that a program can start with the rest. [Options] is the one table
// of what can be set: it drives the loader, `config init` and the README.
// [FindPaths] says where files live, [KeySources] which API key may go to which
// host.
//
// It holds no secrets: a key is named here, never kept. It writes no file:
// [WithSetting] gives the text of settings.toml, the program's own.
package config
