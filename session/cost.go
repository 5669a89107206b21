package session

import (
	"math/big"

	"waferchat/api"
)

// Cost returns what an answer cost in micro-cents (1 cent is 1,000,000 of
// them), rounded half up, or nil when a count or a price that matters is
// unknown. Cached tokens cost the input price where no other is known; cached
// tokens that were not reported count as none.
func Cost(u *api.Usage, p *api.Prices) *int64 {
	if u == nil || p == nil || u.PromptTokens == nil || u.CompletionTokens == nil {
		return nil
	}
	cached := int64(0)
	if u.CachedTokens != nil {
		cached = min(max(*u.CachedTokens, 0), *u.PromptTokens)
	}
	read := p.CacheRead
	if read == nil {
		read = p.Input
	}
	sum := new(big.Int) // in micro-cents × 1,000,000
	for _, c := range []struct {
		tokens int64
		price  *int64
	}{{*u.PromptTokens - cached, p.Input}, {cached, read}, {*u.CompletionTokens, p.Output}} {
		if c.tokens == 0 {
			continue
		}
		if c.price == nil || c.tokens < 0 {
			return nil
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(c.tokens), big.NewInt(*c.price)))
	}
	const unit = 1_000_000
	sum.Add(sum, big.NewInt(unit/2))
	sum.Div(sum, big.NewInt(unit)) // towards minus infinity: half goes up
	if !sum.IsInt64() {
		return nil
	}
	cost := sum.Int64()
	return &cost
}
