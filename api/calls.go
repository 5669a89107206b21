package api

import (
	"encoding/json"
	"strings"
)

// maxCalls bounds the tool calls of one choice against a server that floods.
const maxCalls = 1024

// assembler gives the fragments of one choice's tool calls their place.
type assembler struct {
	calls []*call
	newID func() string
}

// call is a tool call as far as it has arrived.
type call struct {
	key    index  // the server's own index
	server string // the server's own id
	id     string
	name   string // as the server wrote it: see cleanName
	args   strings.Builder
	joiner joiner
	extra  callExtra
}

// complete tells whether the arguments are a whole JSON value.
func (c *call) complete() bool { return json.Valid([]byte(c.args.String())) }

// begun tells whether some of the arguments have come.
func (c *call) begun() bool { return strings.TrimSpace(c.args.String()) != "" }

// other tells whether a fragment that has the call's index is of another call:
// some servers give every call the same one. Another id tells it when it comes
// with a name, unless it comes in the middle of the arguments: there some servers
// make up an id for every fragment. touched says that the call had a fragment in
// the same delta, which would not cut one call in two.
func (c *call) other(f fragment, touched bool) bool {
	id, name := string(f.ID), string(f.Function.Name)
	if id == "" || c.server == "" {
		return name != "" && name != c.name && (touched || c.complete())
	}
	return id != c.server && (touched || name != "" && (!c.begun() || c.complete()))
}

// add takes the fragments of one delta and gives each of their events.
func (a *assembler) add(fragments []fragment, give func(CallDelta)) {
	touched := map[*call]bool{}
	for position, f := range fragments {
		if f.empty() {
			continue
		}
		n := a.find(f, position, len(fragments), touched)
		if n < 0 {
			if len(a.calls) >= maxCalls {
				continue
			}
			a.calls = append(a.calls, &call{})
			n = len(a.calls) - 1
		}
		touched[a.calls[n]] = true
		if d, ok := a.extend(n, f); ok {
			give(d)
		}
	}
}

// find returns the call that a fragment belongs to, -1 for a new one: by the
// server's index, then by its id, then by position.
func (a *assembler) find(f fragment, position, of int, touched map[*call]bool) int {
	if f.Index.ok {
		return a.findIndex(f, touched)
	}
	if f.ID != "" {
		return a.findID(string(f.ID))
	}
	last := len(a.calls) - 1
	if f.Function.Name == "" {
		if of > 1 && position <= last {
			return position
		}
		return last
	}
	// A name begins a call, unless the one before repeats it unfinished.
	if last >= 0 && a.calls[last].name == string(f.Function.Name) &&
		!a.calls[last].complete() && !touched[a.calls[last]] {
		return last
	}
	return -1
}

// findIndex looks the server's index up: the call that has it and the fragment's
// id, else the latest that has it.
func (a *assembler) findIndex(f fragment, touched map[*call]bool) int {
	latest, same := -1, -1
	for i, c := range a.calls {
		if c.key != f.Index {
			continue
		}
		if latest = i; f.ID != "" && c.server == string(f.ID) {
			same = i
		}
	}
	switch {
	case same >= 0 && (same == latest || !a.calls[same].complete()):
		return same
	case latest >= 0 && a.calls[latest].other(f, touched[a.calls[latest]]):
		return -1
	case latest >= 0:
		return latest
	}
	// Calls that began without an index get it with a later fragment.
	if f.ID != "" {
		if i := a.findID(string(f.ID)); i >= 0 && !a.calls[i].key.ok {
			return i
		}
		return -1
	}
	if f.Function.Name != "" {
		return -1
	}
	if n := f.Index.n; n >= 0 && n < len(a.calls) && !a.calls[n].key.ok {
		return n
	}
	if last := len(a.calls) - 1; last >= 0 && !a.calls[last].key.ok {
		return last
	}
	return -1
}

func (a *assembler) findID(id string) int {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].server == id {
			return i
		}
	}
	return -1
}

// extend adds a fragment to call n. ok is false when it says nothing new.
func (a *assembler) extend(n int, f fragment) (d CallDelta, ok bool) {
	c := a.calls[n]
	d.Index = n
	if f.Index.ok && !c.key.ok {
		c.key = f.Index
	}
	if c.server == "" {
		c.server = string(f.ID)
	}
	if c.id == "" {
		c.id = a.uniqueID(new(joiner).add(string(f.ID)))
		d.ID, ok = c.id, true
	}
	if name := c.named(new(joiner).add(string(f.Function.Name))); name != c.name {
		before := cleanName(c.name)
		c.name = name
		if name = cleanName(name); name != before {
			d.Name, ok = name, true
		}
	}
	d.Arguments = c.joiner.add(string(f.Function.Arguments))
	c.args.WriteString(d.Arguments)
	if c.extra.note(f) {
		d.Extra, ok = c.extra.fields(), true
	}
	return d, ok || d.Arguments != ""
}

// named is the call's name with another piece of it: some servers repeat the
// name, some cut it into pieces, which end where the arguments begin.
func (c *call) named(piece string) string {
	switch {
	case c.name == "" || strings.HasPrefix(piece, c.name):
		if c.name == "" || c.args.Len() == 0 {
			return piece
		}
	case piece != "" && c.args.Len() == 0:
		return c.name + piece
	}
	return c.name
}

// cleanName is a name without the special tokens of the model's own language
// that some engines leave behind it, such as <|tool_call_argument_begin|>.
func cleanName(name string) string {
	name, _, _ = strings.Cut(name, "<|")
	return strings.TrimSpace(name)
}

// uniqueID is id, or a new one when the server gave none or gave it before.
func (a *assembler) uniqueID(id string) string {
	if strings.TrimSpace(id) == "" {
		return a.newID()
	}
	for _, c := range a.calls {
		if c.id == id {
			return a.newID()
		}
	}
	return id
}

// flush gives what is still held when the calls are over.
func (a *assembler) flush(give func(CallDelta)) {
	for i, c := range a.calls {
		if rest := c.joiner.flush(); rest != "" {
			give(CallDelta{Index: i, Arguments: rest})
		}
	}
}
