package composer

import "slices"

// The undo log is bounded in steps and in the bytes that they keep alive.
const (
	maxSteps    = 1000
	maxLogBytes = 64 << 20
	stepBytes   = 4 << 10 // the leaves and path that a step copies, about
)

// step is one undoable change.
type step struct {
	before, after state
	cost          int
}

// undoLog holds steps, the first at of them done and the others undone.
type undoLog struct {
	steps []step
	at    int
	cost  int
}

// record adds a change, to the last step if it joins it. The newest step is
// kept whatever it costs.
func (u *undoLog) record(before, after state, cost int, join bool) {
	for _, s := range u.steps[u.at:] {
		u.cost -= s.cost
	}
	u.steps = slices.Delete(u.steps, u.at, len(u.steps))
	if join && u.at > 0 {
		last := &u.steps[u.at-1]
		last.after = after
		last.cost += cost
		u.cost += cost
		return
	}
	cost += stepBytes
	u.steps = append(u.steps, step{before, after, cost})
	u.cost += cost
	drop := 0
	for n := len(u.steps); drop < n-1 && (n-drop > maxSteps || u.cost > maxLogBytes); drop++ {
		u.cost -= u.steps[drop].cost
	}
	u.steps = slices.Delete(u.steps, 0, drop)
	u.at = len(u.steps)
}

// Undo takes the last step back; false when there is none.
func (c *Composer) Undo() bool {
	c.done("")
	if c.log.at == 0 {
		return false
	}
	c.log.at--
	c.state = c.log.steps[c.log.at].before
	c.changed(0)
	return true
}

// Redo does again what was undone last; false when there is nothing, or after
// another change.
func (c *Composer) Redo() bool {
	c.done("")
	if c.log.at == len(c.log.steps) {
		return false
	}
	c.state = c.log.steps[c.log.at].after
	c.log.at++
	c.changed(0)
	return true
}

// bytes is what a tree keeps alive, about.
func (n *node) bytes() int {
	if n == nil {
		return 0
	}
	return n.fullSize
}
