package api

import (
	"maps"
	"slices"
	"strings"
)

// without returns the parameters that are not sent to a model.
func (c *Client) without(model string) dropped {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.refused[strings.ToLower(model)])
}

// remember leaves a parameter out for a model from now on.
func (c *Client) remember(model, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	model = strings.ToLower(model)
	if c.refused[model] == nil {
		c.refused[model] = dropped{}
	}
	c.refused[model][name] = true
}

// Refused is what the client leaves out now for each model, by the model's id in
// lower case, the names sorted: those of [Options.Refused] and what servers have
// refused since. Beside parameters there are fields of messages ("messages.…"),
// max_tokens or max_completion_tokens stands for the one that is sent under the
// other's name, and "messages.+reasoning_content" for what is added. The map is
// the caller's own. It is safe for concurrent use.
func (c *Client) Refused() map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string][]string{}
	for model, names := range c.refused {
		all[model] = slices.Sorted(maps.Keys(names))
	}
	return all
}

// isRefusable tells whether a name is one that this client remembers.
func isRefusable(name string) bool {
	field, inCall := strings.CutPrefix(name, inCalls)
	return inCall && field != "" || name == emptyContent || name == emptyReasoning || slices.Contains(droppable(), name)
}
