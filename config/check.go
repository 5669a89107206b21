package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"waferchat/nearest"
)

// check reports what is wrong with the entries of a file, in every profile and
// not only the one in use, and returns the good ones. A bad or mistyped
// base_url or zdr stays among them without its value, so that applying it fails
// closed.
func (l *loader) check(entries []entry) []entry {
	var good []entry
	seen := map[string]Origin{}
	for _, e := range entries {
		path := strings.Join(e.path, "\x00")
		if first, ok := seen[path]; ok {
			l.report(e.origin.problem("", "%s is given twice, first in line %d", strings.Join(e.path, "."), first.Line))
			continue
		}
		seen[path] = e.origin
		p := checkEntry(e)
		if p.Message != "" {
			l.report(p)
		}
		if failsClosed(p.Option) {
			e.path, e.text = append(slices.Clone(e.path[:len(e.path)-1]), p.Option), ""
		} else if p.Message != "" {
			continue
		}
		good = append(good, e)
	}
	return good
}

// failsClosed tells whether a bad value must not be taken for a missing one.
func failsClosed(option string) bool { return option == "base_url" || option == "zdr" }

// checkEntry looks at the name, the kind and the value of an entry.
func checkEntry(e entry) Problem {
	table := e.kind == unstable.Table || e.kind == unstable.InlineTable
	switch {
	case e.path[0] == "profile":
		return checkProfile(e, table)
	case e.path[0] == "keys":
		return checkBinding(e, table)
	case len(e.path) > 1 || table || e.kind == unstable.ArrayTable:
		if _, known := find(e.path[0]); !known {
			return unknown(e, e.path[0], append(names(false), "keys", "profile"))
		}
		return e.origin.problem(e.path[0], "%s is not a table", e.path[0])
	}
	return checkValue(e, e.path[0], append(names(false), "keys", "profile"))
}

func checkProfile(e entry, table bool) Problem {
	switch {
	case len(e.path) < 3 && table:
		return Problem{}
	case len(e.path) == 1:
		return e.origin.problem("", "profile is a table: write [profile.NAME]; default_profile names the one to use")
	case len(e.path) == 3 && !table:
		if o, ok := find(e.path[2]); ok && o.TopLevel {
			return e.origin.problem(o.Name, "%s cannot stand in a profile", o.Name)
		}
		return checkValue(e, e.path[2], names(true))
	}
	return unknown(e, e.path[len(e.path)-1], names(true))
}

func checkBinding(e entry, table bool) Problem {
	switch {
	case len(e.path) == 1 && table:
		return Problem{}
	case len(e.path) != 2 || table:
		return e.origin.problem("", "[keys] takes lines such as new-chat = \"ctrl+n\"")
	case e.kind != unstable.String && (e.kind != unstable.Array || e.bad):
		return e.origin.problem("", "%s takes a key such as \"ctrl+n\" or a list of keys, not %s", e.path[1], kindName(e.kind))
	}
	return Problem{}
}

func checkValue(e entry, name string, valid []string) Problem {
	o, ok := find(name)
	if !ok {
		return unknown(e, name, valid)
	}
	want := map[Type]unstable.Kind{Text: unstable.String, Choice: unstable.String, Duration: unstable.String,
		Integer: unstable.Integer, Boolean: unstable.Bool, List: unstable.Array}[o.Type]
	if e.kind != want {
		return e.origin.problem(name, "%s takes %s, not %s", name, kindName(want), kindName(e.kind))
	}
	if e.bad {
		return e.origin.problem(name, "%s takes a list of texts, such as [\"a\", \"b\"]", name)
	}
	scratch := defaults()
	if err := o.apply(&scratch, e.text); err != nil {
		return e.origin.problem(name, "%s %v", name, err)
	}
	return Problem{}
}

func unknown(e entry, name string, valid []string) Problem {
	if slices.Contains([]string{"key", "api_key", "apikey", "api-key", "token", "secret"}, strings.ToLower(name)) {
		return e.origin.problem("", "a key does not belong in this file: use `waferchat key set`, key_command or key_env")
	}
	msg := fmt.Sprintf("unknown option %q", name)
	if near, ok := nearest.Name(name, valid); ok {
		return e.origin.problem(near, "%s; did you mean %q?", msg, near)
	}
	return e.origin.problem("", "%s", msg)
}
