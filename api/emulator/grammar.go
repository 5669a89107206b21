package emulator

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// grammar is a context-free grammar, read from one of two notations: GBNF,
// which is a kind of EBNF (name ::= …), or Lark's (name: …).
type grammar struct {
	rules map[string]production
	start string
	// depth is how deep the shallowest text of each rule is derived. A rule
	// that never ends is not in it.
	depth map[string]int
}

// production is a part of a rule.
type production interface {
	// least is the depth of its shallowest text, endless when it has none.
	least(depth map[string]int) int
	// names calls f with every rule that it names.
	names(f func(rule string))
	// write derives a text.
	write(d *derivation, level int)
}

const endless = math.MaxInt32

type (
	terminal   []string // a text, or some that match an expression
	reference  string
	sequence   []production
	choices    []production
	repetition struct {
		part production
		from int // how often at least; once more is allowed where it is 0
	}
)

func (terminal) least(map[string]int) int { return 0 }

func (r reference) least(depth map[string]int) int {
	if n, ok := depth[string(r)]; ok {
		return n + 1
	}
	return endless
}

func (s sequence) least(depth map[string]int) int {
	n := 0
	for _, p := range s {
		n = max(n, p.least(depth))
	}
	return n
}

func (c choices) least(depth map[string]int) int {
	n := endless
	for _, p := range c {
		n = min(n, p.least(depth))
	}
	return n
}

func (r repetition) least(depth map[string]int) int {
	if r.from == 0 {
		return 0
	}
	return r.part.least(depth)
}

func (terminal) names(func(string)) {}

func (r reference) names(f func(string)) { f(string(r)) }

func (s sequence) names(f func(string)) {
	for _, p := range s {
		p.names(f)
	}
}

func (c choices) names(f func(string)) { sequence(c).names(f) }

func (r repetition) names(f func(string)) { r.part.names(f) }

// measure finds the depth of every rule, and says what is wrong with the
// grammar.
func (g *grammar) measure() error {
	if _, ok := g.rules[g.start]; !ok {
		return errors.New("there is no rule " + g.start)
	}
	for name, p := range sorted(g.rules) {
		missing := ""
		p.names(func(rule string) {
			if _, ok := g.rules[rule]; !ok && missing == "" {
				missing = rule
			}
		})
		if missing != "" {
			return fmt.Errorf("the rule %s names %s, which is not defined", name, excerpt(missing, 40))
		}
	}
	g.depth = map[string]int{}
	for changed := true; changed; {
		changed = false
		for name, p := range sorted(g.rules) {
			if have, ok := g.depth[name]; !ok {
				if n := p.least(g.depth); n < endless {
					g.depth[name], changed = n, true
				}
			} else if n := p.least(g.depth); n < have {
				g.depth[name], changed = n, true
			}
		}
	}
	if _, ok := g.depth[g.start]; !ok {
		return errors.New("the rule " + g.start + " never ends")
	}
	return nil
}

// derivation is a text of a grammar in the making.
type derivation struct {
	g       *grammar
	variant int
	text    strings.Builder
	steps   int
}

const (
	mostSteps  = 20_000
	deepEnough = 12 // from here on, the shallowest way is taken
)

// sample derives a text; ok is false when it becomes too long.
func (g *grammar) sample(variant int) (text string, ok bool) {
	d := &derivation{g: g, variant: variant}
	g.rules[g.start].write(d, 0)
	return d.text.String(), d.steps <= mostSteps && d.text.Len() <= mostText
}

// stop tells whether the text has become too long to go on.
func (d *derivation) stop() bool {
	d.steps++
	return d.steps > mostSteps || d.text.Len() > mostText
}

func (t terminal) write(d *derivation, _ int) {
	if d.stop() {
		return
	}
	d.text.WriteString(t[d.variant%len(t)])
}

func (r reference) write(d *derivation, level int) {
	if !d.stop() {
		d.g.rules[string(r)].write(d, level+1)
	}
}

func (s sequence) write(d *derivation, level int) {
	for _, p := range s {
		p.write(d, level)
	}
}

func (c choices) write(d *derivation, level int) {
	if d.stop() {
		return
	}
	best := c[0]
	for i := range c {
		p := c[(i+d.variant)%len(c)]
		n := p.least(d.g.depth)
		if n < endless && level < deepEnough {
			best = p
			break
		}
		if n < best.least(d.g.depth) {
			best = p
		}
	}
	d.variant++ // the next choice is another one
	best.write(d, level)
}

func (r repetition) write(d *derivation, level int) {
	times := r.from
	if level < deepEnough && r.part.least(d.g.depth) < endless {
		times = max(times, 1)
	}
	for range times {
		if d.stop() {
			return
		}
		r.part.write(d, level+1)
	}
}
