package ui

import (
	"fmt"
	"time"

	"waferchat/session"
	"waferchat/ui/blocklist"
	"waferchat/ui/untrusted"
)

// footerBlock is the dim line below an answer: model, tokens, speed, cost, and
// how it ended when that was not the ordinary way.
type footerBlock struct {
	base
	m       *session.Message
	variant string // "‹ 2/3 ›" or ""
}

func newFooterBlock(s *scene, m *session.Message) *footerBlock {
	return &footerBlock{base: base{scene: s, id: m.ID}, m: m}
}

func (b *footerBlock) Estimate(int) int { return 1 }

func (b *footerBlock) Layout(width int) blocklist.Layout {
	lk := b.scene.look
	line := ends(lk.dim.draw(joinFit(footerFacts(b.m), " · ", width-2-columns(b.variant)-1)), lk.dim.draw(b.variant), width-2)
	return rows{lines: []string{indent + line}}
}

// footerFacts lists the facts in order of use: a narrow screen drops them from
// the right.
func footerFacts(m *session.Message) []string {
	facts := []string{untrusted.Line(m.Model)}
	if m.Effort != "" {
		facts = append(facts, untrusted.Line(m.Effort))
	}
	if t := tokenFact(m); t != "" {
		facts = append(facts, t)
	}
	if c := session.Cost(m.Usage, m.Prices); c != nil {
		facts = append(facts, dollars(*c))
	}
	if r := tokenRate(m); r != "" {
		facts = append(facts, r)
	}
	if m.Timing.FirstToken > 0 {
		facts = append(facts, "first "+seconds(m.Timing.FirstToken))
	}
	if u := m.Usage; u != nil && u.CachedTokens != nil && *u.CachedTokens > 0 {
		facts = append(facts, grouped(int(*u.CachedTokens))+" cached")
	}
	if m.Finish != "" && m.Finish != "stop" {
		facts = append(facts, "ended: "+untrusted.Line(m.Finish))
	}
	return facts
}

// tokenFact is "1,204 → 356 tokens"; unknown stays unknown, and is not worth
// words where the answer broke off.
func tokenFact(m *session.Message) string {
	if m.Usage == nil || m.Usage.PromptTokens == nil || m.Usage.CompletionTokens == nil {
		if m.State != session.Done {
			return ""
		}
		return "tokens unknown"
	}
	return fmt.Sprintf("%s → %s tokens", grouped(int(*m.Usage.PromptTokens)), grouped(int(*m.Usage.CompletionTokens)))
}

// minRated is how long an answer must have taken for its speed to mean something.
const minRated = 100 * time.Millisecond

// tokenRate is the speed after the first token.
func tokenRate(m *session.Message) string {
	d := m.Timing.End - m.Timing.FirstToken
	if m.Usage == nil || m.Usage.CompletionTokens == nil || d < minRated {
		return ""
	}
	return grouped(int(float64(*m.Usage.CompletionTokens)/d.Seconds()+0.5)) + " tok/s"
}
