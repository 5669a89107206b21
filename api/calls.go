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
	name   string
	args   strings.Builder
	joiner joiner
}

// complete tells whether the arguments are a whole JSON value.
func (c *call) complete() bool {
	return c.args.Len() > 0 && json.Valid([]byte(c.args.String()))
}

// add takes the fragments of one delta and gives each of their events.
func (a *assembler) add(fragments []fragment, give func(CallDelta)) {
	touched := map[*call]bool{}
	for position, f := range fragments {
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
		return a.findIndex(f)
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

// findIndex looks the server's index up. Some servers give every call the same
// one: then another id with a name begins a call once the one before is whole.
func (a *assembler) findIndex(f fragment) int {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		if c.key != f.Index {
			continue
		}
		if f.ID != "" && c.server != "" && string(f.ID) != c.server && f.Function.Name != "" && c.complete() {
			return -1
		}
		return i
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
		c.name = name
		d.Name, ok = name, true
	}
	d.Arguments = c.joiner.add(string(f.Function.Arguments))
	c.args.WriteString(d.Arguments)
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
