package session

import (
	"math"
	"testing"

	"waferchat/api"
)

func TestCostIsWhatTheTokensCost(t *testing.T) {
	const unknown = -1
	n := func(v int64) *int64 {
		if v == unknown {
			return nil
		}
		return &v
	}
	for _, c := range []struct {
		name                       string
		prompt, completion, cached int64
		in, out, read              int64
		want                       int64
	}{
		{"all", 1000, 500, 200, 3_000_000, 15_000_000, 300_000, 2400 + 60 + 7500},
		{"cached at the input price", 1000, 0, 200, 3_000_000, 0, unknown, 3000},
		{"cached not reported", 1000, 0, unknown, 3_000_000, 0, 1, 3000},
		{"half goes up", 1, 0, 0, 500_000, 0, 0, 1},
		{"less than half goes down", 1, 0, 0, 499_999, 0, 0, 0},
		{"more cached than there were", 10, 0, 99, 1_000_000, 0, 2_000_000, 20},
		{"free", 10, 10, 0, 0, 0, 0, 0},
		{"no prompt count", unknown, 1, 0, 1, 1, 1, unknown},
		{"no completion count", 1, unknown, 0, 1, 1, 1, unknown},
		{"no input price", 1, 1, 0, unknown, 1, 1, unknown},
		{"no output price", 1, 1, 0, 1, unknown, 1, unknown},
		{"no output price and no output", 1_000_000, 0, 0, 1, unknown, 1, 1},
		{"too much to count", math.MaxInt64, 0, 0, math.MaxInt64, 0, 0, unknown},
		{"much", 4_000_000_000, 0, 0, 5_000_000_000, 0, 0, 20_000_000_000_000},
	} {
		got := Cost(&api.Usage{PromptTokens: n(c.prompt), CompletionTokens: n(c.completion), CachedTokens: n(c.cached)},
			&api.Prices{Input: n(c.in), Output: n(c.out), CacheRead: n(c.read)})
		switch {
		case got == nil && c.want != unknown:
			t.Errorf("%s: unknown, not %d", c.name, c.want)
		case got != nil && *got != c.want:
			t.Errorf("%s: %d, not %d", c.name, *got, c.want)
		}
	}
	if Cost(nil, &api.Prices{}) != nil || Cost(&api.Usage{}, nil) != nil {
		t.Error("known without usage or prices")
	}
}
